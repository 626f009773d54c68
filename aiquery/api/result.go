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

// Explanation holds the facts about a statement that are known before it runs. Nothing in it
// depends on rows, so that it tells nothing of those the role may not see: it has
// no plan of the database.
type Explanation struct {
	RequestID string   `json:"requestId"`
	Reads     []Read   `json:"reads"`
	Tables    []string `json:"tables"` // dictionary names of what would be read, sorted
	Columns   []Column `json:"columns"`
	// Failing names what may fail for some row, "ln(…)".
	Failing []string `json:"failing,omitempty"`
}

// Read is a table or view that a statement names, with the columns its conditions
// are about.
type Read struct {
	Table string `json:"table"`
	// Compared columns are compared with values or columns as they are, which can
	// use an index.
	Compared []string `json:"compared,omitempty"`
	// Computed columns are in conditions that are computed for each row.
	Computed []string `json:"computed,omitempty"`
}
