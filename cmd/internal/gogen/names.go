package gogen

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/erphub/erphub/internal/text"
)

// names gives identifiers out, each once.
type names map[string]bool

// take is the identifier, with a number behind it when it is given out already.
func (n names) take(want string) string {
	name := want
	for i := 2; n[name]; i++ {
		name = want + strconv.Itoa(i)
	}
	n[name] = true
	return name
}

// exported makes an exported identifier of a name of the ERP. Empty when the
// name has no letter or digit.
func exported(name string) string {
	text := joined(name)
	if text != "" && !unicode.IsUpper([]rune(text)[0]) {
		return "X" + text // a digit, or a letter without capitals
	}
	return text
}

// joined puts the words of a name together, each with a capital first.
func joined(name string) string {
	var b strings.Builder
	start := true
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			start = true
			continue
		case start:
			r = unicode.ToUpper(r)
		}
		b.WriteRune(r)
		start = false
	}
	return b.String()
}

// comment is text as the rest of a line of comment.
func comment(s string) string { return text.OneLine(s) }
