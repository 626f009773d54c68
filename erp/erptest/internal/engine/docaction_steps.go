package engine

import (
	"context"
	"slices"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// perform does an action that the status allows.
func (d *document) perform(ctx context.Context, action string) error {
	if m := marks[action]; m.column != "" {
		d.Set(m.column, m.value)
		d.Set("DocStatus", m.status)
	}
	switch action {
	case "PR":
		return d.prepare(ctx)
	case "CO", "WC":
		if status := d.status(); status == "DR" || status == "IN" {
			if err := d.prepare(ctx); err != nil {
				return err
			}
		}
		return d.complete(ctx)
	case "RE":
		return d.do(ctx, d.program.reactivate, "IP", "CO", false)
	case "RA", "RC":
		if d.program.noReversal || action == "RA" && d.program.noAccrual {
			return unable(ctx, d)
		}
		return d.do(ctx, d.program.reverse, "RE", "--", true)
	case "CL":
		return d.do(ctx, d.program.close, "CL", "--", true)
	case "VO":
		step := d.program.void
		if slices.Contains([]string{"CO", "WC", "WP"}, d.status()) {
			step = d.program.reverse
		}
		if err := d.do(ctx, step, "VO", "--", true); err != nil {
			return err
		}
		if d.program.void == nil {
			return d.voidLines(ctx)
		}
	}
	return nil // posting is left to the accounting server, which is not part of this
}

// unable refuses an action that a document's program does not have: the server has no
// reason to tell, so it names the workflow's node.
func unable(_ context.Context, d *document) error {
	return documentFails("PerformWork Error - MWFNode[(Start)-DocumentAction=--] - DocStatus=" + d.status())
}

// marks are what actions write that do nothing else.
var marks = map[string]struct{ column, value, status string }{
	"XL": {"Processing", "N", "DR"},
	"IN": {"DocAction", "PR", "IN"},
	"AP": {"IsApproved", "Y", "AP"},
	"RJ": {"IsApproved", "N", "NA"},
}

// do runs a step of the document's program, if it has one, and gives the document
// its new status unless the program gave it that of a reversed one.
func (d *document) do(ctx context.Context, step func(context.Context, *document) error, status, next string, processed bool) error {
	if step != nil {
		if err := step(ctx, d); err != nil {
			return err
		}
	}
	if d.status() != "RE" || status == "IP" {
		d.Set("DocStatus", status)
	}
	d.Set("DocAction", next)
	return d.setProcessed(ctx, processed)
}

func (d *document) prepare(ctx context.Context) error {
	if d.program.prepare != nil {
		if err := d.program.prepare(ctx, d); err != nil {
			return err
		}
	} else if err := d.needLines(ctx); err != nil {
		return err
	}
	d.prepared = true
	d.Set("DocStatus", "IP")
	return nil
}

func (d *document) complete(ctx context.Context) error {
	if d.program.begin != nil {
		ended, err := d.program.begin(ctx, d)
		if err != nil {
			return err
		}
		if ended {
			return d.setProcessed(ctx, true)
		}
	}
	if !d.prepared {
		if err := d.prepare(ctx); err != nil {
			return err
		}
	}
	d.Set("IsApproved", "Y")
	d.Set("DocStatus", "CO")
	if d.program.complete != nil {
		if err := d.program.complete(ctx, d); err != nil {
			return err
		}
	} else if d.Table.EntityType == "D" {
		d.s.ERP.Options.Log.Warn("the embedded ERP changes the status of these documents alone", "table", d.Table.Name)
	}
	if d.status() == "CO" {
		d.Set("DocAction", "CL")
	}
	return d.setProcessed(ctx, true)
}

// setProcessed marks the document and its lines and taxes.
func (d *document) setProcessed(ctx context.Context, processed bool) error {
	flag := yesNo(processed)
	if processed && !d.Row.Bool("Processed") {
		if col, ok := d.Table.Column("ProcessedOn"); ok {
			d.Set(col.Name, FormatID(d.s.ERP.Now().UnixMilli()))
		}
	}
	d.Set("Processed", flag)
	for _, part := range []string{"Line", "Tax"} {
		t, err := NamedTable(ctx, d.tx, d.Table.Name+part)
		if err != nil {
			return err
		}
		if t == nil {
			continue
		}
		link, ok1 := t.Column(d.Table.Name + "_ID")
		_, ok2 := t.Column("Processed")
		if !ok1 || !ok2 {
			continue
		}
		if _, err := d.tx.Set(ctx, t, store.Row{"Processed": flag}, sqlquote.Name(link.Name)+"=?", d.ID()); err != nil {
			return err
		}
	}
	return nil
}
