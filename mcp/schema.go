package mcp

import (
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// InputSchema is the schema of a struct of arguments. A list must be given as
// one: null, which Go would take for an empty list, is no valid argument.
func InputSchema[In any]() (*jsonschema.Schema, error) {
	s, err := jsonschema.For[In](nil)
	if err != nil {
		return nil, err
	}
	walk(s, func(s *jsonschema.Schema) {
		if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 {
			s.Type, s.Types = s.Types[1-i], nil
		}
	})
	return s, nil
}

// OutputSchema is the schema of a tool's result. Lists and pointers may be
// null, as Go encodes the nil ones.
func OutputSchema[Out any]() (*jsonschema.Schema, error) {
	s, err := jsonschema.For[Out](nil)
	if err != nil {
		return nil, err
	}
	if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 { // a pointer to a struct
		s.Type, s.Types = s.Types[1-i], nil
	}
	return s, nil
}

// walk visits a schema made from a type, and those in it.
func walk(s *jsonschema.Schema, visit func(*jsonschema.Schema)) {
	if s == nil {
		return
	}
	visit(s)
	for _, p := range s.Properties {
		walk(p, visit)
	}
	walk(s.Items, visit)
	walk(s.AdditionalProperties, visit)
}

// withConfirmation is a copy of the schema with the argument for a sealed
// confirmation token.
func withConfirmation(s *jsonschema.Schema) *jsonschema.Schema {
	s = s.CloneSchemas()
	if s.Properties == nil {
		s.Properties = map[string]*jsonschema.Schema{}
	}
	s.Properties[ConfirmationArgument] = &jsonschema.Schema{
		Type:        "string",
		Description: "only after an answer with code confirmation_required: its confirmation, once the user agreed",
	}
	s.PropertyOrder = append(slices.Clone(s.PropertyOrder), ConfirmationArgument)
	return s
}

// CheckOutput reports where a value a tool returned breaks the tool's output
// schema. Tests of tools use it: the server does not check again.
func (t Tool) CheckOutput(value any) error {
	if t.Output == nil {
		return nil
	}
	resolved, err := t.Output.Resolve(nil)
	if err != nil {
		return fmt.Errorf("the output schema of %s: %w", t.Name, err)
	}
	raw, err := Encode(value)
	if err != nil {
		return fmt.Errorf("the result of %s: %w", t.Name, err)
	}
	decoded, err := decode(raw)
	if err != nil {
		return fmt.Errorf("the result of %s: %w", t.Name, err)
	}
	if err := resolved.Validate(decoded); err != nil {
		return fmt.Errorf("the result of %s breaks its schema: %w", t.Name, err)
	}
	return nil
}
