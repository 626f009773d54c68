package erp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// DocStatus is the status of a document (column DocStatus).
type DocStatus string

// The statuses of documents.
const (
	DocDrafted             DocStatus = "DR"
	DocInvalid             DocStatus = "IN"
	DocInProgress          DocStatus = "IP"
	DocApproved            DocStatus = "AP"
	DocNotApproved         DocStatus = "NA"
	DocWaitingPayment      DocStatus = "WP"
	DocWaitingConfirmation DocStatus = "WC"
	DocCompleted           DocStatus = "CO"
	DocClosed              DocStatus = "CL"
	DocReversed            DocStatus = "RE"
	DocVoided              DocStatus = "VO"
)

// DocAction is something that can be done with a document.
type DocAction string

// The actions on documents.
const (
	DocPrepare        DocAction = "PR"
	DocComplete       DocAction = "CO"
	DocClose          DocAction = "CL"
	DocVoid           DocAction = "VO"
	DocReverseCorrect DocAction = "RC" // with the date of the document
	DocReverseAccrual DocAction = "RA" // with the date of today
	DocReactivate     DocAction = "RE"
	DocApprove        DocAction = "AP"
	DocReject         DocAction = "RJ"
	DocInvalidate     DocAction = "IN"
	DocUnlock         DocAction = "XL"
	DocPost           DocAction = "PO"
	DocWaitComplete   DocAction = "WC"
)

// docActions has the actions with their names and the statuses that a document
// can have when the action was carried out; none: any.
var docActions = []struct {
	action DocAction
	name   string
	leads  []DocStatus
}{
	{DocPrepare, "prepare", []DocStatus{DocInProgress}},
	{DocComplete, "complete", []DocStatus{DocCompleted, DocWaitingPayment, DocWaitingConfirmation}},
	{DocClose, "close", []DocStatus{DocClosed}},
	{DocVoid, "void", []DocStatus{DocVoided, DocReversed}},
	{DocReverseCorrect, "reverse-correct", []DocStatus{DocReversed, DocVoided}},
	{DocReverseAccrual, "reverse-accrual", []DocStatus{DocReversed, DocVoided}},
	{DocReactivate, "reactivate", []DocStatus{DocInProgress, DocDrafted}},
	{DocApprove, "approve", []DocStatus{DocApproved, DocCompleted}},
	{DocReject, "reject", []DocStatus{DocNotApproved}},
	{DocInvalidate, "invalidate", []DocStatus{DocInvalid}},
	{DocUnlock, "unlock", nil},
	{DocPost, "post", nil},
	{DocWaitComplete, "wait-complete", nil},
}

// ParseDocAction reads an action by name, such as "reverse-correct", or by the
// ERP's code, such as "RC", in any case and with any separators.
func ParseDocAction(text string) (DocAction, bool) {
	plain := func(s string) string {
		return strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(s))
	}
	for _, a := range docActions {
		if plain(text) == plain(a.name) || strings.EqualFold(strings.TrimSpace(text), string(a.action)) {
			return a.action, true
		}
	}
	return "", false
}

// String is the name of the action, such as "complete"; of one that is not known
// here it is the code.
func (a DocAction) String() string {
	for _, known := range docActions {
		if known.action == a {
			return known.name
		}
	}
	return string(a)
}

// LeadsTo reports whether a document on which the action was carried out can have
// the status. Unlocking and posting leave any.
func (a DocAction) LeadsTo(s DocStatus) bool {
	for _, known := range docActions {
		if known.action == a {
			return len(known.leads) == 0 || slices.Contains(known.leads, s)
		}
	}
	return true
}

// Actions are the actions that the ERP's document engine accepts in the status;
// none for a status that is not known. Any other the server passes over: it
// responds as if all were well, and nothing has happened. The program of a
// document, its period or the role can still refuse one of these.
func (s DocStatus) Actions() []DocAction {
	switch s {
	case DocDrafted:
		return []DocAction{DocPrepare, DocComplete, DocVoid, DocInvalidate, DocUnlock}
	case DocInvalid:
		return []DocAction{DocPrepare, DocVoid, DocInvalidate, DocUnlock}
	case DocInProgress, DocApproved:
		return []DocAction{DocPrepare, DocComplete, DocVoid, DocApprove, DocReject, DocUnlock, DocWaitComplete}
	case DocNotApproved:
		return []DocAction{DocPrepare, DocVoid, DocReject, DocUnlock}
	case DocWaitingPayment, DocWaitingConfirmation:
		return []DocAction{DocComplete, DocClose, DocVoid, DocReactivate, DocWaitComplete}
	case DocCompleted:
		return []DocAction{DocClose, DocVoid, DocReverseCorrect, DocReverseAccrual, DocReactivate, DocPost}
	case DocClosed:
		return []DocAction{DocReactivate, DocPost}
	case DocReversed, DocVoided:
		return []DocAction{DocPost}
	}
	return nil
}

