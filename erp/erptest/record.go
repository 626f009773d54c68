package erptest

import (
	"context"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// recordObject is a record as the API writes it. row is as [store.Tx.One]
// reads it, with all columns; the object has those given, or all. What the
// record references is read anew at every call.
func (c *call) recordObject(ctx context.Context, tx *store.Tx, t *store.Table, row store.Row, columns []*store.Column) (*wire.Object, error) {
	rd, err := c.newReader(ctx, tx)
	if err != nil {
		return nil, err
	}
	properties, err := rd.properties(ctx, t, columns)
	if err != nil {
		return nil, err
	}
	objects, _, err := rd.objects(ctx, t, properties, []store.Row{row})
	if err != nil {
		return nil, err
	}
	rd.finish(objects[0], t)
	return objects[0], nil
}

// objects renders rows of t: id, uid and the properties, in this order. The rows
// come back as rendered, in the session's language. The caller completes the
// objects with [reader.finish].
func (rd *reader) objects(ctx context.Context, t *store.Table, properties []property, rows []store.Row) ([]*wire.Object, []store.Row, error) {
	if err := rd.count(len(rows)); err != nil {
		return nil, nil, err
	}
	columns := make([]*store.Column, len(properties))
	for i, m := range properties {
		columns[i] = m.col
	}
	rows, err := rd.translate(ctx, t, columns, rows)
	if err != nil {
		return nil, nil, err
	}
	if err := rd.prefetch(ctx, properties, rows, 0); err != nil {
		return nil, nil, err
	}
	if err := rd.prefetchParts(ctx, properties, rows); err != nil {
		return nil, nil, err
	}
	key, uu := t.KeyColumn(), t.UUColumn()
	out := make([]*wire.Object, len(rows))
	for i, row := range rows {
		o := wire.NewObject()
		o.Grow(len(properties) + 3) // id, uid and model-name
		if key != nil {
			if v, ok := row[key.Name]; ok {
				o.Set("id", v)
			}
		}
		if uu != nil {
			if v := row.String(uu.Name); v != "" {
				o.Set("uid", v)
			}
		}
		for _, m := range properties {
			v, err := rd.value(ctx, m, row[m.col.Name])
			if err != nil {
				return nil, nil, err
			}
			if v != nil {
				o.Set(m.name, v)
			}
		}
		out[i] = o
	}
	return out, rows, nil
}

// finish adds what ends the regular properties of a record.
func (rd *reader) finish(o *wire.Object, t *store.Table) {
	o.Set("model-name", strings.ToLower(t.Name))
}

// prefetchParts reads the addresses and images the rows reference, which are
// written out in full.
func (rd *reader) prefetchParts(ctx context.Context, properties []property, rows []store.Row) error {
	for _, m := range properties {
		if m.col.Ref != store.TypeLocation && m.col.Ref != store.TypeImage || m.look == nil {
			continue
		}
		var ids []any
		for _, row := range rows {
			if id := row.Int(m.col.Name); id != 0 {
				ids = append(ids, id)
			}
		}
		if len(ids) == 0 {
			continue
		}
		t, err := rd.tx.Table(ctx, m.look.table)
		if err != nil {
			return err
		}
		if m.col.Ref == store.TypeImage {
			err = rd.loadImages(ctx, t, ids)
		} else {
			err = rd.loadLocations(ctx, t, ids)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
