package transfer

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/erphub/erphub/dict/values"
)

// Row is one record of a file.
type Row struct {
	// Line is the line where the row begins in the file, from 1; of a worksheet the number
	// of the row, of a JSON list the line of the object.
	Line int
	// Names are the members of an object, as many as Cells; nil where the header
	// names the columns.
	Names []string
	Cells []values.Cell
	// Err is why the row alone cannot be used. Reading goes on behind it.
	Err error
}

// Reader reads rows. It holds one row at a time.
type Reader interface {
	// Header are the names of the columns; nil when each row names its own.
	Header() ([]string, error)
	// Next is the next row, or io.EOF. Its cells are valid until the next call. Any
	// other error ends the reading: what follows cannot be understood. It is a
	// *FileError where the place is known.
	Next() (Row, error)
	Close() error
}

// Input is a file that can be read several times.
type Input interface {
	// Name is the name in messages.
	Name() string
	Open() (Reader, error)
	// Digest tells the content from any other.
	Digest() (string, error)
}

// ErrFile is in the error of a file that cannot be read as what it is said to be.
var ErrFile = errors.New("the file cannot be imported")

// FileError is a problem with a file, and its place. It matches [ErrFile].
type FileError struct {
	Name    string // of the file; may be empty
	Line    int    // 0: not known
	Column  string // heading; may be empty
	Problem string // with what to do
}

// Error is in the form of compilers: file:line:column: problem.
func (e *FileError) Error() string {
	text := cmp.Or(e.Name, "the file")
	if e.Line > 0 {
		text += fmt.Sprintf(":%d", e.Line)
	}
	if e.Column != "" {
		text += ":" + e.Column
	}
	return text + ": " + e.Problem
}

// Is reports whether target is [ErrFile].
func (e *FileError) Is(target error) bool { return target == ErrFile }

func wrongFile(line int, format string, args ...any) *FileError {
	return &FileError{Line: line, Problem: fmt.Sprintf(format, args...)}
}

// Bounds of what is read of a file.
const (
	maxField   = 16 << 20 // bytes of one value
	maxRow     = 64 << 20 // bytes of one row
	maxColumns = 2_000
)

// named gives an error of a reader the name of its file.
func named(err error, name string) error {
	var wrong *FileError
	if errors.As(err, &wrong) && wrong.Name == "" {
		named := *wrong
		named.Name = name
		return &named
	}
	return err
}
