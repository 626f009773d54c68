package erptest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// maxWorkflowSteps bounds how many nodes one answer sets off.
const maxWorkflowSteps = 100

// answerActivity does what the answer to an activity means: for its document,
// for itself, and for its process.
func (s *session) answerActivity(ctx context.Context, tx *store.Tx, a *activity, value, message string) error {
	state := stateCompleted
	switch a.kind {
	case userApproval:
		approved := value == "Y" || value == "true"
		action := "AP"
		if !approved {
			action, state = "RJ", stateAborted
		}
		if err := s.decideDocument(ctx, tx, a, approved, action); err != nil {
			return err
		}
		value = map[bool]string{true: "Y", false: "N"}[approved]
	case userChoice:
		if err := s.setDocumentValue(ctx, tx, a, value); err != nil {
			return err
		}
	case userConfirmation, noQuestion:
	}
	if a.kind != userConfirmation {
		if err := s.keepResult(ctx, tx, a, value, message); err != nil {
			return err
		}
	}
	if err := s.endActivity(ctx, tx, a, state, message); err != nil {
		return err
	}
	if state == stateAborted {
		return s.endProcess(ctx, tx, a.row.Int("AD_WF_Process_ID"), stateAborted, message)
	}
	return s.proceed(ctx, tx, a, 0)
}

// decideDocument approves or rejects the activity's document; of a record that
// is no document it sets IsApproved.
func (s *session) decideDocument(ctx context.Context, tx *store.Tx, a *activity, approved bool, action string) error {
	doc, err := a.document(ctx, tx)
	if err != nil {
		return err
	}
	if doc == nil {
		return plainError("The record of the activity does not exist any more")
	}
	if isDocument(doc.table) {
		_, err := s.processDocument(ctx, tx, doc, action)
		return err
	}
	_, err = s.changeRow(ctx, tx, doc.table, doc.row, store.Row{"IsApproved": map[bool]string{true: "Y", false: "N"}[approved]})
	return err
}

// setDocumentValue writes a choice into the column of the activity's node.
func (s *session) setDocumentValue(ctx context.Context, tx *store.Tx, a *activity, value string) error {
	doc, err := a.document(ctx, tx)
	if err != nil {
		return err
	}
	if doc == nil || a.column == nil {
		return plainError("The record or column of the choice does not exist any more")
	}
	col, ok := doc.table.Column(a.column.Name)
	if !ok || col.IsVirtual() {
		return plainError("The record has no column " + a.column.Name)
	}
	stored, err := s.toStored(ctx, tx, col, value)
	if err != nil {
		var api *erpError
		if errors.As(err, &api) {
			return plainError(api.detail)
		}
		return err
	}
	if col.IsList() {
		if err := mustBeListed(ctx, tx, col, stored); err != nil {
			return err
		}
	}
	_, err = s.changeRow(ctx, tx, doc.table, doc.row, store.Row{col.Name: stored})
	return err
}

// mustBeListed refuses values that the list of a column does not have.
func mustBeListed(ctx context.Context, tx *store.Tx, col *store.Column, value any) error {
	ref, err := tx.Reference(ctx, col.RefValue)
	if err != nil {
		return err
	}
	for _, entry := range ref.List {
		if entry.Value == value && entry.Active {
			return nil
		}
	}
	return plainError(fmt.Sprintf("%s is no value of the list %s", jsonOf(value), ref.Name))
}

// keepResult stores the value that was chosen.
func (s *session) keepResult(ctx context.Context, tx *store.Tx, a *activity, value, message string) error {
	name := "Value"
	if a.column != nil {
		name = a.column.Name
	}
	return s.erp.insertRow(ctx, tx, "AD_WF_ActivityResult", s.stampOf(a), store.Row{
		"AD_WF_Activity_ID": a.id(), "AttributeName": name, "AttributeValue": value, "Help": nullIfEmpty(message),
	})
}

func (s *session) stampOf(a *activity) stamp {
	return stamp{a.row.Int("AD_Client_ID"), a.row.Int("AD_Org_ID"), s.UserID}
}

