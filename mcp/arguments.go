package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/internal/text"
)

// maxDepth bounds how deep arguments may be nested.
const maxDepth = 32

// checker checks the arguments of one tool.
type checker struct {
	tool     string
	schema   *jsonschema.Schema
	resolved *jsonschema.Resolved
	names    []string // of arguments, in the schema's order
	closed   bool     // no other arguments
}

func newChecker(tool string, schema *jsonschema.Schema) (*checker, error) {
	resolved, err := schema.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		return nil, fmt.Errorf("schema of the input: %w", err)
	}
	c := &checker{tool: tool, schema: schema, resolved: resolved}
	for _, name := range slices.Concat(schema.PropertyOrder, slices.Sorted(maps.Keys(schema.Properties))) {
		if schema.Properties[name] != nil && !slices.Contains(c.names, name) {
			c.names = append(c.names, name)
		}
	}
	c.closed = schema.AdditionalProperties != nil && schema.AdditionalProperties.Not != nil
	return c, nil
}

// arguments are the checked arguments with defaults, ready to decode.
func (c *checker) arguments(raw json.RawMessage) (json.RawMessage, error) {
	if err := checkDepth(raw); err != nil {
		return nil, c.wrong(err.Error(), "")
	}
	given := map[string]json.RawMessage{}
	if trimmed := bytes.TrimSpace(raw); len(trimmed) > 0 && !bytes.Equal(trimmed, []byte("null")) {
		if err := json.Unmarshal(trimmed, &given); err != nil {
			return nil, c.wrong("the arguments are no JSON object", "send an object of named arguments")
		}
	}
	if err := c.rename(given); err != nil {
		return nil, err
	}
	if err := c.unknown(given); err != nil {
		return nil, err
	}
	values := make(map[string]any, len(given))
	for name, raw := range given {
		raw = unquoted(c.schema.Properties[name], raw)
		given[name] = raw
		value, err := decode(raw)
		if err != nil {
			return nil, c.wrong(fmt.Sprintf("argument %s is no JSON", text.Quote(name)), "")
		}
		if value == nil && c.omits(name) {
			delete(given, name)
			continue
		}
		if meant, ok := coerce(c.schema.Properties[name], value); ok {
			if given[name], err = json.Marshal(meant); err != nil {
				return nil, c.wrong(fmt.Sprintf("argument %q cannot be read", name), "")
			}
			value = meant
		}
		values[name] = value
	}
	if err := c.complete(given, values); err != nil {
		return nil, err
	}
	if err := c.resolved.Validate(values); err != nil {
		return nil, c.invalid(values, err)
	}
	return json.Marshal(given)
}

// omits reports whether null stands for "not given", as many clients write it.
func (c *checker) omits(name string) bool {
	property := c.schema.Properties[name]
	return property != nil && !slices.Contains(c.schema.Required, name) && !allows(property, "null")
}

// complete adds the defaults, and refuses arguments of which a required one is missing.
func (c *checker) complete(given map[string]json.RawMessage, values map[string]any) error {
	for _, name := range c.schema.Required {
		if _, ok := values[name]; !ok {
			return c.missing(name)
		}
	}
	for _, name := range c.names {
		p := c.schema.Properties[name]
		if _, ok := values[name]; !ok && p.Default != nil {
			value, err := decode(p.Default)
			if err != nil {
				return fmt.Errorf("the default of %s: %w", name, err)
			}
			values[name], given[name] = value, p.Default
		}
	}
	return nil
}

// decode keeps numbers in a form the schema's validator knows.
func decode(raw json.RawMessage) (any, error) {
	var v any
	err := json.Unmarshal(raw, &v)
	return v, err
}

func (c *checker) unknown(given map[string]json.RawMessage) error {
	if !c.closed {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if slices.Contains(c.names, name) {
			continue
		}
		hint := c.tool + " takes no arguments"
		if len(c.names) > 0 {
			hint = strings.TrimSpace(didYouMean(name, c.names) + " " + c.takes())
		}
		return c.wrong("there is no argument "+text.Quote(name), hint)
	}
	return nil
}

func (c *checker) missing(name string) error {
	what := ""
	if p := c.schema.Properties[name]; p != nil && p.Description != "" {
		what = " (" + p.Description + ")"
	}
	return c.wrong(fmt.Sprintf("argument %q is missing%s", name, what), c.takes())
}

// takes lists the valid arguments.
func (c *checker) takes() string {
	words := make([]string, len(c.names))
	for i, name := range c.names {
		words[i] = name
		if slices.Contains(c.schema.Required, name) {
			words[i] += " (required)"
		}
	}
	return c.tool + " takes: " + strings.Join(words, ", ")
}

