package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// addTrade makes orders and what follows from them, from lines of the form
//
//	<so|po|quote> <id> <document no> <partner> <date> <status> [org=.. | ship | inv | paid | paying | tax=..]
//	  <product> <quantity> [price]
//
// Prices come from the price lists, sums and taxes are computed, and ship,
// inv and paid add a completed shipment, invoice and payment; paying adds a payment
// that is a draft.
func (b *builder) addTrade() error {
	tr := &trade{b: b, prices: map[[2]int64]int64{}, lists: map[[2]int64]int64{}, rates: map[int64]int64{}}
	tr.readMasterData()
	var last *order
	flush := func() {
		if last != nil {
			tr.write(last)
		}
	}
	err := eachLine("trade/orders.txt", func(line string, indented bool) error {
		if indented {
			if last == nil {
				return fmt.Errorf("a line before the first order")
			}
			return tr.parseLine(last, line)
		}
		flush()
		var err error
		last, err = tr.parseOrder(line)
		return err
	})
	if err != nil {
		return err
	}
	flush()
	return b.err
}

// trade knows the master data that orders are made from.
type trade struct {
	b      *builder
	prices map[[2]int64]int64 // standard price in cents by price list version and product
	lists  map[[2]int64]int64 // list price likewise
	uom    map[int64]int64    // by product
	rates  map[int64]int64    // per cent by tax
	// rows of business partners' addresses and contacts by partner
	location, contact map[int64]int64
	owner             map[int64]int64 // tenant of a partner

	nextLine, nextShip, nextShipLine, nextInvoice, nextInvoiceLine, nextPayment, nextAlloc, nextAllocLine, nextFact int64
}

// tenantDocs are the document types and defaults of a tenant.
type tenantDocs struct {
	org, warehouse, list, version, term, salesRep                     int64
	order, purchase, quote, invoice, vendorInvoice, shipment, receipt int64
	payment, vendorPayment, tax, bank                                 int64
}

func docsOf(client, org int64) tenantDocs {
	if client == 1_000_000 {
		return tenantDocs{
			org: 1_000_000, warehouse: 1_000_000, list: 1_000_000, version: 1_000_000, term: 1_000_000, salesRep: 1_000_000,
			order: 1_000_000, invoice: 1_000_001, payment: 1_000_002, shipment: 1_000_003, tax: 1_000_000,
		}
	}
	d := tenantDocs{
		org: 11, warehouse: 103, list: 101, version: 104, term: 105, salesRep: 104,
		order: 132, purchase: 126, quote: 128, invoice: 116, vendorInvoice: 123, shipment: 120, receipt: 122,
		payment: 119, vendorPayment: 125, tax: 105, bank: 100,
	}
	if org == 12 {
		d.org, d.warehouse, d.bank = 12, 104, 101
	}
	return d
}

type order struct {
	kind, docNo, status string
	id, client, partner int64
	date                time.Time
	docs                tenantDocs
	sales               bool
	ship, invoice, paid bool
	paying              bool // by a payment that is a draft
	lines               []orderLine
	total, taxed        int64 // cents
	shipLines, invLines []int64
}

type orderLine struct {
	id, product, uom    int64
	qty                 int64
	list, price, amount int64 // cents
}

func (tr *trade) readMasterData() {
	tr.uom, tr.location, tr.contact, tr.owner = map[int64]int64{}, map[int64]int64{}, map[int64]int64{}, map[int64]int64{}
	tr.nextLine, tr.nextShip, tr.nextShipLine, tr.nextInvoice, tr.nextInvoiceLine = 100, 100, 100, 100, 100
	tr.nextPayment, tr.nextAlloc, tr.nextAllocLine, tr.nextFact = 100, 100, 100, 100
	price := tr.b.sheets["M_ProductPrice"]
	tr.b.each("M_ProductPrice", func(at func(string) int64, row []any) {
		key := [2]int64{at("M_PriceList_Version_ID"), at("M_Product_ID")}
		tr.prices[key] = cents(row[price.index["PriceStd"]])
		tr.lists[key] = cents(row[price.index["PriceList"]])
	})
	tax := tr.b.sheets["C_Tax"]
	tr.b.each("C_Tax", func(at func(string) int64, row []any) { tr.rates[at("C_Tax_ID")] = cents(row[tax.index["Rate"]]) / 100 })
	tr.b.each("M_Product", func(at func(string) int64, _ []any) { tr.uom[at("M_Product_ID")] = at("C_UOM_ID") })
	tr.b.each("C_BPartner", func(at func(string) int64, _ []any) { tr.owner[at("C_BPartner_ID")] = at("AD_Client_ID") })
	first := func(into map[int64]int64, key string) func(func(string) int64, []any) {
		return func(at func(string) int64, _ []any) {
			if bp := at("C_BPartner_ID"); bp != 0 && into[bp] == 0 {
				into[bp] = at(key)
			}
		}
	}
	tr.b.each("C_BPartner_Location", first(tr.location, "C_BPartner_Location_ID"))
	tr.b.each("AD_User", first(tr.contact, "AD_User_ID"))
}

