package tools

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/erphub/erphub/mcp"
)

// input is the schema of a struct of arguments, with what struct tags cannot
// say. It panics on a mistake in the program, like [mcp.New].
func input[In any](edits ...func(*jsonschema.Schema)) *jsonschema.Schema {
	s, err := mcp.InputSchema[In]()
	if err != nil {
		panic(fmt.Sprintf("mcp/tools: %v", err))
	}
	for _, edit := range edits {
		edit(s)
	}
	return s
}

func property(s *jsonschema.Schema, name string) *jsonschema.Schema {
	p, ok := s.Properties[name]
	if !ok {
		panic("mcp/tools: no property " + name)
	}
	return p
}

// oneOf limits a property to values, the first of which is the default.
func oneOf(name string, values ...string) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) {
		p := property(s, name)
		p.Enum = anyOf(values)
		p.Default, _ = json.Marshal(values[0]) // a text always encodes
	}
}

// anyOf are the only values of a property.
func anyOf[T ~string](values []T) []any {
	return mapped(values, func(v *T) any { return string(*v) })
}

// between limits a number and gives it a default.
func between(name string, least, most, usual int) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) {
		p := property(s, name)
		low, high := float64(least), float64(most)
		p.Minimum, p.Maximum = &low, &high
		p.Default, _ = json.Marshal(usual) // a number always encodes
	}
}

// lowered gives a number a default and a least value. There is no most: what is
// too much is lowered where it is used.
func lowered(name string, least, usual int) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) {
		p := property(s, name)
		low := float64(least)
		p.Minimum = &low
		p.Default, _ = json.Marshal(usual) // a number always encodes
	}
}

// shorter limits the length of texts.
func shorter(most int, names ...string) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) {
		for _, name := range names {
			property(s, name).MaxLength = &most
		}
	}
}

// recordKey is what a record is known by, given as text or as a number.
type recordKey string

// UnmarshalJSON takes both.
func (k *recordKey) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		return json.Unmarshal(raw, (*string)(k))
	}
	var n json.Number
	if err := json.Unmarshal(raw, &n); err != nil {
		return err
	}
	if f, err := n.Float64(); err == nil && strings.ContainsAny(n.String(), ".eE") { // a whole number, as the schema wants it
		n = json.Number(strconv.FormatFloat(f, 'f', 0, 64))
	}
	*k = recordKey(n.String())
	return nil
}

// keyed lets a property be a number as well as a text.
func keyed(name string) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) {
		p := property(s, name)
		most := 120
		p.Type, p.Types, p.MaxLength = "", []string{"string", "integer"}, &most
	}
}
