package diff_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/internal/tablefile"
)

// shop is tables that between them use every template, flag and kind of column.
func shop() []dict.Table {
	var tables []dict.Table
	if !testing.Short() {
		tables = append(tables, deploylog.Table())
	}
	all := []dict.Template{dict.Standard, dict.Document, dict.Accounting, dict.ValueName, dict.Description, dict.Tree, dict.Import}
	for i := range all { // each alone, and growing combinations
		single := dict.NewTable(fmt.Sprintf("XX_Single%d", i)).With(dict.Standard, all[i])
		sum := dict.NewTable(fmt.Sprintf("XX_Sum%d", i)).With(all[:i+1]...)
		if !testing.Short() {
			tables = append(tables, single, sum)
		} else if i == len(all)-1 {
			tables = append(tables, sum)
		}
	}
	flags := dict.NewTable("XX_Flags").WithLabel("All the flags").WithDescription("d").WithHelp("h\nh").
		WithAccessLevel(dict.AccessSystemClient).With(dict.Standard)
	flags.ChangeLog, flags.HighVolume, flags.NotDeleteable, flags.Security, flags.Drill = true, true, true, true, true
	flags.Replication = dict.ReplicationMerge
	kinds := dict.NewTable("XX_Kinds").With(dict.Standard).Column(
		dict.Column{Name: "XX_Plain", Type: dict.TypeString},
		dict.Column{Name: "XX_Code", Label: "The Code", Description: "Told by the shop", Help: "Help", Placeholder: "ABC", Type: dict.TypeString, Length: 12,
			Mandatory: true, Unique: true, Identifier: true, Selection: true, Default: "none"},
		dict.Column{Name: "XX_Second", Type: dict.TypeString, Identifier: true, NotUpdateable: true, NotCopied: true},
		dict.Column{Name: "XX_Secret", Type: dict.TypeString, Secure: true, AlwaysUpdateable: true, Autocomplete: true},
		dict.Column{Name: "XX_Sum", Type: dict.TypeAmount, Default: "0", Min: "0", Max: "100", FormatPattern: "#,##0.00", ReadOnlyLogic: "@Processed@=Y"},
		dict.Column{Name: "XX_Qty", Type: dict.TypeQuantity, MandatoryLogic: "@XX_Sum@>0"},
		dict.Column{Name: "XX_Count", Type: dict.TypeInteger}, dict.Column{Name: "XX_Number", Type: dict.TypeNumber},
		dict.Column{Name: "XX_Cost", Type: dict.TypeCostPrice}, dict.Column{Name: "XX_Day", Type: dict.TypeDate, Default: "@#Date@"},
		dict.Column{Name: "XX_Moment", Type: dict.TypeDateTime}, dict.Column{Name: "XX_Clock", Type: dict.TypeTime},
		dict.Column{Name: "XX_Note", Type: dict.TypeText, Length: 500}, dict.Column{Name: "XX_Long", Type: dict.TypeTextLong},
		dict.Column{Name: "XX_Flag", Type: dict.TypeYesNo, Default: "Y"}, dict.Column{Name: "XX_Other", Type: dict.TypeYesNo},
		dict.Column{Name: "XX_Link", Type: dict.TypeURL}, dict.Column{Name: "XX_Bytes", Type: dict.TypeBinary},
		dict.Column{Name: "XX_Data", Type: dict.TypeJSON}, dict.Column{Name: "XX_Memo", Type: dict.TypeMemo},
		dict.Column{Name: "XX_Do", Type: dict.TypeButton},
		dict.Column{Name: "XX_Twice", Type: dict.TypeAmount, SQL: "XX_Kinds.XX_Sum*2"},
		dict.Column{Name: "C_BPartner_ID", Type: dict.TypeTableDir, Parent: true},
		dict.Column{Name: "M_Product_ID", Type: dict.TypeSearch, ForeignKey: dict.FKCascade},
		dict.Column{Name: "XX_User_ID", Type: dict.TypeSearch, Reference: dict.ExistingReference("AD_User", 110, "AD_User"), ForeignKeyName: "xx_kinds_user"},
		dict.Column{Name: "XX_Payer_ID", Type: dict.TypeTable, Reference: &dict.Reference{Name: "XX_Kinds Payer", Description: "who pays",
			Lookup: &dict.TableLookup{Table: "C_BPartner", Display: "Name", ShowValue: true, Where: "C_BPartner.IsCustomer='Y'", OrderBy: "C_BPartner.Name"}}},
		dict.Column{Name: "XX_State", Type: dict.TypeList, Reference: dict.List("XX_Kinds State",
			dict.ListValue{Value: "N", Name: "New", Description: "fresh"}, dict.ListValue{Value: "O", Name: "Old"})},
		dict.Column{Name: "XX_Pay", Type: dict.TypePayment},
		dict.Column{Name: "XX_Doc", Type: dict.TypeList, Length: 2, Reference: dict.ExistingReference("_Document Status", 131, "")},
	).Index(dict.Index{Name: "xx_kinds_two", Columns: []string{"XX_Plain", "XX_Second"}},
		dict.Index{Name: "xx_kinds_only", Columns: []string{"XX_Count"}, Unique: true})
	windowed := dict.NewTable("XX_Seen").With(dict.Standard, dict.ValueName).WithWindow(dict.Window{Name: "Seen things", Description: "w", Purchase: true})
	bare := dict.NewTable("XX_Bare").Column(
		dict.Column{Name: "AD_Client_ID", Type: dict.TypeTableDir, Mandatory: true},
		dict.Column{Name: "AD_Org_ID", Type: dict.TypeTableDir}, dict.Column{Name: "XX_Only", Type: dict.TypeString, Identifier: true})
	return append(tables, flags, kinds, windowed, bare)
}

