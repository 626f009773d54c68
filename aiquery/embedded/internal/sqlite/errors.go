package sqlite

import "github.com/erphub/erphub/internal/lazyregexp"

// runError is an error of a running statement. Its text holds no value of the
// data.
type runError struct{ code, text string }

func (e *runError) Error() string { return "[SQLSTATE " + e.code + "] " + e.text }

// The errors functions raise, with PostgreSQL's codes.
var (
	errDivision    = &runError{"22012", "division by zero"}
	errNumberRange = &runError{"22003", "number out of range"}
	errNumber      = &runError{"22P02", "invalid input syntax for a number"}
	errText        = &runError{"22P02", "invalid input syntax"}
	errDate        = &runError{"22007", "invalid input syntax for a date or time"}
	errDateRange   = &runError{"22008", "date or time out of range"}
	errSeveralRows = &runError{"21000", "more than one row returned by a subquery used as an expression"}
	errLimit       = &runError{"2201W", "LIMIT must not be negative"}
	errOffset      = &runError{"2201X", "OFFSET must not be negative"}
	errNegative    = &runError{"22011", "negative substring length not allowed"}
	errMemory      = &runError{"54000", "the value needs too much memory"}
	errEscape      = &runError{"22025", "invalid escape in a LIKE pattern"}
	errFormat      = &runError{"0A000", "this format is not translated for the embedded database; start the sandbox with --postgres auto"}
	errInterval    = &runError{"0A000", "this interval is not translated for the embedded database; start the sandbox with --postgres auto"}
	errField       = &runError{"0A000", "this field of a time is not translated for the embedded database; start the sandbox with --postgres auto"}
	errRoot        = &runError{"2201F", "cannot take the square root of a negative number"}
	errPower       = &runError{"2201F", "this power is not a real number"}
	errLogarithm   = &runError{"2201E", "cannot take the logarithm of zero or a negative number"}
	errInternal    = &runError{"XX000", "a value has another form than its type says"}
)

var codePattern = lazyregexp.New(`\[SQLSTATE ([0-9A-Z]{5})\]`)

// ErrorCode is the SQLSTATE of an error that a rendered statement raised while
// running, as PostgreSQL would have raised it: 22012 for a division by zero.
// It is "" for other errors.
func ErrorCode(err error) string {
	if err == nil {
		return ""
	}
	m := codePattern().FindStringSubmatch(err.Error())
	if m == nil {
		return ""
	}
	return m[1]
}
