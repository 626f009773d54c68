package metrics_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"
)

// viewer is whose figures are computed.
type viewer struct {
	role, client int
	orgs         []int // nil: all
}

func (v viewer) sees(p place) bool {
	return (p.client == 0 || p.client == v.client) && (p.org == 0 || v.orgs == nil || slices.Contains(v.orgs, p.org))
}

// fact is a record that counts.
type fact struct {
	place
	dims     map[string]string // without those that are NULL
	date     time.Time
	currency int
	on       time.Time
	kind     int
	money    map[string]*big.Rat // nil: NULL
	plain    map[string]int
	group    string // of counts of documents

	lost     bool   // there is no rate
	unlisted string // why it is counted apart and not listed; empty: it is listed
}

func hundredths(n int) *big.Rat { return big.NewRat(int64(n), 100) }

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

// rate is the ERP's choice among the rates the viewer sees; nil: there is none.
func (b *books) rate(v viewer, from, to int, on time.Time, kind int, at place) *big.Rat {
	if from == to {
		return big.NewRat(1, 1)
	}
	if kind == 0 {
		kind = spot
	}
	var best *rate
	for n := range b.rates {
		r := &b.rates[n]
		if !v.sees(r.place) || !r.active || r.from != from || r.to != to || r.kind != kind || on.Before(r.since) || on.After(r.until) ||
			r.client != 0 && r.client != at.client || r.org != 0 && r.org != at.org {
			continue
		}
		if best == nil || r.client > best.client || r.client == best.client && (r.org > best.org || r.org == best.org && r.since.After(best.since)) {
			best = r
		}
	}
	if best == nil {
		return nil
	}
	x, _ := new(big.Rat).SetString(best.rate)
	return x
}

func dims(pairs ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			m[pairs[i]] = pairs[i+1]
		}
	}
	return m
}

func partnerName(v viewer, id int) string {
	if !v.sees(partnerPlace(id - firstPartner)) {
		return ""
	}
	return fmt.Sprintf("P%d Partner", id-firstPartner)
}

func productName(id int) string {
	if id == 0 {
		return ""
	}
	return fmt.Sprintf("%d Product", id)
}

// dueDate is by the payment term.
func (i *invoice) dueDate() time.Time {
	switch i.term {
	case 106:
		return i.date.AddDate(0, 0, 30)
	case fixedTerm: // the 31st of the next month, of the one after for invoices after the 21st
		due := nextMonth(day(i.date.Year(), int(i.date.Month()), 1).AddDate(0, 0, 30))
		if i.date.Day() > 21 {
			due = nextMonth(due)
		}
		return due
	}
	return i.date
}

func nextMonth(t time.Time) time.Time {
	first := day(t.Year(), int(t.Month())+1, 1)
	return first.AddDate(0, 0, min(t.Day(), first.AddDate(0, 1, -1).Day())-1)
}

// allocated is what counts of an invoice's allocations, in its currency, positive
// where it pays, and how many have no rate.
func (b *books) allocated(v viewer, i *invoice, until time.Time) (sum *big.Rat, lost int) {
	sum = new(big.Rat)
	for _, a := range b.allocs {
		if !v.sees(a.place) || !a.active || !slices.Contains([]string{"CO", "CL", "RE"}, a.status) || a.acct.After(until) {
			continue
		}
		for _, l := range a.lines {
			if l.invoice != i.id || !v.sees(l.place) {
				continue
			}
			rate := b.rate(v, a.currency, i.currency, a.trx, 0, a.place)
			if rate == nil {
				lost++
				continue
			}
			amount := hundredths(i.flow() * (l.amount + l.discount + l.writeOff))
			sum.Add(sum, rounded(amount.Mul(amount, rate), digits[i.currency]))
		}
	}
	return sum, lost
}

func (i *invoice) credit() int {
	if i.base[2] == 'C' {
		return -1
	}
	return 1
}

func (i *invoice) sales() bool { return i.base[1] == 'R' }

func done(status string) bool { return status == "CO" || status == "CL" }

