package migration

import "strings"

// sqlplusLine is how long the lines of Oracle scripts may be: SQL*Plus reads
// 2,499 bytes, and what it puts before them counts.
const sqlplusLine = 2400

// wrap breaks a statement into lines that SQL*Plus reads: behind a comma, a
// blank or a bracket outside of literals, else by putting a literal together
// from two. A line never ends in a hyphen, which would continue it.
func wrap(s string) string {
	if len(s) <= sqlplusLine {
		return s
	}
	var b strings.Builder
	start, good := 0, 0 // of the line, and the last place it can end
	inside := false
	for i := 0; i < len(s); i++ {
		joint := inside && s[i]&0xC0 != 0x80 // a literal can be taken apart here
		if i-start >= sqlplusLine {
			switch {
			case good > start:
				b.WriteString(s[start:good])
				b.WriteByte('\n')
				start = good
			case joint:
				b.WriteString(s[start:i] + "'||\n'")
				start = i
			}
		}
		switch c := s[i]; {
		case c == '\'' && inside && strings.HasPrefix(s[i:], "''"):
			i++ // a quote within the literal
		case c == '\'':
			inside = !inside
		case !inside && (c == ',' || c == ' ' || c == '('):
			good = i + 1
		}
	}
	b.WriteString(s[start:])
	return b.String()
}
