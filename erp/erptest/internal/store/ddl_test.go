package store_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
)

func open(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), "", store.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// table is a definition as the dictionary would give it.
func table(name string, columns ...store.Column) *store.Table {
	t := store.Table{Name: name, Active: true}
	for i := range columns {
		c := columns[i]
		c.ID = int64(i + 1)
		t.Columns = append(t.Columns, &c)
	}
	return store.NewTable(t)
}

func key(name string) store.Column {
	return store.Column{Name: name, Ref: displaytype.ID, Length: 22, Key: true, Mandatory: true}
}

func uu(name string) store.Column {
	return store.Column{Name: name, Ref: displaytype.UUID, Length: 36}
}

func text(name string, length int) store.Column {
	return store.Column{Name: name, Ref: displaytype.String, Length: length}
}

// update runs fn in a transaction that must succeed.
func update(t *testing.T, s *store.Store, fn func(tx *store.Tx)) {
	t.Helper()
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error { fn(tx); return nil }))
}

func sync(t *testing.T, s *store.Store, tab *store.Table) string {
	t.Helper()
	report := ""
	update(t, s, func(tx *store.Tx) {
		var err error
		report, err = tx.SyncTable(t.Context(), tab)
		require.NoError(t, err)
	})
	return report
}

func columnsOf(t *testing.T, s *store.Store, name string) map[string]store.PhysicalColumn {
	t.Helper()
	out := map[string]store.PhysicalColumn{}
	require.NoError(t, s.View(t.Context(), func(tx *store.Tx) error {
		list, err := tx.PhysicalColumns(t.Context(), name)
		for _, c := range list {
			out[c.Name] = c
		}
		return err
	}))
	return out
}

func exec(t *testing.T, s *store.Store, query string, args ...any) error {
	t.Helper()
	return s.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(t.Context(), query, args...)
		return err
	})
}

func value(t *testing.T, s *store.Store, query string) (v any) {
	t.Helper()
	require.NoError(t, s.View(t.Context(), func(tx *store.Tx) error { return tx.QueryRow(t.Context(), query).Scan(&v) }))
	return v
}

func TestSyncCreates(t *testing.T) {
	t.Parallel()
	s := open(t)
	tab := table("XX_Log", key("XX_Log_ID"), uu("XX_Log_UU"), text("Name", 60),
		store.Column{Name: "IsActive", Ref: displaytype.YesNo, Length: 1, Default: "Y", Mandatory: true},
		store.Column{Name: "Amount", Ref: displaytype.Amount, Default: "0", Mandatory: true},
		store.Column{Name: "AD_User_ID", Ref: displaytype.Search, Default: "-1"},
		store.Column{Name: "AD_Org_ID", Ref: displaytype.TableDir, Default: "@AD_Org_ID@"},
		store.Column{Name: "Started", Ref: displaytype.DateTime, Default: "SYSDATE"},
		store.Column{Name: "Total", Ref: displaytype.Amount, ColumnSQL: "SELECT 1"},
	)
	report := sync(t, s, tab)
	assert.Contains(t, report, `CREATE TABLE "XX_Log"`)
	assert.Less(t, strings.Index(report, `"AD_Org_ID"`), strings.Index(report, `"XX_Log_ID"`), "columns in alphabetical order")
	have := columnsOf(t, s, "xx_log")
	assert.Len(t, have, 8, "no column for the virtual one")
	assert.Equal(t, store.PhysicalColumn{Name: "XX_Log_ID", Type: "INTEGER", NotNull: true, Key: true}, have["XX_Log_ID"])
	assert.Equal(t, "VARCHAR(60)", have["Name"].Type)
	assert.Equal(t, store.PhysicalColumn{Name: "IsActive", Type: "CHAR(1)", NotNull: true, Default: "'Y'"}, have["IsActive"])
	assert.Equal(t, "'0'", have["Amount"].Default)
	assert.Empty(t, have["AD_User_ID"].Default, "-1 on an id is no default")
	assert.Empty(t, have["AD_Org_ID"].Default, "context variables are no default")
	assert.Equal(t, "CURRENT_TIMESTAMP", have["Started"].Default)

	require.NoError(t, exec(t, s, `INSERT INTO XX_Log(XX_Log_ID, XX_Log_UU) VALUES(1,'u1')`))
	require.Error(t, exec(t, s, `INSERT INTO XX_Log(XX_Log_ID, XX_Log_UU) VALUES(2,'u1')`), "the UUID is unique")
	require.Error(t, exec(t, s, `INSERT INTO XX_Log(XX_Log_ID, XX_Log_UU) VALUES(1,'u2')`), "the key is unique")
	require.Error(t, exec(t, s, `UPDATE XX_Log SET IsActive='X'`), "Yes-No is Y or N")
	assert.Empty(t, sync(t, s, tab), "a second run finds nothing to do")
}

