package migration_test

import (
	"context"
	"database/sql"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/migration"
	"github.com/erphub/erphub/internal/testkit/testpg"
)

var when = time.Date(2026, 8, 1, 9, 10, 0, 0, time.UTC)

// erpDatabase is a PostgreSQL database with the dictionary's tables and the functions
// that scripts call.
func erpDatabase(t testing.TB) (db *sql.DB, url string) {
	t.Helper()
	url = testpg.URL(t)
	db, err := sql.Open("pgx", url)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	run := func(statement string) {
		_, err := conn.ExecContext(t.Context(), statement)
		require.NoError(t, err, statement)
	}
	run("CREATE SCHEMA adempiere")
	run("SET search_path TO adempiere, public")
	for _, file := range []string{"testdata/dictionary.sql", "testdata/functions.sql"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		parts, err := migration.Split(string(text), dict.PostgreSQL)
		require.NoError(t, err)
		for _, p := range parts {
			run(p.Text)
		}
	}
	run("RESET search_path")
	return db, url
}

// provide adds what every ERP has and the plan refers to by number: display
// types and elements.
func provide(t testing.TB, db *sql.DB, plan *dict.Plan) {
	t.Helper()
	for _, step := range plan.Steps() {
		r, ok := step.(*dict.RecordStep)
		if !ok {
			continue
		}
		if r.Table == "AD_Element" && r.ID > 0 {
			run(t, db, `INSERT INTO adempiere.ad_element (ad_client_id, ad_org_id, createdby, updatedby, ad_element_id, columnname, name, printname, description, entitytype)
				VALUES (0, 0, 100, 100, $1, $2, $3::varchar, $3::varchar, $4, 'D') ON CONFLICT DO NOTHING`, r.ID, r.Text("ColumnName"), r.Text("Name"), "of the ERP: "+r.Name)
		}
		for _, f := range r.Values {
			if e, ok := f.Value.(dict.Existing); ok && e.Table == "AD_Reference" && e.ID > 0 {
				run(t, db, `INSERT INTO adempiere.ad_reference (ad_client_id, ad_org_id, createdby, updatedby, ad_reference_id, name, validationtype, showinactive, entitytype)
					VALUES (0, 0, 100, 100, $1::int, 'Reference ' || $1::int, 'D', 'N', 'D') ON CONFLICT DO NOTHING`, e.ID)
			}
		}
	}
}

func run(t testing.TB, db *sql.DB, statement string, args ...any) {
	t.Helper()
	_, err := db.ExecContext(t.Context(), statement, args...)
	require.NoError(t, err, statement)
}

// one is the one value that a query finds, as text.
func one(t testing.TB, db *sql.DB, query string, args ...any) string {
	t.Helper()
	var value sql.NullString
	require.NoError(t, db.QueryRowContext(t.Context(), query, args...).Scan(&value), query)
	if !value.Valid {
		return "NULL"
	}
	return value.String
}

// all is every row that a query finds, columns joined by a bar.
func all(t testing.TB, db *sql.DB, query string, args ...any) []string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query, args...)
	require.NoError(t, err, query)
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(t, err)
	list := []string{}
	for rows.Next() {
		values := make([]sql.NullString, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		require.NoError(t, rows.Scan(into...))
		texts := make([]string, len(columns))
		for i, v := range values {
			texts[i] = v.String
		}
		list = append(list, strings.Join(texts, "|"))
	}
	require.NoError(t, rows.Err())
	return list
}

func planOf(t testing.TB, tables ...dict.Table) *dict.Plan {
	t.Helper()
	plan, err := dict.NewPlan(nil, tables...)
	require.NoError(t, err)
	return plan
}

func build(t testing.TB, plan *dict.Plan, dialect dict.Dialect) *migration.Script {
	t.Helper()
	script, err := migration.Build(plan, dialect, &migration.Options{Time: when})
	require.NoError(t, err)
	return script
}

