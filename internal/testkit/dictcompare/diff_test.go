package dictcompare

import (
	"context"
	"database/sql"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // the driver named "sqlite"

	"github.com/erphub/erphub/dict"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	a := &Snapshot{Rows: []string{`A x: n="1" t="a b"`, `A y: n="1"`, `B: q="say \"hi\" now"`}, Physical: []string{"p"}}
	b := &Snapshot{Rows: []string{`A x: n="1" t="a c"`, `A z: n="1"`, `B: q="say \"hi\" now"`}}
	assert.Equal(t, []string{`~ A x: -t="a b" +t="a c"`, `- A y: n="1"`, `+ A z: n="1"`, "- p"}, a.Diff(b))
	assert.Empty(t, a.Diff(a))
	assert.Empty(t, (&Snapshot{}).Diff(&Snapshot{}))
}

// The combinations are many, usable together, and between them have each
// template, level, flag and window.
func TestCombinations(t *testing.T) {
	t.Parallel()
	tables := Combinations()
	assert.Greater(t, len(tables), 90)
	plan, err := dict.NewPlan(nil, tables...)
	require.NoError(t, err)
	s := plan.Summary()
	assert.Len(t, s.Tables, len(tables))
	assert.Greater(t, s.Windows, 10)
	seen := map[dict.Template]int{}
	for _, table := range tables {
		for _, tpl := range table.Templates {
			seen[tpl]++
		}
	}
	assert.Len(t, seen, len(dict.Templates()))
}

// The tables of the database are told by what they are, not by the order of their
// columns.
func TestReadPhysical(t *testing.T) {
	t.Parallel()
	read := func(statements ...string) []string {
		db, err := sql.Open("sqlite", ":memory:")
		require.NoError(t, err)
		defer db.Close()
		db.SetMaxOpenConns(1)
		ctx := context.Background()
		for _, n := range named {
			_, err := db.ExecContext(ctx, "CREATE TABLE "+n.table+" ("+n.table+"_ID, AD_Table_ID, AD_Column_ID, AD_Window_ID, AD_Element_ID, AD_Reference_ID, AD_Reference_Value_ID, AD_TableIndex_ID, AD_Tab_ID, AD_Menu_ID, TableName, ColumnName, Name, Value)")
			if err != nil { // the table's own key is among the columns already
				_, err = db.ExecContext(ctx, "CREATE TABLE "+n.table+" (AD_Table_ID, AD_Column_ID, AD_Window_ID, AD_Element_ID, AD_Reference_ID, AD_Reference_Value_ID, AD_TableIndex_ID, AD_Tab_ID, AD_Menu_ID, TableName, ColumnName, Name, Value)")
			}
			require.NoError(t, err)
		}
		for _, other := range []string{"AD_Ref_List (AD_Reference_ID)", "AD_Ref_Table (AD_Reference_ID)", "AD_IndexColumn (AD_TableIndex_ID)",
			"AD_Field (AD_Tab_ID)", "AD_TreeNodeMM (Node_ID)", "AD_Window_Access (AD_Window_ID)", "AD_Sequence (Name, IsTableID)"} {
			_, err := db.ExecContext(ctx, "CREATE TABLE "+other)
			require.NoError(t, err)
		}
		for _, s := range statements {
			_, err := db.ExecContext(ctx, s)
			require.NoError(t, err)
		}
		s, err := ReadSQLite(ctx, db, "XX_A")
		require.NoError(t, err)
		return s.Physical
	}
	base := read("CREATE TABLE XX_A (A INTEGER PRIMARY KEY, B VARCHAR(5) NOT NULL DEFAULT 'x')", "CREATE UNIQUE INDEX i ON XX_A (B)")
	assert.Len(t, base, 4)
	assert.Equal(t, base, read("CREATE TABLE xx_a (B VARCHAR(5) NOT NULL DEFAULT 'x', A INTEGER PRIMARY KEY)", "CREATE UNIQUE INDEX i ON XX_A (B)"))
	for name, other := range map[string][]string{
		"type":   {"CREATE TABLE XX_A (A INTEGER PRIMARY KEY, B VARCHAR(6) NOT NULL DEFAULT 'x')", "CREATE UNIQUE INDEX i ON XX_A (B)"},
		"null":   {"CREATE TABLE XX_A (A INTEGER PRIMARY KEY, B VARCHAR(5) DEFAULT 'x')", "CREATE UNIQUE INDEX i ON XX_A (B)"},
		"index":  {"CREATE TABLE XX_A (A INTEGER PRIMARY KEY, B VARCHAR(5) NOT NULL DEFAULT 'x')", "CREATE INDEX i ON XX_A (B)"},
		"check":  {"CREATE TABLE XX_A (A INTEGER PRIMARY KEY, B VARCHAR(5) NOT NULL CHECK (B IN ('x')) DEFAULT 'x')", "CREATE UNIQUE INDEX i ON XX_A (B)"},
		"absent": {},
	} {
		assert.NotEqual(t, base, read(other...), name)
	}
}

// A sample has every two things that meet in some table of all.
func TestSampleHasEveryPair(t *testing.T) {
	t.Parallel()
	of := func(tables []dict.Table) map[[2]string]bool {
		met := map[[2]string]bool{}
		for _, table := range tables {
			maps.Copy(met, pairs(table))
		}
		return met
	}
	all, some := Combinations(), Sample()
	t.Logf("%d of %d", len(some), len(all))
	assert.Equal(t, of(all), of(some))
	assert.Less(t, len(some), len(all)*2/3)
	assert.Equal(t, "XX_CombiKinds", some[len(some)-1].Name)
}
