package generator

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// OptionType is the type of an option's value.
type OptionType string

// The types. They are those of JSON Schema, but for lists.
const (
	TypeString  OptionType = "string"
	TypeBoolean OptionType = "boolean"
	TypeStrings OptionType = "strings" // a list of texts
)

// Option is one thing a generator can be told.
type Option struct {
	Name        string     `json:"name"` // as in requests: artifactId
	Type        OptionType `json:"type"`
	Description string     `json:"description"`
	Required    bool       `json:"required,omitempty"`
	// NewOnly options describe a plugin that is made; they cannot be given when
	// adding to one that is there.
	NewOnly bool     `json:"newOnly,omitempty"`
	Default any      `json:"default,omitempty"` // string, bool or []string; nil: derived, or empty
	Choices []string `json:"choices,omitempty"` // the only values possible
	Example string   `json:"example,omitempty"`

	check func(string) string // what is wrong with a value, "" for nothing
}

// Flag is the option as a flag of the command line: artifact-id.
func (o *Option) Flag() string {
	var b strings.Builder
	for i, r := range o.Name {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('-')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Check says what is wrong with one value of a text option, or of a list's
// entry, "" when nothing is.
func (o *Option) Check(value string) string {
	if len(o.Choices) > 0 && !slices.Contains(o.Choices, value) {
		return fmt.Sprintf("is none of %s", strings.Join(o.Choices, ", "))
	}
	if o.check != nil {
		return o.check(value)
	}
	return ""
}

// schema is the option as a property in JSON Schema.
func (o *Option) schema() map[string]any {
	s := map[string]any{"description": o.Description}
	text := s
	if o.Type == TypeStrings {
		text = map[string]any{"type": "string"}
		s["type"], s["items"] = "array", text
	} else {
		s["type"] = string(o.Type)
	}
	if len(o.Choices) > 0 {
		text["enum"] = slices.Clone(o.Choices)
	}
	if o.Default != nil {
		s["default"] = o.Default
	}
	if o.Example != "" {
		s["examples"] = []any{o.exampleValue()}
	}
	return s
}

func (o *Option) exampleValue() any {
	if o.Type == TypeStrings {
		return strings.Split(o.Example, ",")
	}
	return o.Example
}

// OptionProblem is the problem with one option.
type OptionProblem struct {
	Option string
	Value  string // the value given, empty when none was
	Why    string
}

// OptionsError lists everything that is wrong with the options of a generator.
type OptionsError struct {
	Generator string
	Problems  []OptionProblem
}

// Error lists the problems, with values cut and made visible.
func (e *OptionsError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the options for %s cannot be used: ", e.Generator)
	for i, p := range e.Problems {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(p.Option)
		if p.Value != "" {
			b.WriteString(" " + quote(p.Value))
		}
		b.WriteString(" " + p.Why)
	}
	return b.String()
}

// values are options that were checked.
type values struct {
	given map[string]any
	used  *OptionsError // collects what turns out to be wrong later
}

func (v values) text(name string) string {
	s, _ := v.given[name].(string)
	return s
}

func (v values) flag(name string) bool {
	b, _ := v.given[name].(bool)
	return b
}

func (v values) list(name string) []string {
	l, _ := v.given[name].([]string)
	return l
}

// bad notes a problem that is found only while generating.
func (v values) bad(option, value, why string) {
	v.used.Problems = append(v.used.Problems, OptionProblem{option, value, why})
}

// err is what was noted.
func (v values) err() error {
	if len(v.used.Problems) > 0 {
		return v.used
	}
	return nil
}

// resolve checks options against what a generator takes, and fills in defaults.
func (g *Generator) resolve(options map[string]any, adding bool) (values, error) {
	v := values{given: map[string]any{}, used: &OptionsError{Generator: g.Name}}
	names := slices.Sorted(maps.Keys(options))
	for _, name := range names {
		if _, ok := g.Option(name); !ok {
			v.bad(quote(name), "", "is not an option of this generator; there are "+g.optionNames(adding))
		}
	}
	for i := range g.Options {
		o := &g.Options[i]
		unfit := adding && o.NewOnly
		if raw := options[o.Name]; raw != nil {
			if unfit {
				v.bad(o.Name, "", "belongs to a plugin that is made; this one is there")
				continue
			}
			value, why := convert(o.Type, raw)
			if why != "" {
				v.bad(o.Name, "", why)
				continue
			}
			if bad, why := o.checkValue(value); why != "" {
				v.bad(o.Name, bad, why)
				continue
			}
			if !empty(value) {
				v.given[o.Name] = value
				continue
			}
		}
		switch {
		case o.Required && !unfit:
			hint := "is missing"
			if o.Example != "" {
				hint += ", such as " + o.Example
			}
			v.bad(o.Name, "", hint)
		case o.Default != nil:
			v.given[o.Name] = o.Default
		}
	}
	return v, v.err()
}

func empty(v any) bool {
	switch v := v.(type) {
	case string:
		return v == ""
	case []string:
		return len(v) == 0
	}
	return false
}

// checkValue checks a text, or each entry of a list.
func (o *Option) checkValue(value any) (bad, why string) {
	switch value := value.(type) {
	case string:
		if value != "" {
			return value, o.Check(value)
		}
	case []string:
		const limit = 500
		if len(value) > limit {
			return "", fmt.Sprintf("has %d entries, at most %d are possible", len(value), limit)
		}
		seen := map[string]bool{}
		for _, entry := range value {
			if entry == "" {
				return "", "has an empty entry"
			}
			if why := o.Check(entry); why != "" {
				return entry, why
			}
			if seen[strings.ToLower(entry)] {
				return entry, "is given twice"
			}
			seen[strings.ToLower(entry)] = true
		}
	}
	return "", ""
}

// convert takes a value as it comes from JSON, from flags or from Go.
func convert(to OptionType, raw any) (any, string) {
	switch to {
	case TypeBoolean:
		switch raw := raw.(type) {
		case bool:
			return raw, ""
		case string:
			if b, err := strconv.ParseBool(raw); err == nil {
				return b, ""
			}
		}
		return nil, fmt.Sprintf("is neither true nor false but %s", show(raw))
	case TypeStrings:
		return convertList(raw)
	}
	return convertText(raw)
}

func convertList(raw any) (any, string) {
	switch raw := raw.(type) {
	case []string:
		return slices.Clone(raw), ""
	case string:
		parts := strings.FieldsFunc(raw, func(r rune) bool { return r == ',' })
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		return slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ""
	case []any:
		out := make([]string, len(raw))
		for i, entry := range raw {
			text, why := convertText(entry)
			if why != "" {
				return nil, fmt.Sprintf("has an entry that %s", why)
			}
			out[i], _ = text.(string)
		}
		return out, ""
	}
	return nil, fmt.Sprintf("is not a list but %s", show(raw))
}

func convertText(raw any) (any, string) {
	switch raw := raw.(type) {
	case string:
		return raw, ""
	case json.Number:
		return raw.String(), ""
	case int:
		return strconv.Itoa(raw), ""
	case float64:
		if raw == math.Trunc(raw) && math.Abs(raw) < 1<<53 {
			return strconv.FormatFloat(raw, 'f', -1, 64), ""
		}
	}
	return nil, fmt.Sprintf("is not a text but %s", show(raw))
}

func show(raw any) string {
	switch raw.(type) {
	case map[string]any:
		return "an object"
	case []any, []string:
		return "a list"
	}
	return quote(fmt.Sprint(raw))
}
