package diff_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
)

// base is the table that the cases below change.
func base() dict.Table { return caseTable("") }

// caseTable is base under names that end in n.
func caseTable(n string) dict.Table {
	return dict.NewTable("XX_Case"+n).WithAccessLevel(dict.AccessAll).WithDescription("A case").With(dict.Standard, dict.ValueName).Column(
		dict.Column{Name: "XX_Text", Type: dict.TypeString, Length: 40},
		dict.Column{Name: "XX_Count", Type: dict.TypeInteger},
		dict.Column{Name: "XX_Amt", Type: dict.TypeAmount},
		dict.Column{Name: "XX_Must", Type: dict.TypeString, Mandatory: true},
		dict.Column{Name: "XX_State", Type: dict.TypeList, Length: 2, Reference: dict.List("XX_Case State"+n,
			dict.ListValue{Value: "N", Name: "New"}, dict.ListValue{Value: "O", Name: "Old"})},
		dict.Column{Name: "XX_Partner_ID", Type: dict.TypeTable, Reference: dict.Lookup("XX_Case Partner"+n,
			dict.TableLookup{Table: "C_BPartner", Display: "Name"})},
	).Index(dict.Index{Name: "xx_case_text" + n, Columns: []string{"XX_Text"}}).WithWindow(dict.Window{Name: "Cases" + n})
}

func column(t *dict.Table, name string) *dict.Column {
	t.Columns = slices.Clone(t.Columns)
	i := slices.IndexFunc(t.Columns, func(c dict.Column) bool { return c.Name == name })
	return &t.Columns[i]
}

func drop(t *dict.Table, name string) {
	t.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c dict.Column) bool { return c.Name == name })
}

// changeCase is a change of caseTable.
type changeCase struct {
	name        string
	change      func(t *dict.Table, n string)
	want        []string // lines of the text
	destructive bool
}

