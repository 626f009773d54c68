package migration_test

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/ddl"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/migration"
)

// Indexes that the dictionary has are built anew by the script of a change,
// whatever it is that changed about them.
func TestChangeIndex(t *testing.T) {
	t.Parallel()
	text := dict.Column{Name: "XX_Note", Type: dict.TypeString, Length: 20}
	count := dict.Column{Name: "XX_Count", Type: dict.TypeInteger}
	first := dict.Index{Name: "xx_stock_note", Columns: []string{"XX_Note"}}
	for name, tt := range map[string]struct {
		drift string // what somebody did to the dictionary before
		after dict.Table
		want  string // columns of the index, and whether it is unique
	}{
		"unique now": {"", stockTable(text, count).Index(dict.Index{Name: "xx_stock_note", Columns: []string{"XX_Note"}, Unique: true}), "xx_note|true"},
		"other columns": {"", stockTable(text, count).Index(dict.Index{Name: "xx_stock_note", Columns: []string{"XX_Count", "XX_Note"}}),
			"xx_count,xx_note|false"},
		"constraint now":     {"", stockTable(text, count).Index(dict.Index{Name: "xx_stock_note", Columns: []string{"XX_Note"}, Unique: true, Constraint: true}), "xx_note|true"},
		"index deactivated":  {"UPDATE adempiere.ad_tableindex SET isactive = 'N'", stockTable(text, count).Index(first), "xx_note|false"},
		"column deactivated": {"UPDATE adempiere.ad_indexcolumn SET isactive = 'N'", stockTable(text, count).Index(first), "xx_note|false"},
		"table deactivated":  {"UPDATE adempiere.ad_table SET isactive = 'N' WHERE tablename = 'XX_Stock'", stockTable(text, count).Index(dict.Index{Name: "xx_stock_note", Columns: []string{"XX_Note"}, Unique: true}), "xx_note|true"},
		"one more":           {"", stockTable(text, count).Index(first, dict.Index{Name: "xx_stock_count", Columns: []string{"XX_Count"}}), "xx_note|false"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, url := erpDatabase(t)
			plan := planOf(t, stockTable(text, count).Index(first))
			provide(t, db, plan)
			_, err := migration.Apply(t.Context(), db, build(t, plan, dict.PostgreSQL), nil)
			require.NoError(t, err)
			if tt.drift != "" {
				run(t, db, tt.drift)
			}
			result, err := diff.Compare(t.Context(), catalog(t, url), nil, tt.after)
			require.NoError(t, err)
			require.False(t, result.Empty())
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
			again, err := diff.Compare(t.Context(), catalog(t, url), nil, tt.after)
			require.NoError(t, err)
			assert.True(t, again.Empty(), "%+v", again.Changes)
			assert.Equal(t, tt.want, one(t, db, `SELECT (SELECT string_agg(a.attname, ',' ORDER BY k.n) FROM unnest(i.indkey) WITH ORDINALITY AS k (attnum, n)
				JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum) || '|' || i.indisunique::text
				FROM pg_index i WHERE i.indexrelid = 'adempiere.xx_stock_note'::regclass`), scripts[0].Text())
			_, err = ddl.Files(change, dict.PostgreSQL, nil)
			require.NoError(t, err)
		})
	}
}

// The plain DDL of a plan of changes does to the database what its script does.
func TestDDLOfChangesAgrees(t *testing.T) {
	t.Parallel()
	note := dict.Index{Name: "xx_stock_note", Columns: []string{"XX_Note"}}
	before := stockBefore().Index(note)
	note.Columns, note.Unique = []string{"XX_Count", "XX_Note"}, true
	after := stockAfter().Index(note, dict.Index{Name: "xx_stock_when", Columns: []string{"XX_When"}})
	tables := func(t *testing.T, way func(db *sql.DB, change *dict.Plan)) (*ddl.Actual, []string) {
		db, url := erpDatabase(t)
		plan := planOf(t, before)
		provide(t, db, plan)
		_, err := migration.Apply(t.Context(), db, build(t, plan, dict.PostgreSQL), nil)
		require.NoError(t, err)
		result, err := diff.Compare(t.Context(), catalog(t, url), nil, after)
		require.NoError(t, err)
		change, err := diff.NewPlan(result, nil)
		require.NoError(t, err)
		provide(t, db, change)
		way(db, change)
		actual, err := ddl.ReadTable(t.Context(), db, migration.DefaultSchema, "XX_Stock")
		require.NoError(t, err)
		return actual, all(t, db, `SELECT indexdef FROM pg_indexes WHERE tablename = 'xx_stock' ORDER BY indexdef`)
	}
	script, scriptIndexes := tables(t, func(db *sql.DB, change *dict.Plan) {
		_, err := migration.Apply(t.Context(), db, buildAs(t, change, "XX-2"), nil)
		require.NoError(t, err)
	})
	plain, plainIndexes := tables(t, func(db *sql.DB, change *dict.Plan) {
		files, err := ddl.Files(change, dict.PostgreSQL, nil)
		require.NoError(t, err)
		for _, f := range files {
			assert.NotContains(t, f.Content, "CREATE TABLE")
			shell(t, db, f.Content)
		}
	})
	assert.Equal(t, script, plain)
	assert.Equal(t, scriptIndexes, plainIndexes)
	assert.Contains(t, strings.Join(plainIndexes, "\n"), "CREATE UNIQUE INDEX xx_stock_note ON adempiere.xx_stock USING btree (xx_count, xx_note)")
}

func buildAs(t *testing.T, plan *dict.Plan, id string) *migration.Script {
	t.Helper()
	s, err := migration.Build(plan, dict.PostgreSQL, &migration.Options{Time: when, ID: id})
	require.NoError(t, err)
	return s
}
