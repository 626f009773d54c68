package output

import (
	"fmt"
	"strings"

	"github.com/erphub/erphub/internal/nearest"
)

// Column is one of a [Table].
type Column struct {
	// Name is the heading.
	Name string
	// Key is the member of the JSON value that the column shows; empty is Name.
	Key string
	// Right is set for numbers.
	Right bool
	// Wide columns are left out of [FormatTable], unless they are named.
	Wide bool
	// Spare columns are in a [FormatTable] whose screen has room for them when nothing
	// is shortened.
	Spare bool
	// ID is set for what other commands take as an argument, which [FormatName]
	// prints; no column: the first.
	ID bool
	// Max is how many characters a cell has at most in [FormatTable]; 0 means no limit
	// beside the terminal's.
	Max int
	// Wrap breaks a text that does not fit into lines instead of shortening it.
	Wrap bool
	// Style says what a cell means; nil is nothing.
	Style func(cell string) Style
}

// Columns are columns with these names, written as in ">rows=rowCount": > in front
// of those with numbers, and the key behind =.
func Columns(names ...string) []Column {
	columns := make([]Column, len(names))
	for i, name := range names {
		c := &columns[i]
		c.Name, c.Right = strings.CutPrefix(name, ">")
		c.Name, c.Key, _ = strings.Cut(c.Name, "=")
	}
	return columns
}

// Table is a result in rows and columns.
type Table struct {
	Columns []Column
	// Rows have a cell per column, whole and as it is: what a terminal would obey is
	// replaced when it is written.
	Rows [][]string
	// Single is a result that is one thing, not a list of them: a table shows its
	// only row as lines of name and value, under these two headings.
	Single *[2]string
	// List is the member of the value that holds what the rows are about; empty is
	// the value itself.
	List string
	// More is how many columns there are besides, which nobody asked for: a table on a
	// screen counts them as hidden.
	More int
	// Empty is the remark in place of a table without rows; without it the headings
	// are written.
	Empty string
	// Secret is set when the value holds a secret: a file of it is for its owner alone.
	Secret bool
	// Above is text over a table, as Below is under it.
	Above string
	// Below is text under a table, or instead of one without columns, which other
	// formats do not have. It is written as it is: what came from elsewhere in it must
	// be clean.
	Below string
	// Then is a further table under this one, for people alone.
	Then *Table
	// Null tells cells without a value from empty texts; nil: no cell has an empty
	// text.
	Null func(row, column int) bool
}

// choose returns the table with the columns that were named, in that order.
func (t Table) choose(named []string) (Table, error) {
	if len(named) == 0 {
		return t, nil
	}
	at, err := t.Indexes(named)
	if err != nil {
		return t, err
	}
	out := t
	out.Columns, out.Rows = make([]Column, len(at)), make([][]string, len(t.Rows))
	for i, from := range at {
		out.Columns[i] = t.Columns[from]
		out.Columns[i].Wide, out.Columns[i].ID = false, false
	}
	for r, row := range t.Rows {
		out.Rows[r] = make([]string, len(at))
		for i, from := range at {
			out.Rows[r][i] = cell(row, from)
		}
	}
	if t.Null != nil {
		out.Null = func(row, column int) bool { return t.Null(row, at[column]) }
	}
	return out, nil
}

// Indexes are the columns that were named, by heading or key, in any case.
func (t Table) Indexes(named []string) ([]int, error) {
	at := make([]int, len(named))
	for i, name := range named {
		if at[i] = t.find(name); at[i] < 0 {
			return nil, t.unknown(name, nil)
		}
	}
	return at, nil
}

// cell is one of a row; a row that is too short has empty ones.
func cell(row []string, i int) string {
	if i < len(row) {
		return row[i]
	}
	return ""
}

// find is the number of the column with the name, -1 when there is none.
func (t Table) find(name string) int {
	for i, c := range t.Columns {
		if strings.EqualFold(c.Name, name) || c.Key != "" && strings.EqualFold(c.Key, name) {
			return i
		}
	}
	return -1
}

// ColumnError is a column that was named and is not there.
type ColumnError struct{ Message string }

func (e *ColumnError) Error() string { return e.Message }

// unknown is the error for a column that is not there; more are names beside those
// of the table.
func (t Table) unknown(name string, more []string) error {
	var known []string
	for _, c := range t.Columns {
		known = append(known, c.Name)
	}
	for _, m := range more {
		if t.find(m) < 0 {
			known = append(known, m)
		}
	}
	hint := ""
	if near := nearest.Name(name, known); near != "" {
		hint = fmt.Sprintf("did you mean %q? ", near)
	}
	return &ColumnError{fmt.Sprintf("there is no column %q; %sthe columns are %s", name, hint, strings.Join(known, ", "))}
}
