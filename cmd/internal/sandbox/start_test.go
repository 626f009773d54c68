package sandbox

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/twin"
)

// A browser that is sent to the sandbox is told what it is and how to talk to it. What
// else is asked of the address is the ERP's to answer.
func TestStartPage(t *testing.T) {
	t.Parallel()
	s := serveInTest(t, true)
	ask := func(method, path string) (*http.Response, string) {
		req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, nil)
		require.NoError(t, err)
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		text, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		return res, string(text)
	}
	res, page := ask(http.MethodGet, "/")
	assert.Equal(t, http.StatusOK, res.StatusCode)
	assert.Equal(t, "text/html; charset=utf-8", res.Header.Get("Content-Type"))
	assert.Contains(t, res.Header.Get("Content-Security-Policy"), "default-src 'none'; style-src 'sha256-")
	for _, want := range []string{s.url, "<td>GardenAdmin</td>", "<td>SuperUser</td>", "ERP_URL=" + s.url, "erphub query &#39;SELECT"} {
		assert.Contains(t, page, want)
	}
	assert.NotContains(t, page, "{{")
	for _, link := range strings.Split(page, `href="`)[1:] {
		path, _, _ := strings.Cut(link, `"`)
		res, _ := ask(http.MethodGet, path)
		assert.Equal(t, http.StatusOK, res.StatusCode, path)
	}
	res, _ = ask(http.MethodPost, "/")
	assert.NotEqual(t, http.StatusOK, res.StatusCode)
	res, _ = ask(http.MethodGet, "/no-such-page")
	assert.Equal(t, http.StatusNotFound, res.StatusCode)
}

// A twin's page has no passwords, and shows what its ERP calls itself as text.
func TestStartPageOfTwin(t *testing.T) {
	t.Parallel()
	info := &twin.Info{Origin: "<script>https://erp.example.com"}
	info.Report.Logins = append(info.Report.Logins, twin.Login{User: "<b>", Client: 11, Role: 102})
	page := startPage("http://127.0.0.1:8080", info)
	assert.NotContains(t, page, "<script>")
	assert.NotContains(t, page, "<b>")
	assert.NotContains(t, page, "GardenAdmin")
	assert.Contains(t, page, "ERP_USERNAME=&#39;&lt;b&gt;&#39;")
}
