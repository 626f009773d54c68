package run

import (
	"bytes"

	"github.com/erphub/erphub/aiquery/api"
)

// Output is the result of a statement.
type Output struct {
	Columns   []api.Column
	Rows      [][]any
	Truncated bool
	Notes     []string
}

// Collector makes the output of a statement, within its bounds.
type Collector struct {
	s      *Statement
	out    *Output
	budget budget
}

// Collect begins the output of a statement.
func (s *Statement) Collect(columns []api.Column) *Collector {
	return &Collector{s: s, out: &Output{Columns: columns, Rows: [][]any{}}, budget: budget{cell: s.CellBytes, left: s.Bytes}}
}

// Add takes a row, whose cells are in PostgreSQL's text format, nil for NULL. It
// reports false when the row is one too many; no other is to follow then.
func (c *Collector) Add(cells [][]byte) bool {
	if c.Full() {
		c.out.Truncated = true
		return false
	}
	row := make([]any, len(cells))
	for i, cell := range cells {
		kind := c.out.Columns[i].Type
		row[i] = c.budget.value(c.unscaled(i, cell, kind), kind)
	}
	if c.budget.over {
		c.out.Truncated = true
		return false
	}
	c.out.Rows = append(c.out.Rows, row)
	return true
}

// Full reports whether there are as many rows as may be returned.
func (c *Collector) Full() bool { return len(c.out.Rows) == c.s.Rows }

// Output returns the collected output.
func (c *Collector) Output() *Output {
	c.out.Notes = c.budget.notes()
	return c.out
}

// unscaled writes a number that may stand for equal ones without the zeros that
// tell them apart.
func (c *Collector) unscaled(column int, cell []byte, kind string) []byte {
	columns := c.s.Plan.Columns
	if kind != "numeric" || column >= len(columns) || !columns[column].AnyOf || !bytes.ContainsRune(cell, '.') {
		return cell
	}
	return bytes.TrimSuffix(bytes.TrimRight(cell, "0"), []byte("."))
}
