package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Format is the form of the list of tools that a model gets.
type Format string

// The formats of [Set.Export].
const (
	FormatMCP       Format = "mcp"       // as tools/list of the Model Context Protocol has them
	FormatOpenAI    Format = "openai"    // as the field tools of a chat completion has them
	FormatAnthropic Format = "anthropic" // as the field tools of a message has them
)

// Formats are all formats.
func Formats() []Format { return []Format{FormatMCP, FormatOpenAI, FormatAnthropic} }

// ParseFormat reads the name of a format, in any case.
func ParseFormat(text string) (Format, error) {
	f := Format(strings.ToLower(strings.TrimSpace(text)))
	if !slices.Contains(Formats(), f) {
		return "", fmt.Errorf("%q is not a format of function schemas: mcp, openai or anthropic", text)
	}
	return f, nil
}

// Definition is a tool as the Model Context Protocol describes it.
type Definition struct {
	Name        string             `json:"name"`
	Title       string             `json:"title,omitempty"`
	Description string             `json:"description"`
	Input       *jsonschema.Schema `json:"inputSchema"`
	Output      *jsonschema.Schema `json:"outputSchema,omitempty"`
	Annotations Annotations        `json:"annotations"`
}

// Annotations are a tool's hints on the wire. All are written: a client takes a
// missing one for the worst.
type Annotations struct {
	Title       string `json:"title,omitempty"`
	ReadOnly    bool   `json:"readOnlyHint"`
	Destructive bool   `json:"destructiveHint"`
	Idempotent  bool   `json:"idempotentHint"`
	OpenWorld   bool   `json:"openWorldHint"`
}

// Definition is the tool as clients of the protocol see it.
func (t Tool) Definition() Definition {
	return Definition{
		Name: t.Name, Title: t.Title, Description: t.Description, Input: t.Input, Output: t.Output,
		Annotations: Annotations{
			Title: t.Title, ReadOnly: t.Hints.ReadOnly,
			// Clients approve by this hint alone what they take to be harmless.
			Destructive: t.Hints.Destructive || t.Confirms,
			Idempotent:  t.Hints.Idempotent || t.Hints.ReadOnly, OpenWorld: t.Hints.OpenWorld,
		},
	}
}

// Export is the set for an agent that calls functions without the protocol:
// one JSON value per tool, in the order of the set, the same on every run. A
// function the model chooses is called through a boundary with its name and
// arguments as they are.
func (s Set) Export(f Format) ([]json.RawMessage, error) {
	out := make([]json.RawMessage, len(s))
	for i, t := range s {
		var v any
		switch f {
		case FormatMCP:
			v = t.Definition()
		case FormatOpenAI:
			v = openAITool{"function", function{t.Name, t.Description, t.Input, nil}}
		case FormatAnthropic:
			v = function{t.Name, t.Description, nil, t.Input}
		default:
			return nil, fmt.Errorf("%q is not a format of function schemas: mcp, openai or anthropic", f)
		}
		if f != FormatMCP && strings.Contains(t.Name, ".") {
			return nil, fmt.Errorf("the tool %s cannot be exported as %s, where names have no dots", t.Name, f)
		}
		raw, err := encodePlain(v)
		if err != nil {
			return nil, fmt.Errorf("exporting the tool %s: %w", t.Name, err)
		}
		out[i] = raw
	}
	return out, nil
}

type openAITool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

// function is a tool as either of them describes it, by its own name for the schema.
type function struct {
	Name        string             `json:"name"`
	Description string             `json:"description"`
	Parameters  *jsonschema.Schema `json:"parameters,omitempty"`
	InputSchema *jsonschema.Schema `json:"input_schema,omitempty"`
}
