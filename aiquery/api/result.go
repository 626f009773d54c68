package api

import "slices"

// Result is the result of a statement.
type Result struct {
	RequestID string   `json:"requestId"`
	Columns   []Column `json:"columns"` // names may repeat
	// Rows hold nil, bool, [json.Number], string, JSON values, and []any of these
	// for arrays. JSON values are [json.RawMessage] where the statement ran and
	// maps and slices where it was asked. Times are ISO 8601, bytes base64, numbers
	// as exact as the database's.
	Rows      [][]any  `json:"rows"`
	RowCount  int      `json:"rowCount"`
	Truncated bool     `json:"truncated"` // there was more: rows, or bytes
	Tables    []string `json:"tables"`    // dictionary names of what was read, sorted
	// ExecutionTimeMs is rounded to 10 ms.
	ExecutionTimeMs int64    `json:"executionTimeMs"`
	Notes           []string `json:"notes,omitempty"` // what was cut or lowered
}

// Index is the first column of that name, -1 when there is none.
func (r *Result) Index(column string) int {
	return slices.IndexFunc(r.Columns, func(c Column) bool { return c.Name == column })
}

// Column is a column of a result.
type Column struct {
	Name     string `json:"name"`
	Type     string `json:"type"`               // PostgreSQL's name: numeric, varchar, timestamp, int4[]
	Redacted bool   `json:"redacted,omitempty"` // values were replaced, wholly or in part
}

// Explanation is how a statement would be run. It names no table, index,
// condition or number of rows.
type Explanation struct {
	RequestID string   `json:"requestId"`
	Plan      PlanNode `json:"plan"`
	Tables    []string `json:"tables"`
	Columns   []Column `json:"columns"`
}

// PlanNode is one step of the database's plan. Its estimated costs, in the
// database's own unit, follow the size of whole tables, so they are told to roles
// of the System level alone; 0: not told.
type PlanNode struct {
	Node        string     `json:"node"` // "Seq Scan", "Hash Join"
	StartupCost float64    `json:"startupCost,omitempty"`
	TotalCost   float64    `json:"totalCost,omitempty"`
	Plans       []PlanNode `json:"plans,omitempty"`
}
