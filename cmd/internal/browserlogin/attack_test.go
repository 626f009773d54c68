package browserlogin_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/browserlogin"
	"github.com/erphub/erphub/erp/erptest"
)

// What a client requests wrongly is refused before anybody logs in: on a page while it
// is not certain who would get the response, else to the client. Since anybody may
// register any machine, a browser is sent to another one by a link alone.
func TestWrongRequests(t *testing.T) {
	t.Parallel()
	h := start(t, erptest.New(t), nil)
	_, id := h.register(t, "Assistant", callback, "https://assistant.example/cb")
	for name, tt := range map[string]struct {
		change []string
		code   string // of the error the client gets; empty: a page
		link   string // on the page
	}{
		"another host":               {change: []string{"redirect_uri", "https://evil.example/cb"}},
		"another path":               {change: []string{"redirect_uri", "https://assistant.example/cb/../evil"}},
		"a prefix":                   {change: []string{"redirect_uri", "https://assistant.example/cb?more"}},
		"a user part":                {change: []string{"redirect_uri", "https://assistant.example@evil.example/cb"}},
		"no redirect":                {change: []string{"redirect_uri", ""}},
		"a script":                   {change: []string{"redirect_uri", "javascript:alert(1)//"}},
		"an unknown client":          {change: []string{"client_id", "somebody"}},
		"a made up client":           {change: []string{"client_id", "erphub-client_eyJyIjpbImh0dHA6Ly9ldmlsLmV4YW1wbGUvIl19", "redirect_uri", "http://evil.example/"}},
		"a document in this network": {change: []string{"client_id", "https://127.0.0.1/client.json"}},
		"no PKCE":                    {change: []string{"code_challenge", ""}, code: "invalid_request"},
		"plain PKCE":                 {change: []string{"code_challenge_method", "plain"}, code: "invalid_request"},
		"no method of PKCE":          {change: []string{"code_challenge_method", ""}, code: "invalid_request"},
		"a token at once":            {change: []string{"response_type", "token"}, code: "unsupported_response_type"},
		"another resource":           {change: []string{"resource", "https://other.example/mcp"}, code: "invalid_target"},
		"for another machine":        {change: []string{"redirect_uri", "https://assistant.example/cb", "response_type", "token"}, link: "https://assistant.example/cb?error=unsupported_response_type"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t, "GardenUser")
			to := p.do(http.MethodGet, h.request(id, tt.change...), nil)
			if tt.code == "" {
				assert.Contains(t, p.last, tt.link)
				assert.Nil(t, to)
				assert.Equal(t, http.StatusBadRequest, p.lastCode)
				assert.NotContains(t, p.last, "<form")
				return
			}
			require.NotNil(t, to, p.last)
			assert.Equal(t, tt.code, to.Query().Get("error"))
			assert.Equal(t, "s-1", to.Query().Get("state"))
			assert.Equal(t, h.url, to.Query().Get("iss"), "whom the response is from")
		})
	}
}

// Nobody registers an address to which a browser must not bring a code.
func TestRegistration(t *testing.T) {
	t.Parallel()
	h := start(t, erptest.New(t), nil)
	for name, tt := range map[string]struct {
		redirects []string
		good      bool
	}{
		"https":                       {[]string{"https://assistant.example/cb"}, true},
		"this computer":               {[]string{callback, "http://localhost/cb", "http://[::1]:80/cb"}, true},
		"a program's own":             {[]string{"com.example.app:/cb", "cursor://anysphere.cursor-mcp/oauth/callback"}, true},
		"none":                        {nil, false},
		"http":                        {[]string{"http://assistant.example/cb"}, false},
		"javascript":                  {[]string{"javascript:alert(1)"}, false},
		"data":                        {[]string{"data:text/html,x"}, false},
		"a file":                      {[]string{"file:///etc/passwd"}, false},
		"a fragment":                  {[]string{"https://assistant.example/cb#x"}, false},
		"a good one and a bad one":    {[]string{"https://assistant.example/cb", "ftp://x/y"}, false},
		"a host that is a policy":     {[]string{"https://a.example;script-src/cb"}, false},
		"a header":                    {[]string{"https://assistant.example/cb\r\nSet-Cookie: a=b"}, false},
		"very long":                   {[]string{"https://assistant.example/" + strings.Repeat("a", 600)}, false},
		"eleven":                      {strings.Split(strings.Repeat("https://a.example/ ", 10)+"https://a.example/", " "), false},
		"a host that begins so":       {[]string{"http://localhost.evil.example/cb"}, false},
		"a number that begins so":     {[]string{"http://127.0.0.1.evil.example/cb"}, false},
		"as much as a request can be": {[]string{strings.Repeat("x", 20<<10)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, id := h.register(t, "Assistant", tt.redirects...)
			assert.Equal(t, tt.good, status == http.StatusCreated, status)
			assert.Equal(t, tt.good, id != "")
		})
	}
}