func TestSyncKeys(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		table *store.Table
		want  []string
	}{
		"key column": {table("XX_A", key("XX_A_ID"), uu("XX_A_UU")), []string{"XX_A_ID"}},
		"parents": {table("XX_B", store.Column{Name: "XX_A_ID", Ref: displaytype.TableDir, Parent: true, Mandatory: true},
			store.Column{Name: "AD_Language", Ref: displaytype.Table, Length: 6, Parent: true, Mandatory: true}, uu("XX_B_UU")), []string{"AD_Language", "XX_A_ID"}},
		"UUID":    {table("XX_C", uu("XX_C_UU"), text("Name", 60)), []string{"XX_C_UU"}},
		"nothing": {table("XX_D", text("Name", 60)), nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			sync(t, s, tc.table)
			var got []string
			for _, c := range columnsOf(t, s, tc.table.Name) {
				if c.Key {
					got = append(got, c.Name)
				}
			}
			assert.ElementsMatch(t, tc.want, got)
			assert.Empty(t, sync(t, s, tc.table))
		})
	}
}

func TestSyncAddsColumns(t *testing.T) {
	t.Parallel()
	s := open(t)
	base := []store.Column{key("XX_Log_ID"), text("Name", 60)}
	sync(t, s, table("XX_Log", base...))
	require.NoError(t, exec(t, s, `INSERT INTO XX_Log VALUES('first', 1),('second', 2)`))

	wide := append(base, uu("XX_Log_UU"), text("Note", 2000),
		store.Column{Name: "IsActive", Ref: displaytype.YesNo, Length: 1, Mandatory: true},
		store.Column{Name: "Line", Ref: displaytype.Integer, Default: "10", Mandatory: true},
		store.Column{Name: "Created", Ref: displaytype.DateTime, Default: "SYSDATE", Mandatory: true},
	)
	report := sync(t, s, table("XX_Log", wide...))
	assert.Contains(t, report, "Note")
	assert.Equal(t, "Y", value(t, s, `SELECT MAX(IsActive) FROM XX_Log`))
	assert.EqualValues(t, 20, value(t, s, `SELECT SUM(Line) FROM XX_Log`))
	assert.EqualValues(t, 2, value(t, s, `SELECT COUNT(Created) FROM XX_Log`))
	assert.EqualValues(t, 2, value(t, s, `SELECT COUNT(Name) FROM XX_Log`), "data are kept")
	require.NoError(t, exec(t, s, `UPDATE XX_Log SET XX_Log_UU='u' WHERE XX_Log_ID=1`))
	require.Error(t, exec(t, s, `UPDATE XX_Log SET XX_Log_UU='u' WHERE XX_Log_ID=2`), "the new UUID column is unique")
	assert.Empty(t, sync(t, s, table("XX_Log", wide...)))

	mandatory := append(wide, store.Column{Name: "Must", Ref: displaytype.String, Length: 10, Mandatory: true})
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.SyncTable(t.Context(), table("XX_Log", mandatory...))
		return err
	})
	var refused *store.DDLError
	require.ErrorAs(t, err, &refused)
	assert.Contains(t, refused.Error(), "Must")
	assert.NotContains(t, columnsOf(t, s, "XX_Log"), "Must")
	require.NoError(t, exec(t, s, `DELETE FROM XX_Log`))
	sync(t, s, table("XX_Log", mandatory...))
	assert.True(t, columnsOf(t, s, "XX_Log")["Must"].NotNull, "an empty table takes it")
}