// Each change is found, told in words, applied, and then no longer there.
func TestChanges(t *testing.T) {
	t.Parallel()
	tests := []changeCase{
		{"table text", func(t *dict.Table, n string) { t.Description = ""; t.Label = "Case file" },
			[]string{"~ table XX_Case", "Name: Case -> \"Case file\"", "Description: \"A case\" -> (none)", "0 to add, 1 to change"}, false},
		{"table flags", func(t *dict.Table, n string) {
			t.ChangeLog, t.NotDeleteable, t.AccessLevel = true, true, dict.AccessOrg
		},
			[]string{"AccessLevel: All -> Organization", "IsChangeLog: N -> Y", "IsDeleteable: Y -> N"}, false},
		{"new column", func(t *dict.Table, n string) {
			*t = t.Column(dict.Column{Name: "XX_New", Type: dict.TypeString, Length: 20})
		},
			[]string{"+ column XX_Case.XX_New  String(20)", "+ field Cases.XX_New", "2 to add, 0 to change, 0 to remove"}, false},
		{"new columns of a template", func(t *dict.Table, n string) { *t = t.With(dict.Tree) },
			[]string{"+ column XX_Case.Parent_ID  Table", "+ reference XX_Case Parent  lookup in XX_Case"}, false},
		{"longer", func(t *dict.Table, n string) { column(t, "XX_Text").Length = 80 }, []string{"FieldLength: 40 -> 80\n"}, false},
		{"shorter", func(t *dict.Table, n string) { column(t, "XX_Text").Length = 20 },
			[]string{"FieldLength: 40 -> 20  (destructive: texts longer than 20 characters"}, true},
		{"to long text", func(t *dict.Table, n string) { c := column(t, "XX_Text"); c.Type, c.Length = dict.TypeTextLong, 0 },
			[]string{"AD_Reference_ID: String -> \"Text Long\"\n"}, false},
		{"wider number", func(t *dict.Table, n string) { column(t, "XX_Count").Type = dict.TypeNumber }, []string{"AD_Reference_ID: Integer -> Number\n"}, false},
		{"narrower number", func(t *dict.Table, n string) { column(t, "XX_Amt").Type = dict.TypeInteger },
			[]string{"AD_Reference_ID: Amount -> Integer  (destructive: decimals are lost)"}, true},
		{"other type", func(t *dict.Table, n string) {
			c := column(t, "XX_Text")
			c.Type, c.Length = dict.TypeDate, 0
			t.Indexes = nil
		},
			[]string{"AD_Reference_ID: String -> Date  (destructive: the database has to turn VARCHAR(40) into TIMESTAMP)", "- index xx_case_text"}, true},
		{"column attributes", func(t *dict.Table, n string) {
			c := column(t, "XX_Text")
			c.Selection, c.NotUpdateable, c.NotLogged, c.Autocomplete, c.Default, c.ReadOnlyLogic, c.Help = true, true, true, true, "x", "@IsActive@=N", "Long\nhelp"
		}, []string{"IsSelectionColumn: N -> Y", "IsUpdateable: Y -> N", "IsAllowLogging: Y -> N", "DefaultValue: (none) -> x", "Help: (none) -> \"Long help\""}, false},
		{"label", func(t *dict.Table, n string) { column(t, "XX_Text").Label = "Words" }, []string{"Name: Text -> Words"}, false},
		{"optional", func(t *dict.Table, n string) { column(t, "XX_Must").Mandatory = false }, []string{"IsMandatory: Y -> N"}, false},
		{"identifier before the others", func(t *dict.Table, n string) { c := column(t, "XX_Text"); c.Identifier, c.SeqNo = true, 1 },
			[]string{"IsIdentifier: N -> Y", "SeqNo:"}, false},
		{"identifier after the others", func(t *dict.Table, n string) { column(t, "XX_Text").Identifier = true }, []string{"IsIdentifier: N -> Y"}, false},
		{"remove a column", func(t *dict.Table, n string) { drop(t, "XX_Count") },
			[]string{"- column XX_Case.XX_Count  Integer  (destructive:", "1 to remove"}, true},
		{"remove a mandatory column", func(t *dict.Table, n string) { drop(t, "XX_Must") }, []string{"- column XX_Case.XX_Must"}, true},
		{"list values", func(t *dict.Table, n string) {
			column(t, "XX_State").Reference = dict.List("XX_Case State"+n, dict.ListValue{Value: "N", Name: "Brand new", Description: "d"},
				dict.ListValue{Value: "X", Name: "Gone"})
		}, []string{"~ list value XX_Case State.N", "Name: New -> \"Brand new\"", "+ list value XX_Case State.X  Gone", "- list value XX_Case State.O  Old  (destructive"}, true},
		{"lookup", func(t *dict.Table, n string) {
			column(t, "XX_Partner_ID").Reference = dict.Lookup("XX_Case Partner"+n, dict.TableLookup{Table: "C_BPartner", Display: "Value", OrderBy: "C_BPartner.Value"})
		}, []string{"~ lookup XX_Case Partner", "AD_Display: Name -> Value", "OrderByClause: (none) -> C_BPartner.Value"}, false},
		{"other reference", func(t *dict.Table, n string) {
			column(t, "XX_State").Reference = dict.List("XX_Case Other"+n, dict.ListValue{Value: "Q", Name: "Quite"})
		}, []string{"AD_Reference_Value_ID: \"XX_Case State\" -> \"XX_Case Other\"", "+ reference XX_Case Other  list"}, false},
		{"no reference", func(t *dict.Table, n string) { c := column(t, "XX_State"); c.Type, c.Reference = dict.TypeString, nil },
			[]string{"AD_Reference_Value_ID: \"XX_Case State\" -> (none)", "AD_Reference_ID: List -> String"}, false},
		{"unique column", func(t *dict.Table, n string) { column(t, "XX_Text").Unique = true }, []string{"+ index XX_Case_XX_Text_key  unique over XX_Text"}, false},
		{"index", func(t *dict.Table, n string) {
			t.Indexes = []dict.Index{{Name: "xx_case_text" + n, Columns: []string{"XX_Count", "XX_Text"}, Unique: true}}
		}, []string{"IsUnique: N -> Y", "+ index column xx_case_text.XX_Count"}, false},
		{"no index", func(t *dict.Table, n string) { t.Indexes = nil }, []string{"- index xx_case_text"}, true},
		{"window", func(t *dict.Table, n string) {
			t.Window = &dict.Window{Name: "Cases" + n, Purchase: true, Description: "of purchasing"}
		},
			[]string{"~ window Cases", "IsSOTrx: Y -> N", "Description: \"A case\" -> \"of purchasing\""}, false},
		{"other window", func(t *dict.Table, n string) { t.Window = &dict.Window{Name: "More cases" + n} }, []string{"+ window More cases"}, false},
		{"second table", func(t *dict.Table, n string) { t.Name, t.Indexes, t.Window = "XX_Case2"+n, nil, nil }, []string{"+ table XX_Case2  access All, 17 columns"}, false},
	}
	if testing.Short() {
		tests = slices.Collect(func(yield func(c changeCase) bool) {
			for i := 0; i < len(tests) && yield(tests[i]); i += 5 {
			}
		})
	}
	client := start(t)
	var before, after []dict.Table
	for i, tt := range tests {
		n := strconv.Itoa(700 + i)
		before = append(before, caseTable(n))
		changed := caseTable(n)
		tt.change(&changed, n)
		after = append(after, changed)
	}
	apply(t, client, before...)
	reg := openRegistry(t, client)
	var former []dict.Table
	for i, tt := range tests {
		result, err := diff.Compare(t.Context(), reg, nil, after[i])
		require.NoError(t, err, tt.name)
		was, err := diff.Former(t.Context(), reg, result)
		require.NoError(t, err, tt.name)
		former = append(former, was...)
		shown := strings.ReplaceAll(text(t, result), strconv.Itoa(700+i), "")
		for _, line := range tt.want {
			assert.Contains(t, shown, line, tt.name)
		}
		assert.Equal(t, tt.destructive, len(result.Destructive()) > 0, "%s\n%s", tt.name, shown)
	}
	apply(t, client, after...)
	again := compare(t, client, after...)
	assert.Empty(t, again.Changes, "still different:\n%s", text(t, again))
	for i, tt := range tests { // the database fits the dictionary
		if after[i].AccessLevel != dict.AccessAll {
			continue
		}
		values := map[string]any{"Value": "v", "Name": "n"}
		if slices.ContainsFunc(after[i].Columns, func(c dict.Column) bool { return c.Name == "XX_Must" }) {
			values["XX_Must"] = "m"
		}
		rec, err := client.Create(t.Context(), after[i].Name, values)
		if assert.NoError(t, err, tt.name) {
			require.NoError(t, client.Delete(t.Context(), after[i].Name, rec.ID()))
		}
	}
	apply(t, client, former...) // and back again
	assert.Empty(t, compare(t, client, former...).Changes, "what was taken back, is")
	again = compare(t, client, before...)
	assert.Empty(t, again.Changes, "still different:\n%s", text(t, again))
}

