package erptest

import (
	"context"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
	"github.com/erphub/erphub/internal/displaytype"
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
	objects, err := rd.rowObjects(ctx, t, properties, []store.Row{row})
	if err != nil {
		return nil, err
	}
	rd.finish(objects[0], t)
	return objects[0], nil
}

// rowObjects is objects for rows that were read one by one.
func (rd *reader) rowObjects(ctx context.Context, t *store.Table, properties []property, rows []store.Row) ([]*wire.Object, error) {
	return rd.objects(ctx, t, properties, store.SheetOf(sources(t, properties), rows))
}

// objects renders rows of t: id, uid and the properties, in this order. The rows
// are as rendered afterwards, in the session's language. The caller completes the
// objects with [reader.finish].
func (rd *reader) objects(ctx context.Context, t *store.Table, properties []property, rows *store.Sheet) ([]*wire.Object, error) {
	if err := rd.lookUp(ctx, t, properties, rows); err != nil {
		return nil, err
	}
	places := rd.placesOf(t, properties, rows)
	out := make([]*wire.Object, rows.Len())
	for i := range out {
		o := wire.NewObject()
		o.Grow(len(properties) + 3) // id, uid and model-name
		if v := rows.Value(i, places.key); v != nil {
			o.Set("id", v)
		}
		if v := store.TextOf(rows.Value(i, places.uu)); v != "" {
			o.Set("uid", v)
		}
		for k, m := range properties {
			v, err := rd.value(ctx, m, rows.Value(i, places.properties[k]))
			if err != nil {
				return nil, err
			}
			if v != nil {
				o.Set(m.name, v)
			}
		}
		out[i] = o
	}
	return out, nil
}

// lookUp makes rows of t ready to be rendered: it translates them and reads what
// they reference.
func (rd *reader) lookUp(ctx context.Context, t *store.Table, properties []property, rows *store.Sheet) error {
	if err := rd.count(rows.Len()); err != nil {
		return err
	}
	columns := make([]*store.Column, len(properties))
	for i, m := range properties {
		columns[i] = m.col
	}
	if err := rd.translateSheet(ctx, t, columns, rows); err != nil {
		return err
	}
	if err := rd.prefetch(ctx, properties, rows, 0); err != nil {
		return err
	}
	return rd.prefetchParts(ctx, properties, rows)
}

// places is where in rows the parts of a record are; -1 for what they do not have.
type places struct {
	key, uu    int
	properties []int
}

func (rd *reader) placesOf(t *store.Table, properties []property, rows *store.Sheet) places {
	p := places{key: -1, uu: -1, properties: make([]int, len(properties))}
	if c := t.KeyColumn(); c != nil {
		p.key = rows.At(c.Name)
	}
	if c := t.UUColumn(); c != nil {
		p.uu = rows.At(c.Name)
	}
	for i, m := range properties {
		p.properties[i] = rows.At(m.col.Name)
	}
	return p
}

// finish adds what ends the regular properties of a record.
func (rd *reader) finish(o *wire.Object, t *store.Table) {
	o.Set("model-name", strings.ToLower(t.Name))
}

// prefetchParts reads the addresses and images the rows reference, which are
// written out in full.
func (rd *reader) prefetchParts(ctx context.Context, properties []property, rows *store.Sheet) error {
	for _, m := range properties {
		if m.col.Ref != displaytype.Location && m.col.Ref != displaytype.Image || m.look == nil {
			continue
		}
		var ids []any
		for _, v := range distinct(rows, rows.At(m.col.Name)) {
			if id := store.IntOf(v); id != 0 {
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
		if m.col.Ref == displaytype.Image {
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
