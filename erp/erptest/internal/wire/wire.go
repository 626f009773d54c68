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
	"strings"
	"unicode/utf8"
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
func (o *Object) MarshalJSON() ([]byte, error) { return o.append(nil) }

func (o *Object) append(b []byte) ([]byte, error) {
	b = append(b, '{')
	for i := range o.members {
		if i > 0 {
			b = append(b, ',')
		}
		m := &o.members[i]
		var err error
		if b, err = AppendName(b, m.name); err != nil {
			return nil, err
		}
		if b, err = Append(b, m.value); err != nil {
			return nil, fmt.Errorf("member %s: %w", m.name, err)
		}
	}
	return append(b, '}'), nil
}

// Decimal is a number written with exactly these digits.
type Decimal string

// Raw is compact JSON that was written before. Nothing checks it.
type Raw []byte

// Encode is v as compact JSON without a trailing newline.
func Encode(v any) ([]byte, error) { return Append(nil, v) }

// AppendName appends the name of a member with its colon.
func AppendName(b []byte, name string) ([]byte, error) {
	b, err := appendString(b, name)
	return append(b, ':'), err
}

// Append appends v as [Encode] writes it.
func Append(b []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case *Object:
		if v == nil {
			return append(b, "null"...), nil
		}
		return v.append(b)
	case string:
		return appendString(b, v)
	case int64:
		return strconv.AppendInt(b, v, 10), nil
	case bool:
		return strconv.AppendBool(b, v), nil
	case Raw:
		return append(b, v...), nil
	case []*Object:
		return appendArray(b, v)
	case []any:
		return appendArray(b, v)
	case Decimal:
		if !number(string(v)) && !json.Valid([]byte(v)) {
			return appendString(b, string(v))
		}
		return append(b, v...), nil
	}
	return appendOther(b, v)
}

func appendString(b []byte, s string) ([]byte, error) {
	if !plain(s) {
		return appendOther(b, s)
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"'), nil
}

// appendOther appends what takes more thought than a plain value.
func appendOther(b []byte, v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return append(b, out.Bytes()[:out.Len()-1]...), nil // without the encoder's newline
}

// plain reports whether a string needs no escapes.
func plain(s string) bool {
	ascii := true
	for i := range len(s) {
		ch := s[i]
		if ch < ' ' || ch == '"' || ch == '\\' {
			return false
		}
		ascii = ascii && ch < utf8.RuneSelf
	}
	// The line separators of JavaScript are escaped.
	return ascii || utf8.ValidString(s) && !strings.Contains(s, "\u2028") && !strings.Contains(s, "\u2029")
}

// number reports whether a text is a JSON number of the plain kind, as nearly all are.
func number(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole, fraction, dotted := strings.Cut(s, ".")
	return digits(whole) && (whole[0] != '0' || len(whole) == 1) && (!dotted || digits(fraction))
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func appendArray[T any](b []byte, list []T) ([]byte, error) {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = Append(b, any(v)); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}
