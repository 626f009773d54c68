// Package javadate reads dates and times as the ERP's program does: with a
// pattern of which only the beginning has to fit, and with months, days and hours
// that may be out of range and then carry over (2024-02-30 is March 1).
package javadate

import (
	"strings"
	"time"
)

// Date reads what begins like 2024-07-03. The result is midnight in UTC; ok is
// false when the text begins otherwise, or the year is not one of 1 to 9999.
func Date(text string) (t time.Time, ok bool) {
	s := scanner{text}
	y, m, d, ok := s.numbers('-')
	if !ok {
		return t, false
	}
	return in(y, m, d, 0, 0, 0, time.UTC)
}

// Time reads what begins like "2024-07-03 10:11:12", in the zone.
func Time(text string, zone *time.Location) (t time.Time, ok bool) {
	s := scanner{text}
	y, m, d, ok1 := s.numbers('-')
	ok2 := s.literal(' ')
	h, minute, second, ok3 := s.numbers(':')
	if !(ok1 && ok2 && ok3) {
		return t, false
	}
	return in(y, m, d, h, minute, second, zone)
}

// ISO reads what begins like 2024-07-03T10:11:12Z. The Z means nothing: the time is
// one in the zone.
func ISO(text string, zone *time.Location) (t time.Time, ok bool) {
	s := scanner{text}
	y, m, d, ok1 := s.numbers('-')
	ok2 := s.literal('T')
	h, minute, second, ok3 := s.numbers(':')
	if !(ok1 && ok2 && ok3 && s.literal('Z')) {
		return t, false
	}
	return in(y, m, d, h, minute, second, zone)
}

// TimeOfDay reads what begins like 10:11:12Z: that time on January 1, 1970.
func TimeOfDay(text string) (t time.Time, ok bool) {
	s := scanner{text}
	h, minute, second, ok := s.numbers(':')
	if !ok || !s.literal('Z') {
		return t, false
	}
	return in(1970, 1, 1, h, minute, second, time.UTC)
}

func in(y, m, d, h, minute, second int, zone *time.Location) (time.Time, bool) {
	t := time.Date(y, time.Month(m), d, h, minute, second, 0, zone)
	year := t.UTC().Year()
	return t, year >= 1 && year <= 9999
}

// scanner takes the parts off a text one after the other.
type scanner struct{ rest string }

// numbers takes three numbers with a sign between them.
func (s *scanner) numbers(between byte) (first, second, third int, ok bool) {
	first, ok1 := s.number()
	ok2 := s.literal(between)
	second, ok3 := s.number()
	ok4 := s.literal(between)
	third, ok5 := s.number()
	return first, second, third, ok1 && ok2 && ok3 && ok4 && ok5
}

func (s *scanner) literal(ch byte) bool {
	if s.rest == "" || s.rest[0] != ch {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// number takes a number, with blanks before it. It refuses more than six digits:
// they lead out of the years there are.
func (s *scanner) number() (n int, ok bool) {
	s.rest = strings.TrimLeft(s.rest, " \t")
	i := 0
	for ; i < len(s.rest) && s.rest[i] >= '0' && s.rest[i] <= '9'; i++ {
		if i == 6 {
			return 0, false
		}
		n = 10*n + int(s.rest[i]-'0')
	}
	s.rest = s.rest[i:]
	return n, i > 0
}
