package sqlite

import (
	"database/sql/driver"
	"math"
	"strings"
	"time"
)

func timeFunctions() []scalar {
	unitOf := func(v driver.Value) (string, error) {
		unit := unitNames[strings.ToLower(argText(v))]
		if unit == "" {
			return "", errParameter
		}
		return unit, nil
	}
	return []scalar{
		{name: "pg_time_arith", args: 4, run: timeArithmetic},
		{name: "pg_date_trunc", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			unit, err := unitOf(in[0])
			if err != nil {
				return nil, err
			}
			t, err := readTimestamp(argText(in[1]))
			if err != nil {
				return nil, err
			}
			if t, err = truncate(unit, t); err != nil {
				return nil, err
			}
			return formatTimestamp(t), nil
		}},
		{name: "pg_interval_trunc", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			unit, err := unitOf(in[0])
			if err != nil {
				return nil, err
			}
			v, err := parseInterval(argText(in[1]))
			if err != nil {
				return nil, errInternal
			}
			if v, err = v.truncate(unit); err != nil {
				return nil, err
			}
			return v.String(), nil
		}},
		{name: "pg_date_bin", args: 3, run: dateBin},
		{name: "pg_extract", args: 3, run: func(in []driver.Value) (driver.Value, error) {
			unit, err := unitOf(in[0])
			if err != nil {
				return nil, err
			}
			d, err := extractFrom(unit, argText(in[1]), argText(in[2]))
			if err != nil {
				return nil, err
			}
			return d.String(), nil
		}},
		{name: "pg_age", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			a, err1 := readTimestamp(argText(in[0]))
			b, err2 := readTimestamp(argText(in[1]))
			if err1 != nil || err2 != nil {
				return nil, errInternal
			}
			return age(a, b).String(), nil
		}},
		{name: "pg_to_char_time", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			t, err := readTimestamp(argText(in[0]))
			if err != nil {
				return nil, err
			}
			return formatTimeAs(t, argText(in[1]))
		}},
		{name: "pg_to_char_num", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			d, err := numberOf(in[0])
			if err != nil {
				return nil, err
			}
			return formatNumber(d, argText(in[1]))
		}},
		{name: "pg_to_date", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			t, err := parseTimeAs(argText(in[0]), argText(in[1]))
			if err != nil {
				return nil, err
			}
			return formatDate(t), nil
		}},
		{name: "pg_to_timestamp", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			t, err := parseTimeAs(argText(in[0]), argText(in[1]))
			if err != nil {
				return nil, err
			}
			return formatTimestamp(t), nil
		}},
		{name: "pg_from_epoch", args: 1, run: func(in []driver.Value) (driver.Value, error) {
			f, err := floatOf(in[0])
			if err != nil || math.Abs(f) > 1e12 {
				return nil, errDateRange
			}
			t, err := checkRange(time.UnixMicro(int64(math.RoundToEven(f * 1e6))).UTC())
			if err != nil {
				return nil, err
			}
			return formatTimestamp(t), nil
		}},
		{name: "pg_make_date", args: 3, run: func(in []driver.Value) (driver.Value, error) {
			t, err := makeDate(int(argInt(in[0])), int(argInt(in[1])), int(argInt(in[2])))
			if err != nil {
				return nil, err
			}
			return formatDate(t), nil
		}},
		{name: "pg_make_timestamp", args: 6, run: func(in []driver.Value) (driver.Value, error) {
			t, err := makeDate(int(argInt(in[0])), int(argInt(in[1])), int(argInt(in[2])))
			if err != nil {
				return nil, err
			}
			sec, err := floatOf(in[5])
			h, m := argInt(in[3]), argInt(in[4])
			if err != nil || h < 0 || h > 23 || m < 0 || m > 59 || sec < 0 || sec >= 60 {
				return nil, errDateRange
			}
			t = t.Add(time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(math.RoundToEven(sec*1e6))*time.Microsecond)
			return formatTimestamp(t), nil
		}},
		{name: "pg_justify", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			v, err := parseInterval(argText(in[1]))
			if err != nil {
				return nil, errInternal
			}
			what := argText(in[0])
			return v.justify(what != "days", what != "hours").String(), nil
		}},
		{name: "pg_overlaps", args: 4, nulls: true, run: overlaps},
	}
}

func extractFrom(unit, typ, s string) (decimal, error) {
	if typ == "interval" {
		v, err := parseInterval(s)
		if err != nil {
			return decimal{}, errInternal
		}
		return v.extract(unit)
	}
	read := readTimestamp
	if typ == "time" {
		read = readTime
	}
	t, err := read(s)
	if err != nil {
		return decimal{}, err
	}
	return extract(unit, typ, t)
}

