package erptest_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// documents creates and changes documents as the administrator of GardenWorld.
type documents struct{ *writes }

func newDocuments(t *testing.T) *documents {
	t.Helper()
	return &documents{writeAs(t, erptest.New(t), asGardenAdmin)}
}

func docStatus(o map[string]any) any { return o["DocStatus"].(map[string]any)["id"] }

// one is the only record of a table that a filter finds.
func (d *documents) one(table, filter string) map[string]any {
	d.t.Helper()
	records := d.many(table, filter)
	require.Len(d.t, records, 1, filter)
	return records[0].(map[string]any)
}

func (d *documents) many(table, filter string) []any {
	d.t.Helper()
	return d.get("/models/" + table + "?$filter=" + url.QueryEscape(filter)).object(d.t)["records"].([]any)
}

const (
	standardOrder = `{"C_BPartner_ID":118,"C_DocTypeTarget_ID":132,"IsSOTrx":true,` +
		`"C_OrderLine":[{"M_Product_ID":123,"QtyEntered":2,"QtyOrdered":2,"PriceEntered":"10.25","PriceActual":"10.25"}]`
	salesInvoice = `{"C_BPartner_ID":118,"C_BPartner_Location_ID":109,"C_DocTypeTarget_ID":116,"IsSOTrx":true,"PaymentRule":"P",` +
		`"C_InvoiceLine":[{"M_Product_ID":123,"QtyEntered":3,"QtyInvoiced":3,"PriceEntered":2,"PriceActual":2}]`
)

// Rules 5.7: the life of an order.
func TestOrderActions(t *testing.T) {
	t.Parallel()
	d := newDocuments(t)
	o := d.create("C_Order", standardOrder+`}`)
	id := idOf(t, o)
	path := fmt.Sprintf("/models/C_Order/%d", id)
	assert.Equal(t, "DR", docStatus(o))
	assert.InDelta(t, 20.5, o["TotalLines"], 1e-9)

	prepared := d.change("C_Order", id, `{"doc-action":"PR"}`)
	assert.Equal(t, "IP", docStatus(prepared))
	assert.Equal(t, "Standard Order", prepared["C_DocType_ID"].(map[string]any)["identifier"])
	assert.Equal(t, "null", prepared["doc-processmsg"], "a document without a word")
	assert.Equal(t, "IP", docStatus(d.change("C_Order", id, `{"doc-action":"--"}`)), "none")
	assert.Equal(t, "IP", docStatus(d.change("C_Order", id, `{"doc-action":"CL"}`)), "not possible yet, passed over")
	completed := d.change("C_Order", id, `{"doc-action":{"id":"CO"}}`)
	assert.Equal(t, "CO", docStatus(completed))
	assert.Equal(t, true, completed["Processed"])
	assert.Equal(t, true, completed["IsApproved"])
	assert.NotContains(t, completed, "doc-processmsg")
	line := d.one("C_OrderLine", fmt.Sprintf("C_Order_ID eq %d", id))
	assert.InDelta(t, 2, line["QtyReserved"], 0)
	assert.Equal(t, true, line["Processed"])
	assert.Equal(t, "Reserved Quantity=2", d.del(fmt.Sprintf("/models/C_OrderLine/%d", idOf(t, line))).text(t, "detail"))

	for _, action := range []string{"PR", "CO", "XX", "AP"} {
		assert.Equal(t, "CO", docStatus(d.change("C_Order", id, `{"doc-action":"`+action+`"}`)), "%s is passed over", action)
	}
	assert.Equal(t, "Cannot update POReference on processed record", d.put(path, `{"POReference":"x"}`).text(t, "detail"))
	refused := d.put(path, `{"doc-action":"RE"}`)
	assert.Equal(t, "Failed when processing document", refused.text(t, "title"))
	assert.Equal(t, fmt.Sprintf("Standard Order cannot be reactivated\n - %s: Grand Total=20.50", o["DocumentNo"]), refused.text(t, "detail"))
	assert.Equal(t, 500, d.del(path).status, "processed")

	closed := d.change("C_Order", id, `{"doc-action":"CL"}`)
	assert.Equal(t, "CL", docStatus(closed))
	line = d.one("C_OrderLine", fmt.Sprintf("C_Order_ID eq %d", id))
	assert.InDelta(t, 2, line["QtyLostSales"], 0)
	assert.InDelta(t, 0, line["QtyOrdered"], 0)
	assert.InDelta(t, 0, line["QtyReserved"], 0)
	assert.Equal(t, "CL", docStatus(d.change("C_Order", id, `{"doc-action":"VO"}`)), "too late")

	before := len(d.many("C_Order", "C_Order_ID ge 1000000"))
	none := d.post("/models/C_Order", `{"C_BPartner_ID":118,"C_DocTypeTarget_ID":132,"IsSOTrx":true,"doc-action":"CO"}`)
	assert.Equal(t, 500, none.status)
	assert.Contains(t, none.text(t, "detail"), "No Document Lines found\n - ")
	assert.Contains(t, none.text(t, "detail"), ": Grand Total=0 (#0)")
	assert.Len(t, d.many("C_Order", "C_Order_ID ge 1000000"), before, "everything is rolled back")
	assert.Equal(t, 201, d.post("/models/C_BPartner", `{"Name":"x","C_BP_Group_ID":103,"doc-action":"CO"}`).status, "no document: ignored")
}

