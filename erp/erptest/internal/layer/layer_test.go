package layer_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"modernc.org/sqlite"

	"github.com/erphub/erphub/erp/erptest/internal/layer"
)

// open opens a database over an image.
func open(t *testing.T, image *layer.Image) *sql.DB {
	t.Helper()
	l := layer.New(image)
	c, err := sqlite.NewConnector(l.URI() + "&_txlock=immediate&_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	db := sql.OpenDB(c)
	t.Cleanup(func() {
		assert.NoError(t, db.Close())
		l.Close()
	})
	return db
}

func exec(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		_, err := db.ExecContext(t.Context(), s)
		require.NoError(t, err, s)
	}
}

func text(t *testing.T, db interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}, query string) string {
	t.Helper()
	var s string
	require.NoError(t, db.QueryRowContext(t.Context(), query).Scan(&s), query)
	return s
}

// imageFile is a database in a file, in one of SQLite's ways of writing it.
func imageFile(t *testing.T, journal string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "image.db")
	c, err := sqlite.NewConnector("file:" + path + "?_pragma=journal_mode(" + journal + ")")
	require.NoError(t, err)
	db := sql.OpenDB(c)
	exec(t, db, `CREATE TABLE T (ID INTEGER PRIMARY KEY, Name TEXT)`,
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<1000) INSERT INTO T SELECT i, 'name '||i FROM n`)
	require.NoError(t, db.Close())
	return path
}

func TestLayersOverAnImage(t *testing.T) {
	t.Parallel()
	for _, journal := range []string{"DELETE", "WAL"} {
		t.Run(journal, func(t *testing.T) {
			t.Parallel()
			path := imageFile(t, journal)
			before, err := os.ReadFile(path)
			require.NoError(t, err)
			image, err := layer.OpenImage(path, false)
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, image.Close()) })
			a, b := open(t, image), open(t, image)
			exec(t, a, `UPDATE T SET Name='changed' WHERE ID=500`, `CREATE TABLE New (X)`, `INSERT INTO New VALUES (1)`)
			assert.Equal(t, "changed", text(t, a, `SELECT Name FROM T WHERE ID=500`))
			assert.Equal(t, "name 500", text(t, b, `SELECT Name FROM T WHERE ID=500`))
			_, err = b.ExecContext(t.Context(), `SELECT * FROM New`)
			assert.ErrorContains(t, err, "no such table: New")
			exec(t, a, `DELETE FROM T WHERE ID>10`, `VACUUM`)
			assert.Equal(t, "10", text(t, a, `SELECT count(*) FROM T`))
			assert.Equal(t, "1000", text(t, b, `SELECT count(*) FROM T`))
			for _, db := range []*sql.DB{a, b} {
				assert.Equal(t, "ok", text(t, db, `PRAGMA integrity_check`))
			}
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, before, after, "the image")
		})
	}
}

// A reader sees the state it began with while others write, and keeps nobody from
// writing; what is rolled back was never there.
func TestReadersBesideAWriter(t *testing.T) {
	t.Parallel()
	db := open(t, nil)
	exec(t, db, `CREATE TABLE T (X)`, `INSERT INTO T VALUES ('before')`)
	reader, err := db.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
	require.NoError(t, err)
	assert.Equal(t, "before", text(t, reader, `SELECT X FROM T`))
	exec(t, db, `UPDATE T SET X='after'`)
	assert.Equal(t, "before", text(t, reader, `SELECT X FROM T`))
	assert.Equal(t, "after", text(t, db, `SELECT X FROM T`))
	require.NoError(t, reader.Rollback())
	writer, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, err = writer.ExecContext(t.Context(), `UPDATE T SET X='never'`)
	require.NoError(t, err)
	assert.Equal(t, "after", text(t, db, `SELECT X FROM T`))
	require.NoError(t, writer.Rollback())
	assert.Equal(t, "after", text(t, db, `SELECT X FROM T`))
}

func TestAbsentTables(t *testing.T) {
	t.Parallel()
	image, err := layer.OpenImage(imageFile(t, "DELETE"), false)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, image.Close()) })
	const statement = `CREATE TABLE "Empty" ("A" INTEGER NOT NULL PRIMARY KEY, "B" VARCHAR(10) DEFAULT 'x' CHECK ("B" IN ('Y','N')), "C" BLOB)`
	require.NoError(t, image.Absent(map[string]string{"Empty": statement}))
	db := open(t, image)
	assert.Equal(t, "0", text(t, db, `SELECT count(*) FROM empty WHERE a=1 OR b LIKE 'x%'`))
	assert.Equal(t, "1000", text(t, db, `SELECT count(*) FROM T LEFT JOIN Empty e ON e.A=T.ID WHERE e.C IS NULL`))
	assert.Equal(t, "A INTEGER 1 1, B VARCHAR(10) 0 0, C BLOB 0 0",
		text(t, db, `SELECT group_concat(name||' '||type||' '||"notnull"||' '||pk, ', ') FROM pragma_table_info('EMPTY')`))
	_, err = db.ExecContext(t.Context(), `INSERT INTO Empty (A) VALUES (1)`)
	assert.ErrorContains(t, err, "table Empty may not be modified")
	exec(t, db, statement, `INSERT INTO Empty (A, B) VALUES (1, 'Y')`)
	assert.Equal(t, "Y", text(t, db, `SELECT B FROM Empty`))
	_, err = open(t, nil).ExecContext(t.Context(), `SELECT * FROM Empty`)
	assert.ErrorContains(t, err, "no such table: Empty", "an image of its own has its own")
}

// Nobody reads a mixture of what an image was and of what somebody made of it.
func TestAnImageIsChanged(t *testing.T) {
	t.Parallel()
	path := imageFile(t, "DELETE")
	image, err := layer.OpenImage(path, true)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, image.Close()) })
	db := open(t, image)
	assert.Equal(t, "name 7", text(t, db, `SELECT Name FROM T WHERE ID=7`))
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteAt(make([]byte, 4096), 8192)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, os.Chtimes(path, time.Time{}, time.Now().Add(time.Second)))
	_, err = db.ExecContext(t.Context(), `SELECT Name FROM T WHERE ID=7`)
	assert.ErrorContains(t, err, "disk I/O error")
}

func TestNoImage(t *testing.T) {
	t.Parallel()
	_, err := layer.ImageOf(strings.NewReader("no database"), 11)
	require.ErrorContains(t, err, "it is not a database")
	_, err = layer.OpenImage(t.TempDir(), false)
	require.ErrorContains(t, err, "is not a regular file")
	_, err = layer.OpenImage(filepath.Join(t.TempDir(), "missing"), false)
	require.ErrorIs(t, err, os.ErrNotExist)
}
