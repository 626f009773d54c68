package migration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/ddl"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/migration"
	"github.com/erphub/erphub/dict/pack"
)

// A script renames a table and its columns with what they hold, and what points to
// the table follows.
func TestRenameByScript(t *testing.T) {
	t.Parallel()
	db, url := erpDatabase(t)
	child := func(key string) dict.Table {
		return dict.NewTable("XX_StockLine").With(dict.Standard).Column(dict.Column{Name: key, Type: dict.TypeTableDir, Parent: true, Mandatory: true})
	}
	note := dict.Column{Name: "XX_Note", Type: dict.TypeString, Length: 20}
	plan := planOf(t, stockTable(note), child("XX_Stock_ID"))
	provide(t, db, plan)
	_, err := migration.Apply(t.Context(), db, build(t, plan, dict.PostgreSQL), nil)
	require.NoError(t, err)
	run(t, db, `INSERT INTO adempiere.xx_stock (xx_stock_id, xx_stock_uu, ad_client_id, ad_org_id, created, createdby, updated, updatedby, value, name, xx_note)
		VALUES (1, gen_random_uuid(), 0, 0, now(), 100, now(), 100, 'a', 'b', 'kept')`)
	run(t, db, `INSERT INTO adempiere.xx_stockline (xx_stockline_id, xx_stockline_uu, ad_client_id, ad_org_id, created, createdby, updated, updatedby, xx_stock_id)
		VALUES (7, gen_random_uuid(), 0, 0, now(), 100, now(), 100, 1)`)

	moved := stockTable(dict.Column{Name: "XX_Remark", Was: "XX_Note", Type: dict.TypeString, Length: 40})
	moved.Name, moved.Was = "XX_Store", "XX_Stock"
	lines := child("XX_Store_ID")
	result, err := diff.Compare(t.Context(), catalog(t, url), nil, moved, lines)
	require.NoError(t, err)
	change, err := diff.NewPlan(result, nil)
	require.NoError(t, err)
	provide(t, db, change)
	scripts, err := migration.Scripts(change, &migration.Options{Time: when, ID: "XX-3"})
	require.NoError(t, err)
	for _, s := range scripts {
		require.NoError(t, checkForms(s.Text(), s.Dialect), s.Text())
		assert.Contains(t, s.Text(), "ALTER TABLE XX_Store RENAME COLUMN XX_Note TO XX_Remark")
		assert.Contains(t, s.Text(), "ALTER TABLE XX_Stock RENAME TO XX_Store")
	}
	for _, table := range []string{"ad_process_para", "ad_infocolumn"} { // which the test's dictionary does without
		run(t, db, "CREATE TABLE adempiere."+table+" (ad_element_id numeric, columnname varchar(63), iscentrallymaintained char(1), updated timestamp, updatedby numeric)")
	}
	_, err = migration.Apply(t.Context(), db, scripts[0], nil)
	require.NoError(t, err, scripts[0].Text())
	for _, table := range []string{"ad_process_para", "ad_infocolumn"} {
		run(t, db, "DROP TABLE adempiere."+table)
	}
	assert.Equal(t, []string{"1|kept"}, all(t, db, "SELECT xx_store_id, xx_remark FROM adempiere.xx_store"))
	assert.Equal(t, []string{"7|1"}, all(t, db, "SELECT xx_stockline_id, xx_store_id FROM adempiere.xx_stockline"))
	assert.Equal(t, "XX_Store", one(t, db, "SELECT name FROM adempiere.ad_sequence WHERE name ILIKE 'xx_sto%' AND name NOT ILIKE '%line' AND istableid='Y'"))

	again, err := diff.Compare(t.Context(), catalog(t, url), nil, moved, lines)
	require.NoError(t, err)
	assert.True(t, again.Empty(), "%+v", again.Changes)
	for _, table := range []string{"XX_Store", "XX_StockLine"} {
		want, err := ddl.FromRegistry(t.Context(), catalog(t, url), table)
		require.NoError(t, err)
		have, err := ddl.ReadTable(t.Context(), db, migration.DefaultSchema, table)
		require.NoError(t, err)
		assert.Empty(t, ddl.Difference(want, have, "", dict.PostgreSQL, ddl.Script), table)
	}

	// The other formats: plain DDL says the same, an archive cannot.
	statements, err := ddl.Statements(change, dict.Oracle, nil)
	require.NoError(t, err)
	assert.Equal(t, "ALTER TABLE XX_Stock RENAME TO XX_Store", statements[0].Text)
	_, err = pack.XML(change, nil)
	require.ErrorContains(t, err, "which an archive cannot do")
}