// Completing follows the customer's credit: an order may not exceed the limit, and no
// sales document goes to a partner on stop.
func TestCredit(t *testing.T) {
	t.Parallel()
	d := newDocuments(t)
	partner := d.create("C_BPartner", `{"Name":"Credit","IsCustomer":true,"SO_CreditLimit":45,"SOCreditStatus":"O",`+
		`"C_BPartner_Location":[{"Name":"x","C_Location_ID":{"City":"Ulm","C_Country_ID":101}}]}`)
	place := d.one("C_BPartner_Location", fmt.Sprintf("C_BPartner_ID eq %d", idOf(t, partner)))
	of := func(body string) string {
		body = strings.ReplaceAll(body, `"C_BPartner_Location_ID":109,`, "")
		return strings.Replace(body, `"C_BPartner_ID":118`, fmt.Sprintf(`"C_BPartner_ID":%d,"C_BPartner_Location_ID":%d`, idOf(t, partner), idOf(t, place)), 1)
	}
	status := func(want string) {
		t.Helper()
		partner = d.get(fmt.Sprintf("/models/C_BPartner/%d", idOf(t, partner))).object(t)
		assert.Equal(t, want, partner["SOCreditStatus"].(map[string]any)["id"])
	}
	refused := func(a response, detail string) {
		t.Helper()
		assert.Equal(t, "Failed when processing document", a.text(t, "title"))
		assert.Contains(t, a.text(t, "detail"), detail+"\n - ")
	}
	first := idOf(t, d.create("C_Order", of(standardOrder)+`,"doc-action":"CO"}`)) // 20.50 of 45
	d.create("C_Invoice", of(salesInvoice)+`,"doc-action":"CO"}`)
	status("O")
	order := idOf(t, d.create("C_Order", of(standardOrder)+`}`))
	d.create("C_Invoice", strings.NewReplacer(`"QtyEntered":3`, `"QtyEntered":18`, `"QtyInvoiced":3`, `"QtyInvoiced":18`).Replace(of(salesInvoice))+`,"doc-action":"CO"}`)
	status("W")
	path := fmt.Sprintf("/models/C_Order/%d", order)
	refused(d.put(path, `{"doc-action":"CO"}`), "BPartnerOverOCreditHold - Open Balance=42.00, Grand Total=20.50, Credit Limit=45")
	assert.Equal(t, "DR", docStatus(d.get(path).object(t)), "as it was")

	d.change("C_BPartner", idOf(t, partner), `{"SOCreditStatus":"H"}`)
	refused(d.put(path, `{"doc-action":"CO"}`), "BPartnerCreditHold - Open Balance=42.00, Credit Limit=45")
	d.change("C_BPartner", idOf(t, partner), `{"SOCreditStatus":"S"}`)
	refused(d.put(path, `{"doc-action":"CO"}`), "BPartnerCreditStop - Open Balance=42.00, Credit Limit=45")
	refused(d.post("/models/C_Invoice", of(salesInvoice)+`,"doc-action":"CO"}`), "BPartnerCreditStop - Open Balance=42.00, Credit Limit=45")

	line := d.one("C_OrderLine", fmt.Sprintf("C_Order_ID eq %d and QtyReserved gt 0", first))
	refused(d.post("/models/M_InOut", of(fmt.Sprintf(`{"C_BPartner_ID":118,"C_Order_ID":%d,"C_DocType_ID":120,"IsSOTrx":true,"MovementType":"C-","doc-action":"CO",`+
		`"M_InOutLine":[{"C_OrderLine_ID":%d,"M_Product_ID":123,"QtyEntered":2,"MovementQty":2,"M_Locator_ID":101}]}`, first, idOf(t, line)))), "BPartnerCreditStop - Open Balance=42.00, Credit Limit=45")

	d.change("C_BPartner", idOf(t, partner), `{"SOCreditStatus":"X"}`)
	assert.Equal(t, "CO", docStatus(d.change("C_Order", order, `{"doc-action":"CO"}`)), "not checked")
}

