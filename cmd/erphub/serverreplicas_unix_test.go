//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/testkit/aitest"
	"github.com/erphub/erphub/internal/testkit/testproxy"
	"github.com/erphub/erphub/internal/testkit/testredis"
)

// replicas are processes of one server behind a proxy that takes turns, and asks the
// next one where one does not respond.
type replicas struct {
	t         *testing.T
	artifacts string
	targets   []*url.URL
	cmds      []*exec.Cmd
	url       string // of the proxy
	turn      atomic.Int64
	served    []atomic.Int64
}

func startReplicas(t *testing.T, n int) *replicas {
	t.Helper()
	redis := testredis.Start(t)
	p := &replicas{t: t, artifacts: t.TempDir(), served: make([]atomic.Int64, n)}
	proxy := httptest.NewServer(testproxy.New(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(p.targets[0]) // RoundTrip chooses
		r.Out.Host = "localhost"
	}, Transport: p}))
	t.Cleanup(proxy.Close)
	p.url = proxy.URL
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte(signingSecret), 0o600))
	for range n {
		ready := filepath.Join(t.TempDir(), "ready")
		cmd, _, _ := servingIn(t, []string{"ERPHUB_REDIS_URL=" + redis.URL(), "ERPHUB_ARTIFACTS_DIRECTORY=" + p.artifacts, "ARTIFACTS_BASE_URL=" + p.url},
			"server", "api", "--url", "http://127.0.0.1:1", "--jwt-secret-file", secret, "--listen", "127.0.0.1:0", "--ready-file", ready)
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		var started struct{ URL string }
		require.Eventually(t, func() bool {
			text, err := os.ReadFile(ready)
			return err == nil && json.Unmarshal(text, &started) == nil
		}, 30*time.Second, 5*time.Millisecond)
		target, err := url.Parse(started.URL)
		require.NoError(t, err)
		p.cmds, p.targets = append(p.cmds, cmd), append(p.targets, target)
	}
	return p
}

// RoundTrip asks the replicas in turn.
func (p *replicas) RoundTrip(r *http.Request) (res *http.Response, err error) {
	var body []byte
	if r.Body != nil {
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	first := int(p.turn.Add(1))
	for i := range p.targets {
		n := (first + i) % len(p.targets)
		again := r.Clone(r.Context())
		again.URL.Host, again.Body = p.targets[n].Host, io.NopCloser(bytes.NewReader(body))
		if res, err = http.DefaultTransport.RoundTrip(again); err == nil {
			p.served[n].Add(1)
			return res, nil
		}
	}
	return nil, err
}

// generate asks for a plugin under a link.
func (p *replicas) generate(at string, user int, artifact, key string) (status int, link string, replayed bool, err error) {
	req, err := http.NewRequest(http.MethodPost, at+"/api/generate/plugin", strings.NewReader(fmt.Sprintf(`{"artifactId":%q,"output":"url"}`, artifact))) //nolint:noctx // it ends with the server
	if err != nil {
		return 0, "", false, err
	}
	req.Header.Set("Authorization", "Bearer "+signedFor(p.t, user))
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", false, err
	}
	defer res.Body.Close()
	var receipt struct {
		Link string `json:"download_url"`
	}
	err = json.NewDecoder(res.Body).Decode(&receipt)
	return res.StatusCode, receipt.Link, res.Header.Get("Idempotency-Replayed") != "", err
}

// stored counts the artifacts.
func (p *replicas) stored() int {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(p.artifacts, "*.json"))
	require.NoError(p.t, err)
	return len(files)
}

// One key on all replicas at once, and later, is one artifact; another body under it
// is refused by each.
func TestReplicasShareIdempotencyKeys(t *testing.T) {
	t.Parallel()
	p := startReplicas(t, 3)
	const rounds = 4
	for round := range rounds {
		key := fmt.Sprint("key", round)
		var mu sync.Mutex // guards what follows
		links, fresh := map[string]bool{}, 0
		var all sync.WaitGroup
		for _, target := range p.targets {
			for range 2 {
				all.Go(func() {
					status, link, replayed, err := p.generate(target.String(), 1, "com.example.same", key)
					assert.NoError(t, err)
					assert.Equal(t, http.StatusOK, status)
					mu.Lock()
					defer mu.Unlock()
					links[link] = true
					if !replayed {
						fresh++
					}
				})
			}
		}
		all.Wait()
		assert.Len(t, links, 1)
		assert.Equal(t, 1, fresh, "one made it, and the others say that they repeat its response")
		assert.Equal(t, round+1, p.stored())
	}
	for _, target := range p.targets {
		status, _, _, err := p.generate(target.String(), 1, "com.example.other", "key0")
		assert.NoError(t, err)
		assert.Equal(t, http.StatusUnprocessableEntity, status)
		status, _, _, err = p.generate(target.String(), 2, "com.example.other", fmt.Sprint("of another user ", target))
		assert.NoError(t, err)
		assert.Equal(t, http.StatusOK, status)
	}
}

