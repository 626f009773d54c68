package pgmirror_test

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/pgmirror"
	"github.com/erphub/erphub/internal/testkit/testpg"
)

// The copy has the rows, the column types that the ERP has in PostgreSQL, and the
// keys. With -short it is one of fewer tables.
func TestCopy(t *testing.T) {
	t.Parallel()
	start := fewer
	if !testing.Short() {
		start = func(t *testing.T, o ...erptest.Options) *erptest.Server { t.Helper(); return erptest.New(t, o...) }
	}
	srv := start(t)
	address := testpg.URL(t)
	m := open(t, srv, pgmirror.Options{URL: address})
	conn := connect(t, address)
	same(t, srv, m, conn, nil, "at the start")
	assert.Equal(t, []string{
		"c_bpartner_id numeric(10,0)", "documentno character varying(30)", "dateordered timestamp without time zone", "grandtotal numeric",
		"isactive character(1)", "c_order_uu uuid",
	}, list(t, conn, `SELECT attname || ' ' || format_type(atttypid, atttypmod) FROM pg_attribute
		WHERE attrelid = 'adempiere.c_order'::regclass AND attname IN ('grandtotal', 'dateordered', 'isactive', 'documentno', 'c_bpartner_id', 'c_order_uu')
		ORDER BY array_position(ARRAY['c_bpartner_id', 'documentno', 'dateordered', 'grandtotal', 'isactive', 'c_order_uu']::name[], attname)`))
	assert.Equal(t, []string{"PRIMARY KEY (c_order_id)"}, list(t, conn, `SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'adempiere.c_order'::regclass`))
	require.NotContains(t, m.String(), "test@")
}

// counting counts what is read of the ERP.
type counting struct {
	*erptest.Server
	snapshots atomic.Int64
}

func (c *counting) Snapshot(ctx context.Context, fn func(*sql.Tx, uint64) error) error {
	c.snapshots.Add(1)
	return c.Server.Snapshot(ctx, fn)
}

// Nothing is read while nothing was written, and only what was written is written
// to the copy.
func TestCheap(t *testing.T) {
	t.Parallel()
	srv := &counting{Server: fewer(t)}
	address := testpg.URL(t)
	m, err := pgmirror.Open(t.Context(), srv, pgmirror.Options{URL: address, Empty: []string{"AD_Session"}})
	require.NoError(t, err)
	defer m.Close()
	conn := connect(t, address)
	written := func() []string { // the rows' versions say which transaction wrote them
		return list(t, conn, `SELECT count(*)::text FROM adempiere.c_bpartner GROUP BY xmin ORDER BY 1`)
	}
	before := srv.snapshots.Load()
	all := written()
	require.Len(t, all, 1)
	for range 100 {
		enter(t, m)
	}
	require.NoError(t, srv.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(t.Context(), `UPDATE AD_Session SET Processed='Y'`)
		return err
	}, "AD_Session"))
	enter(t, m)
	assert.Equal(t, before, srv.snapshots.Load())
	write(t, srv.Server, `UPDATE C_BPartner SET Name='Changed' WHERE C_BPartner_ID=118`) // any table, for all it says
	enter(t, m)
	assert.Equal(t, before+1, srv.snapshots.Load())
	assert.Contains(t, written(), "1", "one row of all was written")
	assert.Len(t, written(), 2)
	assert.Equal(t, []string{"0"}, list(t, conn, `SELECT count(*)::text FROM adempiere.ad_session`))
}

