package mask

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// birthday moves a date by up to two years, to a day that tells nothing of the
// day it was. The time of day stays. What is not a date becomes code.
func (t *tools) birthday(value string) string {
	if len(value) < 10 {
		return t.code(value)
	}
	day, err := time.Parse(time.DateOnly, value[:10])
	if err != nil {
		return t.code(value)
	}
	for i := range attempts {
		moved := day.AddDate(0, 0, t.draw("birthday", value[:10], i).n(1461)-730)
		if out := moved.Format(time.DateOnly); len(out) == 10 && out != value[:10] {
			return out + value[10:]
		}
	}
	return t.code(value)
}

var decimal = lazyregexp.New(`^([+-]?)(\d+)(?:\.(\d+))?$`)

// geo replaces a coordinate by one with as many decimals; what is not a number
// becomes code.
func (t *tools) geo(value string, limit int) string {
	m := decimal().FindStringSubmatch(value)
	if m == nil {
		return t.code(value)
	}
	d := t.draw("geo", value, 0)
	places := min(len(m[3]), 9)
	if out := fmt.Sprintf("%.*f", places, float64(d.n(120_000_000_000)-60_000_000_000)/1e9); len(out) <= limit {
		return out
	}
	return t.code(value)
}

// scatter changes an amount by up to so many hundredths of a percent, the same
// amount always by the same. Decimals and sign stay, and zero stays zero.
func (t *tools) scatter(value string, hundredths int) string {
	m := decimal().FindStringSubmatch(value)
	if hundredths == 0 || m == nil {
		return value
	}
	n, ok := new(big.Int).SetString(m[2]+m[3], 10)
	if !ok || n.Sign() == 0 {
		return value
	}
	change := int64(t.draw("amount", strings.TrimLeft(value, "+-"), 0).n(2*hundredths+1) - hundredths)
	n.Mul(n, big.NewInt(10_000+change))
	n.Add(n, big.NewInt(5_000))
	n.Quo(n, big.NewInt(10_000))
	digits := n.String()
	places := len(m[3])
	if len(digits) <= places {
		digits = strings.Repeat("0", places+1-len(digits)) + digits
	}
	if places > 0 {
		digits = digits[:len(digits)-places] + "." + digits[len(digits)-places:]
	}
	return m[1] + digits
}

// settingLike is what values of settings are that name nobody.
var settingLike = lazyregexp.New(`^(?:[YN]|(?i:true|false|none|auto)|[+-]?\d{1,9}(?:\.\d{1,6})?)$`)

func (t *tools) setting(value string, limit int) string {
	if settingLike().MatchString(value) {
		return value
	}
	return t.text(value, limit)
}

// noLimit is the length of columns without one.
const noLimit = math.MaxInt32
