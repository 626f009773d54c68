package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/erptest"
)

// configured writes a configuration file.
func configured(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// A flag of a server is a setting, too: flag, then environment, then file. Which name
// the server knows itself by shows what it took.
func TestServerSettings(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	file := configured(t, `
hub:
  server:
    api:
      host: [file.example.com, more.example.com]
      log-format: json
      access-log: true
    mcp:
      host: elsewhere.example.com
`)
	for _, tt := range []struct {
		name        string
		env, args   []string
		takes, not  string
		logIsInJSON bool
	}{
		{"file", nil, nil, "more.example.com", "env.example.com", true},
		{"environment before file", []string{"ERPHUB_API_HOST=env.example.com,second.example.com"}, nil, "second.example.com", "file.example.com", true},
		{"flag before both", []string{"ERPHUB_API_HOST=env.example.com", "ERPHUB_API_LOG_FORMAT=json"}, []string{"--host", "flag.example.com", "--log-format", "text"}, "flag.example.com", "env.example.com", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := serve(t, append(append(gardenAdmin(srv.URL()), "ERPHUB_CONFIG="+file), tt.env...), append([]string{"server", "api"}, tt.args...)...)
			for host, want := range map[string]int{tt.takes: 200, tt.not: 421, "elsewhere.example.com": 421} {
				status, _ := p.call(http.MethodGet, "/healthz", "", func(r *http.Request) { r.Host = host })
				assert.Equal(t, want, status, host)
			}
			assert.Equal(t, shell.ExitDone, p.stop())
			assert.Equal(t, tt.logIsInJSON, bytes.Contains([]byte(p.errOut.String()), []byte(`"msg":"request"`)), p.errOut.String())
			assert.Equal(t, !tt.logIsInJSON, bytes.Contains([]byte(p.errOut.String()), []byte(`msg=request`)), p.errOut.String())
		})
	}
}

// What is wrong in a setting is told with its name and what to do, before anything
// is served.
func TestServerSettingsThatAreWrong(t *testing.T) {
	t.Parallel()
	const secret = "Kanarienvogel"
	for _, tt := range []struct {
		name, file string
		env, args  []string
		says       string
	}{
		{"typing error in the file", "hub.server.api.lisen: x", nil, nil, "did you mean hub.server.api.listen?"},
		{"server there is not", "hub.server.board.listen: x", nil, nil, `no server "board"`},
		{"another key for it", "hub.server.api.redis: redis://x", nil, nil, "write hub.redis.url"},
		{"a password on the command line", "", nil, []string{"--redis", "redis://:" + secret + "@127.0.0.1:1"}, "ERPHUB_REDIS_URL"},
		{"no Redis there", "", []string{"ERPHUB_REDIS_URL=redis://:" + secret + "@nowhere:x"}, nil, "redis://host:6379/0"},
		{"no number in the file", "hub.server.api.requests-per-minute: many", nil, nil, "hub.server.api.requests-per-minute of the configuration file, which stands for --requests-per-minute"},
		{"no number in the environment", "", []string{"ERPHUB_API_REQUESTS_PER_MINUTE=many"}, nil, "ERPHUB_API_REQUESTS_PER_MINUTE, which"},
		{"half a certificate", "", []string{"ERPHUB_API_TLS_CERT=x"}, nil, "--tls-key"},
		{"no certificate", "", nil, []string{"--tls-cert", "nowhere", "--tls-key", "nowhere"}, "TLS certificate"},
		{"no bucket for downloads", "", []string{"ERPHUB_ARTIFACTS_BUCKET=b", "ERP_TOKEN_SECRET=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}, nil, `hub.artifacts.bucket: configuring object storage: "b" cannot be the name of a bucket`},
		{"no bucket for plugins", "hub.generator.objectstore.bucket: b", []string{"ERP_TOKEN_SECRET=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}, nil, `hub.generator.objectstore.bucket: configuring object storage: "b" cannot be`},
		{"a log there is not", "", nil, []string{"--log-format", "xml"}, "text or json"},
		{"a level there is not", "", []string{"ERPHUB_API_LOG_LEVEL=loud"}, nil, "--log-level"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			env := append([]string{"HOME=" + t.TempDir(), "ERP_URL=http://127.0.0.1:1", "ERPHUB_CONFIG=" + configured(t, tt.file)}, tt.env...)
			var out, errOut bytes.Buffer
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			code := execute(ctx, append([]string{"erphub", "server", "api", "--listen", "127.0.0.1:0"}, tt.args...), env, shell.Streams{Out: &out, Err: &errOut})
			assert.NotEqual(t, shell.ExitDone, code)
			assert.Contains(t, errOut.String(), tt.says)
			assert.NotContains(t, errOut.String(), secret)
			assert.NoError(t, ctx.Err(), "it served")
		})
	}
}
