package registry

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// maxLike bounds the expression made of a pattern, in bytes. Only names of
// thousands of characters could match a longer one, and no name is that long.
const maxLike = 16 << 10

var nothing = lazyregexp.New(`[^\x{0}-\x{10FFFF}]`)

// like is a pattern of SQL's LIKE that knows no case. Matching takes time in
// proportion to pattern times name, whatever the pattern.
type like struct {
	lower func() *regexp.Regexp // of names in lower case; nil matches all. Few patterns need it
	first rune                  // of names, in lower case; 0 any. Most names differ there, and need no copy
	start string                // how names in ASCII begin, in lower case, where the pattern is that alone, with % behind it (open) or not
	open  bool
}

// newLike reads a pattern; an empty one matches all. A backslash at the very end
// stands for itself.
func newLike(pattern string) like {
	body := strings.TrimLeft(strings.ToLower(pattern), "%")
	if body == "" {
		return like{}
	}
	l := literalLike(pattern)
	anchored := pattern[0] != '%'
	if r, _ := utf8.DecodeRuneInString(body); anchored && r != '_' && r != '\\' {
		l.first = r
	}
	l.lower = sync.OnceValue(func() *regexp.Regexp { return expression(body, anchored) })
	return l
}

// expression is a pattern in lower case as a regular expression.
func expression(body string, anchored bool) *regexp.Regexp {
	var expr strings.Builder
	expr.WriteString("(?s)")
	if anchored { // open ends are left out, so %word% is a plain search for the word
		expr.WriteString(`\A`)
	}
	escaped := false
	for _, r := range body {
		switch {
		case r == '\\' && !escaped:
			escaped = true
			continue
		case r == '_' && !escaped:
			expr.WriteByte('.')
		case r != '%' || escaped:
			expr.WriteString(regexp.QuoteMeta(string(r)))
		case !strings.HasSuffix(expr.String(), ".*"):
			expr.WriteString(".*")
		}
		if expr.Len() > maxLike {
			return nothing()
		}
		escaped = false
	}
	if escaped {
		expr.WriteString(`\\`)
	}
	text, open := strings.CutSuffix(expr.String(), ".*")
	if !open {
		text += `\z`
	}
	return regexp.MustCompile(text)
}

// match reports whether the whole name fits.
func (l like) match(name string) bool {
	if l.lower == nil {
		return true
	}
	if first, _ := utf8.DecodeRuneInString(name); l.first != 0 && unicode.ToLower(first) != l.first {
		return false
	}
	if l.start != "" && ascii(name) {
		return l.begins(name)
	}
	return l.lower().MatchString(strings.ToLower(name))
}

// literalLike has what is compared instead of the expression: the patterns that
// people write most are a name or its beginning.
func literalLike(pattern string) like {
	start, open := strings.CutSuffix(strings.ToLower(pattern), "%")
	if start == "" || len(start) > maxLike/4 || strings.ContainsAny(start, `%\`) || !ascii(start) {
		return like{}
	}
	return like{start: start, open: open}
}

// begins matches a name in ASCII, in which a byte is a character.
func (l like) begins(name string) bool {
	if len(name) < len(l.start) || !l.open && len(name) > len(l.start) {
		return false
	}
	for i := range len(l.start) {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != l.start[i] && l.start[i] != '_' {
			return false
		}
	}
	return true
}

// ascii reports whether no character of s has a code above 127.
func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
