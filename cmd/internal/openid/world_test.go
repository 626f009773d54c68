package openid_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/erphub/erphub/cmd/internal/openid"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/internal/testkit/syncbuffer"
	"github.com/erphub/erphub/internal/testkit/testclock"
	"github.com/erphub/erphub/internal/testkit/testopenid"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/mcp/server"
	"github.com/erphub/erphub/tokens"
)

// world is an embedded ERP that takes tokens of a provider, and a tool server in front.
type world struct {
	erp      *erptest.Server
	provider *testopenid.Provider
	clock    *testclock.Clock
	log      *syncbuffer.Buffer
	rest     *backend.RESTBackend
	url      string // of the tool server
}

// whoOut is what the tool whoami says: whom the server takes the caller for, and what the
// ERP shows them.
type whoOut struct {
	Tenant  int      `json:"tenant"`
	User    int      `json:"user"`
	Role    int      `json:"role"`
	Org     int      `json:"org"`
	ERP     []string `json:"erp"`     // the organizations that the ERP shows
	Admin   bool     `json:"admin"`   // the ERP shows its configuration, which is for administrators
	Product string   `json:"product"` // a name, in the language of the caller
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{provider: testopenid.New(t), clock: testclock.New(time.Now()), log: &syncbuffer.Buffer{}}
	w.erp = erptest.New(t, erptest.Options{
		Clock: w.clock.Now, OpenIDProviders: []erptest.OpenIDProvider{{Issuer: w.provider.URL, Audience: testopenid.Audience, Tenant: 11}},
	})
	var err error
	w.rest, err = backend.NewREST(w.erp.URL(), nil)
	require.NoError(t, err)
	t.Cleanup(w.rest.Close)
	w.url = w.serve(t, w.provider.URL)
	return w
}

// serve starts a tool server: the first, or a replica. Without issuers it takes no tokens
// of a provider.
func (w *world) serve(t testing.TB, issuers ...string) string {
	t.Helper()
	logger := slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	who := mcp.New(mcp.Tool{Name: "whoami", Description: "Says who calls.", Hints: mcp.Hints{ReadOnly: true}},
		func(ctx context.Context, c *mcp.Call, _ struct{}) (whoOut, error) {
			out := whoOut{Tenant: c.Caller.ClientID, User: c.Caller.UserID, Role: c.Caller.RoleID, Org: c.Caller.OrgID}
			page, err := w.rest.Search(ctx, c.Caller, backend.Search{Table: "AD_Org", Select: []string{"Value"}, Limit: 50})
			if err != nil {
				return out, err
			}
			for _, r := range page.Records {
				key, _ := r.Text("Value")
				out.ERP = append(out.ERP, key)
			}
			tree, err := w.rest.Record(ctx, c.Caller, "M_Product", "122")
			if err != nil {
				return out, err
			}
			out.Product, _ = tree.Text("Name")
			_, err = w.rest.Search(ctx, c.Caller, backend.Search{Table: "AD_SysConfig", Limit: 1})
			out.Admin = err == nil
			return out, nil
		})
	limits, err := mcp.NewBoundary(&mcp.BoundaryOptions{Logger: logger})
	require.NoError(t, err)
	verifier, err := tokens.NewIntrospectionVerifier(w.erp.URL(), tokens.RememberFor(0))
	require.NoError(t, err)
	o := server.Options{Catalog: mcp.Catalog{Tools: mcp.Set{who}}, Boundary: limits, Verifier: verifier, AuthorizationServers: issuers, Logger: logger}
	if len(issuers) > 0 {
		o.Provider, err = openid.New(openid.Options{ERP: w.erp.URL(), Issuers: issuers, Clock: w.clock.Now, Logger: logger})
		require.NoError(t, err)
	}
	srv, err := server.New(o)
	require.NoError(t, err)
	ln, err := httpserver.Listen(t.Context(), "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ctx, ln) }()
	t.Cleanup(func() { cancel(); require.NoError(t, <-served) })
	return httpserver.URL(ln.Addr())
}

func (w *world) token(t testing.TB, user string, change jwt.MapClaims) string {
	t.Helper()
	return w.provider.Token(t, user, w.clock.Now(), change)
}

func (w *world) sql(t testing.TB, statement string) {
	t.Helper()
	require.NoError(t, w.erp.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(t.Context(), statement)
		return err
	}))
}

// asks are headers of a request, in pairs.
type asks []string

var (
	asAdmin = asks{"X-ID-Role", "GardenWorld Admin", "X-ID-Organization", "HQ"}
	asUser  = asks{"X-ID-Role", "GardenWorld User", "X-ID-Organization", "HQ"}
)

func (a asks) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for i := 0; i < len(a); i += 2 {
		r.Header.Add(a[i], a[i+1])
	}
	return http.DefaultTransport.RoundTrip(r)
}

// call connects the Go SDK's client and calls whoami.
func (w *world) call(t testing.TB, token string, headers asks) whoOut {
	t.Helper()
	transport := &sdk.StreamableClientTransport{Endpoint: w.url + "/mcp", HTTPClient: &http.Client{Transport: append(asks{"Authorization", "Bearer " + token}, headers...)}}
	cs, err := sdk.NewClient(&sdk.Implementation{Name: "go-sdk", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	require.NoError(t, err, "%s", w.log)
	defer cs.Close()
	result, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "whoami"})
	require.NoError(t, err)
	data, err := json.Marshal(result.StructuredContent)
	require.NoError(t, err)
	require.False(t, result.IsError, "%s", data)
	var out whoOut
	require.NoError(t, json.Unmarshal(data, &out))
	return out
}

// post sends a message to a tool server, and returns the status and the response.
func (w *world) post(t testing.TB, url, token string, headers asks) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := (&http.Client{Transport: append(asks{"Authorization", "Bearer " + token}, headers...)}).Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NotContains(t, string(body), token)
	require.NotContains(t, w.log.String(), token)
	return res.StatusCode, string(body)
}

// asked is the ERP's word on a token.
func (w *world) asked(t testing.TB, token string, identity erp.Identity) error {
	t.Helper()
	client, err := erp.New(w.erp.URL(), erp.WithTokenSource(erp.StaticToken(token)), erp.WithIdentity(identity), erp.WithRetryPolicy(erp.RetryPolicy{}))
	require.NoError(t, err)
	_, err = client.Query(t.Context(), "AD_Client", nil)
	return err
}
