package sqlite

import (
	"math/big"
	"strconv"
	"strings"
	"time"
)

// Dates and timestamps are handled as time.Time in UTC; the time of a date is zero.

// minYear and maxYear bound dates to those whose texts order like the dates.
const (
	minYear = 1
	maxYear = 9999
)

func checkRange(t time.Time) (time.Time, error) {
	if y := t.Year(); y < minYear || y > maxYear {
		return t, errDateRange
	}
	return t, nil
}

func formatDate(t time.Time) string { return t.Format("2006-01-02") }

func formatTimestamp(t time.Time) string { return t.Format("2006-01-02 15:04:05.999999") }

// readTimestamp reads the form in which timestamps and dates are kept.
func readTimestamp(s string) (time.Time, error) {
	if len(s) == 10 {
		t, err := time.Parse("2006-01-02", s)
		if err != nil {
			return t, errInternal
		}
		return t, nil
	}
	t, err := time.Parse("2006-01-02 15:04:05.999999", s)
	if err != nil {
		return t, errInternal
	}
	return t, nil
}

// parseTimestamp reads what a user writes for a timestamp: ISO 8601 with a
// blank or T, with or without time and zone. Other forms PostgreSQL knows are
// refused. A zone is applied when zoned, else ignored, as PostgreSQL does.
func parseTimestamp(s string, zoned bool) (time.Time, error) {
	s = strings.TrimSpace(s)
	date, clock := s, ""
	if i := strings.IndexAny(s, " tT"); i >= 0 {
		date, clock = s[:i], strings.TrimLeft(s[i+1:], " ")
	}
	t, err := parseDay(date)
	if err != nil || clock == "" {
		return t, err
	}
	of, offset, err := parseClock(clock)
	if err != nil {
		return t, err
	}
	t = t.Add(of)
	if zoned {
		t = t.Add(-offset)
	}
	return checkRange(t)
}

// parseDay reads year, month and day, with dashes or as eight digits.
func parseDay(s string) (time.Time, error) {
	var parts []string
	if len(s) == 8 && strings.Trim(s, "0123456789") == "" {
		parts = []string{s[:4], s[4:6], s[6:]}
	} else {
		parts = strings.Split(s, "-")
	}
	if len(parts) != 3 || len(parts[0]) != 4 {
		return time.Time{}, errDate
	}
	var n [3]int
	for i, p := range parts {
		v, err := strconv.Atoi(p)
		if err != nil || strings.Trim(p, "0123456789") != "" || len(p) > 4 || i > 0 && len(p) > 2 {
			return time.Time{}, errDate
		}
		n[i] = v
	}
	return makeDate(n[0], n[1], n[2])
}

func makeDate(year, month, day int) (time.Time, error) {
	if year < minYear || year > maxYear || month < 1 || month > 12 || day < 1 || day > 31 {
		return time.Time{}, errDateRange
	}
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if t.Day() != day {
		return time.Time{}, errDateRange
	}
	return t, nil
}

// parseClock reads hours, minutes, seconds and a zone.
func parseClock(s string) (of, zone time.Duration, err error) {
	clock, rest := s, ""
	if i := strings.IndexAny(s, "+-zZuU "); i >= 0 {
		clock, rest = s[:i], strings.TrimLeft(s[i:], " ")
	}
	if of, err = parseHours(clock); err != nil {
		return 0, 0, err
	}
	switch strings.ToLower(rest) {
	case "", "z", "utc":
		return of, 0, nil
	}
	sign := time.Duration(1)
	switch rest[0] {
	case '-':
		sign = -1
	case '+':
	default:
		return 0, 0, errDate
	}
	rest = rest[1:]
	if len(rest) == 4 && strings.Trim(rest, "0123456789") == "" {
		rest = rest[:2] + ":" + rest[2:]
	}
	h, m, _ := strings.Cut(rest, ":")
	if len(h) > 2 {
		return 0, 0, errDate
	}
	hours, err1 := strconv.ParseUint(h, 10, 8)
	minutes := uint64(0)
	var err2 error
	if m != "" {
		minutes, err2 = strconv.ParseUint(m, 10, 8)
	}
	if err1 != nil || err2 != nil || hours > 15 || minutes > 59 {
		return 0, 0, errDate
	}
	return of, sign * (time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute), nil
}

func parseHours(s string) (time.Duration, error) {
	parts := strings.Split(s, ":")
	if len(parts) < 2 || len(parts) > 3 || len(parts[0]) > 2 || len(parts[1]) > 2 {
		return 0, errDate
	}
	h, err1 := strconv.ParseUint(parts[0], 10, 8)
	m, err2 := strconv.ParseUint(parts[1], 10, 8)
	if err1 != nil || err2 != nil {
		return 0, errDate
	}
	var micros int64
	if len(parts) == 3 {
		var err error
		if micros, err = parseMicros(parts[2]); err != nil {
			return 0, errDate
		}
	}
	if m > 59 || micros > 60_000_000 || h > 24 || h == 24 && (m > 0 || micros > 0) {
		return 0, errDateRange
	}
	return time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(micros)*time.Microsecond, nil
}

// parseMicros reads seconds as microseconds.
func parseMicros(s string) (int64, error) {
	d, err := parseDecimal(s)
	if err != nil || strings.Trim(s, "0123456789.") != "" {
		return 0, errDate
	}
	for d.scale -= 6; d.scale < 0; d.scale++ {
		d.coef.Mul(d.coef, bigTen)
	}
	return d.int64()
}

