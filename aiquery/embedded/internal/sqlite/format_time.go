package sqlite

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// timeWords are the patterns of to_char and to_date for times, the longest
// first where one begins like another.
var timeWords = []string{
	"HH24", "HH12", "IYYY", "YYYY", "MONTH", "Month", "month", "MON", "Mon", "mon", "DAY", "Day", "day", "DDD",
	"YYY", "A.M.", "P.M.", "a.m.", "p.m.", "IDDD",
	"HH", "MI", "MM", "MS", "SS", "US", "AM", "PM", "am", "pm", "YY", "DY", "Dy", "dy", "DD", "IW", "WW", "CC", "ID",
	"Y", "D", "W", "Q", "J",
}

// splitTimeFormat cuts a format into patterns and literal text; a literal
// begins with the byte 0.
func splitTimeFormat(s string) (items []string, fill []bool, err error) {
	mode := false
	for s != "" {
		if s[0] == '"' {
			end := strings.IndexByte(s[1:], '"')
			if end < 0 {
				return nil, nil, errFormat
			}
			items, fill = append(items, "\x00"+s[1:1+end]), append(fill, false)
			s = s[end+2:]
			continue
		}
		if strings.HasPrefix(s, "FM") || strings.HasPrefix(s, "fm") {
			mode, s = true, s[2:]
			continue
		}
		word := timeWord(s)
		if word == "" {
			if r := rune(s[0]); unicode.IsLetter(r) || s[0] == '\\' || s[0] >= 0x80 {
				return nil, nil, errFormat
			}
			items, fill = append(items, "\x00"+s[:1]), append(fill, false)
			s = s[1:]
			continue
		}
		s = s[len(word):]
		for _, suffix := range []string{"TH", "th", "SP"} {
			if strings.HasPrefix(s, suffix) {
				return nil, nil, errFormat
			}
		}
		if canonical := strings.ToUpper(word); !namePattern[canonical] {
			word = canonical
		}
		items, fill = append(items, word), append(fill, mode)
		mode = false
	}
	return items, fill, nil
}

// namePattern are patterns whose case tells the case of the result.
var namePattern = map[string]bool{"MONTH": true, "MON": true, "DAY": true, "DY": true, "AM": true, "PM": true, "A.M.": true, "P.M.": true}

// timeWord is the pattern s begins with, in the case it is written in.
func timeWord(s string) string {
	for _, w := range timeWords {
		if strings.HasPrefix(s, w) {
			return w
		}
	}
	for _, w := range timeWords {
		if len(s) >= len(w) && strings.EqualFold(s[:len(w)], w) && !namePattern[strings.ToUpper(w)] {
			return s[:len(w)]
		}
	}
	return ""
}

func cased(word, name string) string {
	switch {
	case word == strings.ToUpper(word):
		return strings.ToUpper(name)
	case word == strings.ToLower(word):
		return strings.ToLower(name)
	}
	return name
}

// formatTimeAs is to_char of a timestamp.
func formatTimeAs(t time.Time, format string) (string, error) {
	items, fill, err := splitTimeFormat(format)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i, w := range items {
		if w[0] == 0 {
			b.WriteString(w[1:])
			continue
		}
		text, err := timeField(t, w, fill[i])
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

func timeField(t time.Time, w string, fill bool) (string, error) {
	num := func(n, width int) (string, error) {
		if fill {
			return strconv.Itoa(n), nil
		}
		return fmt.Sprintf("%0*d", width, n), nil
	}
	hour12 := (t.Hour()+11)%12 + 1
	isoYear, isoWeek := t.ISOWeek()
	switch w {
	case "HH24":
		return num(t.Hour(), 2)
	case "HH12", "HH":
		return num(hour12, 2)
	case "MI":
		return num(t.Minute(), 2)
	case "SS":
		return num(t.Second(), 2)
	case "MS":
		return num(t.Nanosecond()/1_000_000, 3)
	case "US":
		return num(t.Nanosecond()/1000, 6)
	case "YYYY":
		return num(t.Year(), 4)
	case "YYY":
		return num(t.Year()%1000, 3)
	case "YY":
		return num(t.Year()%100, 2)
	case "Y":
		return num(t.Year()%10, 1)
	case "IYYY":
		return num(isoYear, 4)
	case "IW":
		return num(isoWeek, 2)
	case "WW":
		return num((t.YearDay()-1)/7+1, 2)
	case "W":
		return num((t.Day()-1)/7+1, 1)
	case "Q":
		return num((int(t.Month())-1)/3+1, 1)
	case "CC":
		return num((t.Year()+99)/100, 2)
	case "MM":
		return num(int(t.Month()), 2)
	case "DD":
		return num(t.Day(), 2)
	case "DDD":
		return num(t.YearDay(), 3)
	case "D":
		return num(int(t.Weekday())+1, 1)
	case "ID":
		return num((int(t.Weekday())+6)%7+1, 1)
	case "J":
		return num(int(julian(t)), 1)
	}
	name, width := "", 0
	switch strings.ToUpper(w) {
	case "MONTH":
		name, width = t.Month().String(), 9
	case "MON":
		name = t.Month().String()[:3]
	case "DAY":
		name, width = t.Weekday().String(), 9
	case "DY":
		name = t.Weekday().String()[:3]
	case "AM", "PM":
		name = t.Format("PM")
	case "A.M.", "P.M.":
		name = "A.M."
		if t.Hour() >= 12 {
			name = "P.M."
		}
	default:
		return "", errFormat
	}
	name = cased(w, name)
	if !fill {
		name = fmt.Sprintf("%-*s", width, name)
	}
	return name, nil
}

// parseTimeAs is to_date and to_timestamp with the numeric patterns and
// separators that stand in both texts; other inputs are refused.
func parseTimeAs(s, format string) (time.Time, error) {
	items, _, err := splitTimeFormat(format)
	if err != nil {
		return time.Time{}, err
	}
	field := map[string]int{"YYYY": 1, "MM": 1, "DD": 1}
	width := map[string]int{"YYYY": 4, "MM": 2, "DD": 2, "HH24": 2, "MI": 2, "SS": 2}
	rest := s
	for _, w := range items {
		if w[0] == 0 {
			if rest != "" && !strings.HasPrefix(rest, w[1:]) {
				return time.Time{}, errFormat
			}
			rest = strings.TrimPrefix(rest, w[1:])
			continue
		}
		n, ok := width[w]
		if !ok {
			return time.Time{}, errFormat
		}
		i := 0
		for i < len(rest) && i < n && rest[i] >= '0' && rest[i] <= '9' {
			i++
		}
		if i == 0 {
			return time.Time{}, errDate
		}
		if w == "YYYY" && i < n {
			return time.Time{}, errFormat
		}
		field[w], _ = strconv.Atoi(rest[:i])
		rest = rest[i:]
	}
	if rest != "" {
		return time.Time{}, errFormat
	}
	t, err := makeDate(field["YYYY"], field["MM"], field["DD"])
	if err != nil {
		return t, err
	}
	if field["HH24"] > 23 || field["MI"] > 59 || field["SS"] > 59 {
		return t, errDateRange
	}
	return t.Add(time.Duration(field["HH24"])*time.Hour + time.Duration(field["MI"])*time.Minute + time.Duration(field["SS"])*time.Second), nil
}
