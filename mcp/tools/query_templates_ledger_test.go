package tools_test

import (
	"math/big"
	"math/rand/v2"
	"time"
)

// ledger is a tenant's documents, made at random, as rows and as the figures
// that follow from them by the rules of the ERP. It shares nothing with the
// templates it is compared with.
type ledger struct {
	rnd      *rand.Rand
	next     int
	invoices []*invoiceDoc
	allocs   []allocDoc
	payments []paymentDoc
	orders   []orderDoc
	facts    []factRow
	rates    []rateRow
}

type invoiceDoc struct {
	id, docType, currency, partner, term int
	sotrx                                bool
	status                               string
	date, acct                           time.Time
	net, tax                             int // in hundredths
	taxID                                int
	paid, scheduled                      bool
	settled                              bool // came from another system as paid
	parts                                []schedulePart
}

func (i *invoiceDoc) grand() int { return i.net + i.tax }

// sign is -1 for credit memos.
func (i *invoiceDoc) sign() int {
	if i.docType == 118 || i.docType == 124 {
		return -1
	}
	return 1
}

type schedulePart struct {
	id, due int
	date    time.Time
	valid   bool
}

type allocDoc struct {
	id, currency, org int
	status            string
	active            bool
	trx, acct         time.Time
	lines             []allocLine
}

type allocLine struct{ invoice, amount, discount, writeOff int }

type paymentDoc struct {
	id, currency, amount, bank int
	receipt                    bool
	status                     string
	date                       time.Time
}

type orderDoc struct {
	id, docType, currency, partner int
	sotrx                          bool
	status                         string
	date                           time.Time
	lines                          []orderLine
}

type orderLine struct{ product, qty, amount int }

func (o *orderDoc) total() int {
	sum := 0
	for _, l := range o.lines {
		sum += l.amount
	}
	return sum * 106 / 100
}

type factRow struct {
	schema, account, table, record, debit, credit int
	posting                                       string
	date                                          time.Time
}

type rateRow struct {
	id, client, org, from, to, kind int
	rate                            string
	since, until                    time.Time
	active                          bool
}

const (
	usd, eur, jpy, gbp, chf = 100, 102, 113, 114, 318
	proForma, proposal      = 900117, 900129
	returned                = 900149
	fixedTerm, longTerm     = 900105, 900106
)

var (
	isoCodes = map[int]string{usd: "USD", eur: "EUR", jpy: "JPY", gbp: "GBP", chf: "CHF"}
	digits   = map[int]int{usd: 2, eur: 2, jpy: 0, gbp: 2, chf: 2}
	partners = []int{112, 117, 118, 119, 121, 900001, 900002} // the last two have one name
	products = []int{122, 123, 128, 136, 0}
)

func day(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) }

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func (l *ledger) id() int { l.next++; return 2_000_000 + l.next }

func (l *ledger) date() time.Time { return day(2024, 1, 1).AddDate(0, 0, l.rnd.IntN(500)) }

// money is an amount the currency can have.
func (l *ledger) money(currency int) int {
	if digits[currency] == 0 {
		return (1 + l.rnd.IntN(5000)) * 100
	}
	return 1 + l.rnd.IntN(500_000)
}

func (l *ledger) chance(percent int) bool { return l.rnd.IntN(100) < percent }

// newLedger makes documents of every kind the templates must tell apart.
func newLedger(seed uint64) *ledger {
	l := &ledger{rnd: rand.New(rand.NewPCG(seed, 14))}
	year := func(y int) (time.Time, time.Time) { return day(y, 1, 1), day(y, 12, 31) }
	for i, r := range []struct {
		client, org, from, to, kind, year int
		rate                              string
		active                            bool
	}{
		{0, 0, eur, usd, 114, 2024, "9", true}, {11, 0, eur, usd, 114, 2024, "1.08", true}, // the tenant's own goes first
		{11, 0, usd, eur, 114, 2024, "0.925925925926", true}, {11, 0, eur, usd, 114, 2025, "1.1", true},
		{11, 0, gbp, usd, 114, 2024, "1.27", true}, {11, 11, gbp, usd, 114, 2024, "1.31", true}, // the organization's goes first
		{11, 0, usd, jpy, 114, 2024, "151.337", true}, {11, 0, usd, jpy, 200, 2024, "7", true}, // of another type
		{11, 0, chf, usd, 114, 2024, "1.12", false}, {0, 0, eur, jpy, 114, 2024, "163.5", true},
	} {
		since, until := year(r.year)
		l.rates = append(l.rates, rateRow{2_900_000 + i, r.client, r.org, r.from, r.to, r.kind, r.rate, since, until, r.active})
	}
	l.addNamed()
	for range 90 {
		l.addInvoice()
	}
	for _, i := range l.invoices {
		if i.status == "CO" || i.status == "CL" {
			i.paid = i.settled || l.openSum(i, time.Time{}).Sign() == 0
		}
	}
	for range 25 {
		l.addPayment()
		l.addOrder()
	}
	for range 20 {
		l.addOrder()
		debit := l.money(usd)
		date, record := l.date(), l.id()
		credit := debit
		if l.chance(10) {
			credit++
		}
		posting := pick(l.rnd, "A", "A", "A", "B")
		l.facts = append(l.facts, factRow{101, 501, 318, record, debit, 0, posting, date}, factRow{101, pick(l.rnd, 504, 505), 318, record, 0, credit, posting, date})
	}
	return l
}

