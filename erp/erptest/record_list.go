package erptest

import (
	"context"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
	"github.com/erphub/erphub/internal/displaytype"
)

// recordParts are the members of a record that is written without being an object
// first.
type recordParts struct {
	id, uid []byte // names with their colons
	members []recordMember
	end     []byte // the model's name
}

// recordMember is a property on its way into a list.
type recordMember struct {
	property property
	name     []byte // with its colon
	at       int    // in rows
	// texts are values that were written before: references and lists repeat, and are
	// made of several parts. nil for properties that are written each time.
	texts map[any][]byte
}

// list writes rows of t as objects does and finish completes them: an array of
// records, which nothing is added to. The caller may drop it as a body.
func (rd *reader) list(ctx context.Context, t *store.Table, properties []property, rows *store.Sheet) (wire.Raw, error) {
	if !namesDiffer(properties) {
		objects, err := rd.objects(ctx, t, properties, rows)
		if err != nil {
			return nil, err
		}
		for _, o := range objects {
			rd.finish(o, t)
		}
		return wire.Encode(objects)
	}
	if err := rd.lookUp(ctx, t, properties, rows); err != nil {
		return nil, err
	}
	p := rd.placesOf(t, properties, rows)
	parts, err := newRecordParts(t, properties, p)
	if err != nil {
		return nil, err
	}
	out := append(wire.Raw(newBody()), '[')
	for i := range rows.Len() {
		if i > 0 {
			out = append(out, ',')
		}
		start := len(out)
		if out, err = rd.appendRecord(ctx, out, parts, p, rows, i); err != nil {
			return nil, err
		}
		if i == 0 { // the others are about as long
			out = slices.Grow(out, (len(out)-start+len(out)/8)*(rows.Len()-1))
		}
	}
	return append(out, ']'), nil
}

// namesDiffer reports whether no property takes the place of another: names in small
// letters may be those of the keys.
func namesDiffer(properties []property) bool {
	seen := map[string]bool{"id": true, "uid": true}
	for _, m := range properties {
		if seen[m.name] {
			return false
		}
		seen[m.name] = true
	}
	return true
}

func newRecordParts(t *store.Table, properties []property, p places) (*recordParts, error) {
	parts := &recordParts{id: []byte(`"id":`), uid: []byte(`"uid":`), members: make([]recordMember, len(properties))}
	for i, m := range properties {
		name, err := wire.AppendName(nil, m.name)
		if err != nil {
			return nil, err
		}
		parts.members[i] = recordMember{property: m, name: name, at: p.properties[i]}
		if m.look != nil || m.col.IsList() || m.col.Ref == displaytype.ChosenMultipleSelectionList {
			parts.members[i].texts = map[any][]byte{}
		}
	}
	var err error
	parts.end, err = wire.Append([]byte(`"model-name":`), strings.ToLower(t.Name))
	return parts, err
}

// appendRecord appends one row.
func (rd *reader) appendRecord(ctx context.Context, out []byte, parts *recordParts, p places, rows *store.Sheet, i int) ([]byte, error) {
	out = append(out, '{')
	var err error
	if v := rows.Value(i, p.key); v != nil {
		if out, err = wire.Append(append(out, parts.id...), v); err != nil {
			return nil, err
		}
		out = append(out, ',')
	}
	if v := store.TextOf(rows.Value(i, p.uu)); v != "" {
		if out, err = wire.Append(append(out, parts.uid...), v); err != nil {
			return nil, err
		}
		out = append(out, ',')
	}
	for k := range parts.members {
		v := rows.Value(i, parts.members[k].at)
		if v == nil {
			continue
		}
		if out, err = rd.appendMember(ctx, out, &parts.members[k], v); err != nil {
			return nil, err
		}
	}
	return append(append(out, parts.end...), '}'), nil
}

// appendMember appends a property with a comma, or nothing when it is left out.
func (rd *reader) appendMember(ctx context.Context, out []byte, m *recordMember, v any) ([]byte, error) {
	repeats := false
	if m.texts != nil {
		switch v.(type) {
		case int64, string:
			repeats = true
			if text, known := m.texts[v]; known {
				return append(out, text...), nil
			}
		}
	}
	start := len(out)
	value, err := rd.value(ctx, m.property, v)
	if err != nil {
		return nil, err
	}
	if value != nil {
		if out, err = wire.Append(append(out, m.name...), value); err != nil {
			return nil, err
		}
		out = append(out, ',')
	}
	if repeats {
		m.texts[v] = slices.Clone(out[start:])
	}
	return out, nil
}
