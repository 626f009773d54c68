package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Sheet is rows of the same columns, with their values by place: for callers that
// go through many rows, each of which would be a [Row] of its own.
type Sheet struct {
	columns []*Column
	place   map[string]int // by the dictionary's name
	rows    [][]any
	own     bool // the list of rows is nobody else's
}

func newSheet(columns []*Column, rows [][]any) *Sheet {
	s := &Sheet{columns: columns, place: make(map[string]int, len(columns)), rows: rows}
	for i, c := range columns {
		s.place[c.Name] = i
	}
	return s
}

// SheetOf is a sheet of rows that were read one by one, with some of their columns.
func SheetOf(columns []*Column, rows []Row) *Sheet {
	values := make([][]any, len(rows))
	for i, row := range rows {
		values[i] = make([]any, len(columns))
		for k, c := range columns {
			values[i][k] = row[c.Name]
		}
	}
	return newSheet(columns, values)
}

// Read reads rows as [Tx.Select] does.
func (tx *Tx) Read(ctx context.Context, t *Table, sel Selection) (*Sheet, error) {
	return tx.read(ctx, t, sel, tx.Values)
}

// read reads rows in one of the ways that statements are run.
func (tx *Tx) read(ctx context.Context, t *Table, sel Selection, run func(context.Context, string, ...any) ([][]any, error)) (*Sheet, error) {
	columns := sel.Columns
	if columns == nil {
		columns = t.Columns
	}
	columns = slices.DeleteFunc(slices.Clone(columns), func(c *Column) bool { return strings.HasPrefix(c.ColumnSQL, "@") })
	rows, err := run(ctx, SelectSQL(t, columns, sel), sel.Args...)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", t.Name, err)
	}
	return newSheet(columns, rows), nil
}

// Len is the number of rows.
func (s *Sheet) Len() int { return len(s.rows) }

// At is the place of a column, -1 when the rows do not have it.
func (s *Sheet) At(column string) int {
	if i, ok := s.place[column]; ok {
		return i
	}
	return -1
}

// Value is a value by the row and the place of its column, nil for NULL and for a
// column the rows do not have.
func (s *Sheet) Value(row, at int) any {
	if at < 0 {
		return nil
	}
	return s.rows[row][at]
}

// Set replaces a value. What was read may be remembered elsewhere and stays.
func (s *Sheet) Set(row, at int, v any) {
	if !s.own {
		s.rows, s.own = slices.Clone(s.rows), true
	}
	s.rows[row] = slices.Clone(s.rows[row])
	s.rows[row][at] = v
}

// Row is a row by its columns' names.
func (s *Sheet) Row(i int) Row {
	row := make(Row, len(s.columns))
	for k, c := range s.columns {
		if v := s.rows[i][k]; v != nil {
			row[c.Name] = v
		}
	}
	return row
}

// Rows are all rows by their columns' names, nil when there are none.
func (s *Sheet) Rows() []Row {
	var out []Row
	for i := range s.rows {
		out = append(out, s.Row(i))
	}
	return out
}
