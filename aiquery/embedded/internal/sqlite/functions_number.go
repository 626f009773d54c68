package sqlite

import (
	"database/sql/driver"
	"math"
	"math/big"
)

func numberFunctions() []scalar {
	numeric := func(name string, args int32, run func(d []decimal) (decimal, error)) scalar {
		return scalar{name: name, args: args, run: func(in []driver.Value) (driver.Value, error) {
			d, err := decimalsOf(in)
			if err != nil {
				return nil, err
			}
			r, err := run(d)
			if err != nil {
				return nil, err
			}
			return applyNumericMod(r, -1)
		}}
	}
	float := func(name string, run func(float64) (float64, error)) scalar {
		return scalar{name: name, args: 1, run: func(in []driver.Value) (driver.Value, error) {
			f, err := floatOf(in[0])
			if err != nil {
				return nil, err
			}
			r, err := run(f)
			if err != nil {
				return nil, err
			}
			return narrowFloat("float8", r)
		}}
	}
	positive := func(f func(float64) float64) func(float64) (float64, error) {
		return func(x float64) (float64, error) {
			if x <= 0 {
				return 0, errLogarithm
			}
			return f(x), nil
		}
	}
	return []scalar{
		{name: "pg_arith", args: 4, run: arithmetic},
		numeric("pg_abs_num", 1, func(d []decimal) (decimal, error) {
			return decimal{new(big.Int).Abs(d[0].coef), d[0].scale}, nil
		}),
		numeric("pg_neg_num", 1, func(d []decimal) (decimal, error) { return d[0].neg(), nil }),
		numeric("pg_ceil_num", 1, func(d []decimal) (decimal, error) { return d[0].ceil(), nil }),
		numeric("pg_floor_num", 1, func(d []decimal) (decimal, error) { return d[0].floor(), nil }),
		numeric("pg_sign_num", 1, func(d []decimal) (decimal, error) { return decimalOf(int64(d[0].coef.Sign())), nil }),
		numeric("pg_div_num", 2, func(d []decimal) (decimal, error) { return d[0].quo(d[1]) }),
		numeric("pg_sqrt_num", 1, func(d []decimal) (decimal, error) { return d[0].sqrt() }),
		{name: "pg_round_num", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			d, err := numberOf(in[0])
			if err != nil {
				return nil, err
			}
			return d.round(int(max(min(argInt(in[1]), maxScale), -2*maxDigits))).String(), nil
		}},
		{name: "pg_trunc_num", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			d, err := numberOf(in[0])
			if err != nil {
				return nil, err
			}
			return d.trunc(int(max(min(argInt(in[1]), maxScale), -2*maxDigits))).String(), nil
		}},
		{name: "pg_width_bucket", args: 4, run: widthBucket},
		float("pg_rint", func(f float64) (float64, error) { return math.RoundToEven(f), nil }),
		float("pg_trunc", func(f float64) (float64, error) { return math.Trunc(f), nil }),
		float("pg_ceil", func(f float64) (float64, error) { return math.Ceil(f), nil }),
		float("pg_floor", func(f float64) (float64, error) { return math.Floor(f), nil }),
		float("pg_exp", func(f float64) (float64, error) { return math.Exp(f), nil }),
		float("pg_ln", positive(math.Log)),
		float("pg_log", positive(math.Log10)),
		float("pg_degrees", func(f float64) (float64, error) { return f / math.Pi * 180, nil }),
		float("pg_radians", func(f float64) (float64, error) { return f * math.Pi / 180, nil }),
		float("pg_sign", func(f float64) (float64, error) {
			switch {
			case f > 0:
				return 1, nil
			case f < 0:
				return -1, nil
			}
			return 0, nil
		}),
		float("pg_sqrt", func(f float64) (float64, error) {
			if f < 0 {
				return 0, errRoot
			}
			return math.Sqrt(f), nil
		}),
		{name: "pg_power", args: 2, run: func(in []driver.Value) (driver.Value, error) {
			x, err1 := floatOf(in[0])
			y, err2 := floatOf(in[1])
			if err1 != nil || err2 != nil {
				return nil, errInternal
			}
			if x == 0 && y < 0 || x < 0 && y != math.Trunc(y) {
				return nil, errPower
			}
			return narrowFloat("float8", math.Pow(x, y))
		}},
	}
}

