package run

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/guard"
	"github.com/erphub/erphub/dict"
)

// Runner is what an engine needs of a database. It is safe for concurrent use.
type Runner interface {
	// Schema is the schema of the ERP's tables.
	Schema() string
	// Catalog reads what tables and views there are.
	Catalog(ctx context.Context) (*Catalog, error)
	// Snapshot runs do with a reader that sees one state of the database.
	Snapshot(ctx context.Context, do func(Reader) error) error
	// Run runs a secured statement. The error is ErrPermissionsChanged when its permissions
	// are no longer so.
	Run(ctx context.Context, s *Statement) (*Output, error)
	// Describe checks a secured statement without running it, and returns its
	// columns. The error is as that of Run.
	Describe(ctx context.Context, s *Statement) ([]api.Column, error)
	// Check looks at the connection: what is wrong with it, what could be better,
	// and what bounds a statement.
	Check(ctx context.Context) (Checked, error)

	// AuditReady tells why records with these columns cannot be written, nil when
	// they can.
	AuditReady(ctx context.Context, columns []string) error
	// AuditInsert writes a record that is not finished; writing it once more
	// changes nothing.
	AuditInsert(ctx context.Context, r *Record) error
	// AuditComplete brings a finished record into its final state, whether or not
	// it was written before.
	AuditComplete(ctx context.Context, r *Record) error
	// AuditPatience is the time that writing a record may take.
	AuditPatience() time.Duration
	// AuditInstall makes the audit's table, which the plan describes.
	AuditInstall(ctx context.Context, plan *dict.Plan) error

	// Failure returns what a caller may read of an error of Run or Describe.
	Failure(err error) *Failure
	// LogText is an error as the service's log may have it: without the server's
	// words about values, whoever they belong to. It is "" for nil.
	LogText(err error) string
}

// Statement is a secured statement with all that bounds it.
type Statement struct {
	Plan        *guard.Plan // shared between callers
	Params      []json.RawMessage
	Rows        int // most rows that are returned; the plan's text fetches one more
	Bytes       int
	CellBytes   int
	Timeout     time.Duration
	Permissions []*Fingerprint // compared in the statement's own transaction
}

// ErrPermissionsChanged is a statement that was not run because what its policy was
// made of is no longer so.
var ErrPermissionsChanged = errors.New("the permissions have changed")

// Checked is the result of a check of a connection.
type Checked struct {
	Warnings []string
	Limits   map[string]string // settings of the database by name
}
