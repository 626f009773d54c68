package twin

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
	"github.com/erphub/erphub/internal/sqlquote"
)

// ref is a column whose values are keys of another table.
type ref struct {
	column *store.Column
	target *store.Table
	key    *store.Column // of the target
	multi  bool          // several keys with commas between
}

// refsOf are the references of a table to tables that hold rows. The result must
// not be changed.
func (c *clone) refsOf(ctx context.Context, tx *store.Tx, t *store.Table) ([]ref, error) {
	if known, ok := c.refs[t.Name]; ok {
		return known, nil
	}
	have, err := tx.PhysicalColumns(ctx, t.Name)
	if err != nil {
		return nil, err
	}
	var out []ref
	own := t.KeyColumn()
	for _, col := range t.Columns {
		if col.IsVirtual() || col == own || col.IsList() || col.Ref == displaytype.ChosenMultipleSelectionList ||
			!slices.ContainsFunc(have, func(h store.PhysicalColumn) bool { return strings.EqualFold(h.Name, col.Name) }) {
			continue
		}
		r, err := refOf(ctx, tx, col)
		if err != nil {
			return nil, err
		}
		if r != nil {
			out = append(out, *r)
		}
	}
	c.refs[t.Name] = out
	return out, nil
}

// refOf is the reference of a column to a copied table, nil if it has none.
func refOf(ctx context.Context, tx *store.Tx, col *store.Column) (*ref, error) {
	name, err := tx.TargetTable(ctx, col)
	if err != nil || name == "" {
		return nil, err
	}
	target, err := tx.Table(ctx, name)
	if errors.Is(err, store.ErrNoTable) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	exists, err := tx.TableExists(ctx, target.Name)
	if err != nil || target.IsView || !exists || serverOwn[strings.ToUpper(target.Name)] {
		return nil, err
	}
	key, err := keyFor(ctx, tx, col, target)
	if err != nil || key == nil || key.IsVirtual() || !col.IsMultiLookup() && (key.Kind() == store.KindInteger) != (col.Kind() == store.KindInteger) {
		return nil, err
	}
	return &ref{column: col, target: target, key: key, multi: col.IsMultiLookup()}, nil
}

// keyFor is the column of the target whose values a reference holds.
func keyFor(ctx context.Context, tx *store.Tx, col *store.Column, target *store.Table) (*store.Column, error) {
	switch col.Ref {
	case displaytype.TableUU, displaytype.TableDirUU, displaytype.SearchUU:
		return target.UUColumn(), nil
	}
	if col.RefValue != 0 {
		if r, err := tx.Reference(ctx, col.RefValue); err == nil && r.Table != nil && strings.EqualFold(r.Table.Table, target.Name) {
			if key, ok := target.Column(r.Table.Key); ok {
				return key, nil
			}
		}
	}
	if key := target.KeyColumn(); key != nil {
		return key, nil
	}
	key, _ := target.Column(col.Name)
	return key, nil
}

// dangling is the condition for rows of t whose reference leads nowhere. Negative
// numbers stand for none, and 0 for all where no record has it; above says from
// which number on a reference counts.
func (r ref) dangling(t *store.Table, above int) string {
	col := sqlquote.Name(t.Name) + "." + sqlquote.Name(r.column.Name)
	given := col + " IS NOT NULL AND " + col + "<>''"
	if r.column.Kind() == store.KindInteger {
		given = fmt.Sprintf("%s>%d", col, above)
	}
	return given + " AND NOT EXISTS (SELECT 1 FROM " + sqlquote.Name(r.target.Name) + " AS k WHERE k." + sqlquote.Name(r.key.Name) + "=" + col + ")"
}

// danglingRefs are the references of t that lead nowhere in some row of it, and those with
// several keys, which are looked at one by one. All are looked for while the rows are
// read once.
func (c *clone) danglingRefs(ctx context.Context, tx *store.Tx, t *store.Table, above int) ([]ref, error) {
	refs, err := c.refsOf(ctx, tx, t)
	if err != nil {
		return nil, err
	}
	var found []any
	var parts []string
	for _, r := range refs {
		if !r.multi {
			parts = append(parts, "COALESCE(MAX("+r.dangling(t, above)+"),0)")
			found = append(found, new(bool))
		}
	}
	if len(parts) > 0 {
		if err := tx.QueryRow(ctx, "SELECT "+strings.Join(parts, ", ")+" FROM "+sqlquote.Name(t.Name)).Scan(found...); err != nil {
			return nil, err
		}
	}
	at := 0
	return slices.DeleteFunc(slices.Clone(refs), func(r ref) bool {
		if r.multi {
			return false
		}
		at++
		return !*found[at-1].(*bool)
	}), nil
}

// recordPair reports whether a table refers to records of any table by
// AD_Table_ID and Record_ID.
func recordPair(t *store.Table) (table, record *store.Column, ok bool) {
	table, ok1 := t.Column("AD_Table_ID")
	record, ok2 := t.Column("Record_ID")
	return table, record, ok1 && ok2 && !table.IsVirtual() && !record.IsVirtual() && record.Kind() == store.KindInteger
}

// eachPair calls fn for each table to which records of t refer by AD_Table_ID and
// Record_ID, with the condition for those that lead nowhere, whose parameter is id.
func (c *clone) eachPair(ctx context.Context, tx *store.Tx, t *store.Table, fn func(target *store.Table, table *store.Column, id int64, condition string) error) error {
	table, record, ok := recordPair(t)
	if !ok {
		return nil
	}
	rows, err := tx.Query(ctx, "SELECT DISTINCT "+sqlquote.Name(table.Name)+" FROM "+sqlquote.Name(t.Name)+" WHERE "+sqlquote.Name(record.Name)+">0 AND "+sqlquote.Name(table.Name)+">0")
	if err != nil {
		return err
	}
	ids, err := numbersOf(rows)
	if err != nil {
		return err
	}
	for _, id := range ids {
		target, err := tx.TableByID(ctx, id)
		if errors.Is(err, store.ErrNoTable) {
			continue
		}
		if err != nil {
			return err
		}
		exists, err := tx.TableExists(ctx, target.Name)
		if err != nil {
			return err
		}
		key := target.KeyColumn()
		if !exists || target.IsView || key == nil || key.IsVirtual() || serverOwn[strings.ToUpper(target.Name)] {
			continue
		}
		col := sqlquote.Name(t.Name) + "." + sqlquote.Name(record.Name)
		condition := sqlquote.Name(table.Name) + "=? AND " + col + ">0 AND NOT EXISTS (SELECT 1 FROM " + sqlquote.Name(target.Name) + " AS k WHERE k." + sqlquote.Name(key.Name) + "=" + col + ")"
		if err := fn(target, table, id, condition); err != nil {
			return err
		}
	}
	return nil
}

func numbersOf(rows *sql.Rows) (list []int64, err error) {
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		list = append(list, n)
	}
	return list, errors.Join(rows.Err(), rows.Close())
}
