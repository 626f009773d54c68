package sqlite

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"
)

// decimal is a PostgreSQL numeric: coef / 10^scale. The scale is the number of
// digits shown after the point.
type decimal struct {
	coef  *big.Int
	scale int
}

// maxScale and maxDigits bound what a few characters can require.
const (
	maxScale  = 1000
	maxDigits = 5000
)

var bigTen = big.NewInt(10)

func pow10(n int) *big.Int { return new(big.Int).Exp(bigTen, big.NewInt(int64(n)), nil) }

func decimalOf(n int64) decimal { return decimal{big.NewInt(n), 0} }

// parseDecimal reads PostgreSQL's input form of numeric: blanks around, sign,
// digits, point, exponent. NaN and infinities are out of range here.
func parseDecimal(s string) (decimal, error) {
	s = strings.Trim(s, " \t\n\r\v\f")
	mantissa, exp := s, 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		n, err := strconv.Atoi(s[i+1:])
		if err != nil {
			return decimal{}, numberError(s)
		}
		if n > maxScale || n < -maxScale {
			return decimal{}, errNumberRange
		}
		mantissa, exp = s[:i], n
	}
	neg := false
	if mantissa != "" && (mantissa[0] == '-' || mantissa[0] == '+') {
		neg, mantissa = mantissa[0] == '-', mantissa[1:]
	}
	whole, frac, _ := strings.Cut(mantissa, ".")
	digits := whole + frac
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return decimal{}, numberError(s)
	}
	if len(digits) > maxDigits {
		return decimal{}, errNumberRange
	}
	d := decimal{scale: len(frac) - exp}
	if len(digits) <= 18 {
		n, _ := strconv.ParseInt(digits, 10, 64)
		d.coef = big.NewInt(n)
	} else {
		d.coef, _ = new(big.Int).SetString(digits, 10)
	}
	if neg {
		d.coef.Neg(d.coef)
	}
	if d.scale < 0 {
		d.coef.Mul(d.coef, pow10(-d.scale))
		d.scale = 0
	}
	return d, nil
}

func numberError(s string) error {
	switch strings.ToLower(strings.TrimLeft(s, "+-")) {
	case "nan", "inf", "infinity":
		return errNumberRange
	}
	return errNumber
}

// String writes all digits of the scale.
func (d decimal) String() string {
	s := d.coef.String()
	if d.scale == 0 {
		return s
	}
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	if len(s) <= d.scale {
		s = strings.Repeat("0", d.scale-len(s)+1) + s
	}
	return sign + s[:len(s)-d.scale] + "." + s[len(s)-d.scale:]
}

// rescaled is d with more digits after the point.
func (d decimal) rescaled(scale int) *big.Int {
	if scale == d.scale {
		return d.coef
	}
	return new(big.Int).Mul(d.coef, pow10(scale-d.scale))
}

func (d decimal) add(e decimal) decimal {
	scale := max(d.scale, e.scale)
	return decimal{new(big.Int).Add(d.rescaled(scale), e.rescaled(scale)), scale}
}

func (d decimal) neg() decimal { return decimal{new(big.Int).Neg(d.coef), d.scale} }

func (d decimal) sub(e decimal) decimal { return d.add(e.neg()) }

func (d decimal) mul(e decimal) decimal {
	p := decimal{new(big.Int).Mul(d.coef, e.coef), d.scale + e.scale}
	if p.scale > maxScale {
		return p.round(maxScale)
	}
	return p
}

func (d decimal) cmp(e decimal) int {
	scale := max(d.scale, e.scale)
	return d.rescaled(scale).Cmp(e.rescaled(scale))
}

// weight is the position of the first digit in base 10,000 and that digit, as
// PostgreSQL keeps its numbers; both are 0 for zero.
func (d decimal) weight() (weight int, first int64) {
	if d.coef.Sign() == 0 {
		return 0, 0
	}
	s := strings.TrimPrefix(d.coef.String(), "-")
	n := len(s) - d.scale // decimal digits before the point; may be negative
	weight = (n - 1) / 4
	if n <= 0 {
		weight = -((-n)/4 + 1)
	}
	// The first digit covers the decimal positions 4*weight+3 down to 4*weight.
	take := n - 4*weight
	if len(s) < take {
		s += strings.Repeat("0", take-len(s))
	}
	first, _ = strconv.ParseInt(s[:take], 10, 64)
	return weight, first
}

// divScale is how many digits PostgreSQL gives a quotient: at least 16
// significant ones, and no fewer after the point than the operands have.
func (d decimal) divScale(e decimal) int {
	w1, f1 := d.weight()
	w2, f2 := e.weight()
	q := w1 - w2
	if f1 <= f2 {
		q--
	}
	return min(max(16-q*4, d.scale, e.scale, 0), maxScale)
}

