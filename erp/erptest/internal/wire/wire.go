// Package wire writes JSON the way the ERP's REST plugin does: members in the
// order they were set, compact, nothing escaped for HTML, decimals with the
// digits they have.
package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// Object is a JSON object that keeps the order in which members were set. The
// zero value is an empty object.
type Object struct {
	names  []string
	values map[string]any
}

// NewObject makes an object of alternating names and values.
func NewObject(pairs ...any) *Object {
	o := &Object{}
	for i := 0; i+1 < len(pairs); i += 2 {
		o.Set(pairs[i].(string), pairs[i+1])
	}
	return o
}

// Set adds a member, or replaces its value where it stands.
func (o *Object) Set(name string, value any) {
	if o.values == nil {
		o.values = map[string]any{}
	}
	if _, ok := o.values[name]; !ok {
		o.names = append(o.names, name)
	}
	o.values[name] = value
}

// Get is the value of a member.
func (o *Object) Get(name string) (any, bool) {
	v, ok := o.values[name]
	return v, ok
}

// Delete removes a member.
func (o *Object) Delete(name string) {
	if _, ok := o.values[name]; !ok {
		return
	}
	delete(o.values, name)
	for i, n := range o.names {
		if n == name {
			o.names = append(o.names[:i], o.names[i+1:]...)
			return
		}
	}
}

// Names are the members' names in order; the caller must not change them.
func (o *Object) Names() []string { return o.names }

// Len is the number of members.
func (o *Object) Len() int { return len(o.names) }

// MarshalJSON writes the members in order.
func (o *Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	if err := o.write(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (o *Object) write(b *bytes.Buffer) error {
	b.WriteByte('{')
	for i, n := range o.names {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := write(b, n); err != nil {
			return err
		}
		b.WriteByte(':')
		if err := write(b, o.values[n]); err != nil {
			return fmt.Errorf("member %s: %w", n, err)
		}
	}
	b.WriteByte('}')
	return nil
}

// Decimal is a number written with exactly these digits.
type Decimal string

// Encode is v as compact JSON without a trailing newline.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	if err := write(&b, v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func write(b *bytes.Buffer, v any) error {
	switch v := v.(type) {
	case *Object:
		if v == nil {
			b.WriteString("null")
			return nil
		}
		return v.write(b)
	case string:
		if plain(v) {
			b.WriteByte('"')
			b.WriteString(v)
			b.WriteByte('"')
			return nil
		}
	case int64:
		b.Write(strconv.AppendInt(b.AvailableBuffer(), v, 10))
		return nil
	case bool:
		b.Write(strconv.AppendBool(b.AvailableBuffer(), v))
		return nil
	case []*Object:
		return writeArray(b, v)
	case []any:
		return writeArray(b, v)
	case Decimal:
		if !json.Valid([]byte(v)) {
			return write(b, string(v))
		}
		b.WriteString(string(v))
		return nil
	}
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the encoder's newline
	return nil
}

// plain tells whether a string needs no escapes.
func plain(s string) bool {
	for i := range len(s) {
		if ch := s[i]; ch < ' ' || ch > '~' || ch == '"' || ch == '\\' {
			return false
		}
	}
	return true
}

func writeArray[T any](b *bytes.Buffer, list []T) error {
	b.WriteByte('[')
	for i, v := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := write(b, any(v)); err != nil {
			return err
		}
	}
	b.WriteByte(']')
	return nil
}
