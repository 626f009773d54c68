package aiquery_test

import (
	"database/sql"
	"os"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/embedded"
	"github.com/erphub/erphub/aiquery/postgres"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/migration"
	"github.com/erphub/erphub/dict/pack"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/testkit/aitest"
	"github.com/erphub/erphub/internal/testkit/testpg"
)

// specified are the audit's columns as the specification spells them.
var specified = []string{
	"AIG_Provider_ID", "AD_User_ID", "CreatedBy", "AD_Role_ID", "AIG_QuerySQL", "AIG_SecuredSQL", "AIG_QueryStatus", "AIG_ErrorMessage",
	"AIG_RowCount", "AIG_ExecutionTimeMs", "AIG_TablesAccessed",
}

func TestAuditTableIsAsSpecified(t *testing.T) {
	t.Parallel()
	table := aiquery.AuditTable()
	names := map[string]bool{}
	for _, c := range table.AllColumns() {
		names[c.Name] = true
	}
	for _, name := range specified {
		assert.True(t, names[name], name)
	}
	plan, err := aiquery.AuditPlan()
	require.NoError(t, err)
	assert.NotEmpty(t, plan.Steps())
}

// However the plan is brought in, the rule who may read comes along.
func TestAuditPlanHasItsRule(t *testing.T) {
	t.Parallel()
	plan, err := aiquery.AuditPlan()
	require.NoError(t, err)
	texts := map[string]string{}
	archive, err := pack.XML(plan, nil)
	require.NoError(t, err)
	texts["package"] = string(archive)
	for name, dialect := range map[string]dict.Dialect{"PostgreSQL": dict.PostgreSQL, "Oracle": dict.Oracle} {
		script, err := migration.Build(plan, dialect, &migration.Options{Time: time.Unix(0, 0)})
		require.NoError(t, err)
		texts[name] = script.Text()
	}
	for name, text := range texts {
		assert.Contains(t, text, "@#AD_Role_ID@", name)
		assert.Contains(t, text, "AD_TableValRule_UU", name)
		assert.NotContains(t, text, "AD_TableValRule_ID", "%s: the table has no such column", name)
	}
}

