package erptest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// asObject is the JSON object in v. Anything else makes the real server fail
// as on any unexpected exception.
func asObject(v any) (*wire.Object, error) {
	o, ok := v.(*wire.Object)
	switch {
	case ok:
		return o, nil
	case v == nil:
		return nil, plainError("The request has no body: a JSON object is expected")
	}
	if _, ok := v.([]any); ok {
		return nil, plainError("Expected a JSON object but was an array")
	}
	return nil, plainError("Expected a JSON object but was " + jsonOf(v))
}

// extraMembers may stand in the body of a record although they are no columns.
var extraMembers = map[string]bool{
	"doc-action": true, "id": true, "identifier": true, "model-name": true, "tableName": true, "uid": true,
}

// propertyName is the other name of a column in JSON: its first letter in
// lower case unless the name has an underscore.
func propertyName(column string) string {
	if column == "" || strings.Contains(column, "_") {
		return column
	}
	return strings.ToLower(column[:1]) + column[1:]
}

// checkNames refuses members that are neither columns nor tolerated. Arrays
// pass: they may be children.
func checkNames(t *store.Table, o *wire.Object) error {
	for _, name := range o.Names() {
		if extraMembers[name] {
			continue
		}
		if v, _ := o.Get(name); isArray(v) {
			continue
		}
		col, ok := t.Column(name)
		if !ok {
			return invalid("Column %s does not exist", name)
		}
		property := propertyName(col.Name)
		if name == property || name == col.Name {
			continue
		}
		if property == col.Name {
			return invalid("Wrong name for column %s, you must use %s", name, property)
		}
		return invalid("Wrong name for column %s, you must use %s or %s", name, property, col.Name)
	}
	return nil
}

func isArray(v any) bool {
	_, ok := v.([]any)
	return ok
}

// member is what a body says about a column.
func member(o *wire.Object, column string) (any, bool) {
	if v, ok := o.Get(propertyName(column)); ok {
		return v, true
	}
	return o.Get(column)
}

// childArrays are the members of a body that are children: arrays not named
// like a column.
func childArrays(t *store.Table, o *wire.Object) []string {
	var names []string
	for _, name := range o.Names() {
		if v, _ := o.Get(name); isArray(v) {
			if _, ok := t.Column(name); !ok {
				names = append(names, name)
			}
		}
	}
	return names
}

// scalarMember is a member as text, "" when it is absent or not a scalar.
func scalarMember(o *wire.Object, name string) string {
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