// openItems are the open invoices and parts at the end of a day.
func (b *books) openItems(v viewer, sales bool, asOf time.Time) (facts []*fact) {
	for _, i := range b.invoices {
		if !v.sees(i.place) || i.sales() != sales || i.base == "ARF" || !done(i.status) || i.acct.After(asOf) {
			continue
		}
		paid, lost := b.allocated(v, i, asOf)
		add := func(open *big.Rat, due time.Time) {
			open = rounded(new(big.Rat).Mul(open, big.NewRat(int64(i.credit()), 1)), digits[i.currency])
			if open.Sign() == 0 {
				return
			}
			late := int(asOf.Sub(due).Hours() / 24)
			facts = append(facts, &fact{
				place: i.place, currency: i.currency, on: i.acct, kind: i.kind, money: map[string]*big.Rat{"open": open}, plain: map[string]int{"late": late, "without_rate": lost},
				dims: dims("partner", partnerName(v, i.partner), "currency", isoCodes[i.currency], "age", age(late), "organization", orgNames[i.org]),
			})
		}
		valid, open := b.parts(v, i, paid)
		if !i.scheduled || len(valid) == 0 {
			grand := hundredths(i.grand())
			add(new(big.Rat).Sub(grand, paid), i.dueDate())
			continue
		}
		for n, p := range valid {
			add(open[n], p.date)
		}
	}
	return facts
}

// parts are the valid parts of an invoice's schedule, by date, and what is open of
// each when so much is paid.
func (b *books) parts(v viewer, i *invoice, paid *big.Rat) (valid []part, open []*big.Rat) {
	for _, p := range i.parts {
		if p.valid && v.sees(p.place) {
			valid = append(valid, p)
		}
	}
	slices.SortStableFunc(valid, func(x, y part) int { return x.date.Compare(y.date) })
	left := new(big.Rat).Set(paid)
	for n, p := range valid {
		due := hundredths(p.due)
		pays := new(big.Rat).Set(left)
		if n > 0 && pays.Sign() < 0 {
			pays.SetInt64(0)
		}
		rest := new(big.Rat).Sub(due, pays)
		if rest.Sign() < 0 {
			rest.SetInt64(0)
		}
		left.Sub(left, due)
		open = append(open, rest)
	}
	return valid, open
}

// openNow is what the ERP's function returns for an invoice and a part of it; nil
// where a rate is missing.
func (b *books) openNow(v viewer, i *invoice, id int) *big.Rat {
	paid, lost := b.allocated(v, i, day(9999, 1, 1))
	if lost > 0 {
		return nil
	}
	rest := new(big.Rat).Sub(hundredths(i.grand()), paid)
	valid, open := b.parts(v, i, paid)
	for n, p := range valid {
		if p.id == id {
			rest = open[n]
		}
	}
	return rounded(rest.Mul(rest, big.NewRat(int64(i.credit()), 1)), digits[i.currency])
}

func age(late int) string {
	switch {
	case late <= 0:
		return "not due"
	case late <= 30:
		return "1-30"
	case late <= 60:
		return "31-60"
	case late <= 90:
		return "61-90"
	}
	return "over 90"
}

// invoiced are lines of invoices.
func (b *books) invoiced(v viewer, sales bool) (facts []*fact) {
	for _, i := range b.invoices {
		if !v.sees(i.place) || i.sales() != sales || i.base == "ARF" || !done(i.status) && i.status != "RE" {
			continue
		}
		for _, l := range i.lines {
			if !v.sees(l.place) {
				continue
			}
			net := l.net
			if i.taxIncluded {
				net -= l.tax
			}
			f := &fact{
				place: i.place, date: i.date, currency: i.currency, on: i.acct, kind: i.kind, plain: map[string]int{"quantity": i.credit() * l.qty}, group: fmt.Sprint(i.id),
				money: map[string]*big.Rat{"net": hundredths(i.credit() * net), "limit": nil},
				dims:  dims("partner", partnerName(v, i.partner), "product", productName(l.product), "currency", isoCodes[i.currency], "organization", orgNames[i.org], "month", i.date.Format("2006-01"), "year", i.date.Format("2006")),
			}
			if i.status == "RE" {
				f.group = ""
			}
			if l.limit != 0 {
				f.money["limit"] = hundredths(i.credit() * l.limit * l.qty)
			}
			facts = append(facts, f)
		}
	}
	return facts
}

