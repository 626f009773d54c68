package registry

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/dict"
)

func TestNameColumns(t *testing.T) {
	t.Parallel()
	text := func(name string, change func(*Column)) Column {
		c := Column{Name: name, Type: dict.TypeString, Active: true}
		if change != nil {
			change(&c)
		}
		return c
	}
	identifier := func(seqNo int) func(*Column) {
		return func(c *Column) { c.Identifier, c.SeqNo = true, seqNo }
	}
	for name, tt := range map[string]struct {
		columns     []Column
		display     string
		want, parts []string
	}{
		"a customer":   {[]Column{text("Name", identifier(2)), text("Value", identifier(1))}, "", []string{"Value", "Name"}, []string{"Value", "Name"}},
		"a document":   {[]Column{text("DocumentNo", identifier(1)), text("Description", nil)}, "", []string{"DocumentNo"}, []string{"DocumentNo"}},
		"own display":  {[]Column{text("Title", nil), text("Name", nil)}, "Title", []string{"Name", "Title"}, nil},
		"nothing":      {[]Column{{Name: "Line", Type: dict.TypeInteger, Active: true, Identifier: true}}, "", nil, nil},
		"a password":   {[]Column{text("Value", func(c *Column) { c.Encrypted = true }), text("Name", func(c *Column) { c.Secure = true })}, "", nil, nil},
		"computed":     {[]Column{text("Name", func(c *Column) { c.SQL = "(SELECT 1)" })}, "", nil, nil},
		"out of use":   {[]Column{text("Name", func(c *Column) { c.Active = false })}, "", nil, nil},
		"a reference":  {[]Column{text("Value", func(c *Column) { c.ForeignTable = "AD_User" })}, "", nil, nil},
		"order by seq": {[]Column{text("B", identifier(20)), text("A", identifier(10))}, "", []string{"A", "B"}, []string{"A", "B"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table := Table{Columns: tt.columns}
			columns, parts := table.NameColumns(tt.display)
			assert.Equal(t, tt.want, columns)
			assert.Equal(t, tt.parts, parts)
		})
	}
}
