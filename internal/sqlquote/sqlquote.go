// Package sqlquote writes names and texts as SQL has them, for PostgreSQL, SQLite and
// Oracle alike.
package sqlquote

import "strings"

// Name is a name in double quotes, which keep it as it is: its case, too.
func Name(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Text is a text as a literal in single quotes. In PostgreSQL it needs
// standard_conforming_strings, which is on by default.
func Text(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
