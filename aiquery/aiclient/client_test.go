package aiclient_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/aiclient"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/internal/testkit/aitest/aiengine"
	"github.com/erphub/erphub/internal/testkit/syncbuffer"
)

// Every call, against the real service.
func TestCalls(t *testing.T) {
	t.Parallel()
	s := newService(t, &aiquery.Options{PerUser: 8}, nil)
	c, ctx := s.client(t), t.Context()

	t.Run("query", func(t *testing.T) {
		r, err := c.Query(ctx, aiclient.Query{SQL: "SELECT $1::numeric AS n, $2::text AS t, $3::numeric AS none, ad_client_id, count(*) FROM c_order GROUP BY ad_client_id",
			Params: []any{json.Number("12345678901234567890.10"), "ä'\"", nil}})
		require.NoError(t, err)
		require.Len(t, r.Rows, 1)
		assert.Equal(t, []any{json.Number("12345678901234567890.10"), "ä'\"", nil, json.Number("11")}, r.Rows[0][:4])
		assert.Equal(t, 4, r.Index("count"))
		assert.Equal(t, -1, r.Index("nothing"))
		assert.Equal(t, []string{"C_Order"}, r.Tables)
		assert.NotEmpty(t, r.RequestID)

		r, err = c.Query(ctx, aiclient.Query{SQL: "SELECT c_bpartner_id FROM c_bpartner", MaxRows: 2})
		require.NoError(t, err)
		assert.True(t, r.Truncated)
		assert.Len(t, r.Rows, 2)
	})
	t.Run("roles", func(t *testing.T) {
		roles, err := c.Roles(ctx)
		require.NoError(t, err)
		require.NotEmpty(t, roles)
		whole, err := c.As(aiengine.UserRole).Query(ctx, aiclient.Query{SQL: "SELECT count(*) FROM c_order"})
		require.NoError(t, err)
		narrow, err := c.Query(ctx, aiclient.Query{SQL: "SELECT count(*) FROM c_order"})
		require.NoError(t, err)
		assert.NotEqual(t, whole.Rows, narrow.Rows, "another role sees more")
		_, ok := c.As(-1).Role()
		assert.False(t, ok)
	})
	t.Run("explain", func(t *testing.T) {
		e, err := c.Explain(ctx, aiclient.Query{SQL: "SELECT name FROM c_bpartner"})
		require.NoError(t, err)
		assert.Equal(t, []string{"C_BPartner"}, e.Tables)
		assert.Equal(t, "C_BPartner", e.Reads[0].Table)
		assert.Equal(t, "name", e.Columns[0].Name)
	})
	t.Run("metadata", func(t *testing.T) {
		m, err := c.TableMetadata(ctx, "C_BPartner")
		require.NoError(t, err)
		assert.True(t, m.Queryable)
		_, err = c.TableMetadata(ctx, "a/../b?c#d")
		assert.ErrorIs(t, err, aiclient.ErrNotFound, "a name is one part of the path")
		w, err := c.WindowMetadata(ctx, 143)
		require.NoError(t, err)
		assert.Equal(t, "Sales Order", w.Name)
		several, err := c.Metadata(ctx, aiclient.MetadataQuery{Tables: []string{"C_Order", "nothing"}, Windows: []int{999999}})
		require.NoError(t, err)
		assert.Equal(t, "C_Order", several.Tables[0].Metadata.Name)
		assert.Nil(t, several.Tables[1].Metadata)
		assert.Equal(t, api.CodeNotFound, several.Tables[1].Error.Code)
		assert.Error(t, several.Windows[0].Error)
	})
	t.Run("context", func(t *testing.T) {
		id := 118
		p, err := c.Publish(ctx, aiclient.Publication{TTL: 90 * time.Second, Windows: []api.Window{{
			WindowNo: 2, Record: &api.Record{Table: "C_BPartner", ID: &id}, Fields: map[string]any{"Name": "Joe", "Password": "CANARY"},
		}}, Charts: []api.Chart{{ChartID: 9, Series: []any{1, 2}}}})
		require.NoError(t, err)
		assert.Equal(t, 2, p.Published)
		require.NotNil(t, p.Expires)
		w, err := c.WindowContext(ctx, 2)
		require.NoError(t, err)
		assert.Equal(t, map[string]any{"Name": "Joe", "Password": "***"}, w.Window.Fields)
		assert.Equal(t, 118, *w.Window.Record.ID)
		assert.Equal(t, 90*time.Second, w.Expires.Sub(w.Published))
		chart, err := c.ChartContext(ctx, 9)
		require.NoError(t, err)
		assert.Equal(t, []any{json.Number("1"), json.Number("2")}, chart.Chart.Series)
		p, err = c.Publish(ctx, aiclient.Publication{TTL: -1, Windows: []api.Window{{WindowNo: 2}}})
		require.NoError(t, err)
		assert.Nil(t, p.Expires)
		_, err = c.WindowContext(ctx, 2)
		assert.ErrorIs(t, err, aiclient.ErrNotFound)
	})
	t.Run("health", func(t *testing.T) {
		require.Eventually(t, func() bool { // a machine with too much to do is late
			h, err := c.Health(ctx)
			return err == nil && h.Up()
		}, time.Minute, 100*time.Millisecond)
	})
}

