package diff_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/registry"
)

// A new column refers to a table that is there or that the definitions make.
func TestColumnsReferToTables(t *testing.T) {
	t.Parallel()
	s := untouched()
	table := func(name string, columns ...dict.Column) dict.Table {
		made := dict.NewTable(name).With(dict.Standard)
		made.Columns = append(made.Columns, columns...)
		return made
	}
	direct := func(name string) dict.Column { return dict.Column{Name: name, Type: dict.TypeTableDir} }
	for name, tc := range map[string]struct {
		tables  []dict.Table
		missing string
	}{
		"of the ERP":            {[]dict.Table{table("XX_A", direct("C_BPartner_ID"))}, ""},
		"of the ERP, by a view": {[]dict.Table{table("XX_A", direct("AD_AllUsers_V_ID"))}, ""},
		"made beside it":        {[]dict.Table{table("XX_A", direct("XX_B_ID")), table("XX_B")}, ""},
		"itself":                {[]dict.Table{table("XX_A", dict.Column{Name: "Parent_ID", Type: dict.TypeTable, Reference: dict.Lookup("XX_A", dict.TableLookup{Table: "XX_A"})})}, ""},
		"nowhere":               {[]dict.Table{table("XX_A", direct("XX_Nowhere_ID"))}, "the column XX_Nowhere_ID refers to the table XX_Nowhere"},
		"nowhere, by a search":  {[]dict.Table{table("XX_A", dict.Column{Name: "C_BPartnr_ID", Type: dict.TypeSearch})}, "C_BPartner"},
		"nowhere, by a lookup":  {[]dict.Table{table("XX_A", dict.Column{Name: "Boss_ID", Type: dict.TypeTable, Reference: dict.Lookup("XX Boss", dict.TableLookup{Table: "XX_Boss"})})}, "XX_Boss"},
		"nowhere, by UUID":      {[]dict.Table{table("XX_A", dict.Column{Name: "XX_Nowhere_UU", Type: dict.TypeTableDirUU})}, "XX_Nowhere"},
		"to what is not made":   {[]dict.Table{table("XX_A", direct("XX_B_ID")), {Name: "XX_B", Removed: true}}, "XX_B"},
	} {
		_, err := diff.Compare(t.Context(), openScope(t, s, diff.Scope(tc.tables...)), nil, tc.tables...)
		if tc.missing == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorIs(t, err, registry.ErrNotFound, name)
		assert.ErrorContains(t, err, tc.missing, name)
	}
}

// So does a column that becomes one that refers to another table.
func TestChangedColumnsReferToTables(t *testing.T) {
	t.Parallel()
	s := start(t)
	const name = "XX_Nowhere_ID"
	made := dict.NewTable("XX_A").With(dict.Standard)
	made.Columns = append(made.Columns, dict.Column{Name: name, Type: dict.TypeInteger}, dict.Column{Name: "C_BPartner_ID", Type: dict.TypeInteger})
	apply(t, s, made)
	for column, missing := range map[string]bool{name: true, "C_BPartner_ID": false} {
		changed := made
		changed.Columns = slices.Clone(made.Columns)
		at := slices.IndexFunc(changed.Columns, func(c dict.Column) bool { return c.Name == column })
		changed.Columns[at].Type = dict.TypeTableDir
		_, err := diff.Compare(t.Context(), openScope(t, s, diff.Scope(changed)), nil, changed)
		if !missing {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, registry.ErrNotFound)
		assert.ErrorContains(t, err, "the column XX_Nowhere_ID refers to the table XX_Nowhere")
	}
}
