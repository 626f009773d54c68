package aitest

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/ddl"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/testkit/testpg"
)

// Logins of the test server, besides its owner.
const (
	ReadLogin  = "aiq_login" // may select, and nothing else
	AuditLogin = "aiq_audit" // may write AIG_QueryLog once Grant was called, and nothing else
)

// Schema is where the ERP's tables are.
const Schema = "adempiere"

// templates are the databases that tests get copies of, made once per test
// binary.
var templates struct {
	mu            sync.Mutex
	full, reduced string // addresses; nobody is connected to them
	copies        int
}

// Postgres makes a PostgreSQL database with the rows of [Embedded] and returns
// its address, as the owner of everything.
func Postgres(t testing.TB) string {
	t.Helper()
	templates.mu.Lock()
	defer templates.mu.Unlock()
	return duplicateLocked(t, fullLocked(t))
}

// Reduced makes the database that is left of [Postgres] for [Reader]: rows,
// columns and tables it may not see are gone, redacted columns hold the mask.
func Reduced(t testing.TB) string {
	t.Helper()
	templates.mu.Lock()
	defer templates.mu.Unlock()
	if templates.reduced == "" { // which few test binaries need
		address := duplicateLocked(t, fullLocked(t))
		reduce(t, address)
		templates.reduced = address
	}
	return duplicateLocked(t, templates.reduced)
}

// As is the address with another login.
func As(t testing.TB, address, login string) string {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	u.User = url.User(login)
	return u.String()
}

func fullLocked(t testing.TB) string {
	t.Helper()
	if templates.full == "" {
		address := testpg.URL(t)
		build(t, address)
		templates.full = address
	}
	return templates.full
}

func duplicateLocked(t testing.TB, template string) string {
	t.Helper()
	u, err := url.Parse(template)
	require.NoError(t, err)
	source := strings.TrimPrefix(u.Path, "/")
	templates.copies++
	name := fmt.Sprintf("%s_%d", source, templates.copies)
	u.Path = "/postgres"
	conn := connect(t, u.String())
	defer conn.Close(context.WithoutCancel(t.Context()))
	exec(t, conn, "CREATE DATABASE "+name+" STRATEGY file_copy TEMPLATE "+source) // half the work for so many files
	exec(t, conn, "REVOKE TEMP ON DATABASE "+name+" FROM PUBLIC")                 // privileges on the database are not copied
	u.Path = "/" + name
	return u.String()
}

func connect(t testing.TB, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	return conn
}

func exec(t testing.TB, conn *pgx.Conn, statement string) {
	t.Helper()
	_, err := conn.PgConn().Exec(t.Context(), statement).ReadAll()
	require.NoError(t, err, "%.600s", statement)
}

// build copies the embedded ERP.
func build(t testing.TB, address string) {
	t.Helper()
	srv := Embedded(t)
	db := srv.Database()
	defer func() { require.NoError(t, db.Close()) }()
	source, err := dbdict.New(db, dbdict.SQLite, nil)
	require.NoError(t, err)
	catalog, err := registry.LoadCatalog(t.Context(), source)
	require.NoError(t, err)

	conn := connect(t, address)
	defer conn.Close(context.WithoutCancel(t.Context()))
	exec(t, conn, `CREATE SCHEMA adempiere; SET search_path = adempiere; SET synchronous_commit = off; BEGIN`)
	names := tableNames(t, db)
	var script strings.Builder
	var loads []func()
	for _, name := range names {
		physical := describe(t, catalog, db, name)
		script.WriteString(ddl.CreateTable(physical, dict.PostgreSQL, ddl.Native) + ";\n")
		loads = append(loads, func() { load(t, conn, db, physical) })
	}
	exec(t, conn, script.String())
	for _, l := range loads {
		l()
	}
	// The ERP has many indexes. What is compared before each statement reads by this one.
	exec(t, conn, "CREATE UNIQUE INDEX ad_column_name ON ad_column (ad_table_id, upper(columnname))")
	exec(t, conn, functions)
	for _, v := range views() {
		exec(t, conn, "CREATE VIEW "+v.name+" AS "+v.query)
	}
	exec(t, conn, logins)
	exec(t, conn, "COMMIT; ANALYZE")
}

func tableNames(t testing.TB, db *sql.DB) []string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite%' AND name<>'REST_AbsentTable' ORDER BY name`)
	require.NoError(t, err)
	defer rows.Close()
	var names []string
	for rows.Next() {
		var n string
		require.NoError(t, rows.Scan(&n))
		names = append(names, n)
	}
	require.NoError(t, rows.Err())
	return names
}

