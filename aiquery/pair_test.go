package aiquery_test

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/embedded"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/aitest/aiengine"
)

// Of two databases the first is used, as long as it may be entered, and the second
// keeps the records.
func TestPair(t *testing.T) {
	t.Parallel()
	first, second := erptest.New(t), erptest.New(t)
	require.NoError(t, first.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(t.Context(), `UPDATE C_BPartner SET Name='The first' WHERE C_BPartner_ID=118`)
		return err
	}, "C_BPartner"))
	open := func(srv *erptest.Server) aiquery.Database {
		db, err := embedded.Open(srv)
		require.NoError(t, err)
		return db
	}
	read := first.Database()
	defer read.Close()
	source, err := dbdict.New(read, dbdict.SQLite, nil)
	require.NoError(t, err)
	catalog, err := registry.LoadCatalog(t.Context(), source)
	require.NoError(t, err)

	var inside, entered atomic.Int64
	var refuse atomic.Pointer[error]
	db := aiquery.Pair(open(first), open(second), func(context.Context) (func(), error) {
		if why := refuse.Load(); why != nil {
			return nil, *why
		}
		entered.Add(1)
		inside.Add(1)
		return func() { inside.Add(-1) }, nil
	})
	require.NoError(t, aiquery.Install(t.Context(), db))
	engine, err := aiquery.New(db, catalog, nil)
	require.NoError(t, err)
	ask := func() (*api.Result, error) {
		return engine.Query(t.Context(), aiquery.Caller{UserID: aiengine.User},
			aiquery.Request{SQL: "SELECT name FROM c_bpartner WHERE c_bpartner_id = 118", RoleID: aiengine.Role})
	}
	result, err := ask()
	require.NoError(t, err)
	assert.Equal(t, [][]any{{"The first"}}, result.Rows)
	assert.Positive(t, entered.Load())
	assert.Zero(t, inside.Load(), "all that was entered was left")
	assert.True(t, engine.Health(t.Context()).OK)

	why := errors.New("a secret reason")
	refuse.Store(&why)
	_, err = ask()
	var refusal *api.Error
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, api.CodeUnavailable, refusal.Code)
	assert.NotContains(t, err.Error(), why.Error())
	assert.False(t, engine.Health(t.Context()).OK)

	require.NoError(t, engine.Close(t.Context()))
	require.Len(t, aiengine.Records(t, second), 2)
	var tables int
	require.NoError(t, read.QueryRowContext(t.Context(), `SELECT count(*) FROM sqlite_master WHERE name=?`, aiquery.AuditTableName).Scan(&tables))
	assert.Zero(t, tables)
	require.NoError(t, db.Close())
}