// A user has one limit whichever replica responds.
func TestReplicasShareLimits(t *testing.T) {
	t.Parallel()
	p := startReplicas(t, 2)
	begin := time.Now()
	var done, refused atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 20 {
				status, _, _, err := p.generate(p.url, 1, "com.example.a", "")
				assert.NoError(t, err)
				switch status {
				case http.StatusOK:
					done.Add(1)
				case http.StatusTooManyRequests:
					refused.Add(1)
				default:
					assert.Fail(t, "neither done nor refused", "%d", status)
				}
			}
		})
	}
	all.Wait()
	// 30 at once, and one more each second.
	assert.LessOrEqual(t, done.Load(), 30+int64(time.Since(begin)/time.Second)+1)
	assert.GreaterOrEqual(t, refused.Load(), int64(1))
	for i := range p.served {
		assert.Positive(t, p.served[i].Load())
	}
}

// Two of three replicas are killed while clients work: every call ends well, and each
// key has one link.
func TestKilledReplicasLoseNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers again and again")
	}
	t.Parallel()
	p := startReplicas(t, 3)
	const clients, each = 4, 12
	var done atomic.Int64
	var all sync.WaitGroup
	for client := range clients {
		all.Go(func() {
			for n := range each {
				artifact, key := fmt.Sprintf("com.example.c%d.n%d", client, n), fmt.Sprint("key", n)
				status, link, _, err := p.generate(p.url, client+1, artifact, key)
				if !assert.NoError(t, err) || !assert.Equal(t, http.StatusOK, status) {
					return
				}
				_, again, replayed, err := p.generate(p.url, client+1, artifact, key)
				assert.NoError(t, err)
				assert.Equal(t, link, again)
				assert.True(t, replayed)
				done.Add(1)
			}
		})
	}
	for i, after := range []int64{clients * each / 4, clients * each / 2} {
		require.Eventually(t, func() bool { return done.Load() >= after || t.Failed() }, time.Minute, time.Millisecond)
		require.NoError(t, p.cmds[i].Process.Signal(syscall.SIGKILL))
	}
	all.Wait()
	assert.EqualValues(t, clients*each, done.Load())
}

// What a user interface publishes at one replica of the AI API is read at another,
// and both count the same statements.
func TestReplicasShareTheAIAPI(t *testing.T) {
	if testing.Short() {
		t.Skip("fills a PostgreSQL")
	}
	t.Parallel()
	redis := testredis.Start(t)
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	require.NoError(t, os.WriteFile(secret, []byte(tokenSecret), 0o600))
	env := []string{"ERPHUB_REDIS_URL=" + redis.URL(), "ERP_DATABASE_URL=" + aitest.Postgres(t)}
	args := []string{"server", "api", "--jwt-secret-file", secret, "--statements-per-minute", "2", "--install"}
	one := serve(t, env, args...)
	two := serve(t, env, args...)
	assert.Contains(t, one.errOut.String(), "published contexts are in Redis")
	user := bearing(signed(t, aitest.User, aitest.Whole))
	status, body := one.call(http.MethodPost, "/api/ai/context", `{"windows":[{"windowNo":7,"fields":{"Name":"here"}}]}`, user)
	require.Less(t, status, 300, body)
	status, body = two.call(http.MethodGet, "/api/ai/context/window/7", "", user)
	assert.Equal(t, http.StatusOK, status, body)
	assert.Contains(t, body, "here")
	for i, want := range []int{http.StatusOK, http.StatusOK, http.StatusTooManyRequests, http.StatusTooManyRequests} {
		p := []*program{one, two}[i%2]
		status, body := p.call(http.MethodPost, "/api/ai/query", statement("SELECT count(*) FROM c_order", aitest.Whole), user)
		assert.Equal(t, want, status, body)
	}
	for _, p := range []*program{one, two} {
		status, _ := p.call(http.MethodGet, "/readyz", "", nil)
		assert.Equal(t, http.StatusOK, status)
	}
	redis.Stop()
	status, _ = one.call(http.MethodGet, "/api/ai/context/window/7", "", user)
	assert.Equal(t, http.StatusServiceUnavailable, status)
	status, _ = one.call(http.MethodGet, "/api/ai/roles", "", user)
	assert.Equal(t, http.StatusOK, status, "it goes on with limits of its own")
}
