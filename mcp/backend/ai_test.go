package backend_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/aiclient"
	"github.com/erphub/erphub/aiquery/embedded"
	"github.com/erphub/erphub/aiquery/httpapi"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/tokens"
)

var (
	_ backend.Querier   = (*backend.AIBackend)(nil)
	_ backend.Describer = (*backend.DBBackend)(nil)
)

// queries are the ways to ask for rows on one embedded ERP.
type queries struct {
	srv  *erptest.Server
	db   *backend.DBBackend
	api  *httptest.Server
	seen *spy
}

func openQueries(t *testing.T, engine aiquery.Options) *queries {
	t.Helper()
	srv := erptest.New(t)
	open := func() (aiquery.Database, registry.Source) {
		source, err := dbdict.New(srv.Database(), dbdict.SQLite, nil)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, source.Close()) })
		db, err := embedded.Open(srv)
		require.NoError(t, err)
		return db, source
	}
	db, source := open()
	require.NoError(t, aiquery.Install(t.Context(), db))
	q := &queries{srv: srv, seen: &spy{sent: map[string]int{}}}
	var err error
	q.db, err = backend.NewDB(db, source, &backend.DBOptions{Engine: engine})
	require.NoError(t, err)

	db, source = open()
	catalog, err := registry.LoadCatalog(t.Context(), source)
	require.NoError(t, err)
	served, err := aiquery.New(db, catalog, &engine)
	require.NoError(t, err)
	verifier, err := tokens.NewSecretVerifier([]byte(srv.TokenSecret()))
	require.NoError(t, err)
	handler, err := httpapi.New(served, verifier, nil)
	require.NoError(t, err)
	q.api = httptest.NewServer(handler)
	t.Cleanup(func() {
		q.api.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		assert.NoError(t, served.Close(ctx))
		assert.NoError(t, db.Close())
		assert.NoError(t, q.db.Close(ctx))
	})
	return q
}

func (q *queries) ai(t *testing.T, o backend.AIOptions) *backend.AIBackend {
	t.Helper()
	o.Transport = q.seen
	b, err := backend.NewAI(q.api.URL, &o)
	require.NoError(t, err)
	return b
}

// ownToken is a program's token that is replaced when it is refused.
type ownToken struct{ token, next string }

func (o *ownToken) Token(context.Context) (string, error) { return o.token, nil }
func (o *ownToken) Invalidate(_ context.Context, token string) error {
	if token == o.token {
		o.token = o.next
	}
	return nil
}