// ordered are lines of orders that are none of the kinds that do not count.
func (b *books) ordered(v viewer, base string, statuses string, date func(*order) time.Time) (facts []*fact) {
	for _, o := range b.orders {
		if !v.sees(o.place) || o.base != base || o.sub != "" || !strings.Contains(statuses, o.status) {
			continue
		}
		for _, l := range o.lines {
			if !v.sees(l.place) {
				continue
			}
			deliver, invoice, waiting := max(l.ordered-l.delivered, 0), max(l.ordered-l.invoiced, 0), max(l.delivered-l.invoiced, 0)
			facts = append(facts, &fact{
				place: o.place, date: date(o), currency: o.currency, on: o.date, kind: o.kind, group: fmt.Sprint(o.id),
				plain: map[string]int{"ordered": l.ordered, "deliver": deliver, "invoice": invoice},
				money: map[string]*big.Rat{"net": hundredths(l.price * l.ordered), "deliver": hundredths(l.price * deliver), "invoice": hundredths(l.price * invoice), "waiting": hundredths(l.price * waiting)},
				dims:  dims("partner", partnerName(v, o.partner), "product", productName(l.product), "currency", isoCodes[o.currency], "organization", orgNames[o.org], "quarter", quarter(date(o))),
			})
		}
	}
	return facts
}

func quarter(t time.Time) string { return fmt.Sprintf("%d-Q%d", t.Year(), (int(t.Month())+2)/3) }

func keep(facts []*fact, when func(*fact) bool) []*fact {
	return slices.DeleteFunc(facts, func(f *fact) bool { return !when(f) })
}

func (p *payment) signed() *big.Rat {
	if p.receipt {
		return hundredths(p.amount)
	}
	return hundredths(-p.amount)
}

func receivedOrMade(receipt bool) string {
	if receipt {
		return "received"
	}
	return "made"
}

// cash are balances of accounts and payments that are not reconciled.
func (b *books) cash(v viewer) (facts []*fact) {
	for _, k := range b.banks {
		if !v.sees(k.place) || !k.active {
			continue
		}
		facts = append(facts, &fact{
			place: k.place, currency: k.currency, on: b.today, money: map[string]*big.Rat{"balance": hundredths(k.balance), "unreconciled": new(big.Rat)}, plain: map[string]int{},
			dims: dims("account", k.name, "currency", isoCodes[k.currency], "kind", "balance", "organization", orgNames[k.org]),
		})
		for _, p := range b.payments {
			if p.bank == k.id && v.sees(p.place) && !p.reconciled && done(p.status) {
				facts = append(facts, &fact{
					place: p.place, currency: p.currency, on: b.today, kind: p.kind, money: map[string]*big.Rat{"balance": new(big.Rat), "unreconciled": p.signed()}, plain: map[string]int{"payments": 1},
					dims: dims("account", k.name, "currency", isoCodes[p.currency], "kind", "payment", "organization", orgNames[p.org]),
				})
			}
		}
	}
	return facts
}

func (b *books) cashFlow(v viewer) (facts []*fact) {
	for _, p := range b.payments {
		if !v.sees(p.place) || !done(p.status) && p.status != "RE" {
			continue
		}
		f := &fact{
			place: p.place, date: p.date, currency: p.currency, on: p.date, kind: p.kind, money: map[string]*big.Rat{"amount": p.signed()}, plain: map[string]int{"payments": 1},
			dims: dims("kind", receivedOrMade(p.receipt), "currency", isoCodes[p.currency], "partner", partnerName(v, p.partner), "month", p.date.Format("2006-01")),
		}
		if p.status == "RE" {
			f.plain["payments"] = 0
		}
		facts = append(facts, f)
	}
	return facts
}

func (b *books) unallocated(v viewer) (facts []*fact) {
	for _, p := range b.payments {
		if !v.sees(p.place) || !done(p.status) || p.allocated || p.charge {
			continue
		}
		left := p.signed()
		for _, a := range b.allocs {
			if !v.sees(a.place) || !a.active || !slices.Contains([]string{"CO", "CL", "RE"}, a.status) {
				continue
			}
			for _, l := range a.lines {
				if l.payment != p.id || !v.sees(l.place) || left == nil {
					continue
				}
				rate := b.rate(v, a.currency, p.currency, a.trx, 0, a.place)
				if rate == nil {
					left = nil
					continue
				}
				amount := hundredths(l.amount)
				left.Sub(left, rounded(amount.Mul(amount, rate), digits[p.currency]))
			}
		}
		f := &fact{
			place: p.place, currency: p.currency, on: p.date, kind: p.kind, money: map[string]*big.Rat{"available": left}, plain: map[string]int{},
			dims: dims("kind", receivedOrMade(p.receipt), "currency", isoCodes[p.currency], "partner", partnerName(v, p.partner)),
		}
		if left == nil {
			f.plain["without_rate"] = 1
		}
		facts = append(facts, f)
	}
	return facts
}

