package workflow

import (
	"context"
	"errors"
	"fmt"
	"html"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// Kind is what an activity asks of people.
type Kind int

// The kinds; automatic nodes ask nothing. A node of action "User Choice" asks for approval when its column
// is IsApproved.
const (
	noQuestion Kind = iota
	Choice
	Approval
	Confirmation
)

// Is tells whether the activity can be decided as wanted; an approval is a
// choice, too.
func (k Kind) Is(wanted Kind) bool {
	return k == wanted || wanted == Choice && k == Approval
}

// States of activities and processes (AD_WF_Activity.WFState).
const (
	stateSuspended = "OS"
	stateCompleted = "CC"
	stateAborted   = "CA"
)

// Activity is an AD_WF_Activity with what belongs to it.
type Activity struct {
	Row    store.Row
	Node   store.Row // nil when it is gone
	Kind   Kind
	column *store.Column // what a choice sets, nil for none
	Table  *store.Table  // of the document, nil when it is gone
}

// ID is the AD_WF_Activity_ID.
func (a *Activity) ID() int64 { return a.Row.Int("AD_WF_Activity_ID") }

// Load reads what belongs to a row of AD_WF_Activity.
func Load(ctx context.Context, s *engine.Session, tx *store.Tx, row store.Row) (*Activity, error) {
	a := &Activity{Row: row}
	var err error
	if a.Node, err = engine.OneRow(ctx, tx, "AD_WF_Node", row.Int("AD_WF_Node_ID")); err != nil {
		return nil, err
	}
	if a.Table, err = tx.TableByID(ctx, row.Int("AD_Table_ID")); errors.Is(err, store.ErrNoTable) {
		a.Table, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	if a.column, err = nodeColumn(ctx, tx, a.Node); err != nil {
		return nil, err
	}
	a.Kind = nodeKind(a.Node, a.column)
	return a, nil
}

// nodeColumn is the column a node sets, nil for none.
func nodeColumn(ctx context.Context, tx *store.Tx, node store.Row) (*store.Column, error) {
	id := node.Int("AD_Column_ID")
	if id == 0 {
		return nil, nil
	}
	row, err := engine.OneRow(ctx, tx, "AD_Column", id)
	if err != nil || row == nil {
		return nil, err
	}
	t, err := tx.TableByID(ctx, row.Int("AD_Table_ID"))
	if err != nil {
		return nil, nil //nolint:nilerr // the table is no longer active
	}
	col, ok := t.Column(row.String("ColumnName"))
	if !ok {
		return nil, nil
	}
	return col, nil
}

func nodeKind(node store.Row, column *store.Column) Kind {
	switch node.String("Action") {
	case "C":
		if column != nil && strings.EqualFold(column.Name, "IsApproved") {
			return Approval
		}
		return Choice
	case "W", "X", "I":
		return Confirmation
	}
	return noQuestion
}

// document is the record the activity is about, nil when it is gone or belongs
// to another tenant than the activity.
func (a *Activity) document(ctx context.Context, tx *store.Tx) (*engine.Record, error) {
	if a.Table == nil || a.Table.KeyColumn() == nil {
		return nil, nil
	}
	row, err := engine.OneRow(ctx, tx, a.Table.Name, a.Row.Int("Record_ID"))
	if err != nil || row == nil || row.Int("AD_Client_ID") != a.Row.Int("AD_Client_ID") {
		return nil, err
	}
	return &engine.Record{Table: a.Table, Old: row, Row: row}, nil
}

// Texts are the summary of the activity's document and the history of
// its process as HTML.
func Texts(ctx context.Context, s *engine.Session, tx *store.Tx, a *Activity) (summary, history string, err error) {
	doc, err := a.document(ctx, tx)
	if err != nil {
		return "", "", err
	}
	if doc != nil {
		for _, name := range []string{"DocumentNo", "Value", "Name"} {
			if summary = doc.Row.String(name); summary != "" {
				break
			}
		}
	}
	history, err = historyHTML(ctx, s, tx, a.Row.Int("AD_WF_Process_ID"))
	return summary, history, err
}

// historyHTML is what happened in a process so far, "" for nothing.
func historyHTML(ctx context.Context, s *engine.Session, tx *store.Tx, process int64) (string, error) {
	audits, err := engine.RowsWhere(ctx, tx, "AD_WF_EventAudit", "Created, AD_WF_EventAudit_ID", "AD_WF_Process_ID=?", process)
	if err != nil || len(audits) == 0 {
		return "", err
	}
	var b strings.Builder
	b.WriteString("<html><body>")
	for _, audit := range audits {
		node, err := engine.OneRow(ctx, tx, "AD_WF_Node", audit.Int("AD_WF_Node_ID"))
		if err != nil {
			return "", err
		}
		user, err := engine.OneRow(ctx, tx, "AD_User", audit.Int("AD_User_ID"))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "<p>%s <b>%s</b> %s: %s", html.EscapeString(s.LocaleTime(engine.StoredTimeOf(audit.String("Created")))),
			html.EscapeString(node.String("Name")), html.EscapeString(user.String("Name")), stateNames[audit.String("WFState")])
		if text := audit.String("TextMsg"); text != "" {
			b.WriteString(" - " + html.EscapeString(text))
		}
		b.WriteString("</p>")
	}
	b.WriteString("</body></html>")
	return b.String(), nil
}

// stateNames are the names of the states.
var stateNames = map[string]string{
	"ON": "Not Started", "OR": "Running", "OS": "Suspended", "CC": "Completed", "CA": "Aborted", "CT": "Terminated",
}