// A plan of changes touches what changes and nothing else, and a result
// without changes gives an empty plan.
func TestPlanIsSmall(t *testing.T) {
	t.Parallel()
	client := start(t)
	apply(t, client, base())
	plan, err := diff.NewPlan(compare(t, client, base()), nil)
	require.NoError(t, err)
	assert.Zero(t, plan.Len())
	changed := base()
	column(&changed, "XX_Text").Length = 80
	changed = changed.Column(dict.Column{Name: "XX_New", Type: dict.TypeDate})
	plan, err = diff.NewPlan(compare(t, client, changed), nil)
	require.NoError(t, err)
	var steps []string
	for _, s := range plan.Steps() {
		steps = append(steps, s.Title())
	}
	assert.Equal(t, []string{"create AD_Column XX_Case.XX_New", "create AD_Field Cases.XX_New", "synchronise XX_Case", "update AD_Column XX_Case.XX_Text"},
		without(steps, "ensure AD_Element XX_New"), steps)
	update, ok := plan.Step("update.AD_Column.XX_Case.XX_Text")
	require.True(t, ok)
	assert.Equal(t, []dict.ColumnValue{{Column: "FieldLength", Value: dict.Int(80)}}, update.(*dict.RecordStep).Values, "only what changes")
	encoded, err := json.Marshal(plan)
	require.NoError(t, err)
	var again dict.Plan
	require.NoError(t, json.Unmarshal(encoded, &again))
	assert.Equal(t, plan.Fingerprint(), again.Fingerprint())
}

func without(list []string, item string) []string {
	slices.Sort(list)
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == item })
}

