// Package text prepares foreign text for messages.
package text

import (
	"fmt"
	"unicode/utf8"
)

// quoted is how many characters of a text Quote shows.
const quoted = 70

// Quote shows a name in a message: quoted, control characters escaped, and cut
// to the first 70 characters.
func Quote(s string) string {
	if n := utf8.RuneCountInString(s); n > quoted {
		return fmt.Sprintf("%q (cut, %d characters in all)", string([]rune(s)[:quoted]), n)
	}
	return fmt.Sprintf("%q", s)
}
