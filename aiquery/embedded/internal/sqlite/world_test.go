package sqlite_test

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/erphub/erphub/aiquery/embedded/internal/sqlite"
	"github.com/erphub/erphub/internal/testkit/testpg"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	_ "modernc.org/sqlite" // the driver named "sqlite"
)

// tables are the test's base tables: PostgreSQL type per column. They are kept
// in SQLite as the embedded ERP keeps them.
var tables = map[string][][2]string{
	"c_order": {
		{"c_order_id", "numeric"}, {"c_bpartner_id", "numeric"}, {"documentno", "varchar"}, {"dateordered", "timestamp"},
		{"grandtotal", "numeric"}, {"qty", "numeric"}, {"issotrx", "bpchar"}, {"note", "text"}, {"line", "int4"}, {"rate", "float8"},
	},
	"c_bpartner": {
		{"c_bpartner_id", "numeric"}, {"name", "varchar"}, {"parent_id", "numeric"}, {"created", "timestamp"}, {"updated", "timestamptz"}, {"isactive", "bpchar"}, {"limit_amt", "numeric"},
	},
}

// integers are the numeric columns that SQLite keeps as INTEGER.
var integers = []string{"c_order_id", "c_bpartner_id", "parent_id"}

func source(table string) []sqlite.Column {
	var cols []sqlite.Column
	for _, c := range tables[table] {
		cols = append(cols, sqlite.Column{Name: c[0], Type: c[1], Integer: slices.Contains(integers, c[0])})
	}
	return cols
}

// world is the same rows in PostgreSQL and in SQLite.
type world struct {
	mu   sync.Mutex // one statement at a time on the connection to PostgreSQL
	pg   *pgx.Conn
	lite *sql.DB
}

func newWorld(t testing.TB) *world {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), testpg.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{pg: conn, lite: openLite(t)}
	t.Cleanup(func() {
		conn.Close(context.Background()) //nolint:usetesting // the test's own context is over
	})
	run := func(statement string) {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	run("SET TimeZone='UTC'; SET DateStyle='ISO, YMD'; SET IntervalStyle='iso_8601'; CREATE SCHEMA adempiere; SET search_path=adempiere; SET jit=off; SET enable_hashagg=on")
	for name, cols := range tables {
		var list []string
		for _, c := range cols {
			list = append(list, c[0]+" "+strings.Replace(c[1], "bpchar", "char(1)", 1))
		}
		run("CREATE TABLE " + name + "(" + strings.Join(list, ",") + ")")
	}
	w.fill(t)
	return w
}

// openLite makes the tables in SQLite.
func openLite(t testing.TB) *sql.DB {
	t.Helper()
	lite, err := sql.Open("sqlite", "file:"+t.TempDir()+"/world.db?_pragma=synchronous(OFF)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lite.Close() })
	kinds := map[string]string{"timestamp": "TIMESTAMPTEXT", "timestamptz": "TIMESTAMPTEXT", "int4": "INTEGER", "float8": "REAL", "numeric": "DECIMALTEXT"}
	for name, cols := range tables {
		var list []string
		for _, c := range cols {
			kind := cmp.Or(kinds[c[1]], "TEXT")
			if slices.Contains(integers, c[0]) {
				kind = "INTEGER"
			}
			list = append(list, c[0]+" "+kind)
		}
		if _, err := lite.ExecContext(t.Context(), "CREATE TABLE "+name+"("+strings.Join(list, ",")+")"); err != nil {
			t.Fatal(err)
		}
	}
	return lite
}

// fill inserts rows made from a fixed seed, with NULLs, equal numbers of
// different scale, and texts that try the rules of comparing.
func (w *world) fill(t testing.TB) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(7, 7))
	pick := func(list ...string) string { return list[rnd.IntN(len(list))] }
	text := func() string {
		return pick("NULL", "'Alpha'", "'alpha'", "'Beta GmbH'", "'Ünal & Söhne'", "''", "'10'", "'9'", "'50% off_x'", "'O''Neil'", "' blank '", "'ÄÖÜ'")
	}
	number := func() string {
		return pick("NULL", "0", "0.00", "1", "1.0", "1.00", "-1.5", "2.50", "2.5", "100", "99.995", "1234567.891", "0.001", "-0.5", "12345678901234567890.12", "3", "7", "7.0")
	}
	stamp := func() string {
		return pick("NULL", "'2024-01-31 00:00:00'", "'2024-02-29 13:45:10'", "'2023-12-31 23:59:59'", "'2024-03-01 00:00:00'", "'2020-02-29 12:00:00'", "'2024-01-15 08:00:00'", "'1999-12-31 00:00:01'")
	}
	insert := func(table string, values ...string) {
		lite := make([]string, len(values))
		for i, v := range values {
			lite[i] = v
			if c := tables[table][i]; c[1] == "numeric" && !slices.Contains(integers, c[0]) && v != "NULL" {
				lite[i] = "'" + v + "'"
			}
			if c := tables[table][i]; c[1] == "timestamptz" && v != "NULL" {
				lite[i] = strings.TrimSuffix(v, "'") + ".000'"
			}
		}
		if _, err := w.pg.Exec(t.Context(), "INSERT INTO "+table+" VALUES("+strings.Join(values, ",")+")"); err != nil {
			t.Fatal(err)
		}
		if _, err := w.lite.ExecContext(t.Context(), "INSERT INTO "+table+" VALUES("+strings.Join(lite, ",")+")"); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 12 {
		parent := "NULL"
		if i > 2 {
			parent = fmt.Sprint(100 + i/3)
		}
		insert("c_bpartner", fmt.Sprint(100+i), text(), parent, stamp(), stamp(), pick("'Y'", "'N'"), number())
	}
	for i := range 60 {
		insert("c_order", fmt.Sprint(1000+i), pick("NULL", "100", "101", "102", "105", "111", "999"), fmt.Sprintf("'D%03d'", i%40), stamp(), number(), number(), pick("'Y'", "'N'", "NULL"), text(), pick("NULL", "10", "20", "30", "-7"), pick("NULL", "0.5", "-2.25", "1e10", "3", "2.5"))
	}
}