// Drift made by hand is found, whatever it is, and undone.
func TestDriftMadeByHand(t *testing.T) {
	t.Parallel()
	client := start(t)
	apply(t, client, base())
	find := func(table string, f erp.Filter) erp.ID {
		page, err := client.Query(t.Context(), table, &erp.Query{Filter: f, Top: 2})
		require.NoError(t, err)
		require.Len(t, page.Records, 1)
		return page.Records[0].ID()
	}
	id := find("AD_Table", erp.Eq("TableName", "XX_Case"))
	number, _ := id.Int()
	of := func(name string) erp.ID {
		return find("AD_Column", erp.And(erp.Eq("AD_Table_ID", number), erp.Eq("ColumnName", name)))
	}
	change := func(table string, id erp.ID, values map[string]any) {
		_, err := client.Update(t.Context(), table, id, values)
		require.NoError(t, err)
	}
	change("AD_Column", of("XX_Count"), map[string]any{"IsActive": false})
	change("AD_Column", of("Name"), map[string]any{"FieldLength": 120, "IsMandatory": false})
	change("AD_Table", id, map[string]any{"IsHighVolume": true})
	change("AD_Element", find("AD_Element", erp.Eq("ColumnName", "XX_Text")), map[string]any{"Name": "Prose"})
	_, err := client.Create(t.Context(), "AD_Column", map[string]any{"AD_Table_ID": number, "ColumnName": "XX_Byhand", "AD_Reference_ID": 20,
		"AD_Element_ID": elementID(t, client, "XX_Byhand"), "Name": "x", "EntityType": "U", "FieldLength": 1})
	require.NoError(t, err)
	result := compare(t, client, base())
	var got []string
	for _, c := range result.Changes {
		for _, a := range c.Attributes {
			got = append(got, c.Name+" "+a.Column+" "+a.Has+">"+a.Wanted)
		}
		if len(c.Attributes) == 0 {
			got = append(got, string(c.Action)+" "+c.Name)
		}
	}
	assert.ElementsMatch(t, []string{"XX_Case.XX_Count IsActive N>Y", "XX_Case.Name FieldLength 120>60", "XX_Case.Name IsMandatory N>Y",
		"XX_Case IsHighVolume Y>N", "remove XX_Case.XX_Byhand"}, got, "the element's label is its own")
	apply(t, client, base())
	assert.Empty(t, compare(t, client, base()).Changes)
}

func elementID(t *testing.T, client server, name string) int64 {
	t.Helper()
	rec, err := client.Create(t.Context(), "AD_Element", map[string]any{"ColumnName": name, "Name": name, "PrintName": name, "EntityType": "U"})
	require.NoError(t, err)
	id, _ := rec.ID().Int()
	return id
}

// A column whose element is there with another label gets its own at once.
func TestTextsBesideTheElement(t *testing.T) {
	t.Parallel()
	client := start(t)
	elementID(t, client, "XX_Text")
	table := dict.NewTable("XX_Case").With(dict.Standard).Column(dict.Column{Name: "XX_Text", Label: "Words", Type: dict.TypeString})
	other := dict.NewTable("XX_Other").With(dict.Standard).Column(dict.Column{Name: "XX_Text", Label: "More words", Type: dict.TypeString})
	apply(t, client, table, other)
	assert.Empty(t, compare(t, client, table, other).Changes)
	assert.Equal(t, "More words", definition(t, client, "XX_Other").Columns[0].Label)
}

// Names in other scripts, tables that clash and the like never reach a plan.
func TestCompareRefuses(t *testing.T) {
	t.Parallel()
	reg := untouchedRegistry()
	for _, table := range []dict.Table{
		dict.NewTable("XX_Größe"), base().With(dict.Description).Column(dict.Column{Name: "Help", Type: dict.TypeText}),
	} {
		_, err := diff.Compare(t.Context(), reg, nil, table)
		var invalid *dict.ValidationError
		require.ErrorAs(t, err, &invalid, table.Name)
	}
	_, _, err := diff.Definition(t.Context(), reg, "XX_Nothing")
	require.ErrorIs(t, err, registry.ErrNotFound)
}

// The plan for a large table, of which a part is there, is made in good time
// and comes to its end.
func TestLargeTable(t *testing.T) {
	t.Parallel()
	client := start(t)
	large := dict.NewTable("XX_Large").With(dict.Standard)
	columns := 120
	if testing.Short() {
		columns = 30
	}
	for i := range columns {
		name := "XX_C" + strings.Repeat("x", i%20) + string(rune('A'+i%26)) + string(rune('A'+i/26))
		large = large.Column(dict.Column{Name: name, Type: dict.TypeString, Length: 10})
	}
	half := large
	half.Columns = large.Columns[:columns/2]
	apply(t, client, half)
	result := apply(t, client, large)
	assert.Equal(t, diff.Summary{Add: columns / 2}, result.Summary())
	assert.Empty(t, compare(t, client, large).Changes)
}