func TestQueries(t *testing.T) {
	t.Parallel()
	q := openQueries(t, aiquery.Options{PerUser: 8})
	ai := q.ai(t, backend.AIOptions{})
	ctx := t.Context()
	admin := known(t, q.srv, "GardenAdmin", 11, 101, 102, 11)
	user := known(t, q.srv, "GardenUser", 11, 102, 103, 11)
	ask := backend.Query{SQL: `SELECT documentno, grandtotal, dateordered FROM c_order WHERE grandtotal > $1 ORDER BY c_order_id`, Params: []json.RawMessage{[]byte(`10.5`)}, MaxRows: 5}

	t.Run("the same response both ways", func(t *testing.T) {
		a, err := ai.Query(ctx, admin, ask)
		require.NoError(t, err)
		d, err := q.db.Query(ctx, admin, ask)
		require.NoError(t, err)
		require.NotEmpty(t, a.Rows)
		a.RequestID, d.RequestID, a.ExecutionTimeMs, d.ExecutionTimeMs = "", "", 0, 0
		assert.Equal(t, d, a)

		m, err := ai.Describe(ctx, admin, nil, "c_order")
		require.NoError(t, err)
		n, err := q.db.Describe(ctx, admin, nil, "c_order")
		require.NoError(t, err)
		assert.Equal(t, n, m)
		assert.True(t, m.Queryable)

		x, err := ai.Explain(ctx, admin, ask)
		require.NoError(t, err)
		y, err := q.db.Explain(ctx, admin, ask)
		require.NoError(t, err)
		x.RequestID, y.RequestID = "", ""
		assert.Equal(t, y, x)
	})

	t.Run("each call with the caller's own token", func(t *testing.T) {
		q.seen.take()
		for _, c := range []mcp.Caller{admin, user} {
			_, err := ai.Check(ctx, c)
			require.NoError(t, err)
			assert.Equal(t, map[string]int{"Bearer " + c.Token.Reveal(): 1}, q.seen.take())
		}
		_, err := ai.Query(ctx, mcp.Caller{Known: true, UserID: 101, RoleID: 102}, ask)
		assert.Equal(t, mcp.CodeUnauthorized, mcp.ErrorOf(err).Code)
		assert.Empty(t, q.seen.take(), "nothing is sent without a token")
		bad := admin
		bad.Token = tokens.NewSecret("not.a.token")
		own := &ownToken{token: user.Token.Reveal()}
		_, err = q.ai(t, backend.AIOptions{Own: own}).Query(ctx, bad, ask)
		assert.Equal(t, mcp.CodeUnauthorized, mcp.ErrorOf(err).Code)
		assert.Equal(t, map[string]int{"Bearer not.a.token": 1}, q.seen.take(), "the program's token never stands in for a caller's")
		assert.NotContains(t, err.Error(), "not.a.token")
		assert.Equal(t, user.Token.Reveal(), own.token)
	})

	t.Run("the program's own token for callers without one", func(t *testing.T) {
		q.seen.take()
		role := 103
		b := q.ai(t, backend.AIOptions{Own: &ownToken{token: "old.and.gone", next: user.Token.Reveal()}, Role: &role})
		r, err := b.Query(ctx, mcp.Caller{}, ask)
		require.NoError(t, err)
		assert.Equal(t, map[string]int{"Bearer old.and.gone": 1, "Bearer " + user.Token.Reveal(): 1}, q.seen.take())
		d, err := q.db.Query(ctx, user, ask)
		require.NoError(t, err)
		assert.Equal(t, d.Rows, r.Rows)

		r, err = q.ai(t, backend.AIOptions{Own: &ownToken{token: user.Token.Reveal()}}).Query(ctx, mcp.Caller{}, ask)
		require.NoError(t, err, "the role is that of the token")
		assert.Equal(t, d.Rows, r.Rows)
		_, err = q.ai(t, backend.AIOptions{Own: &ownToken{token: "it.names.none"}}).Query(ctx, mcp.Caller{}, ask)
		assert.Equal(t, "a query needs a role, and none is known for this call", mcp.ErrorOf(err).Message)
		wrong := 0
		_, err = q.ai(t, backend.AIOptions{Own: &ownToken{token: user.Token.Reveal()}, Role: &wrong}).Check(ctx, mcp.Caller{})
		assert.Equal(t, mcp.CodePermissionDenied, mcp.ErrorOf(err).Code)
	})

	t.Run("who is not known reads nothing", func(t *testing.T) {
		for name, c := range map[string]mcp.Caller{"nobody": {}, "a token nobody verified": {Token: admin.Token, UserID: 101, RoleID: 102}} {
			_, err := q.db.Query(ctx, c, ask)
			assert.Equal(t, mcp.CodeUnauthorized, mcp.ErrorOf(err).Code, name)
			_, err = q.db.Registry(ctx, c)
			assert.Equal(t, mcp.CodeUnauthorized, mcp.ErrorOf(err).Code, name)
			_, err = q.db.Describe(ctx, c, nil, "C_Order")
			assert.Equal(t, mcp.CodeUnauthorized, mcp.ErrorOf(err).Code, name)
		}
		system := 0
		for name, b := range map[string]backend.Querier{"ai": ai, "db": q.db} {
			_, err := b.Query(ctx, user, backend.Query{SQL: "SELECT 1", RoleID: &system})
			assert.Equal(t, mcp.CodePermissionDenied, mcp.ErrorOf(err).Code, "%s: a role of somebody else", name)
		}
	})

	t.Run("refusals in the same words", func(t *testing.T) {
		for name, c := range map[string]struct{ sql, code string }{
			"no SQL":        {"SELEC 1", mcp.CodeInvalidArguments},
			"two":           {"SELECT 1; DROP TABLE c_order", mcp.CodeInvalidArguments},
			"write":         {"DELETE FROM c_order", mcp.CodeInvalidArguments},
			"unknown table": {"SELECT * FROM c_ordr", mcp.CodePermissionDenied},
			"a value":       {"SELECT 1/0", mcp.CodeInvalidArguments},
		} {
			_, a := ai.Query(ctx, admin, backend.Query{SQL: c.sql})
			_, d := q.db.Query(ctx, admin, backend.Query{SQL: c.sql})
			assert.Equal(t, c.code, mcp.ErrorOf(a).Code, name)
			assert.Equal(t, mcp.ErrorOf(d).Message, mcp.ErrorOf(a).Message, name)
			assert.Equal(t, mcp.ErrorOf(d).Hint, mcp.ErrorOf(a).Hint, name)
		}
	})

	text, err := q.db.Check(ctx, admin)
	require.NoError(t, err)
	assert.Contains(t, text, "GardenWorld Admin")
	assert.Equal(t, []string{"dictionary", "query"}, backend.Abilities(q.db))
}

