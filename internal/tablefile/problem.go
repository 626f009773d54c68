package tablefile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/erphub/erphub/internal/text"
)

// Position is a place in a file. Line and Column count from 1; 0 means that the
// file as a whole is meant.
type Position struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// String is "tables/remark.yaml:12:5".
func (p Position) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Problem is one thing that is wrong with a file.
type Problem struct {
	Position Position `json:"position"`
	What     string   `json:"what"`         // what is wrong
	Do       string   `json:"do,omitempty"` // what to do about it; may be empty
}

// String is the problem in one line.
func (p Problem) String() string {
	if p.Do == "" {
		return fmt.Sprintf("%s: %s", p.Position, p.What)
	}
	return fmt.Sprintf("%s: %s; %s", p.Position, p.What, p.Do)
}

// ErrNoTables is in the error of files and directories that hold no definition.
var ErrNoTables = errors.New("no table is defined there")

// Error holds everything that is wrong with the files; there is at least one
// problem.
type Error struct {
	Problems []Problem
	cause    error
}

// maxShownProblems keeps the text of an error readable; the value has them all.
const maxShownProblems = 20

// Error lists the problems, one per line, the first 20 of them.
func (e *Error) Error() string {
	if len(e.Problems) == 1 {
		return e.Problems[0].String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "the definitions cannot be used, %d problems:", len(e.Problems))
	for i, p := range e.Problems {
		if i == maxShownProblems {
			fmt.Fprintf(&b, "\n  and %d more", len(e.Problems)-i)
			break
		}
		b.WriteString("\n  " + p.String())
	}
	return b.String()
}

// Unwrap returns the [*dict.ValidationError] behind problems of the content.
func (e *Error) Unwrap() error { return e.cause }

// quote shows text of a file in a message.
func quote(s string) string { return text.Quote(s) }
