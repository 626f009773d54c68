package sqlitefile_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"github.com/erphub/erphub/erp/erptest/internal/sqlitefile"
)

// open writes what w has to a file and has SQLite check it.
func open(t *testing.T, w *sqlitefile.Writer) *sql.DB {
	t.Helper()
	image, err := w.Bytes()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "x.db")
	require.NoError(t, os.WriteFile(path, image, 0o600))
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	rows, err := db.Query("PRAGMA integrity_check(5)")
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var verdict string
		require.NoError(t, rows.Scan(&verdict))
		assert.Equal(t, "ok", verdict)
	}
	require.NoError(t, rows.Err())
	return db
}

// Trees of one page, of two levels and of three; records that fit, and those that
// need pages of their own.
func TestSizes(t *testing.T) {
	t.Parallel()
	for _, rows := range []int{0, 1, 2, 29, 30, 31, 60, 61, 62, 500, 9_000} {
		for _, size := range []int{0, 100, 900, 3_900, 4_090, 4_200, 9_000} {
			if rows*size > 4_000_000 {
				continue
			}
			t.Run(fmt.Sprint(rows, " rows of ", size), func(t *testing.T) {
				t.Parallel()
				table := sqlitefile.Table{
					Name: "T", SQL: "CREATE TABLE T (A INTEGER PRIMARY KEY, B TEXT NOT NULL, C TEXT)", Key: []int{0},
					Columns: []sqlitefile.Column{{Name: "A", Type: "INTEGER"}, {Name: "B", Type: "TEXT"}, {Name: "C", Type: "TEXT"}},
					Indexes: []sqlitefile.Index{
						{Name: "TB", SQL: "CREATE UNIQUE INDEX TB ON T (B)", Columns: []int{1}},
						{Name: "TC", SQL: "CREATE INDEX TC ON T (C COLLATE NOCASE, A)", Columns: []int{2, 0}, NoCase: true},
					},
				}
				for i := range rows {
					n := int64(i*7919%rows)*3 - 5 // not in order
					table.Rows = append(table.Rows, []any{n, fmt.Sprint(n, strings.Repeat("x", size)), []any{"a", "B", nil}[i%3]})
				}
				w := sqlitefile.New(0)
				w.Table(table)
				w.View("V", "CREATE VIEW V AS SELECT A FROM T")
				db := open(t, w)
				var count int
				var length sql.NullInt64
				require.NoError(t, db.QueryRow("SELECT COUNT(*), MIN(length(B)-length(A)) FROM T WHERE B LIKE A||'%'").Scan(&count, &length))
				assert.Equal(t, rows, count)
				if rows > 0 {
					assert.EqualValues(t, size, length.Int64)
				}
				_, err := db.Exec("INSERT INTO T(B, C) VALUES('new', 'N'); DELETE FROM T WHERE A%2=0; VACUUM")
				require.NoError(t, err)
			})
		}
	}
}

// The size that a database is begun with may be any.
func TestFirstSize(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 4096, 5000, 1_824_000} {
		w := sqlitefile.New(size)
		table := sqlitefile.Table{Name: "T", SQL: "CREATE TABLE T (A INTEGER PRIMARY KEY, B TEXT)", Key: []int{0},
			Columns: []sqlitefile.Column{{Name: "A", Type: "INTEGER"}, {Name: "B", Type: "TEXT"}}}
		for i := range 500 {
			table.Rows = append(table.Rows, []any{int64(i), strings.Repeat("x", 5000)})
		}
		w.Table(table)
		var n int
		require.NoError(t, open(t, w).QueryRow("SELECT COUNT(*) FROM T WHERE length(B)=5000").Scan(&n))
		assert.Equal(t, 500, n, size)
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	numbers := []int64{0, 1, -1, 127, 128, -128, -129, 32767, 32768, 1<<23 - 1, 1 << 23, -1 << 23, 1<<31 - 1, 1 << 31, 1<<47 - 1, 1 << 47, -1 << 47, 1<<63 - 1, -1 << 63}
	table := sqlitefile.Table{
		Name: "T", SQL: "CREATE TABLE T (N INTEGER, S CHAR(3), X BLOB, PRIMARY KEY (N, S))", Key: []int{0, 1},
		Columns: []sqlitefile.Column{{Name: "N", Type: "INTEGER"}, {Name: "S", Type: "CHAR(3)"}, {Name: "X", Type: "BLOB"}},
	}
	for i, n := range numbers {
		table.Rows = append(table.Rows, []any{n, int64(i), []byte{1, byte(i)}})
	}
	table.Rows = append(table.Rows, []any{"42", "ü", nil})
	w := sqlitefile.New(0)
	w.Table(table)
	db := open(t, w)
	for i, n := range numbers {
		var s string
		var x []byte
		require.NoError(t, db.QueryRow("SELECT S, X FROM T WHERE N=? AND typeof(S)='text'", n).Scan(&s, &x), n)
		assert.Equal(t, fmt.Sprint(i), s)
		assert.Equal(t, []byte{1, byte(i)}, x)
	}
	var n int64
	require.NoError(t, db.QueryRow("SELECT N FROM T WHERE S='ü' AND typeof(N)='integer' AND X IS NULL").Scan(&n))
	assert.EqualValues(t, 42, n)
}

func TestManyTables(t *testing.T) {
	t.Parallel()
	w := sqlitefile.New(0)
	for i := range 700 {
		var columns []string
		table := sqlitefile.Table{Name: fmt.Sprint("T", i)}
		for c := range i % 120 * 2 {
			name := fmt.Sprint("Column", c)
			columns = append(columns, name+" VARCHAR(60) DEFAULT 'something'")
			table.Columns = append(table.Columns, sqlitefile.Column{Name: name, Type: "VARCHAR(60)"})
		}
		columns = append(columns, "Last INTEGER")
		table.Columns = append(table.Columns, sqlitefile.Column{Name: "Last", Type: "INTEGER"})
		table.SQL = "CREATE TABLE " + table.Name + " (" + strings.Join(columns, ", ") + ")"
		w.Table(table)
	}
	db := open(t, w)
	var n int
	require.NoError(t, db.QueryRow("SELECT COUNT(*) FROM sqlite_schema WHERE type='table'").Scan(&n))
	assert.Equal(t, 700, n)
}

func TestRefused(t *testing.T) {
	t.Parallel()
	columns := []sqlitefile.Column{{Name: "A", Type: "INTEGER"}}
	for name, c := range map[string]struct {
		rows [][]any
		want string
	}{
		"a key twice":         {[][]any{{int64(1)}, {int64(1)}}, "row 1 comes after row 1"},
		"no key":              {[][]any{{nil}}, "has no key"},
		"too many values":     {[][]any{{int64(1), "x"}}, "2 values for 1 columns"},
		"an unknown kind":     {[][]any{{1.5}}, "has no key"},
		"a text for a number": {[][]any{{"x"}}, "has no key"},
	} {
		w := sqlitefile.New(0)
		w.Table(sqlitefile.Table{Name: "T", SQL: "CREATE TABLE T (A INTEGER PRIMARY KEY)", Columns: columns, Key: []int{0}, Rows: c.rows})
		_, err := w.Bytes()
		assert.ErrorContains(t, err, c.want, name)
	}
	w := sqlitefile.New(0)
	w.Table(sqlitefile.Table{Name: "T", SQL: "CREATE TABLE T (A)", Columns: []sqlitefile.Column{{Name: "A"}}, Rows: [][]any{{1.5}}})
	_, err := w.Bytes()
	assert.ErrorContains(t, err, "is a float64")
}
