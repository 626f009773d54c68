package tools

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/metrics"
	"github.com/erphub/erphub/internal/text"
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
	RoleID *int              `json:"roleId,omitempty" jsonschema:"one of your roles; usually left out"`
}

type executeQueryIn struct {
	questionIn
	MaxRows int  `json:"maxRows,omitempty" jsonschema:"most rows, at most 1000"`
	CSV     bool `json:"csv,omitempty" jsonschema:"also as a file"`
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
	// Counted is nil where nothing is aggregated.
	Counted *metrics.Counted `json:"counted,omitempty" jsonschema:"what an aggregate counts, as far as it is known"`
	Notes   []string         `json:"notes,omitempty"`
	withFile
}

func (b *Toolbox) executeQuery() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "executeQuery", Title: "Run a query", Sets: []string{SetQuery, SetChat}, Hints: readOnly,
		Description: "Runs one SELECT with the permissions of your role: rows you may not see do not exist. Look names up with describeTable first; getQueryTemplates has ready reports. " +
			"Amounts are in the document's c_currency_id, grandtotal with tax; docstatus CO and CL count; issotrx 'Y' is sales. " +
			"invoiceOpen(c_invoice_id, 0), currencyConvert(amount, from, to, date, type, client, org), currencyRate and paymentTermDueDate work.",
		Input:  question[executeQueryIn](lowered("maxRows", 1, 100)),
		Output: objects[executeQueryOut]("counted", true), Cost: mcp.Cost{APICalls: 2},
	}, func(ctx context.Context, c *mcp.Call, in executeQueryIn) (*executeQueryOut, error) {
		q := backend.Query{SQL: in.SQL, Params: in.Params, RoleID: in.RoleID, MaxRows: in.MaxRows}
		r, out, err := b.runQuery(ctx, c, q)
		if err != nil {
			return nil, err
		}
		b.explained(ctx, c, q, out)
		if in.CSV {
			data, err := csvOf(r)
			if err != nil {
				return nil, err
			}
			out.File = b.keepFile(ctx, c, "query.csv", data)
			out.Notes = append(slices.Clone(out.Notes), fmt.Sprintf("the file has %d rows", len(r.Rows)))
		}
		return out, nil
	})
}

// csvOf is all rows of a result as CSV, in which a spreadsheet computes nothing.
func csvOf(r *api.Result) ([]byte, error) {
	var data bytes.Buffer
	w := csv.NewWriter(&data)
	line := make([]string, len(r.Columns))
	for i, col := range r.Columns {
		line[i] = text.NoFormula(col.Name)
	}
	if err := w.Write(line); err != nil {
		return nil, err
	}
	for _, row := range r.Rows {
		for i, value := range row {
			line[i] = ""
			switch v := value.(type) {
			case nil:
			case string, bool, json.Number:
				line[i] = text.NoFormula(fmt.Sprint(v))
			default:
				raw, err := json.Marshal(v)
				if err != nil {
					return nil, err
				}
				line[i] = text.NoFormula(string(raw))
			}
		}
		if err := w.Write(line); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return data.Bytes(), w.Error()
}

type explainQueryOut struct {
	Reads   []api.Read    `json:"reads"`
	Columns []queryColumn `json:"columns"`
	Failing []string      `json:"failing,omitempty"`
}

func (b *Toolbox) explainQuery() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "explainQuery", Title: "Explain a query", Sets: []string{SetQuery}, Hints: readOnly,
		Description: "Checks a SELECT without running it: may your role run it, what columns come back, which conditions can use an index (compared) or are computed for each row, and what may fail.",
		Input:       question[questionIn](), Cost: mcp.Cost{APICalls: 1},
	}, func(ctx context.Context, c *mcp.Call, in questionIn) (*explainQueryOut, error) {
		q := backend.Query{SQL: in.SQL, Params: in.Params, RoleID: in.RoleID}
		e, _, err := backend.Read(ctx, b.pool, "explain SQL", func(ctx context.Context, k backend.Querier) (*api.Explanation, error) {
			return k.Explain(ctx, c.Caller, q)
		})
		if err != nil {
			return nil, meant(err)
		}
		return &explainQueryOut{Reads: e.Reads, Columns: queryColumns(e.Columns), Failing: e.Failing}, nil
	})
}

func queryColumns(columns []api.Column) []queryColumn {
	return mapped(columns, func(c *api.Column) queryColumn {
		return queryColumn{Name: clip(c.Name, 128), Type: c.Type, Redacted: c.Redacted}
	})
}
