package embedded_test

import (
	"database/sql"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery/embedded"
	"github.com/erphub/erphub/erp/erptest"
)

// The catalog has the tables of the ERP, with and without a row, and nothing of SQLite's
// own, whatever somebody writes into the dictionary.
func TestCatalog(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	db, err := embedded.Open(srv)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	own := []string{"sqlite_dbpage", "sqlite_schema", "dbstat", "json_each", "pragma_table_info"}
	require.NoError(t, srv.Write(t.Context(), func(tx *sql.Tx) error {
		for i, name := range own {
			if _, err := tx.ExecContext(t.Context(), `UPDATE AD_Table SET TableName = ? WHERE AD_Table_ID = (SELECT AD_Table_ID FROM AD_Table
				WHERE IsView = 'N' AND TableName LIKE 'HR!_%' ESCAPE '!' ORDER BY 1 LIMIT 1 OFFSET ?)`, name, i); err != nil {
				return err
			}
		}
		return nil
	}, "AD_Table"))
	catalog, err := db.Runner().Catalog(t.Context())
	require.NoError(t, err)
	for _, name := range own {
		assert.NotContains(t, catalog.Relations, name)
	}
	for _, name := range []string{"c_order", "c_bankstatement", "t_report"} { // the last two have no row
		require.Contains(t, catalog.Relations, name)
		assert.NotEmpty(t, catalog.Relations[name].Columns, name)
	}
	assert.Contains(t, catalog.Relations["c_bankstatement"].Key, "c_bankstatement_id")
}
