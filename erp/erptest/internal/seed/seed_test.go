package seed

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
	"github.com/erphub/erphub/internal/sqlquote"
)

// coreTables are those the reference of the Application Dictionary lists.
var coreTables = strings.Fields(`AD_Table AD_Column AD_Element AD_Reference AD_Ref_List AD_Ref_Table AD_Window AD_Tab AD_Field
	AD_Menu AD_TreeNodeMM AD_Process AD_Process_Para AD_Val_Rule AD_EntityType AD_Sequence AD_TableIndex AD_IndexColumn
	AD_MigrationScript AD_Package_Imp AD_Package_Imp_Proc AD_Role AD_Role_Included AD_User AD_Client AD_Org AD_Role_OrgAccess
	AD_User_OrgAccess AD_User_Roles AD_Table_Access AD_Column_Access AD_Record_Access AD_Private_Access AD_TableValRule
	AD_Window_Access AD_Process_Access AD_ChangeLog AD_Scheduler AD_WF_Activity AD_Message`)

// bareTables are without the standard columns, withoutUUID without a UUID column.
var (
	bareTables = strings.Fields(`AD_PInstance_Log AD_Attribute_Value C_LandedCost C_LandedCostAllocation T_BankRegister
		T_InventoryValue T_Replenish T_Report T_ReportStatement T_Spool T_TrialBalance`)
	withoutUUID = strings.Fields(`T_Fact_Acct_History T_Spool`)
)

