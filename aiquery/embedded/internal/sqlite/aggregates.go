package sqlite

import (
	"database/sql/driver"
	"math"
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
	all := []aggregate{
		{"pg_sum_int", 1, sumInt},
		{"pg_sum_num", 1, sumNumeric(false)},
		{"pg_avg_num", 1, sumNumeric(true)},
		{"pg_sum_float", 1, sumFloat(false)},
		{"pg_avg_float", 1, sumFloat(true)},
		{"pg_sum_interval", 1, sumInterval},
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
		list("pg_array_agg", 1, func(rows [][]driver.Value) (driver.Value, error) {
			if len(rows) == 0 {
				return nil, nil
			}
			items := make([]any, len(rows))
			for i, r := range rows {
				items[i] = r[0]
			}
			return arrayOf(items)
		}),
		list("pg_percentile_cont", 2, percentileCont),
		list("pg_percentile_disc", 3, percentileDisc),
		list("pg_mode", 2, mode),
	}
	for _, sample := range []bool{false, true} {
		for _, root := range []bool{false, true} {
			name := "pg_var"
			if root {
				name = "pg_stddev"
			}
			suffix := "_pop"
			if sample {
				suffix = "_samp"
			}
			all = append(all,
				list(name+suffix+"_num", 1, varianceNumeric(sample, root)),
				list(name+suffix+"_float", 1, varianceFloat(sample, root)))
		}
	}
	return append(all, regressions()...)
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
				q, err := total.div(decimalOf(n))
				if err != nil {
					return nil, err
				}
				return q.String(), nil
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
			return narrowFloat("float8", sum)
		}}
	}
}

