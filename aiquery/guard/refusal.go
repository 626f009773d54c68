package guard

import (
	"fmt"

	api "github.com/erphub/erphub/aiquery/api"
)

// Kind says why a statement was refused.
type Kind int

// The kinds of refusals.
const (
	Syntax      Kind = iota + 1 // the text is no SQL, or names something that is not there
	NotSelect                   // a statement other than one SELECT
	Unsupported                 // valid SQL that is not allowed here
	Denied                      // a table, column or function the role may not use, or that does not exist
	TooLarge                    // too long, too deeply nested, or too many tables
	Insecure                    // the statement or the policy could not be secured
	OpenOrder                   // the result would depend on the order of rows, which the statement leaves open
)

// String returns the kind in words.
func (k Kind) String() string {
	switch k {
	case Syntax:
		return "syntax error"
	case NotSelect:
		return "not a select"
	case Unsupported:
		return "not supported"
	case Denied:
		return "permission denied"
	case TooLarge:
		return "too large"
	case Insecure:
		return "could not be secured"
	case OpenOrder:
		return "the order is open"
	default:
		return fmt.Sprintf("Kind(%d)", int(k))
	}
}

// Refusal is the error for a statement that will not run. Kind, Reason, Hint,
// Object and Position depend only on the statement and on what the policy permits,
// so they may be shown to the caller. Tables is for the audit, Cause for the log.
type Refusal struct {
	Kind     Kind
	Reason   string     // what is wrong, without a full stop
	Hint     string     // what to do instead, or ""
	Object   api.Object // the table, column or function that is not available
	Position int        // of the offending character in the statement, from 1; 0 when there is none
	Tables   []string   // dictionary names of the tables found so far, also forbidden ones, sorted

	// Cause says more than the caller may know, for example why a view could
	// not be secured: for the log of the service. It is often "".
	Cause string
}

// Error returns the reason, with the position if there is one.
func (r *Refusal) Error() string {
	if r.Position > 0 {
		return fmt.Sprintf("%s (at character %d)", r.Reason, r.Position)
	}
	return r.Reason
}
