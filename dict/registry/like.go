package registry

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// like is a pattern of SQL's LIKE that knows no case.
type like struct {
	all   bool
	parts []likePart
}

// likePart is one element of a pattern: a character, any character, or any
// text.
type likePart struct {
	char rune
	kind likeKind
}

type likeKind uint8

const (
	likeChar likeKind = iota
	likeOne           // _
	likeAny           // %
)

// newLike reads a pattern. A backslash at the very end stands for itself.
func newLike(pattern string) like {
	if pattern == "" {
		return like{all: true}
	}
	var out like
	escaped := false
	for _, r := range strings.ToLower(pattern) {
		switch {
		case escaped:
			out.parts = append(out.parts, likePart{char: r})
			escaped = false
		case r == '\\':
			escaped = true
		case r == '_':
			out.parts = append(out.parts, likePart{kind: likeOne})
		case r == '%':
			if n := len(out.parts); n == 0 || out.parts[n-1].kind != likeAny {
				out.parts = append(out.parts, likePart{kind: likeAny})
			}
		default:
			out.parts = append(out.parts, likePart{char: r})
		}
	}
	if escaped {
		out.parts = append(out.parts, likePart{char: '\\'})
	}
	out.all = len(out.parts) == 1 && out.parts[0].kind == likeAny
	return out
}

// match reports whether the whole text fits. Going back to the last % only
// keeps the work within pattern times text.
func (l *like) match(text string) bool {
	if l.all {
		return true
	}
	if len(l.parts) > 0 && l.parts[0].kind == likeChar { // most names differ here, and need no copy
		first, _ := utf8.DecodeRuneInString(text)
		if text == "" || unicode.ToLower(first) != l.parts[0].char {
			return false
		}
	}
	text = strings.ToLower(text)
	part, at := 0, 0
	anyPart, anyAt := -1, 0
	for at < len(text) {
		if part < len(l.parts) && l.parts[part].kind == likeAny {
			anyPart, anyAt = part, at
			part++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		if part < len(l.parts) && (l.parts[part].kind == likeOne || l.parts[part].char == r) {
			part++
			at += size
			continue
		}
		if anyPart < 0 {
			return false
		}
		_, size = utf8.DecodeRuneInString(text[anyAt:])
		anyAt += size
		part, at = anyPart+1, anyAt
	}
	for part < len(l.parts) && l.parts[part].kind == likeAny {
		part++
	}
	return part == len(l.parts)
}
