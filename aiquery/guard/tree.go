package guard

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// layout says how to visit messages of one type. Layouts are made by
// reflection, so that no field can be forgotten.
type layout struct {
	name     string
	allowed  bool // the message is on the list
	fields   []field
	location int // index of the struct field that holds the location, or -1
	unknown  int // index of the struct field that holds undecoded fields
}

type field struct {
	index   int
	name    string
	shape   shape
	allowed bool
	place   bool // says where in the text something stood
	enum    *enumeration
}

type enumeration struct {
	name    string
	allowed map[int64]bool
}

// shape is what a field holds.
type shape int

const (
	scalar   shape = iota // a number, a text, a truth value, an enumeration
	message               // a pointer to a message
	repeated              // pointers to messages
	oneof                 // one of several messages or scalars
	opaque                // anything else
)

// layouts holds what layoutOf has made, by the type of the struct.
var layouts sync.Map

func layoutOf(t reflect.Type) *layout {
	if l, ok := layouts.Load(t); ok {
		return l.(*layout)
	}
	l := &layout{name: t.Name(), location: -1, unknown: -1}
	names, ok := allowed[l.name]
	l.allowed = ok
	permitted := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		permitted[name] = true
	}
	for i := range t.NumField() {
		sf := t.Field(i)
		if !sf.IsExported() {
			if sf.Name == "unknownFields" {
				l.unknown = i
			}
			continue
		}
		f := field{index: i, name: fieldName(sf), shape: shapeOf(sf.Type)}
		f.allowed = permitted[f.name]
		f.place = locations[f.name] && sf.Type.Kind() == reflect.Int32 // CREATE TABLESPACE has a text of that name
		if f.place && f.name == "location" {
			l.location = i
		}
		if e, ok := reflect.Zero(sf.Type).Interface().(protoreflect.Enum); ok {
			f.enum = enumerationOf(e.Descriptor())
		}
		l.fields = append(l.fields, f)
	}
	made, _ := layouts.LoadOrStore(t, l)
	return made.(*layout)
}

// fieldName returns a field's name in the message definition.
func fieldName(sf reflect.StructField) string {
	if name := sf.Tag.Get("protobuf_oneof"); name != "" {
		return name
	}
	for part := range strings.SplitSeq(sf.Tag.Get("protobuf"), ",") {
		if name, ok := strings.CutPrefix(part, "name="); ok {
			return name
		}
	}
	return sf.Name
}

func shapeOf(t reflect.Type) shape {
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Int32, reflect.Uint32, reflect.Int64, reflect.Uint64:
		return scalar
	case reflect.Pointer:
		return message
	case reflect.Interface:
		return oneof
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Pointer {
			return repeated
		}
	}
	return opaque
}

func enumerationOf(d protoreflect.EnumDescriptor) *enumeration {
	e := &enumeration{name: string(d.Name()), allowed: map[int64]bool{}}
	for name := range strings.FieldsSeq(allowedEnums[e.name]) {
		if v := d.Values().ByName(protoreflect.Name(name)); v != nil {
			e.allowed[int64(v.Number())] = true
		}
	}
	return e
}

// inner returns the message or scalar inside a oneof, which is not nil.
func inner(v reflect.Value) reflect.Value { return v.Elem().Elem().Field(0) }

// content returns the message a node holds, or nil.
func content(n *pg.Node) any {
	if n == nil || n.Node == nil {
		return nil
	}
	switch m := n.Node.(type) { // the most frequent ones without reflection
	case *pg.Node_String_:
		return present(m.String_)
	case *pg.Node_ColumnRef:
		return present(m.ColumnRef)
	case *pg.Node_ResTarget:
		return present(m.ResTarget)
	case *pg.Node_AExpr:
		return present(m.AExpr)
	case *pg.Node_AConst:
		return present(m.AConst)
	case *pg.Node_FuncCall:
		return present(m.FuncCall)
	case *pg.Node_SelectStmt:
		return present(m.SelectStmt)
	case *pg.Node_RangeVar:
		return present(m.RangeVar)
	case *pg.Node_SortBy:
		return present(m.SortBy)
	case *pg.Node_JoinExpr:
		return present(m.JoinExpr)
	case *pg.Node_BoolExpr:
		return present(m.BoolExpr)
	case *pg.Node_RangeSubselect:
		return present(m.RangeSubselect)
	case *pg.Node_TypeCast:
		return present(m.TypeCast)
	case *pg.Node_ParamRef:
		return present(m.ParamRef)
	case *pg.Node_List:
		return present(m.List)
	}
	v := reflect.ValueOf(n.Node).Elem().Field(0)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return nil
	}
	return v.Interface()
}

// present is a message, or nil when the pointer is.
func present[T any](m *T) any {
	if m == nil {
		return nil
	}
	return m
}

// hasOnly reports whether a message has no value in any field but those named.
func hasOnly(m any, names ...string) bool {
	v := reflect.ValueOf(m).Elem()
	l := layoutOf(v.Type())
	for i := range l.fields {
		f := &l.fields[i]
		if !slices.Contains(names, f.name) && !v.Field(f.index).IsZero() {
			return false
		}
	}
	return l.unknown < 0 || v.Field(l.unknown).Len() == 0
}

