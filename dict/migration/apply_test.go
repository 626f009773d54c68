package migration_test

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/migration"
)

func TestApply(t *testing.T) {
	t.Parallel()
	db, _ := erpDatabase(t)
	plan := planOf(t, sample())
	provideSample(t, db)
	provide(t, db, plan)
	script := build(t, plan, dict.PostgreSQL)
	seen := 0
	result, err := migration.Apply(t.Context(), db, script, &migration.ApplyOptions{Observe: func(number, total int, _ string) {
		seen++
		assert.Equal(t, seen, number)
		assert.GreaterOrEqual(t, total, number)
	}})
	require.NoError(t, err, script.Text())
	assert.Equal(t, seen, result.Statements)
	assert.False(t, result.Retried)
	assert.GreaterOrEqual(t, result.ID, int64(1_000_000))

	// The account.
	assert.Equal(t, []string{"202608010910_XX_Sample.sql|postgresql/202608010910_XX_Sample.sql|erphub|12|CO|N|"}, all(t, db,
		"SELECT name, filename, projectname, releaseno, status, isapply, description FROM adempiere.ad_migrationscript"))
	assert.Equal(t, script.Text(), one(t, db, "SELECT convert_from(script, 'UTF8') FROM adempiere.ad_migrationscript"))
	assert.Equal(t, script.Name, one(t, db, "SELECT lastmigrationscriptapplied FROM adempiere.ad_system"))

	// The dictionary.
	assert.Equal(t, "XX_Sample|A table with 'everything';\nin two lines|3|U", all(t, db,
		"SELECT tablename, description, accesslevel, entitytype FROM adempiere.ad_table WHERE tablename = 'XX_Sample'")[0])
	columns := sample().AllColumns()
	assert.Len(t, all(t, db, "SELECT columnname FROM adempiere.ad_column JOIN adempiere.ad_table USING (ad_table_id) WHERE tablename = 'XX_Sample'"), len(columns))
	assert.Equal(t, "It's \\ a \"text\" with $$ and 'quotes'\r\nand lines;\n;\n/\n-- end", one(t, db, "SELECT help FROM adempiere.ad_column WHERE columnname = 'XX_Note'"))
	assert.Equal(t, "Business Partner|Whom we trade with", all(t, db, `SELECT c.name, c.help FROM adempiere.ad_column c JOIN adempiere.ad_table USING (ad_table_id)
		WHERE tablename = 'XX_Sample' AND columnname = 'C_BPartner_ID'`)[0], "texts come from the element that was there")
	assert.Equal(t, []string{"187"}, all(t, db, "SELECT ad_element_id FROM adempiere.ad_element WHERE upper(columnname) = 'C_BPARTNER_ID'"), "elements are used again")
	assert.Equal(t, []string{"A|First", "B|Second; 50% & more"}, all(t, db,
		"SELECT value, l.name FROM adempiere.ad_ref_list l JOIN adempiere.ad_reference r USING (ad_reference_id) WHERE r.name = 'XX_Sample Kind' ORDER BY 1"))
	assert.Equal(t, []string{"291|2893|2902"}, all(t, db,
		"SELECT ad_table_id, ad_key, ad_display FROM adempiere.ad_ref_table JOIN adempiere.ad_reference r USING (ad_reference_id) WHERE r.name = 'XX_Sample Partner'"))
	assert.Equal(t, "1000001", one(t, db, "SELECT ad_val_rule_id FROM adempiere.ad_column WHERE columnname = 'XX_Sum'"))
	assert.Equal(t, []string{"XX_Sample|Y|1000000|200000"}, all(t, db,
		"SELECT name, istableid, currentnext, currentnextsys FROM adempiere.ad_sequence WHERE name = 'XX_Sample'"))
	assert.Equal(t, one(t, db, "SELECT ad_window_id FROM adempiere.ad_window WHERE name = 'Sample'"), one(t, db, "SELECT ad_window_id FROM adempiere.ad_table WHERE tablename = 'XX_Sample'"))
	assert.Equal(t, []string{"10|155|999"}, all(t, db, "SELECT n.ad_tree_id, n.parent_id, n.seqno FROM adempiere.ad_treenodemm n JOIN adempiere.ad_menu m ON m.ad_menu_id = n.node_id"))
	assert.Equal(t, []string{"102|Y"}, all(t, db, "SELECT ad_role_id, isreadwrite FROM adempiere.ad_window_access"))

	// The database.
	assert.Equal(t, []string{
		"adclient_xxsample|f", "adorg_xxsample|f", "cbpartner_xxsample|f", "createdby_xxsample|f", "updatedby_xxsample|f",
		"xx_sample_action_key|u", "xx_sample_isactive_check|c", "xx_sample_key|p", "xx_sample_uu_idx|u", "xxother_xxsample|f", "xxpartner_xxsample|f",
	}, all(t, db, "SELECT conname, contype FROM pg_constraint WHERE conrelid = 'adempiere.xx_sample'::regclass AND contype <> 'n' ORDER BY conname"))
	assert.Equal(t, "c_bpartner", one(t, db, "SELECT relname FROM pg_constraint JOIN pg_class c ON c.oid = confrelid WHERE conname = 'xxother_xxsample'"),
		"the table of a reference that only the ERP knows")
	run(t, db, `INSERT INTO adempiere.c_bpartner (ad_client_id, ad_org_id, createdby, updatedby, c_bpartner_id) VALUES (0, 0, 100, 100, 5)`)
	run(t, db, `INSERT INTO adempiere.xx_sample (xx_sample_id, ad_client_id, ad_org_id, created, createdby, updated, updatedby, value, name, c_bpartner_id, xx_sample_uu) VALUES (1, 0, 0, now(), 100, now(), 100, 'a', 'b', 5, gen_random_uuid())`)
	assert.Equal(t, "Y|A|0", strings.Join(all(t, db, "SELECT isactive, xx_kind, xx_sum FROM adempiere.xx_sample"), ""))

	// Not twice.
	before := all(t, db, "SELECT updated, status FROM adempiere.ad_migrationscript")
	_, err = migration.Apply(t.Context(), db, script, nil)
	require.ErrorIs(t, err, migration.ErrApplied)
	var applied *migration.AppliedError
	require.ErrorAs(t, err, &applied)
	assert.Equal(t, script.Name, applied.Name)
	assert.Equal(t, before, all(t, db, "SELECT updated, status FROM adempiere.ad_migrationscript"))
}

