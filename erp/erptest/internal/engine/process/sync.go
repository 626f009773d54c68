package process

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// syncColumnsSince is the process "synchronize column" for one AD_Column
// record: when its table is not in the database yet, the table is created with
// all its columns; otherwise this column is added or altered, and with it
// those of the table that were updated since a stored time; "" takes the one
// column only. The result says what stands in the way; the caller then
// undoes the transaction.
func syncColumnsSince(ctx context.Context, tx *store.Tx, recordID int64, since string) (Result, error) {
	columns, err := tx.Table(ctx, "AD_Column")
	if err != nil {
		return Result{}, err
	}
	row, err := tx.One(ctx, columns, "AD_Column_ID=?", recordID)
	if errors.Is(err, sql.ErrNoRows) {
		return Failed("NotFound Column %d", recordID), nil // in the words of the real server
	}
	if err != nil {
		return Result{}, err
	}
	name := row.String("ColumnName")
	t, err := tx.TableByID(ctx, row.Int("AD_Table_ID"))
	if errors.Is(err, store.ErrNoTable) {
		return Failed("the table of column %s is not active", name), nil
	}
	if err != nil {
		return Result{}, err
	}
	column, ok := t.Column(name)
	switch {
	case t.IsView:
		return Failed("%s is a view; it is made from its view components", t.Name), nil
	case !ok || column.ID != recordID:
		return Failed("column %s.%s is not active", t.Name, name), nil
	case column.IsVirtual():
		return Failed("column %s.%s is virtual; it has no place in the database", t.Name, name), nil
	}
	group := []*store.Column{column}
	if since != "" {
		changed, err := tx.Select(ctx, columns, store.Selection{
			Where: "AD_Table_ID=? AND Updated>=? AND AD_Column_ID<>?", Args: []any{t.ID, since, recordID}, OrderBy: "AD_Column_ID",
		})
		if err != nil {
			return Result{}, fmt.Errorf("looking for changed columns of %s: %w", t.Name, err)
		}
		for _, r := range changed {
			if also, ok := t.Column(r.String("ColumnName")); ok {
				group = append(group, also)
			}
		}
	}
	report, err := tx.SyncColumns(ctx, t, group)
	return syncOutcome(t, report, err)
}
