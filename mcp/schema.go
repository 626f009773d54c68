package mcp

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// InputSchema is the schema of a struct of arguments. A list must be given as
// one: null, which Go would take for an empty list, is not a valid argument.
func InputSchema[In any]() (*jsonschema.Schema, error) {
	s, err := jsonschema.For[In](nil)
	if err != nil {
		return nil, err
	}
	walk(s, notNull)
	return s, nil
}

// OutputSchema is the schema of a tool's result. Lists are never null, because
// [New] makes the nil ones empty, and what may be left out is left out when it
// is nil: many models' own dialects know no lists of types.
func OutputSchema[Out any]() (*jsonschema.Schema, error) {
	s, err := jsonschema.For[Out](nil)
	if err != nil {
		return nil, err
	}
	notNull(s) // a pointer to a struct
	walk(s, func(s *jsonschema.Schema) {
		if slices.Contains(s.Types, "array") {
			notNull(s)
		}
		for name, p := range s.Properties {
			if !slices.Contains(s.Required, name) {
				notNull(p)
			}
		}
		for _, inner := range []*jsonschema.Schema{s.Items, s.AdditionalProperties} {
			spellOut(inner)
		}
		for _, p := range s.Properties {
			spellOut(p)
		}
	})
	return s, nil
}

// notNull takes null from two types.
func notNull(s *jsonschema.Schema) {
	if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1-i], nil
	}
}

// spellOut gives the schema of any value a form that is an object: the bare true
// it would be is not understood everywhere.
func spellOut(s *jsonschema.Schema) {
	if s != nil && s.Description == "" && reflect.ValueOf(*s).IsZero() {
		s.Description = "any JSON value"
	}
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