// What can be known to be wrong is refused before anything is sent.
func TestInput(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]string{"nothing": "", "no host": "https://", "another scheme": "ftp://erp", "a password": "https://u:CANARY@erp", "a query": "https://erp?x=1", "a fragment": "https://erp#x"} {
		_, err := aiclient.New(address)
		require.ErrorIs(t, err, aiclient.ErrInvalid, name)
		assert.NotContains(t, err.Error(), "CANARY")
	}
	for given, want := range map[string]string{
		"http://erp": "http://erp/api/ai", "http://erp/": "http://erp/api/ai", "http://erp/api/ai": "http://erp/api/ai", "https://erp:8443/hub/api/ai/": "https://erp:8443/hub/api/ai",
	} {
		c, err := aiclient.New(given)
		require.NoError(t, err)
		assert.Equal(t, want, c.Address())
	}
	for name, opt := range map[string]aiclient.Option{
		"no token": aiclient.WithToken(""), "a token with a line break": aiclient.WithToken("a\r\nX: CANARY"), "a negative role": aiclient.WithRole(-1), "no source": aiclient.WithTokenSource(nil),
		"no client": aiclient.WithHTTPClient(nil), "an agent with a line break": aiclient.WithUserAgent("a\nb"), "negative retries": aiclient.WithRetries(-1, 0),
	} {
		_, err := aiclient.New("http://erp", opt)
		require.ErrorIs(t, err, aiclient.ErrInvalid, name)
		assert.NotContains(t, err.Error(), "CANARY")
	}
	c, err := aiclient.New("http://127.0.0.1:1")
	require.NoError(t, err)
	_, err = c.Query(t.Context(), aiclient.Query{SQL: "SELECT 1"})
	require.ErrorIs(t, err, aiclient.ErrInvalid, "no role")
	_, err = c.As(1).Query(t.Context(), aiclient.Query{SQL: " "})
	require.ErrorIs(t, err, aiclient.ErrInvalid, "no statement")
	_, err = c.As(1).Query(t.Context(), aiclient.Query{SQL: "SELECT $1", Params: []any{make(chan int)}})
	require.ErrorIs(t, err, aiclient.ErrInvalid, "no JSON")
	for _, name := range []string{"", ".", ".."} {
		_, err = c.TableMetadata(t.Context(), name)
		require.ErrorIs(t, err, aiclient.ErrInvalid, name)
	}
}

func TestFromEnv(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		env  map[string]string
		role int // -1: none
		says string
	}{
		{"all", map[string]string{"AI_API_URL": "http://erp", "AI_API_TOKEN": "t", "AI_ROLE_ID": "102"}, 102, ""},
		{"the address alone", map[string]string{"AI_API_URL": "http://erp"}, -1, ""},
		{"the role of the System", map[string]string{"AI_API_URL": "http://erp", "AI_ROLE_ID": "0"}, 0, ""},
		{"nothing", nil, 0, "AI_API_URL"},
		{"a role by name", map[string]string{"AI_API_URL": "http://erp", "AI_ROLE_ID": "Admin"}, 0, "AI_ROLE_ID"},
		{"a negative role", map[string]string{"AI_API_URL": "http://erp", "AI_ROLE_ID": "-1"}, 0, "AI_ROLE_ID"},
	} {
		c, err := aiclient.FromEnv(func(name string) string { return tt.env[name] })
		if tt.says != "" {
			require.ErrorIs(t, err, aiclient.ErrInvalid, tt.name)
			assert.Contains(t, err.Error(), tt.says)
			continue
		}
		require.NoError(t, err, tt.name)
		role, ok := c.Role()
		assert.Equal(t, tt.role >= 0, ok, tt.name)
		if ok {
			assert.Equal(t, tt.role, role)
		}
	}
}

// No way of printing a client shows its token.
func TestNothingShowsTheToken(t *testing.T) {
	t.Parallel()
	const token = "Kanarienvogel.abc.def"
	c, err := aiclient.New("http://erp", aiclient.WithToken(token))
	require.NoError(t, err)
	var b syncbuffer.Buffer
	slog.New(slog.NewJSONHandler(&b, nil)).Info("x", "client", c, "inside", struct{ C *aiclient.Client }{c})
	all := fmt.Sprintf("%v %+v %#v %s %q %x %v %+v", c, c, c, c, c, c, struct{ C *aiclient.Client }{c}, *c) + b.String()
	assert.NotContains(t, all, token)
	assert.NotContains(t, all, fmt.Sprintf("%x", token))
}
