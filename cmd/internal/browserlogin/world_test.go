package browserlogin_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"github.com/stretchr/testify/require"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/erphub/erphub/cmd/internal/browserlogin"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/internal/testkit/syncbuffer"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/server"
	"github.com/erphub/erphub/tokens"
)

const (
	callback = "http://127.0.0.1:33418/callback"
	verifier = "a-code-verifier-of-at-least-43-characters-0123456789"
)

// hub is a tool server with a login, in front of an embedded ERP.
type hub struct {
	erp *erptest.Server
	url string
	log *syncbuffer.Buffer

	mu  sync.Mutex // guards now
	now time.Time
}

type whoOut struct {
	User int  `json:"user"`
	Role int  `json:"role"`
	ERP  bool `json:"erp"` // the token that calls are made with is one of the ERP
}

// start serves tools for the users of an ERP.
func start(t testing.TB, erp *erptest.Server, change func(*browserlogin.Options)) *hub {
	t.Helper()
	h := &hub{erp: erp, log: &syncbuffer.Buffer{}, now: time.Now()}
	logger := slog.New(slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	v, err := tokens.NewIntrospectionVerifier(erp.URL(), tokens.RememberFor(0))
	require.NoError(t, err)
	o := browserlogin.Options{ERP: erp.URL(), Verifier: v, Store: browserlogin.NewMemory(), Logger: logger, Clock: func() time.Time {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.now
	}}
	if change != nil {
		change(&o)
	}
	login, err := browserlogin.New(o)
	require.NoError(t, err)
	who := mcp.New(mcp.Tool{Name: "whoami", Description: "Says who calls.", Hints: mcp.Hints{ReadOnly: true}},
		func(_ context.Context, c *mcp.Call, _ struct{}) (whoOut, error) {
			claims, err := tokens.UnverifiedClaims(c.Caller.Token.Reveal())
			return whoOut{c.Caller.UserID, c.Caller.RoleID, err == nil && claims.Complete}, nil
		})
	limits, err := mcp.NewBoundary(&mcp.BoundaryOptions{Logger: logger})
	require.NoError(t, err)
	srv, err := server.New(server.Options{Catalog: mcp.Catalog{Tools: mcp.Set{who}}, Boundary: limits, Verifier: v, Login: login, Logger: logger, URL: o.PublicURL})
	require.NoError(t, err)
	ln, err := httpserver.Listen(t.Context(), "127.0.0.1:0")
	require.NoError(t, err)
	h.url = httpserver.URL(ln.Addr())
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ctx, ln) }()
	t.Cleanup(func() { cancel(); require.NoError(t, <-served) })
	return h
}

func (h *hub) pass(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

// person uses a browser that runs no scripts.
type person struct {
	t        testing.TB
	user     string
	answer   string            // of the last page
	choices  map[string]string // what to choose of each part: its number
	asked    []string          // the parts that were asked for
	client   *http.Client
	last     string // page
	lastCode int
	headers  http.Header
}

func newPerson(t testing.TB, user string) *person {
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &person{t: t, user: user, answer: "allow", choices: map[string]string{}, client: &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// do makes a request of the browser and returns where it leads, nil for a page.
func (p *person) do(method, address string, form url.Values, headers ...string) *url.URL {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, address, strings.NewReader(form.Encode()))
	require.NoError(p.t, err)
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := p.client.Do(req)
	require.NoError(p.t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(p.t, err)
	p.last, p.lastCode, p.headers = string(body), res.StatusCode, res.Header
	if res.StatusCode != http.StatusSeeOther {
		return nil
	}
	to, err := url.Parse(res.Header.Get("Location"))
	require.NoError(p.t, err)
	return to
}

var (
	hidden  = regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]*)">`)
	action  = regexp.MustCompile(`<form method="post" action="([^"]*)">`)
	options = regexp.MustCompile(`<option value="(\d+)">([^<]*)`)
)

// form is the form of the page, as it is shown.
func (p *person) form() (address string, form url.Values) {
	p.t.Helper()
	found := action.FindStringSubmatch(p.last)
	require.NotNil(p.t, found, "%d: %s", p.lastCode, p.last)
	form = url.Values{}
	for _, m := range hidden.FindAllStringSubmatch(p.last, -1) {
		form.Set(m[1], html.UnescapeString(m[2]))
	}
	return found[1], form
}

// fill fills in the form of the page and sends it.
func (p *person) fill(base string) *url.URL {
	p.t.Helper()
	to, form := p.form()
	switch {
	case strings.Contains(p.last, `name="password"`):
		form.Set("user", p.user)
		form.Set("password", p.user)
	case form.Has("part"):
		part := form.Get("part")
		p.asked = append(p.asked, part)
		choice, ok := p.choices[part]
		if !ok {
			choice = options.FindStringSubmatch(p.last)[1]
		}
		form.Set("id", choice)
	default:
		form.Set("answer", p.answer)
	}
	return p.do(http.MethodPost, base+to, form)
}

// login follows an address to the end, and returns where the browser is sent.
func (p *person) login(address string) *url.URL {
	p.t.Helper()
	u, err := url.Parse(address)
	require.NoError(p.t, err)
	to := p.do(http.MethodGet, address, nil)
	for range 6 {
		if to != nil {
			return to
		}
		to = p.fill(u.Scheme + "://" + u.Host)
	}
	p.t.Fatalf("the login does not end: %s", p.last)
	return nil
}

// post sends a form as a client does.
func post(t testing.TB, address string, form url.Values) (int, map[string]any) {
	t.Helper()
	res, err := http.PostForm(address, form)
	require.NoError(t, err)
	defer res.Body.Close()
	out := map[string]any{}
	if body, err := io.ReadAll(res.Body); err == nil && len(body) > 0 {
		require.NoError(t, json.Unmarshal(body, &out), "%s", body)
	}
	return res.StatusCode, out
}

// register registers a client and returns its identifier.
func (h *hub) register(t testing.TB, name string, redirects ...string) (status int, id string) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"client_name": name, "redirect_uris": redirects})
	require.NoError(t, err)
	res, err := http.Post(h.url+"/oauth/register", "application/json", strings.NewReader(string(body)))
	require.NoError(t, err)
	defer res.Body.Close()
	var out struct {
		ID string `json:"client_id"`
	}
	require.NoError(t, json.NewDecoder(res.Body).Decode(&out))
	return res.StatusCode, out.ID
}

