package engine

import (
	"context"
	"maps"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// reversedBy makes the document that takes d back, completes it, and gives both the
// status of reversed ones and what else is in settled. In change and line is what the
// new document and its lines have other than d.
func (d *document) reversedBy(ctx context.Context, change store.Row, line func(store.Row) store.Row, settled store.Row) (*document, error) {
	row := maps.Clone(d.Old)
	for _, name := range []string{d.Table.Name + "_ID", d.Table.Name + "_UU", "ProcessedOn", "DocumentNo", "Created", "CreatedBy", "Updated", "UpdatedBy"} {
		delete(row, name)
	}
	maps.Copy(row, store.Row{"DocStatus": "DR", "DocAction": "CO", "Processed": "N", "Processing": "N", "Posted": "N", "IsApproved": "N",
		"Reversal_ID": d.ID(), "Description": described(d.Row, "{->"+d.Row.String("DocumentNo")+")")})
	maps.Copy(row, change)
	r, err := d.s.InsertRow(ctx, d.tx, d.Table.Name, row)
	if err != nil {
		return nil, err
	}
	if err := d.copyLines(ctx, r.ID(), line); err != nil {
		return nil, err
	}
	reversal, err := d.s.loadDocument(ctx, d.tx, d.Table.Name, r.ID())
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
		made.SetAll(settled)
	}
	d.describe("(" + reversal.Row.String("DocumentNo") + "<-)")
	d.Set("Reversal_ID", reversal.ID())
	return reversal, reversal.store(ctx)
}

// copyLines gives the document with an id the lines of d, with what differs in each.
func (d *document) copyLines(ctx context.Context, id int64, line func(store.Row) store.Row) error {
	t, err := d.lineTable(ctx)
	if err != nil || t == nil {
		return err
	}
	return d.eachLine(ctx, func(old store.Row) error {
		row := maps.Clone(old)
		for _, name := range []string{t.Name + "_ID", t.Name + "_UU", "Created", "CreatedBy", "Updated", "UpdatedBy"} {
			delete(row, name)
		}
		row["Processed"], row[d.Table.Name+"_ID"] = "N", id
		maps.Copy(row, line(old))
		_, err := d.s.InsertRow(ctx, d.tx, t.Name, row)
		return err
	})
}

// finish completes a document made along with another one, and stores it.
func (d *document) finish(ctx context.Context) error {
	if err := d.perform(ctx, "CO"); err != nil {
		return err
	}
	return d.store(ctx)
}