func (l *ledger) addInvoice() {
	i := &invoiceDoc{
		id: l.id(), docType: pick(l.rnd, 116, 116, 116, 118, 118, 123, 124, proForma), currency: pick(l.rnd, usd, usd, eur, jpy, gbp, chf),
		partner: pick(l.rnd, partners...), term: pick(l.rnd, 105, 106, 107, fixedTerm, longTerm), date: l.date(),
		status: pick(l.rnd, "CO", "CO", "CO", "CO", "CL", "DR", "IP", "VO", "RE"), taxID: pick(l.rnd, 104, 105),
	}
	i.sotrx = i.docType != 123 && i.docType != 124
	i.acct = i.date.AddDate(0, 0, pick(l.rnd, 0, 0, 3, -3))
	i.net = l.money(i.currency)
	if i.taxID == 105 {
		i.tax = i.net / 10000 * 600 // whole units, which every currency has
	}
	l.invoices = append(l.invoices, i)
	switch {
	case i.status == "RE":
		l.reverse(i)
		return
	case i.status == "VO":
		i.net, i.tax = 0, 0
	}
	if i.status == "CO" && l.chance(30) {
		i.scheduled = l.chance(85)
		left := i.grand()
		for n := 1 + l.rnd.IntN(3); n > 0; n-- {
			due := left
			if n > 1 {
				due = left / 300 * 100
			}
			if left -= due; due > 0 {
				i.parts = append(i.parts, schedulePart{l.id(), due, i.date.AddDate(0, 0, 20*(4-n)), true})
			}
		}
		if l.chance(20) { // one that is no longer valid
			i.parts = append(i.parts, schedulePart{l.id(), i.grand(), i.date, false})
		}
	}
	if i.status == "CO" || i.status == "CL" {
		for range l.rnd.IntN(4) {
			l.allocate(i)
		}
		if l.chance(20) { // all that is left, with discount and write-off
			rest := i.grand() - i.sign()*l.paidCents(i)
			if rest > 300 {
				l.addAlloc(i, i.currency, "CO", rest-300, 200, 100)
			}
		}
	}
	i.paid = i.status == "VO"
}

// addNamed makes what chance makes too rarely.
func (l *ledger) addNamed() {
	invoice := func(docType, currency, amount int, date time.Time, term int) *invoiceDoc {
		i := &invoiceDoc{
			id: l.id(), docType: docType, currency: currency, partner: pick(l.rnd, partners...), term: term, date: date, acct: date,
			sotrx: true, status: "CO", net: amount, taxID: 104,
		}
		l.invoices = append(l.invoices, i)
		return i
	}
	allocated := func(i *invoiceDoc, currency, amount, org int, trx, acct time.Time) *allocDoc {
		l.allocs = append(l.allocs, allocDoc{
			id: l.id(), currency: currency, org: org, status: "CO", active: true, trx: trx, acct: acct, lines: []allocLine{{i.id, amount, 0, 0}},
		})
		return &l.allocs[len(l.allocs)-1]
	}
	parts := func(i *invoiceDoc, amounts ...int) {
		i.scheduled = true
		for n, due := range amounts {
			i.parts = append(i.parts, schedulePart{l.id(), due, i.date.AddDate(0, n+1, 0), true})
		}
	}
	spring := day(2024, 3, 5)
	invoice(116, usd, 50_000, day(2024, 5, 21), fixedTerm) // due with those of the 20th
	invoice(116, usd, 50_000, day(2024, 5, 22), fixedTerm) // due a month later
	invoice(116, usd, 50_000, day(2024, 1, 31), fixedTerm) // February has no 31st
	invoice(116, usd, 50_000, spring, 105).settled = true
	yen := invoice(116, jpy, 1_000_000, spring, 105)
	for range 3 { // each is rounded, not their sum
		allocated(yen, usd, 99, 11, spring, spring)
	}
	i := invoice(116, usd, 500_000, spring, 105)
	allocated(i, eur, 1_000, 11, spring, spring)
	allocated(i, eur, 1_000, 11, day(2024, 12, 31), day(2025, 1, 2)) // the rate is that of the transaction
	allocated(i, gbp, 1_000, 11, spring, spring)                     // by the organization's rate
	allocated(i, gbp, 1_000, 12, spring, spring)                     // by that of all
	allocated(i, chf, 1_000, 11, spring, spring)                     // whose rate is off
	allocated(i, eur, 1_000, 11, day(2023, 6, 1), spring)            // before any rate
	back := allocated(invoice(116, usd, 70_000, day(2025, 1, 10), 105), usd, 30_000, 11, day(2025, 2, 20), day(2025, 2, 20))
	back.status = "RE"
	again := *back
	again.id, again.acct = l.id(), day(2025, 4, 6) // reversed later
	again.lines = []allocLine{{back.lines[0].invoice, -30_000, 0, 0}}
	l.allocs = append(l.allocs, again)

	parted := func(docType, paid int) *invoiceDoc {
		i := invoice(docType, usd, 90_000, day(2024, 4, 2), 105)
		parts(i, 30_000, 30_000, 30_000)
		if paid != 0 {
			allocated(i, usd, paid, 11, day(2024, 6, 1), day(2024, 6, 1))
		}
		return i
	}
	for _, paid := range []int{0, 10_000, 30_000, 45_000, 89_999, 95_000, -500} {
		parted(116, paid)
	}
	parted(118, -45_000)
	parted(116, 45_000).scheduled = false // the schedule does not hold
}