// invalid names the argument whose value breaks its schema.
func (c *checker) invalid(values map[string]any, whole error) error {
	for _, name := range c.names {
		value, ok := values[name]
		if !ok {
			continue
		}
		p := c.schema.Properties[name]
		resolved, err := p.CloneSchemas().Resolve(nil)
		if err != nil {
			break // it refers to the whole schema
		}
		if err := resolved.Validate(value); err != nil {
			return c.wrongValue(name, p, value, err)
		}
	}
	return c.wrong("the arguments do not fit together: "+reason(whole), c.takes())
}

func (c *checker) wrongValue(name string, p *jsonschema.Schema, value any, err error) error {
	hint := ""
	if p.Description != "" {
		hint = name + ": " + p.Description
	}
	if len(p.Enum) > 0 {
		words := make([]string, len(p.Enum))
		for i, v := range p.Enum {
			words[i] = fmt.Sprint(v)
		}
		if given, ok := value.(string); ok {
			return c.wrong(fmt.Sprintf("argument %q cannot be %s", name, text.Quote(given)), hintNames(given, words))
		}
		return c.wrong(fmt.Sprintf("argument %q has a value it cannot have", name), "there are: "+strings.Join(words, ", "))
	}
	if kind := kindOf(value); p.Type != "" && kind != p.Type && (kind != "integer" || p.Type != "number") {
		return c.wrong(fmt.Sprintf("argument %q must be of type %s, not %s", name, p.Type, kind), hint)
	}
	if bound := outside(p, value); bound != "" {
		return c.wrong(fmt.Sprintf("argument %q must %s", name, bound), hint)
	}
	return c.wrong(fmt.Sprintf("argument %q: %s", name, reason(err)), hint)
}

// outside says which bound a value breaks, "" if none of those it knows.
func outside(p *jsonschema.Schema, value any) string {
	plain := func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
	switch v := value.(type) {
	case float64:
		switch {
		case p.Minimum != nil && v < *p.Minimum:
			return fmt.Sprintf("be at least %s, not %s", plain(*p.Minimum), plain(v))
		case p.Maximum != nil && v > *p.Maximum:
			return fmt.Sprintf("be at most %s, not %s", plain(*p.Maximum), plain(v))
		}
	case string:
		return outsideCount(utf8.RuneCountInString(v), p.MinLength, p.MaxLength, "characters")
	case []any:
		return outsideCount(len(v), p.MinItems, p.MaxItems, "entries")
	}
	return ""
}

func outsideCount(n int, least, most *int, what string) string {
	switch {
	case least != nil && n < *least:
		return fmt.Sprintf("have at least %d %s, not %d", *least, what, n)
	case most != nil && n > *most:
		return fmt.Sprintf("have at most %d %s, not %d", *most, what, n)
	}
	return ""
}

// kindOf is the name JSON schemas have for a decoded value's type.
func kindOf(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

func (c *checker) wrong(message, hint string) *Error {
	return &Error{Code: CodeInvalidArguments, Message: c.tool + ": " + message, Hint: hint}
}

// undecodable is for values that fit the schema but not the Go type, such as a
// number too big for it.
func (c *checker) undecodable(err error) error {
	var mismatch *json.UnmarshalTypeError
	message := "an argument cannot be read"
	if errors.As(err, &mismatch) && mismatch.Field != "" {
		message = fmt.Sprintf("argument %q cannot be %s", mismatch.Field, text.Shorten(mismatch.Value, 80))
	}
	return &Error{Code: CodeInvalidArguments, Message: c.tool + ": " + message, Hint: c.takes(), Err: err}
}

// validatorNoise is what the validator's messages say about its own working.
var validatorNoise = lazyregexp.New(`(?:validating [^:]*: )+`)

// reason is the validator's finding without its trace.
func reason(err error) string {
	return text.Shorten(strings.TrimSpace(validatorNoise().ReplaceAllString(err.Error(), "")), 200)
}

func allows(p *jsonschema.Schema, kind string) bool {
	return p.Type == kind || slices.Contains(p.Types, kind) || p.Type == "" && len(p.Types) == 0
}

// checkDepth refuses what is nested too deep, without building it.
func checkDepth(raw json.RawMessage) error {
	depth, inText := 0, false
	for i := 0; i < len(raw); i++ {
		switch b := raw[i]; {
		case inText && b == '\\':
			i++
		case b == '"':
			inText = !inText
		case inText:
		case b == '{' || b == '[':
			if depth++; depth > maxDepth {
				return fmt.Errorf("the arguments are nested more than %d deep", maxDepth)
			}
		case b == '}' || b == ']':
			depth--
		}
	}
	if inText {
		return io.ErrUnexpectedEOF
	}
	return nil
}
