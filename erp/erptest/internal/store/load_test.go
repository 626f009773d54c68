package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/internal/sqlitefile"
)

func TestLoad(t *testing.T) {
	t.Parallel()
	w := sqlitefile.New(0)
	w.Table(sqlitefile.Table{
		Name: "XX_Log", SQL: `CREATE TABLE "XX_Log" ("XX_Log_ID" INTEGER PRIMARY KEY, "Name" VARCHAR(60))`,
		Columns: []sqlitefile.Column{{Name: "XX_Log_ID", Type: "INTEGER"}, {Name: "Name", Type: "VARCHAR(60)"}},
		Key:     []int{0}, Rows: [][]any{{int64(1), "one"}},
	})
	image, err := w.Bytes()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "a b%.db")
	require.NoError(t, os.WriteFile(path, image, 0o400))
	a, b := open(t), open(t)
	require.NoError(t, a.Load(image))
	require.NoError(t, b.LoadFile(path))
	require.NoError(t, exec(t, b, `UPDATE XX_Log SET Name='two'`))
	assert.Equal(t, "one", value(t, a, `SELECT Name FROM XX_Log`))
	assert.Equal(t, "two", value(t, b, `SELECT Name FROM XX_Log`))
	same, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, image, same)

	require.ErrorContains(t, open(t).Load([]byte("no database, and no multiple of a page")), "loading a database")
	require.ErrorContains(t, open(t).LoadFile(path+"x"), "loading a database")
}
