package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
)

// fact is one thing that tells a document from others.
type fact struct {
	label string
	value any
}

// documentDates are the columns with the date of a document, the first that is there.
// An invoice or a shipment has the date of its order, too, so that comes late.
var documentDates = []string{"DateInvoiced", "MovementDate", "DateTrx", "StatementDate", "DateDoc", "DateOrdered", "DateAcct"}

// documentFacts are what tells a document from others.
func documentFacts(d *erp.Document) []fact {
	var facts []fact
	add := func(label string, value any) { facts = append(facts, fact{label, value}) }
	if typ := d.Type(); typ.Identifier != "" {
		add("type", typ.Identifier)
	}
	if partner, ok := d.Record.Ref("C_BPartner_ID"); ok {
		add("partner", mcp.Ref{ID: partner.ID, Name: partner.Identifier})
	}
	for _, column := range []string{"GrandTotal", "PayAmt", "TotalDr", "TotalLines", "ApprovalAmt"} {
		if total, ok := d.Record.Decimal(column); ok {
			add(column, mcp.Name(total.String()))
			if currency, ok := d.Record.Ref("C_Currency_ID"); ok {
				add("currency", mcp.Name(currency.Identifier))
			}
			break
		}
	}
	for _, column := range documentDates {
		if date, ok := d.Record.Text(column); ok {
			add(column, mcp.Name(date))
			break
		}
	}
	add("status", mcp.Ref{ID: mcp.Name(d.Status()), Name: d.StatusName()})
	return facts
}

// documentWords are the facts for a message.
func documentWords(d *erp.Document) string {
	return strings.Join(mapped(documentFacts(d), func(f *fact) string {
		words, _ := mcp.Ask(f.label+": %s", f.value).Text() // one fact is never too long
		return words
	}), "; ")
}

// consequences say what an action does to any document, for the one who is asked.
var consequences = map[erp.DocAction]string{
	erp.DocPrepare:        "The ERP checks it and reserves what it needs; it stays open.",
	erp.DocComplete:       "It takes effect and can no longer be edited.",
	erp.DocClose:          "What is still open of it is given up; it is final.",
	erp.DocVoid:           "It is made void; what it had changed is reversed as far as the ERP can.",
	erp.DocReverseCorrect: "A reversal with the date of the document undoes what it changed.",
	erp.DocReverseAccrual: "A reversal with the date of today undoes what it changed.",
	erp.DocReactivate:     "It is opened again for editing; what it had changed is reversed.",
	erp.DocApprove:        "It is approved.",
	erp.DocReject:         "Its approval is refused.",
	erp.DocInvalidate:     "It is marked as invalid.",
	erp.DocUnlock:         "Its lock is removed, and it is a draft again.",
	erp.DocPost:           "It is posted to the accounts.",
}

// documentQuestion is what the user is asked before a document is processed: what it
// is, what the action does, and what follows from it as far as the ERP's records tell.
func documentQuestion(ctx context.Context, client *erp.Client, d *erp.Document, lines *documentLines, action erp.DocAction) (*mcp.Question, error) {
	name := action.String()
	q := mcp.Ask(strings.ToUpper(name[:1])+name[1:]+" %s %s?", mcp.Name(d.Table), mcp.Ref{ID: d.ID(), Name: d.Number()})
	for _, f := range documentFacts(d) {
		q.Fact(f.label, f.value)
	}
	lines.tell(restsOn(q, d.Record))
	q.Say(consequences[action])
	follow := &follower{client: client, d: d, q: q}
	switch action {
	case erp.DocComplete:
		return q, follow.completion(ctx)
	case erp.DocVoid, erp.DocReverseCorrect, erp.DocReverseAccrual, erp.DocReactivate:
		return q, follow.reversal(ctx, action)
	}
	return q, nil
}

// follower says what an action on a document brings about beside the document.
type follower struct {
	client *erp.Client
	d      *erp.Document
	q      *mcp.Question
}

// paidCash reports whether what is to be paid is paid as the invoice is completed.
func (f *follower) paidCash() bool {
	rule, _ := f.d.Record.Code("PaymentRule")
	return rule == "B"
}

// completion adds what completing the document makes.
func (f *follower) completion(ctx context.Context) error {
	switch f.d.Table {
	case "C_Order":
		return f.order(ctx)
	case "C_Invoice":
		if f.paidCash() {
			f.q.Say("Its payment rule is cash: a payment of the whole amount is made and completed, and allocated to it.")
			return nil
		}
		f.q.Say("The amount is open for its partner until it is paid.")
	case "C_Payment":
		invoice, ok := f.d.Record.Ref("C_Invoice_ID")
		if n, _ := invoice.ID.Int(); ok && n > 0 {
			f.q.Say("It is allocated to the invoice %s.", mcp.Ref{ID: invoice.ID, Name: invoice.Identifier})
		}
	case "M_InOut", "M_Movement", "M_Inventory", "M_Production":
		f.q.Say("The stock of the products in it changes.")
	}
	return nil
}

