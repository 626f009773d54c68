package sqlite

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// timePatterns are the patterns of to_char, the longest first where one begins like
// another.
var timePatterns = []struct {
	name  string
	width int
	value func(time.Time) int
}{
	{"YYYY", 4, time.Time.Year},
	{"IYYY", 4, func(t time.Time) int { year, _ := t.ISOWeek(); return year }},
	{"IW", 2, func(t time.Time) int { _, week := t.ISOWeek(); return week }},
	{"HH24", 2, time.Time.Hour},
	{"MM", 2, func(t time.Time) int { return int(t.Month()) }},
	{"DD", 2, time.Time.Day},
	{"MI", 2, time.Time.Minute},
	{"SS", 2, time.Time.Second},
	{"Q", 1, quarterOf},
}

func quarterOf(t time.Time) int { return (int(t.Month())-1)/3 + 1 }

// formatTimeAs is to_char of a timestamp. A format with other letters than those of
// the patterns is refused, as PostgreSQL may know more patterns.
func formatTimeAs(t time.Time, format string) (string, error) {
	if strings.Contains(strings.ToUpper(format), "SSSS") {
		return "", errFormat // a pattern of its own, the seconds of the day
	}
	var b strings.Builder
next:
	for s := format; s != ""; {
		if s[0] == '"' {
			text, rest, closed := strings.Cut(s[1:], `"`)
			if !closed || strings.Contains(text, `\`) {
				return "", errFormat
			}
			b.WriteString(text)
			s = rest
			continue
		}
		for _, p := range timePatterns {
			if n := len(p.name); len(s) >= n && strings.EqualFold(s[:n], p.name) {
				fmt.Fprintf(&b, "%0*d", p.width, p.value(t))
				s = s[n:]
				continue next
			}
		}
		if unicode.IsLetter(rune(s[0])) || s[0] == '\\' || s[0] >= 0x80 {
			return "", errFormat
		}
		b.WriteByte(s[0])
		s = s[1:]
	}
	return b.String(), nil
}
