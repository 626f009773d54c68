package erptest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// syncColumn is the process "synchronize column" for one AD_Column record:
// when its table is not in the database yet, the table is created with all
// its columns; otherwise this column is added or altered. What stands in the
// way is told in the result, and leaves the database as it was.
func syncColumn(c *call, tx *store.Tx, recordID int64) (processResult, error) {
	return syncColumnsSince(c.ctx(), tx, recordID, "")
}

// syncColumnsSince is syncColumn with the process's parameter DateFrom, a
// stored time: it takes along the columns of the table that were updated
// since. "" takes the one column only. Each column is committed by itself: one
// that cannot be changed does not undo those before it.
func syncColumnsSince(ctx context.Context, tx *store.Tx, recordID int64, since string) (processResult, error) {
	columns, err := tx.Table(ctx, "AD_Column")
	if err != nil {
		return processResult{}, err
	}
	row, err := tx.One(ctx, columns, "AD_Column_ID=?", recordID)
	if errors.Is(err, sql.ErrNoRows) {
		return syncFailed(fmt.Sprintf("there is no column with AD_Column_ID %d; give the id of any column of the table as record-id", recordID)), nil
	}
	if err != nil {
		return processResult{}, err
	}
	name := row.String("ColumnName")
	t, err := tx.TableByID(ctx, row.Int("AD_Table_ID"))
	if errors.Is(err, store.ErrNoTable) {
		return syncFailed(fmt.Sprintf("the table of column %s is not active", name)), nil
	}
	if err != nil {
		return processResult{}, err
	}
	column, ok := t.Column(name)
	switch {
	case t.IsView:
		return syncFailed(fmt.Sprintf("%s is a view; it is made from its view components", t.Name)), nil
	case !ok || column.ID != recordID:
		return syncFailed(fmt.Sprintf("column %s.%s is not active", t.Name, name)), nil
	case column.IsVirtual():
		return syncFailed(fmt.Sprintf("column %s.%s is virtual; it has no place in the database", t.Name, name)), nil
	}
	exists, err := tx.TableExists(ctx, t.Name)
	if err != nil {
		return processResult{}, err
	}
	groups := [][]*store.Column{{column}}
	if exists && since != "" {
		changed, err := tx.Select(ctx, columns, store.Selection{
			Where: "AD_Table_ID=? AND Updated>=? AND AD_Column_ID<>?", Args: []any{t.ID, since, recordID}, OrderBy: "AD_Column_ID",
		})
		if err != nil {
			return processResult{}, err
		}
		for _, r := range changed {
			if also, ok := t.Column(r.String("ColumnName")); ok && !also.IsVirtual() {
				groups = append(groups, []*store.Column{also})
			}
		}
	}
	var result processResult
	for _, group := range groups {
		report, err := syncOne(ctx, tx, t, group)
		var refused *store.DDLError
		switch {
		case errors.As(err, &refused):
			result.isError = true
			report = refused.Reason
		case err != nil:
			return processResult{}, err
		case report == "":
			report = fmt.Sprintf("%s.%s: nothing to change", t.Name, group[0].Name)
		}
		if result.summary != "" {
			result.summary += "\n"
		}
		result.summary += report
	}
	return result, nil
}

// syncOne brings columns in step, or leaves everything as it was.
func syncOne(ctx context.Context, tx *store.Tx, t *store.Table, columns []*store.Column) (report string, err error) {
	err = tx.Savepoint(ctx, func() error {
		report, err = tx.SyncColumns(ctx, t, columns)
		return err
	})
	return report, err
}

func syncFailed(why string) processResult { return processResult{summary: why, isError: true} }
