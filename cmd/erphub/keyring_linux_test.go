package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/testkeyring"
)

// inSession runs the program in the session of a keyring.
func inSession(t *testing.T, service *testkeyring.Service, config string, args ...string) (code int, said string) {
	t.Helper()
	program, err := exec.LookPath("erphub") // where testscript put it
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "ERPHUB_CONFIG=" + config}, service.Env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // the code says it
	return cmd.ProcessState.ExitCode(), out.String()
}

// A login is kept in the keyring where there is one, for processes side by side,
// and the file has no secret.
func TestLoginInTheKeyring(t *testing.T) {
	t.Parallel()
	service, srv := testkeyring.Start(t), erptest.New(t)
	dir := t.TempDir()
	config, password := filepath.Join(dir, "config.yaml"), filepath.Join(dir, "password")
	require.NoError(t, os.WriteFile(password, []byte("GardenAdmin"), 0o600))
	login := []string{"--url", srv.URL(), "auth", "login", "--username", "GardenAdmin", "--password-file", password, "--role", "102", "--org", "11"}
	file := func() string {
		text, err := os.ReadFile(config)
		require.NoError(t, err)
		return string(text)
	}

	code, out := inSession(t, service, config, login...)
	require.Zero(t, code, out)
	assert.Contains(t, out, "the system's keyring, for "+config)
	assert.NotContains(t, file(), "eyJ")
	assert.Contains(t, file(), "token.keyring: ")
	code, out = inSession(t, service, config, "auth", "status")
	require.Zero(t, code, out)
	assert.Contains(t, out, "accepted by the ERP  yes")
	code, out = inSession(t, service, config, "doctor", "--only", "configuration")
	require.Zero(t, code, out)
	assert.Contains(t, out, `the stored login of "GardenAdmin", valid`)

	// Refreshed by several at once: a refresh token that is spent twice would end it.
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			code, out := inSession(t, service, config, "auth", "refresh")
			assert.Zero(t, code, out)
		})
	}
	all.Wait()
	code, out = inSession(t, service, config, "record", "get", "AD_Org", "11")
	require.Zero(t, code, out)
	states, err := srv.RefreshTokens(t.Context())
	require.NoError(t, err)
	for _, s := range states {
		assert.Empty(t, s.Revoked, "%+v", s)
	}

	// To the file and back, and away.
	code, out = inSession(t, service, config, append(login, "--store", "file")...)
	require.Zero(t, code, out)
	assert.Contains(t, file(), "token: eyJ")
	assert.NotContains(t, file(), "token.keyring")
	code, out = inSession(t, service, config, append(login, "--store", "keyring")...)
	require.Zero(t, code, out)
	assert.NotContains(t, file(), "eyJ")
	code, out = inSession(t, service, config, "auth", "logout")
	require.Zero(t, code, out)
	assert.Equal(t, "url: "+srv.URL()+"\nversion: 1\n", file())
	code, out = inSession(t, service, config, append(login, "--store", "drawer")...)
	require.Equal(t, 2, code, out)
	assert.Contains(t, out, `--store: "drawer" is none of auto, keyring, file`)
}

// A keyring that is locked, or hangs, is said, and stands in nobody's way.
func TestLoginWithoutItsKeyring(t *testing.T) {
	if testing.Short() {
		t.Skip("waits as long as the program does")
	}
	t.Parallel()
	srv := erptest.New(t)
	for name, spoil := range map[string]func(*testkeyring.Service, testing.TB){
		"locked": (*testkeyring.Service).Lock,
		"hangs":  (*testkeyring.Service).Hang,
		"gone":   func(s *testkeyring.Service, _ testing.TB) { s.Stop() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := testkeyring.Start(t)
			dir := t.TempDir()
			config, password := filepath.Join(dir, "config.yaml"), filepath.Join(dir, "password")
			require.NoError(t, os.WriteFile(password, []byte("GardenAdmin"), 0o600))
			login := []string{"--url", srv.URL(), "auth", "login", "--username", "GardenAdmin", "--password-file", password, "--role", "102", "--org", "11"}
			code, out := inSession(t, service, config, login...)
			require.Zero(t, code, out)

			spoil(service, t)
			if name != "hangs" { // which takes its time, every time
				code, out = inSession(t, service, config, "record", "get", "AD_Org", "11")
				assert.Equal(t, 1, code, out)
				assert.Contains(t, out, "reading from the system's keyring: ")
				assert.Contains(t, out, "`erphub auth login --store file`")
				code, out = inSession(t, service, config, append(login, "--store", "keyring")...)
				assert.Equal(t, 1, code, out)
				assert.Contains(t, out, "the system's keyring: ")
			}
			code, out = inSession(t, service, config, login...)
			assert.Zero(t, code, out)
			assert.Equal(t, 1, strings.Count(out, "the tokens are stored in the file, because the keyring did not take them: "), out)
			code, out = inSession(t, service, config, "record", "get", "AD_Org", "11")
			assert.Zero(t, code, out)
		})
	}
}
