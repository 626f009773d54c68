package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
)

// CanRead reports whether the role may read the table through REST: it can open
// a window that shows the table, or it has table access.
func (r *Role) CanRead(t *store.Table) bool {
	return len(r.windows[t.ID]) > 0 || r.TableAccess(t, false)
}

// CanWrite reports whether the role may change the table through REST: it can
// change data in a window that shows the table, or it has table access for
// writing.
func (r *Role) CanWrite(t *store.Table) bool {
	for _, w := range r.windows[t.ID] {
		if r.Objects[KindWindow][w].Write {
			return true
		}
	}
	return r.TableAccess(t, true)
}

// CanSeeColumn reports whether the role may see the column.
func (r *Role) CanSeeColumn(t *store.Table, col *store.Column) bool {
	return r.columnAccess(t, col, false)
}

// CanWriteColumn reports whether the role may change the column.
func (r *Role) CanWriteColumn(t *store.Table, col *store.Column) bool {
	return r.columnAccess(t, col, true)
}

// ProcessAccess reports whether the role may see and may run a process.
func (s *Session) ProcessAccess(ctx context.Context, tx *store.Tx, processID int64) (read, write bool, err error) {
	return s.ObjectAccess(ctx, tx, KindProcess, processID)
}

// WindowAccess reports whether the role may open a window and change data in it.
func (s *Session) WindowAccess(ctx context.Context, tx *store.Tx, windowID int64) (read, write bool, err error) {
	return s.ObjectAccess(ctx, tx, KindWindow, windowID)
}

// ObjectAccess tells what the role may do with a window, process and so on. A
// permission to change is void altogether where the access level of the process,
// form, task or workflow does not fit the user level.
func (s *Session) ObjectAccess(ctx context.Context, tx *store.Tx, kind ObjectKind, id int64) (read, write bool, err error) {
	g := s.Role.Objects[kind][id]
	if !g.Write || kind == KindWindow || kind == KindInfo {
		return g.Read, g.Write, nil
	}
	var level string
	err = tx.QueryRow(ctx, `SELECT COALESCE(AccessLevel,'') FROM AD_`+string(kind)+` WHERE AD_`+string(kind)+`_ID=?`, id).Scan(&level)
	if errors.Is(err, sql.ErrNoRows) {
		return false, false, nil
	}
	if err != nil {
		return false, false, fmt.Errorf("reading the access level of %s %d: %w", kind, id, err)
	}
	if !strings.Contains(objectLevels[s.Role.UserLevel], level) {
		return false, false, nil
	}
	return g.Read, g.Write, nil
}

// writeLevels are the access levels of tables that each user level may write.
// A pure tenant role (C) may not write level 3, although it gets the windows.
var writeLevels = map[string]string{"S": "467", "C": "267", "CO": "12367", "O": "137"}

// IsAdministrator reports whether the user has the System Administrator role.
func (s *Session) IsAdministrator() bool { return s.Role.administrator }

// TableAccess is the ERP's test of a table: for writing the user level must
// fit its access level; then the accessing rules decide.
func (r *Role) TableAccess(t *store.Table, write bool) bool {
	if write && (t.AccessLevel == "" || !strings.Contains(writeLevels[r.UserLevel], t.AccessLevel)) {
		return false
	}
	hasInclude := false
	for _, rule := range r.tables {
		if rule.kind != "A" {
			continue
		}
		if rule.tableID == t.ID {
			return ruled(rule.exclude, rule.readOnly, write)
		}
		hasInclude = hasInclude || !rule.exclude
	}
	return !hasInclude || r.readUnlisted && !write
}

// columnAccess is the ERP's test of a column: the table, then the process
// behind a button, then the column rules.
func (r *Role) columnAccess(t *store.Table, col *store.Column, write bool) bool {
	if !r.TableAccess(t, write) {
		return false
	}
	if col.Ref == displaytype.Button && col.ProcessID > 0 && !r.Objects[KindProcess][col.ProcessID].Read {
		return false
	}
	hasInclude := false
	for _, rule := range r.columns {
		if rule.tableID != t.ID {
			continue
		}
		if rule.columnID == col.ID {
			return ruled(rule.exclude, rule.readOnly, write)
		}
		hasInclude = hasInclude || !rule.exclude
	}
	return !hasInclude
}

// ruled is what a rule says of the one thing it is about.
func ruled(exclude, readOnly, write bool) bool {
	if exclude {
		return readOnly && !write
	}
	return !readOnly || !write
}

// clientAccess reports whether the role reaches records of the tenant.
func (r *Role) clientAccess(clientID int64, write bool) bool {
	if clientID == 0 && !write {
		return true
	}
	if r.AllOrgs {
		return clientID == r.clientID
	}
	for _, o := range r.Orgs {
		if o.ClientID == clientID && (!write || !o.ReadOnly) {
			return true
		}
	}
	return false
}

// OrgAccess reports whether the role reaches records of the organization.
func (r *Role) OrgAccess(orgID int64, write bool) bool {
	if r.AllOrgs || orgID == 0 && !write {
		return true
	}
	o, ok := r.Orgs[orgID]
	return ok && (!write || !o.ReadOnly)
}

// recordAccess is the ERP's test of a single record by the record rules.
func (r *Role) recordAccess(tableID, recordID int64, write bool) bool {
	hasInclude := false
	for _, rule := range r.records {
		if rule.tableID != tableID {
			continue
		}
		if rule.recordID == recordID {
			return ruled(rule.exclude, rule.readOnly, write)
		}
		hasInclude = hasInclude || !rule.exclude
	}
	return !hasInclude
}

// MayUpdate returns an [*AccessDenied] unless the session may write a record
// of that tenant and organization; recordID 0 stands for a new record.
func (s *Session) MayUpdate(t *store.Table, clientID, orgID, recordID int64) error {
	r := s.Role
	deny := func(format string, args ...any) error {
		return &AccessDenied{Reason: fmt.Sprintf(format, args...)}
	}
	if s.ClientID != 0 && clientID != s.ClientID {
		return deny("records of another tenant cannot be changed")
	}
	has := func(letter string) bool { return strings.Contains(r.UserLevel, letter) }
	switch {
	case has("S"):
		return nil
	case clientID == 0 && orgID == 0:
		return deny("only a role with user level System changes records of the system")
	case orgID == 0 && !has("C") && !(has("O") && r.OrgAccess(0, true)):
		return deny("the role's user level does not let it change records of the whole tenant")
	case orgID != 0 && !has("O"):
		return deny("the role's user level does not let it change records of an organization")
	case !r.clientAccess(clientID, true):
		return deny("the role may not change records of tenant %d", clientID)
	case !r.OrgAccess(orgID, true):
		return deny("the role may not change records of organization %d", orgID)
	case !r.TableAccess(t, true):
		return deny("the role may not change table %s", t.Name)
	case recordID > 0 && !r.recordAccess(t.ID, recordID, true):
		return deny("the role may not change record %d of table %s", recordID, t.Name)
	}
	return nil
}

// readableClients and readableOrgs are the lists of an organization-list role
// for reading; System and the organization * are always among them.
func (r *Role) readable() (clients, orgs []int64) {
	clients, orgs = []int64{0}, []int64{0}
	for id, o := range r.Orgs {
		if !slices.Contains(clients, o.ClientID) {
			clients = append(clients, o.ClientID)
		}
		if id != 0 {
			orgs = append(orgs, id)
		}
	}
	slices.Sort(clients)
	slices.Sort(orgs)
	return clients, orgs
}
