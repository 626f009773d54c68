package dict

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/erphub/erphub/internal/adid"
	"github.com/erphub/erphub/internal/text"
)

// Longest names the dictionary holds.
const (
	MaxTableName  = 60
	MaxColumnName = 63
)

// CustomPrefix starts the name of every table that is not the ERP's own.
const CustomPrefix = "XX_"

// checkIdentifier says what is wrong with the name of a table, column,
// constraint or index, or "" when nothing is: the ERP wants a letter first,
// then letters, digits and underscores. Only ASCII is accepted, because the
// name also becomes a name in the database, in Java and in URLs.
func checkIdentifier(name string, limit int) string {
	if why := adid.BadIdentifier(name); why != "" {
		return why
	}
	if len(name) > limit {
		return fmt.Sprintf("is %d characters long, at most %d are possible", len(name), limit)
	}
	if isReserved(name) {
		return "is a reserved word of SQL"
	}
	return ""
}

// checkText says what is wrong with a label, description or other text that is
// stored as it is, or "".
func checkText(text string, limit int) string {
	if !utf8.ValidString(text) {
		return "is not valid UTF-8"
	}
	if n := utf8.RuneCountInString(text); n > limit {
		return fmt.Sprintf("is %d characters long, at most %d are possible", n, limit)
	}
	for _, r := range text {
		if unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' {
			return fmt.Sprintf("contains the control character %q", r)
		}
	}
	return ""
}

// quote shows a name in a message.
func quote(s string) string { return text.Quote(s) }

// isReserved reports whether PostgreSQL or Oracle refuses the word as an
// unquoted name.
func isReserved(name string) bool {
	_, ok := reservedWords[strings.ToLower(name)]
	return ok
}

// reservedWords is read only.
var reservedWords = wordSet(
	// PostgreSQL
	`all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate
	collation column concurrently constraint create cross current_catalog current_date current_role current_schema
	current_time current_timestamp current_user default deferrable desc distinct do else end except false fetch for
	foreign freeze from full grant group having ilike in initially inner intersect into is isnull join lateral
	leading left like limit localtime localtimestamp natural not notnull null offset on only or order outer overlaps
	placing primary references returning right select session_user similar some symmetric system_user table
	tablesample then to trailing true union unique user using variadic verbose when where window with`,
	// Oracle
	`access add alter audit between by char cluster comment compress connect current date decimal delete drop
	exclusive exists file float identified immediate increment index initial insert integer level lock long
	maxextents minus mlslabel mode modify noaudit nocompress nowait number of offline online option pctfree prior
	privileges public raw rename resource revoke row rowid rownum rows session set share size smallint start
	successful synonym sysdate trigger uid update validate values varchar varchar2 view whenever`,
)

func wordSet(lists ...string) map[string]struct{} {
	set := map[string]struct{}{}
	for _, list := range lists {
		for word := range strings.FieldsSeq(list) {
			set[word] = struct{}{}
		}
	}
	return set
}
