package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// IsDocument tells whether the records of a table have a life of their own:
// drafted, completed, closed.
func IsDocument(t *store.Table) bool {
	for _, name := range []string{"DocStatus", "DocAction", "Processed"} {
		if _, ok := t.Column(name); !ok {
			return false
		}
	}
	return true
}

// docMove is the outcome of a document action.
type docMove struct {
	status    string // the new DocStatus
	next      string // the action offered then
	processed bool
	lines     bool // the document needs lines for it
}

// docActions are the names of the actions.
var docActions = map[string]string{
	"AP": "Approve", "CL": "Close", "CO": "Complete", "IN": "Invalidate", "PO": "Post", "PR": "Prepare",
	"RA": "Reverse - Accrual", "RC": "Reverse - Correct", "RE": "Re-activate", "RJ": "Reject", "VO": "Void",
	"WC": "Wait Complete", "XL": "Unlock",
}

// docStatuses are the names of the statuses.
var docStatuses = map[string]string{
	"??": "Unknown", "AP": "Approved", "CL": "Closed", "CO": "Completed", "DR": "Drafted", "IN": "Invalid",
	"IP": "In Progress", "NA": "Not Approved", "RE": "Reversed", "VO": "Voided", "WC": "Waiting Confirmation",
	"WP": "Waiting Payment",
}

// moveDocument says what an action makes of a document in a status, false when
// the action is not possible there.
func moveDocument(status, action string) (docMove, bool) {
	open := status == "DR" || status == "IN" || status == "IP" || status == "AP" || status == "NA" || status == "??" || status == ""
	completed := status == "CO" || status == "WC" || status == "WP"
	switch action {
	case "PR":
		return docMove{status: "IP", next: "CO", lines: true}, open
	case "CO", "WC":
		return docMove{status: "CO", next: "CL", processed: true, lines: true}, open || status == "WP" || status == "WC"
	case "AP":
		return docMove{status: "AP", next: "CO"}, open && status != "AP"
	case "RJ":
		return docMove{status: "NA", next: "IN"}, open && status != "NA"
	case "IN":
		return docMove{status: "IN", next: "PR"}, open && status != "IN"
	case "VO":
		return docMove{status: "VO", next: "--", processed: true}, open || completed
	case "CL":
		return docMove{status: "CL", next: "--", processed: true}, completed
	case "RC", "RA":
		return docMove{status: "RE", next: "--", processed: true}, completed
	case "RE":
		return docMove{status: "IP", next: "CO"}, completed
	case "XL":
		return docMove{status: status, next: "CO"}, open
	}
	return docMove{}, false
}

// RunDocAction runs the document action a request asks for, after everything
// else is saved. It returns what the document has to say to it. On tables
// that hold no documents it does nothing.
func (s *Session) RunDocAction(ctx context.Context, tx *store.Tx, r *Record) (string, error) {
	if r.Body == nil || !IsDocument(r.Table) {
		return "", nil
	}
	v, _ := r.Body.Get("doc-action")
	if o, ok := v.(*wire.Object); ok {
		v, _ = o.Get("id")
	}
	var action string
	switch v := v.(type) {
	case string:
		action = strings.TrimSpace(v)
	case json.Number:
		action = string(v)
	}
	if action == "" || action == "--" {
		return "", nil
	}
	message, err := s.ProcessDocument(ctx, tx, r, action)
	var refused PublicError
	if errors.As(err, &refused) {
		return "", Refuse(Failed, msgFailedDocument, string(refused))
	}
	return message, err
}

// ProcessDocument runs a document action, such as CO, on a stored record and
// returns what the document has to say to it.
func (s *Session) ProcessDocument(ctx context.Context, tx *store.Tx, r *Record, action string) (string, error) {
	stored, err := r.Reread(ctx, tx)
	if err != nil {
		return "", err
	}
	status := stored.String("DocStatus")
	name, known := docActions[action]
	if !known {
		return "", PublicError("Unknown document action " + JSONOf(action))
	}
	move, ok := moveDocument(status, action)
	if !ok {
		return "", PublicError(fmt.Sprintf("Cannot %s a document in status %s", name, docStatuses[status]))
	}
	lines, err := s.DocumentLines(ctx, tx, r)
	if err != nil {
		return "", err
	}
	if move.lines && lines.Table != nil && len(lines.Rows) == 0 {
		return "", PublicError("The document has no lines")
	}
	flag := map[bool]string{true: "Y", false: "N"}[move.processed]
	change := store.Row{
		"DocStatus": move.status, "DocAction": move.next, "Processed": flag,
		"Updated": s.StoredNow(), "UpdatedBy": s.UserID,
	}
	switch action {
	case "AP", "CO":
		change["IsApproved"] = "Y"
	case "RJ":
		change["IsApproved"] = "N"
	}
	if action == "CO" {
		change["ProcessedOn"] = fmt.Sprint(s.ERP.Now().UnixMilli())
		if stored.Int("C_DocType_ID") == 0 {
			change["C_DocType_ID"] = stored["C_DocTypeTarget_ID"]
		}
	}
	for name := range change {
		if _, ok := r.Table.Column(name); !ok {
			delete(change, name)
		}
	}
	after := &Record{Table: r.Table, Old: stored, Row: store.Row{}}
	for name, v := range stored {
		after.Row[name] = v
	}
	for name, v := range change {
		after.Set(name, v)
	}
	where, args, err := after.Where()
	if err != nil {
		return "", err
	}
	if _, err := tx.Set(ctx, r.Table, change, where, args...); err != nil {
		return "", err
	}
	if err := s.logChange(ctx, tx, after); err != nil {
		return "", err
	}
	if lines.Table != nil {
		if _, ok := lines.Table.Column("Processed"); ok {
			change := store.Row{"Processed": flag}
			if move.status == "VO" {
				for _, name := range []string{"QtyOrdered", "QtyEntered", "QtyInvoiced", "LineNetAmt"} {
					if _, ok := lines.Table.Column(name); ok {
						change[name] = "0"
					}
				}
			}
			if _, err := tx.Set(ctx, lines.Table, change, store.Quote(r.Table.Name+"_ID")+"=?", r.ID()); err != nil {
				return "", err
			}
		}
	}
	if move.status == "VO" && len(lines.Rows) > 0 {
		if _, ok := r.Table.Column("GrandTotal"); ok {
			if _, err := tx.Set(ctx, r.Table, store.Row{"GrandTotal": "0", "TotalLines": "0"}, where, args...); err != nil {
				return "", err
			}
		}
	}
	return "", nil
}

// DocumentParts are the lines of a document; table is nil when the document
// has none by its nature.
type DocumentParts struct {
	Table *store.Table
	Rows  []store.Row
}

// DocumentLines are the active lines of a document.
func (s *Session) DocumentLines(ctx context.Context, tx *store.Tx, r *Record) (DocumentParts, error) {
	t, err := tx.Table(ctx, r.Table.Name+"Line")
	if errors.Is(err, store.ErrNoTable) {
		return DocumentParts{}, nil
	}
	if err != nil {
		return DocumentParts{}, err
	}
	if exists, err := tx.TableExists(ctx, t.Name); err != nil || !exists {
		return DocumentParts{}, err
	}
	link, ok := t.Column(r.Table.Name + "_ID")
	if !ok {
		return DocumentParts{}, nil
	}
	rows, err := tx.Select(ctx, t, store.Selection{Where: store.Expr(t, link) + "=? AND IsActive='Y'", Args: []any{r.ID()}})
	return DocumentParts{t, rows}, err
}
