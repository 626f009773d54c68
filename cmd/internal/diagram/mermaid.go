package diagram

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteMermaid writes an entity relationship diagram in the language of
// Mermaid, which code forges and many editors draw.
func (m *Model) WriteMermaid(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "erDiagram")
	for _, t := range m.Tables {
		fmt.Fprintf(b, "    %s {\n", word(t.Name))
		for _, c := range t.Columns {
			line := "        " + word(c.Type) + " " + word(c.Name)
			switch {
			case c.Key:
				line += " PK"
			case c.Link:
				line += " FK"
			}
			if c.Mandatory && !c.Key {
				line += ` "mandatory"`
			}
			fmt.Fprintln(b, line)
		}
		fmt.Fprintln(b, "    }")
	}
	for _, l := range m.Links {
		one := "||"
		if l.Optional {
			one = "|o"
		}
		line := ".."
		if l.Parent {
			line = "--"
		}
		fmt.Fprintf(b, "    %s %s%so{ %s : %s\n", word(l.To), one, line, word(l.From), word(l.Column))
	}
	return b.Flush()
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
