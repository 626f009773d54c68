package erp

import (
	"strings"
)

// Slug makes the address of a process from its search key, and of a window,
// form, task or info window from its name, as the server does: every blank and
// every ASCII punctuation character but - and _ becomes -, letters become small,
// and runs of - become one. It is exact for ASCII. Text with other characters
// gives false: the server strips accents by rules of its database, so request it
// for the slug (Process.Slug).
func Slug(text string) (string, bool) {
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '_':
			b.WriteByte(c)
		case c >= 'A' && c <= 'Z':
			b.WriteByte(c + 'a' - 'A')
		case c >= 0x80:
			return "", false
		case c > 0x20 && c < 0x7f, c == ' ', c == '\t':
			if s := b.String(); !strings.HasSuffix(s, "-") {
				b.WriteByte('-')
			}
		}
	}
	slug := strings.TrimSuffix(strings.TrimPrefix(b.String(), "-"), "-")
	return slug, slug != ""
}
