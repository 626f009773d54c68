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

func partOf(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

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

// partLeft is survives for values of the same format, taken apart already.
func partLeft(value, masked []rune) bool {
	start := 0
	for i := 0; i <= len(value); i++ {
		if i < len(value) && partOf(value[i]) {
			continue
		}
		if i-start >= shortest && containsFold(masked, value[start:i]) {
			return true
		}
		start = i + 1
	}
	return false
}

func containsFold(text, part []rune) bool {
	for i := 0; i+len(part) <= len(text); i++ {
		n := 0
		for n < len(part) && fold(text[i+n]) == fold(part[n]) {
			n++
		}
		if n == len(part) {
			return true
		}
	}
	return false
}

func fold(r rune) rune {
	switch {
	case r >= 'A' && r <= 'Z':
		return r + 'a' - 'A'
	case r < utf8.RuneSelf:
		return r
	}
	return unicode.ToLower(r)
}
