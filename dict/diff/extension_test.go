package diff_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/registry"
)

// An extension adds its columns and fields once, changes what it says otherwise, and
// never what the ERP has.
func TestExtension(t *testing.T) {
	t.Parallel()
	s := start(t)
	note := dict.Column{Name: "XX_Note", Type: dict.TypeString, Length: 40}
	orders := func(columns ...dict.Column) dict.Table {
		return dict.Table{Name: "C_Order", Columns: columns, Extends: &dict.Extension{}}
	}

	assert.Equal(t, "# C_Order\n  + column C_Order.XX_Note  String(40)\n\nPlan: 1 to add, 0 to change, 0 to remove.\n", text(t, apply(t, s, orders(note))))
	assert.True(t, compare(t, s, orders(note)).Empty(), "it is there")

	shown := orders(note)
	shown.Extends.Fields = true
	result := apply(t, s, shown)
	require.NotEmpty(t, result.Changes)
	for _, c := range result.Changes {
		assert.Equal(t, diff.KindField, c.Kind, c.Name)
	}
	windows := len(result.Changes)
	assert.True(t, compare(t, s, shown).Empty(), "the fields are there")

	note.Length = 60
	when := dict.Column{Name: "XX_When", Type: dict.TypeDate}
	second := orders(note, when)
	second.Extends.Fields = true
	result = apply(t, s, second)
	assert.Equal(t, diff.Summary{Add: 1 + windows, Change: 1}, result.Summary(), text(t, result))
	table, err := openScope(t, s, diff.Scope(second)).Table(t.Context(), "C_Order")
	require.NoError(t, err)
	has, _ := table.Column("XX_Note")
	assert.Equal(t, 60, has.Length)
	assert.True(t, compare(t, s, second).Empty())

	assert.True(t, compare(t, s, orders(when)).Empty(), "what is not named any more stays")
	whole, _, err := diff.Definition(t.Context(), openScope(t, s, diff.DefinitionScope("C_Order")), "C_Order")
	require.NoError(t, err)
	assert.True(t, compare(t, s, whole).Empty(), "a definition of the whole table has them, too")
}

// Columns may point to tables that are made with them, and to each other's lists.
func TestExtensionBesideATable(t *testing.T) {
	t.Parallel()
	s := start(t)
	route := dict.NewTable("XX_Route").With(dict.Standard, dict.ValueName)
	partner := dict.Table{Name: "c_bpartner", Extends: &dict.Extension{}, Columns: []dict.Column{
		{Name: "XX_Route_ID", Type: dict.TypeTableDir},
		{Name: "XX_Deputy_ID", Type: dict.TypeTable, Reference: dict.Lookup("XX_Deputy", dict.TableLookup{Table: "c_bpartner"})},
		{Name: "XX_Grade", Type: dict.TypeList, Reference: dict.List("XX_Grade", dict.ListValue{Value: "A", Name: "Best"})},
	}}
	apply(t, s, route, partner)
	assert.True(t, compare(t, s, route, partner).Empty())
	table, err := openScope(t, s, diff.Scope(partner)).Table(t.Context(), "C_BPartner")
	require.NoError(t, err)
	for _, c := range partner.Columns {
		has, ok := table.Column(c.Name)
		assert.True(t, ok && has.EntityType == "U", c.Name)
	}
	partner.Columns[2].Reference = dict.List("XX_Grade", dict.ListValue{Value: "A", Name: "Best"}, dict.ListValue{Value: "B", Name: "Good"})
	assert.Equal(t, diff.Summary{Add: 1}, compare(t, s, route, partner).Summary())
}

func TestExtensionIsRefused(t *testing.T) {
	t.Parallel()
	s := untouched()
	note := []dict.Column{{Name: "XX_Note", Type: dict.TypeString}}
	for name, tc := range map[string]struct {
		table dict.Table
		want  string
	}{
		"a view":                    {dict.Table{Name: "RV_OpenItem", Columns: note}, "is a view"},
		"a table that is not there": {dict.Table{Name: "C_Ordr", Columns: note}, "C_Order"},
		"a target that is not":      {dict.Table{Name: "C_Order", Columns: []dict.Column{{Name: "XX_Nothing_ID", Type: dict.TypeTableDir}}}, "XX_Nothing"},
		"a list of the ERP that would change": {dict.Table{Name: "C_Order", Columns: []dict.Column{{Name: "XX_Rule", Type: dict.TypeList,
			Reference: dict.List("AD_User NotificationType", dict.ListValue{Value: "A", Name: "Something else"})}}}, "would change what it has"},
		"fields without a window": {dict.Table{Name: "T_Replenish", Columns: note, Extends: &dict.Extension{Fields: true}}, "no window has a tab"},
		"a column of the ERP":     {dict.Table{Name: "C_Order", Columns: []dict.Column{{Name: "DocumentNo", Type: dict.TypeString}}}, "begins with XX_"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.table.Extends == nil {
				tc.table.Extends = &dict.Extension{}
			}
			_, err := diff.Compare(t.Context(), openScope(t, s, diff.Scope(tc.table)), nil, tc.table)
			require.ErrorContains(t, err, tc.want)
			var invalid *dict.ValidationError
			assert.True(t, errors.As(err, &invalid) || errors.Is(err, registry.ErrNotFound), "callers know that the definition is wrong")
		})
	}
}
