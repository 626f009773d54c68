package restdict

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
)

// tableRows takes records of a table apart, one after another.
type tableRows struct {
	r       *tableReader
	columns *erp.Columns
	raw     []json.RawMessage
	values  []registry.SourceValue // of the record that was taken apart last
}

func (r *tableReader) newRows() *tableRows {
	return &tableRows{
		r: r, columns: erp.NewColumns(r.from...),
		raw: make([]json.RawMessage, len(r.from)), values: make([]registry.SourceValue, len(r.from)),
	}
}

// next takes a record apart and returns its key.
func (rows *tableRows) next(record erp.Record) (int64, error) {
	r := rows.r
	rows.columns.Of(record, rows.raw)
	for i, raw := range rows.raw {
		var err error
		if rows.values[i], err = value(record, r.from[i], raw, r.table.Columns[i].Type); err != nil {
			return 0, fmt.Errorf("read %s, record %s: %w", r.table.Name, record.ID(), err)
		}
	}
	key, ok := r.key(record)
	if !ok {
		return 0, r.keyless()
	}
	for i := range r.hidden {
		if h := &r.hidden[i]; h.set[key] {
			rows.values[h.column].Int = 1
		}
	}
	return key, nil
}

func (r *tableReader) keyless() error {
	return fmt.Errorf("read %s: a record has no %s: %w", r.table.Name, r.table.Key, erp.ErrBadResponse)
}

// ownKey reports whether records show their key as id, as most do.
func (r *tableReader) ownKey() bool { return r.table.Key == r.table.Name+"_ID" }

func (r *tableReader) key(record erp.Record) (int64, bool) {
	if r.ownKey() {
		return record.ID().Int()
	}
	raw, _ := record.Raw(r.table.Key)
	id, _ := erp.RefID(raw)
	return id.Int()
}

// value reads a member of a record, which is raw. Which form it has is up to the
// display type, which may differ between releases: a reference in one is a plain
// value in another.
func value(record erp.Record, member string, raw []byte, t registry.SourceType) (registry.SourceValue, error) {
	if len(raw) == 0 {
		return registry.SourceValue{}, nil
	}
	if raw[0] == '[' {
		return registry.SourceValue{}, unreadable(member, raw)
	}
	switch t {
	case registry.SourceInt:
		if raw[0] == 'n' {
			return registry.SourceValue{}, nil
		}
		number, ok := wholeNumber(record, member, raw)
		if !ok {
			return registry.SourceValue{}, unreadable(member, raw)
		}
		return registry.SourceValue{Int: number}, nil
	case registry.SourceTime:
		at, ok := record.Time(member)
		if !ok {
			return registry.SourceValue{}, nil // as unknown; a table of such rows is read as a whole
		}
		return registry.SourceValue{Int: at.UnixMilli()}, nil
	}
	text, ok := plainText(record, member, raw)
	switch {
	case !ok:
		return registry.SourceValue{}, unreadable(member, raw)
	case t == registry.SourceText:
		return registry.SourceValue{Text: text}, nil
	case text == "Y" || text == "true":
		return registry.SourceValue{Int: 1}, nil
	}
	return registry.SourceValue{}, nil
}

// wholeNumber is the number that a member is, spells or references.
func wholeNumber(record erp.Record, member string, raw []byte) (int64, bool) {
	switch raw[0] {
	case '{':
		id, _ := erp.RefID(raw)
		if n, ok := id.Int(); ok {
			return n, true
		}
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
			return n, true
		}
		return record.Int(member) // in another form
	}
	text, ok := plainText(record, member, raw)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// plainText is a member as text: of a reference its key, of a flag Y or N.
func plainText(record erp.Record, member string, raw []byte) (string, bool) {
	switch raw[0] {
	case 'n': // null
		return "", true
	case '{':
		id, ok := erp.RefID(raw)
		return id.String(), ok
	case '"':
		// Most texts are as they are written; those with escapes are not.
		if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
			return string(inner), true
		}
		return record.Text(member)
	case 't':
		return "Y", true
	case 'f':
		return "N", true
	}
	return string(raw), true
}

func unreadable(member string, raw []byte) error {
	return fmt.Errorf("the value of %s cannot be understood: %.80q: %w", member, raw, erp.ErrBadResponse)
}
