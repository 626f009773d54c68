package tools_test

import (
	"math/big"
	"slices"
	"time"
)

// allocated is what counts of the invoice's allocations, in its currency, and
// how many could not be converted. A zero day is now.
func (l *ledger) allocated(i *invoiceDoc, until time.Time) (*big.Rat, int) {
	sum, lost := new(big.Rat), 0
	for _, a := range l.allocs {
		if !a.active || !slices.Contains([]string{"CO", "CL", "RE"}, a.status) || !until.IsZero() && a.acct.After(until) {
			continue
		}
		for _, line := range a.lines {
			if line.invoice != i.id {
				continue
			}
			rate, ok := l.rate(a.currency, i.currency, a.trx, a.org)
			if !ok {
				lost++
				continue
			}
			amount := big.NewRat(int64(line.amount+line.discount+line.writeOff), 100)
			sum.Add(sum, rounded(amount.Mul(amount, rate), digits[i.currency]))
		}
	}
	return sum, lost
}

// rate is the ERP's choice: of the default type, valid on the day, the tenant's
// and the organization's before those of all.
func (l *ledger) rate(from, to int, on time.Time, org int) (*big.Rat, bool) {
	if from == to {
		return big.NewRat(1, 1), true
	}
	var best *rateRow
	for n := range l.rates {
		r := &l.rates[n]
		if !r.active || r.from != from || r.to != to || r.kind != 114 || on.Before(r.since) || on.After(r.until) || r.org != 0 && r.org != org {
			continue
		}
		if best == nil || r.client > best.client || r.client == best.client && r.org > best.org {
			best = r
		}
	}
	if best == nil {
		return nil, false
	}
	rate, _ := new(big.Rat).SetString(best.rate)
	return rate, true
}

// rounded is half away from zero.
func rounded(x *big.Rat, digits int) *big.Rat {
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil))
	y := new(big.Rat).Mul(new(big.Rat).Abs(x), scale)
	n := new(big.Int).Quo(new(big.Int).Add(new(big.Int).Mul(y.Num(), big.NewInt(2)), y.Denom()), new(big.Int).Mul(y.Denom(), big.NewInt(2)))
	out := new(big.Rat).Quo(new(big.Rat).SetInt(n), scale)
	if x.Sign() < 0 {
		out.Neg(out)
	}
	return out
}

type openPart struct {
	due    time.Time
	amount *big.Rat // signed
	open   *big.Rat // signed
}

// open is what is open of an invoice, by the parts of its schedule.
func (l *ledger) open(i *invoiceDoc, until time.Time) (parts []openPart, lost int) {
	sum, lost := l.allocated(i, until)
	sign := big.NewRat(int64(i.sign()), 1)
	left := new(big.Rat).Mul(sum, sign) // of what was paid, for the parts that follow
	zero := new(big.Rat)
	var valid []schedulePart
	for _, p := range i.parts {
		if i.scheduled && p.valid {
			valid = append(valid, p)
		}
	}
	slices.SortStableFunc(valid, func(a, b schedulePart) int { return a.date.Compare(b.date) })
	if len(valid) == 0 {
		grand := big.NewRat(int64(i.grand()), 100)
		open := new(big.Rat).Sub(grand, left)
		return []openPart{{l.dueDate(i), new(big.Rat).Mul(grand, sign), rounded(new(big.Rat).Mul(open, sign), digits[i.currency])}}, lost
	}
	for _, p := range valid {
		due := big.NewRat(int64(p.due), 100)
		open := new(big.Rat).Sub(due, left)
		if open.Sign() < 0 {
			open = zero
		}
		if left = new(big.Rat).Sub(left, due); left.Sign() < 0 {
			left = zero
		}
		parts = append(parts, openPart{p.date, new(big.Rat).Mul(due, sign), rounded(new(big.Rat).Mul(open, sign), digits[i.currency])})
	}
	return parts, lost
}

func (l *ledger) openSum(i *invoiceDoc, until time.Time) *big.Rat {
	sum := new(big.Rat)
	parts, _ := l.open(i, until)
	for _, p := range parts {
		sum.Add(sum, p.open)
	}
	return sum
}

// dueDate is by the payment term.
func (l *ledger) dueDate(i *invoiceDoc) time.Time {
	switch i.term {
	case fixedTerm: // the 31st, of the month after the next for invoices after the 20th
		due := addMonths(day(i.date.Year(), int(i.date.Month()), 1).AddDate(0, 0, 30), 1)
		if i.date.Day()-1 > 20 {
			due = addMonths(due, 1)
		}
		return due
	case longTerm:
		return i.date.AddDate(0, 0, 60)
	case 106, 107:
		return i.date.AddDate(0, 0, 30)
	}
	return i.date
}

// addMonths stays within the month it comes to.
func addMonths(t time.Time, n int) time.Time {
	first := day(t.Year(), int(t.Month())+n, 1)
	return first.AddDate(0, 0, min(t.Day(), first.AddDate(0, 1, -1).Day())-1)
}
