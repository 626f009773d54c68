package registry

import "context"

// Source reads the rows that a [Cache] is filled with. Packages dbdict and
// restdict have sources. A source knows nothing of the dictionary's meaning: it
// is told tables and columns and hands over what is in them.
type Source interface {
	// Origin names the ERP that is read, so that a snapshot of another one is
	// not taken for it: an address without user, password or token.
	Origin() string
	// Stamps tells the state of each table, in the requested order.
	Stamps(ctx context.Context, tables []SourceTable) ([]Stamp, error)
	// Read hands all rows of the tables to the sink, inactive ones included,
	// and tells the state that the rows belong to.
	Read(ctx context.Context, tables []SourceTable, sink Sink) ([]Stamp, error)
}

// Sink takes rows from a source. It is safe for concurrent use.
type Sink interface {
	// Begin forgets the rows of a table, by its place in the list of tables. It
	// is called before the table's first row, and again when the source has to
	// start over because rows changed while it read them.
	Begin(table int)
	// Row takes a row, with the values in the order of the table's columns. The
	// slice is the source's again afterwards. A source gives up on an error.
	Row(table int, values []SourceValue) error
}

// SourceTable is a table that a source reads.
type SourceTable struct {
	Name string
	// Key is a column that no two rows share, which rows can be ordered by.
	Key string
	// Optional is set for tables that an ERP may not have or may hide from the
	// role; their stamp is then Missing, instead of an error.
	Optional bool
	Columns  []SourceColumn
}

// SourceColumn is a column that a source reads. One that the ERP's release does
// not have is left empty if it is Optional, else it is an error.
type SourceColumn struct {
	Name     string
	Type     SourceType
	Optional bool
}

// SourceType is how a value is handed over.
type SourceType uint8

// The types of values.
const (
	SourceText SourceType = iota // SourceValue.Text; the key of a list or text reference
	SourceInt                    // SourceValue.Int
	SourceFlag                   // SourceValue.Int: 1 for Y, else 0
)

// SourceValue is one value. NULL is the zero value.
type SourceValue struct {
	Text string
	Int  int64
}

// Stamp is the state of a table: as long as it stays the same, so do the rows.
type Stamp struct {
	Rows int    // number of rows
	Mark string // newest change, in words of the source
	// Unsettled is set when the newest change is so recent that another one
	// could hide behind the same mark.
	Unsettled bool
	// Missing is set when the ERP does not have the table, or hides it.
	Missing bool
}

// same reports whether nothing changed since s.
func (s Stamp) same(now Stamp) bool {
	return !s.Unsettled && s.Rows == now.Rows && s.Mark == now.Mark && s.Missing == now.Missing
}