// order adds what completing an order makes, which its document type decides.
func (f *follower) order(ctx context.Context) error {
	if sales, _ := f.d.Record.Bool("IsSOTrx"); !sales {
		f.q.Say("The goods are ordered; receipt and invoice are documents of their own.")
		return nil
	}
	typ, seen, err := f.read(ctx, "C_DocType", f.d.Type().ID)
	if err != nil || !seen {
		return err
	}
	sub, _ := typ.Code("DocSubTypeSO")
	ships, _ := typ.Bool("IsAutoGenerateInout")
	invoices, _ := typ.Bool("IsAutoGenerateInvoice")
	switch sub {
	case "ON":
		f.q.Say("It is a non-binding offer: no goods are reserved, and no other document is made.")
		return nil
	case "OB":
		f.q.Say("It is a binding offer: its goods are reserved, and no other document is made.")
		return nil
	case "PR":
		f.q.Say("It is prepaid: without a payment it waits for one, and what follows is made after that.")
	case "WR", "WI":
		ships, invoices = true, true
	case "WP":
		ships, invoices = true, false
	default:
		ships, invoices = false, false
	}
	switch {
	case ships && invoices:
		f.q.Say("A shipment of all its goods and an invoice are made and completed; stock and accounts change.")
	case ships:
		f.q.Say("A shipment of all its goods is made and completed; stock changes.")
	case invoices:
		f.q.Say("An invoice is made and completed.")
	default:
		f.q.Say("Its goods are reserved; shipment and invoice are documents of their own.")
	}
	if invoices && f.paidCash() {
		f.q.Say("Its payment rule is cash: a payment of the whole amount is made and completed, and allocated to the invoice.")
	}
	return nil
}

// reversal adds what is released or reversed with the document.
func (f *follower) reversal(ctx context.Context, action erp.DocAction) error {
	if f.d.Status() != erp.DocCompleted && f.d.Status() != erp.DocClosed {
		return nil // nothing followed yet
	}
	switch f.d.Table {
	case "C_Invoice", "C_Payment":
		if action == erp.DocReactivate {
			return nil // the ERP refuses it for what is allocated
		}
		return f.allocations(ctx)
	case "C_Order":
		if sales, _ := f.d.Record.Bool("IsSOTrx"); !sales {
			return nil
		}
		if action == erp.DocReactivate {
			typ, seen, err := f.read(ctx, "C_DocType", f.d.Type().ID)
			sub, _ := typ.Code("DocSubTypeSO")
			if err != nil || !seen || !slices.Contains([]string{"WI", "WP", "WR"}, sub) {
				return err
			}
		}
		for _, table := range []string{"M_InOut", "C_Invoice"} {
			if err := f.made(ctx, table); err != nil {
				return err
			}
		}
	}
	return nil
}

// allocations adds the allocations that are released, with what they connect.
func (f *follower) allocations(ctx context.Context) error {
	lines, err := f.find(ctx, "C_AllocationLine", erp.Eq(f.d.Table+"_ID", f.d.ID()))
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, line := range lines {
		header, ok := line.Ref("C_AllocationHdr_ID")
		if !ok || seen[header.ID.String()] {
			continue
		}
		seen[header.ID.String()] = true
		allocation, readable, err := f.read(ctx, "C_AllocationHdr", header.ID)
		if err != nil {
			return err
		}
		if status, _ := allocation.Code("DocStatus"); !readable || status == "RE" || status == "VO" {
			continue
		}
		other, _ := line.Ref("C_Payment_ID")
		what := "payment"
		if f.d.Table == "C_Payment" {
			other, _ = line.Ref("C_Invoice_ID")
			what = "invoice"
		}
		amount, _ := line.Decimal("Amount")
		f.q.Say("The allocation %s of %s to the "+what+" %s is released; that "+what+" stays.",
			named(header.ID, allocation), mcp.Name(amount.String()), mcp.Ref{ID: other.ID, Name: other.Identifier})
	}
	return nil
}

// made adds the documents that were made of an order and are reversed with it.
func (f *follower) made(ctx context.Context, table string) error {
	records, err := f.find(ctx, table, erp.Eq("C_Order_ID", f.d.ID()))
	if err != nil {
		return err
	}
	for _, r := range records {
		if status, _ := r.Code("DocStatus"); !slices.Contains([]string{"CL", "RE", "VO"}, status) {
			f.q.Say("%s %s is reversed.", mcp.Name(table), named(r.ID(), r))
		}
	}
	return nil
}

// find reads records; those that the role may not read are said to be unknown.
func (f *follower) find(ctx context.Context, table string, filter erp.Filter) ([]erp.Record, error) {
	var found []erp.Record
	for record, err := range f.client.Records(ctx, table, &erp.Query{Filter: filter}) {
		if errors.Is(err, erp.ErrForbidden) || errors.Is(err, erp.ErrNotFound) {
			f.q.Say("Records of %s may be changed as well: your role may not read them.", mcp.Name(table))
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("looking for what follows in %s: %w", table, err)
		}
		found = append(found, record)
	}
	return found, nil
}

// read is find for one record.
func (f *follower) read(ctx context.Context, table string, id erp.ID) (_ erp.Record, seen bool, _ error) {
	record, err := f.client.Get(ctx, table, id, nil)
	if errors.Is(err, erp.ErrForbidden) || errors.Is(err, erp.ErrNotFound) {
		f.q.Say("What follows depends on %s %s, which your role may not read.", mcp.Name(table), id)
		return record, false, nil
	}
	if err != nil {
		return record, false, fmt.Errorf("looking for what follows in %s: %w", table, err)
	}
	return record, true, nil
}
