package sqlite

import (
	"database/sql/driver"
	"math"
	"math/big"
)

func numberFunctions() []scalar {
	numeric := func(name string, run func(d decimal) decimal) scalar {
		return scalar{name: name, args: 1, run: func(in []driver.Value) (driver.Value, error) {
			d, err := numberOf(in[0])
			if err != nil {
				return nil, err
			}
			return applyNumericMod(run(d), -1)
		}}
	}
	digits := func(name string, run func(d decimal, n int) decimal) scalar {
		return scalar{name: name, args: 2, run: func(in []driver.Value) (driver.Value, error) {
			d, err := numberOf(in[0])
			if err != nil {
				return nil, err
			}
			return run(d, int(max(min(argInt(in[1]), maxScale), -2*maxDigits))).String(), nil
		}}
	}
	float := func(name string, run func(float64) (float64, error)) scalar {
		return scalar{name: name, args: 1, run: func(in []driver.Value) (driver.Value, error) {
			f, err := floatOf(in[0])
			if err != nil {
				return nil, err
			}
			if f, err = run(f); err != nil {
				return nil, err
			}
			return finite(f)
		}}
	}
	plainFloat := func(name string, run func(float64) float64) scalar {
		return float(name, func(f float64) (float64, error) { return run(f), nil })
	}
	return []scalar{
		{name: "pg_arith", args: 4, run: arithmetic},
		{name: "pg_power", args: 2, run: power},
		numeric("pg_abs_num", func(d decimal) decimal { return decimal{new(big.Int).Abs(d.coef), d.scale} }),
		numeric("pg_neg_num", decimal.neg),
		numeric("pg_ceil_num", decimal.ceil),
		numeric("pg_floor_num", decimal.floor),
		digits("pg_round_num", decimal.round),
		digits("pg_trunc_num", decimal.trunc),
		plainFloat("pg_rint", math.RoundToEven),
		plainFloat("pg_trunc", math.Trunc),
		plainFloat("pg_ceil", math.Ceil),
		plainFloat("pg_floor", math.Floor),
		float("pg_sqrt", func(f float64) (float64, error) {
			if f < 0 {
				return 0, errRoot
			}
			return math.Sqrt(f), nil
		}),
		float("pg_ln", func(f float64) (float64, error) {
			if f <= 0 {
				return 0, errLogarithm
			}
			return math.Log(f), nil
		}),
	}
}

func power(in []driver.Value) (driver.Value, error) {
	x, err1 := floatOf(in[0])
	y, err2 := floatOf(in[1])
	switch {
	case err1 != nil || err2 != nil:
		return nil, errInternal
	case x == 0 && y < 0 || x < 0 && y != math.Trunc(y):
		return nil, errPower
	}
	return finite(math.Pow(x, y))
}

// arithmetic is an operator on two values of one numeric type: the operator,
// the type, the operands.
func arithmetic(in []driver.Value) (driver.Value, error) {
	op, typ := argText(in[0]), argText(in[1])
	if op == "/" || op == "%" {
		if d, err := numberOf(in[3]); err == nil && d.coef.Sign() == 0 {
			return nil, errDivision
		}
	}
	switch {
	case isInt(typ):
		return intArithmetic(op, typ, argInt(in[2]), argInt(in[3]))
	case isFloat(typ):
		return floatArithmetic(op, in[2], in[3])
	}
	return decimalArithmetic(op, in[2], in[3])
}

func intArithmetic(op, typ string, x, y int64) (driver.Value, error) {
	a, b := big.NewInt(x), big.NewInt(y)
	switch op {
	case "+":
		a.Add(a, b)
	case "-":
		a.Sub(a, b)
	case "*":
		a.Mul(a, b)
	case "/":
		a.Quo(a, b)
	case "%":
		a.Rem(a, b)
	}
	if !a.IsInt64() {
		return nil, errNumberRange
	}
	return checkInt(typ, a.Int64())
}

func floatArithmetic(op string, a, b driver.Value) (driver.Value, error) {
	x, err1 := floatOf(a)
	y, err2 := floatOf(b)
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
	}
	return finite(x)
}

func decimalArithmetic(op string, a, b driver.Value) (driver.Value, error) {
	x, err1 := numberOf(a)
	y, err2 := numberOf(b)
	if err1 != nil || err2 != nil {
		return nil, errInternal
	}
	switch op {
	case "+":
		x = x.add(y)
	case "-":
		x = x.sub(y)
	case "*":
		x = x.mul(y)
	case "/":
		x = x.div(y)
	case "%":
		x = x.mod(y)
	}
	return applyNumericMod(x, -1)
}