// nullIfEmpty is the text, or NULL for an empty one.
func nullIfEmpty(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// endActivity puts an activity into a final state and notes that.
func (s *session) endActivity(ctx context.Context, tx *store.Tx, a *activity, state, message string) error {
	change := store.Row{"WFState": state, "Processed": "Y"}
	if message != "" {
		change["TextMsg"] = message
	}
	if err := s.changeActivity(ctx, tx, a, change); err != nil {
		return err
	}
	return s.audit(ctx, tx, a, state, message, nil)
}

func (s *session) changeActivity(ctx context.Context, tx *store.Tx, a *activity, change store.Row) error {
	t, err := tx.Table(ctx, "AD_WF_Activity")
	if err != nil {
		return err
	}
	change["Updated"], change["UpdatedBy"] = s.storedNow(), s.UserID
	if _, err := tx.Set(ctx, t, change, "AD_WF_Activity_ID=?", a.id()); err != nil {
		return err
	}
	for name, v := range change {
		a.row[name] = v
	}
	return nil
}

// audit writes a line into the history of the activity's process. more are
// further columns.
func (s *session) audit(ctx context.Context, tx *store.Tx, a *activity, state, message string, more store.Row) error {
	event := "SC"
	if state == stateCompleted {
		event = "PX"
	}
	elapsed := int64(0)
	if since := storedTimeOf(a.row.String("Created")); !since.IsZero() {
		elapsed = max(0, s.erp.now().Sub(since).Truncate(time.Millisecond).Milliseconds())
	}
	row := store.Row{
		"AD_WF_Process_ID": a.row.Int("AD_WF_Process_ID"), "AD_WF_Node_ID": a.row.Int("AD_WF_Node_ID"),
		"AD_WF_Responsible_ID": a.row.Int("AD_WF_Responsible_ID"), "AD_User_ID": s.UserID,
		"AD_Table_ID": a.row.Int("AD_Table_ID"), "Record_ID": a.row.Int("Record_ID"),
		"EventType": event, "WFState": state, "ElapsedTimeMS": fmt.Sprint(elapsed), "TextMsg": nullIfEmpty(message),
	}
	for name, v := range more {
		row[name] = v
	}
	return s.erp.insertRow(ctx, tx, "AD_WF_EventAudit", s.stampOf(a), row)
}

// giveActivity makes another user the one the activity is given to.
func (s *session) giveActivity(ctx context.Context, tx *store.Tx, a *activity, to store.Row, message string) error {
	from, err := oneRow(ctx, tx, "AD_User", a.row.Int("AD_User_ID"))
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
		change["TextMsg"] = message
	}
	if err := s.changeActivity(ctx, tx, a, change); err != nil {
		return err
	}
	return s.audit(ctx, tx, a, stateSuspended, message, store.Row{
		"AttributeName": "AD_User_ID", "OldValue": label(from), "NewValue": label(to),
	})
}

// proceed begins what follows a completed activity: the first of the next
// nodes, or all of them where the node splits with AND. Nodes the process has
// been at are not begun again. A process with nothing left to do is complete.
func (s *session) proceed(ctx context.Context, tx *store.Tx, a *activity, step int) error {
	if step >= maxWorkflowSteps {
		return plainError("The workflow does not come to an end")
	}
	process := a.row.Int("AD_WF_Process_ID")
	next, err := rowsWhere(ctx, tx, "AD_WF_NodeNext", "SeqNo, AD_WF_NodeNext_ID", "AD_WF_Node_ID=? AND IsActive='Y'", a.row.Int("AD_WF_Node_ID"))
	if err != nil {
		return err
	}
	if len(next) > 1 && a.node.String("SplitElement") != "A" {
		next = next[:1]
	}
	for _, n := range next {
		been, err := rowsWhere(ctx, tx, "AD_WF_Activity", "", "AD_WF_Process_ID=? AND AD_WF_Node_ID=?", process, n.Int("AD_WF_Next_ID"))
		if err != nil {
			return err
		}
		if len(been) > 0 {
			continue
		}
		if err := s.beginNode(ctx, tx, a, n.Int("AD_WF_Next_ID"), step+1); err != nil {
			return err
		}
	}
	open, err := rowsWhere(ctx, tx, "AD_WF_Activity", "", "AD_WF_Process_ID=? AND Processed='N' AND IsActive='Y'", process)
	if err != nil || len(open) > 0 {
		return err
	}
	return s.endProcess(ctx, tx, process, stateCompleted, "")
}

