package sqlite

import (
	"cmp"
	"database/sql/driver"
	"strconv"
	"strings"
)

func valueFunctions() []scalar {
	return []scalar{
		// pg_stored(type, value) reads a base table's column.
		{name: "pg_stored", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			return stored(argText(in[0]), in[1])
		}},
		// pg_cast(from, to, modifier, value)
		{name: "pg_cast", args: 4, run: func(in []driver.Value) (driver.Value, error) {
			return convert(argText(in[0]), argText(in[1]), int(argInt(in[2])), in[3])
		}},
		// pg_series(from, to) is generate_series as a list.
		{name: "pg_series", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			from, to := argInt(in[0]), argInt(in[1])
			if from <= to && uint64(to)-uint64(from) >= maxElements { //nolint:gosec // the difference of two's complements
				return nil, errMemory
			}
			list := []byte{'['}
			for n := from; n <= to; n++ {
				if n > from {
					list = append(list, ',')
				}
				list = strconv.AppendInt(list, n, 10)
			}
			return string(append(list, ']')), nil
		}},
		// pg_limit(value, "offset" or "limit")
		{name: "pg_limit", args: 2, nulls: true, run: func(in []driver.Value) (driver.Value, error) {
			return limit(in[0], argText(in[1]) == "offset")
		}},
		// pg_extreme(1 for the greatest and -1 for the least, type, values…)
		{name: "pg_extreme", args: -1, nulls: true, run: func(in []driver.Value) (driver.Value, error) {
			return greatest(int(argInt(in[0])), argText(in[1]), in[2:]), nil
		}},
	}
}

// compareValues orders two values of a type that are not NULL.
func compareValues(typ string, a, b driver.Value) int {
	switch {
	case isInt(typ), typ == "bool":
		return cmp.Compare(argInt(a), argInt(b))
	case isFloat(typ):
		x, _ := floatOf(a)
		y, _ := floatOf(b)
		return cmp.Compare(x, y)
	case typ == "numeric":
		return compareNumbers(asText(a), asText(b))
	case typ == "interval":
		return compareIntervals(asText(a), asText(b))
	case typ == "bpchar":
		return strings.Compare(strings.TrimRight(asText(a), " "), strings.TrimRight(asText(b), " "))
	}
	return strings.Compare(asText(a), asText(b))
}

// greatest is the greatest of values that are not NULL, or the least with sign -1.
func greatest(sign int, typ string, values []driver.Value) driver.Value {
	var best driver.Value
	for _, v := range values {
		if v != nil && (best == nil || sign*compareValues(typ, v, best) > 0) {
			best = v
		}
	}
	return best
}

// limit is what LIMIT and OFFSET take for a value.
func limit(v driver.Value, offset bool) (driver.Value, error) {
	switch {
	case v == nil && offset:
		return int64(0), nil
	case v == nil:
		return int64(-1), nil
	case argInt(v) >= 0:
		return v, nil
	case offset:
		return nil, errOffset
	}
	return nil, errLimit
}
