package erp

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/erphub/erphub/erp/internal/jsonscan"
)

// The accessors below report false when the column is missing or holds another
// kind of value.

// Text returns the value of a text column.
func (r Record) Text(column string) (string, bool) {
	raw, _ := r.find(column)
	return jsonscan.Text(raw)
}

// Int returns the value of an integer column. Any number that is whole and
// fits will do, also one in exponent form.
func (r Record) Int(column string) (int64, bool) {
	raw, _ := r.find(column)
	if !jsonscan.Number(raw) {
		return 0, false
	}
	return Decimal(raw).Int64()
}

// Decimal returns the value of a numeric column exactly as it was written.
func (r Record) Decimal(column string) (Decimal, bool) {
	raw, _ := r.find(column)
	if !jsonscan.Number(raw) {
		return "", false
	}
	return Decimal(raw), true
}

// Bool returns the value of a Yes-No column. Inside addresses the ERP writes
// these as text, which is understood too.
func (r Record) Bool(column string) (value, ok bool) {
	raw, _ := r.find(column)
	switch string(raw) {
	case "true", `"true"`, `"Y"`:
		return true, true
	case "false", `"false"`, `"N"`:
		return false, true
	}
	return false, false
}

// Time returns the value of a Date, DateTime, Time or timestamp column; see
// ParseTime. What has no zone is taken as UTC.
func (r Record) Time(column string) (time.Time, bool) { return r.TimeIn(column, time.UTC) }

// TimeIn is Time for values without zone that belong to the zone loc.
func (r Record) TimeIn(column string, loc *time.Location) (time.Time, bool) {
	text, ok := r.Text(column)
	if !ok {
		return time.Time{}, false
	}
	at, err := ParseTime(text, loc)
	return at, err == nil
}

// Date returns the value of a Date column, or the day of a DateTime column in
// the zone it is written in.
func (r Record) Date(column string) (Date, bool) {
	text, ok := r.Text(column)
	if !ok || len(text) < len(layoutDate) {
		return Date{}, false
	}
	date, err := ParseDate(text[:len(layoutDate)])
	return date, err == nil
}

// Ref returns the value of a foreign key or list column, whether the server
// sent a lookup object, an expanded record or a bare key.
func (r Record) Ref(column string) (Ref, bool) {
	raw, _ := r.find(column)
	return refFromJSON(raw)
}

// Code returns the code of a list column, such as "CO" of DocStatus.
func (r Record) Code(column string) (string, bool) {
	ref, ok := r.Ref(column)
	return ref.Code(), ok
}

// Refs returns the choices of a multiple-selection column.
func (r Record) Refs(column string) ([]Ref, bool) {
	raw, ok := r.find(column)
	if !ok || raw[0] != '{' {
		return nil, false
	}
	outer, err := ParseRecord(raw)
	if err != nil {
		return nil, false
	}
	list, ok := outer.member("selections")
	if !ok {
		return nil, false
	}
	var refs []Ref
	err = decodeJSON(list, &refs)
	return refs, err == nil
}

// Record returns an object inside the record: a master record put in by
// expand, an address with its columns, or a group of a REST view.
func (r Record) Record(column string) (Record, bool) {
	raw, ok := r.find(column)
	if !ok {
		return Record{}, false
	}
	inner, err := ParseRecord(raw)
	return inner, err == nil
}

// Children returns the child records an expand put in. The name is the one the
// expand used. No children is not an error: the ERP leaves the list out then.
// A list of exactly as many children as the server's cap (100 by default) is
// probably cut short.
func (r Record) Children(name string) ([]Record, error) {
	raw, ok := r.find(name)
	if !ok {
		return nil, nil
	}
	children, err := parseRecords(raw)
	if err != nil {
		return nil, fmt.Errorf("read the children %s: %w", quote(name), err)
	}
	return children, nil
}

// Bytes returns the content of a Binary or Image column.
func (r Record) Bytes(column string) ([]byte, bool) {
	raw, _ := r.find(column)
	if image, err := ParseRecord(raw); err == nil {
		raw, _ = image.member("data")
	}
	text, ok := jsonscan.Text(raw)
	if !ok {
		return nil, false
	}
	// Java's MIME encoder breaks lines, its basic encoder does not.
	data, err := base64.StdEncoding.DecodeString(strings.NewReplacer("\r", "", "\n", "").Replace(text))
	return data, err == nil
}

// Value decodes the value of one column into dst; see Decode.
func (r Record) Value(column string, dst any) error {
	raw, ok := r.find(column)
	if !ok {
		return fmt.Errorf("the record has no column %s", quote(column))
	}
	return decodeJSON(raw, dst)
}