func TestSyncAltersColumns(t *testing.T) {
	t.Parallel()
	s := open(t)
	before := table("XX_Log", key("XX_Log_ID"), uu("XX_Log_UU"), text("Code", 10), text("Name", 60), text("Rate", 20))
	sync(t, s, before)
	require.NoError(t, exec(t, s, `INSERT INTO XX_Log(XX_Log_ID,XX_Log_UU,Code,Name,Rate) VALUES(1,'u1','7','a','1.50'),(2,'u2','12','b','0.25')`))
	require.NoError(t, exec(t, s, `CREATE VIEW XX_Log_v AS SELECT Name FROM XX_Log`))
	require.NoError(t, exec(t, s, `CREATE INDEX XX_Log_Name ON XX_Log(Name)`))
	require.NoError(t, exec(t, s, `ALTER TABLE XX_Log ADD COLUMN Extra TEXT DEFAULT 'x'`))

	after := table("XX_Log", key("XX_Log_ID"), uu("XX_Log_UU"),
		store.Column{Name: "Code", Ref: displaytype.Integer, Mandatory: true},
		store.Column{Name: "Name", Ref: displaytype.String, Length: 255, Mandatory: true, Default: "none"},
		store.Column{Name: "Rate", Ref: displaytype.Number})
	assert.NotEmpty(t, sync(t, s, after))
	have := columnsOf(t, s, "XX_Log")
	assert.Equal(t, "INTEGER", have["Code"].Type)
	assert.True(t, have["Code"].NotNull)
	assert.Equal(t, "VARCHAR(255)", have["Name"].Type)
	assert.Equal(t, "'none'", have["Name"].Default)
	assert.True(t, have["XX_Log_ID"].Key)
	assert.Contains(t, have, "Extra", "what the dictionary does not know stays")
	assert.Equal(t, "integer", value(t, s, `SELECT typeof(Code) FROM XX_Log WHERE XX_Log_ID=1`))
	assert.EqualValues(t, 19, value(t, s, `SELECT SUM(Code) FROM XX_Log`))
	assert.EqualValues(t, 2, value(t, s, `SELECT COUNT(*) FROM XX_Log_v`), "views are kept")
	assert.EqualValues(t, 1, value(t, s, `SELECT COUNT(*) FROM sqlite_schema WHERE name='XX_Log_Name'`), "indexes are kept")
	require.Error(t, exec(t, s, `UPDATE XX_Log SET XX_Log_UU='u1'`), "the UUID index is kept")
	assert.Equal(t, "b", value(t, s, `SELECT Name FROM XX_Log ORDER BY Rate LIMIT 1`), "decimals compare by value")
	assert.Empty(t, sync(t, s, after))

	optional := table("XX_Log", key("XX_Log_ID"), uu("XX_Log_UU"), store.Column{Name: "Code", Ref: displaytype.Integer},
		store.Column{Name: "Name", Ref: displaytype.String, Length: 255}, store.Column{Name: "Rate", Ref: displaytype.Number})
	sync(t, s, optional)
	assert.False(t, columnsOf(t, s, "XX_Log")["Code"].NotNull)
	require.NoError(t, exec(t, s, `INSERT INTO XX_Log(XX_Log_ID) VALUES(3)`))
}

