package diagram_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/diagram"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
)

// fixed knows the tables it is made of, and nothing else.
type fixed struct {
	registry.Registry
	tables map[string]registry.Table
}

func (r fixed) Table(_ context.Context, name string, _ ...registry.Detail) (registry.Table, error) {
	t, ok := r.tables[strings.ToLower(name)]
	if !ok {
		return t, &registry.NotFoundError{Kind: "table", Name: name}
	}
	return t, nil
}

func shop() fixed {
	r := fixed{tables: map[string]registry.Table{}}
	add := func(name, label string, columns ...registry.Column) {
		columns = append([]registry.Column{{Name: name + "_ID", Type: dict.TypeID, Key: true, Mandatory: true},
			{Name: "AD_Client_ID", Type: dict.TypeTableDir, ForeignTable: "AD_Client"}}, columns...)
		r.tables[strings.ToLower(name)] = registry.Table{Name: name, Label: label, Columns: columns}
	}
	add("XX_Partner", "Partner", registry.Column{Name: "Name", Type: dict.TypeString, Mandatory: true},
		registry.Column{Name: "Parent_ID", Type: dict.TypeTable, ForeignTable: "XX_Partner"})
	add("XX_Order", `<b>"Order" & </title><script>`, registry.Column{Name: "Note", Type: dict.TypeText},
		registry.Column{Name: "XX_Partner_ID", Type: dict.TypeTableDir, Mandatory: true, ForeignTable: "xx_partner"})
	add("XX_Line", "Line", registry.Column{Name: "XX_Order_ID", Type: dict.TypeTableDir, Mandatory: true, Parent: true, ForeignTable: "XX_Order"},
		registry.Column{Name: "Bill_ID", Type: dict.TypeSearch, ForeignTable: "XX_Partner"},
		registry.Column{Name: "M_Product_ID", Type: dict.TypeSearch, ForeignTable: "M_Product"})
	return r
}

const shopMermaid = `erDiagram
    XX_Line {
        ID XX_Line_ID PK
        Table_Direct XX_Order_ID FK "mandatory"
        Search Bill_ID FK
        Search M_Product_ID FK
    }
    XX_Order {
        ID XX_Order_ID PK
        Table_Direct XX_Partner_ID FK "mandatory"
        Text Note
    }
    XX_Partner {
        ID XX_Partner_ID PK
        Table Parent_ID FK
        String Name "mandatory"
    }
    XX_Order ||--o{ XX_Line : XX_Order_ID
    XX_Partner |o..o{ XX_Line : Bill_ID
    XX_Partner ||..o{ XX_Order : XX_Partner_ID
    XX_Partner |o..o{ XX_Partner : Parent_ID
`

func TestMermaid(t *testing.T) {
	t.Parallel()
	text, err := diagram.Mermaid(t.Context(), shop(), []string{"XX_Line", "xx_order", "XX_Partner", "XX_LINE"}, false)
	require.NoError(t, err)
	assert.Equal(t, shopMermaid, string(text))
	text, err = diagram.Mermaid(t.Context(), shop(), []string{"XX_Line"}, true)
	require.NoError(t, err)
	assert.Contains(t, string(text), "        Table_Direct AD_Client_ID FK\n")
	assert.Equal(t, 5+3, strings.Count(string(text), "\n"), "five columns: %s", text)
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	_, err := diagram.Mermaid(t.Context(), shop(), nil, false)
	require.Error(t, err)
	_, err = diagram.Mermaid(t.Context(), shop(), []string{"XX_Nope"}, false)
	require.ErrorIs(t, err, registry.ErrNotFound)
	_, err = diagram.Mermaid(t.Context(), shop(), make([]string, 1000), false)
	require.Error(t, err)
}
