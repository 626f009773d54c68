package synthdict

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode"
)

var (
	prefixes = strings.Fields("A AD C C C GL HR I K M M PA PP R S T W XX")
	nouns    = strings.Fields(`Account Activity Address Agreement Allocation Amount Approval Area Asset Attribute Audit Bank
		Basket Batch Bin Bonus Branch Budget Bundle Calendar Campaign Capacity Card Carrier Category Certificate Change
		Channel Charge Claim Class Code Commission Contact Contract Cost Country Credit Currency Customer Cycle Dealer
		Delivery Demand Deposit Discount Document Duty Employee Entry Event Exchange Expense Factor Fee Forecast Freight
		Fund Grade Group Guarantee Holding Import Income Inspection Interest Invoice Item Job Journal Label Lease Ledger
		Level License Limit Line List Location Loss Lot Machine Market Material Measure Member Method Model Movement Note
		Notice Offer Office Option Outlet Package Partner Payment Payroll Penalty Period Permit Plan Policy Position
		Premium Price Process Product Profile Program Project Promotion Quality Quantity Quota Rate Rating Receipt Record
		Refund Region Release Rental Repair Report Request Reserve Resource Return Revenue Review Reward Role Route
		Royalty Rule Salary Sample Schedule Season Sector Serial Service Shift Shipment Site Slot Source Stage Standard
		Status Step Stock Storage Strategy Supplier Supply Survey Target Tariff Task Tax Team Term Test Ticket Time Token
		Tool Topic Trade Training Transfer Transit Trip Type Unit Usage User Vacation Value Variant Vendor Version Visit
		Volume Voucher Wage Warehouse Warranty Waste Weight Workplace Yield Zone`)
	verbs = strings.Fields(`identifies describes limits determines shows refers records groups follows replaces precedes
		controls explains measures counts names closes opens starts ends`)
	small = strings.Fields(`the a of for and with by within which is are that used this entry value when any each to from`)
)

// naming makes names that differ without regard to case.
type naming struct {
	r     *rand.Rand
	taken map[string]bool
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

func (n *naming) unique(make func() string) string {
	for try := 0; ; try++ {
		name := make()
		if try > 20 {
			name += fmt.Sprint(try)
		}
		if !n.taken[strings.ToLower(name)] {
			n.taken[strings.ToLower(name)] = true
			return name
		}
	}
}

// table is a name such as C_BatchOutlet.
func (n *naming) table() string {
	return n.unique(func() string { return pick(n.r, prefixes) + "_" + pick(n.r, nouns) + pick(n.r, nouns) })
}

// label puts the words of a name apart.
func label(name string) string {
	if i := strings.IndexByte(name, '_'); i > 0 && i < 4 {
		name = name[i+1:]
	}
	name = strings.TrimSuffix(name, "_ID")
	var b strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// sentence is a text of that many words.
func sentence(r *rand.Rand, words int) string {
	out := make([]string, 0, words+2)
	out = append(out, "The", pick(r, nouns), pick(r, verbs))
	for len(out) < words {
		if r.IntN(3) == 0 {
			out = append(out, pick(r, nouns))
		} else {
			out = append(out, pick(r, small))
		}
	}
	return strings.Join(out, " ") + "."
}

// uuid is made from random bits, always the same for one generator.
func uuid(r *rand.Rand) string {
	a, b := r.Uint64(), r.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", uint32(a), uint16(a>>32), a>>48&0xfff, b&0xfff, b>>16)
}
