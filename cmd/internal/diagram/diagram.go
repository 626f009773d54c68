// Package diagram draws tables of the dictionary and how they refer to each
// other in the language of Mermaid.
package diagram

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict/registry"
)

// maxTables keeps a diagram readable, and drawing it quick.
const maxTables = 200

// Mermaid is an entity relationship diagram in the language of Mermaid, which code
// forges and many editors draw. The same dictionary always gives the same text. Tables
// come in the requested order; one that is named twice is drawn once. Without all,
// columns that every table has, and that say nothing about one, are left out: tenant,
// organization, active flag, who changed the record when, and the UUID. The error
// matches [registry.ErrNotFound] when a table is not there.
func Mermaid(ctx context.Context, reg registry.Registry, tables []string, all bool) ([]byte, error) {
	switch {
	case len(tables) == 0:
		return nil, errors.New("there is nothing to draw; name at least one table")
	case len(tables) > maxTables:
		return nil, fmt.Errorf("a diagram of %d tables cannot be read; name at most %d", len(tables), maxTables)
	}
	var infos []registry.Table
	drawn := map[string]string{} // lower-case name to name
	for _, name := range tables {
		info, err := reg.Table(ctx, name)
		if err != nil {
			return nil, err
		}
		if _, ok := drawn[strings.ToLower(info.Name)]; !ok {
			drawn[strings.ToLower(info.Name)] = info.Name
			infos = append(infos, info)
		}
	}
	var boxes, links bytes.Buffer
	fmt.Fprintln(&boxes, "erDiagram")
	for _, t := range infos {
		common := func(c registry.Column) bool { return c.Standard() || strings.EqualFold(c.Name, t.Name+"_UU") }
		for _, c := range t.Columns {
			if to := drawn[strings.ToLower(c.ForeignTable)]; to != "" && refers(c) && !common(c) && !c.Virtual() {
				writeLink(&links, t.Name, to, c)
			}
		}
		columns := slices.Clone(t.Columns)
		slices.SortStableFunc(columns, func(a, b registry.Column) int { return cmp.Compare(rank(a), rank(b)) })
		fmt.Fprintf(&boxes, "    %s {\n", word(t.Name))
		for _, c := range columns {
			if all || !common(c) {
				writeColumn(&boxes, c)
			}
		}
		fmt.Fprintln(&boxes, "    }")
	}
	return append(boxes.Bytes(), links.Bytes()...), nil
}

// refers reports whether a column leads to a table, drawn or not.
func refers(c registry.Column) bool { return c.ForeignTable != "" && !c.Key }

// rank puts keys first and links after them.
func rank(c registry.Column) int {
	switch {
	case c.Key:
		return 0
	case refers(c):
		return 1
	}
	return 2
}

func writeColumn(b *bytes.Buffer, c registry.Column) {
	line := "        " + word(cmp.Or(c.TypeName, c.Type.String())) + " " + word(c.Name)
	switch {
	case c.Key:
		line += " PK"
	case refers(c):
		line += " FK"
	}
	if c.Mandatory && !c.Key {
		line += ` "mandatory"`
	}
	fmt.Fprintln(b, line)
}

// writeLink draws the line of a column between boxes: each record of from points at up
// to one of to.
func writeLink(b *bytes.Buffer, from, to string, c registry.Column) {
	one := "||"
	if !c.Mandatory {
		one = "|o"
	}
	line := ".."
	if c.Parent { // from is a part of to
		line = "--"
	}
	fmt.Fprintf(b, "    %s %s%so{ %s : %s\n", word(to), one, line, word(from), word(c.Name))
}

// word is text as a name in Mermaid: letters, digits and underscores, a letter
// first.
func word(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
			return r
		}
		return '_'
	}, s)
	if s == "" || s[0] < 'A' || s[0] == '_' {
		s = "X" + s
	}
	return s
}