func (tr *trade) parseOrder(line string) (*order, error) {
	w := strings.Fields(line)
	if len(w) < 6 {
		return nil, fmt.Errorf("not an order: %q", line)
	}
	o := &order{kind: w[0], docNo: w[2], status: w[5], sales: w[0] != "po"}
	var err error
	if o.id, err = strconv.ParseInt(w[1], 10, 64); err != nil {
		return nil, err
	}
	if o.partner, err = strconv.ParseInt(w[3], 10, 64); err != nil {
		return nil, err
	}
	if o.date, err = time.Parse(time.DateOnly, w[4]); err != nil {
		return nil, err
	}
	var ok bool
	if o.client, ok = tr.owner[o.partner]; !ok || tr.location[o.partner] == 0 {
		return nil, fmt.Errorf("partner %d does not exist or has no address", o.partner)
	}
	org, tax := int64(0), int64(0)
	numbers := map[string]*int64{"org": &org, "tax": &tax}
	flags := map[string]*bool{"ship": &o.ship, "inv": &o.invoice, "paid": &o.paid, "paying": &o.paying}
	for _, word := range w[6:] {
		name, value, _ := strings.Cut(word, "=")
		if flag := flags[name]; flag != nil {
			*flag = true
			continue
		}
		number := numbers[name]
		if number == nil {
			return nil, fmt.Errorf("unknown word %q", word)
		}
		if *number, err = strconv.ParseInt(value, 10, 64); err != nil {
			return nil, err
		}
	}
	o.docs = docsOf(o.client, org)
	switch o.kind {
	case "so":
	case "quote":
		o.docs.order = o.docs.quote
	case "po":
		o.docs.order, o.docs.list, o.docs.version = o.docs.purchase, 102, 105
		o.docs.invoice, o.docs.payment, o.docs.shipment, o.docs.tax = o.docs.vendorInvoice, o.docs.vendorPayment, o.docs.receipt, 104
	default:
		return nil, fmt.Errorf("unknown kind %q", o.kind)
	}
	if tax != 0 {
		o.docs.tax = tax
	}
	return o, nil
}

func (tr *trade) parseLine(o *order, line string) error {
	w := strings.Fields(line)
	if len(w) != 2 && len(w) != 3 {
		return fmt.Errorf("not an order line: %q", line)
	}
	product, err1 := strconv.ParseInt(w[0], 10, 64)
	qty, err2 := strconv.ParseInt(w[1], 10, 64)
	if err1 != nil || err2 != nil {
		return fmt.Errorf("not an order line: %q", line)
	}
	key := [2]int64{o.docs.version, product}
	l := orderLine{id: tr.nextLine, product: product, uom: tr.uom[product], qty: qty, list: tr.lists[key], price: tr.prices[key]}
	tr.nextLine++
	if len(w) == 3 {
		l.price = cents(w[2])
	}
	if l.uom == 0 || l.price == 0 {
		return fmt.Errorf("product %d has no unit or no price", product)
	}
	l.list = cmp.Or(l.list, l.price)
	l.amount = l.qty * l.price
	o.total += l.amount
	o.lines = append(o.lines, l)
	return nil
}

// cents reads an amount with at most two digits after the point.
func cents(v any) int64 {
	if n, ok := v.(int64); ok {
		return n * 100
	}
	s, _ := v.(string)
	whole, frac, _ := strings.Cut(s, ".")
	frac = (frac + "00")[:2]
	n, err := strconv.ParseInt(whole+frac, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func money(cents int64) string {
	if cents < 0 {
		return "-" + money(-cents)
	}
	return fmt.Sprintf("%d.%02d", cents/100, cents%100)
}

// done reports whether a document of the order's status is processed.
func (o *order) done() bool { return slices.Contains([]string{"CO", "CL", "VO", "RE"}, o.status) }

func dateText(t time.Time) string { return t.Format(time.DateTime) }