// request is the address that a client sends its user to.
func (h *hub) request(client string, change ...string) string {
	sum := sha256.Sum256([]byte(verifier))
	q := url.Values{
		"response_type": {"code"}, "client_id": {client}, "redirect_uri": {callback}, "state": {"s-1"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"}, "resource": {h.url + "/mcp"},
	}
	for i := 0; i < len(change); i += 2 {
		if change[i+1] == "" {
			q.Del(change[i])
		} else {
			q.Set(change[i], change[i+1])
		}
	}
	return h.url + "/oauth/authorize?" + q.Encode()
}

// exchange turns a code into tokens.
func (h *hub) exchange(t testing.TB, client, code string, change ...string) (int, map[string]any) {
	t.Helper()
	form := url.Values{"grant_type": {"authorization_code"}, "client_id": {client}, "code": {code}, "redirect_uri": {callback}, "code_verifier": {verifier}, "resource": {h.url + "/mcp"}}
	for i := 0; i < len(change); i += 2 {
		form.Set(change[i], change[i+1])
	}
	return post(t, h.url+"/oauth/token", form)
}

func (h *hub) refresh(t testing.TB, client, token string) (int, map[string]any) {
	t.Helper()
	return post(t, h.url+"/oauth/token", url.Values{"grant_type": {"refresh_token"}, "client_id": {client}, "refresh_token": {token}})
}

// granted is a grant from the client's side.
type granted struct{ client, code, access, refresh string }

func (h *hub) grant(t testing.TB, p *person) granted {
	t.Helper()
	_, id := h.register(t, "Assistant", callback)
	code := p.login(h.request(id)).Query().Get("code")
	status, out := h.exchange(t, id, code)
	require.Equal(t, http.StatusOK, status, "%v", out)
	return granted{id, code, out["access_token"].(string), out["refresh_token"].(string)}
}

// opens reports whether a token lets its bearer in.
func (h *hub) opens(t testing.TB, token string) bool {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	require.NotEqual(t, http.StatusServiceUnavailable, res.StatusCode, h.log)
	return res.StatusCode != http.StatusUnauthorized
}

// connect connects the Go SDK's client, which knows the address alone.
func (h *hub) connect(t testing.TB, p *person) *sdk.ClientSession {
	t.Helper()
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "Go SDK", RedirectURIs: []string{callback}, GrantTypes: []string{"authorization_code", "refresh_token"},
		}},
		RequestRefreshToken: true,
		AuthorizationCodeFetcher: func(_ context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			q := p.login(args.URL).Query()
			if q.Get("error") != "" {
				return nil, fmt.Errorf("%s: %s", q.Get("error"), q.Get("error_description"))
			}
			return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
		},
	})
	require.NoError(t, err)
	cs, err := sdk.NewClient(&sdk.Implementation{Name: "go-sdk", Version: "1"}, nil).
		Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: h.url + "/mcp", OAuthHandler: handler}, nil)
	require.NoError(t, err, "%s", h.log)
	t.Cleanup(func() { _ = cs.Close() })
	return cs
}
