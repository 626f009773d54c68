package erp

import (
	"cmp"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/internal/jsonscan"
	"github.com/erphub/erphub/internal/text"
)

// Decimal is a number exactly as it was written: "12.50" keeps its scale and
// large integers all their digits. The zero value "" counts as 0. Decimals
// written differently are different strings; compare them with Cmp.
type Decimal string

// maxExponent bounds the exponents that are computed with. The ERP's own
// numbers stay far below; without a bound the text 1e999999999 would cost
// gigabytes.
const maxExponent = 1000

// ParseDecimal checks that text is a decimal number in JSON notation, such as
// -12.50 or 1.0E7.
func ParseDecimal(text string) (Decimal, error) {
	d := Decimal(text)
	if text == "" || !d.valid() {
		return "", invalid("%s is not a decimal number", quote(text))
	}
	return d, nil
}

// String returns the number in plain notation, without exponent: 0E-2 gives
// 0.00. Text that is not a number is returned as it is.
func (d Decimal) String() string {
	if d == "" {
		return "0"
	}
	mantissa, exponent, ok := d.split()
	if !ok || exponent == 0 {
		return string(d)
	}
	sign := ""
	if strings.HasPrefix(mantissa, "-") {
		sign, mantissa = "-", mantissa[1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if exponent > 0 {
		if exponent >= len(fraction) {
			whole += fraction + strings.Repeat("0", exponent-len(fraction))
			fraction = ""
		} else {
			whole, fraction = whole+fraction[:exponent], fraction[exponent:]
		}
		if whole = strings.TrimLeft(whole, "0"); whole == "" {
			whole = "0"
		}
		// 1.0E7 is the notation of a floating point number: the fraction that
		// is left says nothing about scale when it is all zeros.
		if strings.Trim(fraction, "0") == "" {
			fraction = ""
		}
	} else {
		digits := strings.Repeat("0", max(0, -exponent-len(whole)+1)) + whole
		cut := len(digits) + exponent
		whole, fraction = digits[:cut], digits[cut:]+fraction
	}
	if fraction == "" {
		return sign + whole
	}
	return sign + whole + "." + fraction
}

// Int64 returns the number if it is whole and fits; 1.0E7 and 5.00 are whole.
func (d Decimal) Int64() (int64, bool) {
	if number, err := strconv.ParseInt(string(d), 10, 64); err == nil {
		return number, true
	}
	rat, ok := d.Rat()
	if !ok || !rat.IsInt() || !rat.Num().IsInt64() {
		return 0, false
	}
	return rat.Num().Int64(), true
}

// Float64 returns the nearest floating point number, for charts and
// estimates; money is better kept exact.
func (d Decimal) Float64() float64 {
	f, _ := strconv.ParseFloat(string(d), 64)
	return f
}

// Rat returns the exact value. It reports false when d is not a number or its
// exponent is absurd.
func (d Decimal) Rat() (*big.Rat, bool) {
	if d == "" {
		return new(big.Rat), true
	}
	if _, _, ok := d.split(); !ok {
		return nil, false
	}
	return new(big.Rat).SetString(string(d))
}

// Cmp compares two numbers: -1, 0 or +1, regardless of how they are written.
// Text that is not a number sorts before all numbers.
func (d Decimal) Cmp(other Decimal) int {
	a, okA := d.Rat()
	b, okB := other.Rat()
	switch {
	case okA && okB:
		return a.Cmp(b)
	case okA:
		return 1
	case okB:
		return -1
	default:
		return cmp.Compare(d, other)
	}
}

// MarshalJSON writes the number as it is, digits and scale kept.
func (d Decimal) MarshalJSON() ([]byte, error) {
	if d == "" {
		return []byte("0"), nil
	}
	if !d.valid() {
		return nil, fmt.Errorf("%s is not a decimal number", quote(string(d)))
	}
	return []byte(d), nil
}

// UnmarshalJSON reads a number, or a number in quotes. null gives the zero
// value.
func (d *Decimal) UnmarshalJSON(data []byte) error {
	text := string(data)
	if text == "null" {
		*d = ""
		return nil
	}
	if unquoted, ok := jsonscan.Text(data); ok {
		text = unquoted
	}
	parsed, err := ParseDecimal(text)
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}

func (d Decimal) valid() bool {
	s := jsonscan.Scanner{Data: []byte(d)}
	return jsonscan.Number(s.Data) && s.Value() && s.Pos == len(s.Data)
}

// split separates mantissa and exponent and reports whether d is a number
// with an exponent worth computing.
func (d Decimal) split() (mantissa string, exponent int, ok bool) {
	if !d.valid() {
		return "", 0, false
	}
	mark := strings.IndexAny(string(d), "eE")
	if mark < 0 {
		return string(d), 0, true
	}
	exponent, err := strconv.Atoi(string(d)[mark+1:])
	if err != nil || exponent > maxExponent || exponent < -maxExponent {
		return "", 0, false
	}
	return string(d)[:mark], exponent, true
}

// quote shows a text of the caller's or the server's in a message.
func quote(s string) string { return text.Quote(s) }
