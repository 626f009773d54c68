package mask

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// systemRow says what of a row came with the ERP.
type systemRow struct {
	system bool // it belongs to the tenant System
	names  bool // it is a user, tenant or organization that every installation has
}

// system looks at the keys of a row. Tenant System, organization * and the
// users System, WebService and SuperUser are in every installation, so their
// names are nobody's.
func (t *table) system(row map[string]any) systemRow {
	var s systemRow
	if id, ok := number64(row["AD_Client_ID"]); ok && id == 0 {
		s.system = true
	}
	switch t.name {
	case "AD_User":
		id, ok := number64(row["AD_User_ID"])
		s.names = ok && s.system && (id == 0 || id == 10 || id == 100)
	case "AD_Client":
		id, ok := number64(row["AD_Client_ID"])
		s.names = ok && id == 0
	case "AD_Org":
		id, ok := number64(row["AD_Org_ID"])
		s.names = ok && id == 0
	}
	return s
}

// keeps reports whether the value of a column is the same everywhere.
func (s systemRow) keeps(c *column) bool {
	return s.names && (c.Name == "Name" || c.Name == "Value") && c.class != Fixed && c.class != Emptied
}

func number64(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case int:
		return int64(v), true
	case string:
		n, err := strconv.ParseInt(v, 10, 64)
		return n, err == nil
	}
	return 0, false
}

// ownNames replaces the names of the installation inside of texts.
type ownNames struct {
	find *regexp.Regexp
	by   func(name string) string
}

// newOwnNames is nil when there is no name to replace.
func newOwnNames(t *tools, names []string) *ownNames {
	var all []string
	for _, n := range names {
		n = strings.TrimSpace(n)
		head, _ := cutLegalForm(n)
		names := []string{n, head}
		if words := strings.Fields(head); len(words) > 2 {
			if short := words[0] + " " + words[1]; utf8.RuneCountInString(short) >= longName { // what people call it
				names = append(names, short)
			}
		}
		for _, n := range names {
			if utf8.RuneCountInString(n) >= shortest && !slices.Contains(all, strings.ToLower(n)) {
				all = append(all, strings.ToLower(n))
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) }) // the longest first
	for i, n := range all {
		all[i] = regexp.QuoteMeta(n)
	}
	find := regexp.MustCompile(`(?i)(?:` + strings.Join(all, "|") + `)`)
	return &ownNames{find: find, by: func(name string) string { return t.party(name, noLimit) }}
}

// longName is the number of characters from which on a name is replaced as a
// part of a longer word, too.
const longName = 8

// replace gives each of the names the name that it is masked by. A text that
// becomes too long loses its end.
func (o *ownNames) replace(text string, limit int) string {
	var b strings.Builder
	done := 0
	for _, at := range o.find.FindAllStringIndex(text, -1) {
		name := text[at[0]:at[1]]
		before, _ := utf8.DecodeLastRuneInString(text[:at[0]])
		after, _ := utf8.DecodeRuneInString(text[at[1]:])
		if utf8.RuneCountInString(name) < longName && (partOf(before) || partOf(after)) {
			continue
		}
		b.WriteString(text[done:at[0]])
		b.WriteString(o.by(name))
		done = at[1]
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	out := b.String()
	if utf8.RuneCountInString(out) > limit {
		out = strings.TrimRight(string([]rune(out)[:limit]), " ")
	}
	return out
}
