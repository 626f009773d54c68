package workflow

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
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

// Is reports whether the activity can be decided as wanted; an approval is a
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
		if summary, err = documentSummary(ctx, s, tx, doc); err != nil {
			return "", "", err
		}
	}
	history, err = historyHTML(ctx, s, tx, a.Row.Int("AD_WF_Process_ID"))
	return summary, history, err
}

// documentSummary names a document by its kind, number, representative and
// partner, each with a blank after it: "Order 80017: Joe Sales Joe Block ".
func documentSummary(ctx context.Context, s *engine.Session, tx *store.Tx, doc *engine.Record) (string, error) {
	var b strings.Builder
	if key := doc.Table.KeyColumn(); key != nil {
		label, err := elementName(ctx, s, tx, key.Name)
		if err != nil {
			return "", err
		}
		b.WriteString(label + " ")
	}
	if col, ok := doc.Table.Column("DocumentNo"); ok {
		number, ok := doc.Row[col.Name].(string)
		if !ok {
			number = "null" // as the real server writes it
		}
		b.WriteString(number + ": ")
	}
	user := "SalesRep_ID"
	if _, ok := doc.Table.Column(user); !ok {
		user = "AD_User_ID"
	}
	for _, named := range []struct{ column, table string }{{user, "AD_User"}, {"C_BPartner_ID", "C_BPartner"}} {
		if doc.Row[named.column] == nil {
			continue
		}
		row, err := engine.OneRow(ctx, tx, named.table, doc.Row.Int(named.column))
		if err != nil {
			return "", err
		}
		if row != nil {
			b.WriteString(row.String("Name") + " ")
		}
	}
	return b.String(), nil
}

// elementName is what the dictionary calls a column in the session's language, the
// column's own name when it has no element.
func elementName(ctx context.Context, s *engine.Session, tx *store.Tx, column string) (string, error) {
	var name string
	err := tx.QueryRow(ctx, `SELECT COALESCE(t.Name, e.Name) FROM AD_Element e
		LEFT JOIN AD_Element_Trl t ON t.AD_Element_ID=e.AD_Element_ID AND t.AD_Language=? AND t.IsActive='Y'
		WHERE UPPER(e.ColumnName)=UPPER(?) LIMIT 1`, s.Language, column).Scan(&name)
	if errors.Is(err, sql.ErrNoRows) {
		return column, nil
	}
	if err != nil {
		return "", fmt.Errorf("reading the element of %s: %w", column, err)
	}
	return name, nil
}

// historyHTML is what happened in a process so far, "" for nothing. The texts are
// put in as they are, which is how the real server does it: who shows them must
// clean them.
func historyHTML(ctx context.Context, s *engine.Session, tx *store.Tx, process int64) (string, error) {
	audits, err := engine.RowsWhere(ctx, tx, "AD_WF_EventAudit", "AD_WF_EventAudit_ID", "AD_WF_Process_ID=?", process)
	if err != nil {
		return "", err
	}
	part := func(tag, text string) string {
		if text == "" || tag == "" {
			return text
		}
		return "<" + tag + ">" + text + "</" + tag + ">"
	}
	var b strings.Builder
	for _, audit := range audits {
		node, err := engine.OneRow(ctx, tx, "AD_WF_Node", audit.Int("AD_WF_Node_ID"))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "<p>%s %s: %s%s</p>", s.LocaleTime(engine.StoredTimeOf(audit.String("Created"))), part("b", node.String("Name")),
			audit.String("Description"), part("i", audit.String("TextMsg")))
	}
	return b.String(), nil
}
