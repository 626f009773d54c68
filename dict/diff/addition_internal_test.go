package diff

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
)

// Tables made here take any name; the ERP's own only those that no update brings.
func TestNamesOfAddedColumns(t *testing.T) {
	t.Parallel()
	custom, core := &registry.Table{Name: "XX_Sister"}, &registry.Table{Name: "M_Product"}
	for name, tc := range map[string]struct {
		table  *registry.Table
		column string
		entity string
		ok     bool
	}{
		"a reference of a custom table":  {custom, "C_BPartner_ID", "", true},
		"a custom column":                {core, "XX_Kind", "", true},
		"a name of the ERP":              {core, "Kind", "", false},
		"the prefix alone":               {core, "XX_", "", false},
		"the prefix of the plugin":       {core, "ABC_Kind", "ABC", true},
		"XX_ with a plugin":              {core, "XX_Kind", "ABC", true},
		"another plugin's":               {core, "DEF_Kind", "ABC", false},
		"the ERP's entity type":          {core, "XX_Kind", "D", false},
		"the ERP's, on a custom table":   {custom, "XX_Kind", "C", false},
		"a prefix of the default entity": {core, "U_Kind", "U", false},
	} {
		err := (&Addition{Column: dict.Column{Name: tc.column, EntityType: tc.entity}}).check(tc.table)
		assert.Equal(t, tc.ok, err == nil, "%s: %v", name, err)
	}
}