// overAPI reads the dictionary by the API, as users without the database do.
func overAPI(t *testing.T, s server) registry.Registry {
	t.Helper()
	catalog, err := registry.LoadCatalog(t.Context(), restdict.NewSource(s.Client, nil))
	require.NoError(t, err)
	return catalog
}

// What was applied is not different, and what is inspected is as short as the
// definition it came from; applied elsewhere and inspected there it is the same text.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	first, second := start(t), start(t)
	tables := shop()
	made := apply(t, first, tables...)
	require.NotZero(t, made.Summary().Add)
	assert.Empty(t, made.Destructive())
	again := compare(t, first, tables...)
	assert.Empty(t, again.Changes, text(t, again))

	var inspected []dict.Table
	reg := overAPI(t, first)
	for _, table := range tables {
		got, notes, err := diff.Definition(t.Context(), reg, table.Name)
		require.NoError(t, err)
		assert.Empty(t, notes, table.Name)
		inspected = append(inspected, got)
	}
	assertShort(t, tables, inspected)
	again = compare(t, first, inspected...)
	assert.Empty(t, again.Changes, text(t, again))

	written, err := tablefile.Marshal(inspected...)
	require.NoError(t, err)
	set, err := tablefile.Parse("tables.yaml", written)
	require.NoError(t, err)
	apply(t, second, set.Tables()...)
	var elsewhere []dict.Table
	reg = openRegistry(t, second)
	for _, table := range tables {
		got, notes, err := diff.Definition(t.Context(), reg, table.Name)
		require.NoError(t, err)
		assert.Empty(t, notes, table.Name)
		elsewhere = append(elsewhere, got)
	}
	other, err := tablefile.Marshal(elsewhere...)
	require.NoError(t, err)
	assert.Equal(t, string(written), string(other))
	if t.Failed() {
		t.Log(string(written))
	}
}

// assertShort checks that definitions that were inspected say no more than those
// they came from.
func assertShort(t *testing.T, tables, inspected []dict.Table) {
	t.Helper()
	var kinds []dict.Column
	for i, want := range tables {
		got := inspected[i]
		if len(want.Templates) > 0 {
			assert.Equal(t, slices.Sorted(slices.Values(want.Templates)), slices.Sorted(slices.Values(got.Templates)), want.Name)
		}
		assert.Len(t, got.Columns, len(want.Columns), want.Name)
		if want.Name == "XX_Kinds" {
			kinds = got.Columns
		}
	}
	require.NotEmpty(t, kinds)
	for _, c := range kinds {
		switch c.Name {
		case "XX_Plain", "XX_Count", "XX_Other", "XX_Long", "XX_Do":
			assert.Equal(t, dict.Column{Name: c.Name, Type: c.Type}, c)
		case "C_BPartner_ID":
			assert.Equal(t, dict.Column{Name: c.Name, Type: c.Type, Parent: true}, c)
		}
	}
}