// timeArithmetic is an operator on dates, times and intervals: what it is, the
// operands, and what is the type of the result.
func timeArithmetic(in []driver.Value) (driver.Value, error) {
	op, typ := argText(in[0]), argText(in[3])
	a, b := in[1], in[2]
	moment := func(t time.Time, err error) (driver.Value, error) {
		switch {
		case err != nil:
			return nil, err
		case typ == "date":
			return formatDate(t), nil
		case typ == "time":
			return formatTime(t), nil
		}
		return formatTimestamp(t), nil
	}
	length := func(v interval, err error) (driver.Value, error) {
		if err == nil {
			err = v.check()
		}
		if err != nil {
			return nil, err
		}
		return v.String(), nil
	}
	switch op {
	case "date+int":
		t, err := readTimestamp(argText(a))
		if err != nil {
			return nil, err
		}
		return moment(addInterval(t, interval{days: argInt(b)}))
	case "date-date", "timestamp-timestamp":
		x, err1 := readTimestamp(argText(a))
		y, err2 := readTimestamp(argText(b))
		if err1 != nil || err2 != nil {
			return nil, errInternal
		}
		if op == "date-date" {
			return subtract(x, y).days, nil
		}
		return length(subtract(x, y), nil)
	case "timestamp+time":
		x, err1 := readTimestamp(argText(a))
		y, err2 := readTime(argText(b))
		if err1 != nil || err2 != nil {
			return nil, errInternal
		}
		return moment(x.Add(time.Duration(clockMicros(y))*time.Microsecond), nil)
	}
	if op == "interval*" || op == "interval/" {
		v, err := parseInterval(argText(a))
		if err != nil {
			return nil, errInternal
		}
		f, err := floatOf(b)
		if err != nil {
			return nil, err
		}
		if op == "interval*" {
			return length(v.mul(f))
		}
		return length(v.div(f))
	}
	w, err := parseInterval(argText(b))
	if err != nil {
		return nil, errInternal
	}
	switch op {
	case "timestamp+interval", "timestamp-interval":
		t, err := readTimestamp(argText(a))
		if err != nil {
			return nil, err
		}
		if op == "timestamp-interval" {
			w = w.neg()
		}
		return moment(addInterval(t, w))
	case "time+interval", "time-interval":
		t, err := readTime(argText(a))
		if err != nil {
			return nil, err
		}
		micros := w.micros % dayMicros
		if op == "time-interval" {
			micros = -micros
		}
		micros = ((clockMicros(t)+micros)%dayMicros + dayMicros) % dayMicros
		return moment(time.UnixMicro(micros).UTC(), nil)
	case "interval+interval", "interval-interval":
		v, err := parseInterval(argText(a))
		if err != nil {
			return nil, errInternal
		}
		if op == "interval-interval" {
			w = w.neg()
		}
		return length(v.add(w), nil)
	}
	return nil, errInternal
}

// dateBin is date_bin: the begin of the part of time, counted from origin,
// that holds a timestamp.
func dateBin(in []driver.Value) (driver.Value, error) {
	stride, err := parseInterval(argText(in[0]))
	if err != nil {
		return nil, errInternal
	}
	if stride.months != 0 {
		return nil, errField
	}
	step := stride.days*dayMicros + stride.micros
	if step <= 0 {
		return nil, errParameter
	}
	t, err1 := readTimestamp(argText(in[1]))
	origin, err2 := readTimestamp(argText(in[2]))
	if err1 != nil || err2 != nil {
		return nil, errInternal
	}
	diff := unixMicros(t) - unixMicros(origin)
	n := diff / step
	if diff%step < 0 {
		n--
	}
	r, err := checkRange(time.UnixMicro(unixMicros(origin) + n*step).UTC())
	if err != nil {
		return nil, err
	}
	return formatTimestamp(r), nil
}

// overlaps tells whether two periods, each of two ends in any order, have a
// time in common. Ends that are NULL make the result unknown unless the others
// decide it.
func overlaps(in []driver.Value) (driver.Value, error) {
	text := func(i int) (string, bool) { return argText(in[i]), in[i] != nil }
	order := func(i int) (from, to string, okFrom, okTo bool) {
		a, okA := text(i)
		b, okB := text(i + 1)
		switch {
		case !okA:
			return b, "", okB, false
		case !okB:
			return a, "", okA, false
		case a > b:
			a, b = b, a
		}
		return a, b, true, true
	}
	s1, e1, ok1, end1 := order(0)
	s2, e2, ok2, end2 := order(2)
	if !ok1 || !ok2 {
		return nil, nil
	}
	switch {
	case s1 > s2:
		if !end2 {
			return nil, nil
		}
		if s1 < e2 {
			return int64(1), nil
		}
		if !end1 {
			return nil, nil
		}
		return int64(0), nil
	case s1 < s2:
		if !end1 {
			return nil, nil
		}
		if s2 < e1 {
			return int64(1), nil
		}
		if !end2 {
			return nil, nil
		}
		return int64(0), nil
	}
	if !end1 || !end2 {
		return nil, nil
	}
	return int64(1), nil
}
