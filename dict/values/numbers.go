package values

import (
	"math"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/text"
)

// inJSON writes a number without + and leading zeros, and one before a point.
func inJSON(s string) string {
	plain, minus := strings.CutPrefix(s, "-")
	if !minus {
		plain = strings.TrimPrefix(s, "+")
	}
	if plain != "" && plain[0] == '.' {
		plain = "0" + plain
	}
	for len(plain) > 1 && plain[0] == '0' && plain[1] >= '0' && plain[1] <= '9' {
		plain = plain[1:]
	}
	if minus {
		plain = "-" + plain
	}
	return plain
}

// number is a number in JSON notation, without blanks, + and leading zeros.
func (r *Reader) number(cell Cell) (erp.Decimal, error) {
	s := strings.TrimSpace(cell.Text)
	if cell.Kind != Text && cell.Kind != Number {
		return "", wrong("%s is not a number", text.Quote(cell.Text))
	}
	if cell.Kind == Text && r.opts.DecimalComma {
		if strings.Contains(s, ".") {
			return "", wrong("%s has a point in it, and the decimal separator is a comma; write numbers without thousands separators", text.Quote(s))
		}
		s = strings.Replace(s, ",", ".", 1)
	}
	d, err := erp.ParseDecimal(inJSON(s))
	if err != nil {
		hint := " and without thousands separators"
		if strings.Contains(s, ",") && !strings.Contains(s, ".") && !r.opts.DecimalComma {
			hint = or(r.opts.Advice.DecimalComma)
		}
		return "", wrong("%s is not a number; write it with a point before the decimals%s", text.Quote(cell.Text), hint)
	}
	if _, ok := d.Rat(); !ok || len(d.String()) > 200 {
		return "", wrong("%s has too many digits", text.Quote(cell.Text))
	}
	return d, nil
}

func (r *Reader) decimal(v *Value, cell Cell) error {
	d, err := r.number(cell)
	if err != nil {
		return err
	}
	if err := within(&v.target, d); err != nil {
		return err
	}
	v.Plain = d.String()
	v.Send = v.Plain // as text: a server that computes with floating point would round
	return nil
}

func (r *Reader) integer(v *Value, cell Cell) error {
	d, err := r.number(cell)
	if err != nil {
		return err
	}
	n, whole := d.Int64()
	switch {
	case !whole && !strings.ContainsAny(d.String(), "."):
		return wrong("%s is too large for a whole number", text.Quote(cell.Text))
	case !whole:
		return wrong("%s is not a whole number", text.Quote(cell.Text))
	case n > math.MaxInt32 || n < math.MinInt32:
		return wrong("%d is outside of what %s takes, %d to %d", n, v.target.Name, math.MinInt32, math.MaxInt32)
	}
	if err := within(&v.target, d); err != nil {
		return err
	}
	v.Send, v.Plain = n, strconv.FormatInt(n, 10)
	return nil
}

// within checks the bounds in the dictionary.
func within(t *Target, d erp.Decimal) error {
	if low, err := erp.ParseDecimal(strings.TrimSpace(t.Min)); err == nil && d.Cmp(low) < 0 {
		return wrong("%s is less than %s, the least that %s takes", d, low, t.Name)
	}
	if high, err := erp.ParseDecimal(strings.TrimSpace(t.Max)); err == nil && d.Cmp(high) > 0 {
		return wrong("%s is more than %s, the most that %s takes", d, high, t.Name)
	}
	return nil
}
