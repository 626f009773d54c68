package seed

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// rule is a statement about the demo data: its query finds the rows that break it.
type consistencyRule struct{ name, query string }

// invoiceOpen is what is left of an invoice (i), paymentOpen of a payment (p).
const (
	invoiceOpen = `(i.GrandTotal - COALESCE((SELECT SUM(l.Amount+l.DiscountAmt+l.WriteOffAmt) FROM C_AllocationLine l
		JOIN C_AllocationHdr h USING (C_AllocationHdr_ID) WHERE l.C_Invoice_ID=i.C_Invoice_ID AND h.DocStatus IN ('CO','CL')),0))`
	paymentOpen = `(p.PayAmt - COALESCE((SELECT SUM(l.Amount) FROM C_AllocationLine l
		JOIN C_AllocationHdr h USING (C_AllocationHdr_ID) WHERE l.C_Payment_ID=p.C_Payment_ID AND h.DocStatus IN ('CO','CL')),0))`
	done = `DocStatus IN ('CO','CL')`
)

// differs compares two sums of decimals.
func differs(a, b string) string { return fmt.Sprintf("ABS((%s) - (%s)) > 0.001", a, b) }

// sum is a sum over other rows, 0 without any.
func sum(what, from string) string { return "COALESCE((SELECT SUM(" + what + ") FROM " + from + "),0)" }