// Tables, columns and views come, change and go.
func TestStructure(t *testing.T) {
	t.Parallel()
	srv := fewer(t)
	address := testpg.URL(t)
	m, conn := open(t, srv, pgmirror.Options{URL: address, Empty: large()}), connect(t, address)
	columns := func(table string) string {
		return strings.Join(list(t, conn, `SELECT attname || ' ' || format_type(atttypid, atttypmod) FROM pg_attribute
			WHERE attrelid = to_regclass($1::text) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`, "adempiere."+table), ", ")
	}
	for _, step := range []struct {
		name       string
		statements []string
		table      string
		want       string
	}{
		{"a table that the dictionary does not have", []string{`CREATE TABLE "Loose" (A INTEGER)`}, "loose", ""},
		{"it comes into the dictionary", []string{dictionaryOf("Loose"), `INSERT INTO Loose VALUES (1), (1)`}, "loose", "a numeric(10,0)"},
		{"a column", []string{`ALTER TABLE Loose ADD COLUMN "B ""x" TEXT`, `UPDATE Loose SET "B ""x"='y'`}, "loose", `a numeric(10,0), b "x text`},
		{"made anew with the same columns", []string{`DROP TABLE Loose`, `CREATE TABLE "Loose" (A INTEGER, "B ""x" TEXT)`}, "loose", `a numeric(10,0), b "x text`},
		{"a view", []string{`CREATE VIEW Loose_V AS SELECT A AS N FROM Loose`}, "loose_v", "n numeric(10,0)"},
		{"its table changes below it", []string{`ALTER TABLE Loose ADD COLUMN C DECIMALTEXT`}, "loose_v", "n numeric(10,0)"},
		{"a view that PostgreSQL cannot have", []string{`CREATE VIEW Other_V AS SELECT group_concat(DISTINCT A) FROM Loose`}, "other_v", ""},
		{"the others stay", []string{`INSERT INTO Loose (A) VALUES (7)`}, "loose_v", "n numeric(10,0)"},
		{"a type of the dictionary without a synchronization", []string{`UPDATE AD_Column SET AD_Reference_ID=15 WHERE ColumnName='DocumentNo' AND AD_Table_ID=259`}, "c_uom", columns("c_uom")},
		{"the views go", []string{`DROP VIEW Other_V`, `DROP VIEW Loose_V`}, "loose_v", ""},
		{"the table goes", []string{`DROP TABLE Loose`}, "loose", ""},
	} {
		write(t, srv, step.statements...)
		same(t, srv, m, conn, large(), step.name)
		require.Equal(t, step.want, columns(step.table), step.name)
	}
}

// What the embedded ERP takes and PostgreSQL does not is copied all the same.
func TestMisfits(t *testing.T) {
	if testing.Short() {
		t.Skip("fills a PostgreSQL several times")
	}
	t.Parallel()
	srv := fewer(t)
	address := testpg.URL(t)
	m, conn := open(t, srv, pgmirror.Options{URL: address, Empty: large()}), connect(t, address)
	write(t, srv, `UPDATE C_BPartner SET Value=printf('%.200c', 'x'), C_BPartner_UU='no UUID' WHERE C_BPartner_ID=118`,
		`UPDATE C_Order SET C_BPartner_ID=12345678901 WHERE C_Order_ID=(SELECT MIN(C_Order_ID) FROM C_Order)`,
		`UPDATE C_Order SET DateOrdered='soon', GrandTotal='much' WHERE C_Order_ID=(SELECT MAX(C_Order_ID) FROM C_Order)`,
		`CREATE TABLE Twice (K VARCHAR(9) NOT NULL, V TEXT, PRIMARY KEY (K))`, dictionaryOf("Twice"))
	same(t, srv, m, conn, large(), "values")
	assert.Equal(t, []string{"character varying", "text"}, list(t, conn, `SELECT format_type(atttypid, atttypmod) FROM pg_attribute
		WHERE attrelid='adempiere.c_bpartner'::regclass AND attname IN ('value', 'c_bpartner_uu') ORDER BY 1`))
	write(t, srv, `UPDATE C_BPartner SET Name=char(0) || CAST(x'ff' AS TEXT) WHERE C_BPartner_ID=118`)
	enter(t, m)
	assert.Equal(t, []string{"\uFFFD\uFFFD"}, list(t, conn, `SELECT name FROM adempiere.c_bpartner WHERE c_bpartner_id=118`))
}