// awkward are tables that no definition could be made for anew: reserved words,
// tables without key or standard columns, other names of keys, no identifier.
var awkward = []string{"AD_PInstance_Log", "AD_PInstance_Para", "AD_TreeBar", "AD_TreeNode", "AD_TreeNodeBP", "AD_TreeNodeMM", "AD_TreeNodePR",
	"AD_WF_Node", "AD_Workflow", "M_StorageOnHand", "T_Spool", "T_RV_Reconciliation", "PP_Order_Workflow", "RV_UnPosted", "AD_SessionInfo_v",
	"M_Product_SubstituteRelated_V", "W_Store", "Test", "AD_Client", "AD_Column"}

// Every table the ERP has can be described, and comparing the description with the
// ERP finds nothing, table by table and all at once. ERPHUB_PROOF takes all of
// them, else it is a sample.
func TestDefinitionsOfTheERPsOwn(t *testing.T) {
	t.Parallel()
	reg := untouchedRegistry()
	list, err := reg.Tables(t.Context(), registry.ListQuery{})
	require.NoError(t, err)
	require.Greater(t, len(list.Items), 900)
	var all []dict.Table
	for i, info := range list.Items {
		if os.Getenv("ERPHUB_PROOF") == "" && i%20 != 0 && !slices.Contains(awkward, info.Name) {
			continue
		}
		table, notes, err := diff.Definition(t.Context(), reg, info.Name)
		require.NoError(t, err, info.Name)
		for _, n := range notes {
			assert.NotContains(t, n, "comparing will")
		}
		written, err := tablefile.Marshal(table)
		require.NoError(t, err, info.Name)
		set, err := tablefile.Parse(info.Name, written)
		require.NoError(t, err, string(written))
		require.True(t, assert.ObjectsAreEqual(table, set.Tables()[0]), "%s\n%s", info.Name, written)
		result, err := diff.Compare(t.Context(), reg, nil, set.Tables()[0])
		if assert.NoError(t, err, info.Name) {
			assert.Empty(t, result.Changes, "%s\n%s", info.Name, text(t, result))
		}
		all = append(all, table)
	}
	require.Greater(t, len(all), 50)
	result, err := diff.Compare(t.Context(), reg, nil, all...)
	require.NoError(t, err)
	assert.Empty(t, result.Changes, text(t, result))
	plan, err := diff.NewPlan(result, nil)
	require.NoError(t, err)
	assert.Zero(t, plan.Len())
}

// What is wrong with the ERP's own table is not held against a definition of it;
// what the definition adds to that is.
func TestOnlyWhatIsNewIsRefused(t *testing.T) {
	t.Parallel()
	reg := untouchedRegistry()
	own, _, err := diff.Definition(t.Context(), reg, "PP_Order_Workflow") // has a column Limit
	require.NoError(t, err)
	more := own.Column(dict.Column{Name: "XX_More", Type: dict.TypeString})
	result, err := diff.Compare(t.Context(), reg, nil, more)
	require.NoError(t, err)
	require.Len(t, result.Changes, 1)
	assert.Equal(t, "PP_Order_Workflow.XX_More", result.Changes[0].Name)

	var invalid *dict.ValidationError
	_, err = diff.Compare(t.Context(), reg, nil, own.Column(dict.Column{Name: "Select", Type: dict.TypeString}))
	require.ErrorAs(t, err, &invalid)
	require.Len(t, invalid.Findings, 1, err)
	assert.Equal(t, "column.name", invalid.Findings[0].Rule)
	_, err = diff.Compare(t.Context(), reg, nil, dict.NewTable("PP_Order_Other").With(dict.Standard))
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, "name.prefix", invalid.Findings[0].Rule)
}