// describe is a table of the embedded database as PostgreSQL has it: with the
// types the dictionary says, and text for what it does not know.
func describe(t testing.TB, catalog *registry.Catalog, db *sql.DB, name string) *dict.Physical {
	t.Helper()
	known := map[string]dict.PhysicalColumn{}
	if physical, err := ddl.FromRegistry(t.Context(), catalog, name); err == nil {
		for _, c := range physical.Columns {
			c.Default, c.Foreign = "", nil // functions and order are of no concern here
			known[strings.ToLower(c.Name)] = c
		}
	} else if !errors.Is(err, registry.ErrNotFound) {
		require.NoError(t, err)
	}
	out := &dict.Physical{Table: name}
	rows, err := db.QueryContext(t.Context(), `SELECT name, type, pk FROM pragma_table_info(?)`, name)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var column, kind string
		var pk int
		require.NoError(t, rows.Scan(&column, &kind, &pk))
		c, ok := known[strings.ToLower(column)]
		if !ok {
			c = dict.PhysicalColumn{Name: column, Type: dict.TypeTextLong}
			if kind == "INTEGER" {
				c.Type, c.Length = dict.TypeInteger, 10
			}
		}
		out.Columns = append(out.Columns, c)
	}
	require.NoError(t, rows.Err())
	return out
}

// load copies a table's rows.
func load(t testing.TB, conn *pgx.Conn, db *sql.DB, table *dict.Physical) {
	t.Helper()
	var from, to []string
	for _, c := range table.Columns {
		from = append(from, `"`+c.Name+`"`)
		to = append(to, ddl.Name(c.Name, dict.PostgreSQL))
	}
	rows, err := db.QueryContext(t.Context(), "SELECT "+strings.Join(from, ", ")+` FROM "`+table.Table+`"`)
	require.NoError(t, err)
	defer rows.Close()
	var text bytes.Buffer
	escape := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`)
	values, scan := make([]any, len(from)), make([]any, len(from))
	for i := range values {
		scan[i] = &values[i]
	}
	for rows.Next() {
		require.NoError(t, rows.Scan(scan...))
		for i, v := range values {
			if i > 0 {
				text.WriteByte('\t')
			}
			switch v := v.(type) {
			case nil:
				text.WriteString(`\N`)
			case []byte:
				text.WriteString(`\\x` + hex.EncodeToString(v))
			default:
				text.WriteString(escape.Replace(fmt.Sprint(v)))
			}
		}
		text.WriteByte('\n')
	}
	require.NoError(t, rows.Err())
	_, err = conn.PgConn().CopyFrom(t.Context(), &text, "COPY "+table.Table+" ("+strings.Join(to, ", ")+") FROM STDIN")
	require.NoError(t, err, table.Table)
}

// functions are what ERP schemas have, harmless and not.
const functions = `
CREATE FUNCTION getdate() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT now()';
CREATE FUNCTION nvl(numeric, numeric) RETURNS numeric LANGUAGE sql IMMUTABLE AS 'SELECT coalesce($1, $2)';
CREATE FUNCTION nvl(text, text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT coalesce($1, $2)';
CREATE FUNCTION charat(text, numeric) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT substr($1, $2::int, 1)';
CREATE FUNCTION daysbetween(timestamptz, timestamptz) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT extract(day FROM $1 - $2)::int';
CREATE FUNCTION lower(numeric) RETURNS text LANGUAGE sql SECURITY DEFINER AS 'SELECT string_agg(password, '','') FROM adempiere.ad_user';
CREATE FUNCTION peek(ad_user) RETURNS text LANGUAGE sql SECURITY DEFINER AS 'SELECT string_agg(password, '','') FROM adempiere.ad_user';
CREATE FUNCTION bompricestd(numeric, numeric) RETURNS numeric LANGUAGE sql STABLE AS 'SELECT max(grandtotal) FROM adempiere.c_order';
CREATE FUNCTION run_sql(text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS 'DECLARE r text; BEGIN EXECUTE $1 INTO r; RETURN r; END';
CREATE FUNCTION plus_any(numeric, text) RETURNS text LANGUAGE sql SECURITY DEFINER AS 'SELECT string_agg(password, '','') FROM adempiere.ad_user';
CREATE OPERATOR + (LEFTARG = numeric, RIGHTARG = text, FUNCTION = plus_any);
`

// logins makes the logins, which belong to the whole server.
const logins = `
DO $$ BEGIN
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'aiq_login') THEN
		CREATE ROLE aiq_login LOGIN NOINHERIT;
		ALTER ROLE aiq_login SET temp_file_limit = '1GB';
	END IF;
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'aiq_audit') THEN CREATE ROLE aiq_audit LOGIN NOINHERIT; END IF;
END $$;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA adempiere TO aiq_login, aiq_audit;
GRANT SELECT ON ALL TABLES IN SCHEMA adempiere TO aiq_login;
`
