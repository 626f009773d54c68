package sqlite

import (
	"database/sql/driver"
	"math/big"
	"slices"
	"strings"

	sqlitedriver "modernc.org/sqlite"
)

// aggregate is the Go side of an aggregate function.
type aggregate struct {
	name string
	args int32
	make func() sqlitedriver.AggregateFunction
}

// folding is an aggregate that takes rows in and, in windows, out again.
type folding struct {
	step  func(args []driver.Value, sign int64) error
	value func() (driver.Value, error)
}

func (f *folding) Step(_ *sqlitedriver.FunctionContext, args []driver.Value) error {
	return f.step(args, 1)
}

func (f *folding) WindowInverse(_ *sqlitedriver.FunctionContext, args []driver.Value) error {
	return f.step(args, -1)
}

func (f *folding) WindowValue(*sqlitedriver.FunctionContext) (driver.Value, error) { return f.value() }

func (f *folding) Final(*sqlitedriver.FunctionContext) {}

// listing is an aggregate over the list of all rows.
type listing struct {
	rows  [][]driver.Value
	size  int
	value func(rows [][]driver.Value) (driver.Value, error)
}

func (l *listing) Step(_ *sqlitedriver.FunctionContext, args []driver.Value) error {
	for _, v := range args {
		if s, ok := v.(string); ok {
			l.size += len(s)
		}
		l.size += 16
	}
	if l.size > 4*maxText {
		return errMemory
	}
	l.rows = append(l.rows, slices.Clone(args))
	return nil
}

func (l *listing) WindowInverse(*sqlitedriver.FunctionContext, []driver.Value) error {
	if len(l.rows) > 0 {
		l.rows = l.rows[1:] // windows lose their rows in the order they got them
	}
	return nil
}

func (l *listing) WindowValue(*sqlitedriver.FunctionContext) (driver.Value, error) {
	return l.value(l.rows)
}

func (l *listing) Final(*sqlitedriver.FunctionContext) { l.rows = nil }

func aggregates() []aggregate {
	list := func(name string, args int32, value func(rows [][]driver.Value) (driver.Value, error)) aggregate {
		return aggregate{name, args, func() sqlitedriver.AggregateFunction { return &listing{value: value} }}
	}
	return []aggregate{
		{"pg_sum_int", 1, sumInt},
		{"pg_sum_num", 1, sumNumeric(false)},
		{"pg_avg_num", 1, sumNumeric(true)},
		{"pg_sum_float", 1, sumFloat(false)},
		{"pg_avg_float", 1, sumFloat(true)},
		list("pg_single", 1, func(rows [][]driver.Value) (driver.Value, error) {
			switch len(rows) {
			case 0:
				return nil, nil
			case 1:
				return rows[0][0], nil
			}
			return nil, errSeveralRows
		}),
		list("pg_string_agg", 2, func(rows [][]driver.Value) (driver.Value, error) { return joinRows(rows, false) }),
		list("pg_string_agg_distinct", 2, func(rows [][]driver.Value) (driver.Value, error) { return joinRows(rows, true) }),
	}
}

func sumInt() sqlitedriver.AggregateFunction {
	sum, n := new(big.Int), int64(0)
	return &folding{
		step: func(args []driver.Value, sign int64) error {
			if v, ok := args[0].(int64); ok {
				sum.Add(sum, new(big.Int).Mul(big.NewInt(v), big.NewInt(sign)))
				n += sign
			}
			return nil
		},
		value: func() (driver.Value, error) {
			if n == 0 {
				return nil, nil
			}
			if !sum.IsInt64() {
				return nil, errNumberRange
			}
			return sum.Int64(), nil
		},
	}
}

// sumNumeric adds numbers exactly. The sum shows as many digits as the longest
// of those in it.
func sumNumeric(average bool) func() sqlitedriver.AggregateFunction {
	return func() sqlitedriver.AggregateFunction {
		sum, n := decimal{new(big.Int), 0}, int64(0)
		scales := map[int]int64{}
		return &folding{
			step: func(args []driver.Value, sign int64) error {
				if args[0] == nil {
					return nil
				}
				d, err := numberOf(args[0])
				if err != nil {
					return err
				}
				scales[d.scale] += sign
				if sign < 0 {
					d = d.neg()
				}
				sum = sum.add(d)
				n += sign
				return nil
			},
			value: func() (driver.Value, error) {
				if n == 0 {
					return nil, nil
				}
				scale := 0
				for s, count := range scales {
					if count > 0 {
						scale = max(scale, s)
					}
				}
				total := sum.round(scale)
				if !average {
					return total.String(), nil
				}
				return total.div(decimalOf(n)).String(), nil
			},
		}
	}
}

func sumFloat(average bool) func() sqlitedriver.AggregateFunction {
	return func() sqlitedriver.AggregateFunction {
		return &listing{value: func(rows [][]driver.Value) (driver.Value, error) {
			sum, n := 0.0, 0
			for _, r := range rows {
				if r[0] == nil {
					continue
				}
				f, err := floatOf(r[0])
				if err != nil {
					return nil, err
				}
				sum += f
				n++
			}
			if n == 0 {
				return nil, nil
			}
			if average {
				sum /= float64(n)
			}
			return finite(sum)
		}}
	}
}

// joinRows is string_agg: values and the separator before each.
func joinRows(rows [][]driver.Value, distinct bool) (driver.Value, error) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r []driver.Value) bool { return r[0] == nil })
	if len(rows) == 0 {
		return nil, nil
	}
	if distinct {
		slices.SortStableFunc(rows, func(a, b []driver.Value) int { return strings.Compare(argText(a[0]), argText(b[0])) })
		rows = slices.CompactFunc(rows, func(a, b []driver.Value) bool { return argText(a[0]) == argText(b[0]) })
	}
	var b strings.Builder
	for i, r := range rows {
		if i > 0 && r[1] != nil {
			b.WriteString(argText(r[1]))
		}
		b.WriteString(argText(r[0]))
		if b.Len() > maxText {
			return nil, errMemory
		}
	}
	return b.String(), nil
}
