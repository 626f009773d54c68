package tablefile

import "reflect"

// field is one key of a structure of the format.
type field struct {
	key   string
	doc   string
	enum  string // set of words, empty: none
	is    string // kind of text
	need  bool
	index int
	typ   reflect.Type
}

// fieldsOf are the keys of a structure in order.
func fieldsOf(t reflect.Type) []field {
	fields := make([]field, t.NumField())
	for i := range fields {
		f := t.Field(i)
		fields[i] = field{key: f.Tag.Get("yaml"), doc: f.Tag.Get("doc"), enum: f.Tag.Get("enum"), is: f.Tag.Get("is"),
			need: f.Tag.Get("need") == "true", index: i, typ: f.Type}
		if f.Type == reflect.TypeFor[typeName]() {
			fields[i].enum = "type"
		}
	}
	return fields
}
