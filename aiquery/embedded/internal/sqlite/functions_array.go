package sqlite

import (
	"database/sql/driver"
	"strings"
)

func textArray(parts []string) (driver.Value, error) {
	if len(parts) > maxElements {
		return nil, errMemory
	}
	items := make([]any, len(parts))
	for i, p := range parts {
		items[i] = p
	}
	return arrayOf(items)
}

func arrayFunctions() []scalar {
	return []scalar{
		// pg_array(values…) puts elements together.
		{name: "pg_array", args: -1, nulls: true, run: func(in []driver.Value) (driver.Value, error) {
			items := make([]any, len(in))
			for i, v := range in {
				items[i] = v
			}
			return arrayOf(items)
		}},
		{name: "pg_cardinality", args: 1, run: func(in []driver.Value) (driver.Value, error) {
			items, err := arrayItems(argText(in[0]))
			return int64(len(items)), err
		}},
		{name: "pg_array_length", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			items, err := arrayItems(argText(in[0]))
			if err != nil || len(items) == 0 || argInt(in[1]) != 1 {
				return nil, err
			}
			return int64(len(items)), nil
		}},
		{name: "pg_element", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			items, err := arrayItems(argText(in[0]))
			if i := argInt(in[1]); err == nil && i >= 1 && i <= int64(len(items)) {
				return items[i-1], nil
			}
			return nil, err
		}},
		{name: "pg_string_to_array", args: 2, nulls: true, run: func(in []driver.Value) (driver.Value, error) {
			if in[0] == nil {
				return nil, nil
			}
			s := argText(in[0])
			switch {
			case s == "":
				return "[]", nil
			case in[1] == nil:
				return textArray(strings.Split(s, ""))
			case argText(in[1]) == "":
				return textArray([]string{s})
			}
			return textArray(strings.Split(s, argText(in[1])))
		}},
		// pg_array_to_string(array, separator, element type, text for NULL or NULL)
		{name: "pg_array_to_string", args: 4, nulls: true, run: func(in []driver.Value) (driver.Value, error) {
			if in[0] == nil || in[1] == nil {
				return nil, nil
			}
			items, err := arrayItems(argText(in[0]))
			if err != nil {
				return nil, err
			}
			var parts []string
			for _, item := range items {
				text, ok := Text(argText(in[2]), item)
				if !ok {
					if in[3] == nil {
						continue
					}
					text = argText(in[3])
				}
				parts = append(parts, text)
			}
			return strings.Join(parts, argText(in[1])), nil
		}},
		// pg_series(type, from, to, step) is generate_series as a list.
		{name: "pg_series", args: 4, run: series},
	}
}

func series(in []driver.Value) (driver.Value, error) {
	var items []any
	add := func(v any) error {
		if len(items) >= maxElements {
			return errMemory
		}
		items = append(items, v)
		return nil
	}
	switch typ := argText(in[0]); typ {
	case "int4", "int8":
		from, to, step := argInt(in[1]), argInt(in[2]), argInt(in[3])
		if step == 0 {
			return nil, errStepZero
		}
		for n := from; step > 0 && n <= to || step < 0 && n >= to; n += step {
			if err := add(n); err != nil {
				return nil, err
			}
			if step > 0 && n > to-step || step < 0 && n < to-step {
				break
			}
		}
	case "numeric":
		d, err := decimalsOf(in[1:])
		if err != nil {
			return nil, err
		}
		sign := d[2].coef.Sign()
		if sign == 0 {
			return nil, errStepZero
		}
		for n := d[0]; n.cmp(d[1])*sign <= 0; n = n.add(d[2]) {
			if err := add(n.String()); err != nil {
				return nil, err
			}
		}
	default:
		t, err1 := readTimestamp(argText(in[1]))
		to, err2 := readTimestamp(argText(in[2]))
		step, err3 := parseInterval(argText(in[3]))
		if err1 != nil || err2 != nil || err3 != nil {
			return nil, errInternal
		}
		sign := step.cmp(interval{})
		if sign == 0 {
			return nil, errStepZero
		}
		for t.Compare(to)*sign <= 0 {
			if err := add(formatTimestamp(t)); err != nil {
				return nil, err
			}
			var err error
			if t, err = addInterval(t, step); err != nil {
				return nil, err
			}
		}
	}
	return arrayOf(items)
}
