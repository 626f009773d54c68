package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/internal/lazyregexp"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
)

// OwnQuery is a query that an operator offers as a tool of its own. It runs as
// executeQuery runs statements: with the permissions of the caller's role, and
// with its parameters as values, never as text of the statement.
type OwnQuery struct {
	// Name is the tool's: letters, digits, _ and -, such as ordersOfPartner.
	Name string `yaml:"name"`
	// Title is for people; empty: Name.
	Title string `yaml:"title"`
	// Description tells a model when to use the tool and what it returns.
	Description string `yaml:"description"`
	// SQL is one SELECT in PostgreSQL's dialect; $1, $2 … are the parameters in
	// their order.
	SQL string `yaml:"sql"`
	// Parameters are the arguments of the tool.
	Parameters []OwnParameter `yaml:"parameters"`
	// MaxRows is how many rows come back at most; 0: 100, and never more than
	// 1,000.
	MaxRows int `yaml:"maxRows"`
}

// OwnParameter is an argument of an [OwnQuery].
type OwnParameter struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
	// Type is text, integer, number, boolean or date; empty: text.
	Type string `yaml:"type"`
	// Values are the only ones that are accepted; none: any of the type.
	Values []any `yaml:"values"`
	// Default is used where the argument is left out.
	Default any `yaml:"default"`
	// Optional says that the argument may be left out without a default, and is NULL
	// then.
	Optional bool `yaml:"optional"`
}

// maxOwnQueries bounds a file of queries, in bytes.
const maxOwnQueries = 1 << 20

// ReadOwnQueries reads queries from YAML: a list below queries:. An error names
// the query, what is wrong with it and what to write instead.
func ReadOwnQueries(r io.Reader) ([]OwnQuery, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxOwnQueries+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxOwnQueries {
		return nil, fmt.Errorf("the file is longer than %d bytes", maxOwnQueries)
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true) // a misspelt name would be left out in silence
	var file struct {
		Queries []OwnQuery `yaml:"queries"`
	}
	if err := d.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w; write a list below queries:", err)
	}
	if err := d.Decode(new(any)); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than one YAML document; write one")
	}
	if len(file.Queries) == 0 {
		return nil, errors.New("there are no queries; write a list below queries:")
	}
	for i := range file.Queries {
		if err := file.Queries[i].check(); err != nil {
			return nil, fmt.Errorf("query %d (%s): %w", i+1, clip(file.Queries[i].Name, 64), err)
		}
	}
	return file.Queries, nil
}

var placeholder = lazyregexp.New(`\$([0-9]+)`)

func (q *OwnQuery) check() error {
	switch {
	case !mcp.ValidName(q.Name):
		return errors.New("name: a tool's name has 1 to 64 letters, digits, _ and -")
	case strings.TrimSpace(q.Description) == "":
		return errors.New("description: a model chooses the tool by it; say when to use it and what it returns")
	case strings.TrimSpace(q.SQL) == "":
		return errors.New("sql: it is missing; write one SELECT, with $1, $2 … for the parameters")
	case q.MaxRows < 0:
		return errors.New("maxRows: it is negative; leave it out for 100")
	}
	used := map[int]bool{}
	for _, m := range placeholder().FindAllStringSubmatch(q.SQL, -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil || n < 1 || n > len(q.Parameters) {
			return fmt.Errorf("sql: %s stands for no parameter, of which there are %d", m[0], len(q.Parameters))
		}
		used[n] = true
	}
	names := map[string]bool{}
	for i := range q.Parameters {
		p := &q.Parameters[i]
		switch {
		case !mcp.ValidName(p.Name):
			return fmt.Errorf("parameter %d: its name must have 1 to 64 letters, digits, _ and -", i+1)
		case names[p.Name]:
			return fmt.Errorf("there are two parameters %s", p.Name)
		case strings.TrimSpace(p.Description) == "":
			return fmt.Errorf("parameter %s has no description", p.Name)
		case !used[i+1]:
			return fmt.Errorf("parameter %s is not used: $%d is not in sql", p.Name, i+1)
		}
		names[p.Name] = true
		if _, err := p.schema(); err != nil {
			return fmt.Errorf("parameter %s: %w", p.Name, err)
		}
	}
	return nil
}

