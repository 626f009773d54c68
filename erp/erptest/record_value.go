package erptest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
	"github.com/erphub/erphub/internal/displaytype"
)

// value is a stored value as a property of a record; nil leaves the property out.
func (rd *reader) value(ctx context.Context, m property, v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	col := m.col
	switch col.Ref {
	case displaytype.SchedulerState:
		return nil, nil // the ERP has no text for it
	case displaytype.Button:
		if col.Kind() == store.KindText {
			return nil, nil // what buttons hold is not for callers
		}
		return wholeNumber(v), nil
	case displaytype.Location:
		return rd.location(ctx, m, v)
	case displaytype.Image:
		if col.Kind() == store.KindInteger {
			return rd.image(m, v), nil
		}
	case displaytype.Assignment, displaytype.Chart, displaytype.DashboardContent, displaytype.SingleSelectionGrid, displaytype.MultipleSelectionGrid:
		if s, ok := v.(string); ok {
			return s, nil
		}
		return nil, nil
	case displaytype.ChosenMultipleSelectionList:
		return rd.multiList(ctx, m, v)
	case displaytype.ChosenMultipleSelectionTable, displaytype.ChosenMultipleSelectionSrch:
		if m.look != nil {
			return rd.selections(m, v), nil
		}
	}
	switch {
	case col.IsList():
		return rd.listValue(ctx, m, store.TextOf(v))
	case m.look != nil:
		return rd.reference(m, v), nil
	}
	return scalar(col, v, rd.c.srv.opts.Location), nil
}

// scalar is a value that is not a reference.
func scalar(col *store.Column, v any, zone *time.Location) any {
	switch col.Kind() {
	case store.KindInteger:
		if n := wholeNumber(v); n != nil {
			return n
		}
	case store.KindDecimal:
		switch v := v.(type) {
		case string:
			return wire.Decimal(v)
		case float64:
			return wire.Decimal(strconv.FormatFloat(v, 'f', -1, 64))
		}
		return v
	case store.KindBool:
		return store.TextOf(v) == "Y"
	case store.KindBytes:
		switch v := v.(type) {
		case []byte:
			return base64.StdEncoding.EncodeToString(v)
		case string:
			return base64.StdEncoding.EncodeToString([]byte(v))
		}
	case store.KindJSON:
		if s := store.TextOf(v); json.Valid([]byte(s)) {
			return json.RawMessage(s)
		}
	case store.KindDate, store.KindDateTime, store.KindInstant, store.KindTime:
		return moments(col.Kind(), store.TextOf(v), zone)
	}
	return store.TextOf(v)
}

// moments writes dates and times: days as they are, date-times in the
// server's zone with its offset, instants in UTC with their fraction, times of
// day with a Z that means nothing.
func moments(kind store.Kind, stored string, zone *time.Location) string {
	t, err := time.Parse(time.DateTime, stored) // takes fractions too
	if err != nil {
		if t, err = time.Parse(time.DateOnly, stored); err != nil {
			if t, err = time.Parse(time.TimeOnly, stored); err != nil {
				return stored
			}
		}
	}
	switch kind {
	case store.KindDate:
		return t.Format(time.DateOnly)
	case store.KindInstant:
		if t.Nanosecond() == 0 {
			return t.Format("2006-01-02T15:04:05Z")
		}
		return t.Format("2006-01-02T15:04:05.000Z")
	case store.KindTime:
		return t.Format("15:04:05Z")
	}
	return t.In(zone).Format(time.RFC3339)
}

// wholeNumber is the whole number a value is or spells, nil for any other value.
func wholeNumber(v any) any {
	switch v := v.(type) {
	case int64:
		return v
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
		return wire.Decimal(strconv.FormatFloat(v, 'f', -1, 64))
	case string:
		if n, err := strconv.ParseInt(v, 10, 64); err == nil {
			return n
		}
	}
	return nil
}

// reference is the object for a reference to another record. An id that
// cannot be resolved is displayed in angle brackets.
func (rd *reader) reference(m property, v any) *wire.Object {
	o := &wire.Object{}
	o.Grow(5)
	o.Set("propertyLabel", m.label)
	o.Set("id", referenceID(m.col, v))
	rd.identifierOf(o, *m.look, store.TextOf(v))
	return o
}

// referenceID is the key as the API writes it: a number unless the column
// holds texts.
func referenceID(col *store.Column, v any) any {
	if col.Kind() == store.KindInteger {
		if n := wholeNumber(v); n != nil {
			return n
		}
	}
	return store.TextOf(v)
}

// identifierOf adds identifier, model-name and perhaps uuid.
func (rd *reader) identifierOf(o *wire.Object, l lookup, key string) {
	id := rd.identities[l][key]
	switch {
	case id == nil, rd.c.fresh.has(l.table, key):
		o.Set("identifier", "<"+key+">")
	case id.text != "":
		o.Set("identifier", id.text)
	}
	o.Set("model-name", strings.ToLower(l.table))
	if id != nil && id.uu != "" && rd.exportsUUID(l.table) {
		o.Set("uuid", id.uu)
	}
}

func (rd *reader) listValue(ctx context.Context, m property, value string) (any, error) {
	name, uu, err := rd.listName(ctx, m.col, value)
	if err != nil {
		return nil, err
	}
	o := wire.NewObject("propertyLabel", m.label, "id", value, "identifier", name, "model-name", "ad_ref_list")
	if uu != "" && rd.exportsUUID("AD_Ref_List") {
		o.Set("uuid", uu)
	}
	return o, nil
}

// multiList is a multiple selection from a list: one object for all codes.
func (rd *reader) multiList(ctx context.Context, m property, v any) (any, error) {
	value := store.TextOf(v)
	var names []string
	for _, code := range splitKeys(value) {
		name, _, err := rd.listName(ctx, m.col, code)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	o := wire.NewObject("propertyLabel", m.label, "id", value)
	if len(names) > 0 {
		o.Set("identifier", strings.Join(names, ", "))
	}
	o.Set("model-name", "ad_ref_list")
	return o, nil
}

// selections is a multiple selection of records.
func (rd *reader) selections(m property, v any) *wire.Object {
	list := []*wire.Object{}
	for _, key := range splitKeys(store.TextOf(v)) {
		o := wire.NewObject("id", key)
		rd.identifierOf(o, *m.look, key)
		list = append(list, o)
	}
	return wire.NewObject("propertyLabel", m.label, "selections", list)
}
