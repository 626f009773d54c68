package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/aitest"
	"github.com/erphub/erphub/internal/testkit/testredis"
)

// readiness is what /readyz says.
type readiness struct {
	Status  string
	Missing []string
	Parts   map[string]string
}

func (p *program) ready(path string) (int, readiness) {
	p.t.Helper()
	status, body := p.call(http.MethodGet, path, "", nil)
	var r readiness
	_ = json.Unmarshal([]byte(body), &r) // a problem has none of it
	return status, r
}

// killable is a database behind an address that stops responding when kill is called,
// as one that was killed.
func killable(t *testing.T, address string) (front string, kill func()) {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	behind := u.Host
	var mu sync.Mutex // guards what follows
	var open []net.Conn
	killed := false
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			if open = append(open, conn); killed {
				conn.Close()
			}
			mu.Unlock()
			go relay(conn, behind)
		}
	}()
	kill = func() {
		mu.Lock()
		defer mu.Unlock()
		killed = true
		err := ln.Close()
		for _, conn := range open {
			err = errors.Join(err, conn.Close())
		}
		open = nil
		_ = err // connections may have ended before
	}
	t.Cleanup(kill)
	u.Host = ln.Addr().String()
	return u.String(), kill
}

// What replicas share takes out only the parts that cannot work without it, and the
// servers say what is away; where nothing is left that works, the whole is not ready.
func TestReadinessFollowsWhatAPartNeeds(t *testing.T) {
	if testing.Short() {
		t.Skip("waits as long as the program does")
	}
	t.Parallel()
	const words, ready, degraded, not = "does not respond", "ready", "degraded", "not ready"
	type state struct {
		status int
		says   string
	}
	for _, tt := range []struct {
		name  string
		away  []string
		api   map[string]state // by path
		tools map[string]state
	}{
		{
			"everything responds", nil,
			map[string]state{"": {200, ready}, "/board": {200, ready}, "/generator": {200, ready}, "/ai": {200, ready}},
			map[string]state{"": {200, ready}, "/tools": {200, ready}, "/records": {200, ready}},
		},
		{
			"Redis is killed", []string{"redis"},
			map[string]state{"": {200, degraded}, "/board": {200, ready}, "/generator": {200, degraded}, "/ai": {200, degraded}},
			map[string]state{"": {503, not}, "/tools": {503, not}, "/records": {503, not}},
		},
		{
			"PostgreSQL is killed", []string{"database"},
			map[string]state{"": {200, degraded}, "/board": {200, ready}, "/generator": {200, ready}, "/ai": {503, not}},
			map[string]state{"": {200, degraded}, "/tools": {200, degraded}, "/records": {200, ready}},
		},
		{
			"the ERP hangs", []string{"erp"},
			map[string]state{"": {200, degraded}, "/board": {503, not}, "/generator": {200, ready}, "/ai": {200, ready}},
			map[string]state{"": {200, degraded}, "/tools": {200, degraded}, "/records": {503, not}},
		},
		{
			"all is away", []string{"redis", "database", "erp"},
			map[string]state{"": {200, degraded}, "/board": {503, not}, "/generator": {200, degraded}, "/ai": {503, not}},
			map[string]state{"": {503, not}, "/tools": {503, not}, "/records": {503, not}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv, redis := erptest.New(t), testredis.Start(t)
			home := "HOME=" + t.TempDir()
			var said bytes.Buffer
			super := []string{home, "ERP_URL=" + srv.URL(), "ERP_USERNAME=SuperUser", "ERP_PASSWORD=System", "ERP_CLIENT_ID=0", "ERP_ROLE_ID=0", "ERP_ORG_ID=0"}
			require.Zero(t, execute(t.Context(), []string{"erphub", "env", "deploy", "install", "--no-window"}, super, shell.Streams{Out: &said, Err: &said}), said.String())
			database, kill := killable(t, aitest.Postgres(t))
			secret := filepath.Join(t.TempDir(), "secret")
			require.NoError(t, os.WriteFile(secret, []byte(tokenSecret), 0o600))
			env := append(gardenAdmin(srv.URL()), "ERPHUB_REDIS_URL="+redis.URL(), "ERP_DATABASE_URL="+database)
			api := serve(t, env, "server", "api", "--install", "--jwt-secret-file", secret)
			tools := serve(t, env, "server", "mcp", "--jwt-secret-file", secret)
			for _, what := range tt.away {
				switch what {
				case "redis":
					redis.Stop()
				case "database":
					kill()
				case "erp":
					hung := make(chan struct{})
					t.Cleanup(func() { close(hung) })
					srv.Faults().On(erptest.Match{}, erptest.Hold(hung))
				}
			}
			for _, server := range []struct {
				p    *program
				want map[string]state
			}{{api, tt.api}, {tools, tt.tools}} {
				for path, want := range server.want {
					assert.EventuallyWithT(t, func(c *assert.CollectT) { // what hangs is found out after five seconds
						status, r := server.p.ready("/readyz" + path)
						assert.Equal(c, want, state{status, r.Status}, "/readyz%s: %v", path, r.Missing)
						assert.Equal(c, want.says == ready, len(r.Missing) == 0, "/readyz%s: %v", path, r.Missing)
						for _, m := range r.Missing {
							assert.Contains(c, m, words)
						}
						for part, of := range r.Parts {
							assert.Equal(c, server.want["/"+part].says, of, part)
						}
						assert.Equal(c, path == "", len(r.Parts) > 0)
					}, time.Minute, 20*time.Millisecond, tt.name)
				}
				assert.EventuallyWithT(t, func(c *assert.CollectT) {
					_, metrics := server.p.call(http.MethodGet, "/metrics", "", nil)
					number := map[bool]string{true: " 1\n", false: " 0\n"}
					assert.Contains(c, metrics, "\nserver_ready"+number[server.want[""].status == 200])
					for path, want := range server.want {
						if path != "" {
							assert.Contains(c, metrics, `server_part_ready{part="`+path[1:]+`"}`+number[want.status == 200])
						}
					}
					for _, what := range []string{"redis", "database", "erp"} {
						assert.Contains(c, metrics, `server_dependency_up{dependency="`+what+`"}`+number[!slices.Contains(tt.away, what)])
					}
				}, time.Minute, 20*time.Millisecond, tt.name)
			}
			status, _ := api.call(http.MethodGet, "/readyz/bored", "", nil)
			assert.Equal(t, http.StatusNotFound, status)

			// What is called ready is served.
			user := bearing(signed(t, aitest.User, aitest.Whole))
			for path, call := range map[string]func() int{
				"/board": func() int { status, _ := api.call(http.MethodGet, "/api/deployments", "", nil); return status },
				"/generator": func() int {
					status, _ := api.call(http.MethodPost, "/api/generate/plugin", `{"artifactId":"com.example.demo","output":"archive"}`, user)
					return status
				},
				"/ai": func() int {
					status, _ := api.call(http.MethodPost, "/api/ai/query", statement("SELECT count(*) FROM c_order", aitest.Whole), user)
					return status
				},
			} {
				if tt.api[path].status == http.StatusOK {
					assert.Equal(t, http.StatusOK, call(), path)
				}
			}
			_ = tools.stop()
			assert.Equal(t, shell.ExitDone, api.stop(), api.errOut.String())
		})
	}
}
