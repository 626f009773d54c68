package aiquery

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/erphub/erphub/aiquery/guard"
)

// Database is where statements run and where the rights are read:
// [OpenPostgres] and [NewEmbedded] make one. It is safe for concurrent use.
type Database interface {
	// String names the database without user and password.
	fmt.Stringer
	// Close closes what was opened for it.
	Close() error

	database
}

// database is what an engine needs of one.
type database interface {
	schema() string
	// catalog reads what tables and views there are.
	catalog(ctx context.Context) (*catalog, error)
	// snapshot runs do with a reader that sees one state of the database.
	snapshot(ctx context.Context, do func(reader) error) error
	// run runs a secured statement.
	run(ctx context.Context, s *statement) (*output, error)
	// explain plans a secured statement.
	explain(ctx context.Context, s *statement) (*PlanNode, error)
	// auditReady tells why records cannot be written, nil when they can.
	auditReady(ctx context.Context) error
	// auditInsert writes a record that is not finished; writing it once more
	// changes nothing.
	auditInsert(ctx context.Context, r *record) error
	// auditComplete brings a finished record into its final state, whether or
	// not it was written before.
	auditComplete(ctx context.Context, r *record) error
	// auditPatience is how long writing a record may take.
	auditPatience() time.Duration
	auditInstall(ctx context.Context) error
	// check looks at the connection: what is wrong with it, and what could be better.
	check(ctx context.Context) (warnings []string, err error)
	// failure is what a caller hears of an error of run or explain.
	failure(err error) *Error
}

// reader runs a statement of our own and returns its cells as text.
type reader func(ctx context.Context, query string) ([]cells, error)

type cells []sql.NullString

// statement is a secured statement with all that bounds it.
type statement struct {
	sql       string
	plan      *guard.Plan
	params    []json.RawMessage
	rows      int // most rows that are answered; the statement itself asks for one more
	bytes     int
	cellBytes int
	timeout   time.Duration
	rights    *fingerprint // compared in the statement's own transaction
}

// output is what came of a statement.
type output struct {
	columns   []Column
	rows      [][]any
	truncated bool
	notes     []string
}

// errRightsChanged is a statement that was not run because what its policy was
// made of is no longer so.
var errRightsChanged = errors.New("the rights have changed")

// fingerprint is what a policy was made of: statements, and a digest of what
// they answered.
type fingerprint struct {
	queries []string
	sums    [][sha256.Size]byte
}

// add notes a statement with its answer.
func (f *fingerprint) add(query string, rows []cells) {
	f.queries = append(f.queries, query)
	f.sums = append(f.sums, digest(rows))
}

// same compares the answer of the i-th statement.
func (f *fingerprint) same(i int, rows []cells) bool { return digest(rows) == f.sums[i] }

// check runs the statements again.
func (f *fingerprint) check(ctx context.Context, read reader) error {
	if f == nil {
		return nil
	}
	for i, q := range f.queries {
		rows, err := read(ctx, q)
		if err != nil {
			return err
		}
		if !f.same(i, rows) {
			return errRightsChanged
		}
	}
	return nil
}

// digest does not depend on the order of the rows.
func digest(rows []cells) [sha256.Size]byte {
	each := make([]string, 0, len(rows))
	var buf []byte
	for _, row := range rows {
		buf = buf[:0]
		for _, c := range row {
			if !c.Valid {
				buf = append(buf, 0)
				continue
			}
			buf = append(buf, 1)
			buf = binary.AppendUvarint(buf, uint64(len(c.String)))
			buf = append(buf, c.String...)
		}
		each = append(each, string(buf))
	}
	slices.Sort(each)
	h := sha256.New()
	for _, e := range each {
		h.Write(binary.AppendUvarint(nil, uint64(len(e))))
		h.Write([]byte(e))
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// catalog is what the database has.
type catalog struct {
	relations map[string]*relation // by physical name
	functions map[string]bool      // of the ERP's schema that are known to be harmless
}

// relation is a table or view.
type relation struct {
	name       string
	kind       relationKind
	columns    []physicalColumn
	key        []string // columns that have a value in every row and together another in each
	definition string   // of a view
}

type relationKind byte

const (
	baseTable relationKind = iota + 1
	plainView
	opaqueView // materialized, or a foreign table: it cannot be inlined
)

type physicalColumn struct {
	name, kind string
}

func (r *relation) has(column string) bool {
	return slices.ContainsFunc(r.columns, func(c physicalColumn) bool { return c.name == column })
}

// harmlessFunctions are scalar functions of the ERP that read no tables.
var harmlessFunctions = []string{"nvl", "charat", "adddays", "daysbetween", "firstof", "getdate", "isintersectcsv"}
