package diff_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// start runs an embedded ERP and a client logged in as System.
func start(t testing.TB) *erp.Client {
	t.Helper()
	srv := erptest.New(t)
	body := `{"userName":"SuperUser","password":"System","parameters":{"clientId":"0","roleId":"0","organizationId":"0"}}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL()+"/api/v1/auth/tokens", strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	var answer struct {
		Token string `json:"token"`
	}
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&answer))
	client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(answer.Token)))
	require.NoError(t, err)
	return client
}

// registry reads the dictionary as it is now.
func registry(t testing.TB, client *erp.Client) dict.Registry {
	t.Helper()
	catalog, err := dict.LoadCatalog(t.Context(), restdict.NewSource(client, nil))
	require.NoError(t, err)
	return catalog
}

// apply brings the definitions into the ERP, by way of comparing, and gives
// what was different.
func apply(t testing.TB, client *erp.Client, tables ...dict.Table) *diff.Result {
	t.Helper()
	result := compare(t, client, tables...)
	plan, err := result.Plan()
	require.NoError(t, err)
	run, err := restdict.Run(t.Context(), client, plan, &restdict.Options{BatchSize: 25})
	if err != nil && run != nil {
		for _, s := range run.Steps {
			if s.Err != nil {
				t.Logf("%s: %v", s.Title, s.Err)
			}
		}
	}
	require.NoError(t, err)
	return result
}

func compare(t testing.TB, client *erp.Client, tables ...dict.Table) *diff.Result {
	t.Helper()
	result, err := diff.Compare(t.Context(), registry(t, client), &dict.Options{AnyPrefix: true}, tables...)
	require.NoError(t, err)
	return result
}

func definition(t testing.TB, client *erp.Client, name string) dict.Table {
	t.Helper()
	table, notes, err := diff.Definition(t.Context(), registry(t, client), name)
	require.NoError(t, err)
	require.Empty(t, notes)
	return table
}

func text(t testing.TB, result *diff.Result) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, result.WriteText(&b))
	return b.String()
}
