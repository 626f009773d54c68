package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/erptest"
)

// gardenAdmin is the environment of somebody who logs in to an ERP of the tests.
func gardenAdmin(url string) []string {
	return []string{"ERP_URL=" + url, "ERP_USERNAME=GardenAdmin", "ERP_PASSWORD=GardenAdmin", "ERP_CLIENT_ID=11", "ERP_ROLE_ID=102", "ERP_ORG_ID=11"}
}

// The board is served, says what it reads with, is ready when the log is there,
// and ends in order.
func TestServerAPI(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	p := serve(t, gardenAdmin(srv.URL()), "server", "api", "--host", "board.example.com", "--json")
	assert.Equal(t, os.Getpid(), p.pid)
	assert.JSONEq(t, `{"url":"`+p.url+`","board":"`+p.url+`/deployments"}`, p.out.String())
	said := p.errOut.String()
	assert.Contains(t, said, p.url+"/deployments")
	assert.Contains(t, said, "user GardenAdmin")
	assert.Contains(t, said, "only this machine can reach it")
	assert.NotContains(t, said, "ERP_PASSWORD")

	for _, tt := range []struct {
		name, path, host string
		status           int
		contains         string
	}{
		{"start page", "/", "", 200, `<a href="/deployments">/deployments</a>`},
		{"page", "/deployments", "board.example.com:8090", 200, "<title>Deployments</title>"},
		{"alive", "/healthz", "", 200, "ok"},
		{"degraded without the table", "/readyz", "", 200, "the ERP does not show the deployment log"},
		{"no board without the table", "/readyz/board", "", 503, "not ready"},
		{"status without the table", "/api/deployments", "", 503, "env deploy install"},
		{"metrics", "/metrics", "", 200, "board_listeners 0"},
		{"metrics of its login", "/metrics", "", 200, "\nerp_logins_total 1\n"},
		{"a name that points here from elsewhere", "/api/deployments", "evil.example.com", 421, "Host"},
		{"nothing there", "/api/nothing", "", 404, ""},
		{"no AI API without a database", "/api/ai/health", "", 404, ""},
	} {
		status, body := p.call(http.MethodGet, tt.path, "", func(r *http.Request) { r.Host = tt.host })
		assert.Equal(t, tt.status, status, tt.name)
		assert.Contains(t, body, tt.contains, tt.name)
		assert.NotContains(t, body, "GardenAdmin", tt.name)
	}
	assert.Equal(t, shell.ExitDone, p.stop(), p.errOut.String())
	assert.NoFileExists(t, p.readyFile)
}

// Wrong usage is told apart from a failure, and serves nothing.
func TestServerAPIUsage(t *testing.T) {
	t.Parallel()
	const password = "Kanarienvogel"
	secret := t.TempDir() + "/secret"
	assert.NoError(t, os.WriteFile(secret, []byte("0123456789abcdef0123456789abcdef\n"), 0o600))
	database := "ERP_DATABASE_URL=postgres://reader:" + password + "@127.0.0.1:1/erp"
	for _, tt := range []struct {
		name string
		args []string
		env  []string
		code int
		says string
	}{
		{"nothing to serve", nil, nil, shell.ExitUsage, "--database"},
		{"an argument", []string{"now"}, []string{"ERP_URL=http://127.0.0.1:1"}, shell.ExitUsage, ""},
		{"no address", []string{"--listen", "here"}, []string{"ERP_URL=http://127.0.0.1:1"}, shell.ExitFailed, "here"},
		{"a port there is not", []string{"--listen", "127.0.0.1:99999"}, []string{"ERP_URL=http://127.0.0.1:1"}, shell.ExitFailed, "99999"},
		{"no way to check tokens", nil, []string{database}, shell.ExitUsage, "--jwt-secret-file"},
		{"a secret that is too short", nil, []string{database, "ERP_TOKEN_SECRET=short"}, shell.ExitUsage, "16 bytes"},
		{"no file with a secret", []string{"--jwt-secret-file", secret + "x"}, []string{database}, shell.ExitFailed, "secretx"},
		{"an empty file with a secret", []string{"--jwt-secret-file", os.DevNull}, []string{database}, shell.ExitFailed, "is empty"},
		{"two databases", []string{"--database", "postgres://x", "--database-file", secret}, nil, shell.ExitUsage, "choose one"},
		{"no database address in the file", []string{"--database-file", secret, "--jwt-secret-file", secret}, nil, shell.ExitFailed, "no PostgreSQL address"},
		{"no database there", []string{"--jwt-secret-file", secret, "--database-wait", "0"}, []string{database}, shell.ExitFailed, "127.0.0.1:1/erp"},
		{"no database there for some time", []string{"--jwt-secret-file", secret, "--database-wait", "300ms"}, []string{database}, shell.ExitFailed, "gave up after 300ms"},
		{"a recipient that is none", []string{"--email-recipient", "http://x"}, []string{"ERP_URL=http://127.0.0.1:1"}, shell.ExitUsage, "ERPHUB_EMAIL_RECIPIENTS"},
		{"an address that cannot be read", []string{"--jwt-secret-file", secret}, []string{"ERP_DATABASE_URL=postgres://reader:" + password + "%zz@127.0.0.1/erp"}, shell.ExitFailed, "cannot be understood"},
		{"a schema there cannot be", []string{"--jwt-secret-file", secret, "--database-schema", "x; drop"}, []string{database}, shell.ExitFailed, "schema"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out, errOut bytes.Buffer
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			code := execute(ctx, append([]string{"erphub", "server", "api"}, tt.args...), append(tt.env, "HOME="+t.TempDir()), shell.Streams{Out: &out, Err: &errOut})
			assert.Equal(t, tt.code, code, errOut.String())
			assert.Contains(t, errOut.String(), tt.says)
			assert.NotContains(t, errOut.String(), password)
			assert.NotContains(t, errOut.String(), "0123456789abcdef")
			assert.Empty(t, out.String())
			assert.NoError(t, ctx.Err(), "it served")
		})
	}
}