// Values that do not fit are no reason to make all tables again.
func TestMisfitsAtTheStart(t *testing.T) {
	t.Parallel()
	srv := &counting{Server: fewer(t)}
	address := testpg.URL(t)
	write(t, srv.Server, `UPDATE C_BPartner SET Value=printf('%.200c', 'x'), C_BPartner_UU='no UUID' WHERE C_BPartner_ID=118`,
		`UPDATE C_Order SET C_BPartner_ID=12345678901 WHERE C_Order_ID=(SELECT MIN(C_Order_ID) FROM C_Order)`,
		`UPDATE C_Order SET DateOrdered='soon' WHERE C_Order_ID=(SELECT MAX(C_Order_ID) FROM C_Order)`)
	m, err := pgmirror.Open(t.Context(), srv, pgmirror.Options{URL: address, Empty: large()})
	require.NoError(t, err)
	defer m.Close()
	assert.EqualValues(t, 1, srv.snapshots.Load(), "the ERP was read again")
	conn := connect(t, address)
	same(t, srv.Server, m, conn, large(), "misfits")
	assert.Equal(t, []string{"text"}, list(t, conn, `SELECT format_type(atttypid, atttypmod) FROM pg_attribute
		WHERE attrelid='adempiere.c_order'::regclass AND attname='dateordered'`))

	// The table is taken for what it is: another change does not make it again.
	was := list(t, conn, `SELECT 'adempiere.c_order'::regclass::oid::text`)
	write(t, srv.Server, dictionaryOf("Twice"), `CREATE TABLE Twice (K VARCHAR(9) NOT NULL, V TEXT, PRIMARY KEY (K))`)
	same(t, srv.Server, m, conn, large(), "another table")
	assert.Equal(t, was, list(t, conn, `SELECT 'adempiere.c_order'::regclass::oid::text`))
}

// A schema that no sandbox has made stays as it is, and so does what others put
// into one that a sandbox has made.
func TestForeign(t *testing.T) {
	if testing.Short() {
		t.Skip("fills a PostgreSQL several times")
	}
	t.Parallel()
	srv := fewer(t)
	address := testpg.URL(t)
	options := pgmirror.Options{URL: address, Empty: large()}
	conn := connect(t, address)
	exec := func(statement string) {
		t.Helper()
		_, err := conn.PgConn().Exec(t.Context(), statement).ReadAll()
		require.NoError(t, err)
	}
	objects := func() []string {
		return list(t, conn, `SELECT relnamespace::regnamespace || '.' || relname FROM pg_class WHERE relnamespace::regnamespace::text IN ('adempiere', 'public')
			AND relkind IN ('r', 'v') ORDER BY 1`)
	}
	refused := func(name, before, says string) {
		t.Helper()
		exec(before)
		was := objects()
		_, err := pgmirror.Open(t.Context(), srv, options)
		require.ErrorIs(t, err, pgmirror.ErrForeign, name)
		require.ErrorContains(t, err, says, name)
		require.ErrorContains(t, err, "name another database", name)
		require.Equal(t, was, objects(), name)
	}
	filled := func(name string) {
		t.Helper()
		m, err := pgmirror.Open(t.Context(), srv, options)
		require.NoError(t, err, name)
		same(t, srv, m, conn, large(), name)
		require.NoError(t, m.Close())
	}
	refused("an empty schema", "CREATE SCHEMA adempiere", "not made by a sandbox")
	refused("an ERP's schema", "CREATE TABLE adempiere.c_order (kept int)", "not made by a sandbox")
	exec("DROP SCHEMA adempiere CASCADE")
	filled("an empty database")
	refused("another mark", "COMMENT ON SCHEMA adempiere IS 'ours'", "not made by a sandbox")
	exec("COMMENT ON SCHEMA adempiere IS 'copy of an erphub sandbox, made anew when it starts'")
	refused("somebody's table in ours", "CREATE TABLE adempiere.theirs (kept int)", "objects of others")
	exec("DROP TABLE adempiere.theirs")
	refused("somebody's view on ours", "CREATE VIEW public.theirs AS SELECT name FROM adempiere.c_bpartner", "objects of others")
	exec("DROP VIEW public.theirs; DELETE FROM adempiere.c_order")
	filled("a copy of an earlier one")
}

// One database serves one copy at a time, also when the server has broken the
// connection in between.
func TestTwo(t *testing.T) {
	if testing.Short() {
		t.Skip("fills a PostgreSQL several times")
	}
	t.Parallel()
	srv, other := fewer(t), fewer(t)
	address := testpg.URL(t)
	o := pgmirror.Options{URL: address, Empty: large()}
	m, conn := open(t, srv, o), connect(t, address)
	_, err := pgmirror.Open(t.Context(), other, o)
	require.ErrorIs(t, err, pgmirror.ErrInUse)
	same(t, srv, m, conn, large(), "after another one was refused")

	cut := func() {
		require.Equal(t, []string{"true"}, list(t, conn, `SELECT pg_terminate_backend(pid, 10000)::text FROM pg_locks WHERE locktype='advisory' AND database=(SELECT oid FROM pg_database WHERE datname=current_database())`))
	}
	cut()
	write(t, srv, `UPDATE C_BPartner SET Name='After' WHERE C_BPartner_ID=118`)
	same(t, srv, m, conn, large(), "after the connection was lost")

	cut()
	theirs, err := pgmirror.Open(t.Context(), other, o)
	require.NoError(t, err)
	require.Eventually(t, func() bool { // nothing was written, and yet the copy is another one's
		_, err := m.Enter(t.Context())
		return errors.Is(err, pgmirror.ErrInUse)
	}, 20*time.Second, 50*time.Millisecond)
	require.NoError(t, theirs.Close())
	same(t, srv, m, conn, large(), "after the other one has ended")
}