// counting counts what is stored.
type counting struct {
	browserlogin.Store
	puts atomic.Int64
	dump func(key string, value []byte)
}

func (c *counting) Put(ctx context.Context, key string, value []byte, life time.Duration) error {
	c.puts.Add(1)
	if c.dump != nil {
		c.dump(key, value)
	}
	return c.Store.Put(ctx, key, value, life)
}

func (c *counting) Replace(ctx context.Context, key string, old, value []byte, life time.Duration) (bool, error) {
	if c.dump != nil {
		c.dump(key, value)
	}
	return c.Store.Replace(ctx, key, old, value, life)
}

// A flood of registrations and of logins that nobody finishes takes no room.
func TestFlood(t *testing.T) {
	t.Parallel()
	store := &counting{Store: browserlogin.NewMemory()}
	h := start(t, erptest.New(t), func(o *browserlogin.Options) { o.Store = store })
	p := newPerson(t, "GardenUser")
	for range 200 {
		_, id := h.register(t, "Assistant", callback)
		p.do(http.MethodGet, h.request(id), nil)
		require.Equal(t, http.StatusOK, p.lastCode)
	}
	assert.Zero(t, store.puts.Load())
}

// A name is shown as text, short and on one line, beside where the client is sent.
func TestNameOfClient(t *testing.T) {
	t.Parallel()
	h := start(t, erptest.New(t), nil)
	_, id := h.register(t, "<b>Bank</b>\u202egnp\r\n<script>alert(1)</script>"+strings.Repeat("x", 200), "https://evil.example/cb")
	p := newPerson(t, "GardenUser")
	p.do(http.MethodGet, h.request(id, "redirect_uri", "https://evil.example/cb"), nil)
	assert.Contains(t, p.last, "&lt;b&gt;Bank&lt;/b&gt;")
	assert.Contains(t, p.last, "evil.example")
	for _, bad := range []string{"<b>", "<script", "\u202e", strings.Repeat("x", 61)} {
		assert.NotContains(t, p.last, bad)
	}
	policy := p.headers.Get("Content-Security-Policy")
	assert.Contains(t, policy, "default-src 'none'")
	assert.Contains(t, policy, "frame-ancestors 'none'")
	assert.Equal(t, "DENY", p.headers.Get("X-Frame-Options"))
	assert.Equal(t, "no-store", p.headers.Get("Cache-Control"))
}

