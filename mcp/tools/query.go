package tools

import (
	"context"
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
)

func (b *Toolbox) queryTools() mcp.Set {
	return needs[backend.Querier](b, b.executeQuery(), b.explainQuery(), b.getQueryTemplates())
}

// columnTools tell columns, which a backend without a dictionary may know, too.
func (b *Toolbox) columnTools() mcp.Set {
	t := b.getTableColumns()
	t.Available = func(mcp.Caller) bool {
		return backend.Can[backend.Registrar](b.pool) || backend.Can[backend.Describer](b.pool)
	}
	return mcp.Set{t}
}

// questionIn is a statement as executeQuery and explainQuery take it.
type questionIn struct {
	SQL    string            `json:"sql" jsonschema:"one SELECT in PostgreSQL's dialect: SELECT name FROM c_bpartner WHERE iscustomer = 'Y'"`
	Params []json.RawMessage `json:"params,omitempty" jsonschema:"values for $1, $2 …; dates as text: 2026-01-31"`
	RoleID *int              `json:"roleId,omitempty" jsonschema:"role to query under, one of yours; usually left out"`
}

type executeQueryIn struct {
	questionIn
	MaxRows int `json:"maxRows,omitempty" jsonschema:"most rows to return; more than 1000 are lowered to that"`
}

// question is the schema of a struct with a statement.
func question[In any](edits ...func(*jsonschema.Schema)) *jsonschema.Schema {
	s := input[In](append(edits, shorter(60_000, "sql"))...)
	property(s, "params").Items = &jsonschema.Schema{Types: []string{"string", "number", "boolean", "null", "array"}}
	return s
}

type queryColumn struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Redacted bool   `json:"redacted,omitempty"`
}

type executeQueryOut struct {
	Notice    string        `json:"notice"`
	Columns   []queryColumn `json:"columns"`
	Rows      [][]any       `json:"rows"`
	RowCount  int           `json:"rowCount"`
	Truncated bool          `json:"truncated"`
	Next      string        `json:"next,omitempty" jsonschema:"how to get what is missing"`
	Tables    []string      `json:"tables"`
	Notes     []string      `json:"notes,omitempty"`
}

func (b *Toolbox) executeQuery() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "executeQuery", Title: "Run a query", Sets: []string{SetQuery, SetChat}, Hints: readOnly,
		Description: "Runs one SELECT with the permissions of your role: rows you may not see do not exist. Joins, CTEs and window functions work. Look names up with describeTable first; getQueryTemplates has ready reports.",
		Input:       question[executeQueryIn](lowered("maxRows", 1, 100)), Cost: mcp.Cost{APICalls: 1},
	}, func(ctx context.Context, c *mcp.Call, in executeQueryIn) (*executeQueryOut, error) {
		return b.runQuery(ctx, c, backend.Query{SQL: in.SQL, Params: in.Params, RoleID: in.RoleID, MaxRows: in.MaxRows})
	})
}

type planStep struct {
	Depth int    `json:"depth"`
	Step  string `json:"step"`
}

type explainQueryOut struct {
	Steps     []planStep    `json:"steps"`
	Truncated bool          `json:"truncated"`
	Tables    []string      `json:"tables"`
	Columns   []queryColumn `json:"columns"`
}

func (b *Toolbox) explainQuery() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "explainQuery", Title: "Explain a query", Sets: []string{SetQuery}, Hints: readOnly,
		Description: "Checks a SELECT without running it: may your role run it, what columns come back, how would the database go about it.",
		Input:       question[questionIn](), Cost: mcp.Cost{APICalls: 1},
	}, func(ctx context.Context, c *mcp.Call, in questionIn) (*explainQueryOut, error) {
		q := backend.Query{SQL: in.SQL, Params: in.Params, RoleID: in.RoleID}
		e, _, err := backend.Read(ctx, b.pool, "explain SQL", func(ctx context.Context, k backend.Querier) (*api.Explanation, error) {
			return k.Explain(ctx, c.Caller, q)
		})
		if err != nil {
			return nil, meant(err)
		}
		steps := fitting(planSteps(nil, &e.Plan, 0))
		out := &explainQueryOut{Steps: steps, Tables: e.Tables, Columns: queryColumns(e.Columns)}
		out.Truncated = len(steps) < len(planSteps(nil, &e.Plan, 0))
		return out, nil
	})
}

func planSteps(steps []planStep, n *api.PlanNode, depth int) []planStep {
	steps = append(steps, planStep{Depth: depth, Step: n.Node})
	for i := range n.Plans {
		steps = planSteps(steps, &n.Plans[i], depth+1)
	}
	return steps
}

func queryColumns(columns []api.Column) []queryColumn {
	out := make([]queryColumn, len(columns))
	for i, c := range columns {
		out[i] = queryColumn{Name: clip(c.Name, 128), Type: c.Type, Redacted: c.Redacted}
	}
	return out
}