func sumInterval() sqlitedriver.AggregateFunction {
	var sum interval
	n := int64(0)
	return &folding{
		step: func(args []driver.Value, sign int64) error {
			if args[0] == nil {
				return nil
			}
			v, err := parseInterval(argText(args[0]))
			if err != nil {
				return errInternal
			}
			if sign < 0 {
				v = v.neg()
			}
			sum = sum.add(v)
			n += sign
			return nil
		},
		value: func() (driver.Value, error) {
			if n == 0 {
				return nil, nil
			}
			return sum.String(), sum.check()
		},
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

// percentileCont takes the fraction and the value of each row.
func percentileCont(rows [][]driver.Value) (driver.Value, error) {
	var values []float64
	fraction := driver.Value(nil)
	for _, r := range rows {
		fraction = r[0]
		if r[1] != nil {
			f, err := floatOf(r[1])
			if err != nil {
				return nil, err
			}
			values = append(values, f)
		}
	}
	if len(values) == 0 || fraction == nil {
		return nil, nil
	}
	p, err := floatOf(fraction)
	if err != nil || p < 0 || p > 1 {
		return nil, errNumberRange
	}
	slices.Sort(values)
	at := p * float64(len(values)-1)
	first, second := int(math.Floor(at)), int(math.Ceil(at))
	low, high := values[first], values[second]
	if first == second {
		return low, nil
	}
	return low + (at-float64(first))*(high-low), nil
}

// percentileDisc takes the fraction, the type and the value of each row.
func percentileDisc(rows [][]driver.Value) (driver.Value, error) {
	var values []driver.Value
	for _, r := range rows {
		if r[2] != nil {
			values = append(values, r[2])
		}
	}
	if len(values) == 0 || rows[0][0] == nil {
		return nil, nil
	}
	p, err := floatOf(rows[0][0])
	if err != nil || p < 0 || p > 1 {
		return nil, errNumberRange
	}
	typ := argText(rows[0][1])
	slices.SortStableFunc(values, func(a, b driver.Value) int { return compareValues(typ, a, b) })
	at := int(math.Ceil(p*float64(len(values)))) - 1
	return values[max(at, 0)], nil
}

// mode is the most frequent value, the smallest of those; it takes the type
// and the value of each row.
func mode(rows [][]driver.Value) (driver.Value, error) {
	var values []driver.Value
	typ := ""
	for _, r := range rows {
		typ = argText(r[0])
		if r[1] != nil {
			values = append(values, r[1])
		}
	}
	slices.SortStableFunc(values, func(a, b driver.Value) int { return compareValues(typ, a, b) })
	var best driver.Value
	bestCount, count := 0, 0
	for i, v := range values {
		if i > 0 && compareValues(typ, v, values[i-1]) == 0 {
			count++
		} else {
			count = 1
		}
		if count > bestCount {
			best, bestCount = v, count
		}
	}
	return best, nil
}

// varianceNumeric follows PostgreSQL's exact computation and its number of
// digits.
func varianceNumeric(sample, root bool) func(rows [][]driver.Value) (driver.Value, error) {
	return func(rows [][]driver.Value) (driver.Value, error) {
		sum, squares, n := decimalOf(0), decimalOf(0), int64(0)
		for _, r := range rows {
			if r[0] == nil {
				continue
			}
			d, err := numberOf(r[0])
			if err != nil {
				return nil, err
			}
			sum, squares = sum.add(d), squares.add(d.mul(d))
			n++
		}
		if n == 0 || sample && n == 1 {
			return nil, nil
		}
		count := decimalOf(n)
		top := count.mul(squares).sub(sum.mul(sum))
		if top.coef.Sign() <= 0 {
			return "0", nil
		}
		under := count.mul(count)
		if sample {
			under = count.mul(decimalOf(n - 1))
		}
		q := top.divTo(under, top.divScale(under))
		if root {
			q = q.sqrtTo(max(q.scale, 0))
		}
		return q.String(), nil
	}
}

func varianceFloat(sample, root bool) func(rows [][]driver.Value) (driver.Value, error) {
	return func(rows [][]driver.Value) (driver.Value, error) {
		// The method of Youngs and Cramer, as in PostgreSQL.
		n, sx, sxx := 0.0, 0.0, 0.0
		for _, r := range rows {
			if r[0] == nil {
				continue
			}
			x, err := floatOf(r[0])
			if err != nil {
				return nil, err
			}
			n++
			sx += x
			if n > 1 {
				t := x*n - sx
				sxx += t * t / (n * (n - 1))
			}
		}
		if n == 0 || sample && n == 1 {
			return nil, nil
		}
		v := sxx / n
		if sample {
			v = sxx / (n - 1)
		}
		if root {
			v = math.Sqrt(v)
		}
		return narrowFloat("float8", v)
	}
}

// regressions are the aggregates over pairs (y, x).
func regressions() []aggregate {
	type sums struct{ n, sx, sxx, sy, syy, sxy float64 }
	make2 := func(name string, value func(s sums) (float64, bool)) aggregate {
		run := func(rows [][]driver.Value) (driver.Value, error) {
			var s sums
			for _, r := range rows {
				if r[0] == nil || r[1] == nil {
					continue
				}
				y, err1 := floatOf(r[0])
				x, err2 := floatOf(r[1])
				if err1 != nil || err2 != nil {
					return nil, errInternal
				}
				s.n++
				s.sx += x
				s.sy += y
				if s.n > 1 {
					tx, ty, scale := x*s.n-s.sx, y*s.n-s.sy, 1/(s.n*(s.n-1))
					s.sxx += tx * tx * scale
					s.syy += ty * ty * scale
					s.sxy += tx * ty * scale
				}
			}
			v, ok := value(s)
			if !ok {
				return nil, nil
			}
			return narrowFloat("float8", v)
		}
		return aggregate{name, 2, func() sqlitedriver.AggregateFunction { return &listing{value: run} }}
	}
	return []aggregate{
		make2("pg_corr", func(s sums) (float64, bool) {
			if s.n < 1 || s.sxx == 0 || s.syy == 0 {
				return 0, false
			}
			return s.sxy / math.Sqrt(s.sxx*s.syy), true
		}),
		make2("pg_covar_pop", func(s sums) (float64, bool) { return s.sxy / s.n, s.n >= 1 }),
		make2("pg_covar_samp", func(s sums) (float64, bool) { return s.sxy / (s.n - 1), s.n >= 2 }),
		make2("pg_regr_slope", func(s sums) (float64, bool) { return s.sxy / s.sxx, s.n >= 1 && s.sxx != 0 }),
		make2("pg_regr_intercept", func(s sums) (float64, bool) {
			return (s.sy - s.sx*s.sxy/s.sxx) / s.n, s.n >= 1 && s.sxx != 0
		}),
		make2("pg_regr_r2", func(s sums) (float64, bool) {
			if s.n < 1 || s.sxx == 0 {
				return 0, false
			}
			if s.syy == 0 {
				return 1, true
			}
			return s.sxy * s.sxy / (s.sxx * s.syy), true
		}),
	}
}