// A voided order keeps its lines, with nothing ordered.
func TestVoidOrder(t *testing.T) {
	t.Parallel()
	d := newDocuments(t)
	id := idOf(t, d.create("C_Order", standardOrder+`,"doc-action":"CO"}`))
	voided := d.change("C_Order", id, `{"doc-action":"VO"}`)
	assert.Equal(t, "VO", docStatus(voided))
	assert.InDelta(t, 0, voided["GrandTotal"], 0)
	assert.Equal(t, "Voided", voided["Description"])
	line := d.one("C_OrderLine", fmt.Sprintf("C_Order_ID eq %d", id))
	assert.Equal(t, "Voided (2)", line["Description"])
	assert.InDelta(t, 0, line["QtyOrdered"], 0)
	assert.InDelta(t, 0, line["QtyReserved"], 0)
}

// A POS order ships, invoices and is paid at once; when it is voided the goods are back.
func TestOrderThatDelivers(t *testing.T) {
	t.Parallel()
	d := newDocuments(t)
	stock := func() float64 {
		sum := 0.0
		for _, row := range d.many("M_StorageOnHand", "M_Product_ID eq 123") {
			sum += row.(map[string]any)["QtyOnHand"].(float64)
		}
		return sum
	}
	before := stock()
	order := d.create("C_Order", `{"C_BPartner_ID":118,"C_DocTypeTarget_ID":135,"IsSOTrx":true,"PaymentRule":"B","doc-action":"CO",`+
		`"C_OrderLine":[{"M_Product_ID":123,"QtyEntered":2,"QtyOrdered":2,"PriceEntered":5,"PriceActual":5}]}`)
	require.Equal(t, "CO", docStatus(order))
	of := fmt.Sprintf("C_Order_ID eq %d", idOf(t, order))
	shipment, invoice := d.one("M_InOut", of), d.one("C_Invoice", of)
	assert.Equal(t, "CO", docStatus(shipment))
	assert.Equal(t, "C-", shipment["MovementType"].(map[string]any)["id"])
	assert.Equal(t, "CO", docStatus(invoice))
	assert.Equal(t, true, invoice["IsPaid"], "cash")
	assert.InDelta(t, before-2, stock(), 1e-9)
	line := d.one("C_OrderLine", of)
	assert.InDelta(t, 2, line["QtyDelivered"], 0)
	assert.InDelta(t, 2, line["QtyInvoiced"], 0)
	assert.InDelta(t, 0, line["QtyReserved"], 0)

	assert.Equal(t, "VO", docStatus(d.change("C_Order", idOf(t, order), `{"doc-action":"VO"}`)))
	assert.InDelta(t, before, stock(), 1e-9, "the goods are back")
	for _, row := range d.many("C_Invoice", of) {
		assert.Equal(t, "RE", docStatus(row.(map[string]any)))
	}
}

