package sqlite

import (
	"database/sql/driver"
	"math"
	"strings"
	"time"
)

// timeFunctions are those on dates, timestamps and intervals. Their arguments have
// the form in which rendered statements keep such values.
func timeFunctions() []scalar {
	return []scalar{
		{name: "pg_date_add", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			t, err := readTimestamp(argText(in[0]))
			if err != nil {
				return nil, err
			}
			if t, err = addInterval(t, interval{days: argInt(in[1])}); err != nil {
				return nil, err
			}
			return formatDate(t), nil
		}},
		{name: "pg_days_between", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			v, err := between(in)
			return v.days, err
		}},
		{name: "pg_time_between", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			v, err := between(in)
			return v.String(), err
		}},
		// pg_timestamp_add(timestamp, interval, 1 or -1)
		{name: "pg_timestamp_add", args: 3, run: func(in []driver.Value) (driver.Value, error) {
			t, err1 := readTimestamp(argText(in[0]))
			v, err2 := parseInterval(argText(in[1]))
			if err1 != nil || err2 != nil {
				return nil, errInternal
			}
			t, err := addInterval(t, v.times(argInt(in[2])))
			if err != nil {
				return nil, err
			}
			return formatTimestamp(t), nil
		}},
		{name: "pg_interval_times", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			v, err := parseInterval(argText(in[0]))
			if err != nil {
				return nil, errInternal
			}
			n := argInt(in[1])
			if math.Abs(float64(n)*float64(v.micros)) > math.MaxInt64/2 {
				return nil, errDateRange
			}
			v = v.times(n)
			return v.String(), v.check()
		}},
		{name: "pg_date_trunc", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			t, err := readTimestamp(argText(in[1]))
			if err != nil {
				return nil, err
			}
			if t, err = truncate(unitNames[strings.ToLower(argText(in[0]))], t); err != nil {
				return nil, err
			}
			return formatTimestamp(t), nil
		}},
		// pg_extract(field, type, value)
		{name: "pg_extract", args: 3, run: func(in []driver.Value) (driver.Value, error) {
			field, typ := unitNames[strings.ToLower(argText(in[0]))], argText(in[1])
			var d decimal
			var err error
			if typ == "interval" {
				d, err = intervalField(field, argText(in[2]))
			} else {
				d, err = timeField(field, typ, argText(in[2]))
			}
			if err != nil {
				return nil, err
			}
			return d.String(), nil
		}},
		{name: "pg_to_char_time", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			t, err := readTimestamp(argText(in[0]))
			if err != nil {
				return nil, err
			}
			return formatTimeAs(t, argText(in[1]))
		}},
	}
}

// between is the time from the second to the first of two timestamps.
func between(in []driver.Value) (interval, error) {
	var at [2]time.Time
	for i := range at {
		var err error
		if at[i], err = readTimestamp(argText(in[i])); err != nil {
			return interval{}, err
		}
	}
	return subtract(at[0], at[1]), nil
}
