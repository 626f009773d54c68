package twin

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/sqlitefile"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// bulkRows is from how many rows on a batch is written as a whole. Binding values one
// by one takes most of the time that a row takes.
const bulkRows = 500

// batchName is what a file of rows is called while it is attached.
const batchName = "batch"

// bulk is how whole batches of a table are written: as a database of their own, from
// which the rows are moved.
type bulk struct {
	table   sqlitefile.Table // without rows
	columns []int            // the target of each column
	notNull []bool
	insert  string
}

// bulkOf is nil for a table whose batches cannot be written so: one without an
// integer key, one with a unique index, which has the database compare, or one with
// columns that are not written.
func (c *clone) bulkOf(ctx context.Context, tx *store.Tx, p *plan) (*bulk, error) {
	if p.key < 0 {
		return nil, nil
	}
	have, err := tx.PhysicalColumns(ctx, p.t.Name)
	if err != nil || len(have) != len(p.targets) {
		return nil, err
	}
	b := &bulk{table: sqlitefile.Table{Name: p.t.Name}}
	for i, h := range have {
		at := -1
		for n := range p.targets {
			if strings.EqualFold(p.targets[n].c.Name, h.Name) {
				at = n
			}
		}
		switch upper := strings.ToUpper(h.Type); {
		case at < 0, !strings.Contains(upper, "INT") && !strings.Contains(upper, "CHAR") && !strings.Contains(upper, "TEXT") && upper != "BLOB":
			return nil, nil
		case at == p.key:
			if !h.Key || upper != "INTEGER" {
				return nil, nil
			}
			b.table.Key = []int{i}
		}
		b.table.Columns = append(b.table.Columns, sqlitefile.Column{Name: h.Name, Type: h.Type})
		b.columns, b.notNull = append(b.columns, at), append(b.notNull, h.NotNull)
	}
	var unique int
	if err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM pragma_index_list(?) WHERE "unique"`, p.t.Name).Scan(&unique); err != nil || unique > 0 {
		return nil, err
	}
	if err := tx.QueryRow(ctx, `SELECT sql FROM sqlite_schema WHERE type='table' AND name=? COLLATE NOCASE`, p.t.Name).Scan(&b.table.SQL); err != nil {
		return nil, err
	}
	b.insert = "INSERT INTO main." + store.Quote(p.t.Name) + " SELECT * FROM " + batchName + "." + store.Quote(p.t.Name)
	return b, nil
}

// file writes the rows to a file; ok tells whether they can be written so.
func (b *bulk) file(path string, rows [][]any) (ok bool, err error) {
	t := b.table
	t.Rows = make([][]any, len(rows))
	values := make([]any, len(rows)*len(b.columns))
	for n, row := range rows {
		t.Rows[n], values = values[:len(b.columns):len(b.columns)], values[len(b.columns):]
		for i, from := range b.columns {
			if t.Rows[n][i] = row[from]; row[from] == nil && b.notNull[i] {
				return false, nil
			}
		}
	}
	w := sqlitefile.New(len(rows) * 600)
	w.Table(t)
	data, err := w.Bytes()
	if err != nil { // such as a key that is there twice
		return false, nil //nolint:nilerr // the database says which row it is
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return false, fmt.Errorf("writing rows beside the twin: %w", err)
	}
	return true, nil
}

// writeAll runs do, which writes a batch, in a transaction. moved tells do whether
// the rows were written as a whole before.
func (c *clone) writeAll(ctx context.Context, p *plan, b *batch, do func(tx *store.Tx, moved bool) error) error {
	slowly := func() error { return c.work.Update(ctx, func(tx *store.Tx) error { return do(tx, false) }) }
	if p.bulk == nil || len(b.rows) < bulkRows {
		return slowly()
	}
	path := c.work.Path() + batchSuffix
	ok, err := p.bulk.file(path, b.rows)
	defer os.Remove(path) //nolint:errcheck // the next batch, or the next clone, writes over it
	if err != nil {
		return err
	}
	if !ok {
		return slowly()
	}
	return c.work.UpdateWith(ctx, path, batchName, func(tx *store.Tx) error {
		// One whose key is there already is left out: row by row.
		_, err := tx.Exec(context.WithoutCancel(ctx), p.bulk.insert)
		return do(tx, err == nil)
	})
}