// What each type of order makes when it is completed, as the real server does.
func TestTypesOfOrders(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                        string
		docType                     int
		paymentRule                 string
		shipments, invoices, paid   int
		says, invoiceRule, delivery string
		approved                    bool
	}{
		{"quotation", 128, "P", 0, 0, 0, "null", "I", "A", false},
		{"standard order", 132, "P", 0, 0, 0, "", "I", "A", true},
		{"warehouse order", 134, "P", 1, 0, 0, "Shipment/Receipt: {S}", "I", "F", true},
		{"credit order", 133, "P", 1, 1, 0, "Shipment/Receipt: {S} - Invoice: {I}", "D", "F", true},
		{"POS order", 135, "P", 1, 1, 0, "Shipment/Receipt: {S} - Invoice: {I}", "D", "F", true},
		{"credit order paid cash", 133, "B", 1, 1, 1, "Shipment/Receipt: {S} - Invoice: {I} (Payment: AR Receipt {P})", "D", "F", true},
		{"POS order paid cash", 135, "B", 1, 1, 1, "Shipment/Receipt: {S} - Invoice: {I} (Payment: AR Receipt {P})", "D", "F", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDocuments(t)
			order := d.create("C_Order", fmt.Sprintf(`{"C_BPartner_ID":118,"C_BPartner_Location_ID":109,"C_DocTypeTarget_ID":%d,"IsSOTrx":true,"PaymentRule":%q,"DeliveryRule":"A","doc-action":"CO",`+
				`"C_OrderLine":[{"M_Product_ID":123,"QtyEntered":2,"QtyOrdered":2,"PriceEntered":5,"PriceActual":5}]}`, tt.docType, tt.paymentRule))
			assert.Equal(t, "CO", docStatus(order))
			of := fmt.Sprintf("C_Order_ID eq %d", idOf(t, order))
			says := tt.says
			for _, made := range []struct {
				table, filter, sign string
				count               int
			}{
				{"M_InOut", of, "{S}", tt.shipments}, {"C_Invoice", of, "{I}", tt.invoices},
				{"C_Payment", "C_BPartner_ID eq 118 and TenderType eq 'X'", "{P}", tt.paid},
			} {
				rows := d.many(made.table, made.filter)
				require.Len(t, rows, made.count, made.table)
				for _, row := range rows {
					assert.Equal(t, "CO", docStatus(row.(map[string]any)))
					says = strings.Replace(says, made.sign, row.(map[string]any)["DocumentNo"].(string), 1)
				}
			}
			said, _ := order["doc-processmsg"].(string)
			assert.Equal(t, says, said)
			assert.Equal(t, tt.invoiceRule, order["InvoiceRule"].(map[string]any)["id"])
			assert.Equal(t, tt.delivery, order["DeliveryRule"].(map[string]any)["id"])
			assert.Equal(t, tt.approved, order["IsApproved"])
		})
	}
}

// An order cannot be reversed on another day than its own; an invoice can.
func TestReversedWithAccrual(t *testing.T) {
	t.Parallel()
	d := newDocuments(t)
	order := idOf(t, d.create("C_Order", standardOrder+`,"doc-action":"CO"}`))
	refused := d.put(fmt.Sprintf("/models/C_Order/%d", order), `{"doc-action":"RA"}`)
	assert.Equal(t, 500, refused.status)
	assert.Contains(t, refused.text(t, "detail"), "PerformWork Error - MWFNode[(Start)-DocumentAction=--] - DocStatus=CO\n - ")
	assert.Equal(t, "CO", docStatus(d.get(fmt.Sprintf("/models/C_Order/%d", order)).object(t)))
	assert.InDelta(t, 2, d.one("C_OrderLine", fmt.Sprintf("C_Order_ID eq %d", order))["QtyReserved"], 0)

	invoice := idOf(t, d.create("C_Invoice", salesInvoice+`,"doc-action":"CO"}`))
	assert.Equal(t, "RE", docStatus(d.change("C_Invoice", invoice, `{"doc-action":"RA"}`)))
}

