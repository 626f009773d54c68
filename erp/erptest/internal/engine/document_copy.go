package engine

import (
	"context"
	"maps"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// copyOf is a new document like d, with what differs, and its lines with what
// differs in each. Both are drafts.
func (d *document) copyOf(ctx context.Context, change store.Row, line func(store.Row) store.Row) (*document, error) {
	row := maps.Clone(d.Old)
	for _, name := range []string{d.Table.Name + "_ID", d.Table.Name + "_UU", "ProcessedOn", "DocumentNo", "Created", "CreatedBy", "Updated", "UpdatedBy"} {
		delete(row, name)
	}
	maps.Copy(row, store.Row{"DocStatus": "DR", "DocAction": "CO", "Processed": "N", "Processing": "N", "Posted": "N", "IsApproved": "N"})
	maps.Copy(row, change)
	r, err := d.s.InsertRow(ctx, d.tx, d.Table.Name, row)
	if err != nil {
		return nil, err
	}
	made, err := d.s.loadDocument(ctx, d.tx, d.Table.Name, r.ID())
	if err != nil {
		return nil, err
	}
	t, err := d.lineTable(ctx)
	if err != nil || t == nil {
		return made, err
	}
	lines, err := d.readLines(ctx)
	if err != nil {
		return nil, err
	}
	for _, old := range lines {
		row := maps.Clone(old)
		for _, name := range []string{t.Name + "_ID", t.Name + "_UU", "Created", "CreatedBy", "Updated", "UpdatedBy"} {
			delete(row, name)
		}
		row["Processed"], row[d.Table.Name+"_ID"] = "N", made.ID()
		maps.Copy(row, line(old))
		if _, err := d.s.InsertRow(ctx, d.tx, t.Name, row); err != nil {
			return nil, err
		}
	}
	return d.s.loadDocument(ctx, d.tx, d.Table.Name, made.ID())
}

// reversedBy makes the document that takes d back, completes it, and gives both the
// status of reversed ones and what else is in settled. In change and line is what the
// new document and its lines have other than d.
func (d *document) reversedBy(ctx context.Context, change store.Row, line func(store.Row) store.Row, settled store.Row) (*document, error) {
	maps.Copy(change, store.Row{"Reversal_ID": d.ID(), "Description": described(d.Row, "{->"+d.Row.String("DocumentNo")+")")})
	reversal, err := d.copyOf(ctx, change, line)
	if err != nil {
		return nil, err
	}
	reversal.reversal = true
	if err := reversal.perform(ctx, "CO"); err != nil {
		return nil, err
	}
	for _, made := range []*document{reversal, d} {
		made.Set("DocStatus", "RE")
		made.Set("DocAction", "--")
		for name, v := range settled {
			made.Set(name, v)
		}
	}
	d.describe("(" + reversal.Row.String("DocumentNo") + "<-)")
	d.Set("Reversal_ID", reversal.ID())
	return reversal, reversal.store(ctx)
}

// finish completes a document made along with another one, and stores it.
func (d *document) finish(ctx context.Context) error {
	if err := d.perform(ctx, "CO"); err != nil {
		return err
	}
	return d.store(ctx)
}
