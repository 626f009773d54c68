package dict_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/dict"
)

// Tables made here take any name; the ERP's own only those that no update brings.
func TestExtension(t *testing.T) {
	t.Parallel()
	column := func(name string) []dict.Column { return []dict.Column{{Name: name, Type: dict.TypeString}} }
	for name, tc := range map[string]struct {
		table dict.Table
		want  string
	}{
		"a column of a custom table":    {dict.Table{Name: "XX_Sister", Columns: column("Kind")}, ""},
		"a custom column":               {dict.Table{Name: "M_Product", Columns: column("XX_Kind")}, ""},
		"a name of the ERP":             {dict.Table{Name: "M_Product", Columns: column("Kind")}, "extension.prefix"},
		"the prefix alone":              {dict.Table{Name: "M_Product", Columns: column("XX_")}, "extension.prefix"},
		"the prefix of the plugin":      {dict.Table{Name: "M_Product", EntityType: "ABC", Columns: column("ABC_Kind")}, ""},
		"XX_ with a plugin":             {dict.Table{Name: "M_Product", EntityType: "ABC", Columns: column("XX_Kind")}, ""},
		"another plugin's":              {dict.Table{Name: "M_Product", EntityType: "ABC", Columns: column("DEF_Kind")}, "extension.prefix"},
		"the ERP's entity type":         {dict.Table{Name: "M_Product", EntityType: "D", Columns: column("XX_Kind")}, "extension.entitytype"},
		"the ERP's, of a column":        {dict.Table{Name: "M_Product", Columns: []dict.Column{{Name: "XX_Kind", Type: dict.TypeString, EntityType: "D"}}}, "extension.entitytype"},
		"the ERP's, on a custom table":  {dict.Table{Name: "XX_Sister", EntityType: "C", Columns: column("XX_Kind")}, "extension.entitytype"},
		"a prefix of the default owner": {dict.Table{Name: "M_Product", EntityType: "U", Columns: column("U_Kind")}, "extension.prefix"},
		"mandatory without a default":   {dict.Table{Name: "M_Product", Columns: []dict.Column{{Name: "XX_Kind", Type: dict.TypeString, Mandatory: true}}}, "extension.mandatory"},
		"mandatory with one":            {dict.Table{Name: "M_Product", Columns: []dict.Column{{Name: "XX_Kind", Type: dict.TypeString, Mandatory: true, Default: "A"}}}, ""},
		"no column":                     {dict.Table{Name: "M_Product"}, "extension.columns"},
		"a label of the table":          {dict.Table{Name: "M_Product", Label: "Article", Columns: column("XX_Kind")}, "extension.content"},
		"a template":                    {dict.Table{Name: "M_Product", Templates: []dict.Template{dict.Standard}, Columns: column("XX_Kind")}, "extension.content"},
		"a window":                      {dict.Table{Name: "M_Product", Window: &dict.Window{}, Columns: column("XX_Kind")}, "extension.content"},
		"a column that cannot be":       {dict.Table{Name: "M_Product", Columns: []dict.Column{{Name: "XX_Kind"}}}, "column.type"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.table.Extends = &dict.Extension{}
			rules := []string{}
			var invalid *dict.ValidationError
			if err := dict.Validate(nil, tc.table); err != nil {
				if assert.ErrorAs(t, err, &invalid) {
					for _, f := range invalid.Findings {
						rules = append(rules, f.Rule)
					}
				}
			}
			if tc.want == "" {
				assert.Empty(t, rules)
				_, err := dict.NewPlan(nil, tc.table)
				assert.ErrorContains(t, err, "compare the definition with the ERP", "what the table has is not known")
				return
			}
			assert.Contains(t, rules, tc.want)
		})
	}
}

// Of a table that nobody wants any more, its name alone is said.
func TestRemoved(t *testing.T) {
	t.Parallel()
	assert.NoError(t, dict.Validate(nil, dict.Table{Name: "XX_Sister", Removed: true}))
	assert.ErrorContains(t, dict.Validate(nil, dict.Table{Name: "Sister", Removed: true}), "does not start with XX_")
	assert.ErrorContains(t, dict.Validate(nil, dict.Table{Name: "XX_Sister", Label: "Sister", Removed: true}), "leave out all but its name")
	_, err := dict.NewPlan(nil, dict.Table{Name: "XX_Sister", Removed: true})
	assert.ErrorContains(t, err, "compare the definition with the ERP")
}
