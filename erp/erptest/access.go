package erptest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// canRead tells whether the role may read the table through REST: it can open
// a window that shows the table, or it has table access.
func (r *role) canRead(t *store.Table) bool {
	return len(r.windows[t.ID]) > 0 || r.tableAccess(t, false)
}

// canWrite tells whether the role may change the table through REST: it can
// change data in a window that shows the table, or it has table access for
// writing.
func (r *role) canWrite(t *store.Table) bool {
	for _, w := range r.windows[t.ID] {
		if r.objects[kindWindow][w].write {
			return true
		}
	}
	return r.tableAccess(t, true)
}

// canSeeColumn tells whether the role may see the column.
func (r *role) canSeeColumn(t *store.Table, col *store.Column) bool {
	return r.columnAccess(t, col, false)
}

// canWriteColumn tells whether the role may change the column.
func (r *role) canWriteColumn(t *store.Table, col *store.Column) bool {
	return r.columnAccess(t, col, true)
}

// processAccess tells whether the role may see and may run a process.
func (s *session) processAccess(ctx context.Context, tx *store.Tx, processID int64) (read, write bool, err error) {
	return s.objectAccess(ctx, tx, kindProcess, processID)
}

// windowAccess tells whether the role may open a window and change data in it.
func (s *session) windowAccess(ctx context.Context, tx *store.Tx, windowID int64) (read, write bool, err error) {
	return s.objectAccess(ctx, tx, kindWindow, windowID)
}

// objectAccess tells what the role may do with a window, process and so on. A
// right to change is void altogether where the access level of the process,
// form, task or workflow does not fit the user level.
func (s *session) objectAccess(ctx context.Context, tx *store.Tx, kind objectKind, id int64) (read, write bool, err error) {
	g := s.role.objects[kind][id]
	if !g.write || kind == kindWindow || kind == kindInfo {
		return g.read, g.write, nil
	}
	var level string
	err = tx.QueryRow(ctx, `SELECT COALESCE(AccessLevel,'') FROM AD_`+string(kind)+` WHERE AD_`+string(kind)+`_ID=?`, id).Scan(&level)
	if errors.Is(err, sql.ErrNoRows) {
		return false, false, nil
	}
	if err != nil {
		return false, false, fmt.Errorf("reading the access level of %s %d: %w", kind, id, err)
	}
	if !strings.Contains(objectLevels[s.role.userLevel], level) {
		return false, false, nil
	}
	return g.read, g.write, nil
}

// writeLevels are the access levels of tables that each user level may write.
// A pure tenant role (C) may not write level 3, although it gets the windows.
var writeLevels = map[string]string{"S": "467", "C": "267", "CO": "12367", "O": "137"}

// isAdministrator tells whether the user has the System Administrator role.
func (s *session) isAdministrator() bool { return s.role.administrator }

// tableAccess is the ERP's test of a table: for writing the user level must
// fit its access level; then the accessing rules decide.
func (r *role) tableAccess(t *store.Table, write bool) bool {
	if write && (t.AccessLevel == "" || !strings.Contains(writeLevels[r.userLevel], t.AccessLevel)) {
		return false
	}
	hasInclude := false
	for _, rule := range r.tables {
		if rule.kind != "A" {
			continue
		}
		if rule.tableID == t.ID {
			if rule.exclude {
				return rule.readOnly && !write
			}
			return !rule.readOnly || !write
		}
		hasInclude = hasInclude || !rule.exclude
	}
	return !hasInclude || r.readUnlisted && !write
}

// columnAccess is the ERP's test of a column: the table, then the process
// behind a button, then the column rules.
func (r *role) columnAccess(t *store.Table, col *store.Column, write bool) bool {
	if !r.tableAccess(t, write) {
		return false
	}
	if col.Ref == store.TypeButton && col.ProcessID > 0 && !r.objects[kindProcess][col.ProcessID].read {
		return false
	}
	hasInclude := false
	for _, rule := range r.columns {
		if rule.tableID != t.ID {
			continue
		}
		if rule.columnID == col.ID {
			if rule.exclude {
				return rule.readOnly && !write
			}
			return !rule.readOnly || !write
		}
		hasInclude = hasInclude || !rule.exclude
	}
	return !hasInclude
}

// clientAccess tells whether the role reaches records of the tenant.
func (r *role) clientAccess(clientID int64, write bool) bool {
	if clientID == 0 && !write {
		return true
	}
	if r.allOrgs {
		return clientID == r.clientID
	}
	for _, o := range r.orgs {
		if o.clientID == clientID && (!write || !o.readOnly) {
			return true
		}
	}
	return false
}

// orgAccess tells whether the role reaches records of the organization.
func (r *role) orgAccess(orgID int64, write bool) bool {
	if r.allOrgs || orgID == 0 && !write {
		return true
	}
	o, ok := r.orgs[orgID]
	return ok && (!write || !o.readOnly)
}

// recordAccess is the ERP's test of a single record by the record rules.
func (r *role) recordAccess(tableID, recordID int64, write bool) bool {
	hasInclude := false
	for _, rule := range r.records {
		if rule.tableID != tableID {
			continue
		}
		if rule.recordID == recordID {
			if rule.exclude {
				return rule.readOnly && !write
			}
			return !rule.readOnly || !write
		}
		hasInclude = hasInclude || !rule.exclude
	}
	return !hasInclude
}

// mayUpdate answers an [*accessDenied] unless the session may write a record
// of that tenant and organization; recordID 0 stands for a new record.
func (s *session) mayUpdate(t *store.Table, clientID, orgID, recordID int64) error {
	r := s.role
	deny := func(format string, args ...any) error {
		return &accessDenied{reason: fmt.Sprintf(format, args...)}
	}
	if s.ClientID != 0 && clientID != s.ClientID {
		return deny("records of another tenant cannot be changed")
	}
	has := func(letter string) bool { return strings.Contains(r.userLevel, letter) }
	switch {
	case has("S"):
		return nil
	case clientID == 0 && orgID == 0:
		return deny("only a role with user level System changes records of the system")
	case orgID == 0 && !has("C") && !(has("O") && r.orgAccess(0, true)):
		return deny("the role's user level does not let it change records of the whole tenant")
	case orgID != 0 && !has("O"):
		return deny("the role's user level does not let it change records of an organization")
	case !r.clientAccess(clientID, true):
		return deny("the role may not change records of tenant %d", clientID)
	case !r.orgAccess(orgID, true):
		return deny("the role may not change records of organization %d", orgID)
	case !r.tableAccess(t, true):
		return deny("the role may not change table %s", t.Name)
	case recordID > 0 && !r.recordAccess(t.ID, recordID, true):
		return deny("the role may not change record %d of table %s", recordID, t.Name)
	}
	return nil
}

// readableClients and readableOrgs are the lists of an organization-list role
// for reading; System and the organization * are always among them.
func (r *role) readable() (clients, orgs []int64) {
	clients, orgs = []int64{0}, []int64{0}
	for id, o := range r.orgs {
		if !slices.Contains(clients, o.clientID) {
			clients = append(clients, o.clientID)
		}
		if id != 0 {
			orgs = append(orgs, id)
		}
	}
	slices.Sort(clients)
	slices.Sort(orgs)
	return clients, orgs
}
