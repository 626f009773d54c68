package metrics_test

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/erphub/erphub/internal/testkit/aitest"
)

// books are documents of two tenants, made at random: every kind that a metric must
// tell apart. Figures are computed from them in books_figures_test.go, without SQL.
type books struct {
	rnd      *rand.Rand
	next     int
	today    time.Time
	rates    []rate
	invoices []*invoice
	allocs   []*allocation
	payments []*payment
	orders   []*order
	inouts   []inout
	banks    []bank
	stored   []stored
	moves    []move
	rules    []rule
	postings []posting
}

// place is where a row is: who sees it.
type place struct{ client, org int }

type rate struct {
	place
	id, from, to, kind int
	rate               string
	since, until       time.Time
	active             bool
}

type invoice struct {
	place
	id, partner, currency, kind, term int
	base                              string // of the document type
	status                            string
	date, acct                        time.Time
	taxIncluded, paid, scheduled      bool
	lines                             []invoiceLine
	order                             int // 0: none
	posted                            string
	parts                             []part
}

type invoiceLine struct {
	place
	id, product, qty, net, tax, limit, orderLine int // amounts in hundredths; limit per unit, 0: none
}

type part struct {
	place
	id, due int
	date    time.Time
	valid   bool
}

type allocation struct {
	place
	id, currency int
	status       string
	active       bool
	posted       string
	trx, acct    time.Time
	lines        []allocationLine
}

type allocationLine struct {
	place
	id, invoice, payment, amount, discount, writeOff int
}

type payment struct {
	place
	id, partner, currency, kind, amount, bank int
	receipt, reconciled, allocated, charge    bool
	status, posted                            string
	date                                      time.Time
}

type order struct {
	place
	id, partner, currency, kind int
	quotation                   int // 0: none
	base, sub, status           string
	date, promised              time.Time
	lines                       []orderLine
}

type orderLine struct {
	place
	id, product, ordered, delivered, invoiced, price int
}

type inout struct {
	place
	id, order              int
	status, moving, posted string
	date                   time.Time
	lines                  []inoutLine
}

type inoutLine struct {
	place
	id, orderLine int
}

// rule is when to reorder a product.
type rule struct {
	place
	product, warehouse, least, most int
	kind                            string
	active                          bool
}

type posting struct {
	place
	id, schema, account, debit, credit int
	kind                               string
	date                               time.Time
}

type bank struct {
	place
	id, currency, balance int
	name                  string
	active                bool
}

type stored struct {
	place
	product, locator, onHand, qty int // a reservation has no locator
	sales                         bool
}

type move struct {
	place
	id, product, locator, qty int
	kind                      string
	date                      time.Time
}

const (
	usd, eur, jpy, gbp, chf = 100, 102, 113, 114, 318
	spot, other             = 114, 200 // conversion types; spot is the default
	fixedTerm               = 4_100_105
	firstPartner            = 4_200_000
	store, yard             = 4_300_001, 4_300_002 // warehouses, with a locator of the same number each
	primarySchema           = 101
	firstAccount            = 4_500_000
)

var (
	isoCodes = map[int]string{usd: "USD", eur: "EUR", jpy: "JPY", gbp: "GBP", chf: "CHF"}
	digits   = map[int]int{usd: 2, eur: 2, jpy: 0, gbp: 2, chf: 2}
	orgs     = []int{11, 12, 50000, 50002, 50005}
	products = []int{0, 4_400_001, 4_400_002, 4_400_003}
	docTypes = map[string]int{"ARI": 4_100_001, "ARC": 4_100_002, "API": 4_100_003, "APC": 4_100_004, "ARF": 4_100_005, "SOO": 4_100_006,
		"SOOON": 4_100_007, "SOOOB": 4_100_008, "SOORM": 4_100_009, "POO": 4_100_010, "MMS": 4_100_011, "ARR": 4_100_012}
)

func day(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) }

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func (b *books) id() int                 { b.next++; return 5_000_000 + b.next }
func (b *books) chance(percent int) bool { return b.rnd.IntN(100) < percent }

func (b *books) place() place {
	if b.chance(8) {
		return place{aitest.OtherTenant, 0}
	}
	return place{11, pick(b.rnd, orgs...)}
}

// of is a row of a document: of its organization, but for a few.
func (b *books) of(p place) place {
	if p.client == 11 && b.chance(5) {
		return b.place()
	}
	return p
}