func (b *books) outstanding(v viewer) (facts []*fact) {
	for _, i := range b.invoices {
		days := int(b.today.Sub(i.date).Hours() / 24)
		recent := days >= 0 && days < 90
		if !v.sees(i.place) || i.base != "ARI" && i.base != "ARC" || !done(i.status) || i.paid && !recent && !i.date.After(b.today) {
			continue
		}
		open, invoiced, older := new(big.Rat), new(big.Rat), "Y"
		if recent {
			older = "N"
		}
		f := &fact{place: i.place, currency: i.currency, on: i.acct, kind: i.kind, plain: map[string]int{}, dims: dims("partner", partnerName(v, i.partner), "currency", isoCodes[i.currency], "older", older)}
		if !i.paid {
			paid, lost := b.allocated(v, i, day(9999, 1, 1))
			open.Sub(hundredths(i.grand()), paid)
			open = rounded(open.Mul(open, big.NewRat(int64(i.credit()), 1)), digits[i.currency])
			if lost > 0 {
				open, f.plain["without_rate"] = nil, 1
			}
		}
		if recent {
			invoiced = hundredths(i.credit() * i.grand())
		}
		f.money = map[string]*big.Rat{"open": open, "invoiced": invoiced}
		facts = append(facts, f)
	}
	return facts
}

func (b *books) documents(v viewer) (facts []*fact) {
	add := func(p place, kind, status string, date time.Time) {
		if v.sees(p) {
			facts = append(facts, &fact{place: p, date: date, plain: map[string]int{}, dims: dims("kind", kind, "status", status, "year", date.Format("2006"))})
		}
	}
	either := func(is bool, yes, no string) string {
		if is {
			return yes
		}
		return no
	}
	for _, o := range b.orders {
		add(o.place, either(o.base == "SOO", "sales order", "purchase order"), o.status, o.date)
	}
	for _, i := range b.invoices {
		add(i.place, either(i.sales(), "customer invoice", "vendor invoice"), i.status, i.date)
	}
	for _, m := range b.inouts {
		add(m.place, either(m.moving[0] == 'C', "shipment", "receipt"), m.status, m.date)
	}
	for _, p := range b.payments {
		add(p.place, either(p.receipt, "payment received", "payment made"), p.status, p.date)
	}
	return facts
}

// orderOfLine is the order of a line, 0 where the line is not seen.
func (b *books) orderOfLine(v viewer, line int) int {
	for _, o := range b.orders {
		for _, l := range o.lines {
			if l.id == line && v.sees(l.place) {
				return o.id
			}
		}
	}
	return 0
}

// salesOrders are those whose times are measured.
func (b *books) salesOrders(v viewer) []*order {
	return slices.DeleteFunc(slices.Clone(b.orders), func(o *order) bool {
		return !v.sees(o.place) || o.base != "SOO" || o.sub != "" || !done(o.status)
	})
}

func (b *books) deliveries(v viewer) (facts []*fact) {
	for _, o := range b.salesOrders(v) {
		var first, last time.Time
		for _, m := range b.inouts {
			names := m.order == o.id
			for _, l := range m.lines {
				names = names || v.sees(l.place) && b.orderOfLine(v, l.orderLine) == o.id
			}
			if !names || !v.sees(m.place) || !done(m.status) || m.moving != "C-" {
				continue
			}
			if first.IsZero() || m.date.Before(first) {
				first = m.date
			}
			if m.date.After(last) {
				last = m.date
			}
		}
		f := lasting(o.place, o.date, last, last, map[string]string{"partner": partnerName(v, o.partner)})
		if !first.IsZero() {
			f.plain["first"] = int(first.Sub(o.date).Hours() / 24)
		}
		facts = append(facts, f)
	}
	return facts
}

