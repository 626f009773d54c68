package filter

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSelect(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{"Name", "C_BPartner_ID", "isactive"}, Select(" Name, C_BPartner_ID ,,isactive"))
	assert.Empty(t, Select("  "))
}

func TestExpand(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		separator  byte
		want       []Expansion
	}{
		{"nothing", "", ';', nil},
		{"names", " C_BPartner_ID , C_OrderLine.C_Order_ID", ';', []Expansion{{Name: "C_BPartner_ID"}, {Name: "C_OrderLine.C_Order_ID"}}},
		{"options", "C_OrderLine( $select=Line,QtyOrdered ; $filter=Line gt (10); $orderby=Line desc;$top=20;$skip=3;label=Name eq '#Key')", ';',
			[]Expansion{{
				Name: "C_OrderLine", Select: "Line,QtyOrdered", Filter: "Line gt (10)", OrderBy: "Line desc", Top: 20, Skip: 3,
				Label: "Name eq '#Key'",
			}}},
		{"nested", "C_OrderLine($expand=M_Product_ID($select=Name;$expand=X),C_Tax_ID;$top=1),C_Invoice", ';',
			[]Expansion{
				{Name: "C_OrderLine", Top: 1, Expand: []Expansion{
					{Name: "M_Product_ID", Select: "Name", Expand: []Expansion{{Name: "X"}}},
					{Name: "C_Tax_ID"},
				}},
				{Name: "C_Invoice"},
			}},
		{"another separator", "C_OrderLine($select=Line|$top=2)", '|',
			[]Expansion{{Name: "C_OrderLine", Select: "Line", Top: 2}}},
		{"no options", "C_OrderLine()", ';', []Expansion{{Name: "C_OrderLine"}}},
		{"closing parenthesis only", "C_OrderLine)", ';', []Expansion{{Name: "C_OrderLine)"}}},
		{"text after the options", "C_OrderLine($top=1)x", ';', []Expansion{{Name: "C_OrderLine", Top: 1}}},
		{"no name", "($top=1)", ';', []Expansion{{Top: 1}}},
		{"unknown option", "C_OrderLine($count=true)", ';', []Expansion{{Name: "C_OrderLine"}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := Expand(tc.text, tc.separator)
			require.NoError(t, err)
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestExpandRefusals(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"non-integer top":   "C_OrderLine($top=ten)",
		"non-integer skip":  "C_OrderLine($skip=)",
		"huge top":          "C_OrderLine($top=99999999999)",
		"open parenthesis":  "C_OrderLine($top=1",
		"nested too deep":   strings.Repeat("A($expand=", MaxNested+2) + strings.Repeat(")", MaxNested+2),
		"too many":          strings.Repeat("A,", MaxItems+1),
		"longer than legal": strings.Repeat(" ", MaxLength+1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Expand(text, ';')
			var e *Error
			require.ErrorAs(t, err, &e)
			want := 400
			if name == "open parenthesis" {
				want = 500
			}
			assert.Equal(t, want, e.Status)
			assert.Equal(t, "Expand error", e.Title)
		})
	}
}

func FuzzExpand(f *testing.F) {
	for _, seed := range []string{
		"C_BPartner_ID($select=Name,Value),C_OrderLine($select=Line;$filter=a eq 'x(y)';$expand=M_Product_ID)",
		"a(b(c)))", "a((($top=1;;", "$expand=$expand", ",,,", "a.b.c(label=Name eq '#Key')",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := Expand(text, ';')
		if err != nil {
			requireRefusal(t, err)
			return
		}
		for _, e := range list {
			if e.Name != trim(e.Name) || !strings.Contains(text, e.Name) {
				t.Fatalf("%q: name %q", text, e.Name)
			}
		}
	})
}
