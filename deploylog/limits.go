package deploylog

import (
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"
)

// cutMark ends a text that was cut.
const cutMark = "…"

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
func (l limits) cut(column, text string) string {
	limit := l[column]
	if limit == 0 {
		limit = maxText
	}
	text = clean(text)
	if len(text) <= limit || utf8.RuneCountInString(text) <= limit {
		return text
	}
	runes := []rune(text)
	return string(runes[:limit-1]) + cutMark
}

// exact returns text that must fit as it is, because half a version or half an
// address is a wrong one.
func (l limits) exact(column, what, text string) (string, error) {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return "", fmt.Errorf("%w: %s is not valid text", ErrInvalid, what)
	}
	text = strings.TrimSpace(text)
	if strings.ContainsAny(text, "\r\n") {
		return "", fmt.Errorf("%w: %s has more than one line", ErrInvalid, what)
	}
	if n := utf8.RuneCountInString(text); l[column] > 0 && n > l[column] {
		return "", fmt.Errorf("%w: %s has %d characters and may have %d: %s", ErrInvalid, what, n, l[column], clip(text))
	}
	return text, nil
}

// link returns the address of a web page, which must fit as it is.
func (l limits) link(column, what, text string) (string, error) {
	text, err := l.exact(column, what, text)
	if err != nil || text == "" {
		return text, err
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "", fmt.Errorf("%w: %s is not the address of a web page, such as https://ci.example.com/builds/42: %s", ErrInvalid, what, clip(text))
	}
	return text, nil
}

// clean removes what no database column can keep.
func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}
