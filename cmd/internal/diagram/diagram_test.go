package diagram_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
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
	m, err := diagram.New(t.Context(), shop(), []string{"XX_Line", "xx_order", "XX_Partner", "XX_LINE"}, nil)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, m.WriteMermaid(&b))
	assert.Equal(t, shopMermaid, b.String())
	all, err := diagram.New(t.Context(), shop(), []string{"XX_Line"}, &diagram.Options{AllColumns: true})
	require.NoError(t, err)
	assert.Len(t, all.Tables[0].Columns, 5)
}

type rect struct{ x, y, w, h float64 }

// parse reads the picture as XML and gives its boxes and its texts.
func parse(t *testing.T, svg []byte) (boxes []rect, texts []string, elements map[string]int) {
	t.Helper()
	elements = map[string]int{}
	dec := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return boxes, texts, elements
		}
		require.NoError(t, err, string(svg))
		switch token := token.(type) {
		case xml.StartElement:
			elements[token.Name.Local]++
			values := map[string]string{}
			for _, a := range token.Attr {
				values[a.Name.Local] = a.Value
			}
			if values["class"] == "box" {
				var r rect
				for name, at := range map[string]*float64{"x": &r.x, "y": &r.y, "width": &r.w, "height": &r.h} {
					_, err := fmt.Sscan(values[name], at)
					require.NoError(t, err)
				}
				boxes = append(boxes, r)
			}
		case xml.CharData:
			texts = append(texts, string(token))
		}
	}
}

func TestSVG(t *testing.T) {
	t.Parallel()
	m, err := diagram.New(t.Context(), shop(), []string{"XX_Line", "XX_Order", "XX_Partner"}, nil)
	require.NoError(t, err)
	var first, second bytes.Buffer
	require.NoError(t, m.WriteSVG(&first))
	require.NoError(t, m.WriteSVG(&second))
	assert.Equal(t, first.String(), second.String())
	boxes, texts, elements := parse(t, first.Bytes())
	require.Len(t, boxes, 3)
	assert.Zero(t, elements["script"])
	assert.Zero(t, elements["b"])
	assert.Contains(t, texts, `<b>"Order" & </title><script>`)
	for _, name := range []string{"XX_Line", "XX_Partner_ID", "Table Direct", "Parent_ID"} {
		assert.Contains(t, texts, name)
	}
	assert.Contains(t, first.String(), "prefers-color-scheme:dark")
	// What is referred to stands to the left.
	assert.Greater(t, boxes[0].x, boxes[1].x+boxes[1].w)
	assert.Greater(t, boxes[1].x, boxes[2].x+boxes[2].w)
}

// Whatever the tables are, boxes lie inside the picture and apart from each
// other.
func TestLayout(t *testing.T) {
	t.Parallel()
	r := fixed{tables: map[string]registry.Table{}}
	var names []string
	for i := range 60 {
		name := fmt.Sprintf("XX_T%02d", i)
		info := registry.Table{Name: name}
		for j := range i%7 + 1 { // some refer to later ones, so there are loops
			info.Columns = append(info.Columns, registry.Column{Name: fmt.Sprintf("C%d_%s", j, strings.Repeat("x", i)), Type: dict.TypeTableDir,
				ForeignTable: fmt.Sprintf("XX_T%02d", (i*j+j*11)%60)})
		}
		r.tables[strings.ToLower(name)] = info
		names = append(names, name)
	}
	m, err := diagram.New(t.Context(), r, names, nil)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, m.WriteSVG(&b))
	boxes, _, _ := parse(t, b.Bytes())
	require.Len(t, boxes, 60)
	var width, height float64
	_, err = fmt.Sscanf(b.String()[strings.Index(b.String(), "viewBox"):], `viewBox="0 0 %f %f"`, &width, &height)
	require.NoError(t, err)
	for i, a := range boxes {
		assert.True(t, a.x >= 0 && a.y >= 0 && a.x+a.w <= width && a.y+a.h <= height, "%v leaves %v x %v", a, width, height)
		for _, o := range boxes[i+1:] {
			assert.False(t, a.x < o.x+o.w && o.x < a.x+a.w && a.y < o.y+o.h && o.y < a.y+a.h, "%v and %v overlap", a, o)
		}
	}
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	_, err := diagram.New(t.Context(), shop(), nil, nil)
	require.Error(t, err)
	_, err = diagram.New(t.Context(), shop(), []string{"XX_Nope"}, nil)
	require.ErrorIs(t, err, registry.ErrNotFound)
	_, err = diagram.New(t.Context(), shop(), make([]string, 1000), nil)
	require.Error(t, err)
}
