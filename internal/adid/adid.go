// Package adid holds what identifies records of the ERP's dictionary: the
// official numbers, which are the same in every installation, and the rule for
// names of tables and columns.
//
// The list of official numbers is that of the development line of release 14. A
// record that an older release does not have yet is in it all the same. A
// program that looks nothing up does not link the list.
package adid

import (
	"fmt"
	"unicode/utf8"
)

// MaxOfficial is the highest id of the ERP's own dictionary records; what is
// above it belongs to one installation.
const MaxOfficial = 999_999

// Official reports whether an id is the same in every installation.
func Official[N ~int | ~int64](id N) bool { return id > 0 && id <= MaxOfficial }

// IsIdentifier reports whether name can be the name of a table, column,
// constraint or index, as far as its characters go: a letter, then letters,
// digits and underscores, all of them ASCII. Such a name needs no quotes in SQL.
// Lengths and reserved words are the caller's business.
func IsIdentifier(name string) bool { return BadIdentifier(name) == "" }

// BadIdentifier says why [IsIdentifier] is false, as the end of a sentence that
// starts with the name, or "".
func BadIdentifier(name string) string {
	if name == "" {
		return "is empty"
	}
	if !utf8.ValidString(name) {
		return "is not valid UTF-8"
	}
	for i, r := range name {
		switch {
		case r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z':
		case i == 0:
			return fmt.Sprintf("starts with %q instead of a letter A to Z", r)
		case r >= '0' && r <= '9', r == '_':
		default:
			return fmt.Sprintf("contains %q; only A to Z, digits and underscore are possible", r)
		}
	}
	return ""
}