func (b *books) invoicings(v viewer) (facts []*fact) {
	for _, o := range b.salesOrders(v) {
		var first time.Time
		for _, i := range b.invoices {
			names := i.order == o.id
			for _, l := range i.lines {
				names = names || v.sees(l.place) && b.orderOfLine(v, l.orderLine) == o.id
			}
			if names && v.sees(i.place) && done(i.status) && i.base == "ARI" && (first.IsZero() || i.date.Before(first)) {
				first = i.date
			}
		}
		facts = append(facts, lasting(o.place, o.date, first, first, map[string]string{"partner": partnerName(v, o.partner)}))
	}
	return facts
}

// compared are lines of the year up to a day and of the year before, and customers
// without one.
func (b *books) compared(v viewer, asOf time.Time) (facts []*fact) {
	for _, f := range b.invoiced(v, true) {
		if f.date.After(asOf) || f.date.Year() < asOf.Year()-1 || f.date.Format("0102") > asOf.Format("0102") {
			continue
		}
		net, before := f.money["net"], new(big.Rat)
		if f.date.Year() < asOf.Year() {
			net, before = before, net
		}
		f.money = map[string]*big.Rat{"net": net, "before": before, "change": new(big.Rat).Sub(net, before)}
		f.dims["kind"], f.dims["month"] = "invoice", f.date.Format("01")
		facts = append(facts, f)
	}
	for n := range 6 {
		name := partnerName(v, firstPartner+n)
		if name == "" || slices.ContainsFunc(facts, func(f *fact) bool { return f.dims["partner"] == name }) {
			continue
		}
		facts = append(facts, &fact{
			place: partnerPlace(n), currency: usd, on: asOf, plain: map[string]int{}, dims: dims("partner", name, "kind", "no sale"),
			money: map[string]*big.Rat{"net": new(big.Rat), "before": new(big.Rat), "change": new(big.Rat)},
		})
	}
	return facts
}

func (o *order) total() int {
	sum := 0
	for _, l := range o.lines {
		sum += l.price * l.ordered
	}
	return sum
}

func (b *books) quotations(v viewer) (facts []*fact) {
	for _, o := range b.orders {
		if !v.sees(o.place) || o.sub != "ON" && o.sub != "OB" || o.status != "CO" {
			continue
		}
		f := &fact{
			place: o.place, date: o.date, currency: o.currency, on: o.date, kind: o.kind, money: map[string]*big.Rat{"total": hundredths(o.total())},
			plain: map[string]int{"days": int(b.today.Sub(o.date).Hours() / 24)}, dims: dims("partner", partnerName(v, o.partner), "organization", orgNames[o.org], "currency", isoCodes[o.currency]),
		}
		if slices.ContainsFunc(b.orders, func(n *order) bool { return v.sees(n.place) && n.quotation == o.id && done(n.status) }) {
			f.unlisted = "turned into an order"
		}
		facts = append(facts, f)
	}
	return facts
}

func (b *books) reorders(v viewer) (facts []*fact) {
	for _, r := range b.rules {
		if !v.sees(r.place) || !r.active {
			continue
		}
		f := &fact{place: r.place, dims: dims("product", productName(r.product), "warehouse", fmt.Sprint("W", r.warehouse), "rule", r.kind), plain: map[string]int{"least": r.least, "most": max(r.least, r.most)}}
		for _, k := range b.stored {
			switch {
			case !v.sees(k.place) || k.product != r.product:
			case k.locator == r.warehouse:
				f.plain["on_hand"] += k.onHand
			case k.locator == 0 && r.warehouse == store && k.sales:
				f.plain["reserved"] += k.qty
			case k.locator == 0 && r.warehouse == store:
				f.plain["on_order"] += k.qty
			}
		}
		expected := f.plain["on_hand"] - f.plain["reserved"] + f.plain["on_order"]
		missing := f.plain["most"] - expected
		switch {
		case r.kind != "1" && r.kind != "2":
			f.unlisted = "replenished by hand, or by a rule of its own"
		case missing <= 0 || r.kind == "1" && expected > r.least:
			f.unlisted = "there is enough"
		}
		f.plain["to_order"] = missing
		facts = append(facts, f)
	}
	return facts
}

var accountTypes = []string{"A", "L", "R", "E"}

