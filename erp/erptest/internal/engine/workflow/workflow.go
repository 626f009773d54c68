package workflow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	texts "github.com/erphub/erphub/internal/text"
)

// maxWorkflowSteps bounds how many nodes one decision sets off.
const maxWorkflowSteps = 100

// Decide does what the answer to an activity means: for its document,
// for itself, and for its process. The remark stays with the activity.
func Decide(ctx context.Context, s *engine.Session, tx *store.Tx, a *Activity, value, remark string) error {
	state := stateCompleted
	text := remark
	if a.Kind != Confirmation {
		text = a.attribute() + "=" + value
		if remark != "" {
			text += " - " + remark
		}
	}
	switch a.Kind {
	case Approval:
		approved := value == "Y"
		action := "AP"
		if !approved {
			action, state = "RJ", stateAborted
		}
		cannot, err := decideDocument(ctx, s, tx, a, approved, action)
		if err != nil {
			return err
		}
		if cannot != "" {
			text, state = cannot+"\n - "+text, stateAborted
		}
	case Choice:
		if err := setDocumentValue(ctx, s, tx, a, value); err != nil {
			return err
		}
	case Confirmation, noQuestion:
	}
	more := store.Row{}
	if a.Kind != Confirmation {
		if err := keepResult(ctx, s, tx, a, value, remark); err != nil {
			return err
		}
		more["NewValue"] = engine.NullIfEmpty(value)
	}
	if err := changeActivity(ctx, s, tx, a, store.Row{"AD_User_ID": s.UserID}); err != nil {
		return err
	}
	if err := endActivity(ctx, s, tx, a, state, text, more); err != nil {
		return err
	}
	if state == stateAborted {
		return endProcess(ctx, s, tx, a.Row.Int("AD_WF_Process_ID"), stateAborted, remark)
	}
	return proceed(ctx, s, tx, a, 0)
}

// attribute is what an answer sets, as the activity's texts name it.
func (a *Activity) attribute() string {
	if name := a.Node.String("AttributeName"); name != "" {
		return name
	}
	if a.column != nil {
		return a.column.Name
	}
	return "null" // as the real server writes it
}

// decideDocument approves or rejects the activity's document; of a record that
// is not a document it sets IsApproved. cannot says that the document is in no state for
// it, which ends the activity.
func decideDocument(ctx context.Context, s *engine.Session, tx *store.Tx, a *Activity, approved bool, action string) (cannot string, err error) {
	doc, err := a.mustDocument(ctx, tx)
	if err != nil {
		return "", err
	}
	if !s.IsDocument(doc.Table) {
		return "", s.ChangeRow(ctx, tx, doc.Table.Name, doc.Row, store.Row{"IsApproved": engine.YesNo(approved)})
	}
	status := doc.Row.String("DocStatus")
	_, err = s.ActOn(ctx, tx, doc, action)
	var refused *engine.Error
	if plain := engine.PublicError(""); errors.As(err, &refused) || errors.As(err, &plain) {
		return fmt.Sprintf("Cannot %s - Document Status: %s", map[bool]string{true: "Approve", false: "Reject"}[approved], status), nil
	}
	return "", err
}

// mustDocument is the record the activity is about.
func (a *Activity) mustDocument(ctx context.Context, tx *store.Tx) (*engine.Record, error) {
	doc, err := a.document(ctx, tx)
	if err == nil && doc == nil {
		err = engine.PublicError(fmt.Sprintf("Persistent Object not found - AD_Table_ID=%d, Record_ID=%d", a.Row.Int("AD_Table_ID"), a.Row.Int("Record_ID")))
	}
	return doc, err
}

// setDocumentValue writes a choice into the column of the activity's node.
func setDocumentValue(ctx context.Context, s *engine.Session, tx *store.Tx, a *Activity, value string) error {
	doc, err := a.mustDocument(ctx, tx)
	if err != nil {
		return err
	}
	if a.column == nil {
		return engine.PublicError("The column of the choice does not exist any more")
	}
	col, ok := doc.Table.Column(a.column.Name)
	if !ok || col.IsVirtual() {
		return engine.PublicError("The record has no column " + a.column.Name)
	}
	stored, err := s.ToStored(ctx, tx, col, value)
	if err != nil {
		var api *engine.Error
		if errors.As(err, &api) {
			return engine.PublicError(api.Detail)
		}
		return err
	}
	if col.IsList() && stored != nil {
		if err := mustBeListed(ctx, tx, col, stored); err != nil {
			return engine.WithCause(engine.PublicError(fmt.Sprintf("Persistent Object not updated - AD_Table_ID=%d, Record_ID=%d - Value=%s error : %s",
				a.Row.Int("AD_Table_ID"), a.Row.Int("Record_ID"), value, engine.PublicText(err))), err)
		}
	}
	return s.ChangeRow(ctx, tx, doc.Table.Name, doc.Row, store.Row{col.Name: stored})
}

