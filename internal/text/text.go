// Package text prepares text from elsewhere for messages, terminals and
// database columns.
//
// Lengths are characters (Unicode code points), except where a function says
// bytes. No function cuts a character in two, and valid UTF-8 stays valid.
package text

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// quoted is how many characters of a text Quote shows.
const quoted = 80

// Shorten returns s with at most limit characters. The last of them is an
// ellipsis when something was cut.
func Shorten(s string, limit int) string {
	if len(First(s, limit)) == len(s) {
		return s
	}
	if limit <= 0 {
		return ""
	}
	return First(s, limit-1) + "…"
}

// First returns the first characters of s, at most limit. For names and values
// that must not gain an ellipsis.
func First(s string, limit int) string {
	n := 0
	for i := range s {
		if n >= limit {
			return s[:i]
		}
		n++
	}
	return s
}

// FirstBytes returns the beginning of s that fits into limit bytes.
func FirstBytes(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := max(limit, 0)
	for end > 0 && end > limit-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}

// OneLine returns s as one line that may be part of a message: white space and
// characters that [Printable] replaces become one blank in each place, none at
// the ends. Bytes that are not UTF-8 become U+FFFD.
func OneLine(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || Hidden(r)
	}), " ")
}

// Sentence begins a text with a capital letter and ends it with a full stop. An empty
// text stays empty.
func Sentence(s string) string {
	if s == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(s[size:], ".") + "."
}

// Printable returns s as it may go to a terminal: control characters other than
// newline and tab, characters that reorder or hide text, and bytes that are not
// UTF-8 become U+FFFD.
func Printable(s string) string {
	plain := true // most text is, and stays as it is
	for i := 0; plain && i < len(s); i++ {
		plain = s[i] >= ' ' && s[i] < 0x7f || s[i] == '\n' || s[i] == '\t'
	}
	if plain {
		return s
	}
	return strings.Map(func(r rune) rune {
		if Hidden(r) && r != '\n' && r != '\t' {
			return '\uFFFD'
		}
		return r
	}, s)
}

// Quote returns s in double quotes, its first 80 characters with an ellipsis
// when there are more. What does not print is escaped, as strconv.Quote does.
func Quote(s string) string { return strconv.Quote(Shorten(s, quoted)) }

// QuoteAll returns the whole of s in double quotes, on one line. Quotes, control
// characters, line separators, characters that reorder or hide text, and bytes that
// are not UTF-8 are escaped as in Go; everything else stays as it is.
func QuoteAll(s string) string {
	b := append(make([]byte, 0, len(s)+2), '"')
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch c := s[i : i+size]; {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == utf8.RuneError && size == 1, Hidden(r):
			quoted := strconv.Quote(c)
			b = append(b, quoted[1:len(quoted)-1]...)
		default:
			b = append(b, c...)
		}
		i += size
	}
	return string(append(b, '"'))
}

// Storable returns s as a database column can hold it: NUL and bytes that are
// not UTF-8 become U+FFFD.
func Storable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// Hidden reports whether a character controls a terminal, ends a line, or changes
// the order and visibility of text. The two joiners do neither: words and emoji
// need them.
func Hidden(r rune) bool {
	if r < 0x7f { // most text
		return r < ' '
	}
	const nonJoiner, joiner = '\u200c', '\u200d'
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) || unicode.Is(unicode.Cf, r) && r != nonJoiner && r != joiner
}

// Invalid says what is in a value that no text has, "" for nothing.
func Invalid(value []byte) string {
	if bytes.IndexByte(value, 0) >= 0 {
		return "a NUL byte"
	}
	if utf8.Valid(value) {
		return ""
	}
	for i := 0; i < len(value); {
		c, n := utf8.DecodeRune(value[i:])
		if c == utf8.RuneError && n == 1 {
			return fmt.Sprintf("the byte 0x%02X behind %s, which is not UTF-8", value[i], Quote(string(value[max(0, i-10):i])))
		}
		i += n
	}
	return ""
}

// number is what a spreadsheet computes to the same number.
var number = lazyregexp.New(`^[-+]?[0-9]+(\.[0-9]+)?$`)

// NoFormula returns text that a spreadsheet does not take for a formula: one that
// begins as formulas do gets an apostrophe before it. Numbers stay as they are.
func NoFormula(text string) string {
	first, _ := utf8.DecodeRuneInString(text)
	if text == "" || !strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) || number().MatchString(text) {
		return text
	}
	return "'" + text
}