// date is a day of 450 that end in the past, or one of the last weeks.
func (b *books) date() time.Time {
	if b.chance(20) {
		return b.today.AddDate(0, 0, -b.rnd.IntN(130))
	}
	return day(2024, 1, 1).AddDate(0, 0, b.rnd.IntN(450))
}

func (b *books) money(currency int) int {
	if digits[currency] == 0 {
		return (1 + b.rnd.IntN(5000)) * 100
	}
	return 1 + b.rnd.IntN(500_000)
}

func (b *books) currency() int { return pick(b.rnd, usd, usd, usd, eur, eur, jpy, gbp, chf) }

func newBooks(seed uint64, today time.Time) *books {
	b := &books{rnd: rand.New(rand.NewPCG(seed, 19)), today: today}
	for _, r := range []struct {
		client, org, from, to, kind, since, until int
		rate                                      string
		active                                    bool
	}{
		{0, 0, eur, usd, spot, 2020, 2999, "9", true}, {11, 0, eur, usd, spot, 2024, 2024, "1.08", true}, {11, 0, eur, usd, spot, 2025, 2999, "1.1", true},
		{11, 0, usd, eur, spot, 2024, 2999, "0.925925925926", true}, {11, 12, usd, eur, spot, 2024, 2024, "0.9", true},
		{11, 0, gbp, usd, spot, 2024, 2999, "1.27", true}, {11, 50002, gbp, usd, spot, 2024, 2999, "1.31", true}, {11, 0, gbp, usd, other, 2024, 2999, "1.5", true},
		{11, 0, usd, jpy, spot, 2024, 2999, "151.337", true}, {0, 0, jpy, usd, spot, 2020, 2999, "0.0066", true}, {11, 0, chf, usd, spot, 2024, 2999, "1.12", false},
		{11, 0, gbp, eur, spot, 2024, 2999, "1.17", true}, {aitest.OtherTenant, 0, chf, usd, spot, 2020, 2999, "61803398", true},
		{11, 0, eur, usd, other, 2024, 2999, "1.2", true}, {11, 0, eur, gbp, spot, 2025, 2999, "0.85", true},
	} {
		b.rates = append(b.rates, rate{place{r.client, r.org}, b.id(), r.from, r.to, r.kind, r.rate, day(r.since, 1, 1), day(r.until, 12, 31), r.active})
	}
	for range 110 {
		b.addInvoice()
	}
	for i, p := range []place{{11, 11}, {11, 12}, {11, 50005}, {aitest.OtherTenant, 0}} {
		b.banks = append(b.banks, bank{p, b.id(), pick(b.rnd, usd, eur, jpy, chf), b.money(usd) / 100 * 100, "Account " + string(rune('A'+i)), true})
	}
	b.banks = append(b.banks, bank{place{11, 11}, b.id(), usd, 77_700, "Closed account", false})
	for range 70 {
		b.addPayment()
	}
	for range 70 {
		b.addOrder()
	}
	for range 40 {
		p := b.place()
		product := products[1+b.rnd.IntN(3)]
		locator := pick(b.rnd, store, yard)
		switch b.rnd.IntN(3) {
		case 0:
			b.stored = append(b.stored, stored{place: p, product: product, locator: locator, onHand: b.rnd.IntN(500) - 20})
		case 1:
			b.stored = append(b.stored, stored{place: p, product: product, qty: b.rnd.IntN(90), sales: b.chance(60)})
		default:
			b.moves = append(b.moves, move{p, b.id(), product, locator, b.rnd.IntN(60) - 30, pick(b.rnd, "C-", "V+", "I+", "M-"), b.date()})
		}
	}
	b.link()
	return b
}

