package values

import "encoding/json"

// Kind is the kind of a cell's content.
type Kind int

// The kinds of cells.
const (
	Text   Kind = iota // text as it stands in the file; empty text is not a value
	Number             // a number in JSON notation
	Bool               // true or false
	Null               // no value
	JSON               // an object or a list in JSON
	Date               // 2026-03-09, or 2026-03-09T14:05:06 in no zone
	Fault              // what a spreadsheet could not compute, such as #REF!
)

// Cell is one value of a row.
type Cell struct {
	Kind Kind
	Text string
}

// Empty reports whether the cell has no value.
func (c Cell) Empty() bool { return c.Kind == Null || c.Kind == Text && c.Text == "" }

// CellOf is a value in JSON as a cell. Nothing at all is null.
func CellOf(value json.RawMessage) Cell {
	if len(value) == 0 {
		return Cell{Kind: Null}
	}
	switch value[0] {
	case '"':
		var s string
		if json.Unmarshal(value, &s) == nil {
			return Cell{Text, s}
		}
	case 'n':
		return Cell{Kind: Null}
	case 't', 'f':
		return Cell{Bool, string(value)}
	case '{', '[':
		return Cell{JSON, string(value)}
	}
	return Cell{Number, string(value)}
}
