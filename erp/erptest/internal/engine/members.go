package engine

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// AsObject is the JSON object in v. Anything else makes the real server fail
// as on any unexpected exception.
func AsObject(v any) (*wire.Object, error) {
	o, ok := v.(*wire.Object)
	switch {
	case ok:
		return o, nil
	case v == nil:
		return nil, PublicError("The request has no body: a JSON object is expected")
	}
	if _, ok := v.([]any); ok {
		return nil, PublicError("Expected a JSON object but was an array")
	}
	return nil, PublicError("Expected a JSON object but was " + JSONOf(v))
}

// ExtraMembers may stand in the body of a record although they are not columns.
var ExtraMembers = map[string]bool{
	"doc-action": true, "id": true, "identifier": true, "model-name": true, "tableName": true, "uid": true,
}

// PropertyName is the other name of a column in JSON: its first letter in
// lower case unless the name has an underscore.
func PropertyName(column string) string {
	if column == "" || strings.Contains(column, "_") {
		return column
	}
	return strings.ToLower(column[:1]) + column[1:]
}

// checkNames refuses members that are neither columns nor tolerated. Arrays
// pass: they may be children.
func checkNames(t *store.Table, o *wire.Object) error {
	for _, name := range o.Names() {
		if ExtraMembers[name] {
			continue
		}
		if v, _ := o.Get(name); IsArray(v) {
			continue
		}
		col, ok := t.Column(name)
		if !ok {
			return Invalidf("Column %s does not exist", name)
		}
		property := PropertyName(col.Name)
		if name == property || name == col.Name {
			continue
		}
		if property == col.Name {
			return Invalidf("Wrong name for column %s, you must use %s", name, property)
		}
		return Invalidf("Wrong name for column %s, you must use %s or %s", name, property, col.Name)
	}
	return nil
}

// IsArray reports whether v is a JSON array.
func IsArray(v any) bool {
	_, ok := v.([]any)
	return ok
}

// Member is what a body says about a column.
func Member(o *wire.Object, column string) (any, bool) {
	if v, ok := o.Get(PropertyName(column)); ok {
		return v, true
	}
	return o.Get(column)
}

// ChildArrays are the members of a body that are children: arrays not named
// like a column.
func ChildArrays(t *store.Table, o *wire.Object) []string {
	var names []string
	for _, name := range o.Names() {
		if v, _ := o.Get(name); IsArray(v) {
			if _, ok := t.Column(name); !ok {
				names = append(names, name)
			}
		}
	}
	return names
}

// ScalarMember is a member as text, "" when it is absent or not a scalar.
func ScalarMember(o *wire.Object, name string) string {
	switch v, _ := o.Get(name); v := v.(type) {
	case string:
		return v
	case json.Number:
		return string(v)
	case bool:
		return fmt.Sprint(v)
	}
	return ""
}