// trial are postings, and documents that have none.
func (b *books) trial(v viewer) (facts []*fact) {
	for _, f := range b.postings {
		if n := f.account - firstAccount; v.sees(f.place) && f.client == v.client && f.schema == primarySchema && f.kind == "A" {
			facts = append(facts, &fact{
				place: f.place, date: f.date, currency: usd, on: f.date, money: map[string]*big.Rat{"debit": hundredths(f.debit), "credit": hundredths(f.credit), "balance": hundredths(f.debit - f.credit)},
				plain: map[string]int{}, dims: dims("account", fmt.Sprint(n, " Account"), "account_type", accountTypes[n], "organization", orgNames[f.org], "currency", "USD"),
			})
		}
	}
	for _, f := range b.unposted(v) {
		f.unlisted = "documents not posted yet"
		facts = append(facts, f)
	}
	return facts
}

func (b *books) unposted(v viewer) (facts []*fact) {
	add := func(p place, kind, status, posted string, date time.Time) {
		if v.sees(p) && (done(status) || status == "RE") && posted != "Y" {
			facts = append(facts, &fact{place: p, date: date, plain: map[string]int{}, dims: dims("kind", kind, "status", status, "reason", posted, "organization", orgNames[p.org])})
		}
	}
	either := func(is bool, yes, no string) string {
		if is {
			return yes
		}
		return no
	}
	for _, i := range b.invoices {
		add(i.place, either(i.sales(), "customer invoice", "vendor invoice"), i.status, i.posted, i.acct)
	}
	for _, m := range b.inouts {
		add(m.place, either(m.moving[0] == 'C', "shipment", "receipt"), m.status, m.posted, m.date)
	}
	for _, p := range b.payments {
		add(p.place, either(p.receipt, "payment received", "payment made"), p.status, p.posted, p.date)
	}
	for _, a := range b.allocs {
		add(a.place, "allocation", a.status, a.posted, a.acct)
	}
	return facts
}

func (b *books) paidInvoices(v viewer) (facts []*fact) {
	for _, i := range b.invoices {
		var last time.Time
		for _, a := range b.allocs {
			for _, l := range a.lines {
				if l.invoice == i.id && v.sees(l.place) && v.sees(a.place) && a.active && done(a.status) && a.trx.After(last) {
					last = a.trx
				}
			}
		}
		if v.sees(i.place) && i.base == "ARI" && done(i.status) {
			if !i.paid {
				last = time.Time{}
			}
			facts = append(facts, lasting(i.place, i.date, i.dueDate(), last, map[string]string{"partner": partnerName(v, i.partner), "year": i.date.Format("2006")}))
		}
	}
	return facts
}

// lasting is something that began, should end by a day and ended, or did not yet.
func lasting(at place, began, due, ended time.Time, by map[string]string) *fact {
	f := &fact{place: at, date: began, dims: dims("partner", by["partner"], "year", by["year"]), plain: map[string]int{}}
	if !ended.IsZero() {
		f.plain["ended"], f.plain["days"], f.plain["late"] = 1, int(ended.Sub(began).Hours()/24), int(ended.Sub(due).Hours()/24)
	}
	return f
}

func (b *books) newCustomers(v viewer) (facts []*fact) {
	first := map[int]*fact{}
	for _, i := range b.invoices {
		if !v.sees(i.place) || i.base != "ARI" || !done(i.status) {
			continue
		}
		f := first[i.partner]
		if f == nil {
			f = &fact{date: i.date, plain: map[string]int{}, dims: dims("partner", partnerName(v, i.partner))}
			first[i.partner] = f
			facts = append(facts, f)
		}
		f.plain["invoices"]++
		if i.date.Before(f.date) {
			f.date = i.date
		}
	}
	return facts
}

func (b *books) stock(v viewer) (facts []*fact) {
	for _, k := range b.stored {
		if !v.sees(k.place) {
			continue
		}
		f := &fact{plain: map[string]int{"on_hand": k.onHand}, dims: dims("product", productName(k.product), "warehouse", fmt.Sprint("W", max(k.locator, store)))}
		if k.locator == 0 && k.sales {
			f.plain["reserved"] = k.qty
		} else if k.locator == 0 {
			f.plain["on_order"] = k.qty
		}
		facts = append(facts, f)
	}
	return facts
}

func (b *books) movements(v viewer) (facts []*fact) {
	for _, m := range b.moves {
		if v.sees(m.place) {
			facts = append(facts, &fact{date: m.date, plain: map[string]int{"in": max(m.qty, 0), "out": max(-m.qty, 0), "change": m.qty}, dims: dims("product", productName(m.product), "movement_type", m.kind)})
		}
	}
	return facts
}