// A login that may not create schemas is told what is missing; addresses stay secret.
func TestErrors(t *testing.T) {
	t.Parallel()
	srv := fewer(t)
	address := testpg.URL(t)
	conn := connect(t, address)
	_, err := conn.PgConn().Exec(t.Context(), `DO $$ BEGIN CREATE ROLE mirror_poor LOGIN; EXCEPTION WHEN duplicate_object THEN END $$`).ReadAll()
	require.NoError(t, err)
	u, err := url.Parse(address)
	require.NoError(t, err)
	u.User = url.UserPassword("mirror_poor", "s3cret")
	for name, tt := range map[string]struct {
		o    pgmirror.Options
		says string
	}{
		"a login that may not": {pgmirror.Options{URL: u.String()}, "GRANT CREATE ON DATABASE"},
		"no server":            {pgmirror.Options{URL: "postgres://u:s3cret@127.0.0.1:1/x"}, "127.0.0.1:1"},
		"no address":           {pgmirror.Options{URL: "s3cret"}, "postgres://user@host/database"},
		"a hostile schema":     {pgmirror.Options{URL: address, Schema: `x"; DROP`}, "not a plain name"},
		"the server's schema":  {pgmirror.Options{URL: address, Schema: "pg_catalog"}, "not a plain name"},
		"no such reader":       {pgmirror.Options{URL: address, Reader: `no "body`}, `no "body`},
	} {
		_, err := pgmirror.Open(t.Context(), srv, tt.o)
		require.ErrorContains(t, err, tt.says, name)
		assert.NotContains(t, err.Error(), "s3cret", name)
	}
}

// The reader may select, also from tables that come later, and nothing else.
func TestReader(t *testing.T) {
	t.Parallel()
	srv := fewer(t)
	address := testpg.URL(t)
	conn := connect(t, address)
	_, err := conn.PgConn().Exec(t.Context(), `DO $$ BEGIN CREATE ROLE mirror_reader LOGIN; EXCEPTION WHEN duplicate_object THEN END $$`).ReadAll()
	require.NoError(t, err)
	m := open(t, srv, pgmirror.Options{URL: address, Reader: "mirror_reader", Empty: large()})
	write(t, srv, `CREATE TABLE Later (A INTEGER PRIMARY KEY)`, dictionaryOf("Later"), `INSERT INTO Later VALUES (5)`)
	enter(t, m)
	u, err := url.Parse(address)
	require.NoError(t, err)
	u.User = url.User("mirror_reader")
	reader := connect(t, u.String())
	assert.Equal(t, []string{"5"}, list(t, reader, `SELECT a::text FROM adempiere.later`))
	for _, statement := range []string{
		`DELETE FROM adempiere.later`, `INSERT INTO adempiere.c_order (c_order_id) VALUES (1)`, `CREATE TABLE adempiere.x (a int)`, `DROP TABLE adempiere.later`,
	} {
		_, err := reader.Exec(t.Context(), statement)
		assert.ErrorContains(t, err, "42501", statement)
	}
}

// A caller who leaves does not spoil the copy for others, and a closed one says so.
func TestLeaving(t *testing.T) {
	t.Parallel()
	srv := fewer(t)
	m, err := pgmirror.Open(t.Context(), srv, pgmirror.Options{URL: testpg.URL(t), Empty: large()})
	require.NoError(t, err)
	write(t, srv, `UPDATE C_BPartner SET Name='x' WHERE C_BPartner_ID=118`)
	gone, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	_, err = m.Enter(gone)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	enter(t, m)
	require.NoError(t, m.Close())
	_, err = m.Enter(t.Context())
	require.ErrorContains(t, err, "closed")
	require.NoError(t, m.Close())
}
