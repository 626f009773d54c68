package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/internal/config"
)

// dueLogin is the configuration of a login whose access token has ended.
const dueLogin = "token: eyJhbGciOiJIUzUxMiJ9.eyJzdWIiOiJhbm4iLCJleHAiOjF9.c2ln\nrefreshToken: CANARY.y.z\n"

// withConfig runs a command in this process with a configuration of its own.
func withConfig(t *testing.T, path string, args ...string) (code int, printed string) {
	t.Helper()
	var out bytes.Buffer
	code = execute(t.Context(), append([]string{"erphub"}, args...), []string{"ERPHUB_CONFIG=" + path},
		shell.Streams{In: strings.NewReader(""), Out: &out, Err: &out})
	return code, out.String()
}

// An ERP that responds to a refresh is not unreachable: the response says what the
// exit code is.
func TestExitCodesOfARefresh(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ status, code int }{
		"400": {400, 3}, "401": {401, 3}, "403": {403, 3},
		"404": {404, 1}, "429": {429, 1}, "500": {500, 1}, "502": {502, 1}, "503": {503, 1}, "no JSON": {200, 1},
		"nobody there": {0, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(tt.status) }))
			t.Cleanup(srv.Close)
			if tt.status == 0 {
				srv.Close()
			}
			for _, args := range [][]string{{"record", "list", "AD_Org"}, {"auth", "refresh"}, {"auth", "status"}} {
				path := filepath.Join(t.TempDir(), "config.yaml")
				require.NoError(t, os.WriteFile(path, []byte("url: "+srv.URL+"\n"+dueLogin), 0o600))
				code, out := withConfig(t, path, args...)
				assert.Equal(t, tt.code, code, "%v: %s", args, out)
				assert.NotContains(t, out, "CANARY")
			}
		})
	}
}

// A command that waits for another process is told which lock it holds.
func TestLockedConfiguration(t *testing.T) {
	if testing.Short() {
		t.Skip("waits as long as the program does")
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(path, []byte("url: http://127.0.0.1:1\n"+dueLogin), 0o600))
	release, err := config.NewFile(path).Lock(t.Context())
	require.NoError(t, err)
	said := &bytes.Buffer{}
	ended := make(chan int)
	go func() {
		ended <- execute(t.Context(), []string{"erphub", "auth", "refresh"}, []string{"ERPHUB_CONFIG=" + path},
			shell.Streams{In: strings.NewReader(""), Out: said, Err: freeing{said, release}})
	}()
	assert.Equal(t, 4, <-ended, said)
	assert.Contains(t, said.String(), "waiting for another process, which holds "+path+".lock")
}

// freeing gives a lock back with the first thing that is written.
type freeing struct {
	to      *bytes.Buffer
	release func()
}

func (f freeing) Write(p []byte) (int, error) {
	f.release()
	return f.to.Write(p)
}

// A configuration of another form is refused by every command, and stays as it is.
func TestConfigurationOfAnotherForm(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.yaml")
	text := "version: 99\nurl: http://127.0.0.1:1\n" + dueLogin
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	for _, args := range [][]string{{"record", "list", "AD_Org"}, {"auth", "status"}, {"auth", "logout"}, {"config", "set", "url", "http://x"}, {"config", "--token", "a.b.c"}} {
		code, out := withConfig(t, path, args...)
		assert.Equal(t, 1, code, out)
		assert.Contains(t, out, "another version of erphub wrote it: it has form 99")
	}
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, text, string(after))
}
