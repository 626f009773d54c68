package metrics

// Kind says what is wrong with a query.
type Kind string

// The kinds of errors.
const (
	NotFound Kind = "not_found" // a metric, dimension, filter or currency of that name
	Invalid  Kind = "invalid"   // a value that cannot be used
)

// Error is a query that cannot be asked. Errors of the statement itself are those of
// the [Runner].
type Error struct {
	Kind    Kind
	Message string
	Hint    string // what to do
}

// Error is message and hint.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + "; " + e.Hint
}
