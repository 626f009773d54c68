package registry

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// DescribeColumn describes one column in lines, each a title and what is to be said: its type,
// what its values are chosen from, what it is given by default, conditions. Lists are
// told with all their values.
func DescribeColumn(ctx context.Context, reg Registry, c *Column) ([][2]string, error) {
	var lines [][2]string
	add := func(title, text string) {
		if text != "" {
			lines = append(lines, [2]string{title, text})
		}
	}
	kind := c.TypeName
	if c.Length > 0 && (c.Type.IsText() || c.Type.IsList()) {
		kind += "(" + strconv.Itoa(c.Length) + ")"
	}
	add("type", kind)
	add("description", c.Description)
	add("help", c.Help)
	add("is", strings.Join(columnFlags(c), ", "))
	add("points to", c.ForeignTable)
	add("default", c.Default)
	add("computed by", c.SQL)
	add("least", c.Min)
	add("greatest", c.Max)
	add("read-only if", c.ReadOnlyLogic)
	add("mandatory if", c.MandatoryLogic)
	add("choice narrowed by", c.ValRule)
	add("starts process", c.Process)
	add("callout", c.Callout)
	add("entity type", c.EntityType)
	if c.ReferenceID == 0 {
		return lines, nil
	}
	add("reference", c.Reference)
	r, err := reg.Reference(ctx, strconv.Itoa(c.ReferenceID))
	if errors.Is(err, ErrNotFound) {
		return lines, nil
	}
	if err != nil {
		return nil, err
	}
	for _, v := range r.Values {
		text := v.Value
		if v.Name != v.Value {
			text += " = " + v.Name
		}
		if v.Description != "" {
			text += fmt.Sprintf(" (%s)", v.Description)
		}
		add("value", text)
	}
	return lines, nil
}

// columnFlags are the words for what is set about a column.
func columnFlags(c *Column) []string {
	var words []string
	for _, f := range []struct {
		on   bool
		word string
	}{
		{c.Key, "key"}, {c.Parent, "link to the parent"}, {c.Mandatory, "mandatory"}, {!c.Updateable, "set once"}, {c.Identifier, "identifier"},
		{c.Selection, "offered for searching"}, {c.Translated, "translated"}, {c.Encrypted, "encrypted"}, {c.Secure, "hidden in logs and responses"},
		{c.Virtual(), "virtual"}, {!c.Active, "deactivated"},
	} {
		if f.on {
			words = append(words, f.word)
		}
	}
	return words
}
