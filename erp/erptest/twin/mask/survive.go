package mask

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shortest is the number of characters from which on a part of a value must
// not be found in its masked value.
const shortest = 4

// parts are the runs of letters and digits in a text.
func parts(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(text, func(r rune) bool { return !partOf(r) })
}

func partOf(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// survives reports whether a part of four characters or more of the value is
// in the masked one, in whatever case.
func survives(value, masked string) bool {
	if utf8.RuneCountInString(value) < shortest {
		return value == masked && strings.ContainsFunc(value, partOf)
	}
	lower := strings.ToLower(masked)
	for part := range parts(strings.ToLower(value)) {
		if utf8.RuneCountInString(part) >= shortest && strings.Contains(lower, part) {
			return true
		}
	}
	return false
}
