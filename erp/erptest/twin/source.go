package twin

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Source is an ERP that a twin is made of. [NewREST] and [NewDatabase] make one;
// others may be written. Stamp is called by several goroutines at once, but not while
// another method is, and those by one at a time.
type Source interface {
	// Origin names the ERP without user, password or token.
	Origin() string
	// Kind is "rest", "database" or another word for how the ERP is read.
	Kind() string
	// Rows hands over the rows that a query finds, in its order, with a value per
	// column of the query; see [Column] for their types. The slice is used again
	// for the next row. An error of row ends the reading and is returned as it is.
	// The error matches [ErrNotReadable] when the role or user may not read the
	// table, [ErrNoTable] when it does not exist, and [ErrFatal] when reading on makes
	// no sense; any other is retried from behind the last row on.
	Rows(ctx context.Context, q *Query, row func(values []any) error) error
	// Stamp tells how many rows a table has and when the newest change was made.
	Stamp(ctx context.Context, t *Table) (Stamp, error)
	// Hides says why the values of a column cannot be read, "" when they can.
	Hides(t *Table, c *Column) string
}

// Errors of sources.
var (
	ErrNotReadable = errors.New("not readable with this login")
	ErrNoTable     = errors.New("the ERP has no such table")
	ErrFatal       = errors.New("the ERP cannot be read")
)

// fatal is an error that ends a clone, and none of the ERP's.
type fatal struct{ error }

func (f fatal) Is(target error) bool { return target == ErrFatal }
func (f fatal) Unwrap() error        { return f.error }

func fatalf(format string, args ...any) error { return fatal{fmt.Errorf(format, args...)} }

// Stamp tells one state of a table from another.
type Stamp struct {
	Rows   int64     `json:"rows"`
	Newest time.Time `json:"newest"` // of the column Updated; zero when there is none
}

// Equal reports whether two stamps are of the same state, as far as stamps tell.
func (s Stamp) Equal(o Stamp) bool { return s.Rows == o.Rows && s.Newest.Equal(o.Newest) }

// Table is a table to read.
type Table struct {
	Name string
	// Key is the column whose values, whole numbers, tell rows apart; "" when there
	// is none. Queries are in the order of Key, or of Order.
	Key string
	// Order are the columns that tell rows apart in a table without Key; it may be
	// empty.
	Order []string
	// UUID is the column with the UUID, or "".
	UUID string
	// HasActive and HasUpdated tell whether there are IsActive and Updated.
	HasActive, HasUpdated bool
	// HasTenant reports whether there is AD_Client_ID.
	HasTenant bool
}

// ValueType is what a column holds, and so the Go type of its values. A value of
// nil is NULL in any.
type ValueType int

// The types of values.
const (
	Text     ValueType = iota // string
	Integer                   // int64
	Decimal                   // string, an exact number such as "-12.50"
	Flag                      // bool, or "Y" and "N"
	Date                      // time.Time, whose date counts as it stands
	DateTime                  // time.Time, to the second
	Instant                   // time.Time, to the millisecond
	Clock                     // time.Time, whose time of day counts as it stands
	Binary                    // []byte
	JSON                      // string, or []byte
)

// Column is a column to read.
type Column struct {
	Name    string
	Type    ValueType
	Display int // the display type, AD_Reference_ID
	Length  int
	// Codes are what a column with a list of values may hold.
	Codes []string
}

// Query says which rows to read.
type Query struct {
	Table   *Table
	Columns []Column
	// After has only the rows behind this key read: those above it, or below it with
	// Descending. It counts for tables with a key; nil: all rows.
	After *int64
	// Descending is the order from the largest key on.
	Descending bool
	// Skip leaves out rows at the beginning, in a table without key.
	Skip int
	// Limit bounds the rows; 0 means no bound.
	Limit int
	// Since has only the rows read that were changed then or later; zero: all.
	Since time.Time
	// Tenants has only the rows of these tenants read, in tables with AD_Client_ID;
	// nil: of all.
	Tenants []int64
	// By and Keys have only the rows read whose column By holds one of the keys,
	// int64 or string.
	By   string
	Keys []any
}