// sample is a table with one of everything.
func sample() dict.Table {
	return dict.NewTable("XX_Sample").WithDescription("A table with 'everything';\nin two lines").
		With(dict.Standard, dict.ValueName).
		Column(
			dict.Column{Name: "C_BPartner_ID", Type: dict.TypeTableDir, Mandatory: true},
			dict.Column{Name: "XX_Kind", Type: dict.TypeList, Default: "A", Reference: dict.List("XX_Sample Kind",
				dict.ListValue{Value: "A", Name: "First"}, dict.ListValue{Value: "B", Name: "Second; 50% & more"})},
			dict.Column{Name: "XX_Partner_ID", Type: dict.TypeTable, Reference: dict.Lookup("XX_Sample Partner", dict.TableLookup{Table: "C_BPartner", Display: "Name"})},
			dict.Column{Name: "XX_Other_ID", Type: dict.TypeTable, Reference: dict.ExistingReference("XX Partners", 0, "")},
			dict.Column{Name: "Action", Type: dict.TypeString, Length: 20, Unique: true},
			dict.Column{Name: "XX_When", Type: dict.TypeDateTime, Default: "SYSDATE"},
			dict.Column{Name: "XX_Note", Type: dict.TypeText, Help: "It's \\ a \"text\" with $$ and 'quotes'\r\nand lines;\n;\n/\n-- end"},
			dict.Column{Name: "XX_Data", Type: dict.TypeJSON},
			dict.Column{Name: "XX_Sum", Type: dict.TypeAmount, Default: "0", ValRule: "XX Positive"},
			dict.Column{Name: "XX_Count", Type: dict.TypeInteger, SQL: "(SELECT COUNT(*) FROM XX_Sample)"},
		).
		Index(dict.Index{Name: "XX_Sample_When", Columns: []string{"XX_When", "Action"}}).
		WithWindow(dict.Window{MenuParent: "Application Dictionary", Roles: []int{102}})
}

// provideSample adds what the sample needs besides.
func provideSample(t testing.TB, db *sql.DB) {
	t.Helper()
	for _, statement := range []string{
		`INSERT INTO ad_val_rule (ad_client_id, ad_org_id, createdby, updatedby, ad_val_rule_id, name, type, entitytype) VALUES (0, 0, 100, 100, 1000001, 'XX Positive', 'S', 'U')`,
		`INSERT INTO ad_element (ad_client_id, ad_org_id, createdby, updatedby, ad_element_id, columnname, name, printname, help, entitytype)
			VALUES (0, 0, 100, 100, 187, 'C_BPartner_ID', 'Business Partner', 'BPartner', 'Whom we trade with', 'D')`,
		`INSERT INTO ad_reference (ad_client_id, ad_org_id, createdby, updatedby, ad_reference_id, name, validationtype, showinactive, entitytype)
			SELECT 0, 0, 100, 100, n, 'Type ' || n, 'D', 'N', 'D' FROM (VALUES (10), (13), (19)) AS v (n)`,
		`INSERT INTO ad_column (ad_client_id, ad_org_id, createdby, updatedby, ad_column_id, ad_table_id, ad_element_id, ad_reference_id, columnname, name,
				iskey, isparent, ismandatory, isidentifier, isselectioncolumn, istranslated, version, entitytype)
			SELECT 0, 0, 100, 100, n, 291, 187, 10, name, name, k, 'N', 'N', 'N', 'N', 'N', 0, 'D'
			FROM (VALUES (2893, 'C_BPartner_ID', 'Y'), (2902, 'Name', 'N')) AS v (n, name, k)`,
		`INSERT INTO ad_reference (ad_client_id, ad_org_id, createdby, updatedby, ad_reference_id, name, validationtype, showinactive, entitytype)
			VALUES (0, 0, 100, 100, 1000005, 'XX Partners', 'T', 'N', 'U')`,
		`INSERT INTO ad_ref_table (ad_client_id, ad_org_id, createdby, updatedby, ad_reference_id, ad_table_id, ad_key, ad_display, isvaluedisplayed, entitytype)
			VALUES (0, 0, 100, 100, 1000005, 291, 2893, 2902, 'N', 'U')`,
		`SELECT update_sequences()`,
	} {
		inSchema(t, db, func(ctx context.Context, conn *sql.Conn) {
			_, err := conn.ExecContext(ctx, statement)
			require.NoError(t, err, statement)
		})
	}
}

func inSchema(t testing.TB, db *sql.DB, do func(context.Context, *sql.Conn)) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	_, err = conn.ExecContext(t.Context(), "SET search_path TO adempiere, public")
	require.NoError(t, err)
	do(t.Context(), conn)
	_, err = conn.ExecContext(t.Context(), "RESET search_path")
	require.NoError(t, err)
}
