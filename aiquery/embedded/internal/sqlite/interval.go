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

// unitLengths are the units of time that intervals are written in.
var unitLengths = map[string]interval{
	"second": {micros: 1_000_000}, "minute": {micros: 60_000_000}, "hour": {micros: 3_600_000_000},
	"day": {days: 1}, "week": {days: 7}, "month": {months: 1}, "year": {months: 12},
}

// maxUnits bounds the number of units that an interval is written with.
const maxUnits = 1_000_000

// readInterval reads what users write: whole numbers of units, "1 year -2 months".
func readInterval(s string) (interval, error) {
	var v interval
	fields := strings.Fields(strings.ToLower(s))
	if len(fields) == 0 || len(fields)%2 != 0 || len(fields) > 20 {
		return v, errInterval
	}
	for i := 0; i < len(fields); i += 2 {
		n, err := strconv.ParseInt(fields[i], 10, 64)
		unit, ok := unitLengths[unitNames[fields[i+1]]]
		if err != nil || !ok || n > maxUnits || n < -maxUnits {
			return v, errInterval
		}
		unit = unit.times(n)
		v = interval{v.months + unit.months, v.days + unit.days, v.micros + unit.micros}
	}
	return v, v.check()
}

// parseInterval reads the form in which intervals are kept.
func parseInterval(s string) (interval, error) {
	s, ok := strings.CutPrefix(s, "P")
	var v interval
	date, clock, _ := strings.Cut(s, "T")
	for text, units := range map[string]map[byte]string{date: {'Y': "year", 'M': "month", 'D': "day"}, clock: {'H': "hour", 'M': "minute", 'S': "second"}} {
		for ok && text != "" {
			i := strings.IndexAny(text, "YMDHS")
			if i < 0 {
				return v, errInternal
			}
			d, err := parseDecimal(text[:i])
			unit := unitLengths[units[text[i]]]
			if err != nil || unit == (interval{}) {
				return v, errInternal
			}
			if text[i] == 'S' {
				d, unit = decimal{d.rescaled(max(d.scale, 6)), 0}, interval{micros: 1}
			}
			n, err := d.int64()
			if err != nil {
				return v, errInternal
			}
			unit = unit.times(n)
			v = interval{v.months + unit.months, v.days + unit.days, v.micros + unit.micros}
			text = text[i+1:]
		}
	}
	if !ok {
		return v, errInternal
	}
	return v, nil
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

func (v interval) times(n int64) interval { return interval{v.months * n, v.days * n, v.micros * n} }

// intervalField is a field of an interval.
func intervalField(field, s string) (decimal, error) {
	v, err := parseInterval(s)
	if err != nil {
		return decimal{}, err
	}
	switch field {
	case "second":
		return decimal{big.NewInt(v.micros % 60_000_000), 6}, nil
	case "minute":
		return decimalOf(v.micros / 60_000_000 % 60), nil
	case "hour":
		return decimalOf(v.micros / 3_600_000_000), nil
	case "day":
		return decimalOf(v.days), nil
	case "month":
		return decimalOf(v.months % 12), nil
	case "year":
		return decimalOf(v.months / 12), nil
	case "epoch":
		// A year counts 365.25 days, a month 30.
		seconds := big.NewInt(v.months/12*31_557_600 + v.months%12*2_592_000 + v.days*86_400)
		micros := seconds.Mul(seconds, big.NewInt(1_000_000))
		return decimal{micros.Add(micros, big.NewInt(v.micros)), 6}, nil
	}
	return decimal{}, errField
}

func compareIntervals(a, b string) int {
	v, err1 := parseInterval(a)
	w, err2 := parseInterval(b)
	if err1 != nil || err2 != nil {
		return strings.Compare(a, b)
	}
	return v.cmp(w)
}
