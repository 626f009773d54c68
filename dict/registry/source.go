package registry

import (
	"context"
	"slices"
	"strings"
)

// Source reads the rows that a [Catalog] is made of. Packages dbdict and
// restdict have sources. A source knows nothing of the dictionary's meaning: it
// gets tables and columns and hands over what is in them.
type Source interface {
	// Origin names the ERP that is read, so that a snapshot of another one is
	// not taken for it: an address without user, password or token.
	Origin() string
	// Stamps tells the state of each table, in the requested order. It is about
	// whole tables and is not called for tables with a condition.
	Stamps(ctx context.Context, tables []SourceTable) ([]Stamp, error)
	// Read hands all rows of the tables to the sink, inactive ones included,
	// and tells the state that the rows belong to. Of a table with a condition
	// it hands over the rows that meet it, each once, and no others; of its stamp
	// only Rows (those handed over) and Missing mean something. Of a table with
	// Since it may hand over a part of the rows and set Partial in the stamp, which
	// is about the whole table all the same.
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
	// Where narrows the table to rows that meet at least one of the conditions;
	// empty: all rows.
	Where []SourceCondition
	// Since is the newest time of the rows that the caller has, as a value of the
	// column of type SourceTime; 0: none. The source may leave out rows with an
	// older time than that, less the time by which changes of this source come
	// late. It has to hand over all others. A table has either Since or Where.
	Since int64
	// Settled is set when the caller's rows are from a state that was not Unsettled.
	// No change came late then: rows of the time Since, too, may be left out, and all
	// that are older.
	Settled bool
}

// SourceCondition is met by rows that have one of the values in a column. It has
// values of one kind, at least one.
type SourceCondition struct {
	Column string // one of the table's columns that is not optional
	Ints   []int  // for columns of type SourceInt
	// Texts, for columns of type SourceText, are compared without regard to case.
	Texts []string
}

// Meets reports whether a row, with the values in the order of the table's
// columns, meets the table's conditions. It is for sources that cannot leave a
// condition to the ERP.
func (t *SourceTable) Meets(values []SourceValue) bool {
	for _, w := range t.Where {
		at := slices.IndexFunc(t.Columns, func(c SourceColumn) bool { return c.Name == w.Column })
		if at < 0 {
			continue
		}
		if t.Columns[at].Type == SourceInt && slices.Contains(w.Ints, int(values[at].Int)) {
			return true
		}
		if t.Columns[at].Type == SourceText && slices.ContainsFunc(w.Texts, func(s string) bool { return strings.EqualFold(s, values[at].Text) }) {
			return true
		}
	}
	return len(t.Where) == 0
}

// SourceColumn is a column that a source reads. One that the ERP's release does
// not have is left empty if it is Optional, else it is an error.
type SourceColumn struct {
	Name     string
	Type     SourceType
	Optional bool
}

// SourceType is the form in which a value is handed over.
type SourceType uint8

// The types of values.
const (
	SourceText SourceType = iota // SourceValue.Text; the key of a list or text reference
	SourceInt                    // SourceValue.Int
	SourceFlag                   // SourceValue.Int: 1 for Y, else 0
	// SourceTime is SourceValue.Int in milliseconds since 1970, of a time without
	// zone as if it were UTC. A table has at most one such column, the last one:
	// when the row was changed.
	SourceTime
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
	// Sum is the sum of the column of type SourceTime over all rows; 0 when the
	// source cannot tell. It shows changes that carry an older time.
	Sum int64
	// Newest is the newest value of that column; 0 when the source cannot tell.
	Newest int64
	// Partial is set by Read for a table with Since of which it left out rows.
	Partial bool
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
