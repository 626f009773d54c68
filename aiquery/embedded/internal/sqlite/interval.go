package sqlite

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// interval is PostgreSQL's: months, days and microseconds, each with its own
// sign.
type interval struct{ months, days, micros int64 }

const dayMicros = int64(86_400_000_000)

// String is the ISO 8601 form that PostgreSQL writes with IntervalStyle
// iso_8601.
func (v interval) String() string {
	if v == (interval{}) {
		return "PT0S"
	}
	var b strings.Builder
	b.WriteByte('P')
	part := func(n int64, unit byte) {
		if n != 0 {
			b.WriteString(strconv.FormatInt(n, 10))
			b.WriteByte(unit)
		}
	}
	part(v.months/12, 'Y')
	part(v.months%12, 'M')
	part(v.days, 'D')
	if v.micros != 0 {
		b.WriteByte('T')
		part(v.micros/3_600_000_000, 'H')
		part(v.micros/60_000_000%60, 'M')
		if s := v.micros % 60_000_000; s != 0 {
			d := decimal{big.NewInt(s), 6}
			text := strings.TrimRight(strings.TrimRight(d.String(), "0"), ".")
			b.WriteString(text + "S")
		}
	}
	return b.String()
}

// parseInterval reads what users write ("1 year 2 mons", "3 days 04:05:06",
// "P1DT2H") and the form intervals are kept in.
func parseInterval(s string) (interval, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return interval{}, errDate
	}
	if s[0] == 'P' {
		return parseISOInterval(s[1:])
	}
	var v interval
	fields := strings.Fields(strings.ToLower(splitUnits(s)))
	ago := false
	if len(fields) > 1 && fields[len(fields)-1] == "ago" {
		ago, fields = true, fields[:len(fields)-1]
	}
	if len(fields) > 0 && fields[0] == "@" {
		fields = fields[1:]
	}
	if len(fields) == 0 {
		return v, errDate
	}
	for i := 0; i < len(fields); i++ {
		if strings.Contains(fields[i], ":") {
			text, neg := fields[i], false
			if text[0] == '-' || text[0] == '+' {
				neg, text = text[0] == '-', text[1:]
			}
			micros, err := parseLongClock(text)
			if err != nil {
				return v, err
			}
			if neg {
				micros = -micros
			}
			v.micros += micros
			continue
		}
		d, err := parseDecimal(fields[i])
		if err != nil || strings.ContainsAny(fields[i], "e") {
			return v, errDate
		}
		unit := "second"
		if i+1 < len(fields) && !strings.Contains(fields[i+1], ":") {
			i++
			unit = unitNames[fields[i]]
		} else if len(fields) > 1 {
			return v, errDate
		}
		if err := v.addUnit(d, unit); err != nil {
			return v, err
		}
	}
	if ago {
		v = interval{-v.months, -v.days, -v.micros}
	}
	return v, v.check()
}

