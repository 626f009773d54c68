package erptest

import (
	"context"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// role is what an AD_Role, with the roles it includes, allows its user.
type role struct{ administrator bool }

// accessDenied is the refusal of an access check. Unless the handler gives it
// another title it is answered as 403 Access denied.
type accessDenied struct{ reason string }

func (e *accessDenied) Error() string { return e.reason }

// canRead tells whether the role may read the table through REST.
func (c *call) canRead(ctx context.Context, tx *store.Tx, t *store.Table) (bool, error) {
	return true, nil
}

// canWrite tells whether the role may change the table through REST.
func (c *call) canWrite(ctx context.Context, tx *store.Tx, t *store.Table) (bool, error) {
	return true, nil
}

// rowFilter is the condition for the rows the session may read, over the
// unaliased table, with its parameters; "" when there is none.
func (c *call) rowFilter(ctx context.Context, tx *store.Tx, t *store.Table) (where string, args []any, err error) {
	return "", nil, nil
}

// mayUpdate answers an [*accessDenied] unless the session may write a record
// of that tenant and organization; recordID 0 stands for a new record.
func (c *call) mayUpdate(ctx context.Context, tx *store.Tx, t *store.Table, clientID, orgID, recordID int64) error {
	return nil
}

// columnHidden tells whether the role may not see the column.
func (c *call) columnHidden(ctx context.Context, tx *store.Tx, t *store.Table, col *store.Column) (bool, error) {
	return false, nil
}

// columnReadOnly tells whether the role may not change the column.
func (c *call) columnReadOnly(ctx context.Context, tx *store.Tx, t *store.Table, col *store.Column) (bool, error) {
	return false, nil
}

// processAccess tells whether the role may see and may run a process.
func (c *call) processAccess(ctx context.Context, tx *store.Tx, processID int64) (read, write bool, err error) {
	return true, true, nil
}

// windowAccess tells whether the role may open a window and change data in it.
func (c *call) windowAccess(ctx context.Context, tx *store.Tx, windowID int64) (read, write bool, err error) {
	return true, true, nil
}

// isAdministrator tells whether the user has the System Administrator role.
func (c *call) isAdministrator() bool { return c.session.role.administrator }