// An invoice is paid by an allocation, and reversed by another invoice.
func TestInvoiceAndPayment(t *testing.T) {
	t.Parallel()
	d := newDocuments(t)
	o := d.create("C_Invoice", salesInvoice+`,"doc-action":"CO"}`)
	id := idOf(t, o)
	assert.Equal(t, "CO", docStatus(o))
	assert.InDelta(t, 6, o["TotalLines"], 1e-9)
	assert.Equal(t, false, o["IsPaid"])
	invoice := func() map[string]any { return d.get(fmt.Sprintf("/models/C_Invoice/%d", id)).object(t) }

	wrong := d.post("/models/C_Payment", fmt.Sprintf(`{"C_BankAccount_ID":100,"C_DocType_ID":125,"C_BPartner_ID":118,"C_Invoice_ID":%d,"PayAmt":6,"C_Currency_ID":100,"doc-action":"CO"}`, id))
	assert.Contains(t, wrong.text(t, "detail"), "inconsistent", "a vendor payment for a sales invoice")
	paid := d.create("C_Payment", fmt.Sprintf(`{"C_BankAccount_ID":100,"C_DocType_ID":119,"C_BPartner_ID":118,"C_Invoice_ID":%d,"PayAmt":6,"C_Currency_ID":100,"doc-action":"CO"}`, id))
	assert.Equal(t, "CO", docStatus(paid))
	assert.Equal(t, true, paid["IsAllocated"])
	allocation := d.one("C_AllocationLine", fmt.Sprintf("C_Payment_ID eq %d", idOf(t, paid)))
	assert.InDelta(t, 6, allocation["Amount"], 0)
	assert.Equal(t, true, invoice()["IsPaid"])
	assert.Contains(t, paid["doc-processmsg"], "Allocation: ")

	reversed := d.change("C_Payment", idOf(t, paid), `{"doc-action":"RC"}`)
	assert.Equal(t, "RE", docStatus(reversed))
	assert.Contains(t, reversed["doc-processmsg"], fmt.Sprintf("%s^ - Allocation: ", paid["DocumentNo"]))
	assert.Equal(t, fmt.Sprintf("(%s^<-)", paid["DocumentNo"]), reversed["Description"])
	assert.InDelta(t, -6, d.one("C_Payment", fmt.Sprintf("Reversal_ID eq %d", idOf(t, paid)))["PayAmt"], 0)
	assert.Equal(t, false, invoice()["IsPaid"])
	assert.Len(t, d.many("C_AllocationLine", fmt.Sprintf("C_Payment_ID eq %d", idOf(t, paid))), 1, "those of the reversed allocation are inactive")
	released := d.one("C_AllocationLine", fmt.Sprintf("C_Payment_ID eq %d and IsActive eq false", idOf(t, paid)))
	assert.InDelta(t, 0, released["Amount"], 0)
	header := d.get(fmt.Sprintf("/models/C_AllocationHdr/%d", idOf(t, released["C_AllocationHdr_ID"]))).object(t)
	assert.Equal(t, "Payment: "+paid["DocumentNo"].(string)+" [1] | Voided", header["Description"])
	assert.True(t, strings.HasSuffix(header["DocumentNo"].(string), "^"))

	back := d.change("C_Invoice", id, `{"doc-action":"RC"}`)
	other := d.one("C_Invoice", fmt.Sprintf("Reversal_ID eq %d", id))
	assert.Equal(t, other["DocumentNo"], back["doc-processmsg"])
	assert.Equal(t, fmt.Sprintf("(%s<-)", other["DocumentNo"]), back["Description"])
	assert.Equal(t, fmt.Sprintf("{->%s)", o["DocumentNo"]), other["Description"])
	for _, of := range []map[string]any{back, other} {
		assert.Equal(t, "RE", docStatus(of))
		assert.Equal(t, true, of["IsPaid"])
	}
	assert.InDelta(t, -6, other["TotalLines"], 1e-9)

	draft := d.create("C_Invoice", salesInvoice+`}`)
	voided := d.change("C_Invoice", idOf(t, draft), `{"doc-action":"VO"}`)
	assert.Equal(t, "VO", docStatus(voided))
	assert.InDelta(t, 0, voided["GrandTotal"], 0)
	payment := d.create("C_Payment", `{"C_BankAccount_ID":100,"C_DocType_ID":119,"C_BPartner_ID":118,"PayAmt":50,"C_Currency_ID":100,"doc-action":"CO"}`)
	unpaid := d.create("C_Payment", `{"C_BankAccount_ID":100,"C_DocType_ID":119,"C_BPartner_ID":118,"PayAmt":50,"C_Currency_ID":100}`)
	assert.Equal(t, true, unpaid["IsOverUnderPayment"])
	assert.Equal(t, false, d.change("C_Payment", idOf(t, unpaid), `{"doc-action":"VO"}`)["IsOverUnderPayment"])
	assert.Equal(t, 200, d.del(fmt.Sprintf("/models/C_Payment/%d", idOf(t, payment))).status, "processed, and deleted all the same")
}