var consistency = []consistencyRule{
	{"the credit used is what is left of a partner's sales invoices", `SELECT bp.Name, bp.SO_CreditUsed FROM C_BPartner bp WHERE ` +
		differs("bp.SO_CreditUsed", sum(invoiceOpen, "C_Invoice i WHERE i.C_BPartner_ID=bp.C_BPartner_ID AND i.IsSOTrx='Y' AND i."+done))},
	{"a partner's open balance is that of its invoices and payments", `SELECT bp.Name, bp.TotalOpenBalance FROM C_BPartner bp WHERE ` +
		differs("bp.TotalOpenBalance",
			sum("CASE i.IsSOTrx WHEN 'Y' THEN 1 ELSE -1 END*"+invoiceOpen, "C_Invoice i WHERE i.C_BPartner_ID=bp.C_BPartner_ID AND i."+done)+"-"+
				sum("CASE p.IsReceipt WHEN 'Y' THEN 1 ELSE -1 END*"+paymentOpen, "C_Payment p WHERE p.C_BPartner_ID=bp.C_BPartner_ID AND p.C_Charge_ID IS NULL AND p."+done))},
	{"an invoice is paid when nothing is left of it", `SELECT i.DocumentNo, i.IsPaid FROM C_Invoice i
		WHERE (i.IsPaid='Y') <> (ABS(` + invoiceOpen + `) < 0.001)`},
	{"no more is allocated to an invoice than it is worth", `SELECT i.DocumentNo FROM C_Invoice i WHERE ` + invoiceOpen + ` < -0.001`},
	{"a payment is allocated when nothing is left of it", `SELECT p.DocumentNo, p.IsAllocated FROM C_Payment p
		WHERE (p.IsAllocated='Y') <> (ABS(` + paymentOpen + `) < 0.001)`},
	{"an allocation is worth its lines", `SELECT h.DocumentNo FROM C_AllocationHdr h WHERE ` +
		differs("h.ApprovalAmt", sum("l.Amount", "C_AllocationLine l WHERE l.C_AllocationHdr_ID=h.C_AllocationHdr_ID"))},
	{"an allocation's invoice and payment are its partner's", `SELECT l.C_AllocationLine_ID FROM C_AllocationLine l
		JOIN C_Invoice i USING (C_Invoice_ID) JOIN C_Payment p ON p.C_Payment_ID=l.C_Payment_ID
		WHERE i.C_BPartner_ID<>l.C_BPartner_ID OR p.C_BPartner_ID<>l.C_BPartner_ID`},
	{"an order's lines make its total", totalOf("C_Order")},
	{"an order's taxes make its grand total", grandTotalOf("C_Order")},
	{"an invoice's lines make its total", totalOf("C_Invoice")},
	{"an invoice's taxes make its grand total", grandTotalOf("C_Invoice")},
	{"a requisition's lines make its total", totalOf("M_Requisition")},
	{"a line's amount is price times quantity", `SELECT C_OrderLine_ID FROM C_OrderLine WHERE ` + differs("LineNetAmt", "PriceActual*QtyOrdered") +
		` UNION SELECT C_InvoiceLine_ID FROM C_InvoiceLine WHERE ` + differs("LineNetAmt", "PriceActual*QtyInvoiced") +
		` UNION SELECT M_RequisitionLine_ID FROM M_RequisitionLine WHERE ` + differs("LineNetAmt", "PriceActual*Qty")},
	{"what an order line says is delivered was delivered", `SELECT l.C_OrderLine_ID, l.QtyDelivered FROM C_OrderLine l WHERE ` +
		differs("l.QtyDelivered", sum("s.MovementQty", "M_InOutLine s JOIN M_InOut d USING (M_InOut_ID) WHERE s.C_OrderLine_ID=l.C_OrderLine_ID AND d."+done))},
	{"what an order line says is invoiced was invoiced", `SELECT l.C_OrderLine_ID, l.QtyInvoiced FROM C_OrderLine l WHERE ` +
		differs("l.QtyInvoiced", sum("s.QtyInvoiced", "C_InvoiceLine s JOIN C_Invoice d USING (C_Invoice_ID) WHERE s.C_OrderLine_ID=l.C_OrderLine_ID AND d."+done))},
	{"what is reserved is what order lines reserve", `SELECT M_Warehouse_ID, M_Product_ID, IsSOTrx, SUM(q) FROM (
		SELECT l.M_Warehouse_ID, l.M_Product_ID, o.IsSOTrx, l.QtyReserved q FROM C_OrderLine l JOIN C_Order o USING (C_Order_ID) WHERE l.QtyReserved<>0
		UNION ALL SELECT M_Warehouse_ID, M_Product_ID, IsSOTrx, -Qty FROM M_StorageReservation)
		GROUP BY 1, 2, 3 HAVING ABS(SUM(q)) > 0.001`},
	{"the stock is what movements made it", `SELECT M_Locator_ID, M_Product_ID, M_AttributeSetInstance_ID, SUM(q) FROM (
		SELECT M_Locator_ID, M_Product_ID, M_AttributeSetInstance_ID, QtyOnHand q FROM M_StorageOnHand
		UNION ALL SELECT M_Locator_ID, M_Product_ID, M_AttributeSetInstance_ID, -MovementQty FROM M_Transaction)
		GROUP BY 1, 2, 3 HAVING ABS(SUM(q)) > 0.001`},
	{"a count begins with what the book says", `SELECT l.M_InventoryLine_ID, l.QtyBook FROM M_InventoryLine l JOIN M_Inventory i USING (M_Inventory_ID) WHERE ` +
		differs("l.QtyBook", sum("t.MovementQty", `M_Transaction t WHERE t.M_Locator_ID=l.M_Locator_ID AND t.M_Product_ID=l.M_Product_ID
			AND t.M_AttributeSetInstance_ID=l.M_AttributeSetInstance_ID AND t.MovementDate<i.MovementDate`))},
	{"each delivered line of stock moved it once", `SELECT l.M_InOutLine_ID FROM M_InOutLine l JOIN M_Product p USING (M_Product_ID)
		WHERE p.IsStocked='Y' AND p.ProductType='I' AND (SELECT COUNT(*) FROM M_Transaction t WHERE t.M_InOutLine_ID=l.M_InOutLine_ID AND ABS(t.MovementQty)=l.MovementQty)<>1`},
	{"stock is never negative", `SELECT t.M_Locator_ID, t.M_Product_ID, t.MovementDate FROM M_Transaction t WHERE
		(SELECT SUM(u.MovementQty) FROM M_Transaction u WHERE u.M_Locator_ID=t.M_Locator_ID AND u.M_Product_ID=t.M_Product_ID
			AND u.M_AttributeSetInstance_ID=t.M_AttributeSetInstance_ID AND u.MovementDate<=t.MovementDate) < -0.001`},
	{"a production takes what the bill of materials says", `SELECT p.DocumentNo, b.M_Product_ID FROM M_Production p JOIN PP_Product_BOMLine b USING (PP_Product_BOM_ID)
		WHERE p.Processed='Y' AND ` + differs("b.QtyBOM*p.ProductionQty", "-"+sum("l.MovementQty", "M_ProductionLine l WHERE l.M_Production_ID=p.M_Production_ID AND l.M_Product_ID=b.M_Product_ID"))},
	{"a product with a bill of materials is one", `SELECT b.Name FROM PP_Product_BOM b JOIN M_Product p USING (M_Product_ID) WHERE p.IsBOM<>'Y'`},
	{"documents that are done are processed, others not", processedAsDone("C_Order", "C_Invoice", "C_Payment", "M_InOut", "M_Inventory", "M_Production", "M_Requisition")},
	{"every period is open or closed for every kind of document", `SELECT p.Name, v.Value FROM C_Period p JOIN AD_Ref_List v ON v.AD_Reference_ID=183 AND v.IsActive='Y'
		WHERE (SELECT COUNT(*) FROM C_PeriodControl c WHERE c.C_Period_ID=p.C_Period_ID AND c.DocBaseType=v.Value AND c.PeriodStatus='O') <> 1`},
	{"a rule of a lookup is about the table that it looks in", `SELECT r.Name, c.ColumnName FROM AD_Column c JOIN AD_Val_Rule r USING (AD_Val_Rule_ID)
		WHERE c.AD_Reference_ID=19 AND r.Code IS NOT NULL AND INSTR(r.Code, SUBSTR(c.ColumnName, 1, LENGTH(c.ColumnName)-3)||'.') <> 1`},
	{"the accounts balance", `SELECT SUM(AmtAcctDr), SUM(AmtAcctCr) FROM Fact_Acct HAVING ` + differs("SUM(AmtAcctDr)", "SUM(AmtAcctCr)") + ` OR SUM(AmtAcctDr)=0`},
}