// lineTables are the tables of lines that are not called like their document.
var lineTables = map[string]string{
	"c_payment": "C_PaymentAllocate", "gl_journalbatch": "GL_Journal", "c_allocationhdr": "C_AllocationLine",
}

// LineTable is the name of the table of a document's lines, if it has one: C_Order
// has C_OrderLine.
func LineTable(document string) string {
	if name, ok := lineTables[strings.ToLower(document)]; ok {
		return name
	}
	return document + "Line"
}

// Document is a record with a status that actions change.
type Document struct {
	Table  string
	Record Record
}

// ID is the number of the record.
func (d *Document) ID() ID { return d.Record.ID() }

// Number is the document's number (DocumentNo), "" without one.
func (d *Document) Number() string {
	number, _ := d.Record.Text("DocumentNo")
	return number
}

// Status is the status of the document.
func (d *Document) Status() DocStatus {
	code, _ := d.Record.Code("DocStatus")
	return DocStatus(code)
}

// StatusName is the status in the words of the session's language.
func (d *Document) StatusName() string {
	if r, ok := d.Record.Ref("DocStatus"); ok && r.Identifier != "" {
		return r.Identifier
	}
	return string(d.Status())
}

// Type is the document type: the one that applies, or before a document is
// prepared the one that it is to have.
func (d *Document) Type() Ref {
	r, _ := d.Record.Ref("C_DocType_ID")
	if n, ok := r.ID.Int(); !ok || n == 0 {
		if target, ok := d.Record.Ref("C_DocTypeTarget_ID"); ok {
			return target
		}
	}
	return r
}

// Document reads a document. A record without a document status is ErrInvalid.
func (c *Client) Document(ctx context.Context, table string, id ID) (*Document, error) {
	record, err := c.Get(ctx, table, id, nil)
	if err != nil {
		return nil, err
	}
	d := &Document{Table: table, Record: record}
	if d.Status() == "" {
		return nil, invalid("%s %s is not a document: it has no DocStatus", quote(table), id)
	}
	return d, nil
}

// mostDocuments bounds what one document number is expected to find.
const mostDocuments = 20

// FindDocuments reads the documents of a table with a number, at most 20. Numbers
// are unique within a document type, not within a table.
func (c *Client) FindDocuments(ctx context.Context, table, number string) ([]Document, error) {
	page, err := c.Query(ctx, table, &Query{Filter: Eq("DocumentNo", number), Top: mostDocuments})
	if err != nil {
		return nil, err
	}
	found := make([]Document, len(page.Records))
	for i, r := range page.Records {
		found[i] = Document{Table: table, Record: r}
	}
	return found, nil
}

// DocumentResult is the result of an action on a document.
type DocumentResult struct {
	// Document is the document as it is afterwards.
	Document *Document
	// Message is the document's message about it; often empty.
	Message string
	// Recovered says that the response of the server was lost, and the document
	// was read again.
	Recovered bool
}

// ErrNotProcessed is in the error of an action that the server passed over: it
// responded with success, and the document's status is not one the action leads to.
var ErrNotProcessed = errors.New("the ERP did not carry out the action")

// ProcessDocument carries out an action on a document, in one transaction of the
// server. A document that has a status the action leads to already is left alone
// (unless the action is to prepare, unlock or post), so that a call can be made
// again. When the response is lost the document is read again: the error stands
// only when its status does not show that the action was carried out. What the ERP
// refuses is status 500, with its own words in Error.Detail.
func (c *Client) ProcessDocument(ctx context.Context, table string, id ID, action DocAction) (*DocumentResult, error) {
	before, err := c.Document(ctx, table, id)
	if err != nil {
		return nil, err
	}
	if action.Done(before.Status()) {
		return &DocumentResult{Document: before}, nil
	}
	record, err := c.Update(ctx, table, id, map[string]any{"doc-action": string(action)})
	result := &DocumentResult{}
	switch {
	case err == nil:
		result.Document = &Document{Table: table, Record: record}
		if result.Message, _ = record.Text("doc-processmsg"); result.Message == "null" {
			result.Message = "" // "null" means no message
		}
	case errors.Is(err, ErrOutcomeUnknown) && ctx.Err() == nil:
		after, readErr := c.Document(ctx, table, id)
		if readErr != nil || after.Status() == before.Status() || !action.LeadsTo(after.Status()) {
			return nil, err
		}
		result.Document, result.Recovered = after, true
		return result, nil
	default:
		return nil, err
	}
	if !action.LeadsTo(result.Document.Status()) {
		return result, fmt.Errorf("%s %s %s: %w: its status is %s", action, table, id, ErrNotProcessed, result.Document.Status())
	}
	return result, nil
}

// Done reports whether a document of the status is as the action leaves it, so that
// the action has nothing to do. Preparing, unlocking and posting always have.
func (a DocAction) Done(s DocStatus) bool {
	switch a {
	case DocPrepare, DocUnlock, DocPost, DocWaitComplete:
		return false
	}
	return a.LeadsTo(s) && !slices.Contains(s.Actions(), a)
}
