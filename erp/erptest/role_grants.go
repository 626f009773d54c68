package erptest

import (
	"errors"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// grant is what a role may do with a window, process or the like.
type grant struct {
	read, write bool
	seq         int64
}

// objectKind is a kind of object that roles are granted one by one.
type objectKind string

// The kinds; each has a table AD_<kind>_Access.
const (
	kindWindow   objectKind = "Window"
	kindProcess  objectKind = "Process"
	kindForm     objectKind = "Form"
	kindTask     objectKind = "Task"
	kindWorkflow objectKind = "Workflow"
	kindInfo     objectKind = "InfoWindow"
)

var objectKinds = []objectKind{kindWindow, kindProcess, kindForm, kindTask, kindWorkflow, kindInfo}

// objectLevels are the access levels of windows, processes and so on that fit
// each user level.
var objectLevels = map[string]string{"S": "467", "C": "2367", "CO": "12367", "O": "137"}

// levelQueries list the active objects of a kind with their access level. A
// window has that of its first tab's table, an info window its table's.
var levelQueries = map[objectKind]string{
	kindWindow: `SELECT w.AD_Window_ID, w.Name, COALESCE((SELECT t.AccessLevel FROM AD_Tab b JOIN AD_Table t ON t.AD_Table_ID=b.AD_Table_ID
		WHERE b.AD_Window_ID=w.AD_Window_ID AND b.IsActive='Y' ORDER BY b.SeqNo, b.AD_Tab_ID LIMIT 1),'') FROM AD_Window w WHERE w.IsActive='Y'`,
	kindProcess:  `SELECT AD_Process_ID, Name, COALESCE(AccessLevel,'') FROM AD_Process WHERE IsActive='Y'`,
	kindForm:     `SELECT AD_Form_ID, Name, COALESCE(AccessLevel,'') FROM AD_Form WHERE IsActive='Y'`,
	kindTask:     `SELECT AD_Task_ID, Name, COALESCE(AccessLevel,'') FROM AD_Task WHERE IsActive='Y'`,
	kindWorkflow: `SELECT AD_Workflow_ID, Name, COALESCE(AccessLevel,'') FROM AD_Workflow WHERE IsActive='Y'`,
	kindInfo: `SELECT i.AD_InfoWindow_ID, i.Name, COALESCE(t.AccessLevel,'') FROM AD_InfoWindow i
		LEFT JOIN AD_Table t ON t.AD_Table_ID=i.AD_Table_ID WHERE i.IsActive='Y'`,
}

// grants reads what the role itself was granted of one kind. A row that is not
// active takes access away. A role that is not maintained by hand has
// everything that fits its user level, unless a row says otherwise: the ERP
// writes such rows for it whenever something new is saved.
func (l *roleLoader) grants(r *role, kind objectKind, manual bool) (map[int64]grant, error) {
	grants := map[int64]grant{}
	if !manual {
		if err := l.automatic(r, kind, grants); err != nil {
			return nil, err
		}
	}
	rows, err := l.rows("AD_"+string(kind)+"_Access", `AD_Role_ID=?`, "", r.id)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		active := row.Bool("IsActive")
		// Info windows have no IsReadWrite: access is all there is.
		_, hasFlag := row["IsReadWrite"]
		grants[row.Int("AD_"+string(kind)+"_ID")] = grant{read: active, write: active && (!hasFlag || row.Bool("IsReadWrite")), seq: ownSeq}
	}
	return grants, nil
}

func (l *roleLoader) automatic(r *role, kind objectKind, grants map[int64]grant) error {
	if _, err := l.tx.Table(l.ctx, "AD_"+string(kind)); errors.Is(err, store.ErrNoTable) {
		return nil
	} else if err != nil {
		return err
	}
	rows, err := l.tx.Query(l.ctx, levelQueries[kind])
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var name, level string
		if err := rows.Scan(&id, &name, &level); err != nil {
			return err
		}
		if level == "" || !strings.Contains(objectLevels[r.userLevel], level) {
			continue
		}
		if kind == kindWindow && r.userLevel == "O" && strings.Contains(name, "(all)") {
			continue
		}
		grants[id] = grant{read: true, write: true, seq: ownSeq}
	}
	return rows.Err()
}