// link says which documents came of which orders, and what is posted of them.
func (b *books) link() {
	var orders []*order
	var lines []int
	for _, o := range b.orders {
		orders = append(orders, o)
		for _, l := range o.lines {
			lines = append(lines, l.id)
		}
	}
	state := func() string { return pick(b.rnd, "Y", "Y", "N", "b") }
	for _, o := range b.orders {
		if b.chance(40) {
			o.quotation = pick(b.rnd, orders...).id
		}
	}
	for _, i := range b.invoices {
		if i.posted = state(); b.chance(30) {
			i.order = pick(b.rnd, orders...).id
		}
		for n := range i.lines {
			if b.chance(40) {
				i.lines[n].orderLine = pick(b.rnd, lines...)
			}
		}
	}
	for n := range b.inouts {
		m := &b.inouts[n]
		m.posted = state()
		for range b.rnd.IntN(3) {
			m.lines = append(m.lines, inoutLine{b.of(m.place), b.id(), pick(b.rnd, lines...)})
		}
	}
	for _, a := range b.allocs {
		a.posted = state()
	}
	for _, p := range b.payments {
		p.posted = state()
	}
	for n, product := range products[1:] {
		for k, warehouse := range []int{store, yard} {
			r := rule{b.place(), product, warehouse, b.rnd.IntN(400), b.rnd.IntN(800), pick(b.rnd, "1", "1", "2", "0", "9"), b.chance(85)}
			switch {
			case n+k == 0: // both roles see one
				r = rule{place{11, 12}, product, warehouse, 10, 3000, "2", true}
			case n+k == 1 && k == 0:
				r = rule{place{11, 12}, product, warehouse, 2000, 1000, "1", true}
			}
			b.rules = append(b.rules, r)
		}
	}
	for range 60 {
		f := posting{b.place(), b.id(), pick(b.rnd, primarySchema, primarySchema, 999), firstAccount + b.rnd.IntN(4), 0, 0, pick(b.rnd, "A", "A", "A", "B"), b.date()}
		if amount := b.money(usd); b.chance(50) {
			f.debit = amount
		} else {
			f.credit = amount
		}
		b.postings = append(b.postings, f)
	}
}

func (b *books) addInvoice() {
	p := b.place()
	i := &invoice{
		place: p, id: b.id(), partner: firstPartner + b.rnd.IntN(6), currency: b.currency(), kind: pick(b.rnd, 0, spot, spot, other), term: pick(b.rnd, 105, 106, fixedTerm),
		base: pick(b.rnd, "ARI", "ARI", "ARI", "ARC", "API", "API", "APC", "ARF"), status: pick(b.rnd, "CO", "CO", "CO", "CO", "CO", "CL", "DR", "IP", "VO", "RE"),
		date: b.date(), taxIncluded: b.chance(30),
	}
	i.acct = i.date.AddDate(0, 0, pick(b.rnd, 0, 0, 0, 5, -5))
	for range 1 + b.rnd.IntN(3) {
		l := invoiceLine{place: b.of(p), id: b.id(), product: pick(b.rnd, products...), qty: 1 + b.rnd.IntN(9), net: b.money(i.currency)}
		l.tax = l.net / 1000 * 100
		if l.product != 0 && b.chance(80) {
			l.limit = l.net / l.qty / 200 * 100
		}
		i.lines = append(i.lines, l)
	}
	b.invoices = append(b.invoices, i)
	switch i.status {
	case "VO":
		for n := range i.lines {
			i.lines[n].net, i.lines[n].tax, i.lines[n].qty = 0, 0, 0
		}
		i.paid = true
		return
	case "RE":
		i.paid = true
		back := *i
		back.id, back.date, back.lines = b.id(), i.date.AddDate(0, 0, pick(b.rnd, 0, 35)), slices.Clone(i.lines)
		back.acct = back.date
		for n := range back.lines {
			l := &back.lines[n]
			l.id, l.net, l.tax, l.qty = b.id(), -l.net, -l.tax, -l.qty
		}
		b.invoices = append(b.invoices, &back)
		return
	case "DR", "IP":
		return
	}
	if i.base == "ARF" {
		return
	}
	if b.chance(25) {
		i.scheduled = b.chance(85)
		left := i.grand()
		for n := range 3 {
			due := left / 300 * 100
			if n == 2 {
				due = left
			}
			left -= due
			i.parts = append(i.parts, part{b.of(p), b.id(), due, i.date.AddDate(0, n, 3), true})
		}
		if b.chance(30) {
			i.parts = append(i.parts, part{p, b.id(), i.grand(), i.date, false})
		}
	}
	for range b.rnd.IntN(4) {
		b.allocate(i, i.grand()/(2+b.rnd.IntN(4)))
	}
	if b.chance(25) { // all of it
		b.allocs = append(b.allocs, &allocation{place: p, id: b.id(), currency: i.currency, status: "CO", active: true, trx: i.date.AddDate(0, 0, 20), acct: i.date.AddDate(0, 0, 20),
			lines: []allocationLine{{place: p, id: b.id(), invoice: i.id, amount: i.flow() * (i.grand() - 300), discount: i.flow() * 200, writeOff: i.flow() * 100}}})
		i.paid = true
	}
}

// flow is the sign of allocations: vendors and credit memos are paid.
func (i *invoice) flow() int {
	if i.base == "ARC" || i.base == "API" {
		return -1
	}
	return 1
}

// grand is the total with tax.
func (i *invoice) grand() int {
	sum := 0
	for _, l := range i.lines {
		sum += l.net
		if !i.taxIncluded {
			sum += l.tax
		}
	}
	return sum
}

