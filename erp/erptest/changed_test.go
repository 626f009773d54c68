package erptest_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// Who keeps a copy hears of each table that was written to, once it is there to
// be read, and of none that was not.
func TestChanged(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"in memory": "", "in a file": t.TempDir() + "/erp.db"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := erptest.New(t, erptest.Options{Path: path})
			write := func(fail error, tables ...string) error {
				return srv.Write(t.Context(), func(tx *sql.Tx) error {
					_, err := tx.ExecContext(t.Context(), `UPDATE C_UOM SET Name=Name||'x' WHERE C_UOM_ID=100`)
					return errors.Join(err, fail)
				}, tables...)
			}
			start, _, _ := srv.Changed(0)
			state, tables, all := srv.Changed(start)
			assert.Equal(t, start, state)
			assert.Empty(t, tables)
			assert.False(t, all)

			require.NoError(t, write(nil, "C_UOM", "c_order"))
			state, tables, all = srv.Changed(start)
			assert.Equal(t, start+1, state)
			assert.ElementsMatch(t, []string{"C_UOM", "C_ORDER"}, tables)
			assert.False(t, all)

			require.ErrorIs(t, write(context.Canceled, "C_Tax"), context.Canceled)
			_, tables, _ = srv.Changed(start)
			assert.NotContains(t, tables, "C_TAX", "what failed changed nothing")

			require.NoError(t, write(nil)) // says not where
			state, tables, all = srv.Changed(start + 1)
			assert.Equal(t, start+2, state)
			assert.Empty(t, tables)
			assert.True(t, all)

			require.NoError(t, srv.Snapshot(t.Context(), func(tx *sql.Tx, seen uint64) error {
				assert.Equal(t, state, seen)
				var name string
				return tx.QueryRowContext(t.Context(), `SELECT Name FROM C_UOM WHERE C_UOM_ID=100`).Scan(&name)
			}))
		})
	}
}
