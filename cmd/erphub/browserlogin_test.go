package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/testbrowser"
)

// lines hands over what is written, a write at a time.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// A person logs in with a real browser on the page that the command names, and the
// commands after it are logged in.
func TestLoginWithTheBrowser(t *testing.T) {
	t.Parallel()
	b := testbrowser.New(t)
	srv := erptest.New(t)
	config := filepath.Join(t.TempDir(), "config.yaml")
	said, code := make(lines, 10), make(chan int, 1)
	var out bytes.Buffer
	go func() {
		code <- execute(t.Context(), []string{"erphub", "auth", "login", "--browser", "--url", srv.URL(), "--store", "file"},
			[]string{"ERPHUB_CONFIG=" + config}, shell.Streams{In: strings.NewReader(""), Out: &out, Err: said})
	}()
	address, found := strings.CutPrefix(strings.TrimSpace(<-said), "Log in at ")
	require.True(t, found)
	b.Open(address)
	b.Do(
		chromedp.SendKeys("#user", "GardenUser"),
		chromedp.SendKeys("#password", "GardenUser"),
		chromedp.Click("form button"),
		chromedp.WaitVisible(`//h1[.="You are logged in"]`),
	)
	require.Equal(t, 0, <-code)
	assert.Contains(t, out.String(), "GardenUser")
	assert.NotContains(t, out.String(), "eyJ")

	status, printed := withConfig(t, config, "record", "list", "C_BPartner", "--top", "1")
	assert.Equal(t, 0, status, printed)
}

// What the page asks for cannot be given beside it.
func TestBrowserLoginTakesNoPassword(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"--username", "--password", "--password-file", "--client", "--role", "--org", "--warehouse", "--language"} {
		code, printed := withConfig(t, filepath.Join(t.TempDir(), "config.yaml"), "auth", "login", "--browser", "--url", "http://127.0.0.1:1", flag, "x")
		assert.Equal(t, 2, code, flag)
		assert.Contains(t, printed, flag+" does not go with --browser")
	}
	code, printed := withConfig(t, filepath.Join(t.TempDir(), "config.yaml"), "auth", "login", "--browser", "--url", "http://127.0.0.1:1", "--no-input")
	assert.Equal(t, 2, code)
	assert.Contains(t, printed, "--no-input does not go with --browser")
}
