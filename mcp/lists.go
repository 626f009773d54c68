package mcp

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// lists knows where values of a type hold lists, so that nil ones are encoded
// as empty: a model, and a schema, take null for something else. nil knows of
// none.
type lists struct {
	lacks func(reflect.Value) bool // whether there is a nil list
	fix   func(reflect.Value)      // makes them empty; the value can be set and is nobody else's
}

var (
	marshalers = []reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[interface{ MarshalText() ([]byte, error) }]()}
	bytesType  = reflect.TypeFor[byte]()
)

// fill is the value without nil lists. The value itself is left alone: a tool
// may hand out what others hold, too.
func (l *lists) fill(value any) any {
	v := reflect.ValueOf(value)
	if l == nil || !v.IsValid() || !l.lacks(v) {
		return value
	}
	own := reflect.New(v.Type()).Elem()
	own.Set(v)
	l.fix(own)
	return own.Interface()
}

// listsOf looks into a type; within are the types around it.
func listsOf(t reflect.Type, within []reflect.Type) *lists {
	encodesItself := func(m reflect.Type) bool { return t.Implements(m) || reflect.PointerTo(t).Implements(m) }
	if slices.Contains(within, t) || slices.ContainsFunc(marshalers, encodesItself) {
		return nil
	}
	within = append(slices.Clone(within), t)
	switch t.Kind() {
	case reflect.Pointer:
		return listsOfPointer(listsOf(t.Elem(), within))
	case reflect.Slice:
		if t.Elem() == bytesType {
			return nil // it is a text
		}
		return listsOfSlice(t, listsOf(t.Elem(), within))
	case reflect.Struct:
		return listsOfStruct(t, within)
	}
	return nil
}

func listsOfPointer(in *lists) *lists {
	if in == nil {
		return nil
	}
	return &lists{
		lacks: func(v reflect.Value) bool { return !v.IsNil() && in.lacks(v.Elem()) },
		fix: func(v reflect.Value) {
			if v.IsNil() {
				return
			}
			own := reflect.New(v.Type().Elem())
			own.Elem().Set(v.Elem())
			in.fix(own.Elem())
			v.Set(own)
		},
	}
}

func listsOfSlice(t reflect.Type, in *lists) *lists {
	return &lists{
		lacks: func(v reflect.Value) bool {
			if v.IsNil() {
				return true
			}
			if in != nil {
				for i := range v.Len() {
					if in.lacks(v.Index(i)) {
						return true
					}
				}
			}
			return false
		},
		fix: func(v reflect.Value) {
			own := reflect.MakeSlice(t, v.Len(), v.Len())
			reflect.Copy(own, v)
			if in != nil {
				for i := range own.Len() {
					in.fix(own.Index(i))
				}
			}
			v.Set(own)
		},
	}
}

// listsOfStruct looks into the fields that are encoded. A list that is left out
// when it is empty stays as it is.
func listsOfStruct(t reflect.Type, within []reflect.Type) *lists {
	type field struct {
		index   int
		omitted bool
		in      *lists
	}
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		inside := f.Anonymous && f.Type.Kind() == reflect.Struct
		if tag == "-" || !f.IsExported() && !inside {
			continue
		}
		if in := listsOf(f.Type, within); in != nil {
			_, options, _ := strings.Cut(tag, ",")
			fields = append(fields, field{i, strings.Contains(options, "omit"), in})
		}
	}
	if len(fields) == 0 {
		return nil
	}
	skip := func(f field, v reflect.Value) bool { return f.omitted && v.Kind() == reflect.Slice && v.Len() == 0 }
	return &lists{
		lacks: func(v reflect.Value) bool {
			return slices.ContainsFunc(fields, func(f field) bool {
				value := v.Field(f.index)
				return !skip(f, value) && f.in.lacks(value)
			})
		},
		fix: func(v reflect.Value) {
			for _, f := range fields {
				if value := v.Field(f.index); !skip(f, value) {
					f.in.fix(value)
				}
			}
		},
	}
}
