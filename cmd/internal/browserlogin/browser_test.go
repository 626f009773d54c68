package browserlogin_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// A person logs in with a real browser, whose policy for pages, cookies and forms is
// not ours, and is sent to the client with a code.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("what runs in the browser is not ours to watch")
	}
	t.Parallel()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("there is no chromium, and a build server must not skip tests: install the package chromium")
		}
		t.Skip("SKIPPED: the login in a browser, because there is no chromium; install the package chromium")
	}
	h := start(t, erptest.New(t), nil)
	came := make(chan url.Values, 1)
	client := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/cb" {
			came <- r.URL.Query()
		}
		_, _ = w.Write([]byte("<title>done</title><p id=done>done</p>"))
	}))
	t.Cleanup(client.Close)
	_, id := h.register(t, "Assistant", client.URL+"/cb")

	alloc, cancel := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-dev-shm-usage", true))
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(ctx,
		chromedp.Navigate(h.request(id, "redirect_uri", client.URL+"/cb")),
		chromedp.SendKeys("#user", "GardenUser"),
		chromedp.SendKeys("#password", "GardenUser"),
		chromedp.Click("form button"),
		chromedp.Click(`button[value=allow]`),
		chromedp.WaitVisible("[id=done]"),
	), h.log)
	q := <-came
	assert.Equal(t, "s-1", q.Get("state"))
	assert.Equal(t, h.url, q.Get("iss"))
	status, out := h.exchange(t, id, q.Get("code"), "redirect_uri", client.URL+"/cb")
	require.Equal(t, http.StatusOK, status, "%v", out)
	assert.True(t, h.opens(t, out["access_token"].(string)))
}