// known is a caller as the server makes one of a verified token.
func known(t *testing.T, srv *erptest.Server, name string, client, user, role, org int) mcp.Caller {
	t.Helper()
	token, err := srv.APIToken(t.Context(), name, int64(client), int64(role), int64(org), time.Hour)
	require.NoError(t, err)
	return mcp.Caller{ID: fmt.Sprintf("%d/%d", client, user), Token: tokens.NewSecret(token), ClientID: client, UserID: user, RoleID: role, OrgID: org, Known: true}
}

// What the service says, or does not, decides whether another may try.
func TestAIFailures(t *testing.T) {
	t.Parallel()
	var status int
	var body, kind string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(srv.Close)
	b, err := backend.NewAI(srv.URL, nil)
	require.NoError(t, err)
	admin := mcp.Caller{Known: true, RoleID: 102, Token: tokens.NewSecret("secret.to.keep")}
	for name, c := range map[string]struct {
		status     int
		kind, body string
		code       string
	}{
		"busy":            {429, "application/json", `{"error":{"code":"busy","message":"too much"}}`, mcp.CodeRateLimitExceeded},
		"down":            {503, "application/json", `{"error":{"code":"unavailable","message":"no database"}}`, mcp.CodeUnreachable},
		"a proxy":         {502, "text/html", "<html>", mcp.CodeUnreachable},
		"another service": {200, "text/html", "<html>", mcp.CodeUnreachable},
		"a redirect":      {302, "text/html", "", mcp.CodeUnreachable},
		"an unknown code": {400, "application/json", `{"error":{"code":"brand_new","message":"no"}}`, mcp.CodeInvalidArguments},
		"a fault":         {500, "application/json", `{"error":{"code":"internal","message":"oops secret.to.keep"}}`, mcp.CodeInternal},
	} {
		status, kind, body = c.status, c.kind, c.body
		_, err := b.Query(t.Context(), admin, backend.Query{SQL: "SELECT 1"})
		e := mcp.ErrorOf(err)
		assert.Equal(t, c.code, e.Code, "%s: %v", name, err)
		assert.NotContains(t, err.Error(), "secret.to.keep", name)
	}
	srv.Close()
	_, err = b.Query(t.Context(), admin, backend.Query{SQL: "SELECT 1"})
	assert.Equal(t, mcp.CodeUnreachable, mcp.ErrorOf(err).Code)
	_, err = backend.NewAI("not an address", nil)
	require.ErrorIs(t, err, aiclient.ErrInvalid)

	// A budget that is used up is not a fault of the service.
	tool := mcp.New(mcp.Tool{Name: "ask", Description: "asks", Hints: mcp.Hints{ReadOnly: true}}, func(ctx context.Context, c *mcp.Call, _ struct{}) (map[string]any, error) {
		_, err := b.Query(ctx, admin, backend.Query{SQL: "SELECT 1"})
		return nil, err
	})
	_, err = tool.Invoke(t.Context(), &mcp.Call{OnSpend: func(context.Context, mcp.Cost) error { return &mcp.Error{Code: mcp.CodeCostLimitExceeded} }})
	assert.Equal(t, mcp.CodeCostLimitExceeded, mcp.ErrorOf(err).Code)
}
