package sqlite

import (
	"database/sql/driver"
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
			from, to := argText(in[0]), argText(in[1])
			elemFrom, isArray := strings.CutSuffix(from, "[]")
			elemTo, toArray := strings.CutSuffix(to, "[]")
			if !isArray || !toArray {
				return convert(from, to, int(argInt(in[2])), in[3])
			}
			items, err := arrayItems(argText(in[3]))
			if err != nil {
				return nil, err
			}
			for i, item := range items {
				if items[i], err = convert(elemFrom, elemTo, int(argInt(in[2])), item); err != nil {
					return nil, err
				}
			}
			return arrayOf(items)
		}},
		// pg_limit(value, "offset" or "limit")
		{name: "pg_limit", args: 2, nulls: true, run: func(in []driver.Value) (driver.Value, error) {
			offset := argText(in[1]) == "offset"
			switch {
			case in[0] == nil && offset:
				return int64(0), nil
			case in[0] == nil:
				return int64(-1), nil
			case argInt(in[0]) < 0 && offset:
				return nil, errOffset
			case argInt(in[0]) < 0:
				return nil, errLimit
			}
			return in[0], nil
		}},
		// pg_extreme(1 for the greatest and -1 for the least, type, values…)
		{name: "pg_extreme", args: -1, nulls: true, run: func(in []driver.Value) (driver.Value, error) {
			if len(in) < 2 {
				return nil, errInternal
			}
			sign, typ := int(argInt(in[0])), argText(in[1])
			var best driver.Value
			for _, v := range in[2:] {
				if v == nil {
					continue
				}
				if best == nil || sign*compareValues(typ, v, best) > 0 {
					best = v
				}
			}
			return best, nil
		}},
	}
}

// compareValues orders two values of a type that are not NULL.
func compareValues(typ string, a, b driver.Value) int {
	switch typ {
	case "int2", "int4", "int8", "bool":
		x, y := argInt(a), argInt(b)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	case "float4", "float8":
		x, _ := floatOf(a)
		y, _ := floatOf(b)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	case "numeric":
		return compareNumbers(asText(a), asText(b))
	case "interval":
		return compareIntervals(asText(a), asText(b))
	case "bpchar":
		return strings.Compare(strings.TrimRight(asText(a), " "), strings.TrimRight(asText(b), " "))
	}
	return strings.Compare(asText(a), asText(b))
}
