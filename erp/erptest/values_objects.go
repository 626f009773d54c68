package erptest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"maps"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// convertLocation reads an address: the number of an existing one, or an
// object whose members change that address, or make a new one.
func (s *session) convertLocation(ctx context.Context, tx *store.Tx, v any) (any, error) {
	var o *wire.Object
	switch v := v.(type) {
	case json.Number:
		return s.keyValue(field{name: "C_Location_ID", kind: store.KindInteger, target: "C_Location"}, v)
	case *wire.Object:
		o = v
	default:
		return nil, nil
	}
	t, err := tx.Table(ctx, "C_Location")
	if err != nil {
		return nil, err
	}
	var id any
	if given, _ := o.Get("id"); given != nil {
		if n, ok := given.(json.Number); ok {
			if id, err = integer(field{name: "id"}, n); err != nil {
				return nil, err
			}
		}
	}
	if id == nil || id.(int64) <= 0 {
		r, err := s.readNew(ctx, tx, t, o, nil)
		if err != nil {
			return nil, err
		}
		if err := s.mayWrite(r, 0); err != nil {
			return nil, err
		}
		if err := s.save(ctx, tx, r); err != nil {
			return nil, err
		}
		return r.id(), nil
	}
	row, err := s.findRow(ctx, tx, t, formatID(id.(int64)))
	if err != nil {
		return nil, err
	}
	if err := s.mayWrite(&record{table: t, old: row, row: row}, id.(int64)); err != nil {
		return nil, err
	}
	r, err := s.readChange(ctx, tx, t, row, o)
	if err != nil {
		return nil, err
	}
	return id, s.save(ctx, tx, r)
}

// convertImage stores the data of an image and answers its id. Without data
// the reference is cleared.
func (s *session) convertImage(ctx context.Context, tx *store.Tx, v any) (any, error) {
	o, ok := v.(*wire.Object)
	if !ok {
		return nil, nil
	}
	encoded, ok := o.Get("data")
	if !ok {
		return nil, nil
	}
	text, _ := encoded.(string)
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, plainError("The data of an image must be base64")
	}
	t, err := tx.Table(ctx, "AD_Image")
	if err != nil {
		return nil, err
	}
	values := store.Row{"BinaryData": data}
	if name := scalarMember(o, "file_name"); name != "" {
		values["Name"] = name
	}
	if url := scalarMember(o, "url"); url != "" {
		values["ImageURL"] = url
	}
	if given, _ := o.Get("id"); given != nil {
		if n, ok := given.(json.Number); ok {
			id, err := integer(field{name: "id"}, n)
			if err != nil {
				return nil, err
			}
			if id.(int64) > 0 {
				return id, s.changeImage(ctx, tx, t, id.(int64), values)
			}
		}
	}
	if values["Name"] == nil {
		values["Name"] = "-"
	}
	values["AD_Client_ID"] = s.ClientID
	r, err := s.insertRow(ctx, tx, t.Name, values)
	if err != nil {
		return nil, err
	}
	return r.id(), nil
}

func (s *session) changeImage(ctx context.Context, tx *store.Tx, t *store.Table, id int64, values store.Row) error {
	row, err := s.findRow(ctx, tx, t, formatID(id))
	if err != nil {
		return err
	}
	if err := s.mayWrite(&record{table: t, old: row, row: row}, id); err != nil {
		return err
	}
	r := &record{table: t, old: row, row: maps.Clone(row)}
	for name, v := range values {
		r.set(name, v)
	}
	return s.save(ctx, tx, r)
}