// An empty table is made anew without copying anything.
func TestSyncAltersAnEmptyTable(t *testing.T) {
	t.Parallel()
	s := open(t)
	sync(t, s, table("XX_Log", key("XX_Log_ID"), uu("XX_Log_UU"), text("Name", 60)))
	require.NoError(t, exec(t, s, `CREATE VIEW XX_Log_v AS SELECT Name FROM XX_Log`))
	require.NoError(t, exec(t, s, `CREATE INDEX XX_Log_Name ON XX_Log(Name)`))
	require.NoError(t, exec(t, s, `ALTER TABLE XX_Log ADD COLUMN Extra TEXT DEFAULT 'x'`))

	after := table("XX_Log", key("XX_Log_ID"), uu("XX_Log_UU"), store.Column{Name: "Name", Ref: displaytype.String, Length: 255, Mandatory: true})
	report := sync(t, s, after)
	assert.NotContains(t, report, "RENAME")
	have := columnsOf(t, s, "XX_Log")
	assert.Equal(t, "VARCHAR(255)", have["Name"].Type)
	assert.True(t, have["Name"].NotNull)
	assert.True(t, have["XX_Log_ID"].Key)
	assert.Contains(t, have, "Extra", "what the dictionary does not know stays")
	assert.Empty(t, sync(t, s, after))
	require.NoError(t, exec(t, s, `INSERT INTO XX_Log(XX_Log_ID,XX_Log_UU,Name) VALUES(1,'u1','a'),(2,'u2','b')`))
	assert.EqualValues(t, 2, value(t, s, `SELECT COUNT(*) FROM XX_Log_v`), "views are kept")
	assert.EqualValues(t, 1, value(t, s, `SELECT COUNT(*) FROM sqlite_schema WHERE name='XX_Log_Name'`), "indexes are kept")
	require.Error(t, exec(t, s, `UPDATE XX_Log SET XX_Log_UU='u1'`), "the UUID index is kept")
}

func TestSyncRefuses(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		table *store.Table
		want  string
	}{
		"text to number":         {table("XX_Log", key("XX_Log_ID"), store.Column{Name: "Name", Ref: displaytype.Integer}), "does not fit"},
		"text to decimal":        {table("XX_Log", key("XX_Log_ID"), store.Column{Name: "Name", Ref: displaytype.Amount}), "does not fit"},
		"text to Yes-No":         {table("XX_Log", key("XX_Log_ID"), store.Column{Name: "Name", Ref: displaytype.YesNo, Length: 1}), "does not fit"},
		"mandatory over nulls":   {table("XX_Log", key("XX_Log_ID"), text("Name", 60), store.Column{Name: "Note", Ref: displaytype.String, Length: 60, Mandatory: true, Default: "x"}), "fill them first"},
		"a default of SQL":       {table("XX_New", key("XX_New_ID"), store.Column{Name: "N", Ref: displaytype.Integer, Default: "0); DROP TABLE XX_Log; --"}), "no whole number"},
		"a default too large":    {table("XX_New", key("XX_New_ID"), store.Column{Name: "N", Ref: displaytype.Amount, Default: "1e999999999"}), "no number"},
		"a reserved name":        {table("sqlite_log", key("sqlite_log_ID")), "belong to the database"},
		"a key that repeats":     {table("XX_Log", store.Column{Name: "Note", Ref: displaytype.String, Length: 60, Key: true}, text("Name", 60)), "repeat a key"},
		"no columns":             {table("XX_New"), "no active column"},
		"virtual columns only":   {table("XX_New", store.Column{Name: "N", Ref: displaytype.Integer, ColumnSQL: "1"}), "no active column"},
		"a default of no number": {table("XX_New", key("XX_New_ID"), store.Column{Name: "N", Ref: displaytype.Amount, Default: "many"}), "no number"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			sync(t, s, table("XX_Log", key("XX_Log_ID"), text("Name", 60), text("Note", 60)))
			require.NoError(t, exec(t, s, `INSERT INTO XX_Log(XX_Log_ID, Name) VALUES(1,'words')`))
			require.NoError(t, exec(t, s, `INSERT INTO XX_Log(XX_Log_ID, Name) VALUES(2,'words')`))
			if strings.HasPrefix(name, "a key") {
				require.NoError(t, exec(t, s, `UPDATE XX_Log SET Note='same'`))
			}
			err := s.Update(t.Context(), func(tx *store.Tx) error {
				_, err := tx.SyncTable(t.Context(), tc.table)
				return err
			})
			var refused *store.DDLError
			require.ErrorAs(t, err, &refused)
			assert.Contains(t, refused.Error(), tc.want)
			assert.Equal(t, "words", value(t, s, `SELECT MAX(Name) FROM XX_Log`))
			assert.Empty(t, columnsOf(t, s, "XX_New"))
		})
	}
	view := store.NewTable(store.Table{Name: "XX_V", IsView: true})
	err := open(t).Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.SyncTable(t.Context(), view)
		return err
	})
	require.ErrorContains(t, err, "is a view")
}