// div is the quotient; e is not zero.
func (d decimal) div(e decimal) decimal { return d.divTo(e, d.divScale(e)) }

// divTo is the quotient rounded half away from zero.
func (d decimal) divTo(e decimal, scale int) decimal {
	num, den := new(big.Int).Set(d.coef), e.coef
	if shift := scale + e.scale - d.scale; shift >= 0 {
		num.Mul(num, pow10(shift))
	} else {
		den = new(big.Int).Mul(den, pow10(-shift))
	}
	return decimal{roundedQuo(num, den), scale}
}

// roundedQuo is num/den rounded half away from zero.
func roundedQuo(num, den *big.Int) *big.Int {
	q, rest := new(big.Int).QuoRem(num, den, new(big.Int))
	if rest.Abs(rest).Lsh(rest, 1).CmpAbs(den) >= 0 {
		if num.Sign()*den.Sign() < 0 {
			q.Sub(q, big.NewInt(1))
		} else {
			q.Add(q, big.NewInt(1))
		}
	}
	return q
}

// mod has the sign of d; e is not zero.
func (d decimal) mod(e decimal) decimal {
	scale := max(d.scale, e.scale)
	return decimal{new(big.Int).Rem(d.rescaled(scale), e.rescaled(scale)), scale}
}

// round rounds half away from zero to n digits after the point, before it when
// n is negative.
func (d decimal) round(n int) decimal {
	n = min(n, maxScale)
	if n >= d.scale {
		return decimal{d.rescaled(n), n}
	}
	if n < -maxDigits {
		return decimal{new(big.Int), 0}
	}
	q := roundedQuo(d.coef, pow10(d.scale-n))
	if n < 0 {
		return decimal{q.Mul(q, pow10(-n)), 0}
	}
	return decimal{q, n}
}

// trunc cuts to n digits after the point, before it when n is negative.
func (d decimal) trunc(n int) decimal {
	n = min(n, maxScale)
	if n >= d.scale {
		return decimal{d.rescaled(n), n}
	}
	if n < -maxDigits {
		return decimal{new(big.Int), 0}
	}
	q := new(big.Int).Quo(d.coef, pow10(d.scale-n))
	if n < 0 {
		return decimal{q.Mul(q, pow10(-n)), 0}
	}
	return decimal{q, n}
}

func (d decimal) floor() decimal {
	q, m := new(big.Int).DivMod(d.coef, pow10(d.scale), new(big.Int))
	_ = m // the Euclidean quotient by a positive number is the floor
	return decimal{q, 0}
}

func (d decimal) ceil() decimal { return d.neg().floor().neg() }

// int64 rounds to a whole number.
func (d decimal) int64() (int64, error) {
	r := d.round(0)
	if !r.coef.IsInt64() {
		return 0, errNumberRange
	}
	return r.coef.Int64(), nil
}

// compareNumbers orders decimal texts by value; it is the collation
// pg_numeric.
func compareNumbers(a, b string) int {
	if plain(a) && plain(b) {
		return comparePlain(a, b)
	}
	x, errX := parseDecimal(a)
	y, errY := parseDecimal(b)
	switch {
	case errX == nil && errY == nil:
		return x.cmp(y)
	case errX == nil:
		return -1
	case errY == nil:
		return 1
	}
	return strings.Compare(a, b)
}

// plain tells of texts of sign, digits and point only.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && c != '.' && (c != '-' || i > 0) {
			return false
		}
	}
	return s != "" && s != "-" && s != "."
}

func comparePlain(a, b string) int {
	negA, negB := a[0] == '-', b[0] == '-'
	wholeA, fracA, _ := strings.Cut(strings.TrimPrefix(a, "-"), ".")
	wholeB, fracB, _ := strings.Cut(strings.TrimPrefix(b, "-"), ".")
	wholeA, fracA = strings.TrimLeft(wholeA, "0"), strings.TrimRight(fracA, "0")
	wholeB, fracB = strings.TrimLeft(wholeB, "0"), strings.TrimRight(fracB, "0")
	zeroA, zeroB := wholeA == "" && fracA == "", wholeB == "" && fracB == ""
	negA, negB = negA && !zeroA, negB && !zeroB
	if negA != negB {
		if negA {
			return -1
		}
		return 1
	}
	c := cmp.Or(len(wholeA)-len(wholeB), strings.Compare(wholeA, wholeB))
	if c == 0 {
		c = strings.Compare(fracA, fracB)
	}
	if negA {
		c = -c
	}
	return max(-1, min(1, c))
}