func open(t *testing.T) *store.Store {
	t.Helper()
	s, err := Open(t.Context(), "", Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func view(t *testing.T, s *store.Store, fn func(ctx context.Context, tx *store.Tx) error) {
	t.Helper()
	require.NoError(t, s.View(t.Context(), func(tx *store.Tx) error { return fn(t.Context(), tx) }))
}

// eachTable visits every table of the dictionary.
func eachTable(t *testing.T, s *store.Store, fn func(ctx context.Context, tx *store.Tx, tab *store.Table)) {
	t.Helper()
	view(t, s, func(ctx context.Context, tx *store.Tx) error {
		names, err := tx.TableNames(ctx)
		require.NoError(t, err)
		for _, name := range names {
			tab, err := tx.Table(ctx, name)
			require.NoError(t, err)
			fn(ctx, tx, tab)
		}
		return nil
	})
}

// eachFilled visits the tables that have rows, which views have from others.
func eachFilled(t *testing.T, s *store.Store, fn func(ctx context.Context, tx *store.Tx, tab *store.Table)) {
	t.Helper()
	eachTable(t, s, func(ctx context.Context, tx *store.Tx, tab *store.Table) {
		if tab.IsView {
			return
		}
		n, err := tx.Count(ctx, tab, "")
		require.NoError(t, err)
		if n > 0 {
			fn(ctx, tx, tab)
		}
	})
}

func TestTablesOfTheReferenceAreThere(t *testing.T) {
	t.Parallel()
	view(t, open(t), func(ctx context.Context, tx *store.Tx) error {
		for _, name := range coreTables {
			tab, err := tx.Table(ctx, name)
			if assert.NoError(t, err) {
				n, err := tx.Count(ctx, tab, "")
				assert.NoError(t, err)
				t.Logf("%s: %d columns, %d rows", name, len(tab.Columns), n)
			}
		}
		names, err := tx.TableNames(ctx)
		assert.Greater(t, len(names), 900, "active tables")
		return err
	})
}

func TestDatabaseIsInStepWithTheDictionary(t *testing.T) {
	t.Parallel()
	eachTable(t, open(t), func(ctx context.Context, tx *store.Tx, tab *store.Table) {
		have, err := tx.PhysicalColumns(ctx, tab.Name)
		require.NoError(t, err)
		if tab.IsView { // TestViewsCanBeRead reads them
			assert.Empty(t, have, tab.Name)
			return
		}
		want := slices.DeleteFunc(slices.Clone(tab.Columns), (*store.Column).IsVirtual)
		assert.Len(t, have, len(want), tab.Name)
		key := slices.ContainsFunc(have, func(p store.PhysicalColumn) bool { return p.Key })
		assert.True(t, key, "%s has no primary key", tab.Name)
		if !slices.Contains(bareTables, tab.Name) {
			for _, standard := range []string{"AD_Client_ID", "AD_Org_ID", "IsActive", "Created", "CreatedBy", "Updated", "UpdatedBy"} {
				_, ok := tab.Column(standard)
				assert.True(t, ok, "%s has no %s", tab.Name, standard)
			}
		}
		keys := 0
		for _, c := range tab.Columns {
			if c.Key {
				keys++
			}
		}
		assert.LessOrEqual(t, keys, 1, "%s has several key columns", tab.Name)
		if !slices.Contains(withoutUUID, tab.Name) {
			assert.NotNil(t, tab.UUColumn(), "%s has no UUID column", tab.Name)
		}
	})
}

func TestLookupsLeadToTables(t *testing.T) {
	t.Parallel()
	absent := map[string]bool{}
	eachTable(t, open(t), func(ctx context.Context, tx *store.Tx, tab *store.Table) {
		for _, c := range tab.Columns {
			if c.RefValue != 0 {
				_, err := tx.Reference(ctx, c.RefValue)
				assert.NoError(t, err, "%s.%s", tab.Name, c.Name)
			}
			if c.IsList() {
				ref, err := tx.Reference(ctx, c.RefValue)
				if assert.NoError(t, err, "%s.%s has no list", tab.Name, c.Name) {
					assert.NotEmpty(t, ref.List, "%s.%s: list %d has no value", tab.Name, c.Name, c.RefValue)
				}
			}
			if !c.IsLookup() {
				continue
			}
			target, err := tx.TargetTable(ctx, c)
			require.NoError(t, err)
			if target == "" { // a table reference whose table the seed does not have
				ref, err := tx.Reference(ctx, c.RefValue)
				if assert.NoError(t, err, "%s.%s", tab.Name, c.Name) {
					assert.Equal(t, "T", ref.ValidationType, "%s.%s", tab.Name, c.Name)
				}
				continue
			}
			if _, err := tx.Table(ctx, target); err != nil {
				absent[target] = true
			}
		}
	})
	assert.Empty(t, slices.Sorted(maps.Keys(absent)), "tables that columns point at and the dictionary does not have")
}

func TestRowsReferToRows(t *testing.T) {
	t.Parallel()
	eachFilled(t, open(t), func(ctx context.Context, tx *store.Tx, tab *store.Table) {
		for _, c := range tab.Columns {
			if c.IsVirtual() || !c.IsLookup() || c.Kind() == store.KindBytes {
				continue
			}
			target, err := tx.TargetTable(ctx, c)
			require.NoError(t, err)
			to, err := tx.Table(ctx, target)
			if err != nil {
				continue // TestLookupsLeadToTables lists them
			}
			key := to.Name + "_ID"
			if c.RefValue != 0 && (c.Ref == displaytype.Table || c.Ref == displaytype.Search) {
				ref, err := tx.Reference(ctx, c.RefValue)
				require.NoError(t, err)
				key = ref.Table.Key
			}
			if _, ok := to.Column(key); !ok {
				continue
			}
			name := sqlquote.Name(c.Name)
			n, err := tx.Count(ctx, tab, fmt.Sprintf("%s IS NOT NULL AND %s NOT IN (SELECT %s FROM %s)", name, name, sqlquote.Name(key), sqlquote.Name(to.Name)))
			require.NoError(t, err, "%s.%s", tab.Name, c.Name)
			if n > 0 {
				rows, err := tx.Select(ctx, tab, store.Selection{Where: fmt.Sprintf("%s IS NOT NULL AND %s NOT IN (SELECT %s FROM %s)", name, name, sqlquote.Name(key), sqlquote.Name(to.Name)), Limit: 1})
				require.NoError(t, err)
				t.Errorf("%d rows of %s have a %s that %s does not have: %v", n, tab.Name, c.Name, to.Name, rows[0][c.Name])
			}
		}
	})
}

func TestValuesFitTheirColumns(t *testing.T) {
	t.Parallel()
	eachFilled(t, open(t), func(ctx context.Context, tx *store.Tx, tab *store.Table) {
		var checks []string // of all columns in one statement
		for _, c := range tab.Columns {
			if c.IsVirtual() {
				continue
			}
			name := sqlquote.Name(c.Name)
			bad := ""
			switch c.Kind() {
			case store.KindInteger:
				bad = "typeof(" + name + ")<>'integer'"
			case store.KindDecimal:
				bad = "NOT erp_is_number(" + name + ")"
			case store.KindDate, store.KindDateTime:
				bad = name + " NOT GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9] [0-9][0-9]:[0-9][0-9]:[0-9][0-9]'"
			case store.KindText:
				bad = fmt.Sprintf("length(%s)>%d", name, max(c.Length, 1))
				if c.Length == 0 {
					bad = ""
				}
				if c.IsList() || c.Ref == displaytype.Button && c.RefValue != 0 {
					ref, err := tx.Reference(ctx, c.RefValue)
					require.NoError(t, err)
					if len(ref.List) > 0 {
						bad = fmt.Sprintf("%s NOT IN (SELECT Value FROM AD_Ref_List WHERE AD_Reference_ID=%d)", name, c.RefValue)
					}
				}
			}
			if bad == "" {
				continue
			}
			says := fmt.Sprintf("'%s.%s (display type %d, length %d) holds '", tab.Name, c.Name, c.Ref, c.Length)
			checks = append(checks, "max(CASE WHEN "+name+" IS NOT NULL AND "+bad+" THEN "+says+" || "+name+" END)")
		}
		if len(checks) == 0 {
			return
		}
		rows, err := tx.Values(ctx, "SELECT "+strings.Join(checks, ",")+" FROM "+sqlquote.Name(tab.Name))
		require.NoError(t, err, tab.Name)
		for _, says := range rows[0] {
			assert.Nil(t, says)
		}
	})
}

func TestElementsAreUnique(t *testing.T) {
	t.Parallel()
	view(t, open(t), func(ctx context.Context, tx *store.Tx) error {
		var n int
		require.NoError(t, tx.QueryRow(ctx, `SELECT COUNT(*) FROM (SELECT 1 FROM AD_Element GROUP BY upper(ColumnName) HAVING COUNT(*)>1)`).Scan(&n))
		assert.Zero(t, n, "elements that differ only in case")
		require.NoError(t, tx.QueryRow(ctx, `SELECT COUNT(*) FROM AD_Column c JOIN AD_Element e USING(AD_Element_ID) WHERE upper(c.ColumnName)<>upper(e.ColumnName)`).Scan(&n))
		assert.Zero(t, n, "columns called otherwise than their element")
		require.NoError(t, tx.QueryRow(ctx, `SELECT COUNT(*) FROM (SELECT 1 FROM AD_Column GROUP BY AD_Table_ID, upper(ColumnName) HAVING COUNT(*)>1)`).Scan(&n))
		assert.Zero(t, n, "columns twice in a table")
		require.NoError(t, tx.QueryRow(ctx, `SELECT COUNT(*) FROM (SELECT 1 FROM AD_Column WHERE IsIdentifier='Y' GROUP BY AD_Table_ID, SeqNo HAVING COUNT(*)>1)`).Scan(&n))
		assert.Zero(t, n, "identifiers with the same number")
		for column, id := range map[string]int64{"AD_Client_ID": 102, "AD_Org_ID": 113, "Created": 245, "CreatedBy": 246, "IsActive": 348, "Updated": 607, "UpdatedBy": 608} {
			var got int64
			require.NoError(t, tx.QueryRow(ctx, `SELECT AD_Element_ID FROM AD_Element WHERE ColumnName=?`, column).Scan(&got))
			assert.Equal(t, id, got, column)
		}
		return nil
	})
}

func TestSequencesStandAboveTheRows(t *testing.T) {
	t.Parallel()
	eachTable(t, open(t), func(ctx context.Context, tx *store.Tx, tab *store.Table) {
		if tab.IsView {
			return
		}
		var next, rows int64
		require.NoError(t, tx.QueryRow(ctx, `SELECT COALESCE(MAX(CurrentNext),0), COUNT(*) FROM AD_Sequence WHERE Name=? AND IsTableID='Y'`, tab.Name).Scan(&next, &rows))
		assert.EqualValues(t, 1, rows, "sequences of %s", tab.Name)
		assert.GreaterOrEqual(t, next, int64(store.FirstCustomID), tab.Name)
		if key := tab.KeyColumn(); key != nil {
			var highest int64
			require.NoError(t, tx.QueryRow(ctx, "SELECT COALESCE(MAX("+sqlquote.Name(key.Name)+"),0) FROM "+sqlquote.Name(tab.Name)).Scan(&highest))
			assert.Less(t, highest, next, tab.Name)
		}
	})
}

func TestUUIDsAreUniqueOverAllTables(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	eachFilled(t, open(t), func(ctx context.Context, tx *store.Tx, tab *store.Table) {
		uu := tab.UUColumn()
		rows, err := tx.Select(ctx, tab, store.Selection{Columns: []*store.Column{uu}})
		require.NoError(t, err)
		for _, row := range rows {
			id := row.String(uu.Name)
			require.Len(t, id, 36, tab.Name)
			assert.Empty(t, seen[id], "%s has the UUID of a row of %s", tab.Name, seen[id])
			seen[id] = tab.Name
		}
	})
	assert.Greater(t, len(seen), 10_000)
}

func TestPeopleOfTheDemo(t *testing.T) {
	t.Parallel()
	view(t, open(t), func(ctx context.Context, tx *store.Tx) error {
		users, err := tx.Table(ctx, "AD_User")
		require.NoError(t, err)
		for name, password := range map[string]string{"SuperUser": "System", "GardenAdmin": "GardenAdmin", "GardenUser": "GardenUser", "FernAdmin": "FernAdmin"} {
			row, err := tx.One(ctx, users, "Name=?", name)
			require.NoError(t, err)
			assert.NotContains(t, row.String("Password"), password)
			assert.True(t, VerifyPassword(password, row.String("Password"), row.String("Salt")), name)
			assert.False(t, VerifyPassword(password+"x", row.String("Password"), row.String("Salt")), name)
		}
		silent, err := tx.One(ctx, users, "Name=?", "Carl Boss")
		require.NoError(t, err)
		assert.False(t, VerifyPassword("", silent.String("Password"), silent.String("Salt")), "no password lets nobody in")
		return nil
	})
}

// SQLite finds nothing wrong with the file: neither with its form and the order
// in indexes, nor with rows that break a constraint.
func TestImageIsSound(t *testing.T) {
	t.Parallel()
	view(t, open(t), func(ctx context.Context, tx *store.Tx) error {
		var verdict string
		require.NoError(t, tx.QueryRow(ctx, "PRAGMA integrity_check(20)").Scan(&verdict))
		assert.Equal(t, "ok", verdict)
		return nil
	})
}

func TestStoresAreIndependent(t *testing.T) {
	t.Parallel()
	secret := func(s *store.Store) (value string) {
		view(t, s, func(ctx context.Context, tx *store.Tx) error {
			return tx.QueryRow(ctx, `SELECT Value FROM AD_SysConfig WHERE Name='REST_TOKEN_SECRET'`).Scan(&value)
		})
		return value
	}
	a, b := open(t), open(t)
	assert.NotEqual(t, secret(a), secret(b))
	require.NoError(t, a.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(t.Context(), `UPDATE C_BPartner SET Name='Changed' WHERE C_BPartner_ID=118`)
		return err
	}))
	name := func(s *store.Store) (value string) {
		view(t, s, func(ctx context.Context, tx *store.Tx) error {
			return tx.QueryRow(ctx, `SELECT Name FROM C_BPartner WHERE C_BPartner_ID=118`).Scan(&value)
		})
		return value
	}
	assert.Equal(t, "Changed", name(a))
	assert.Equal(t, "Joe Block", name(b))
	assert.Equal(t, "Joe Block", name(open(t)), "the template is untouched")
}