// A code is good once, for a minute, for the client that requested it. Whatever else
// comes ends the grant, the tokens it gave included.
func TestStolenCodes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change []string
		after  time.Duration
	}{
		"another client":         {change: []string{"client_id", "another"}},
		"another redirect":       {change: []string{"redirect_uri", "http://127.0.0.1:1/other"}},
		"another verifier":       {change: []string{"code_verifier", strings.Repeat("b", 50)}},
		"no verifier":            {change: []string{"code_verifier", ""}},
		"a minute and a second":  {after: 61 * time.Second},
		"a code that was longer": {change: []string{"code", "erphub-code_" + strings.Repeat("A", 65)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := start(t, erptest.New(t), nil)
			_, id := h.register(t, "Assistant", callback)
			code := newPerson(t, "GardenUser").login(h.request(id)).Query().Get("code")
			h.pass(tt.after)
			status, out := h.exchange(t, id, code, tt.change...)
			assert.Equal(t, http.StatusBadRequest, status)
			assert.Equal(t, "invalid_grant", out["error"])
			if name != "a code that was longer" {
				status, _ = h.exchange(t, id, code)
				assert.Equal(t, http.StatusBadRequest, status, "it is spent")
			}
		})
	}
	t.Run("twice", func(t *testing.T) {
		t.Parallel()
		h := start(t, erptest.New(t), nil)
		g := h.grant(t, newPerson(t, "GardenUser"))
		require.True(t, h.opens(t, g.access))
		status, out := h.exchange(t, g.client, g.code)
		assert.Equal(t, http.StatusBadRequest, status)
		assert.Equal(t, "invalid_grant", out["error"])
		assert.False(t, h.opens(t, g.access), "the grant has ended")
	})
	t.Run("for another server", func(t *testing.T) {
		t.Parallel()
		h := start(t, erptest.New(t), nil)
		_, id := h.register(t, "Assistant", callback)
		code := newPerson(t, "GardenUser").login(h.request(id)).Query().Get("code")
		status, out := h.exchange(t, id, code, "resource", "https://other.example/mcp")
		assert.Equal(t, http.StatusBadRequest, status)
		assert.Equal(t, "invalid_target", out["error"])
	})
}

// A refresh token that comes twice ends the grant of whoever has the newer one.
func TestStolenRefreshTokens(t *testing.T) {
	t.Parallel()
	h := start(t, erptest.New(t), nil)
	g := h.grant(t, newPerson(t, "GardenUser"))
	status, out := h.refresh(t, "another", g.refresh)
	assert.Equal(t, http.StatusBadRequest, status, "%v", out)
	status, out = h.refresh(t, g.client, g.refresh)
	require.Equal(t, http.StatusOK, status, "%v", out)
	newer := out["refresh_token"].(string)
	status, out = h.refresh(t, g.client, g.refresh)
	assert.Equal(t, http.StatusBadRequest, status)
	assert.Equal(t, "invalid_grant", out["error"])
	assert.False(t, h.opens(t, g.access))
	status, _ = h.refresh(t, g.client, newer)
	assert.Equal(t, http.StatusBadRequest, status)
	assert.False(t, h.opens(t, newer), "a refresh token opens nothing by itself")
}

// Forms count only from the page that this server showed to this browser.
func TestForgedForms(t *testing.T) {
	t.Parallel()
	h := start(t, erptest.New(t), nil)
	_, id := h.register(t, "Assistant", callback)
	shown := func(t *testing.T) (p *person, to string, form url.Values) {
		p = newPerson(t, "GardenUser")
		p.do(http.MethodGet, h.request(id), nil)
		to, form = p.form()
		form.Set("user", "GardenUser")
		form.Set("password", "GardenUser")
		return p, h.url + to, form
	}
	for name, attack := range map[string]func(t *testing.T) *person{
		"from another page": func(t *testing.T) *person {
			p, to, form := shown(t)
			p.do(http.MethodPost, to, form, "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example")
			return p
		},
		"with the form of another browser": func(t *testing.T) *person {
			_, to, form := shown(t)
			other, _, _ := shown(t)
			other.do(http.MethodPost, to, form)
			return other
		},
		"without the form": func(t *testing.T) *person {
			p, to, form := shown(t)
			form.Del("form")
			p.do(http.MethodPost, to, form)
			return p
		},
		"without a cookie": func(t *testing.T) *person {
			_, to, form := shown(t)
			p := newPerson(t, "GardenUser")
			p.do(http.MethodPost, to, form)
			return p
		},
		"consent without a login": func(t *testing.T) *person {
			p, _, form := shown(t)
			form.Set("answer", "allow")
			p.do(http.MethodPost, h.url+"/oauth/consent", form)
			return p
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := attack(t)
			assert.Equal(t, http.StatusForbidden, p.lastCode)
			assert.NotContains(t, p.last, "Let this program act")
		})
	}
}

