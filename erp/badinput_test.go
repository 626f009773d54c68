package erp_test

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// gardenToken logs in as GardenAdmin.
func gardenToken(t *testing.T, url string) string {
	t.Helper()
	body := `{"userName":"GardenAdmin","password":"GardenAdmin","parameters":{"clientId":11,"roleId":102,"organizationId":11}}`
	resp, err := http.Post(url+"/api/v1/auth/tokens", "application/json", bytes.NewBufferString(body))
	require.NoError(t, err)
	defer resp.Body.Close()
	var response struct {
		Token string `json:"token"`
	}
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&response))
	require.NotEmpty(t, response.Token)
	return response.Token
}

// TestBadInput: what people get wrong is an error they can branch on, which
// says what was wrong, and the server is none the worse for it.
func TestBadInput(t *testing.T) {
	t.Parallel()
	var later atomic.Int64
	srv := erptest.New(t, erptest.Options{Clock: func() time.Time { return time.Now().Add(time.Duration(later.Load())) }})
	token := gardenToken(t, srv.URL())
	with := func(url, token string) *erp.Client {
		client, err := erp.New(url, erp.WithTokenSource(erp.StaticToken(token)), erp.WithRetryPolicy(erp.RetryPolicy{}))
		require.NoError(t, err)
		return client
	}
	client := with(srv.URL(), token)
	names := make([]string, 10_000)
	for i := range names {
		names[i] = "XX_Column" + strings.Repeat("x", i%7)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	down := "http://" + ln.Addr().String()
	require.NoError(t, ln.Close())
	const hostile = `C_Order'; DROP TABLE C_Order; --`

	for name, tt := range map[string]struct {
		client *erp.Client
		table  string
		query  *erp.Query
		is     error
		says   string
	}{
		"unknown table":          {client, "No_Such_Table", nil, erp.ErrNotFound, "No_Such_Table"},
		"table name with SQL":    {client, hostile, nil, erp.ErrNotFound, "table name"},
		"table name with quotes": {client, `"C_Order"`, nil, erp.ErrNotFound, "table name"},
		"10,000 columns":         {client, "C_Order", &erp.Query{Select: names}, nil, "shorten the query"},
		"10,000 names in a list": {client, "AD_Table", &erp.Query{Filter: erp.In("TableName", names...)}, nil, "shorten the query"},
		"unknown column":         {client, "C_Order", &erp.Query{Filter: erp.Eq("No_Such_Column", 1)}, erp.ErrValidation, "No_Such_Column"},
		"raw filter with SQL":    {client, "C_Order", &erp.Query{Filter: erp.Raw("DocumentNo eq 'x'; DROP TABLE C_Order")}, erp.ErrValidation, "between single quotes"},
		"order with SQL":         {client, "C_Order", &erp.Query{OrderBy: []string{"(SELECT Password FROM AD_User)"}}, nil, ""},
		"quote in a text":        {client, "C_Order", &erp.Query{Filter: erp.Eq("DocumentNo", "O'Hara")}, erp.ErrInexpressible, "quote"},
		"wrong token":            {with(srv.URL(), "abc.def.ghi"), "C_Order", nil, erp.ErrUnauthorized, "log in again"},
		"server down":            {with(down, token), "C_Order", nil, erp.ErrUnreachable, "cannot reach"},
	} {
		_, err := tt.client.Query(t.Context(), tt.table, tt.query)
		if tt.is == nil && tt.says == "" {
			continue // a server may ignore it; that it does no harm is looked at below
		}
		require.Error(t, err, name)
		if tt.is != nil {
			assert.ErrorIs(t, err, tt.is, name)
		}
		assert.Contains(t, err.Error(), tt.says, name)
		assert.NotContains(t, err.Error(), token, name)
		assert.Less(t, len(err.Error()), 2000, name)
	}
	page, err := client.Query(t.Context(), "C_Order", &erp.Query{Top: 1})
	require.NoError(t, err)
	assert.Len(t, page.Records, 1)

	later.Store(int64(2 * time.Hour))
	_, err = client.Query(t.Context(), "C_Order", nil)
	require.ErrorIs(t, err, erp.ErrUnauthorized, "the token has expired")
	assert.Contains(t, err.Error(), "expired")
}