// beginNode makes the activity of a node. What needs nobody is done at once.
func (s *session) beginNode(ctx context.Context, tx *store.Tx, after *activity, nodeID int64, step int) error {
	node, err := oneRow(ctx, tx, "AD_WF_Node", nodeID)
	if err != nil || node == nil || !node.Bool("IsActive") {
		return err
	}
	responsible := node.Int("AD_WF_Responsible_ID")
	if responsible == 0 {
		responsible = after.row.Int("AD_WF_Responsible_ID")
	}
	user := any(nil)
	who, err := oneRow(ctx, tx, "AD_WF_Responsible", responsible)
	if err != nil {
		return err
	}
	process, err := oneRow(ctx, tx, "AD_WF_Process", after.row.Int("AD_WF_Process_ID"))
	if err != nil {
		return err
	}
	switch {
	case who.Int("AD_User_ID") > 0:
		user = who.Int("AD_User_ID")
	case who.String("ResponsibleType") == "H" && process.Int("AD_User_ID") > 0: // the invoker
		user = process.Int("AD_User_ID")
	}
	created, err := s.insertRow(ctx, tx, "AD_WF_Activity", store.Row{
		"AD_Client_ID": after.row.Int("AD_Client_ID"), "AD_Org_ID": after.row.Int("AD_Org_ID"),
		"AD_WF_Process_ID": after.row.Int("AD_WF_Process_ID"), "AD_Workflow_ID": node.Int("AD_Workflow_ID"), "AD_WF_Node_ID": nodeID,
		"AD_WF_Responsible_ID": responsible, "AD_User_ID": user,
		"AD_Table_ID": after.row.Int("AD_Table_ID"), "Record_ID": after.row.Int("Record_ID"),
		"Priority": node.Int("Priority"), "WFState": stateSuspended, "Processed": "N",
	})
	if err != nil {
		return err
	}
	a, err := s.loadActivity(ctx, tx, created.row)
	if err != nil {
		return err
	}
	if err := s.audit(ctx, tx, a, stateSuspended, "", store.Row{"EventType": "PC", "AD_User_ID": user}); err != nil {
		return err
	}
	if a.kind != noQuestion {
		return nil
	}
	message, err := s.doNode(ctx, tx, a)
	if err != nil {
		return err
	}
	if err := s.endActivity(ctx, tx, a, stateCompleted, message); err != nil {
		return err
	}
	return s.proceed(ctx, tx, a, step)
}

// doNode does what an automatic node is for, as far as the embedded ERP can:
// document actions and setting values.
func (s *session) doNode(ctx context.Context, tx *store.Tx, a *activity) (message string, err error) {
	switch a.node.String("Action") {
	case "Z": // waits, if for any time, no longer than the clock of a test
		return "", nil
	case "D":
		action := a.node.String("DocAction")
		doc, err := a.document(ctx, tx)
		if err != nil || doc == nil || action == "" || action == "--" {
			return "", err
		}
		return s.processDocument(ctx, tx, doc, action)
	case "V":
		return "", s.setDocumentValue(ctx, tx, a, a.node.String("AttributeValue"))
	}
	return "The embedded ERP does not do this step", nil
}

// endProcess puts a process into a final state, with the activities that are
// still open.
func (s *session) endProcess(ctx context.Context, tx *store.Tx, process int64, state, message string) error {
	open, err := rowsWhere(ctx, tx, "AD_WF_Activity", "AD_WF_Activity_ID", "AD_WF_Process_ID=? AND Processed='N' AND IsActive='Y'", process)
	if err != nil {
		return err
	}
	for _, row := range open {
		a, err := s.loadActivity(ctx, tx, row)
		if err != nil {
			return err
		}
		if err := s.endActivity(ctx, tx, a, state, ""); err != nil {
			return err
		}
	}
	t, err := tx.Table(ctx, "AD_WF_Process")
	if err != nil {
		return err
	}
	change := store.Row{"WFState": state, "Processed": "Y", "Updated": s.storedNow(), "UpdatedBy": s.UserID}
	if message != "" {
		change["TextMsg"] = message
	}
	_, err = tx.Set(ctx, t, change, "AD_WF_Process_ID=?", process)
	return err
}