// children calls f for every message directly below m; nodes are passed
// through: f sees what they hold.
func children(m any, f func(child any) error) error {
	v := reflect.ValueOf(m).Elem()
	l := layoutOf(v.Type())
	for i := range l.fields {
		fv := v.Field(l.fields[i].index)
		switch l.fields[i].shape {
		case message:
			if !fv.IsNil() {
				if err := child(fv, f); err != nil {
					return err
				}
			}
		case repeated:
			for j := range fv.Len() {
				if err := child(fv.Index(j), f); err != nil {
					return err
				}
			}
		case oneof:
			if fv.IsNil() {
				continue
			}
			if in := inner(fv); in.Kind() == reflect.Pointer && !in.IsNil() {
				if err := child(in, f); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func child(v reflect.Value, f func(any) error) error {
	m := v.Interface()
	if n, ok := m.(*pg.Node); ok {
		if len(n.ProtoReflect().GetUnknown()) > 0 { // holds a message this version does not know
			return refuseMessage("Node", -1)
		}
		if m = content(n); m == nil {
			return nil
		}
	}
	return f(m)
}

// visit walks the tree below m, m first. It refuses every message, field and
// value that is not on the lists, and calls f for the rest with the last
// location met on the way.
func visit(m any, at int32, f func(m any, at int32) error) error {
	v := reflect.ValueOf(m).Elem()
	l := layoutOf(v.Type())
	if l.location >= 0 {
		if loc := int32(v.Field(l.location).Int()); loc >= 0 {
			at = loc
		}
	}
	if !l.allowed {
		return refuseMessage(l.name, at)
	}
	if l.unknown >= 0 && v.Field(l.unknown).Len() > 0 {
		return unsupported(at, "the statement uses something this version does not know")
	}
	for i := range l.fields {
		if err := l.fields[i].check(l.name, v.Field(l.fields[i].index), at); err != nil {
			return err
		}
	}
	if err := f(m, at); err != nil {
		return err
	}
	return children(m, func(c any) error { return visit(c, at, f) })
}

// check refuses a field of a message that is not on the list, or has such a value.
func (f *field) check(message string, v reflect.Value, at int32) error {
	switch {
	case v.IsZero() || f.shape == repeated && v.Len() == 0:
		if f.enum != nil && f.allowed && !f.enum.allowed[0] {
			return unsupported(at, "the statement is incomplete")
		}
	case !f.allowed || f.shape == opaque:
		return refuseField(message, f.name, at)
	case f.enum != nil && !f.enum.allowed[v.Int()]:
		return refuseValue(f.enum.name, v.Int(), at)
	}
	return nil
}

// difference returns the path to the first difference between two trees, their
// locations aside, or "". It counts the messages of the first.
func difference(a, b reflect.Value, count *int) string {
	*count++
	if a.IsNil() || b.IsNil() {
		if a.IsNil() != b.IsNil() {
			return "presence"
		}
		return ""
	}
	a, b = a.Elem(), b.Elem()
	if a.Type() != b.Type() {
		return a.Type().Name() + "/" + b.Type().Name()
	}
	l := layoutOf(a.Type())
	for i := range l.fields {
		f := &l.fields[i]
		if f.place {
			continue
		}
		fa, fb := a.Field(f.index), b.Field(f.index)
		d := ""
		switch f.shape {
		case scalar:
			if !fa.Equal(fb) {
				d = "value"
			}
		case message:
			d = difference(fa, fb, count)
		case repeated:
			d = differentItems(fa, fb, count)
		case oneof:
			d = differentChoice(fa, fb, count)
		default:
			d = "opaque"
		}
		if d != "" {
			return l.name + "." + f.name + "." + d
		}
	}
	if l.unknown >= 0 && a.Field(l.unknown).Len()+b.Field(l.unknown).Len() > 0 {
		return l.name + ".unknown"
	}
	return ""
}

func differentItems(a, b reflect.Value, count *int) string {
	if a.Len() != b.Len() {
		return "length"
	}
	for i := range a.Len() {
		if d := difference(a.Index(i), b.Index(i), count); d != "" {
			return strconv.Itoa(i) + "." + d
		}
	}
	return ""
}

func differentChoice(a, b reflect.Value, count *int) string {
	if a.IsNil() || b.IsNil() {
		if a.IsNil() != b.IsNil() {
			return "presence"
		}
		return ""
	}
	if a.Elem().Type() != b.Elem().Type() {
		return "type"
	}
	ia, ib := inner(a), inner(b)
	if ia.Kind() == reflect.Pointer {
		return difference(ia, ib, count)
	}
	if !ia.Equal(ib) {
		return "value"
	}
	return ""
}

// depth returns how many messages of a tree are inside one another at most.
// Nodes and lists only wrap others and are not counted.
func depth(m any) int {
	deepest := 0
	_ = children(m, func(c any) error {
		deepest = max(deepest, depth(c))
		return nil
	})
	if _, ok := m.(*pg.List); ok {
		return deepest
	}
	return deepest + 1
}