// mustBeListed refuses values that the list of a column does not have.
func mustBeListed(ctx context.Context, tx *store.Tx, col *store.Column, value any) error {
	ref, err := tx.Reference(ctx, col.RefValue)
	if err != nil {
		return err
	}
	valid := ""
	for _, entry := range ref.List {
		if entry.Value == value && entry.Active {
			return nil
		}
		valid += " - " + entry.Value
	}
	return engine.PublicError(fmt.Sprintf("%s Invalid value - %s - Reference_ID=%d%s", col.Name, fmt.Sprint(value), col.RefValue, valid))
}

// keepResult stores the value that was chosen.
func keepResult(ctx context.Context, s *engine.Session, tx *store.Tx, a *Activity, value, message string) error {
	name := "Value"
	if a.column != nil {
		name = a.column.Name
	}
	return s.ERP.InsertRow(ctx, tx, "AD_WF_ActivityResult", stampOf(s, a), store.Row{
		"AD_WF_Activity_ID": a.ID(), "AttributeName": name, "AttributeValue": value, "Help": engine.NullIfEmpty(message),
	})
}

func stampOf(s *engine.Session, a *Activity) engine.Stamp {
	return engine.Stamp{ClientID: a.Row.Int("AD_Client_ID"), OrgID: a.Row.Int("AD_Org_ID"), UserID: s.UserID}
}

// endActivity puts an activity into a final state and notes that; more are further
// columns of the note. text goes before the texts the activity has.
func endActivity(ctx context.Context, s *engine.Session, tx *store.Tx, a *Activity, state, text string, more store.Row) error {
	change := store.Row{"WFState": state, "Processed": "Y"}
	if text != "" {
		change["TextMsg"] = joinedText(text, a.Row.String("TextMsg"))
	}
	if err := changeActivity(ctx, s, tx, a, change); err != nil {
		return err
	}
	row := store.Row{"EventType": eventCompleted, "WFState": state}
	maps.Copy(row, more)
	return audit(ctx, s, tx, a, row)
}

// joinedText are two remarks, the newer or older one first.
func joinedText(first, second string) string {
	const most = 1000
	if first != "" && second != "" {
		first += "\n - "
	}
	return texts.First(first+second, most)
}

func changeActivity(ctx context.Context, s *engine.Session, tx *store.Tx, a *Activity, change store.Row) error {
	t, err := tx.Table(ctx, "AD_WF_Activity")
	if err != nil {
		return err
	}
	change["Updated"], change["UpdatedBy"] = s.StoredNow(), s.UserID
	if _, err := tx.Set(ctx, t, change, "AD_WF_Activity_ID=?", a.ID()); err != nil {
		return err
	}
	for name, v := range change {
		a.Row[name] = v
	}
	return nil
}

// Kinds of events (AD_WF_EventAudit.EventType).
const (
	eventCreated   = "PC"
	eventChanged   = "SC"
	eventCompleted = "PX"
)

// audit notes what became of an activity in the last line its node has in the
// history of the process, or in a new one. change are the columns that are not the
// activity's.
func audit(ctx context.Context, s *engine.Session, tx *store.Tx, a *Activity, change store.Row) error {
	lines, err := engine.RowsWhere(ctx, tx, "AD_WF_EventAudit", "AD_WF_EventAudit_ID", "AD_WF_Process_ID=? AND AD_WF_Node_ID=?",
		a.Row.Int("AD_WF_Process_ID"), a.Row.Int("AD_WF_Node_ID"))
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return newAudit(ctx, s, tx, a, change)
	}
	last := lines[len(lines)-1]
	elapsed := int64(0)
	if since := engine.StoredTimeOf(last.String("Created")); !since.IsZero() {
		elapsed = max(0, s.ERP.Now().Sub(since).Truncate(time.Millisecond).Milliseconds())
	}
	row := store.Row{"TextMsg": a.Row["TextMsg"], "ElapsedTimeMS": fmt.Sprint(elapsed), "Updated": s.StoredNow(), "UpdatedBy": s.UserID}
	maps.Copy(row, change)
	t, err := tx.Table(ctx, "AD_WF_EventAudit")
	if err != nil {
		return err
	}
	_, err = tx.Set(ctx, t, row, "AD_WF_EventAudit_ID=?", last.Int("AD_WF_EventAudit_ID"))
	return err
}