// installs makes the table, twice, and looks at it.
func installs(t *testing.T, db *sql.DB, address string) {
	t.Helper()
	engineDB, err := postgres.Open(t.Context(), address, nil)
	require.NoError(t, err)
	defer func() { assert.NoError(t, engineDB.Close()) }()
	for range 2 {
		require.NoError(t, aiquery.Install(t.Context(), engineDB))
	}
	rows, err := db.QueryContext(t.Context(), `SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
		WHERE attrelid = 'adempiere.aig_querylog'::regclass AND attnum > 0`)
	require.NoError(t, err)
	defer rows.Close()
	types := map[string]string{}
	for rows.Next() {
		var name, kind string
		require.NoError(t, rows.Scan(&name, &kind))
		types[name] = kind
	}
	require.NoError(t, rows.Err())
	for _, name := range specified {
		assert.Contains(t, types, strings.ToLower(name))
	}
	assert.Equal(t, "text", types["aig_querysql"])
	assert.Equal(t, "text", types["aig_securedsql"])
	assert.Equal(t, "numeric(10,0)", types["aig_querylog_id"])
	var unique int
	require.NoError(t, db.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
		WHERE i.indrelid = 'adempiere.aig_querylog'::regclass AND i.indisunique AND a.attname = 'aig_querylog_uu' AND i.indnatts = 1`).Scan(&unique))
	assert.Equal(t, 1, unique, "a record is written once")
}

func TestInstallOnPostgres(t *testing.T) {
	t.Parallel()
	t.Run("bare", func(t *testing.T) {
		t.Parallel()
		address := aitest.Postgres(t)
		db, err := sql.Open("pgx", address)
		require.NoError(t, err)
		defer db.Close()
		installs(t, db, address)
	})
	t.Run("through the dictionary", func(t *testing.T) {
		t.Parallel()
		address := testpg.URL(t)
		db, err := sql.Open("pgx", address)
		require.NoError(t, err)
		defer db.Close()
		conn, err := db.Conn(t.Context())
		require.NoError(t, err)
		defer conn.Close()
		run := func(statement string, args ...any) {
			t.Helper()
			_, err := conn.ExecContext(t.Context(), statement, args...)
			require.NoError(t, err, statement)
		}
		run("CREATE SCHEMA adempiere")
		run("SET search_path TO adempiere, public")
		for _, file := range []string{"dictionary", "functions"} {
			text, err := os.ReadFile("../dict/migration/testdata/" + file + ".sql")
			require.NoError(t, err)
			parts, err := migration.Split(string(text), dict.PostgreSQL)
			require.NoError(t, err)
			for _, p := range parts {
				run(p.Text)
			}
		}
		// What every ERP has and the plan refers to by number.
		plan, err := aiquery.AuditPlan()
		require.NoError(t, err)
		for _, step := range plan.Steps() {
			r, ok := step.(*dict.RecordStep)
			if !ok {
				continue
			}
			if r.Table == "AD_Element" && r.ID > 0 {
				run(`INSERT INTO ad_element (ad_client_id, ad_org_id, createdby, updatedby, ad_element_id, columnname, name, printname, entitytype)
					VALUES (0, 0, 100, 100, $1, $2, $3::varchar, $3::varchar, 'D') ON CONFLICT DO NOTHING`, r.ID, r.Text("ColumnName"), r.Text("Name"))
			}
			for _, f := range r.Values {
				if e, ok := f.Value.(dict.Existing); ok && e.Table == "AD_Reference" && e.ID > 0 {
					run(`INSERT INTO ad_reference (ad_client_id, ad_org_id, createdby, updatedby, ad_reference_id, name, validationtype, showinactive, entitytype)
						VALUES (0, 0, 100, 100, $1::int, 'Reference ' || $1::int, 'D', 'N', 'D') ON CONFLICT DO NOTHING`, e.ID)
				}
			}
		}
		// Releases in use have it; the dictionary of the migration tests does not.
		run(`CREATE TABLE ad_tablevalrule (ad_client_id numeric(10), ad_org_id numeric(10), isactive char(1), created timestamp, createdby numeric(10),
			updated timestamp, updatedby numeric(10), ad_table_id numeric(10) NOT NULL REFERENCES ad_table, ad_role_id numeric(10), ad_user_id numeric(10),
			code varchar(4000) NOT NULL, description varchar(255), ad_tablevalrule_uu uuid PRIMARY KEY)`)
		installs(t, db, address)
		rule := func() (code string) {
			t.Helper()
			require.NoError(t, db.QueryRowContext(t.Context(), `SELECT r.code FROM adempiere.ad_tablevalrule r JOIN adempiere.ad_table USING (ad_table_id)
				WHERE tablename = 'AIG_QueryLog' AND r.isactive = 'Y' AND r.ad_client_id = 0 AND r.ad_role_id IS NULL`).Scan(&code))
			return code
		}
		made := rule()
		assert.Contains(t, made, "IsClientAdministrator")
		var scripts, tables, columns int
		require.NoError(t, db.QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM adempiere.ad_migrationscript WHERE status = 'CO'),
			(SELECT count(*) FROM adempiere.ad_table WHERE tablename = 'AIG_QueryLog'),
			(SELECT count(*) FROM adempiere.ad_column JOIN adempiere.ad_table USING (ad_table_id) WHERE tablename = 'AIG_QueryLog')`).Scan(&scripts, &tables, &columns))
		assert.Equal(t, 1, scripts, "once, and kept account of")
		assert.Equal(t, 1, tables)
		table := aiquery.AuditTable()
		assert.Equal(t, len(table.AllColumns()), columns)

		// What was installed before there was a rule gets it; what somebody changed stays.
		run("DELETE FROM ad_tablevalrule")
		installs(t, db, address)
		assert.Equal(t, made, rule())
		run("UPDATE ad_tablevalrule SET code = '1=1'")
		installs(t, db, address)
		assert.Equal(t, "1=1", rule())
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM adempiere.ad_table WHERE tablename = 'AIG_QueryLog'").Scan(&tables))
		assert.Equal(t, 1, tables)
	})
}

