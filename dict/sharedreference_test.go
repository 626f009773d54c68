package dict_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
)

// Tables of different owners use one reference of the ERP; two references of one
// name that are not the same are still refused.
func TestSharedReference(t *testing.T) {
	t.Parallel()
	table := func(name, entity string, r *dict.Reference) dict.Table {
		kind := dict.TypeSearch
		if r != nil && len(r.Values) > 0 {
			kind = dict.TypeList
		}
		return dict.NewTable(name).With(dict.Standard).WithEntityType(entity).Column(dict.Column{Name: "XX_Some_ID", Type: kind, Reference: r})
	}
	user := func(id int, target string) *dict.Reference { return dict.ExistingReference("AD_User", id, target) }
	for name, tt := range map[string]struct {
		first, second dict.Table
		clash         bool
	}{
		"two owners":            {table("XX_A", "U", user(110, "AD_User")), table("XX_B", "XX", user(110, "AD_User")), false},
		"one without number":    {table("XX_A", "U", user(110, "AD_User")), table("XX_B", "XX", user(0, "AD_User")), false},
		"one without target":    {table("XX_A", "U", user(110, "")), table("XX_B", "U", user(110, "AD_User")), false},
		"other number":          {table("XX_A", "U", user(110, "AD_User")), table("XX_B", "U", user(111, "AD_User")), true},
		"other target":          {table("XX_A", "U", user(110, "AD_User")), table("XX_B", "U", user(110, "C_BPartner")), true},
		"a list of the name":    {table("XX_A", "U", user(110, "")), table("XX_B", "U", dict.List("AD_User", dict.ListValue{Value: "A", Name: "A"})), true},
		"two lists, two owners": {table("XX_A", "U", dict.List("XX L", dict.ListValue{Value: "A", Name: "A"})), table("XX_B", "XX", dict.List("XX L", dict.ListValue{Value: "A", Name: "A"})), true},
		"two lists, one owner":  {table("XX_A", "U", dict.List("XX L", dict.ListValue{Value: "A", Name: "A"})), table("XX_B", "U", dict.List("XX L", dict.ListValue{Value: "A", Name: "A"})), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, err := dict.NewPlan(nil, tt.first, tt.second)
			if tt.clash {
				var invalid *dict.ValidationError
				require.ErrorAs(t, err, &invalid)
				assert.ErrorContains(t, err, "another reference is called")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, []string{"XX_A", "XX_B"}, plan.Summary().Tables)
		})
	}
}

// What one table leaves out, two others may not tell differently.
func TestSharedReferenceOfThree(t *testing.T) {
	t.Parallel()
	var tables []dict.Table
	for i, id := range []int{0, 110, 111} {
		tables = append(tables, dict.NewTable("XX_T"+string(rune('A'+i))).With(dict.Standard).
			Column(dict.Column{Name: "XX_Some_ID", Type: dict.TypeSearch, Reference: dict.ExistingReference("AD_User", id, "AD_User")}))
	}
	require.NoError(t, dict.Validate(nil, tables[:2]...))
	require.ErrorContains(t, dict.Validate(nil, tables...), "another reference is called")
}