// A cookie that somebody planted is worth nothing after the login, and consent is
// given once.
func TestSessionFixation(t *testing.T) {
	t.Parallel()
	h := start(t, erptest.New(t), nil)
	_, id := h.register(t, "Assistant", callback)
	p := newPerson(t, "GardenUser")
	p.do(http.MethodGet, h.request(id), nil)
	at, err := url.Parse(h.url)
	require.NoError(t, err)
	planted := p.client.Jar.Cookies(at)
	require.Len(t, planted, 1)
	_, before := p.form()
	for strings.Contains(p.last, `name="password"`) || strings.Contains(p.last, `name="part"`) {
		require.Nil(t, p.fill(h.url))
	}
	require.Contains(t, p.last, "Let this program act")
	assert.NotEqual(t, planted[0].Value, p.client.Jar.Cookies(at)[0].Value)
	assert.Contains(t, p.headers.Get("Content-Security-Policy"), "form-action 'self' http://127.0.0.1:33418")

	thief := newPerson(t, "GardenUser")
	thief.client.Jar.SetCookies(at, planted)
	before.Set("answer", "allow")
	assert.Nil(t, thief.do(http.MethodPost, h.url+"/oauth/consent", before))
	assert.Equal(t, http.StatusForbidden, thief.lastCode)

	to, form := p.form()
	form.Set("answer", "allow")
	assert.NotNil(t, p.do(http.MethodPost, h.url+to, form))
	assert.Nil(t, p.do(http.MethodPost, h.url+to, form), "a second time")
	assert.Equal(t, http.StatusForbidden, p.lastCode)
}

// Passwords cannot be tried without end, and none is in a log or an address.
func TestGuessing(t *testing.T) {
	t.Parallel()
	h := start(t, erptest.New(t), nil)
	_, id := h.register(t, "Assistant", callback)
	p := newPerson(t, "GardenUser")
	p.do(http.MethodGet, h.request(id), nil)
	for range 11 {
		to, form := p.form()
		form.Set("user", "GardenUser")
		form.Set("password", "Zaunkoenig")
		require.Nil(t, p.do(http.MethodPost, h.url+to, form))
		require.Equal(t, http.StatusUnauthorized, p.lastCode)
	}
	assert.Contains(t, p.last, "too many attempts")
	assert.NotEmpty(t, p.headers.Get("Retry-After"))
	assert.Equal(t, 10, h.erp.Faults().Count(erptest.Match{Method: http.MethodPost, Path: "/auth/tokens"}))
	assert.NotContains(t, h.log.String(), "Zaunkoenig")
	assert.NotContains(t, p.last, "Zaunkoenig")
}

// Whoever says no gives the client nothing, and is not left logged in.
func TestNoConsent(t *testing.T) {
	t.Parallel()
	h := start(t, erptest.New(t), nil)
	_, id := h.register(t, "Assistant", callback)
	p := newPerson(t, "GardenUser")
	p.answer = "deny"
	q := p.login(h.request(id)).Query()
	assert.Equal(t, "access_denied", q.Get("error"))
	assert.Empty(t, q.Get("code"))
	assert.Equal(t, 1, h.erp.Faults().Count(erptest.Match{Method: http.MethodPost, Path: "/auth/logout"}))
}

// A copy of all that was ever stored, and the log, hold no token of the ERP, no token
// of this server and no password.
func TestDumpHoldsNoToken(t *testing.T) {
	t.Parallel()
	var dump strings.Builder
	store := &counting{Store: browserlogin.NewMemory(), dump: func(key string, value []byte) { dump.WriteString(key + " " + string(value) + "\n") }}
	srv := erptest.New(t)
	h := start(t, srv, func(o *browserlogin.Options) { o.Store = store })
	p := newPerson(t, "GardenAdmin")
	g := h.grant(t, p)
	_, out := h.refresh(t, g.client, g.refresh)
	require.True(t, h.opens(t, out["access_token"].(string)))
	require.NotZero(t, store.puts.Load())
	at, err := url.Parse(h.url)
	require.NoError(t, err)
	token, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, 0)
	require.NoError(t, err)
	const tokens = `eyJ[\w-]+\.eyJ` // three of its letters come by chance, too
	require.Regexp(t, tokens, token)
	assert.NotRegexp(t, tokens, dump.String(), "a token of the ERP")
	assert.NotRegexp(t, tokens, h.log.String(), "a token of the ERP")
	for what, secret := range map[string]string{
		"a code": g.code[40:], "an access token": g.access[40:], "a refresh token": g.refresh[40:], "a password": `"password`,
		"a cookie": p.client.Jar.Cookies(at)[0].Value,
	} {
		assert.NotContains(t, dump.String(), secret, what)
		assert.NotContains(t, h.log.String(), secret, what)
	}
}

