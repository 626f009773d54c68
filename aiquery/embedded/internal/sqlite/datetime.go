package sqlite

import (
	"strconv"
	"strings"
	"time"
)

// Times of all types are handled as time.Time in UTC; what a type does not
// have (the date of a time, the time of a date) is zero.

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

func formatTime(t time.Time) string { return t.Format("15:04:05.999999") }

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

func readTime(s string) (time.Time, error) {
	t, err := time.Parse("15:04:05.999999", s)
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
		d, err := parseDecimal(parts[2])
		if err != nil || strings.Trim(parts[2], "0123456789.") != "" {
			return 0, errDate
		}
		d.scale -= 6
		for d.scale < 0 {
			d.coef.Mul(d.coef, bigTen)
			d.scale++
		}
		if micros, err = d.int64(); err != nil {
			return 0, errDate
		}
	}
	if m > 59 || micros > 60_000_000 || h > 24 || h == 24 && (m > 0 || micros > 0) {
		return 0, errDateRange
	}
	return time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(micros)*time.Microsecond, nil
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

// age is the time between two timestamps in years, months, days and less.
func age(a, b time.Time) interval {
	if a.Before(b) {
		v := age(b, a)
		return interval{-v.months, -v.days, -v.micros}
	}
	ya, ma, da := a.Date()
	yb, mb, db := b.Date()
	months := int64(ya-yb)*12 + int64(ma-mb)
	days := int64(da - db)
	micros := clockMicros(a) - clockMicros(b)
	if micros < 0 {
		micros += dayMicros
		days--
	}
	if days < 0 {
		days += int64(time.Date(yb, mb+1, 0, 0, 0, 0, 0, time.UTC).Day())
		months--
	}
	return interval{months, days, micros}
}

func clockMicros(t time.Time) int64 {
	h, m, s := t.Clock()
	return int64(h*3600+m*60+s)*1_000_000 + int64(t.Nanosecond()/1000)
}

// truncate is date_trunc of a timestamp.
func truncate(unit string, t time.Time) (time.Time, error) {
	y, m, d := t.Date()
	day := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	switch unit {
	case "microsecond":
		return t, nil
	case "millisecond":
		return t.Truncate(time.Millisecond), nil
	case "second":
		return t.Truncate(time.Second), nil
	case "minute":
		return t.Truncate(time.Minute), nil
	case "hour":
		return t.Truncate(time.Hour), nil
	case "day":
		return day, nil
	case "week":
		return checkRange(day.AddDate(0, 0, -int(day.Weekday()+6)%7))
	case "month":
		return time.Date(y, m, 1, 0, 0, 0, 0, time.UTC), nil
	case "quarter":
		return time.Date(y, (m-1)/3*3+1, 1, 0, 0, 0, 0, time.UTC), nil
	case "year":
		return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC), nil
	case "decade":
		return checkRange(time.Date(y/10*10, 1, 1, 0, 0, 0, 0, time.UTC))
	case "century":
		return time.Date((y-1)/100*100+1, 1, 1, 0, 0, 0, 0, time.UTC), nil
	case "millennium":
		return time.Date((y-1)/1000*1000+1, 1, 1, 0, 0, 0, 0, time.UTC), nil
	}
	return t, errField
}

// unitNames maps the spellings of a unit of time to one.
var unitNames = map[string]string{
	"microsecond": "microsecond", "microseconds": "microsecond", "us": "microsecond", "usec": "microsecond", "usecs": "microsecond", "useconds": "microsecond",
	"millisecond": "millisecond", "milliseconds": "millisecond", "ms": "millisecond", "msec": "millisecond", "msecs": "millisecond",
	"second": "second", "seconds": "second", "s": "second", "sec": "second", "secs": "second",
	"minute": "minute", "minutes": "minute", "min": "minute", "mins": "minute",
	"hour": "hour", "hours": "hour", "h": "hour", "hr": "hour", "hrs": "hour",
	"day": "day", "days": "day", "d": "day",
	"week": "week", "weeks": "week", "w": "week",
	"month": "month", "months": "month", "mon": "month", "mons": "month",
	"quarter": "quarter", "qtr": "quarter",
	"year": "year", "years": "year", "y": "year", "yr": "year", "yrs": "year",
	"decade": "decade", "decades": "decade", "dec": "decade", "decs": "decade",
	"century": "century", "centuries": "century", "c": "century", "cent": "century",
	"millennium": "millennium", "millennia": "millennium", "mil": "millennium", "mils": "millennium",
	"dow": "dow", "isodow": "isodow", "doy": "doy", "isoyear": "isoyear", "epoch": "epoch", "julian": "julian",
}

// extract is a field of a date, time or timestamp as PostgreSQL shows it.
func extract(field, typ string, t time.Time) (decimal, error) {
	micros := clockMicros(t)
	if typ != "date" {
		switch field {
		case "microsecond":
			return decimalOf(micros % 60_000_000), nil
		case "millisecond":
			d := decimalOf(micros % 60_000_000)
			d.scale = 3
			return d, nil
		case "second":
			d := decimalOf(micros % 60_000_000)
			d.scale = 6
			return d, nil
		case "minute":
			return decimalOf(int64(t.Minute())), nil
		case "hour":
			return decimalOf(int64(t.Hour())), nil
		case "epoch":
			d := decimalOf(unixMicros(t))
			if typ == "time" {
				d = decimalOf(micros)
			}
			d.scale = 6
			return d, nil
		}
		if typ == "time" {
			return decimal{}, errField
		}
	}
	y := int64(t.Year())
	isoYear, week := t.ISOWeek()
	n := int64(0)
	switch field {
	case "epoch":
		n = t.Unix()
	case "day":
		n = int64(t.Day())
	case "month":
		n = int64(t.Month())
	case "quarter":
		n = (int64(t.Month())-1)/3 + 1
	case "year":
		n = y
	case "week":
		n = int64(week)
	case "isoyear":
		n = int64(isoYear)
	case "dow":
		n = int64(t.Weekday())
	case "isodow":
		n = (int64(t.Weekday())+6)%7 + 1
	case "doy":
		n = int64(t.YearDay())
	case "decade":
		n = y / 10
	case "century":
		n = (y + 99) / 100
	case "millennium":
		n = (y + 999) / 1000
	case "julian":
		if typ != "date" {
			return decimal{}, errField
		}
		n = julian(t)
	default:
		return decimal{}, errField
	}
	return decimalOf(n), nil
}

// julian is the day's number since 4714 BC.
func julian(t time.Time) int64 {
	const unixEpoch = 2440588
	s := t.Unix()
	day := s / 86400
	if s%86400 < 0 {
		day--
	}
	return day + unixEpoch
}