// newAudit writes a line into the history of the activity's process.
func newAudit(ctx context.Context, s *engine.Session, tx *store.Tx, a *Activity, change store.Row) error {
	row := store.Row{
		"AD_WF_Process_ID": a.Row.Int("AD_WF_Process_ID"), "AD_WF_Node_ID": a.Row.Int("AD_WF_Node_ID"),
		"AD_WF_Responsible_ID": a.Row.Int("AD_WF_Responsible_ID"), "AD_User_ID": a.Row["AD_User_ID"],
		"AD_Table_ID": a.Row.Int("AD_Table_ID"), "Record_ID": a.Row.Int("Record_ID"),
		"EventType": eventCreated, "WFState": a.Row.String("WFState"), "ElapsedTimeMS": "0", "TextMsg": a.Row["TextMsg"],
	}
	maps.Copy(row, change)
	return s.ERP.InsertRow(ctx, tx, "AD_WF_EventAudit", stampOf(s, a), row)
}

// Forward makes another user the one the activity is given to.
func Forward(ctx context.Context, s *engine.Session, tx *store.Tx, a *Activity, to store.Row, message string) error {
	from, err := engine.OneRow(ctx, tx, "AD_User", a.Row.Int("AD_User_ID"))
	if err != nil {
		return err
	}
	label := func(user store.Row) any {
		if user == nil {
			return nil
		}
		return fmt.Sprintf("%s(%d)", user.String("Name"), user.Int("AD_User_ID"))
	}
	change := store.Row{"AD_User_ID": to.Int("AD_User_ID")}
	if message != "" {
		change["TextMsg"] = joinedText(a.Row.String("TextMsg"), message)
	}
	if err := changeActivity(ctx, s, tx, a, change); err != nil {
		return err
	}
	err = audit(ctx, s, tx, a, store.Row{
		"AD_User_ID": from.Int("AD_User_ID"), "AttributeName": "AD_User_ID", "OldValue": label(from), "NewValue": label(to),
		"EventType": eventChanged, "WFState": a.Row.String("WFState"),
	})
	if err != nil {
		return err
	}
	return newAudit(ctx, s, tx, a, nil)
}

// proceed begins what follows a completed activity: the first of the next
// nodes, or all of them where the node splits with AND. Nodes the process has
// been at are not begun again. A process with nothing left to do is complete.
func proceed(ctx context.Context, s *engine.Session, tx *store.Tx, a *Activity, step int) error {
	if step >= maxWorkflowSteps {
		return engine.PublicError("The workflow does not come to an end")
	}
	process := a.Row.Int("AD_WF_Process_ID")
	next, err := engine.RowsWhere(ctx, tx, "AD_WF_NodeNext", "SeqNo, AD_WF_NodeNext_ID", "AD_WF_Node_ID=? AND IsActive='Y'", a.Row.Int("AD_WF_Node_ID"))
	if err != nil {
		return err
	}
	if len(next) > 1 && a.Node.String("SplitElement") != "A" {
		next = next[:1]
	}
	for _, n := range next {
		been, err := engine.RowsWhere(ctx, tx, "AD_WF_Activity", "", "AD_WF_Process_ID=? AND AD_WF_Node_ID=?", process, n.Int("AD_WF_Next_ID"))
		if err != nil {
			return err
		}
		if len(been) > 0 {
			continue
		}
		if err := beginNode(ctx, s, tx, a, n.Int("AD_WF_Next_ID"), step+1); err != nil {
			return err
		}
	}
	open, err := engine.RowsWhere(ctx, tx, "AD_WF_Activity", "", "AD_WF_Process_ID=? AND Processed='N' AND IsActive='Y'", process)
	if err != nil || len(open) > 0 {
		return err
	}
	return endProcess(ctx, s, tx, process, stateCompleted, "")
}

