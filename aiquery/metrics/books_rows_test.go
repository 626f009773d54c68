package metrics_test

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
)

// bookTables are those whose rows are the books' alone, those that refer to others
// first.
var bookTables = strings.Fields(`C_AllocationLine C_AllocationHdr C_InvoicePaySchedule C_InvoiceTax C_InvoiceLine C_Invoice C_Payment C_OrderTax C_OrderLine C_Order M_InOutLine M_InOut
	C_Conversion_Rate M_StorageOnHand M_StorageReservation M_Transaction C_BankAccount`)

// masterRows are of names that the books refer to.
var masterRows = map[string]string{
	"C_DocType": "C_DocType_ID", "C_PaymentTerm": "C_PaymentTerm_ID", "C_BPartner": "C_BPartner_ID", "M_Warehouse": "M_Warehouse_ID", "M_Locator": "M_Locator_ID", "M_Product": "M_Product_ID",
}

type decimal string

func cents(n int) decimal { return decimal(big.NewRat(int64(n), 100).FloatString(2)) }

func yes(b bool) string {
	if b {
		return "Y"
	}
	return "N"
}

func ref(id int) any {
	if id == 0 {
		return nil
	}
	return id
}

func literal(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case int:
		return fmt.Sprint(v)
	case time.Time:
		return "'" + v.Format(time.DateTime) + "'"
	}
	return "'" + strings.ReplaceAll(fmt.Sprint(v), "'", "''") + "'"
}

// script writes rows as statements for either database.
type script struct {
	strings.Builder
	t      testing.TB
	reg    registry.Registry
	tables map[string]registry.Table
}

func (s *script) add(table string, p place, pairs ...any) {
	row := map[string]any{"AD_Client_ID": p.client, "AD_Org_ID": p.org, "IsActive": "Y"}
	for i := 0; i < len(pairs); i += 2 {
		row[pairs[i].(string)] = pairs[i+1]
	}
	described, ok := s.tables[table]
	if !ok {
		var err error
		described, err = s.reg.Table(s.t.Context(), table)
		require.NoError(s.t, err)
		s.tables[table] = described
	}
	for _, c := range described.Columns { // what a row cannot do without
		if _, given := row[c.Name]; given || !c.Mandatory || c.Virtual() {
			continue
		}
		switch kind := c.Type.SQLType(dict.PostgreSQL, c.Name, c.Length); {
		case c.Type == dict.TypeYesNo:
			row[c.Name] = "N"
		case strings.Contains(kind, "CHAR"):
			row[c.Name] = "-"
		case strings.Contains(kind, "TIME"):
			row[c.Name] = day(2024, 1, 1)
		default:
			row[c.Name] = 0
		}
	}
	names := slices.Sorted(maps.Keys(row))
	values := make([]string, len(names))
	for i, n := range names {
		values[i] = literal(row[n])
	}
	fmt.Fprintf(s, "INSERT INTO %s (%s) VALUES (%s);\n", table, strings.Join(names, ", "), strings.Join(values, ", "))
}

