package dbdict

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/sqlquote"
)

// maxTexts bounds the parameters of a statement; SQLite takes 32,766.
const maxTexts = 30_000

// where is the clause for the conditions of a table, with its parameters. When
// exact is false, the rows have to be held against the conditions: the databases
// differ in what the case of a letter beyond ASCII is.
func (s *Source) where(t registry.SourceTable, has columns) (clause string, args []any, exact bool) {
	var terms []string
	for _, w := range t.Where {
		column := sqlquote.Name(has[strings.ToLower(w.Column)])
		if len(w.Ints) > 0 {
			ints := make([]string, len(w.Ints))
			for i, n := range w.Ints {
				ints[i] = strconv.Itoa(n)
			}
			terms = append(terms, column+" IN ("+strings.Join(ints, ",")+")")
		}
		if len(w.Texts) > 0 {
			marks := make([]string, len(w.Texts))
			for i, text := range w.Texts {
				if !ascii(text) {
					return "", nil, false
				}
				args = append(args, strings.ToLower(text))
				marks[i] = s.mark(len(args))
			}
			terms = append(terms, "LOWER("+column+") IN ("+strings.Join(marks, ",")+")")
		}
	}
	if len(terms) == 0 || len(args) > maxTexts {
		return "", nil, len(t.Where) == 0
	}
	return " WHERE " + strings.Join(terms, " OR "), args, true
}

// mark is how a statement refers to its n-th parameter.
func (s *Source) mark(n int) string {
	if s.dialect == SQLite {
		return "?"
	}
	return fmt.Sprintf("$%d", n)
}

func ascii(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}
