package engine

import (
	"errors"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// grant is what a role may do with a window, process or the like.
type grant struct {
	Read, Write bool
}

// ObjectKind is a kind of object that roles are granted one by one.
type ObjectKind string

// The kinds; each has a table AD_<kind>_Access.
const (
	KindWindow   ObjectKind = "Window"
	KindProcess  ObjectKind = "Process"
	KindForm     ObjectKind = "Form"
	KindTask     ObjectKind = "Task"
	KindWorkflow ObjectKind = "Workflow"
	KindInfo     ObjectKind = "InfoWindow"
)

var objectKinds = []ObjectKind{KindWindow, KindProcess, KindForm, KindTask, KindWorkflow, KindInfo}

// objectLevels are the access levels of windows, processes and so on that fit
// each user level.
var objectLevels = map[string]string{"S": "467", "C": "2367", "CO": "12367", "O": "137"}

// levelQueries list the active objects of a kind with their access level. A
// window has that of its first tab's table, an info window its table's.
var levelQueries = map[ObjectKind]string{
	KindWindow: `SELECT w.AD_Window_ID, w.Name, COALESCE((SELECT t.AccessLevel FROM AD_Tab b JOIN AD_Table t ON t.AD_Table_ID=b.AD_Table_ID
		WHERE b.AD_Window_ID=w.AD_Window_ID AND b.IsActive='Y' ORDER BY b.SeqNo, b.AD_Tab_ID LIMIT 1),'') FROM AD_Window w WHERE w.IsActive='Y'`,
	KindProcess:  `SELECT AD_Process_ID, Name, COALESCE(AccessLevel,'') FROM AD_Process WHERE IsActive='Y'`,
	KindForm:     `SELECT AD_Form_ID, Name, COALESCE(AccessLevel,'') FROM AD_Form WHERE IsActive='Y'`,
	KindTask:     `SELECT AD_Task_ID, Name, COALESCE(AccessLevel,'') FROM AD_Task WHERE IsActive='Y'`,
	KindWorkflow: `SELECT AD_Workflow_ID, Name, COALESCE(AccessLevel,'') FROM AD_Workflow WHERE IsActive='Y'`,
	KindInfo: `SELECT i.AD_InfoWindow_ID, i.Name, COALESCE(t.AccessLevel,'') FROM AD_InfoWindow i
		LEFT JOIN AD_Table t ON t.AD_Table_ID=i.AD_Table_ID WHERE i.IsActive='Y'`,
}

// grants reads what the role itself was granted of one kind. A row that is not
// active takes access away. A role that is not maintained by hand has
// everything that fits its user level, unless a row says otherwise: the ERP
// writes such rows for it whenever something new is saved.
func (l *roleLoader) grants(r *Role, kind ObjectKind, manual bool) (map[int64]grant, error) {
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
		grants[row.Int("AD_"+string(kind)+"_ID")] = grant{Read: active, Write: active && (!hasFlag || row.Bool("IsReadWrite"))}
	}
	return grants, nil
}

func (l *roleLoader) automatic(r *Role, kind ObjectKind, grants map[int64]grant) error {
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
		if level == "" || !strings.Contains(objectLevels[r.UserLevel], level) {
			continue
		}
		if kind == KindWindow && r.UserLevel == "O" && strings.Contains(name, "(all)") {
			continue
		}
		grants[id] = grant{Read: true, Write: true}
	}
	return rows.Err()
}
