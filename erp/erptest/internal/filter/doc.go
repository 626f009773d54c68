// Package filter reads the query options of the REST API: $filter, $orderby,
// $select and $expand, each with the peculiarities of the ERP's own parser,
// and translates filters to SQL.
//
// [Translate] turns a filter into a condition for the columns a [Columns]
// knows. What a caller wrote is never part of the SQL: values become arguments, names become the
// dictionary's own spelling, and everything else is refused with an [*Error]
// that carries the status of the ERP's response.
package filter

import "fmt"

// Limits of what is read; more is refused with status 400.
const (
	MaxLength = 32 << 10 // bytes of one option
	MaxTerms  = 400      // comparisons in one filter
	MaxDepth  = 40       // nested parentheses
	MaxNested = 8        // nested expansions
	MaxItems  = 100      // expansions in one list
)

// Error is a refusal as the ERP words it. Title is empty where the ERP writes
// null.
type Error struct {
	Status int
	Title  string
	Detail string
}

func (e *Error) Error() string { return fmt.Sprintf("%d %s: %s", e.Status, e.Title, e.Detail) }

func bad(format string, args ...any) error {
	return &Error{Status: 400, Detail: fmt.Sprintf(format, args...)}
}

// broken is what the ERP's parser stumbles over instead of refusing it.
func broken(format string, args ...any) error {
	return &Error{Status: 500, Title: "GET Error", Detail: fmt.Sprintf(format, args...)}
}