// schema is what the argument accepts.
func (p *OwnParameter) schema() (*jsonschema.Schema, error) {
	s := &jsonschema.Schema{Description: p.Description}
	switch p.Type {
	case "", "text":
		most := 2000
		s.Type, s.MaxLength = "string", &most
	case "integer", "number", "boolean":
		s.Type = p.Type
	case "date":
		s.Type, s.Pattern = "string", `^[0-9]{4}-[0-9]{2}-[0-9]{2}$`
		s.Description += " (date as 2026-01-31)"
	default:
		return nil, fmt.Errorf("its type %q is none of text, integer, number, boolean, date", p.Type)
	}
	s.Enum = p.Values
	if p.Default != nil {
		value := p.Default
		if day, ok := value.(time.Time); ok { // YAML's dates need no quotes
			value = day.Format(time.DateOnly)
		}
		var err error
		if s.Default, err = json.Marshal(value); err != nil {
			return nil, errors.New("its default is not a single value")
		}
	}
	if _, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true}); err != nil {
		return nil, fmt.Errorf("its default does not fit its type: %w", err)
	}
	plain := *s
	plain.Enum, plain.Default = nil, nil
	resolved, err := plain.Resolve(nil)
	if err != nil {
		return nil, err
	}
	for _, v := range s.Enum {
		if err := resolved.Validate(v); err != nil {
			return nil, fmt.Errorf("its value %v does not fit its type", v)
		}
	}
	return s, nil
}

// input is the schema of all arguments.
func (q *OwnQuery) input() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	for i := range q.Parameters {
		p := &q.Parameters[i]
		schema, err := p.schema()
		if err != nil { // New refuses it as well
			panic(fmt.Sprintf("mcp/tools: own query %s: %v", q.Name, err))
		}
		s.Properties[p.Name] = schema
		s.PropertyOrder = append(s.PropertyOrder, p.Name)
		if p.Default == nil && !p.Optional {
			s.Required = append(s.Required, p.Name)
		}
	}
	return s
}

func (b *Toolbox) ownQueryTools() mcp.Set {
	var set mcp.Set
	for i := range b.own {
		set = append(set, b.ownQuery(b.own[i]))
	}
	return needs[backend.Querier](b, set...)
}

func (b *Toolbox) ownQuery(q OwnQuery) mcp.Tool {
	title := q.Title
	if title == "" {
		title = q.Name
	}
	return mcp.New(mcp.Tool{
		Name: q.Name, Title: title, Description: q.Description, Sets: []string{SetOwn}, Hints: readOnly,
		Input: q.input(), Cost: mcp.Cost{APICalls: 1},
	}, func(ctx context.Context, c *mcp.Call, in map[string]json.RawMessage) (*executeQueryOut, error) {
		ask := backend.Query{SQL: q.SQL, MaxRows: q.MaxRows}
		for i := range q.Parameters {
			value, given := in[q.Parameters[i].Name]
			if !given {
				value = json.RawMessage("null")
			}
			ask.Params = append(ask.Params, value)
		}
		_, out, err := b.runQuery(ctx, c, ask)
		return out, err
	})
}

// runQuery is the result of a statement under the caller's role, in the size of
// a response.
func (b *Toolbox) runQuery(ctx context.Context, c *mcp.Call, q backend.Query) (*api.Result, *executeQueryOut, error) {
	defer heartbeat(ctx, c, "the query is running")()
	r, err := b.query(ctx, c, q)
	if err != nil {
		return nil, nil, meant(err)
	}
	out, err := rowsOf(r)
	return r, out, err
}

// query runs a statement for the caller.
func (b *Toolbox) query(ctx context.Context, c *mcp.Call, q backend.Query) (*api.Result, error) {
	r, _, err := backend.Read(ctx, b.pool, "run SQL", func(ctx context.Context, k backend.Querier) (*api.Result, error) {
		return k.Query(ctx, c.Caller, q)
	})
	return r, err
}