func TestSyncOddNamesAndDefaults(t *testing.T) {
	t.Parallel()
	s := open(t)
	tab := table("Order", key("Order_ID"), text("Group", 60), text("Select", 10), text("Limit", 5), text("Quo\"te", 5), text("Back`tick", 5),
		store.Column{Name: "Text", Ref: displaytype.String, Length: 60, Default: "it's; DROP TABLE x--"},
		store.Column{Name: "Quoted", Ref: displaytype.List, Length: 10, Default: "'File'"},
		store.Column{Name: "Values", Ref: displaytype.Memo, Length: 100, Default: "SYSDATE"})
	sync(t, s, tab)
	require.NoError(t, exec(t, s, `INSERT INTO "Order"(Order_ID) VALUES(1)`))
	assert.Equal(t, "it's; DROP TABLE x--", value(t, s, `SELECT "Text" FROM "Order"`))
	assert.Equal(t, "File", value(t, s, `SELECT "Quoted" FROM "Order"`))
	assert.Equal(t, "SYSDATE", value(t, s, `SELECT "Values" FROM "Order"`))
	assert.Empty(t, sync(t, s, tab))
	tab = table("Order", key("Order_ID"), store.Column{Name: "Group", Ref: displaytype.String, Length: 60, Default: "g"}, text("Select", 20), text("Limit", 5),
		text("Quo\"te", 9), text("Back`tick", 5))
	sync(t, s, tab)
	assert.EqualValues(t, 1, value(t, s, `SELECT COUNT(*) FROM "Order"`))
	assert.Empty(t, sync(t, s, tab))
}

func TestFailedSyncLeavesNothing(t *testing.T) {
	t.Parallel()
	s := open(t)
	boom := errors.New("boom")
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		if _, err := tx.SyncTable(t.Context(), table("XX_Log", key("XX_Log_ID"))); err != nil {
			return err
		}
		return boom
	})
	require.ErrorIs(t, err, boom)
	assert.Empty(t, columnsOf(t, s, "XX_Log"))
}

func TestDecimalsCompareByValue(t *testing.T) {
	t.Parallel()
	s := open(t)
	sync(t, s, table("XX_N", key("XX_N_ID"), store.Column{Name: "N", Ref: displaytype.Number}))
	for i, n := range []string{"10", "9.5", "-3", "1e2", "0.10", "0.1", "1e999999999", "words"} {
		require.NoError(t, exec(t, s, `INSERT INTO XX_N(XX_N_ID, N) VALUES(?,?)`, i, n))
	}
	assert.Equal(t, "-3 0.10 0.1 9.5 10 1e2 1e999999999 words", value(t, s, `SELECT group_concat(N, ' ') FROM (SELECT N FROM XX_N ORDER BY N, XX_N_ID)`))
	assert.EqualValues(t, 2, value(t, s, `SELECT COUNT(*) FROM XX_N WHERE N='0.1'`))
}
