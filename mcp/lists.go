package mcp

import (
	"encoding"
	"encoding/json"
	"iter"
	"reflect"
	"strings"
)

var (
	marshalers = []reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()}
	bytesType  = reflect.TypeFor[byte]()
)

// withLists is the value with empty lists in place of nil ones, which are encoded as
// null: a model, and a schema, take that for something else. The value itself is left
// alone: a tool may hand out what others hold, too.
func withLists(value any) any {
	v := reflect.ValueOf(value)
	if !v.IsValid() || !lacksLists(v) {
		return value
	}
	own := reflect.New(v.Type()).Elem()
	own.Set(v)
	fillLists(own)
	return own.Interface()
}

// lacksLists reports whether there is a nil list in a value.
func lacksLists(v reflect.Value) bool {
	if isList(v.Type()) && v.IsNil() {
		return true
	}
	for p := range parts(v) {
		if lacksLists(p) {
			return true
		}
	}
	return false
}

// fillLists makes nil lists empty. The value can be set and is nobody else's.
func fillLists(v reflect.Value) {
	switch t := v.Type(); {
	case isList(t):
		own := reflect.MakeSlice(t, v.Len(), v.Len())
		reflect.Copy(own, v)
		v.Set(own)
	case t.Kind() == reflect.Pointer && !v.IsNil() && !encodesItself(t):
		own := reflect.New(t.Elem())
		own.Elem().Set(v.Elem())
		v.Set(own)
	}
	for p := range parts(v) {
		fillLists(p)
	}
}

// isList reports whether values of a type are encoded as lists; bytes are a text.
func isList(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem() != bytesType && !encodesItself(t)
}

func encodesItself(t reflect.Type) bool {
	for _, m := range marshalers {
		if t.Implements(m) || reflect.PointerTo(t).Implements(m) {
			return true
		}
	}
	return false
}

// mayHold reports whether there can be lists in values of a type.
func mayHold(t reflect.Type) bool {
	return t.Kind() == reflect.Slice || t.Kind() == reflect.Struct || t.Kind() == reflect.Pointer
}

// parts are the values within a value that are encoded and may hold lists. An empty
// list that the encoding leaves out is not among them.
func parts(v reflect.Value) iter.Seq[reflect.Value] {
	return func(yield func(reflect.Value) bool) {
		t := v.Type()
		switch {
		case !mayHold(t) || encodesItself(t):
		case t.Kind() == reflect.Pointer && !v.IsNil():
			yield(v.Elem())
		case t.Kind() == reflect.Slice && mayHold(t.Elem()):
			for i := range v.Len() {
				if !yield(v.Index(i)) {
					return
				}
			}
		case t.Kind() == reflect.Struct:
			for i := range t.NumField() {
				f, in := t.Field(i), v.Field(i)
				name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
				encoded := mayHold(f.Type) && name != "-" && (f.IsExported() || f.Anonymous && f.Type.Kind() == reflect.Struct)
				omitted := strings.Contains(options, "omit") && f.Type.Kind() == reflect.Slice && in.Len() == 0
				if encoded && !omitted && !yield(in) {
					return
				}
			}
		}
	}
}
