package migration_test

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/ddl"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/migration"
	"github.com/erphub/erphub/dict/registry"
)

func catalog(t testing.TB, url string) *registry.Catalog {
	t.Helper()
	source, err := dbdict.Open(t.Context(), url, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, source.Close()) }()
	c, err := registry.LoadCatalog(t.Context(), source)
	require.NoError(t, err)
	return c
}

func stockTable(columns ...dict.Column) dict.Table {
	return dict.NewTable("XX_Stock").With(dict.Standard, dict.ValueName).Column(columns...)
}

// stockBefore is a table, and stockAfter what becomes of it.
func stockBefore() dict.Table {
	return stockTable(
		dict.Column{Name: "XX_Note", Type: dict.TypeString, Length: 20},
		dict.Column{Name: "XX_Fill", Type: dict.TypeString, Length: 20},
		dict.Column{Name: "XX_Count", Type: dict.TypeInteger, Mandatory: true, Default: "1"},
		dict.Column{Name: "XX_Gone", Type: dict.TypeString, Length: 10, Mandatory: true},
		dict.Column{Name: "XX_When", Type: dict.TypeDateTime},
		dict.Column{Name: "C_BPartner_ID", Type: dict.TypeTableDir})
}

func stockAfter() dict.Table {
	return stockTable(
		dict.Column{Name: "XX_Note", Type: dict.TypeString, Length: 400, Default: "it''s (new)"},
		dict.Column{Name: "XX_Fill", Type: dict.TypeString, Length: 20, Mandatory: true, Default: "it''s"},
		dict.Column{Name: "XX_Count", Type: dict.TypeInteger},
		dict.Column{Name: "XX_When", Type: dict.TypeDateTime, Default: "SYSDATE"},
		dict.Column{Name: "C_BPartner_ID", Type: dict.TypeTableDir, ForeignKey: dict.FKCascade},
		dict.Column{Name: "XX_Added", Type: dict.TypeYesNo},
		dict.Column{Name: "XX_Added_UU", Type: dict.TypeUUID},
		dict.Column{Name: "C_Currency_ID", Type: dict.TypeTableDir})
}

// A table with rows is changed by the script of a comparison: columns come, get
// longer, mandatory, optional and another default, and one is removed. The
// database then is as the dictionary says, and the rows are whole.
func TestChangeTable(t *testing.T) {
	t.Parallel()
	db, url := erpDatabase(t)
	before, after := stockBefore(), stockAfter()
	plan := planOf(t, before)
	provide(t, db, plan)
	_, err := migration.Apply(t.Context(), db, build(t, plan, dict.PostgreSQL), nil)
	require.NoError(t, err)
	run(t, db, `INSERT INTO adempiere.xx_stock (xx_stock_id, xx_stock_uu, ad_client_id, ad_org_id, created, createdby, updated, updatedby, value, name, xx_note, xx_gone)
		VALUES (1, gen_random_uuid(), 0, 0, now(), 100, now(), 100, 'a', 'b', 'kept', 'x')`)
	run(t, db, `CREATE VIEW adempiere.xx_view AS SELECT xx_stock_id, xx_note FROM adempiere.xx_stock`)

	result, err := diff.Compare(t.Context(), catalog(t, url), nil, after)
	require.NoError(t, err)
	change, err := diff.NewPlan(result, nil)
	require.NoError(t, err)
	provide(t, db, change)
	scripts, err := migration.Scripts(change, &migration.Options{Time: when, ID: "XX-2"})
	require.NoError(t, err)
	for _, s := range scripts {
		require.NoError(t, checkForms(s.Text(), s.Dialect), s.Text())
	}
	_, err = migration.Apply(t.Context(), db, scripts[0], nil)
	require.NoError(t, err, scripts[0].Text())

	want, err := ddl.FromRegistry(t.Context(), catalog(t, url), "XX_Stock")
	require.NoError(t, err)
	have, err := ddl.ReadTable(t.Context(), db, migration.DefaultSchema, "XX_Stock")
	require.NoError(t, err)
	assert.Empty(t, ddl.Difference(want, have, "", dict.PostgreSQL, ddl.Script), "the database is as the dictionary says")
	again, err := diff.Compare(t.Context(), catalog(t, url), nil, after)
	require.NoError(t, err)
	assert.True(t, again.Empty(), "%+v", again.Changes)

	assert.Equal(t, []string{"kept|it's|1|x|N"}, all(t, db, "SELECT xx_note, xx_fill, xx_count, xx_gone, xx_added FROM adempiere.xx_stock"))
	assert.Equal(t, []string{"1|kept"}, all(t, db, "SELECT * FROM adempiere.xx_view"), "the view was made again")
	run(t, db, `INSERT INTO adempiere.xx_stock (xx_stock_id, xx_stock_uu, ad_client_id, ad_org_id, created, createdby, updated, updatedby, value, name)
		VALUES (2, gen_random_uuid(), 0, 0, now(), 100, now(), 100, 'c', 'd')`)
	assert.Equal(t, []string{"it's (new)|it's|||N"}, all(t, db, "SELECT xx_note, xx_fill, xx_count, xx_gone, xx_added FROM adempiere.xx_stock WHERE xx_stock_id = 2"))
	assert.Equal(t, "c", one(t, db, "SELECT confdeltype FROM pg_constraint WHERE conname = 'cbpartner_xxstock'"))

	// What Oracle gets for the same.
	oracle := scripts[1].Text()
	for _, statement := range []string{
		"ALTER TABLE XX_Stock MODIFY XX_Note VARCHAR2(400 CHAR) DEFAULT 'it''s (new)'",
		"ALTER TABLE XX_Stock MODIFY XX_Fill DEFAULT 'it''s'",
		"UPDATE XX_Stock SET XX_Fill='it''s' WHERE XX_Fill IS NULL",
		"ALTER TABLE XX_Stock MODIFY XX_Fill NOT NULL",
		"ALTER TABLE XX_Stock MODIFY XX_Gone NULL",
		"ALTER TABLE XX_Stock ADD XX_Added CHAR(1) DEFAULT 'N' CHECK (XX_Added IN ('Y','N')) NOT NULL",
	} {
		assert.Contains(t, oracle, "\n"+statement+"\n")
	}
}

