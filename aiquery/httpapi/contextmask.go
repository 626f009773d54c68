package httpapi

import (
	"bytes"
	"encoding/json"
	"strings"
)

// columnRule reports whether queries mask a column of a table; an empty table is
// any.
type columnRule func(table, column string) (bool, error)

// maskText stands for a value that is not shown.
const maskText = "***"

// maskedJSON is a value as JSON, with the values of columns that queries mask
// replaced: what an assistant reads here is bound by the same rule.
func maskedJSON(value any, redacts func(column string) (bool, error)) (json.RawMessage, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		return nil, err
	}
	m := masker{redacts: redacts, known: map[string]bool{}}
	tree = m.mask(tree)
	if m.err != nil {
		return nil, m.err
	}
	return json.Marshal(tree)
}

// masker masks one publication.
type masker struct {
	redacts func(column string) (bool, error)
	known   map[string]bool // results, by column
	err     error           // of the first lookup that failed
}

func (m *masker) secret(column string) bool {
	column = strings.TrimSpace(column)
	secret, ok := m.known[column]
	if !ok && m.err == nil {
		secret, m.err = m.redacts(column)
		m.known[column] = secret
	}
	return secret
}

// mask replaces values of members that are named like masked columns, and of
// objects that name such a column beside a value.
func (m *masker) mask(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = m.mask(v[i])
		}
	case map[string]any:
		column := false
		for _, member := range []string{"column", "columnName", "field", "name"} {
			name, ok := v[member].(string)
			column = column || ok && m.secret(name)
		}
		for name, inner := range v {
			switch {
			case inner == nil:
			case m.secret(name), column && holdsValue(name):
				v[name] = maskText
			default:
				v[name] = m.mask(inner)
			}
		}
	}
	return value
}

// holdsValue tells members that hold the value of a column named beside them.
func holdsValue(member string) bool {
	switch member {
	case "value", "values", "from", "to", "displayValue", "text", "data":
		return true
	}
	return false
}
