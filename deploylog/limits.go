package deploylog

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/erphub/erphub/internal/text"
)

// maxText bounds the texts that the table keeps without a limit of its own, so
// that the output of a whole build does not end up in a record.
const maxText = 20_000

// limits are the lengths of the table's columns, in characters.
type limits map[string]int

func tableLimits() limits {
	l := limits{}
	for _, c := range Table().AllColumns() {
		if c.Length > 0 {
			l[c.Name] = c.Length
		}
	}
	return l
}

// cut shortens free text to what its column holds, visibly. Lengths are counted
// in characters, not bytes.
func (l limits) cut(column, s string) string {
	limit := cmp.Or(l[column], maxText)
	return text.Shorten(text.Storable(s), limit)
}

// exact returns text that must fit as it is, because half a version or half an
// address is a wrong one.
func (l limits) exact(column, what, value string) (string, error) {
	if !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
		return "", fmt.Errorf("%w: %s is not valid text", ErrInvalid, what)
	}
	value = strings.TrimSpace(value)
	if strings.ContainsAny(value, "\r\n") {
		return "", fmt.Errorf("%w: %s has more than one line", ErrInvalid, what)
	}
	if n := utf8.RuneCountInString(value); l[column] > 0 && n > l[column] {
		return "", fmt.Errorf("%w: %s has %d characters and may have %d: %s", ErrInvalid, what, n, l[column], text.Quote(value))
	}
	return value, nil
}

// link returns the address of a web page, which must fit as it is.
func (l limits) link(column, what, value string) (string, error) {
	value, err := l.exact(column, what, value)
	if err != nil || value == "" {
		return value, err
	}
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "", fmt.Errorf("%w: %s is not the address of a web page, such as https://ci.example.com/builds/42: %s", ErrInvalid, what, text.Quote(value))
	}
	return value, nil
}
