package diff_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // to read the embedded ERP's database beside it

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// server is an embedded ERP, a client logged in as System, and the database
// beside it.
type server struct {
	*erp.Client
	beside *dbdict.Source
}

// start runs an embedded ERP.
func start(t testing.TB) server {
	t.Helper()
	_, s := startServer(t)
	return s
}

// startServer is start with the ERP itself, for faults and other logins.
func startServer(t testing.TB) (*erptest.Server, server) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "erp.db")
	srv := erptest.New(t, erptest.Options{Path: path})
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	beside, err := dbdict.New(db, dbdict.SQLite, nil)
	require.NoError(t, err)
	token, err := srv.APIToken(t.Context(), "SuperUser", 0, 0, 0, 0)
	require.NoError(t, err)
	client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)))
	require.NoError(t, err)
	return srv, server{client, beside}
}

// openRegistry reads the dictionary as it is now, from the database, which is much
// faster under the race detector; that both sources give the same is proved in
// package restdict. TestRoundTrip reads by the API.
func openRegistry(t testing.TB, s server) registry.Registry {
	t.Helper()
	catalog, err := registry.LoadCatalog(t.Context(), s.beside)
	require.NoError(t, err)
	return catalog
}

// openScope reads a part of the dictionary, as the commands do;
// TestScopeSaysWhatTheWholeSays proves that it is enough.
func openScope(t testing.TB, s server, scope registry.Scope) registry.Registry {
	t.Helper()
	catalog, err := registry.LoadScope(t.Context(), s.beside, scope)
	require.NoError(t, err)
	return catalog
}

// apply brings the definitions into the ERP, by way of comparing, and gives
// what was different.
func apply(t testing.TB, client server, tables ...dict.Table) *diff.Result {
	t.Helper()
	result := compare(t, client, tables...)
	plan, err := diff.NewPlan(result, nil)
	require.NoError(t, err)
	run, err := restdict.Run(t.Context(), client.Client, plan, &restdict.Options{BatchSize: 25})
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

func compare(t testing.TB, client server, tables ...dict.Table) *diff.Result {
	t.Helper()
	result, err := diff.Compare(t.Context(), openScope(t, client, diff.Scope(tables...)), &dict.Options{AnyPrefix: true}, tables...)
	require.NoError(t, err)
	return result
}

func definition(t testing.TB, client server, name string) dict.Table {
	t.Helper()
	table, notes, err := diff.Definition(t.Context(), openScope(t, client, diff.DefinitionScope(name)), name)
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
