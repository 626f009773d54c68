package registry

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/erphub/erphub/internal/text"
)

// Registry is the dictionary as it is in an ERP, for reading. [Cache] and
// [Catalog] are registries; both are safe for concurrent use.
//
// Names are found without regard to case. Where a name is required, the
// record's number ("318") and its UUID will do as well. What is not there is a
// [*NotFoundError]. The values returned belong to the caller.
type Registry interface {
	// Tables lists tables, ordered by name, without their columns.
	Tables(ctx context.Context, q ListQuery) (Listing[Table], error)
	// Table describes a table with its columns and indexes.
	Table(ctx context.Context, name string, with ...Detail) (Table, error)
	// Columns lists the columns of a table in the order they were made, or with
	// an empty name the columns of all tables.
	Columns(ctx context.Context, table string, q ListQuery) (Listing[Column], error)
	// Pointing lists the active columns of all active tables that point to a
	// table, ordered by the number of their table: its own among them, but not the
	// columns that every table has, such as CreatedBy.
	Pointing(ctx context.Context, table string) ([]Pointer, error)
	// Element describes the term that all columns of one name share.
	Element(ctx context.Context, name string) (Element, error)

	// Windows lists windows, ordered by name, without their tabs.
	Windows(ctx context.Context, q ListQuery) (Listing[Window], error)
	// Window describes a window with its tabs and their fields.
	Window(ctx context.Context, name string, with ...Detail) (Window, error)

	// Processes lists processes and reports, ordered by Value, without their
	// parameters. The pattern is held against Value and Name.
	Processes(ctx context.Context, q ListQuery) (Listing[Process], error)
	// Process describes a process with its parameters, found by Value, else by
	// Name.
	Process(ctx context.Context, name string, with ...Detail) (Process, error)

	// References lists references, ordered by name, without values.
	References(ctx context.Context, q ListQuery) (Listing[Reference], error)
	// Reference describes a reference with its values or its lookup.
	Reference(ctx context.Context, name string, with ...Detail) (Reference, error)

	// Search finds tables, columns, windows, processes and references by name,
	// label and description, best first.
	Search(ctx context.Context, q SearchQuery) (SearchResult, error)
	// Statistics counts what is in the dictionary.
	Statistics(ctx context.Context) (Statistics, error)
}

// Detail changes what a description has.
type Detail int

// WithInactive adds columns, tabs, fields, parameters and list values that are
// deactivated, which a description otherwise leaves out.
const WithInactive Detail = 1

// WithoutColumns describes a table without its columns, their number and its
// indexes. A catalog of a [Scope] answers it for every table.
const WithoutColumns Detail = 2

// ListQuery says what to list. The zero value lists everything that is active.
type ListQuery struct {
	// Pattern is a pattern of SQL's LIKE for the name: % stands for any text, _
	// for any one character, and \ takes that meaning away. It is compared
	// without regard to case and, as in SQL, with the whole name. Empty: all.
	Pattern string
	// CustomOnly leaves out what the ERP brought along: of tables and columns
	// those without the prefix [dict.CustomPrefix], of the others those that have
	// neither the prefix nor a number of this installation (1,000,000 and up).
	CustomOnly bool
	// EntityType lists what belongs to that entity type; empty: all.
	EntityType string
	// Inactive lists what is deactivated as well.
	Inactive bool
	// Limit is the number to list, 0 all; Offset is the number to leave out before.
	Limit, Offset int
}

// Listing is one page of a list.
type Listing[T any] struct {
	Items []T
	Total int // how many there are, over all pages
}

// ErrNotFound is in the error of a name that the dictionary does not have.
var ErrNotFound = errors.New("not in the dictionary")

// NotFoundError is a name that the dictionary does not have. It matches
// [ErrNotFound].
type NotFoundError struct {
	Kind        string   // what was looked for: "table", "window", ...
	Name        string   // as it was requested
	Suggestions []string // names that are close, the closest first; may be empty
	// Empty is set when the dictionary has nothing of that kind at all, as
	// after a start without the ERP.
	Empty bool
}

// Error says what is not there, and what may have been meant.
func (e *NotFoundError) Error() string {
	text := fmt.Sprintf("there is no %s %s in the dictionary", e.Kind, text.Quote(e.Name))
	switch {
	case e.Empty:
		return text + fmt.Sprintf("; it holds no %s at all, so it may not be loaded yet", e.Kind)
	case len(e.Suggestions) > 0:
		return text + "; close to it: " + strings.Join(e.Suggestions, ", ")
	}
	return text + "; search for a part of the name or its description"
}

// Is reports whether target is [ErrNotFound].
func (e *NotFoundError) Is(target error) bool { return target == ErrNotFound }