// result is what a statement gave: its columns and rows as text, or an error.
type result struct {
	columns []string
	types   []string
	rows    []string
	err     error
	code    string
}

func (w *world) postgres(ctx context.Context, statement string, params ...any) result {
	w.mu.Lock()
	defer w.mu.Unlock()
	args := make([][]byte, len(params))
	for i, p := range params {
		if p != nil {
			args[i] = []byte(p.(string))
		}
	}
	reader := w.pg.PgConn().ExecParams(ctx, statement, args, nil, nil, nil)
	var rows [][][]byte
	for reader.NextRow() {
		row := make([][]byte, len(reader.Values()))
		for i, v := range reader.Values() {
			row[i] = bytes.Clone(v)
		}
		rows = append(rows, row)
	}
	fields := reader.FieldDescriptions()
	if _, err := reader.Close(); err != nil {
		a := result{err: err}
		if pe, ok := err.(*pgconn.PgError); ok { //nolint:errorlint // as the driver gives it
			a.code = pe.Code
		}
		return a
	}
	var a result
	for _, f := range fields {
		a.columns = append(a.columns, f.Name)
		name := fmt.Sprint(f.DataTypeOID)
		if typ, ok := w.pg.TypeMap().TypeForOID(f.DataTypeOID); ok {
			name = typ.Name
		}
		if elem, ok := strings.CutPrefix(name, "_"); ok {
			name = elem + "[]"
		}
		a.types = append(a.types, name)
	}
	for _, row := range rows {
		parts := make([]string, len(row))
		for i, v := range row {
			parts[i] = "NULL"
			if v != nil {
				parts[i] = "=" + strings.TrimRight(string(v), " ")
			}
		}
		a.rows = append(a.rows, strings.Join(parts, " | "))
	}
	return a
}

func (w *world) embedded(ctx context.Context, statement string, params ...any) (result, string) {
	tree, err := parse(statement)
	if err != nil {
		return result{err: err}, ""
	}
	st, err := sqlite.Render(tree, source)
	if err != nil {
		return result{err: err}, ""
	}
	a := result{}
	for _, c := range st.Columns {
		a.columns = append(a.columns, c.Name)
		a.types = append(a.types, c.Type)
	}
	rows, err := w.lite.QueryContext(ctx, st.SQL, params...)
	if err != nil {
		return result{err: err, code: sqlite.ErrorCode(err)}, st.SQL
	}
	defer rows.Close()
	for rows.Next() {
		values, scan := make([]any, len(st.Columns)), make([]any, len(st.Columns))
		for i := range values {
			scan[i] = &values[i]
		}
		if err := rows.Scan(scan...); err != nil {
			return result{err: err}, st.SQL
		}
		parts := make([]string, len(values))
		for i, v := range values {
			parts[i] = "NULL"
			if text, ok := sqlite.Text(st.Columns[i].Type, v); ok {
				parts[i] = "=" + strings.TrimRight(text, " ")
			}
		}
		a.rows = append(a.rows, strings.Join(parts, " | "))
	}
	if err := rows.Err(); err != nil {
		return result{err: err, code: sqlite.ErrorCode(err)}, st.SQL
	}
	return a, st.SQL
}
