package twin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// createTable makes the table of the dictionary's description, without the index of
// its UUIDs, which is made once the rows are there. Defaults that the embedded
// database cannot have are left out; problem says so.
func createTable(ctx context.Context, tx *store.Tx, t *store.Table) (problem string, err error) {
	layout, err := store.LayoutOf(t)
	var refused *store.DDLError
	if errors.As(err, &refused) {
		plain := *t
		plain.Columns = make([]*store.Column, len(t.Columns))
		for i, c := range t.Columns {
			without := *c
			without.Default = ""
			plain.Columns[i] = &without
		}
		problem = "made without its defaults: " + refused.Reason
		layout, err = store.LayoutOf(store.NewTable(plain))
	}
	if err != nil {
		return "", err
	}
	_, err = tx.Exec(ctx, layout.SQL)
	return problem, err
}

// indexUUIDs makes the unique index of a table's UUIDs. Of rows with the same one
// the first stays.
func (c *clone) indexUUIDs(ctx context.Context, t *store.Table) error {
	layout, err := store.LayoutOf(t)
	if err != nil || layout.UUIDIndex == "" {
		return nil //nolint:nilerr // a table that could not be made as described has no such index
	}
	return c.work.Update(ctx, func(tx *store.Tx) error {
		if exists, err := tx.TableExists(ctx, t.Name); err != nil || !exists {
			return err
		}
		err := tx.Savepoint(ctx, func() error {
			_, err := tx.Exec(ctx, layout.UUIDIndex)
			return err
		})
		if err == nil {
			return nil
		}
		table, uuid := sqlquote.Name(t.Name), sqlquote.Name(t.UUColumn().Name)
		res, err := tx.Exec(ctx, "DELETE FROM "+table+" WHERE "+uuid+" IS NOT NULL AND rowid NOT IN (SELECT MIN(rowid) FROM "+table+" WHERE "+uuid+" IS NOT NULL GROUP BY "+uuid+")")
		if err != nil {
			return fmt.Errorf("looking for UUIDs of %s that are there twice: %w", t.Name, err)
		}
		n, err := res.RowsAffected()
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, layout.UUIDIndex); err != nil {
			return fmt.Errorf("indexing the UUIDs of %s: %w", t.Name, err)
		}
		var st tableState
		if _, err := loadIn(ctx, tx, "table:"+t.Name, &st); err != nil {
			return err
		}
		st.Report.Rows -= n
		count(&st.Report.LeftOut, doubled, n)
		return save(ctx, tx, "table:"+t.Name, &st)
	})
}

// makeTables makes all tables and views of the dictionary that are not there yet.
func (c *clone) makeTables(ctx context.Context) error {
	return c.work.Update(ctx, func(tx *store.Tx) error {
		byID, err := tx.TableNames(ctx)
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Values(byID)) {
			t, err := tx.Table(ctx, name)
			if err != nil {
				return err
			}
			problem, err := c.makeTable(ctx, tx, t)
			if err != nil {
				return err
			}
			if problem != "" {
				c.opts.Logger.WarnContext(ctx, "a table is not as the dictionary has it", "table", name, "problem", problem)
				st := tableState{Report: TableReport{Table: name, Problem: problem}}
				if exists, err := tx.TableExists(ctx, name); err != nil || !exists {
					st.Done = true
				}
				if err := save(ctx, tx, "problem:"+name, &st); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (c *clone) makeTable(ctx context.Context, tx *store.Tx, t *store.Table) (problem string, err error) {
	exists, err := tx.TableExists(ctx, t.Name)
	if err != nil || exists || t.IsView || serverOwn[strings.ToUpper(t.Name)] { // views come with the equipment
		return "", err
	}
	err = tx.Savepoint(ctx, func() error {
		var err error
		problem, err = createTable(ctx, tx, t)
		return err
	})
	if err != nil && ctx.Err() == nil {
		return err.Error(), nil // this table alone; the database says why
	}
	return problem, err
}