// splitUnits puts a blank between a number and a unit written together.
func splitUnits(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if i > 0 && s[i-1] >= '0' && s[i-1] <= '9' && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
			b.WriteByte(' ')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// parseLongClock reads hours of any number, minutes and seconds.
func parseLongClock(s string) (int64, error) {
	h, rest, _ := strings.Cut(s, ":")
	hours, err := strconv.ParseUint(h, 10, 31)
	if err != nil {
		return 0, errDate
	}
	of, err := parseHours("00:" + rest)
	if strings.Count(rest, ":") == 0 {
		of, err = parseHours("00:" + rest + ":00")
	}
	if err != nil {
		return 0, err
	}
	return int64(hours)*3_600_000_000 + of.Microseconds(), nil
}

// addUnit adds a number of units. Fractions go down to days and less, not
// to months.
func (v *interval) addUnit(d decimal, unit string) error {
	whole := func() (int64, error) {
		if d.trunc(0).cmp(d) != 0 {
			return 0, errDate
		}
		n, err := d.int64()
		if err != nil || n > math.MaxInt32 || n < math.MinInt32 {
			return 0, errDateRange
		}
		return n, nil
	}
	micros := func(per int64) error {
		n, err := d.mul(decimalOf(per)).int64()
		if err != nil {
			return errDateRange
		}
		v.micros += n
		return nil
	}
	months := map[string]int64{"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200, "millennium": 12000}
	switch unit {
	case "month", "year", "decade", "century", "millennium":
		n, err := whole()
		if err != nil {
			return err
		}
		v.months += n * months[unit]
	case "day", "week":
		per := int64(1)
		if unit == "week" {
			per = 7
		}
		days := d.mul(decimalOf(per))
		n := days.trunc(0)
		days64, err := n.int64()
		if err != nil || days64 > math.MaxInt32 || days64 < math.MinInt32 {
			return errDateRange
		}
		v.days += days64
		d = days.sub(n)
		return micros(dayMicros)
	case "hour":
		return micros(3_600_000_000)
	case "minute":
		return micros(60_000_000)
	case "second":
		return micros(1_000_000)
	case "millisecond":
		return micros(1000)
	case "microsecond":
		return micros(1)
	default:
		return errDate
	}
	return nil
}

func parseISOInterval(s string) (interval, error) {
	var v interval
	clock := false
	units := map[byte]string{'Y': "year", 'M': "month", 'W': "week", 'D': "day"}
	clocks := map[byte]string{'H': "hour", 'M': "minute", 'S': "second"}
	if s == "" {
		return v, errDate
	}
	for s != "" {
		if s[0] == 'T' {
			clock, s = true, s[1:]
			continue
		}
		i := strings.IndexAny(s, "YMWDHS")
		if i < 0 {
			return v, errDate
		}
		d, err := parseDecimal(s[:i])
		if err != nil {
			return v, errDate
		}
		unit := units[s[i]]
		if clock {
			unit = clocks[s[i]]
		}
		if err := v.addUnit(d, unit); err != nil {
			return v, err
		}
		s = s[i+1:]
	}
	return v, v.check()
}

func (v interval) check() error {
	const limit = math.MaxInt32
	if v.months > limit || v.months < -limit || v.days > limit || v.days < -limit {
		return errDateRange
	}
	return nil
}

// span is the length by which intervals compare: a month has 30 days.
func (v interval) span() (days, micros int64) {
	days = v.months*30 + v.days + v.micros/dayMicros
	micros = v.micros % dayMicros
	if micros < 0 {
		micros += dayMicros
		days--
	}
	return days, micros
}

func (v interval) cmp(w interval) int {
	d1, m1 := v.span()
	d2, m2 := w.span()
	switch {
	case d1 != d2 && d1 < d2, d1 == d2 && m1 < m2:
		return -1
	case d1 == d2 && m1 == m2:
		return 0
	}
	return 1
}

func (v interval) add(w interval) interval {
	return interval{v.months + w.months, v.days + w.days, v.micros + w.micros}
}

func (v interval) neg() interval { return interval{-v.months, -v.days, -v.micros} }

// mul multiplies as PostgreSQL does: the fraction of months goes to days of
// 30 a month, that of days to microseconds.
func (v interval) mul(f float64) (interval, error) {
	return v.scale(func(n int64) float64 { return float64(n) * f })
}

func (v interval) div(f float64) (interval, error) {
	if f == 0 {
		return v, errDivision
	}
	return v.scale(func(n int64) float64 { return float64(n) / f })
}

func (v interval) scale(by func(int64) float64) (interval, error) {
	round := func(x float64) float64 { return math.RoundToEven(x*1e6) / 1e6 }
	months, days := by(v.months), by(v.days)
	for _, x := range []float64{months, days} {
		if math.IsNaN(x) || x > math.MaxInt32 || x < math.MinInt32 {
			return v, errDateRange
		}
	}
	r := interval{months: int64(months), days: int64(days)}
	monthDays := round((months - float64(r.months)) * 30)
	seconds := round(days - float64(r.days) + monthDays - float64(int64(monthDays)))
	seconds = round(seconds * 86400)
	if math.Abs(seconds) >= 86400 {
		r.days += int64(seconds / 86400)
		seconds -= float64(int64(seconds/86400) * 86400)
	}
	r.days += int64(monthDays)
	micros := math.RoundToEven(by(v.micros) + seconds*1e6)
	if math.IsNaN(micros) || math.Abs(micros) >= math.MaxInt64 {
		return v, errDateRange
	}
	r.micros = int64(micros)
	return r, r.check()
}

// extract is a field of an interval.
func (v interval) extract(field string) (decimal, error) {
	seconds := func(scale int) decimal { return decimal{big.NewInt(v.micros % 60_000_000), scale} }
	years := v.months / 12
	switch field {
	case "microsecond":
		return seconds(0), nil
	case "millisecond":
		return seconds(3), nil
	case "second":
		return seconds(6), nil
	case "minute":
		return decimalOf(v.micros / 60_000_000 % 60), nil
	case "hour":
		return decimalOf(v.micros / 3_600_000_000), nil
	case "day":
		return decimalOf(v.days), nil
	case "month":
		return decimalOf(v.months % 12), nil
	case "quarter":
		return decimalOf(v.months%12/3 + 1), nil
	case "year":
		return decimalOf(years), nil
	case "decade":
		return decimalOf(years / 10), nil
	case "century":
		return decimalOf(years / 100), nil
	case "millennium":
		return decimalOf(years / 1000), nil
	case "epoch":
		// A year counts 365.25 days, a month 30.
		secs := big.NewInt(years*31557600 + v.months%12*2592000 + v.days*86400)
		secs.Mul(secs, big.NewInt(1_000_000))
		return decimal{secs.Add(secs, big.NewInt(v.micros)), 6}, nil
	}
	return decimal{}, errField
}

// justify moves whole days of the time to days and whole months of 30 days to
// months.
func (v interval) justify(hours, days bool) interval {
	if hours {
		v.days += v.micros / dayMicros
		v.micros %= dayMicros
	}
	if days {
		v.months += v.days / 30
		v.days %= 30
	}
	if days && v.months > 0 && (v.days < 0 || v.days == 0 && hours && v.micros < 0) {
		v.days += 30
		v.months--
	} else if days && v.months < 0 && (v.days > 0 || v.days == 0 && hours && v.micros > 0) {
		v.days -= 30
		v.months++
	}
	if hours && v.days > 0 && v.micros < 0 {
		v.micros += dayMicros
		v.days--
	} else if hours && v.days < 0 && v.micros > 0 {
		v.micros -= dayMicros
		v.days++
	}
	return v
}

// truncate is date_trunc of an interval.
func (v interval) truncate(unit string) (interval, error) {
	switch unit {
	case "millennium":
		return interval{months: v.months / 12000 * 12000}, nil
	case "century":
		return interval{months: v.months / 1200 * 1200}, nil
	case "decade":
		return interval{months: v.months / 120 * 120}, nil
	case "year":
		return interval{months: v.months / 12 * 12}, nil
	case "quarter":
		return interval{months: v.months / 3 * 3}, nil
	case "month":
		return interval{months: v.months}, nil
	case "day":
		return interval{months: v.months, days: v.days}, nil
	}
	per, ok := map[string]int64{"hour": 3_600_000_000, "minute": 60_000_000, "second": 1_000_000, "millisecond": 1000, "microsecond": 1}[unit]
	if !ok {
		return v, errField
	}
	v.micros = v.micros / per * per
	return v, nil
}

func compareIntervals(a, b string) int {
	v, err1 := parseInterval(a)
	w, err2 := parseInterval(b)
	if err1 != nil || err2 != nil {
		return strings.Compare(a, b)
	}
	return v.cmp(w)
}
