package transfer

import (
	"time"

	"github.com/erphub/erphub/dict/values"
)

// ImportOptions configure [Import]. Only Table is needed.
type ImportOptions struct {
	// Table is written to. Names are found in any case.
	Table string
	// Key are the columns by which the record of a row is found: columns of the
	// table, or "id", or "uid". None: each row is a new record.
	Key []string
	// Map gives headings the column that they mean, "" for none.
	Map map[string]string
	// SkipEmpty leaves cells without a value out.
	SkipEmpty bool
	// Values says how dates and numbers are written.
	Values values.Options
	// DryRun checks everything that can be checked without writing.
	DryRun bool
	// AllOrNothing checks all rows and writes them in one transaction, at most
	// [erp.MaxTransaction], or none of them.
	AllOrNothing bool
	// MaxErrors ends the run when so many rows were refused; 0: never.
	MaxErrors int
	// BatchSize is the number of records in one request; 0: 100.
	BatchSize int
	// RoleID is the role of the login, whose permission to write the table is
	// checked before; 0: it is not.
	RoleID int
	// Errors is the file that gets the rows that were refused, with the reason in
	// the first column: CSV for CSV and worksheets, else NDJSON. Fix the rows and
	// import the file. It is made at the start, and removed at the end if no row was
	// refused. If it exists, a number goes before its extension: [Result.Errors] is the
	// name. Empty: none.
	Errors string
	// Journal is the file that remembers what is done while the run lasts; it is
	// removed when all rows are through. Empty: none, and a run that is cut off
	// cannot be resumed.
	Journal string
	// Undo is the file that gets what [Undo] needs to take the run back: the UUIDs of new
	// records, and the former values of the others. Runs are appended. Empty: none.
	Undo string
	// Resume goes on with the run of the journal.
	Resume bool
	// Progress is called after each request, in the goroutine of Import; nil: no
	// calls.
	Progress func(Progress)
	// Problem is called for each row that is refused, in the order of the file;
	// nil: no calls.
	Problem func(*FileError)
}

// advice is what errors tell whoever calls [Import].
var advice = values.Advice{
	DecimalComma: "set the decimal separator to a comma",
	DateFormat:   "set a date format such as DD.MM.YYYY",
	Zone:         "set the time zone of such times",
	Ignore:       "map the heading to nothing to ignore it",
}

// Counts are the numbers of rows by their outcome.
type Counts struct {
	Created   int `json:"created"`
	Updated   int `json:"updated"`
	Unchanged int `json:"unchanged"`
	Failed    int `json:"failed"`
}

// Rows is the number of rows that are through.
func (c Counts) Rows() int { return c.Created + c.Updated + c.Unchanged + c.Failed }

// Progress is the progress of a run.
type Progress struct {
	Counts
	// Total is the number of rows of the file.
	Total int
}

// Result is what a run did, or, of a dry run, would do.
type Result struct {
	Counts
	// Resumed is the number of the rows that an earlier run had settled.
	Resumed int `json:"resumed,omitempty"`
	// Problems are the first rows that were refused, 20 at most.
	Problems []*FileError `json:"problems,omitempty"`
	// Errors is the file with all of them; empty: it was not made.
	Errors string `json:"errors,omitempty"`
	// Took is the duration of the run.
	Took time.Duration `json:"-"`
}

// mostProblems are in a Result.
const mostProblems = 20
