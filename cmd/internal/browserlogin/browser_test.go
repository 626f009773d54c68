package browserlogin_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/testbrowser"
)

// A person logs in with a real browser, whose policy for pages, cookies and forms is
// not ours, and is sent to the client with a code.
func TestBrowser(t *testing.T) {
	t.Parallel()
	b := testbrowser.New(t)
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

	b.Open(h.request(id, "redirect_uri", client.URL+"/cb"))
	b.Do(
		chromedp.SendKeys("#user", "GardenUser"),
		chromedp.SendKeys("#password", "GardenUser"),
		chromedp.Click("form button"),
		chromedp.Click(`button[value=allow]`),
		chromedp.WaitVisible("[id=done]"),
	)
	q := <-came
	assert.Equal(t, "s-1", q.Get("state"))
	assert.Equal(t, h.url, q.Get("iss"))
	status, out := h.exchange(t, id, q.Get("code"), "redirect_uri", client.URL+"/cb")
	require.Equal(t, http.StatusOK, status, "%v", out)
	assert.True(t, h.opens(t, out["access_token"].(string)))
}