func (b *books) allocate(i *invoice, amount int) {
	p := b.of(i.place)
	currency := i.currency
	if b.chance(35) {
		currency = b.currency()
	}
	date := i.date.AddDate(0, 0, b.rnd.IntN(90))
	a := &allocation{place: p, id: b.id(), currency: currency, status: pick(b.rnd, "CO", "CO", "CO", "CL", "DR", "VO", "RE"), active: b.chance(92), trx: date, acct: date.AddDate(0, 0, pick(b.rnd, 0, 0, 4))}
	amount = amount / 100 * 100
	a.lines = append(a.lines, allocationLine{place: b.of(p), id: b.id(), invoice: i.id, amount: i.flow() * amount, discount: i.flow() * pick(b.rnd, 0, 0, 100), writeOff: i.flow() * pick(b.rnd, 0, 0, 50)})
	b.allocs = append(b.allocs, a)
	if a.status == "RE" && b.chance(50) { // reversed later by its opposite
		back := *a
		back.id, back.acct, back.lines = b.id(), a.acct.AddDate(0, 0, 40), slices.Clone(a.lines)
		l := &back.lines[0]
		l.id, l.amount, l.discount, l.writeOff = b.id(), -l.amount, -l.discount, -l.writeOff
		b.allocs = append(b.allocs, &back)
	}
}

func (b *books) addPayment() {
	p := &payment{
		place: b.place(), id: b.id(), partner: firstPartner + b.rnd.IntN(6), currency: b.currency(), kind: pick(b.rnd, 0, spot, other), receipt: b.chance(60), reconciled: b.chance(40),
		allocated: b.chance(40), charge: b.chance(10), status: pick(b.rnd, "CO", "CO", "CO", "CL", "DR", "VO", "RE"), date: b.date(),
	}
	p.amount = b.money(p.currency)
	if b.chance(85) {
		p.bank = b.banks[b.rnd.IntN(len(b.banks))].id
	}
	if p.status == "VO" {
		p.amount = 0
	}
	b.payments = append(b.payments, p)
	if p.status == "RE" {
		back := *p
		back.id, back.amount, back.date = b.id(), -p.amount, p.date.AddDate(0, 0, pick(b.rnd, 0, 35))
		b.payments = append(b.payments, &back)
	}
	for range b.rnd.IntN(3) {
		at := b.of(p.place)
		a := &allocation{place: at, id: b.id(), currency: pick(b.rnd, p.currency, p.currency, eur, chf), status: pick(b.rnd, "CO", "CO", "CL", "DR"), active: true, trx: p.date, acct: p.date}
		amount := p.amount / 400 * 100
		if !p.receipt {
			amount = -amount
		}
		a.lines = append(a.lines, allocationLine{place: b.of(at), id: b.id(), payment: p.id, amount: amount})
		b.allocs = append(b.allocs, a)
	}
}

func (b *books) addOrder() {
	p := b.place()
	o := &order{
		place: p, id: b.id(), partner: firstPartner + b.rnd.IntN(6), currency: b.currency(), kind: pick(b.rnd, 0, spot, other), base: pick(b.rnd, "SOO", "SOO", "SOO", "POO"),
		status: pick(b.rnd, "CO", "CO", "CO", "CL", "DR", "IP", "VO"), date: b.date(),
	}
	o.promised = o.date.AddDate(0, 0, b.rnd.IntN(40))
	if o.base == "SOO" {
		o.sub = pick(b.rnd, "", "", "", "", "ON", "OB", "RM")
	}
	for range 1 + b.rnd.IntN(3) {
		l := orderLine{place: b.of(p), id: b.id(), product: pick(b.rnd, products...), ordered: 1 + b.rnd.IntN(20), price: b.money(o.currency) / 100 * 100}
		l.delivered = pick(b.rnd, 0, l.ordered, b.rnd.IntN(l.ordered+1), l.ordered+2)
		l.invoiced = pick(b.rnd, 0, l.delivered, b.rnd.IntN(l.ordered+1))
		o.lines = append(o.lines, l)
	}
	b.orders = append(b.orders, o)
	for range b.rnd.IntN(3) {
		b.inouts = append(b.inouts, inout{place: b.of(p), id: b.id(), order: o.id, status: pick(b.rnd, "CO", "CO", "CL", "DR", "RE"), moving: pick(b.rnd, "C-", "C-", "C+", "V+"), date: o.date.AddDate(0, 0, b.rnd.IntN(30))})
	}
}