// Lines with taxes leave one row per tax, and none without.
func TestTaxLines(t *testing.T) {
	t.Parallel()
	d := newDocuments(t)
	o := d.create("C_Order", `{"C_BPartner_ID":118,"C_DocTypeTarget_ID":132,"IsSOTrx":true,"C_OrderLine":[`+
		`{"M_Product_ID":123,"QtyEntered":2,"QtyOrdered":2,"PriceEntered":50,"PriceActual":50,"C_Tax_ID":105},`+
		`{"M_Product_ID":123,"QtyEntered":1,"QtyOrdered":1,"PriceEntered":50,"PriceActual":50,"C_Tax_ID":105}]}`)
	tax := d.one("C_OrderTax", fmt.Sprintf("C_Order_ID eq %d", idOf(t, o)))
	assert.InDelta(t, 150, tax["TaxBaseAmt"], 1e-9)
	assert.InDelta(t, 150+tax["TaxAmt"].(float64), o["GrandTotal"], 1e-9)
	for _, row := range d.many("C_OrderLine", fmt.Sprintf("C_Order_ID eq %d", idOf(t, o))) {
		require.Equal(t, 200, d.del(fmt.Sprintf("/models/C_OrderLine/%d", idOf(t, row))).status)
	}
	assert.Empty(t, d.many("C_OrderTax", fmt.Sprintf("C_Order_ID eq %d", idOf(t, o))))
}

// What follows from orders is made by processes, too.
func TestOrderProcesses(t *testing.T) {
	t.Parallel()
	d := newDocuments(t)
	run := func(name, body string) map[string]any {
		t.Helper()
		a := d.post("/processes/"+name, body)
		require.Equal(t, 200, a.status, a.body)
		return a.object(t)
	}
	source, target := idOf(t, d.create("C_Order", standardOrder+`}`)), idOf(t, d.create("C_Order", standardOrder+`}`))
	for _, tc := range []struct {
		name, body, summary string
		failed              bool
	}{
		{"no target", `{}`, "Target C_Order_ID == 0", true},
		{"no source", fmt.Sprintf(`{"record-id":%d}`, target), "Source C_Order_ID == 0", true},
		{"an order of another tenant", fmt.Sprintf(`{"record-id":%d,"C_Order_ID":1000000}`, target), "Copied=0", false},
		{"one line", fmt.Sprintf(`{"record-id":%d,"C_Order_ID":%d}`, target, source), "Copied=1", false},
	} {
		result := run("c_order-copyfrom", tc.body)
		assert.Equal(t, tc.failed, result["isError"], tc.name)
		assert.Equal(t, tc.summary, result["summary"], tc.name)
	}
	assert.InDelta(t, 41, d.get(fmt.Sprintf("/models/C_Order/%d", target)).object(t)["GrandTotal"], 1e-9)

	assert.Equal(t, "Completed", run("c_order-process", fmt.Sprintf(`{"record-id":%d,"model-name":"c_order"}`, target))["summary"])
	assert.Equal(t, "CO", docStatus(d.get(fmt.Sprintf("/models/C_Order/%d", target)).object(t)))
	assert.Equal(t, true, run("c_order-process", `{"record-id":1000000,"model-name":"c_order"}`)["isError"], "another tenant's")

	assert.Equal(t, true, run("m_inout_generate", `{}`)["isError"], "a warehouse is needed")
	assert.NotEmpty(t, run("m_inout_generate", `{"M_Warehouse_ID":103}`)["logs"])
	assert.Equal(t, "Created = 0", run("m_inout_generate", `{"M_Warehouse_ID":103}`)["summary"], "all is shipped")
	assert.Equal(t, "Created = 1", run("c_invoice_generate", fmt.Sprintf(`{"DateInvoiced":"2026-03-01","C_Order_ID":%d}`, target))["summary"])
	assert.InDelta(t, 41, d.one("C_Invoice", fmt.Sprintf("C_Order_ID eq %d", target))["GrandTotal"], 1e-9)
}
