package engine

import (
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// IsDocument reports whether the records of a table have a life of their own:
// drafted, completed, closed. The real server knows that of its own tables only.
func (s *Session) IsDocument(t *store.Table) bool {
	for _, name := range []string{"DocStatus", "DocAction", "Processed"} {
		if _, ok := t.Column(name); !ok {
			return false
		}
	}
	return t.EntityType == "D" || !s.ERP.Options.Strict
}

// document is a record on its way through a document action. Row is what becomes of
// it; store saves that.
type document struct {
	*Record
	s        *Session
	tx       *store.Tx
	program  docProgram
	message  *string     // what the document says, nil for nothing
	lines    []store.Row // once read
	prepared bool
	reversal bool // made to reverse another
}

// docProgram is what a table's program does in document actions. Any may be nil,
// then it is what all documents do.
type docProgram struct {
	prepare, complete, void, close, reverse, reactivate func(context.Context, *document) error
	// begin begins the completion, and reports whether that was all of it.
	begin      func(context.Context, *document) (ended bool, err error)
	noAccrual  bool // it cannot be reversed on another day than its own
	noReversal bool // it can be voided alone; reverse does that
	summary    func(*document) string
}

// Program is what the actions of a table's documents do beside changing the status.
type Program struct {
	of     func() docProgram
	Effect string // of completing; voiding and reversing take it back
}

// Programs are those of all tables that have one.
func Programs() map[string]Program {
	return map[string]Program{
		"C_Order":         {orderProgram, "reserves stock; by type of order makes the delivery, the invoice and the payment"},
		"C_Invoice":       {invoiceProgram, "counts as invoiced on the order, opens an amount, pays it in cash by a payment"},
		"M_InOut":         {shipmentProgram, "moves stock, counts as delivered on the order"},
		"C_Payment":       {paymentProgram, "is allocated to its invoice"},
		"C_AllocationHdr": {allocationProgram, "settles invoices and payments"},
		"M_Movement":      {movementProgram, "moves stock from one locator to another"},
		"M_Inventory":     {inventoryProgram, "adds to stock what was counted beyond the books, or takes from it what was used"},
		"M_Production":    {productionProgram, "takes components from stock and adds the product; of plans nothing"},
		"C_BankStatement": {statementProgram, "reconciles payments, adds to the balance of the account; not for batches of deposits"},
	}
}

func programOf(t *store.Table) docProgram {
	for name, p := range Programs() {
		if strings.EqualFold(name, t.Name) {
			return p.of()
		}
	}
	return docProgram{}
}

func (s *Session) newDocument(tx *store.Tx, t *store.Table, stored store.Row) *document {
	return &document{Record: &Record{Table: t, Old: stored, Row: maps.Clone(stored)}, s: s, tx: tx, program: programOf(t)}
}

// loadDocument is a stored document, nil when there is none with the id.
func (s *Session) loadDocument(ctx context.Context, tx *store.Tx, table string, id int64) (*document, error) {
	row, err := OneRow(ctx, tx, table, id)
	if err != nil || row == nil {
		return nil, err
	}
	t, err := tx.Table(ctx, table)
	if err != nil {
		return nil, err
	}
	return s.newDocument(tx, t, row), nil
}

// documentFailure is what keeps a document action from being done. Callers see
// it with the document's summary.
type documentFailure struct{ text string }

func (f *documentFailure) Error() string { return f.text }

func documentFails(text string) error { return &documentFailure{text} }

// told is an error as callers see it: what keeps the document from its action with
// the document's summary, anything else as it is.
func (d *document) told(err error) error {
	var failed *documentFailure
	if errors.As(err, &failed) {
		return PublicError(failed.text + "\n - " + d.summary())
	}
	return err
}

func (d *document) say(text string) { d.message = &text }

func (d *document) status() string { return d.Row.String("DocStatus") }

// store saves the document as it has become.
func (d *document) store(ctx context.Context) error {
	if !d.dirty() {
		return nil
	}
	d.Set("Updated", d.s.StoredNow())
	d.Set("UpdatedBy", d.s.UserID)
	if err := write(ctx, d.tx, d.Record); err != nil {
		return publicWriteError(d.Record, err)
	}
	if err := d.s.logChange(ctx, d.tx, d.Record); err != nil {
		return err
	}
	d.Old = maps.Clone(d.Row)
	return nil
}

// describe adds to the document's description.
func (d *document) describe(text string) { d.Set("Description", described(d.Row, text)) }

// described is a row's description with a text added.
func described(row store.Row, text string) string {
	if was := row.String("Description"); was != "" {
		return was + " | " + text
	}
	return text
}

// summary is the document in a line, as messages name it.
func (d *document) summary() string {
	text := d.Row.String("DocumentNo")
	if d.program.summary != nil {
		text = d.program.summary(d)
	}
	if what := d.Row.String("Description"); what != "" {
		text += " - " + what
	}
	return text
}

// negated is the opposite of a decimal column, with as many decimals.
func negated(row store.Row, column string) string {
	n := rat(row, column)
	return n.Neg(n).FloatString(scale(row.String(column)))
}
