package erptest

import (
	"context"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// syncColumn is the process AD_Column Sync: given any column of a table, it
// creates the table in the database when it is not there yet, with all
// columns, and else adds or alters that one column.
func syncColumn(c *call, tx *store.Tx, recordID int64) (processResult, error) {
	ctx := c.ctx()
	row, err := oneRow(ctx, tx, "AD_Column", recordID)
	if err != nil {
		return processResult{}, err
	}
	if row == nil {
		return failed("There is no column with AD_Column_ID %d", recordID), nil
	}
	t, err := tx.TableByID(ctx, row.Int("AD_Table_ID"))
	if err != nil {
		return processResult{}, withCause("The table of the column is not active", err)
	}
	report, err := syncOne(ctx, tx, t, row.String("ColumnName"))
	return syncOutcome(t, report, err)
}

func syncOne(ctx context.Context, tx *store.Tx, t *store.Table, column string) (string, error) {
	if t.IsView {
		return "", plainError("Table " + t.Name + " is a view")
	}
	col, ok := t.Column(column)
	if !ok {
		return "", plainError("Column " + column + " is not active")
	}
	if col.IsVirtual() {
		return "", plainError("Column " + column + " is virtual: the database does not have it")
	}
	exists, err := tx.TableExists(ctx, t.Name)
	if err != nil {
		return "", err
	}
	if !exists {
		return tx.SyncTable(ctx, t)
	}
	return tx.SyncColumns(ctx, t, []*store.Column{col})
}
