// Package slug makes the short names by which the API calls processes, windows
// and the like.
package slug

import (
	"strings"
	"sync"
	"unicode"
)

// Of is the slug the API prints: blanks and ASCII punctuation become
// hyphens, accents are dropped, other characters that are not a letter, digit,
// underscore or hyphen of ASCII go, and hyphens are never doubled.
func Of(text string) string {
	text = strings.Map(func(r rune) rune {
		if r == ' ' || r >= '\t' && r <= '\r' || r < 0x80 && r != '-' && r != '_' && (unicode.IsPunct(r) || unicode.IsSymbol(r)) {
			return '-'
		}
		return r
	}, text)
	text = strings.Map(func(r rune) rune {
		if r = unaccented(r); isSlugRune(r) {
			return r
		}
		return -1
	}, text)
	return trimHyphens(collapseHyphens(strings.ToLower(text)))
}

func isSlugRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}

func collapseHyphens(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if s[i] != '-' || i == 0 || s[i-1] != '-' {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func trimHyphens(s string) string { return strings.TrimSuffix(strings.TrimPrefix(s, "-"), "-") }

// Lookup is the slug the lookup compares with: accents and ligatures
// become plain letters, and every run of other characters one hyphen.
func Lookup(text string) string {
	text = strings.NewReplacer("ß", "ss", "Æ", "AE", "æ", "ae", "Œ", "OE", "œ", "oe", "Ø", "O", "ø", "o", "Ł", "L", "ł", "l", "Đ", "D", "đ", "d").Replace(text)
	text = strings.Map(func(r rune) rune {
		r = unaccented(r)
		switch {
		case isSlugRune(r):
			return r
		case unicode.Is(unicode.Mn, r):
			return -1
		}
		return '-'
	}, text)
	return strings.Trim(collapseHyphens(strings.ToLower(text)), "-")
}

// plainLetters maps accented letters to plain ones.
var plainLetters = sync.OnceValue(func() map[rune]rune {
	m := map[rune]rune{}
	for _, a := range accented {
		for _, r := range a.letters {
			m[r] = a.plain
		}
	}
	return m
})

// unaccented is the letter without its accents.
func unaccented(r rune) rune {
	if r < 0x80 {
		return r
	}
	if plain, ok := plainLetters()[r]; ok {
		return plain
	}
	return r
}
