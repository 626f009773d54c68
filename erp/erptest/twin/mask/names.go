package mask

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestName is what invented names are at most, without a legal form.
const longestName = 36

// attempts bounds how many inventions are tried for one value. One is turned
// down when a part of the value is in it, or when it is too long.
const attempts = 64

// invent makes a value of words out of a source value. Values that differ in
// case only, and are written in one of the usual ways, get the same words in
// their own case; so the name on a letterhead is the name in the list.
func (t *tools) invent(kind, value string, limit int, compose func(d *draw) string) string {
	key, shape := value, plain
	if lower := strings.ToLower(value); lower != "" {
		switch {
		case titled(lower) == value:
			key = "\x00" + lower
		case lower == value:
			key, shape = "\x00"+lower, strings.ToLower
		case strings.ToUpper(lower) == value:
			key, shape = "\x00"+lower, strings.ToUpper
		}
	}
	for i := range attempts {
		out := shape(compose(t.draw(kind, key, i)))
		if utf8.RuneCountInString(out) <= limit && !survives(value, out) {
			return out
		}
		if i > 4 && limit < 8 { // no name is that short
			break
		}
	}
	return t.code(value)
}

func plain(s string) string { return s }

// titled writes each word with a capital, and single spaces between them.
func titled(s string) string {
	words := strings.Fields(s)
	for i, w := range words {
		r, size := utf8.DecodeRuneInString(w)
		words[i] = string(unicode.ToUpper(r)) + strings.ToLower(w[size:])
	}
	return strings.Join(words, " ")
}

// party invents the name of a person or firm. Both are one space of names,
// because a partner is the one here and the other there.
func (t *tools) party(value string, limit int) string {
	name, form := cutLegalForm(value)
	if name == "" {
		return t.label(value, limit)
	}
	if form != "" {
		return t.invent("party", name, limit-utf8.RuneCountInString(form), func(d *draw) string { return d.name(" ") + " " + d.of(trades) }) + form
	}
	words := strings.Fields(value)
	switch {
	case strings.ContainsFunc(value, func(r rune) bool { return unicode.IsDigit(r) || r == '&' || r == '+' }) || len(words) > 4:
		return t.invent("party", value, limit, func(d *draw) string { return d.name(" ") + " " + d.of(trades) })
	case len(words) == 1:
		return t.invent("party", value, limit, func(d *draw) string { return d.name("") })
	}
	return t.invent("party", value, limit, person)
}

func person(d *draw) string {
	for {
		if name := d.of(given) + " " + d.name("-"); len(name) <= longestName {
			return name
		}
	}
}

// cutLegalForm cuts the legal form off the name of a firm. The form begins
// with what is between it and the name.
func cutLegalForm(value string) (name, form string) {
	lower := strings.ToLower(value)
	if len(lower) != len(value) {
		return value, ""
	}
	for _, f := range legalForms {
		if head, ok := strings.CutSuffix(lower, " "+f); ok {
			head = strings.TrimRight(head, " ,")
			return value[:len(head)], value[len(head):]
		}
	}
	return value, ""
}

// label invents the name of a thing.
func (t *tools) label(value string, limit int) string {
	return t.invent("label", value, limit, func(d *draw) string { return d.name(" ") + " " + d.of(things) })
}

func (t *tools) city(value string, limit int) string {
	return t.invent("city", value, limit, func(d *draw) string { return d.name(" ") + d.of(towns) })
}

// street invents an address line; one with a number gets one with a number.
func (t *tools) street(value string, limit int) string {
	number := strings.ContainsFunc(value, unicode.IsDigit)
	return t.invent("street", value, limit, func(d *draw) string {
		out := d.name(" ") + " " + d.of(ways)
		if number {
			out += " " + strconv.Itoa(1+d.n(199))
		}
		return out
	})
}