// The database drifted from the dictionary: the difference fixes it.
func TestDifference(t *testing.T) {
	t.Parallel()
	db, url := erpDatabase(t)
	plan := planOf(t, stockTable(dict.Column{Name: "C_BPartner_ID", Type: dict.TypeTableDir}, dict.Column{Name: "XX_Text", Type: dict.TypeString, Length: 30, Default: "x"}))
	provide(t, db, plan)
	_, err := migration.Apply(t.Context(), db, build(t, plan, dict.PostgreSQL), nil)
	require.NoError(t, err)
	difference := func(only string) []ddl.Statement {
		want, err := ddl.FromRegistry(t.Context(), catalog(t, url), "xx_stock")
		require.NoError(t, err)
		have, err := ddl.ReadTable(t.Context(), db, migration.DefaultSchema, want.Table)
		require.NoError(t, err)
		return ddl.Difference(want, have, only, dict.PostgreSQL, ddl.Script)
	}
	require.Empty(t, difference(""))
	for name, tt := range map[string]struct{ drift, column string }{
		"column gone":      {"ALTER TABLE xx_stock DROP COLUMN value", "Value"},
		"shorter":          {"ALTER TABLE xx_stock ALTER COLUMN name TYPE varchar(10)", "Name"},
		"other type":       {"ALTER TABLE xx_stock ALTER COLUMN xx_text TYPE text", "XX_Text"},
		"optional":         {"ALTER TABLE xx_stock ALTER COLUMN name DROP NOT NULL", "Name"},
		"mandatory":        {"ALTER TABLE xx_stock ALTER COLUMN c_bpartner_id SET NOT NULL", "C_BPartner_ID"},
		"no default":       {"ALTER TABLE xx_stock ALTER COLUMN isactive DROP DEFAULT", "IsActive"},
		"other default":    {"ALTER TABLE xx_stock ALTER COLUMN xx_text SET DEFAULT 'y'", "XX_Text"},
		"a default":        {"ALTER TABLE xx_stock ALTER COLUMN value SET DEFAULT 'y'", "Value"},
		"no foreign key":   {"ALTER TABLE xx_stock DROP CONSTRAINT adclient_xxstock", "AD_Client_ID"},
		"other rule":       {"ALTER TABLE xx_stock DROP CONSTRAINT adorg_xxstock, ADD CONSTRAINT adorg_xxstock FOREIGN KEY (ad_org_id) REFERENCES ad_org ON DELETE CASCADE", "AD_Org_ID"},
		"other name":       {"ALTER TABLE xx_stock RENAME CONSTRAINT adorg_xxstock TO mine", "AD_Org_ID"},
		"no table":         {"DROP TABLE xx_stock", ""},
		"column of others": {"ALTER TABLE xx_stock ADD COLUMN theirs int", "-"},
	} {
		t.Run(name, func(t *testing.T) {
			inSchema(t, db, func(ctx context.Context, conn *sql.Conn) {
				_, err := conn.ExecContext(ctx, tt.drift)
				require.NoError(t, err)
			})
			list := difference("")
			if tt.column == "-" {
				require.Empty(t, list, "what the dictionary does not know stays")
				return
			}
			require.NotEmpty(t, list)
			if tt.column != "" {
				require.Equal(t, list, difference(strings.ToLower(tt.column)), "nothing but that column differs")
				require.Empty(t, difference("UpdatedBy"))
			}
			script, err := migration.Structural("drift", list, dict.PostgreSQL, &migration.Options{Time: when, ID: strings.ReplaceAll(name, " ", "_")})
			require.NoError(t, err)
			require.NoError(t, checkForms(script.Text(), dict.PostgreSQL))
			_, err = migration.Apply(t.Context(), db, script, nil)
			require.NoError(t, err, script.Text())
			require.Empty(t, difference(""))
		})
	}
}
