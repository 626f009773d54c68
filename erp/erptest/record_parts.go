package erptest

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
	"github.com/erphub/erphub/internal/displaytype"
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
	for among, args := range anyOf(store.Expr(t, key), unknown(ids, rd.images)) {
		rows, err := rd.tx.Select(ctx, t, store.Selection{Columns: append(sources(t, nil), data), Where: among, Args: args})
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

// identifyAddresses reads what addresses are displayed as.
func (rd *reader) identifyAddresses(ctx context.Context, l lookup, keys []any) error {
	t, err := rd.tx.Table(ctx, l.table)
	if err != nil {
		return err
	}
	if err := rd.loadLocations(ctx, t, keys); err != nil {
		return err
	}
	for _, key := range keys {
		id, _ := wholeNumber(key).(int64)
		row := rd.locations[id]
		if row == nil {
			continue
		}
		text, err := rd.c.session.AddressText(ctx, rd.tx, row)
		if err != nil {
			return err
		}
		rd.identities[l][store.TextOf(key)] = &identity{text: text, uu: row.String("C_Location_UU")}
	}
	return nil
}

// loadLocations reads the addresses and what they reference.
func (rd *reader) loadLocations(ctx context.Context, t *store.Table, ids []any) error {
	key := t.KeyColumn()
	if key == nil {
		return nil
	}
	parts, err := rd.locationParts(ctx, t)
	if err != nil {
		return err
	}
	for among, args := range anyOf(store.Expr(t, key), unknown(ids, rd.locations)) {
		rows, err := rd.tx.Read(ctx, t, store.Selection{Where: among, Args: args})
		if err != nil {
			return err
		}
		if err := rd.prefetch(ctx, parts, rows, 1); err != nil {
			return err
		}
		for _, row := range rows.Rows() {
			rd.locations[row.Int(key.Name)] = row
		}
	}
	return nil
}

// locationParts are the columns of an address that go into the records that show
// it: all but the key, by name.
func (rd *reader) locationParts(ctx context.Context, t *store.Table) ([]property, error) {
	parts, err := rd.properties(ctx, t, nil)
	if err != nil {
		return nil, err
	}
	parts = slices.Clone(parts)
	if uu := t.UUColumn(); uu != nil {
		parts = append(parts, property{name: rd.propertyName(uu.Name), col: uu})
	}
	parts = slices.DeleteFunc(parts, func(p property) bool { return p.col.Ref == displaytype.Location })
	slices.SortFunc(parts, func(a, b property) int { return strings.Compare(a.col.Name, b.col.Name) })
	return parts, nil
}

// location is the object for an address: the reference, followed by the columns
// of the address. Those that are not references to another table by name are texts,
// as Java prints them.
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
	parts, err := rd.locationParts(ctx, t)
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		v := row[part.col.Name]
		switch {
		case v == nil:
		case part.look != nil && strings.HasSuffix(part.col.Name, "_ID"):
			o.Set(part.name, rd.reference(part, v))
		default:
			o.Set(part.name, javaText(part.col, v, rd.c.srv.opts.Location))
		}
	}
	return o, nil
}

// javaText is a value as Java prints it.
func javaText(col *store.Column, v any, zone *time.Location) string {
	switch col.Kind() {
	case store.KindBool:
		return strconv.FormatBool(store.TextOf(v) == "Y")
	case store.KindDate, store.KindDateTime, store.KindInstant, store.KindTime:
		t, err := time.Parse(time.DateTime, store.TextOf(v)) // takes fractions too
		if err != nil {
			break
		}
		if col.Kind() != store.KindDate {
			t = t.In(zone)
		}
		text := t.Format("2006-01-02 15:04:05.999")
		if t.Nanosecond() == 0 {
			text += ".0"
		}
		return text
	}
	return fmt.Sprint(scalar(col, v, zone))
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
