package restdict

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
)

// values takes a record apart and returns its key.
func (r *tableReader) values(record erp.Record, into []registry.SourceValue) (int64, error) {
	clear(into)
	for member, raw := range record.All() {
		i, ok := r.columnOf(member)
		if !ok {
			continue
		}
		v, err := value(record, member, raw, r.table.Columns[i].Type)
		if err != nil {
			return 0, fmt.Errorf("read %s, record %s: %w", r.table.Name, record.ID(), err)
		}
		into[i] = v
	}
	key, ok := r.key(record)
	if !ok {
		return 0, r.keyless()
	}
	for i := range r.hidden {
		if h := &r.hidden[i]; h.set[key] {
			into[h.column].Int = 1
		}
	}
	return key, nil
}

// columnOf is the place of the column that a member of a record is for, whose
// name the server may write in another case.
func (r *tableReader) columnOf(member string) (int, bool) {
	if i, ok := r.from[member]; ok {
		return i, true
	}
	i, ok := r.from[strings.ToLower(member)]
	return i, ok
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
	ref, ok := record.Ref(r.table.Key)
	if !ok {
		return 0, false
	}
	return ref.ID.Int()
}

// value reads a member of a record, which is raw. Which form it has is up to the
// display type, which may differ between releases: a reference in one is a plain
// value in another.
func value(record erp.Record, member string, raw []byte, t registry.SourceType) (registry.SourceValue, error) {
	if len(raw) == 0 {
		return registry.SourceValue{}, nil
	}
	text, number, isNumber, ok := "", int64(0), false, true
	switch raw[0] {
	case 'n': // null
		return registry.SourceValue{}, nil
	case '{':
		var ref erp.Ref
		if ref, ok = record.Ref(member); !ok {
			return registry.SourceValue{}, unreadable(member, raw)
		}
		text = ref.Code()
		number, isNumber = ref.ID.Int()
	case '"':
		// Most texts are as they are written; those with escapes are not.
		if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
			text = string(inner)
		} else if text, ok = record.Text(member); !ok {
			return registry.SourceValue{}, unreadable(member, raw)
		}
	case 't':
		text = "Y"
	case 'f':
		text = "N"
	case '[':
		return registry.SourceValue{}, unreadable(member, raw)
	default:
		text = string(raw)
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			number, isNumber = n, true
		} else {
			number, isNumber = record.Int(member)
		}
	}
	switch t {
	case registry.SourceTime:
		at, ok := record.Time(member)
		if !ok {
			return registry.SourceValue{}, nil // as unknown; a table of such rows is read as a whole
		}
		return registry.SourceValue{Int: at.UnixMilli()}, nil
	case registry.SourceInt:
		if !isNumber {
			var err error
			if number, err = strconv.ParseInt(text, 10, 64); err != nil {
				return registry.SourceValue{}, unreadable(member, raw)
			}
		}
		return registry.SourceValue{Int: number}, nil
	case registry.SourceFlag:
		if text == "Y" || text == "true" {
			return registry.SourceValue{Int: 1}, nil
		}
		return registry.SourceValue{}, nil
	}
	return registry.SourceValue{Text: text}, nil
}

func unreadable(member string, raw []byte) error {
	return fmt.Errorf("the value of %s cannot be understood: %.80q: %w", member, raw, erp.ErrBadResponse)
}
