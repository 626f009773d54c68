// Package wire writes JSON the way the ERP's REST plugin does: members in the
// order they were set, compact, nothing escaped for HTML, decimals with the
// digits they have.
package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// Object is a JSON object that keeps the order in which members were set. The
// zero value is an empty object.
type Object struct {
	members []member
	// place is where each member is, of objects that are too large to look
	// through; nil for others.
	place map[string]int
}

type member struct {
	name  string
	value any
}

// fewMembers is how many members are looked through rather than looked up.
const fewMembers = 48

// NewObject makes an object of alternating names and values.
func NewObject(pairs ...any) *Object {
	o := &Object{members: make([]member, 0, len(pairs)/2+1)}
	for i := 0; i+1 < len(pairs); i += 2 {
		o.Set(pairs[i].(string), pairs[i+1])
	}
	return o
}

// Grow makes room for n more members.
func (o *Object) Grow(n int) { o.members = slices.Grow(o.members, n) }

// Set adds a member, or replaces its value where it stands.
func (o *Object) Set(name string, value any) {
	if i := o.at(name); i >= 0 {
		o.members[i].value = value
		return
	}
	o.members = append(o.members, member{name, value})
	switch {
	case o.place != nil:
		o.place[name] = len(o.members) - 1
	case len(o.members) > fewMembers:
		o.index()
	}
}

// at is where a member is, -1 when it is not there.
func (o *Object) at(name string) int {
	if o.place != nil {
		if i, ok := o.place[name]; ok {
			return i
		}
		return -1
	}
	for i := range o.members {
		if o.members[i].name == name {
			return i
		}
	}
	return -1
}

func (o *Object) index() {
	o.place = make(map[string]int, 2*len(o.members))
	for i, m := range o.members {
		o.place[m.name] = i
	}
}

// Get is the value of a member.
func (o *Object) Get(name string) (any, bool) {
	if i := o.at(name); i >= 0 {
		return o.members[i].value, true
	}
	return nil, false
}

// Delete removes a member.
func (o *Object) Delete(name string) {
	i := o.at(name)
	if i < 0 {
		return
	}
	o.members = slices.Delete(o.members, i, i+1)
	if o.place != nil {
		o.index()
	}
}

// Names are the members' names in order.
func (o *Object) Names() []string {
	names := make([]string, len(o.members))
	for i, m := range o.members {
		names[i] = m.name
	}
	return names
}

// Len is the number of members.
func (o *Object) Len() int { return len(o.members) }

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
	for i := range o.members {
		if i > 0 {
			b.WriteByte(',')
		}
		m := &o.members[i]
		if err := writeString(b, m.name); err != nil {
			return err
		}
		b.WriteByte(':')
		if err := write(b, m.value); err != nil {
			return fmt.Errorf("member %s: %w", m.name, err)
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
		return writeString(b, v)
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
	return writeOther(b, v)
}

func writeString(b *bytes.Buffer, s string) error {
	if !plain(s) {
		return writeOther(b, s)
	}
	b.WriteByte('"')
	b.WriteString(s)
	b.WriteByte('"')
	return nil
}

// writeOther writes what takes more thought than a plain value.
func writeOther(b *bytes.Buffer, v any) error {
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