func totalOf(table string) string {
	return fmt.Sprintf("SELECT h.DocumentNo, h.TotalLines FROM %[1]s h WHERE ", table) +
		differs("h.TotalLines", sum("l.LineNetAmt", fmt.Sprintf("%[1]sLine l WHERE l.%[1]s_ID=h.%[1]s_ID", table)))
}

func grandTotalOf(table string) string {
	return fmt.Sprintf("SELECT h.DocumentNo, h.GrandTotal FROM %[1]s h WHERE ", table) +
		differs("h.GrandTotal", "h.TotalLines+"+sum("t.TaxAmt", fmt.Sprintf("%[1]sTax t WHERE t.%[1]s_ID=h.%[1]s_ID", table)))
}

func processedAsDone(tables ...string) string {
	var parts []string
	for _, t := range tables {
		parts = append(parts, fmt.Sprintf("SELECT DocumentNo, '%[1]s' FROM %[1]s WHERE (DocStatus IN ('CO','CL','VO','RE')) <> (Processed='Y')", t))
	}
	return strings.Join(parts, " UNION ALL ")
}

// The figures of the demo data follow from each other as in a real installation.
func TestDemoDataIsConsistent(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, rule := range consistency {
		t.Run(rule.name, func(t *testing.T) {
			assert.Empty(t, found(t, s, rule.query))
		})
	}
}

// The rules find what is not so: each of these changes breaks one.
func TestConsistencyRulesFindFaults(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"the credit used is what is left of a partner's sales invoices": "UPDATE C_BPartner SET SO_CreditUsed='1' WHERE C_BPartner_ID=118",
		"a partner's open balance is that of its invoices and payments": "UPDATE C_Payment SET PayAmt=PayAmt+1 WHERE C_Payment_ID=100",
		"an invoice is paid when nothing is left of it":                 "DELETE FROM C_AllocationLine WHERE C_AllocationLine_ID=100",
		"what an order line says is delivered was delivered":            "DELETE FROM M_InOutLine WHERE M_InOutLine_ID=100",
		"the stock is what movements made it":                           "UPDATE M_StorageOnHand SET QtyOnHand='41' WHERE M_Product_ID=122 AND M_Locator_ID=101",
		"what is reserved is what order lines reserve":                  "DELETE FROM M_StorageReservation",
		"every period is open or closed for every kind of document":     "DELETE FROM C_PeriodControl WHERE DocBaseType='SOO'",
		"documents that are done are processed, others not":             "UPDATE C_Order SET Processed='N' WHERE C_Order_ID=100",
		"a production takes what the bill of materials says":            "UPDATE PP_Product_BOMLine SET QtyBOM='3' WHERE PP_Product_BOMLine_ID=102",
		"a rule of a lookup is about the table that it looks in":        "UPDATE AD_Val_Rule SET Code='AD_Process.Value IS NOT NULL' WHERE AD_Val_Rule_ID=131",
		"an allocation's invoice and payment are its partner's":         "UPDATE C_AllocationLine SET C_BPartner_ID=117 WHERE C_AllocationLine_ID=100",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			require.NoError(t, s.Update(t.Context(), func(tx *store.Tx) error {
				_, err := tx.Exec(t.Context(), change)
				return err
			}))
			for _, rule := range consistency {
				if rule.name == name {
					assert.NotEmpty(t, found(t, s, rule.query))
					return
				}
			}
			t.Errorf("there is no rule %q", name)
		})
	}
}

// found is what a query finds first, a line of text per row.
func found(t *testing.T, s *store.Store, query string) (lines []string) {
	t.Helper()
	view(t, s, func(ctx context.Context, tx *store.Tx) error {
		rows, err := tx.Query(ctx, query)
		require.NoError(t, err, query)
		defer rows.Close()
		columns, err := rows.Columns()
		require.NoError(t, err)
		for rows.Next() && len(lines) < 5 {
			values := make([]any, len(columns))
			for i := range values {
				values[i] = new(any)
			}
			require.NoError(t, rows.Scan(values...))
			var texts []string
			for _, v := range values {
				texts = append(texts, fmt.Sprint(*v.(*any)))
			}
			lines = append(lines, strings.Join(texts, " "))
		}
		return rows.Err()
	})
	return lines
}
