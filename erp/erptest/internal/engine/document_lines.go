package engine

import (
	"context"
	"maps"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// readLines are the active lines of the document, none when it has none by its
// nature.
func (d *document) readLines(ctx context.Context) ([]store.Row, error) {
	t, err := d.lineTable(ctx)
	if err != nil || t == nil {
		return nil, err
	}
	order := ""
	if _, ok := t.Column("Line"); ok {
		order = "Line, "
	}
	order += t.Name + "_ID"
	if t.KeyColumn() == nil {
		order = ""
	}
	d.lines, err = RowsWhere(ctx, d.tx, t.Name, order, sqlquote.Name(d.Table.Name+"_ID")+"=? AND IsActive='Y'", d.ID())
	if d.lines == nil {
		d.lines = []store.Row{}
	}
	return d.lines, err
}

// eachLine runs do for each active line of the document, until it fails.
func (d *document) eachLine(ctx context.Context, do func(line store.Row) error) error {
	lines, err := d.readLines(ctx)
	for i := 0; i < len(lines) && err == nil; i++ {
		err = do(lines[i])
	}
	return err
}

// DocumentLines are the table of a document's lines and those that are active; nil
// when it has none by its nature.
func (s *Session) DocumentLines(ctx context.Context, tx *store.Tx, t *store.Table, row store.Row) (*store.Table, []store.Row, error) {
	d := s.newDocument(tx, t, row)
	table, err := d.lineTable(ctx)
	if err != nil || table == nil {
		return nil, nil, err
	}
	lines, err := d.readLines(ctx)
	return table, lines, err
}

// lineTable is the table of the document's lines, nil for none.
func (d *document) lineTable(ctx context.Context) (*store.Table, error) {
	t, err := NamedTable(ctx, d.tx, strings.TrimSuffix(d.Table.Name, "Hdr")+"Line")
	if err != nil || t == nil {
		return nil, err
	}
	if _, ok := t.Column(d.Table.Name + "_ID"); !ok {
		return nil, nil
	}
	return t, nil
}

// changeLine changes a line without the rules of its table.
func (d *document) changeLine(ctx context.Context, line, change store.Row) error {
	t, err := d.lineTable(ctx)
	if err != nil {
		return err
	}
	for name := range change {
		if _, ok := t.Column(name); !ok {
			delete(change, name)
		}
	}
	maps.Copy(line, change)
	return d.setRow(ctx, t.Name, line.Int(t.Name+"_ID"), change)
}

// setRow changes a record without the rules of its table.
func (d *document) setRow(ctx context.Context, table string, id int64, change store.Row) error {
	t, err := d.tx.Table(ctx, table)
	if err == nil {
		_, err = d.tx.Set(ctx, t, change, sqlquote.Name(table+"_ID")+"=?", id)
	}
	return err
}

// needLines refuses a document without lines where there is a table for them.
func (d *document) needLines(ctx context.Context) error {
	t, err := d.lineTable(ctx)
	if err != nil || t == nil {
		return err
	}
	lines, err := d.readLines(ctx)
	if err == nil && len(lines) == 0 {
		err = documentFails("No Document Lines found")
	}
	return err
}

// voidLines takes back the quantities and amounts of all lines.
func (d *document) voidLines(ctx context.Context) error {
	lines, err := d.readLines(ctx)
	if err != nil || len(lines) == 0 {
		return err
	}
	for _, line := range lines {
		change := store.Row{}
		for _, name := range []string{"QtyOrdered", "QtyEntered", "QtyInvoiced", "MovementQty", "LineNetAmt"} {
			if _, ok := line[name]; ok {
				change[name] = "0"
			}
		}
		if len(change) == 0 {
			continue
		}
		if err := d.changeLine(ctx, line, change); err != nil {
			return err
		}
	}
	d.Set("GrandTotal", "0")
	d.Set("TotalLines", "0")
	return nil
}