func decimalsOf(in []driver.Value) ([]decimal, error) {
	d := make([]decimal, len(in))
	for i, v := range in {
		var err error
		if d[i], err = numberOf(v); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// arithmetic is an operator on two values of one numeric type: the operator,
// the type, the operands.
func arithmetic(in []driver.Value) (driver.Value, error) {
	op, typ := argText(in[0]), argText(in[1])
	switch typ {
	case "int2", "int4", "int8":
		return intArithmetic(op, typ, argInt(in[2]), argInt(in[3]))
	case "float4", "float8":
		x, err1 := floatOf(in[2])
		y, err2 := floatOf(in[3])
		if err1 != nil || err2 != nil {
			return nil, errInternal
		}
		switch op {
		case "+":
			x += y
		case "-":
			x -= y
		case "*":
			x *= y
		case "/":
			if y == 0 {
				return nil, errDivision
			}
			x /= y
		case "^":
			if x == 0 && y < 0 || x < 0 && y != math.Trunc(y) {
				return nil, errPower
			}
			x = math.Pow(x, y)
		default:
			return nil, errInternal
		}
		return narrowFloat(typ, x)
	}
	d, err := decimalsOf(in[2:])
	if err != nil {
		return nil, err
	}
	var r decimal
	switch op {
	case "+":
		r = d[0].add(d[1])
	case "-":
		r = d[0].sub(d[1])
	case "*":
		r = d[0].mul(d[1])
	case "/":
		r, err = d[0].div(d[1])
	case "%":
		r, err = d[0].mod(d[1])
	default:
		return nil, errInternal
	}
	if err != nil {
		return nil, err
	}
	return applyNumericMod(r, -1)
}

func intArithmetic(op, typ string, x, y int64) (driver.Value, error) {
	switch op {
	case "+":
		if y > 0 && x > math.MaxInt64-y || y < 0 && x < math.MinInt64-y {
			return nil, errNumberRange
		}
		return checkInt(typ, x+y)
	case "-":
		if y < 0 && x > math.MaxInt64+y || y > 0 && x < math.MinInt64+y {
			return nil, errNumberRange
		}
		return checkInt(typ, x-y)
	case "*":
		if x != 0 && ((x*y)/x != y || x == -1 && y == math.MinInt64) {
			return nil, errNumberRange
		}
		return checkInt(typ, x*y)
	case "/":
		if y == 0 {
			return nil, errDivision
		}
		if y == -1 {
			if x == math.MinInt64 {
				return nil, errNumberRange
			}
			return checkInt(typ, -x)
		}
		return checkInt(typ, x/y)
	case "%":
		if y == 0 {
			return nil, errDivision
		}
		if y == -1 {
			return int64(0), nil
		}
		return x % y, nil
	case "&":
		return x & y, nil
	case "|":
		return x | y, nil
	case "#":
		return x ^ y, nil
	}
	return nil, errInternal
}

// widthBucket tells in which of count equal parts from low to high a number
// lies.
func widthBucket(in []driver.Value) (driver.Value, error) {
	d, err := decimalsOf(in[:3])
	if err != nil {
		return nil, err
	}
	x, low, high := d[0], d[1], d[2]
	count := argInt(in[3])
	if count <= 0 || low.cmp(high) == 0 {
		return nil, errParameter
	}
	if low.cmp(high) > 0 {
		x, low, high = x.neg(), low.neg(), high.neg()
	}
	switch {
	case x.cmp(low) < 0:
		return int64(0), nil
	case x.cmp(high) >= 0:
		return checkInt("int4", count+1)
	}
	part, err := x.sub(low).mul(decimalOf(count)).quo(high.sub(low))
	if err != nil {
		return nil, err
	}
	n, err := part.int64()
	return n + 1, err
}
