package erptest_test

import (
	"database/sql"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // the driver named "sqlite"

	"github.com/erphub/erphub/erp/erptest"
)

// A server whose data are damaged says so in its health once it has met the
// damage; mistakes of callers say nothing about it.
func TestHealthOfDamagedData(t *testing.T) {
	t.Parallel()
	exec := func(t *testing.T, path, statement string) {
		db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)")
		require.NoError(t, err)
		_, err = db.ExecContext(t.Context(), statement)
		require.NoError(t, err)
		require.NoError(t, db.Close())
	}
	for name, tt := range map[string]struct {
		damage func(t *testing.T, path string)
		reason string
		mend   string // SQL, "" when nothing helps
	}{
		"dropped column": {
			func(t *testing.T, path string) { exec(t, path, `ALTER TABLE C_BPartner DROP COLUMN URL`) },
			"a table lacks columns of the ERP", `ALTER TABLE C_BPartner ADD COLUMN URL VARCHAR(120)`,
		},
		"dropped table": {
			func(t *testing.T, path string) { exec(t, path, `ALTER TABLE C_BPartner RENAME TO gone`) },
			"a table lacks columns of the ERP", `ALTER TABLE gone RENAME TO C_BPartner`,
		},
		"overwritten page": {overwrite, "the file is damaged, or no database", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "erp.db")
			var offset atomic.Int64 // the server's clock: responses about health are kept for 20 s
			o := erptest.Options{Path: path, Clock: func() time.Time { return time.Now().Add(time.Duration(offset.Load())) }}
			first, err := erptest.Start(t.Context(), o)
			require.NoError(t, err)
			require.NoError(t, first.Close())
			tt.damage(t, path)
			exec(t, path, `CREATE TEMP TABLE ahead AS SELECT * FROM AD_Column WHERE ColumnName='Name' AND AD_Table_ID=(SELECT AD_Table_ID FROM AD_Table WHERE TableName='C_Greeting');
				UPDATE ahead SET AD_Column_ID=1000777, AD_Column_UU='ahead', ColumnName='XX_Ahead'; INSERT INTO AD_Column SELECT * FROM ahead`)
			srv := erptest.New(t, o)
			r := readAs(t, srv, asGardenAdmin)
			health := func() (int, string) {
				offset.Add(int64(time.Minute))
				a := r.get("health")
				return a.status, a.header.Get("X-Health-Reason")
			}
			assert.Equal(t, http.StatusBadRequest, r.get("models/C_BPartner", "$filter", "NoSuchColumn eq 1").status)
			assert.Equal(t, http.StatusNotFound, r.get("models/No_Such_Table").status)
			status, reason := health()
			require.Equal(t, http.StatusOK, status, reason)
			assert.Equal(t, http.StatusInternalServerError, r.get("models/C_Greeting").status, "a column that was not synchronised")
			status, reason = health()
			require.Equal(t, http.StatusOK, status, reason)

			require.Equal(t, http.StatusInternalServerError, r.get("models/C_BPartner").status)
			for range 2 {
				status, reason = health()
				assert.Equal(t, http.StatusServiceUnavailable, status)
				assert.Equal(t, tt.reason, reason)
			}
			if tt.mend != "" {
				exec(t, path, tt.mend)
				status, reason = health()
				assert.Equal(t, http.StatusOK, status, reason)
			}
		})
	}
}

// overwrite puts something else into the first page of a table.
func overwrite(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	require.NoError(t, err)
	var root, size int64
	require.NoError(t, db.QueryRowContext(t.Context(), `SELECT rootpage FROM sqlite_schema WHERE name='C_BPartner'`).Scan(&root))
	require.NoError(t, db.QueryRowContext(t.Context(), `PRAGMA page_size`).Scan(&size))
	require.NoError(t, db.Close())
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteAt(make([]byte, size), (root-1)*size)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}
