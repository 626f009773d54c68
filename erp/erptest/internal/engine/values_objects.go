package engine

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
func (s *Session) convertLocation(ctx context.Context, tx *store.Tx, v any) (any, error) {
	var o *wire.Object
	switch v := v.(type) {
	case json.Number:
		return s.keyValue(Field{Name: "C_Location_ID", Kind: store.KindInteger, target: "C_Location"}, v)
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
	given, _ := o.Get("id")
	if n, ok := given.(json.Number); ok {
		if id, err = Integer(Field{Name: "id"}, n); err != nil {
			return nil, err
		}
	}
	if id == nil || id.(int64) <= 0 {
		r, err := s.readPlain(ctx, tx, t, o)
		if err != nil {
			return nil, err
		}
		if err := s.MayWrite(r, 0); err != nil {
			return nil, err
		}
		if err := s.Save(ctx, tx, r); err != nil {
			return nil, err
		}
		return r.ID(), nil
	}
	row, err := s.FindRow(ctx, tx, t, FormatID(id.(int64)))
	if err != nil {
		return nil, err
	}
	if err := s.MayWrite(&Record{Table: t, Old: row, Row: row}, id.(int64)); err != nil {
		return nil, err
	}
	r, err := s.ReadChange(ctx, tx, t, row, o)
	if err != nil {
		return nil, err
	}
	if err := s.Save(ctx, tx, r); err != nil {
		return nil, err
	}
	return id, s.renamePartnerLocation(ctx, tx, r)
}

// convertImage stores the data of an image and returns its id. Without data
// the reference is cleared.
func (s *Session) convertImage(ctx context.Context, tx *store.Tx, v any) (any, error) {
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
		return nil, PublicError("The data of an image must be base64")
	}
	t, err := tx.Table(ctx, "AD_Image")
	if err != nil {
		return nil, err
	}
	values := store.Row{"BinaryData": data}
	if name := ScalarMember(o, "file_name"); name != "" {
		values["Name"] = name
	}
	if url := ScalarMember(o, "url"); url != "" {
		values["ImageURL"] = url
	}
	if given, _ := o.Get("id"); given != nil {
		if n, ok := given.(json.Number); ok {
			id, err := Integer(Field{Name: "id"}, n)
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
	r, err := s.InsertRow(ctx, tx, t.Name, values)
	if err != nil {
		return nil, err
	}
	return r.ID(), nil
}

func (s *Session) changeImage(ctx context.Context, tx *store.Tx, t *store.Table, id int64, values store.Row) error {
	row, err := s.FindRow(ctx, tx, t, FormatID(id))
	if err != nil {
		return err
	}
	if err := s.MayWrite(&Record{Table: t, Old: row, Row: row}, id); err != nil {
		return err
	}
	r := &Record{Table: t, Old: row, Row: maps.Clone(row)}
	r.SetAll(values)
	return s.Save(ctx, tx, r)
}
