package erp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/internal/jsonscan"
)

// Record is one record as the server sent it: the JSON text with an index of
// its columns. Values are decoded when they are read, so nothing is
// rounded and columns nobody reads cost nothing.
//
// A column that is missing was null, hidden from the role, secure, or a text
// button: the wire format does not tell these apart. Column names are found as
// written, else regardless of case, because servers can be configured to write
// them with a small first letter. The key column is always called "id" and the
// UUID column "uid".
//
// A Record does not change and may be read by several goroutines. Records of
// one page share the page's memory: Clone one that is kept long after its page.
// The zero Record has no columns.
type Record struct {
	raw    []byte
	fields []jsonscan.Field
}

// ParseRecord reads one JSON object. The record keeps data, which must not be
// changed afterwards.
func ParseRecord(data []byte) (Record, error) {
	if uint64(len(data)) > math.MaxUint32 {
		return Record{}, fmt.Errorf("a record of %d bytes is too large: %w", len(data), ErrBadResponse)
	}
	s := jsonscan.Scanner{Data: data}
	s.Space()
	start := s.Pos
	if s.Peek() != '{' {
		return Record{}, fmt.Errorf("a record must be a JSON object, this is %s: %w", kindOf(data[start:]), ErrBadResponse)
	}
	// A column takes about 40 bytes; a little room saves growing.
	fields, ok := s.Fields(make([]jsonscan.Field, 0, min(4+len(data)/40, 256)))
	end := s.Pos
	if !ok || !s.End() {
		return Record{}, fmt.Errorf("read a record: %w: %w", s.Err(), ErrBadResponse)
	}
	return Record{raw: data[start:end:end], fields: fields}, nil
}

// kindOf names the kind of a JSON value for messages.
func kindOf(raw []byte) string {
	switch {
	case len(raw) == 0:
		return "empty"
	case raw[0] == '[':
		return "a list"
	case raw[0] == '"':
		return "text"
	case raw[0] == '{':
		return "an object"
	case jsonscan.Number(raw):
		return "a number"
	default:
		return quote(string(raw[:min(len(raw), 40)]))
	}
}

// ID returns the numeric key, else the UUID. Tables keyed by a UUID or by
// several columns have no numeric key. Records without both give the zero ID.
func (r Record) ID() ID {
	if raw, ok := r.member("id"); ok {
		if id, ok := idFromJSON(raw); ok {
			return id
		}
	}
	return UUID(r.UUID())
}

// isKept reports whether this can be a record that the server keeps: it has a number
// or a UUID, or it is of a table that is keyed by neither.
func (r Record) isKept() bool {
	if raw, ok := r.member("id"); ok {
		id, ok := idFromJSON(raw)
		return ok && (id.isInt || isUUID(id.text) || isUUID(r.UUID()))
	}
	return isUUID(r.UUID()) || r.Model() != ""
}

// UUID returns the UUID of the record, empty if it has none.
func (r Record) UUID() string {
	raw, _ := r.member("uid")
	text, _ := jsonscan.Text(raw)
	return text
}

// Model returns the name of the record's table in lower case. Child records
// of an expand do not say it.
func (r Record) Model() string {
	raw, _ := r.member("model-name")
	text, _ := jsonscan.Text(raw)
	return text
}

// Has reports whether the record has a value in that column.
func (r Record) Has(column string) bool {
	_, ok := r.find(column)
	return ok
}

// Len returns the number of members, "id", "uid" and "model-name" included.
func (r Record) Len() int { return len(r.fields) }

// All yields name and JSON text of each member in the order of the server.
func (r Record) All() iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		for _, f := range r.fields {
			if !yield(r.name(f), json.RawMessage(f.Value(r.raw))) {
				return
			}
		}
	}
}

// Columns returns the names of all members in the order of the server.
func (r Record) Columns() []string {
	names := make([]string, len(r.fields))
	for i, f := range r.fields {
		names[i] = r.name(f)
	}
	return names
}

// Raw returns the JSON text of a column's value. It must not be changed.
func (r Record) Raw(column string) (json.RawMessage, bool) {
	raw, ok := r.find(column)
	return json.RawMessage(raw), ok
}

// Decode reads the whole record into dst, usually a pointer to a struct with
// json tags. Numbers in fields of type any become json.Number. Use Ref for
// foreign keys and lists, Decimal for amounts, Date and TimeOfDay for columns
// of these types, time.Time for dates with time, and []T or []Record for
// children.
func (r Record) Decode(dst any) error { return decodeJSON(r.text(), dst) }

// Map decodes the whole record: strings, booleans, json.Number, maps and
// slices, as encoding/json does with numbers kept exact.
func (r Record) Map() map[string]any { return jsonscan.Map(r.raw, r.fields) }

// Clone returns a copy that does not share the memory of its page.
func (r Record) Clone() Record {
	return Record{raw: bytes.Clone(r.raw), fields: slices.Clone(r.fields)}
}

// String returns the JSON text.
func (r Record) String() string { return string(r.text()) }

// MarshalJSON returns the JSON text as the server sent it.
func (r Record) MarshalJSON() ([]byte, error) { return r.text(), nil }

// UnmarshalJSON copies and indexes an object; null gives the zero Record.
func (r *Record) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*r = Record{}
		return nil
	}
	parsed, err := ParseRecord(bytes.Clone(data))
	if err != nil {
		return err
	}
	*r = parsed
	return nil
}

func (r Record) text() []byte {
	if r.raw == nil {
		return []byte("{}")
	}
	return r.raw
}

func (r Record) name(f jsonscan.Field) string {
	name := f.Name(r.raw)
	if bytes.IndexByte(name, '\\') < 0 {
		return string(name)
	}
	text, _ := jsonscan.Text(r.raw[f.NameStart-1 : f.NameEnd+1])
	return text
}

// member finds a member by its exact name. The last of several wins, as in
// encoding/json.
func (r Record) member(name string) ([]byte, bool) {
	for i := len(r.fields) - 1; i >= 0; i-- {
		if string(r.fields[i].Name(r.raw)) == name {
			return r.fields[i].Value(r.raw), true
		}
	}
	return nil, false
}

// find finds a member by its exact name, else by its name in another case.
func (r Record) find(name string) ([]byte, bool) {
	if value, ok := r.member(name); ok {
		return value, true
	}
	for i := len(r.fields) - 1; i >= 0; i-- {
		f := r.fields[i]
		if own := f.Name(r.raw); bytes.EqualFold(own, []byte(name)) || bytes.IndexByte(own, '\\') >= 0 && strings.EqualFold(r.name(f), name) {
			return f.Value(r.raw), true
		}
	}
	return nil, false
}

// decodeJSON reads one JSON value with numbers kept exact. Text that is not JSON
// is ErrBadResponse; values that do not fit dst are not.
func decodeJSON(data []byte, dst any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	err := dec.Decode(dst)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("decode JSON: %w: %w", err, ErrBadResponse)
	case err != nil:
		return fmt.Errorf("decode JSON into %T: %w", dst, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("decode JSON: more follows after the value: %w", ErrBadResponse)
	}
	return nil
}

// decodeObject is decodeJSON for text that must be an object.
func decodeObject(data []byte, dst any) error {
	if data = bytes.TrimLeft(data, " \t\r\n"); len(data) == 0 || data[0] != '{' {
		return fmt.Errorf("the response must be a JSON object, this is %s: %w", kindOf(data), ErrBadResponse)
	}
	return decodeJSON(data, dst)
}