// A script that the shell tool applied, statement by statement, is known by its
// registration; and what it did is not done again by one of another name.
func TestAppliedByOtherTools(t *testing.T) {
	t.Parallel()
	db, _ := erpDatabase(t)
	plan := planOf(t, dict.NewTable("XX_Tag").With(dict.Standard, dict.ValueName).WithWindow(dict.Window{}))
	provide(t, db, plan)
	script := build(t, plan, dict.PostgreSQL)
	shell(t, db, script.Text())
	assert.Equal(t, "CO|Y", all(t, db, "SELECT status, isapply FROM adempiere.ad_migrationscript")[0])
	_, err := migration.Apply(t.Context(), db, script, nil)
	require.ErrorIs(t, err, migration.ErrApplied)

	count := func() []string {
		var list []string
		for _, table := range []string{"ad_table", "ad_column", "ad_element", "ad_sequence", "ad_window", "ad_tab", "ad_field", "ad_menu", "ad_treenodemm"} {
			list = append(list, table+" "+one(t, db, "SELECT count(*) FROM adempiere."+table))
		}
		return list
	}
	before := count()
	for _, s := range script.Statements {
		if strings.HasPrefix(s.Text, "INSERT") || strings.HasPrefix(s.Text, "UPDATE") || s.Block {
			shell(t, db, s.Text)
		}
	}
	assert.Equal(t, before, count(), "rows are not made twice")
}

// shell runs a script as psql would, except that it stops at an error.
func shell(t testing.TB, db *sql.DB, text string) {
	t.Helper()
	parts, err := migration.Split(text, dict.PostgreSQL)
	require.NoError(t, err)
	inSchema(t, db, func(ctx context.Context, conn *sql.Conn) {
		for _, p := range parts {
			_, err := conn.ExecContext(ctx, p.Text)
			require.NoError(t, err, p.Text)
		}
	})
}
