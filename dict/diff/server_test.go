package diff_test

import (
	"context"
	"database/sql"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	srv := erptest.New(t, erptest.Options{})
	db := srv.Database()
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	s, err := connect(srv, db)
	require.NoError(t, err)
	return srv, s
}

func connect(srv *erptest.Server, db *sql.DB) (server, error) {
	beside, err := dbdict.New(db, dbdict.SQLite, nil)
	if err != nil {
		return server{}, err
	}
	token, err := srv.APIToken(context.Background(), "SuperUser", 0, 0, 0, 0)
	if err != nil {
		return server{}, err
	}
	client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)))
	return server{client, beside}, err
}

// untouched is an ERP to which no test writes.
var untouched = sync.OnceValue(func() server {
	srv, err := erptest.Start(context.Background(), erptest.Options{})
	if err != nil {
		panic(err)
	}
	s, err := connect(srv, srv.Database())
	if err != nil {
		panic(err)
	}
	return s
})

// untouchedRegistry is all of its dictionary.
var untouchedRegistry = sync.OnceValue(func() registry.Registry {
	catalog, err := registry.LoadCatalog(context.Background(), untouched().beside)
	if err != nil {
		panic(err)
	}
	return catalog
})

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