// paidCents is what was allocated in the invoice's own currency and counts.
func (l *ledger) paidCents(i *invoiceDoc) int {
	sum, _ := l.allocated(i, time.Time{})
	return int(new(big.Int).Quo(new(big.Rat).Mul(sum, big.NewRat(100, 1)).Num(), new(big.Rat).Mul(sum, big.NewRat(100, 1)).Denom()).Int64())
}

func (l *ledger) reverse(i *invoiceDoc) {
	back := *i
	back.id, back.net, back.tax = l.id(), -i.net, -i.tax
	back.date = i.date.AddDate(0, 0, pick(l.rnd, 0, 40))
	back.acct = back.date
	i.paid, back.paid = true, true
	l.invoices = append(l.invoices, &back)
	l.allocs = append(l.allocs, allocDoc{
		id: l.id(), currency: i.currency, status: "CO", active: true, trx: back.date, acct: back.date,
		lines: []allocLine{{invoice: i.id, amount: i.sign() * i.grand()}, {invoice: back.id, amount: -i.sign() * i.grand()}},
	})
}

// allocate adds an allocation of part of the invoice, which may not count.
func (l *ledger) allocate(i *invoiceDoc) {
	currency := i.currency
	if l.chance(40) {
		currency = pick(l.rnd, usd, eur, gbp, jpy, chf)
	}
	share := i.grand() / (2 + l.rnd.IntN(4)) / 100 * 100
	discount, writeOff := 0, 0
	if l.chance(30) {
		discount, writeOff = share/1000*100, pick(l.rnd, 0, 100)
	}
	l.addAlloc(i, currency, pick(l.rnd, "CO", "CO", "CO", "CL", "DR", "IP", "corrected", "accrued"), share, discount, writeOff)
}

func (l *ledger) addAlloc(i *invoiceDoc, currency int, state string, amount, discount, writeOff int) {
	sign := i.sign()
	if !i.sotrx {
		sign = -sign // vendors are paid
	}
	date := i.date.AddDate(0, 0, l.rnd.IntN(90))
	a := allocDoc{
		id: l.id(), currency: currency, org: pick(l.rnd, 11, 12), status: state, active: true, trx: date, acct: date.AddDate(0, 0, pick(l.rnd, 0, 2)),
		lines: []allocLine{{i.id, sign * amount, sign * discount, sign * writeOff}},
	}
	switch state {
	case "corrected": // reversed on its own day: it is off, and nothing is left of it
		a.status, a.active = "RE", false
	case "accrued": // reversed later by its opposite
		a.status = "RE"
		back := a
		back.id, back.trx, back.acct = l.id(), a.trx, a.acct.AddDate(0, 0, 45)
		back.lines = []allocLine{{i.id, -sign * amount, -sign * discount, -sign * writeOff}}
		l.allocs = append(l.allocs, back)
	}
	l.allocs = append(l.allocs, a)
}

func (l *ledger) addPayment() {
	p := paymentDoc{
		id: l.id(), currency: pick(l.rnd, usd, usd, eur, jpy), bank: pick(l.rnd, 100, 101, 0), receipt: l.chance(60), date: l.date(),
		status: pick(l.rnd, "CO", "CO", "CL", "DR", "IP", "VO", "RE"),
	}
	if p.amount = l.money(p.currency); p.status == "VO" {
		p.amount = 0
	}
	l.payments = append(l.payments, p)
	if p.status == "RE" {
		back := p
		back.id, back.amount, back.date = l.id(), -p.amount, p.date.AddDate(0, 0, pick(l.rnd, 0, 35))
		l.payments = append(l.payments, back)
	}
}

func (l *ledger) addOrder() {
	o := orderDoc{
		id: l.id(), docType: pick(l.rnd, 132, 132, 132, 128, proposal, returned, 126, 126), currency: pick(l.rnd, usd, usd, eur, jpy),
		partner: pick(l.rnd, partners...), date: l.date(), status: pick(l.rnd, "CO", "CO", "CO", "CL", "DR", "IP", "VO"),
	}
	o.sotrx = o.docType != 126
	for range 1 + l.rnd.IntN(3) {
		o.lines = append(o.lines, orderLine{pick(l.rnd, products...), 1 + l.rnd.IntN(20), l.money(o.currency) / 100 * 100})
	}
	l.orders = append(l.orders, o)
}