// The embedded ERP gets the table as any ERP does: its dictionary is told over
// REST, and it makes the table itself.
func TestInstallThroughREST(t *testing.T) {
	if testing.Short() {
		t.Skip("the embedded ERP takes a minute for a table under the race detector")
	}
	t.Parallel()
	srv := aitest.Embedded(t)
	token, err := srv.APIToken(t.Context(), "SuperUser", 0, 0, 0, 0)
	require.NoError(t, err)
	client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)))
	require.NoError(t, err)
	plan, err := aiquery.AuditPlan()
	require.NoError(t, err)
	_, err = restdict.Run(t.Context(), client, plan, &restdict.Options{BatchSize: 100})
	require.NoError(t, err)

	w := &world{srv: srv}
	read := srv.Database()
	source, err := dbdict.New(read, dbdict.SQLite, nil)
	require.NoError(t, err)
	w.db, err = embedded.Open(srv)
	require.NoError(t, err)
	w.start(t, catalogOf(t, source), nil)
	h := w.Health(t.Context())
	require.True(t, h.OK, h)
	require.NoError(t, aiquery.Install(t.Context(), w.db), "nothing is left to do")
	r, err := w.Query(t.Context(), user, query("SELECT count(*) FROM c_order"))
	require.NoError(t, err, w.log)
	_, err = w.Query(t.Context(), user, query("SELECT * FROM aig_querylog"))
	assert.Equal(t, api.CodeDenied, code(t, err))

	// Administrators of the tenant see the records in the ERP.
	token, err = srv.APIToken(t.Context(), "GardenAdmin", aitest.Tenant, 102, 0, 0)
	require.NoError(t, err)
	client, err = erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)))
	require.NoError(t, err)
	page, err := client.Query(t.Context(), "AIG_QueryLog", &erp.Query{OrderBy: []string{"AIG_QueryLog_ID"}})
	require.NoError(t, err)
	require.Len(t, page.Records, 2)
	for column, want := range map[string]string{"AIG_QuerySQL": "SELECT count(*) FROM c_order", "AIG_RequestID": r.RequestID} {
		got, ok := page.Records[0].Text(column)
		assert.True(t, ok, column)
		assert.Equal(t, want, got)
	}
}

func TestWithoutTheTable(t *testing.T) {
	t.Parallel()
	w := onPostgres(t, nil)
	w.exec(t, "DROP TABLE aig_querylog")
	_, err := w.Query(t.Context(), user, query("SELECT 1"))
	assert.Equal(t, api.CodeUnavailable, code(t, err))
	soon(t, "there is nothing to wait for", func() bool { return strings.Contains(w.log.String(), "given up") })
}

// The connection that runs statements is as it should be, and is so again
// after each of them.
func TestSession(t *testing.T) {
	t.Parallel()
	d := prepare(t, aitest.Postgres(t))
	w := d.world(t, aitest.As(t, d.owner, aitest.ReadLogin), &postgres.Options{Connections: 1}, nil)
	admin := owner(t, w)
	pid := func() (pid int) {
		t.Helper()
		require.NoError(t, admin.QueryRow(t.Context(), `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'erphub-query'
			AND state = 'idle'`).Scan(&pid))
		return pid
	}
	for _, q := range []aiquery.Request{query("SELECT 1"), query("SELECT 1/0"), query("SELECT $1::int", `"x"`), query("SELECT 1")} {
		before := pid()
		_, _ = w.Query(t.Context(), user, q) // some fail, on purpose
		assert.Equal(t, before, pid(), "the connection is used again")
	}
	for range 3 { // leaves no named statement behind
		_, err := w.Explain(t.Context(), user, query("SELECT $1::int", "1"))
		require.NoError(t, err, w.log)
	}
	var open int
	require.NoError(t, admin.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks WHERE pid = $1`, pid()).Scan(&open))
	assert.Zero(t, open, "no transaction, no lock")
}

func TestNothingToAsk(t *testing.T) {
	t.Parallel()
	_, err := embedded.Open(nil)
	require.Error(t, err)
	_, err = aiquery.New(nil, nil, nil)
	require.Error(t, err)
}