// beginNode makes the activity of a node. What needs nobody is done at once.
func beginNode(ctx context.Context, s *engine.Session, tx *store.Tx, after *Activity, nodeID int64, step int) error {
	node, err := engine.OneRow(ctx, tx, "AD_WF_Node", nodeID)
	if err != nil || node == nil || !node.Bool("IsActive") {
		return err
	}
	responsible := cmp.Or(node.Int("AD_WF_Responsible_ID"), after.Row.Int("AD_WF_Responsible_ID"))
	user := any(nil)
	who, err := engine.OneRow(ctx, tx, "AD_WF_Responsible", responsible)
	if err != nil {
		return err
	}
	process, err := engine.OneRow(ctx, tx, "AD_WF_Process", after.Row.Int("AD_WF_Process_ID"))
	if err != nil {
		return err
	}
	switch {
	case who.Int("AD_User_ID") > 0:
		user = who.Int("AD_User_ID")
	case who.String("ResponsibleType") == "H" && process.Int("AD_User_ID") > 0: // the invoker
		user = process.Int("AD_User_ID")
	}
	created, err := s.InsertRow(ctx, tx, "AD_WF_Activity", store.Row{
		"AD_Client_ID": after.Row.Int("AD_Client_ID"), "AD_Org_ID": after.Row.Int("AD_Org_ID"),
		"AD_WF_Process_ID": after.Row.Int("AD_WF_Process_ID"), "AD_Workflow_ID": node.Int("AD_Workflow_ID"), "AD_WF_Node_ID": nodeID,
		"AD_WF_Responsible_ID": responsible, "AD_User_ID": user,
		"AD_Table_ID": after.Row.Int("AD_Table_ID"), "Record_ID": after.Row.Int("Record_ID"),
		"Priority": node.Int("Priority"), "WFState": stateSuspended, "Processed": "N",
	})
	if err != nil {
		return err
	}
	a, err := Load(ctx, s, tx, created.Row)
	if err != nil {
		return err
	}
	if err := newAudit(ctx, s, tx, a, nil); err != nil {
		return err
	}
	if a.Kind != noQuestion {
		return nil
	}
	message, err := doNode(ctx, s, tx, a)
	if err != nil {
		return err
	}
	if err := endActivity(ctx, s, tx, a, stateCompleted, message, nil); err != nil {
		return err
	}
	return proceed(ctx, s, tx, a, step)
}

// doNode does what an automatic node is for, as far as the embedded ERP can:
// document actions and setting values.
func doNode(ctx context.Context, s *engine.Session, tx *store.Tx, a *Activity) (message string, err error) {
	switch a.Node.String("Action") {
	case "Z": // waits, if for any time, no longer than the clock of a test
		return "", nil
	case "D":
		action := a.Node.String("DocAction")
		doc, err := a.document(ctx, tx)
		if err != nil || doc == nil || action == "" || action == "--" {
			return "", err
		}
		return s.ActOn(ctx, tx, doc, action)
	case "V":
		return "", setDocumentValue(ctx, s, tx, a, a.Node.String("AttributeValue"))
	}
	return "The embedded ERP does not do this step", nil
}

// endProcess puts a process into a final state, with the activities that are
// still open.
func endProcess(ctx context.Context, s *engine.Session, tx *store.Tx, process int64, state, message string) error {
	open, err := engine.RowsWhere(ctx, tx, "AD_WF_Activity", "AD_WF_Activity_ID", "AD_WF_Process_ID=? AND Processed='N' AND IsActive='Y'", process)
	if err != nil {
		return err
	}
	for _, row := range open {
		a, err := Load(ctx, s, tx, row)
		if err != nil {
			return err
		}
		if err := endActivity(ctx, s, tx, a, state, "", nil); err != nil {
			return err
		}
	}
	t, err := tx.Table(ctx, "AD_WF_Process")
	if err != nil {
		return err
	}
	change := store.Row{"WFState": state, "Processed": "Y", "Updated": s.StoredNow(), "UpdatedBy": s.UserID}
	if message != "" {
		change["TextMsg"] = message
	}
	_, err = tx.Set(ctx, t, change, "AD_WF_Process_ID=?", process)
	return err
}