// Where the ERP ends the login, the next request is refused and the client is told to
// log in again.
func TestLoginEndedAtERP(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	h := start(t, srv, nil)
	g := h.grant(t, newPerson(t, "GardenUser"))
	require.True(t, h.opens(t, g.access))
	require.NoError(t, srv.Write(t.Context(), func(tx *sql.Tx) error { // a new password ends logins
		_, err := tx.Exec(`UPDATE AD_User SET Password='Rotkehlchen' WHERE Name='GardenUser'`)
		return err
	}, "AD_User"))
	assert.False(t, h.opens(t, g.access))
	status, out := h.refresh(t, g.client, g.refresh)
	assert.Equal(t, http.StatusBadRequest, status)
	assert.Equal(t, "invalid_grant", out["error"])
}

// The metadata names this server, and the ERP's own tokens still open it.
func TestMetadata(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	h := start(t, srv, nil)
	get := func(path string) (out map[string]any) {
		res, err := http.Get(h.url + path)
		require.NoError(t, err)
		defer res.Body.Close()
		require.NoError(t, json.NewDecoder(res.Body).Decode(&out))
		return out
	}
	assert.Equal(t, []any{h.url}, get("/.well-known/oauth-protected-resource/mcp")["authorization_servers"])
	about := get("/.well-known/oauth-authorization-server")
	assert.Equal(t, h.url, about["issuer"])
	assert.Equal(t, []any{"S256"}, about["code_challenge_methods_supported"])
	assert.Equal(t, about, get("/.well-known/oauth-authorization-server/mcp"))
	res, err := http.Post(h.url+"/mcp", "application/json", strings.NewReader("{}"))
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	assert.Contains(t, res.Header.Get("WWW-Authenticate"), h.url+"/.well-known/oauth-protected-resource/mcp")
	token, err := srv.APIToken(t.Context(), "GardenUser", 11, 103, 11, time.Hour)
	require.NoError(t, err)
	assert.True(t, h.opens(t, token))
	assert.False(t, h.opens(t, "erphub-access_"+strings.Repeat("A", 65)))
}

// The document of a client is read from its address, through the rule for addresses.
func TestClientDocument(t *testing.T) {
	t.Parallel()
	var reads atomic.Int64
	documents := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reads.Add(1)
		id := "https://" + r.Host + r.URL.Path
		switch r.URL.Path {
		case "/other.json":
			id = "https://elsewhere.example/client.json"
		case "/moved.json":
			http.Redirect(w, r, "/client.json", http.StatusFound)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"client_id": id, "client_name": "Documented", "redirect_uris": []string{callback}})
	}))
	t.Cleanup(documents.Close)
	h := start(t, erptest.New(t), func(o *browserlogin.Options) {
		o.Documents = documents.Client()
		o.Documents.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	})
	p := newPerson(t, "GardenUser")
	id := documents.URL + "/client.json"
	code := p.login(h.request(id)).Query().Get("code")
	status, out := h.exchange(t, id, code)
	require.Equal(t, http.StatusOK, status, "%v", out)
	assert.EqualValues(t, 1, reads.Load(), "it is read once")
	for _, wrong := range []string{"/other.json", "/moved.json", "/", "/a/../client.json"} {
		p.do(http.MethodGet, h.request(documents.URL+wrong), nil)
		assert.Equal(t, http.StatusBadRequest, p.lastCode, wrong)
	}
}

// No login is served where a password would travel in the clear.
func TestInTheClear(t *testing.T) {
	t.Parallel()
	for address, good := range map[string]bool{
		"": true, "https://tools.example.com": true, "http://127.0.0.1:8765": true, "http://localhost": true,
		"http://tools.example.com": false, "http://localhost.example.com": false, "tools.example.com": false,
	} {
		assert.Equal(t, good, browserlogin.CheckURL(address) == nil, address)
	}
}
