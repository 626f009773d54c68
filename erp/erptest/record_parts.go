package erptest

import (
	"context"
	"encoding/base64"
	"fmt"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// imageData is what of an AD_Image goes into the records that show it.
type imageData struct {
	data []byte
	uu   string
}

func (rd *reader) loadImages(ctx context.Context, t *store.Table, ids []any) error {
	data, ok := t.Column("BinaryData")
	if !ok {
		return nil
	}
	key := t.KeyColumn()
	for chunk := range chunks(unknown(ids, rd.images)) {
		rows, err := rd.tx.Select(ctx, t, store.Selection{
			Columns: append(sources(t, nil), data), Where: store.Expr(t, key) + inMarks(len(chunk)), Args: chunk,
		})
		if err != nil {
			return err
		}
		for _, row := range rows {
			bin, _ := row[data.Name].([]byte)
			img := &imageData{data: bin}
			if uu := t.UUColumn(); uu != nil {
				img.uu = row.String(uu.Name)
			}
			rd.images[row.Int(key.Name)] = img
		}
	}
	return nil
}

// image is the object for an image, with all its bytes; nil when there is no
// such image.
func (rd *reader) image(m property, v any) any {
	id, _ := wholeNumber(v).(int64)
	img := rd.images[id]
	if img == nil {
		return nil
	}
	o := wire.NewObject("propertyLabel", m.label, "id", id)
	if img.data != nil {
		o.Set("data", base64.StdEncoding.EncodeToString(img.data))
	}
	o.Set("model-name", "ad_image")
	if img.uu != "" && rd.exportsUUID("AD_Image") {
		o.Set("uuid", img.uu)
	}
	return o
}

// loadLocations reads the addresses and what they reference.
func (rd *reader) loadLocations(ctx context.Context, t *store.Table, ids []any) error {
	properties, err := rd.properties(ctx, t, nil)
	if err != nil {
		return err
	}
	key := t.KeyColumn()
	if key == nil {
		return nil
	}
	for chunk := range chunks(unknown(ids, rd.locations)) {
		rows, err := rd.tx.Select(ctx, t, store.Selection{
			Columns: sources(t, properties), Where: store.Expr(t, key) + inMarks(len(chunk)), Args: chunk,
		})
		if err != nil {
			return err
		}
		if err := rd.prefetch(ctx, properties, rows, 1); err != nil {
			return err
		}
		for _, row := range rows {
			rd.locations[row.Int(key.Name)] = row
		}
	}
	return nil
}

// location is the object for an address: the reference, followed by the
// address columns, of which those that are no references are all texts.
func (rd *reader) location(ctx context.Context, m property, v any) (any, error) {
	if m.look == nil {
		return scalar(m.col, v, rd.c.srv.opts.Location), nil
	}
	o := rd.reference(m, v)
	id, _ := wholeNumber(v).(int64)
	row := rd.locations[id]
	if row == nil {
		return o, nil
	}
	t, err := rd.tx.Table(ctx, m.look.table)
	if err != nil {
		return nil, err
	}
	properties, err := rd.properties(ctx, t, nil)
	if err != nil {
		return nil, err
	}
	for _, part := range properties {
		if part.col.Ref == store.TypeLocation {
			continue // an address has no address
		}
		value, err := rd.value(ctx, part, row[part.col.Name])
		if err != nil {
			return nil, err
		}
		switch value := value.(type) {
		case nil:
		case *wire.Object:
			o.Set(part.name, value)
		default:
			o.Set(part.name, fmt.Sprint(value))
		}
	}
	return o, nil
}

// unknown are the ids that are not in the map yet, each once.
func unknown[V any](ids []any, known map[int64]V) []any {
	seen := map[any]bool{}
	var out []any
	for _, id := range ids {
		if _, ok := known[id.(int64)]; ok || seen[id] {
			continue
		}
		seen[id] = true
		out = append(out, id)
	}
	return out
}
