package sandbox

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/erptest/twin"
	"github.com/erphub/erphub/internal/testkit/testbrowser"
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
	assert.Contains(t, res.Header.Get("Content-Security-Policy"), "default-src 'none'; script-src 'sha256-")
	for _, want := range []string{s.url, "<td>GardenAdmin</td>", "<td>SuperUser</td>", "<td>GardenUser</td>", "ERP_URL=" + s.url, "erphub query &#39;SELECT"} {
		assert.Contains(t, page, want)
	}
	assert.NotContains(t, page, "{{")
	for _, link := range strings.Split(page, `href="`)[1:] {
		path, _, _ := strings.Cut(link, `"`)
		if path == "data:," {
			continue // the icon: none
		}
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
	w := httptest.NewRecorder()
	startPage("http://127.0.0.1:8080", info).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	page := w.Body.String()
	assert.NotContains(t, page, "<script>h")
	assert.NotContains(t, page, "<b>")
	assert.NotContains(t, page, "GardenAdmin")
	assert.Contains(t, page, "ERP_USERNAME=&#39;&lt;b&gt;&#39;")
}

// In a browser the page shows tables, rows and SQL under the role of whoever is chosen,
// and what the data say is text.
func TestStartPageInBrowser(t *testing.T) {
	t.Parallel()
	s := serveInTest(t, true)
	const hostile = "<img src=x onerror='globalThis.hacked=1'>"
	client, err := erp.New(s.url, erp.WithTokenSource(s.erp.TokenSource(erptest.GardenAdmin)))
	require.NoError(t, err)
	t.Cleanup(client.CloseIdleConnections)
	_, err = client.Create(t.Context(), "C_BPartner", map[string]any{"Value": "A<b>", "Name": hostile, "C_BP_Group_ID": 103})
	require.NoError(t, err)
	b := testbrowser.New(t, "Failed to load resource") // a statement is refused
	b.Open(s.url + "/")
	b.Shows(`[data-table="c_order"]`, "37")
	b.Shows("#grid", "Tree Farm")
	b.Shows("#grid", hostile)
	b.Script(`document.querySelector('[data-table="c_order"]').click()`)
	b.Shows("#table", "c_order")
	b.Shows("#page", "1 to 37 of 37")
	b.Script("document.querySelector('#run').click()")
	b.Shows("#result", "Joe Block")
	b.Shows("#answer", "read: C_BPartner, C_Order")
	b.Shows("#others", "GardenUser (role 103)")
	sql := func(statement string) {
		b.Script(`document.querySelector('#sql').value = %q; document.querySelector('#run').click()`, statement)
	}
	sql("SELECT count(*) FROM c_order")
	b.Shows("#others", "GardenUser (role 103): 29")
	sql("SELECT name, password FROM ad_user ORDER BY 1")
	b.Shows("#answer", "masked: password")
	sql("SELECT name FROM c_bpartner WHERE value = 'A<b>'")
	b.Shows("#result", hostile)
	sql("DELETE FROM c_order")
	b.Shows("#answer", "Refused: ")
	b.Until("document.querySelector('#result').childElementCount === 0")

	b.Script("document.querySelector('#user').selectedIndex = 2; document.querySelector('#user').dispatchEvent(new Event('change'))")
	b.Shows(`[data-table="c_order"]`, "29")
	b.Shows("#page", "of 29") // the table stays
	b.Script("const search = document.querySelector('#search'); search.value = 'ad_role'; search.dispatchEvent(new Event('input'))")
	b.Until("document.querySelectorAll('#tables li').length < 20")
	assert.Equal(t, "undefined", testbrowser.Eval[string](b, "typeof globalThis.hacked"))
	assert.Equal(t, 0, testbrowser.Eval[int](b, "document.querySelectorAll('main img').length"))
	b.Shot("light")
	b.Scheme("dark")
	b.Viewport(390, 844)
	b.Until("document.documentElement.scrollWidth <= 390")
	b.Shot("phone")
}

// A role that has no login in the page is asked for its password.
func TestStartPageOfTwinAsksForPassword(t *testing.T) {
	t.Parallel()
	s := serveInTest(t, true)
	info := &twin.Info{}
	info.Report.Logins = append(info.Report.Logins, twin.Login{User: "GardenAdmin", Client: 11, Role: 102})
	s.page = startPage(s.url, info)
	b := testbrowser.New(t, "Failed to load resource") // a wrong password is tried
	b.Open(s.url + "/")
	b.Until("!document.querySelector('#password').closest('label').hidden")
	password := func(text string) {
		b.Script("const p = document.querySelector('#password'); p.value = %q; p.dispatchEvent(new Event('change'))", text)
	}
	password("wrong")
	b.Until("!document.querySelector('#problem').hidden")
	password("GardenAdmin")
	b.Shows("#grid", "Tree Farm")
	b.Until("document.querySelector('#problem').hidden")
}