// rows is the books as statements.
func (b *books) rows(t testing.TB, reg registry.Registry) string {
	s := &script{t: t, reg: reg, tables: map[string]registry.Table{}}
	for _, table := range bookTables {
		fmt.Fprintf(s, "DELETE FROM %s;\n", table)
	}
	for _, table := range slices.Sorted(maps.Keys(masterRows)) {
		fmt.Fprintf(s, "DELETE FROM %s WHERE %s BETWEEN 4100000 AND 4999999;\n", table, masterRows[table])
	}
	s.WriteString("UPDATE AD_Role SET MaxQueryRecords = 0;\n")
	everywhere := place{0, 0}
	for _, key := range slices.Sorted(maps.Keys(docTypes)) {
		sub := any(nil)
		if len(key) > 3 {
			sub = key[3:]
		}
		s.add("C_DocType", everywhere, "C_DocType_ID", docTypes[key], "Name", "Type "+key, "DocBaseType", key[:3], "DocSubTypeSO", sub)
	}
	s.add("C_PaymentTerm", everywhere, "C_PaymentTerm_ID", fixedTerm, "Value", "fixed", "Name", "fixed", "NetDays", 7, "IsDueFixed", "Y", "FixMonthDay", 31, "FixMonthOffset", 1, "FixMonthCutoff", 20)
	for n := range 6 {
		s.add("C_BPartner", partnerPlace(n), "C_BPartner_ID", firstPartner+n, "Value", fmt.Sprintf("P%d", n), "Name", "Partner", "C_BP_Group_ID", 103, "IsCustomer", "Y")
	}
	for _, id := range []int{store, yard} {
		s.add("M_Warehouse", place{11, 0}, "M_Warehouse_ID", id, "Value", fmt.Sprint(id), "Name", fmt.Sprint("W", id), "C_Location_ID", 109)
		s.add("M_Locator", place{11, 0}, "M_Locator_ID", id, "Value", fmt.Sprint("L", id), "M_Warehouse_ID", id, "X", "0", "Y", "0", "Z", "0")
	}
	for _, id := range products[1:] {
		s.add("M_Product", place{11, 0}, "M_Product_ID", id, "Value", fmt.Sprint(id), "Name", "Product", "C_UOM_ID", 100, "M_Product_Category_ID", 105)
	}
	for _, r := range b.rates {
		s.add("C_Conversion_Rate", r.place, "C_Conversion_Rate_ID", r.id, "C_Currency_ID", r.from, "C_Currency_ID_To", r.to, "C_ConversionType_ID", r.kind,
			"MultiplyRate", decimal(r.rate), "DivideRate", decimal("1"), "ValidFrom", r.since, "ValidTo", r.until, "IsActive", yes(r.active))
	}
	for _, i := range b.invoices {
		s.add("C_Invoice", i.place, "C_Invoice_ID", i.id, "DocumentNo", fmt.Sprint(i.id), "C_DocType_ID", docTypes[i.base], "C_DocTypeTarget_ID", docTypes[i.base], "DocStatus", i.status,
			"C_BPartner_ID", i.partner, "C_PaymentTerm_ID", i.term, "C_Currency_ID", i.currency, "C_ConversionType_ID", ref(i.kind), "DateInvoiced", i.date, "DateAcct", i.acct,
			"GrandTotal", cents(i.grand()), "IsPaid", yes(i.paid), "IsSOTrx", yes(i.base[1] == 'R'), "IsPayScheduleValid", yes(i.scheduled), "IsTaxIncluded", yes(i.taxIncluded), "CreatedBy", 0)
		for n, l := range i.lines {
			s.add("C_InvoiceLine", l.place, "C_InvoiceLine_ID", l.id, "C_Invoice_ID", i.id, "Line", 10*(n+1), "M_Product_ID", ref(l.product), "QtyInvoiced", decimal(fmt.Sprint(l.qty)),
				"QtyEntered", decimal(fmt.Sprint(l.qty)), "LineNetAmt", cents(l.net), "TaxAmt", cents(l.tax), "PriceLimit", cents(l.limit))
		}
		for _, p := range i.parts {
			s.add("C_InvoicePaySchedule", p.place, "C_InvoicePaySchedule_ID", p.id, "C_Invoice_ID", i.id, "DueDate", p.date, "DueAmt", cents(p.due), "IsValid", yes(p.valid))
		}
	}
	for _, a := range b.allocs {
		s.add("C_AllocationHdr", a.place, "C_AllocationHdr_ID", a.id, "DocumentNo", fmt.Sprint(a.id), "C_Currency_ID", a.currency, "DocStatus", a.status, "DateTrx", a.trx, "DateAcct", a.acct, "IsActive", yes(a.active))
		for _, l := range a.lines {
			s.add("C_AllocationLine", l.place, "C_AllocationLine_ID", l.id, "C_AllocationHdr_ID", a.id, "C_Invoice_ID", ref(l.invoice), "C_Payment_ID", ref(l.payment), "Amount", cents(l.amount),
				"DiscountAmt", cents(l.discount), "WriteOffAmt", cents(l.writeOff), "DateTrx", a.trx)
		}
	}
	for _, k := range b.banks {
		s.add("C_BankAccount", k.place, "C_BankAccount_ID", k.id, "Value", k.name, "Name", k.name, "AccountNo", k.name, "C_Bank_ID", 100, "C_Currency_ID", k.currency, "CurrentBalance", cents(k.balance), "IsActive", yes(k.active))
	}
	for _, p := range b.payments {
		charge := 0
		if p.charge {
			charge = 100
		}
		s.add("C_Payment", p.place, "C_Payment_ID", p.id, "DocumentNo", fmt.Sprint(p.id), "C_BPartner_ID", p.partner, "C_Currency_ID", p.currency, "C_ConversionType_ID", ref(p.kind), "PayAmt", cents(p.amount),
			"C_BankAccount_ID", ref(p.bank), "IsReceipt", yes(p.receipt), "IsReconciled", yes(p.reconciled), "IsAllocated", yes(p.allocated), "C_Charge_ID", ref(charge), "DocStatus", p.status,
			"DateTrx", p.date, "DateAcct", p.date, "C_DocType_ID", docTypes["ARR"], "CreatedBy", 0)
	}
	for _, o := range b.orders {
		s.add("C_Order", o.place, "C_Order_ID", o.id, "DocumentNo", fmt.Sprint(o.id), "C_DocType_ID", docTypes[o.base+o.sub], "C_DocTypeTarget_ID", docTypes[o.base+o.sub], "DocStatus", o.status,
			"C_BPartner_ID", o.partner, "C_Currency_ID", o.currency, "C_ConversionType_ID", ref(o.kind), "DateOrdered", o.date, "DateAcct", o.date, "DatePromised", o.promised, "IsSOTrx", yes(o.base == "SOO"),
			"M_Warehouse_ID", store, "CreatedBy", 0)
		for n, l := range o.lines {
			s.add("C_OrderLine", l.place, "C_OrderLine_ID", l.id, "C_Order_ID", o.id, "Line", 10*(n+1), "M_Product_ID", ref(l.product), "QtyOrdered", decimal(fmt.Sprint(l.ordered)), "QtyDelivered", decimal(fmt.Sprint(l.delivered)),
				"QtyInvoiced", decimal(fmt.Sprint(l.invoiced)), "PriceActual", cents(l.price), "LineNetAmt", cents(l.price*l.ordered), "C_Currency_ID", o.currency)
		}
	}
	for _, m := range b.inouts {
		s.add("M_InOut", m.place, "M_InOut_ID", m.id, "DocumentNo", fmt.Sprint(m.id), "C_Order_ID", m.order, "DocStatus", m.status, "MovementType", m.moving, "MovementDate", m.date, "C_DocType_ID", docTypes["MMS"],
			"IsSOTrx", yes(m.moving[0] == 'C'), "CreatedBy", 0)
	}
	for n, k := range b.stored {
		if k.locator != 0 {
			s.add("M_StorageOnHand", k.place, "M_Product_ID", k.product, "M_Locator_ID", k.locator, "QtyOnHand", decimal(fmt.Sprint(k.onHand)), "M_AttributeSetInstance_ID", n)
		} else {
			s.add("M_StorageReservation", k.place, "M_Product_ID", k.product, "M_Warehouse_ID", store, "Qty", decimal(fmt.Sprint(k.qty)), "IsSOTrx", yes(k.sales), "M_AttributeSetInstance_ID", n)
		}
	}
	for _, m := range b.moves {
		s.add("M_Transaction", m.place, "M_Transaction_ID", m.id, "M_Product_ID", m.product, "M_Locator_ID", m.locator, "MovementQty", decimal(fmt.Sprint(m.qty)), "MovementType", m.kind, "MovementDate", m.date)
	}
	return s.String()
}

// partnerPlace is who sees a partner.
func partnerPlace(n int) place { return place{11, []int{0, 0, 0, 12, 11, 50005}[n]} }