func TestFileSurvivesReopening(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new folder", "erp's #1 100%.db")
	s, err := Open(t.Context(), path, Options{})
	require.NoError(t, err)
	require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(t.Context(), `UPDATE C_BPartner SET Name='Kept' WHERE C_BPartner_ID=118`)
		return err
	}))
	require.NoError(t, s.Close())
	s, err = Open(t.Context(), path, Options{})
	require.NoError(t, err)
	var name string
	view(t, s, func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRow(ctx, `SELECT Name FROM C_BPartner WHERE C_BPartner_ID=118`).Scan(&name)
	})
	assert.Equal(t, "Kept", name)
	require.NoError(t, s.Close())
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	for _, e := range left {
		assert.NotContains(t, e.Name(), ".new-", "nothing of the making is left")
	}
}

func TestOpenRefusesWhatIsNoDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	require.NoError(t, os.WriteFile(text, []byte(strings.Repeat("these are notes\n", 500)), 0o600))
	for name, path := range map[string]string{"a directory": dir, "another file": text, "below a file": filepath.Join(text, "x.db")} {
		t.Run(name, func(t *testing.T) {
			_, err := Open(t.Context(), path, Options{})
			require.Error(t, err)
		})
	}
	got, err := os.ReadFile(text)
	require.NoError(t, err)
	assert.Equal(t, strings.Repeat("these are notes\n", 500), string(got), "the file is left as it was")
}

func TestProcessNumbers(t *testing.T) {
	t.Parallel()
	class := func(s *store.Store, id int) (value, class string) {
		view(t, s, func(ctx context.Context, tx *store.Tx) error {
			return tx.QueryRow(ctx, `SELECT Value, COALESCE(Classname,'') FROM AD_Process WHERE AD_Process_ID=?`, id).Scan(&value, &class)
		})
		return value, class
	}
	s := open(t)
	_, sync := class(s, 291)
	assert.Equal(t, "org.compiere.process.ColumnSync", sync)
	_, packIn := class(s, 194)
	assert.Equal(t, "org.adempiere.pipo.PackIn", packIn)
	value, _ := class(s, 181)
	assert.Equal(t, "AD_Column Sync", value)
	value, _ = class(s, 50008)
	assert.Equal(t, "PackIn", value)

	plain, err := Open(t.Context(), "", Options{RealProcessNumbers: true})
	require.NoError(t, err)
	defer plain.Close()
	value, _ = class(plain, 291)
	assert.Equal(t, "Rpt M_Inventory", value)
	value, _ = class(plain, 194)
	assert.Equal(t, "Import_BPartner", value)
}