// addInterval adds months, keeping the day within its month, then days, then
// the rest.
func addInterval(t time.Time, v interval) (time.Time, error) {
	if v.months != 0 {
		y, m, d := t.Date()
		total := int64(y)*12 + int64(m) - 1 + v.months
		if total < minYear*12 || total >= (maxYear+1)*12 {
			return t, errDateRange
		}
		year, month := int(total/12), time.Month(total%12+1)
		d = min(d, time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day())
		clock := t.Sub(t.Truncate(24 * time.Hour))
		t = time.Date(year, month, d, 0, 0, 0, 0, time.UTC).Add(clock)
	}
	const farDays = 4_000_000
	if v.days > farDays || v.days < -farDays {
		return t, errDateRange
	}
	days, rest := v.micros/dayMicros, v.micros%dayMicros
	if days > farDays || days < -farDays {
		return t, errDateRange
	}
	t = t.AddDate(0, 0, int(v.days+days)).Add(time.Duration(rest) * time.Microsecond)
	return checkRange(t)
}

// unixMicros counts from 1970.
func unixMicros(t time.Time) int64 { return t.UnixMicro() }

// subtract is the time between two timestamps in days and less.
func subtract(a, b time.Time) interval {
	diff := unixMicros(a) - unixMicros(b)
	return interval{days: diff / dayMicros, micros: diff % dayMicros}
}

func clockMicros(t time.Time) int64 {
	h, m, s := t.Clock()
	return int64(h*3600+m*60+s)*1_000_000 + int64(t.Nanosecond()/1000)
}

// truncations are the units of date_trunc for timestamps.
var truncations = map[string]func(time.Time) time.Time{
	"second": func(t time.Time) time.Time { return t.Truncate(time.Second) },
	"minute": func(t time.Time) time.Time { return t.Truncate(time.Minute) },
	"hour":   func(t time.Time) time.Time { return t.Truncate(time.Hour) },
	"day":    dayOf,
	"week":   func(t time.Time) time.Time { return dayOf(t).AddDate(0, 0, -int(t.Weekday()+6)%7) },
	"month":  func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC) },
	"quarter": func(t time.Time) time.Time {
		return time.Date(t.Year(), time.Month(quarterOf(t)*3-2), 1, 0, 0, 0, 0, time.UTC)
	},
	"year": func(t time.Time) time.Time { return time.Date(t.Year(), 1, 1, 0, 0, 0, 0, time.UTC) },
}

func dayOf(t time.Time) time.Time { return t.Truncate(24 * time.Hour) }

// truncate is date_trunc of a timestamp.
func truncate(unit string, t time.Time) (time.Time, error) {
	to := truncations[unit]
	if to == nil {
		return t, errField
	}
	return checkRange(to(t))
}

// unitNames maps the spellings of a unit or field to one.
var unitNames = map[string]string{
	"second": "second", "seconds": "second", "s": "second", "sec": "second", "secs": "second",
	"minute": "minute", "minutes": "minute", "min": "minute", "mins": "minute",
	"hour": "hour", "hours": "hour", "h": "hour", "hr": "hour", "hrs": "hour",
	"day": "day", "days": "day", "d": "day",
	"week": "week", "weeks": "week", "w": "week",
	"month": "month", "months": "month", "mon": "month", "mons": "month",
	"quarter": "quarter", "qtr": "quarter",
	"year": "year", "years": "year", "y": "year", "yr": "year", "yrs": "year",
	"dow": "dow", "isodow": "isodow", "doy": "doy", "epoch": "epoch",
}

// clockFields are the fields that a date does not have, in microseconds with their
// digits after the point or whole.
var clockFields = map[string]func(time.Time) decimal{
	"second": func(t time.Time) decimal { return decimal{big.NewInt(clockMicros(t) % 60_000_000), 6} },
	"minute": func(t time.Time) decimal { return decimalOf(int64(t.Minute())) },
	"hour":   func(t time.Time) decimal { return decimalOf(int64(t.Hour())) },
	"epoch":  func(t time.Time) decimal { return decimal{big.NewInt(unixMicros(t)), 6} },
}

var dateFields = map[string]func(time.Time) int64{
	"epoch":   time.Time.Unix,
	"day":     func(t time.Time) int64 { return int64(t.Day()) },
	"month":   func(t time.Time) int64 { return int64(t.Month()) },
	"quarter": func(t time.Time) int64 { return int64(quarterOf(t)) },
	"year":    func(t time.Time) int64 { return int64(t.Year()) },
	"week":    func(t time.Time) int64 { _, week := t.ISOWeek(); return int64(week) },
	"dow":     func(t time.Time) int64 { return int64(t.Weekday()) },
	"isodow":  func(t time.Time) int64 { return (int64(t.Weekday())+6)%7 + 1 },
	"doy":     func(t time.Time) int64 { return int64(t.YearDay()) },
}

// timeField is a field of a date or timestamp as PostgreSQL shows it.
func timeField(field, typ, s string) (decimal, error) {
	t, err := readTimestamp(s)
	if err != nil {
		return decimal{}, err
	}
	if f := clockFields[field]; f != nil && typ != "date" {
		return f(t), nil
	}
	if f := dateFields[field]; f != nil {
		return decimalOf(f(t)), nil
	}
	return decimal{}, errField
}
