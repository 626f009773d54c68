package migration

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/internal/lazyregexp"
)

// DefaultSchema is the schema that the ERP keeps its tables in.
const DefaultSchema = "adempiere"

// defaultProject is what ProjectName of a tracking row says.
const defaultProject = "erphub"

// afterwards bounds what is written about a run that ended badly.
const afterwards = 15 * time.Second

// ApplyOptions change how a script is applied. Nil and the zero value are the
// defaults.
type ApplyOptions struct {
	// Schema is the schema of the ERP's tables; empty: [DefaultSchema].
	Schema string
	// Project is kept as ProjectName; empty: erphub.
	Project string
	// Release is kept as ReleaseNo, at most ten characters; empty: what
	// AD_System says.
	Release string
	// User is the AD_User_ID that the tracking row carries; 0: 100, SuperUser.
	User int
	// Observe is called before each statement, by the goroutine that called
	// Apply. It should return quickly.
	Observe func(number, total int, statement string)
}

// Source is a script to be applied: one that was built, or one from a file.
type Source struct {
	Name    string // file name without folder
	Dialect dict.Dialect
	Text    string
}

// Source is the script as [ApplySource] takes it.
func (s *Script) Source() Source { return Source{Name: s.Name, Dialect: s.Dialect, Text: s.Text()} }

// Result is the outcome of a script.
type Result struct {
	Name       string
	ID         int64 // AD_MigrationScript_ID
	Statements int   // that were run
	Retried    bool  // an earlier run had begun it
	Took       time.Duration
}

// Apply runs a script on the ERP's database and keeps account of it in
// AD_MigrationScript: a row with Status IP before, CO afterwards, or ER with what
// went wrong in Description.
//
// It refuses a script that is there as completed ([*AppliedError]), also when
// the ERP's own tools applied it, and one that another process is applying
// ([ErrRunning]). A script that failed, or whose process died, may be applied
// again. What the database refuses is a [*StatementError].
func Apply(ctx context.Context, db *sql.DB, script *Script, opts *ApplyOptions) (*Result, error) {
	return ApplySource(ctx, db, script.Source(), opts)
}

// ApplySource is [Apply] for the text of a script.
func ApplySource(ctx context.Context, db *sql.DB, source Source, opts *ApplyOptions) (*Result, error) {
	started := time.Now()
	a, err := newApplication(source, opts)
	if err != nil {
		return nil, err
	}
	tracked, err := a.begin(ctx, db)
	if err != nil {
		return nil, err
	}
	result := &Result{Name: source.Name, ID: tracked.id, Retried: tracked.retried}
	if a.transactional() {
		result.Statements, err = a.runAtOnce(ctx, db, tracked)
	} else {
		result.Statements, err = a.runSingly(ctx, db, tracked)
	}
	result.Took = time.Since(started)
	if err == nil || errors.Is(err, ErrApplied) || errors.Is(err, ErrRunning) {
		return result, err
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), afterwards)
	defer cancel()
	return result, a.settle(late, db, tracked, err)
}

// application is a script on its way into a database.
type application struct {
	source  Source
	opts    ApplyOptions
	parts   []Part
	dialect dict.Dialect
}

func newApplication(source Source, opts *ApplyOptions) (*application, error) {
	a := &application{source: source, dialect: source.Dialect}
	if opts != nil {
		a.opts = *opts
	}
	if a.dialect != dict.PostgreSQL && a.dialect != dict.Oracle {
		return nil, fmt.Errorf("there is no database dialect %q; use postgresql or oracle", source.Dialect)
	}
	if source.Name == "" || utf8.RuneCountInString(source.Name) > maxName || strings.ContainsAny(source.Name, "/\\\x00\n\r") {
		return nil, fmt.Errorf("%q is not a name for a migration script: it is a file name of at most %d characters, without folder", source.Name, maxName)
	}
	a.opts.Schema = cmp.Or(a.opts.Schema, DefaultSchema)
	a.opts.Project = cmp.Or(a.opts.Project, defaultProject)
	if utf8.RuneCountInString(a.opts.Project) > maxProject || utf8.RuneCountInString(a.opts.Release) > maxRelease {
		return nil, fmt.Errorf("the project of a migration script is at most %d characters long and its release at most %d", maxProject, maxRelease)
	}
	a.opts.User = cmp.Or(a.opts.User, defaultUser)
	parts, err := Split(source.Text, a.dialect)
	if err != nil {
		return nil, fmt.Errorf("migration script %s: %w", source.Name, err)
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("migration script %s has no statement", source.Name)
	}
	if a.transactional() {
		for i, p := range parts {
			if word := transactionEnd().FindString(p.Text); word != "" {
				return nil, fmt.Errorf("migration script %s, statement %d in line %d is %s, but a script is applied as one transaction; take it out",
					source.Name, i+1, p.Line, strings.ToUpper(strings.TrimSpace(word)))
			}
		}
	}
	a.parts = parts
	return a, nil
}

// transactionEnd finds statements that would end the transaction.
var transactionEnd = lazyregexp.New(`(?i)^(COMMIT|ROLLBACK|ABORT|BEGIN|END|START\s+TRANSACTION|PREPARE\s+TRANSACTION)\b`)

// transactional reports whether the database can do and undo all statements at
// once.
func (a *application) transactional() bool { return a.dialect == dict.PostgreSQL }

// runAtOnce runs the script and completes its row, all or nothing.
func (a *application) runAtOnce(ctx context.Context, db *sql.DB, t tracked) (done int, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, fmt.Errorf("apply migration script %s: %w", a.source.Name, err)
	}
	defer func() {
		if err != nil {
			// The error says what went wrong; that the connection is gone, too,
			// undoes the transaction all the same.
			_ = tx.Rollback()
		}
	}()
	if err := a.prepare(ctx, tx); err != nil {
		return 0, err
	}
	if err := a.claim(ctx, tx, t.id); err != nil {
		return 0, err
	}
	// Deferred constraints are checked by every statement, as they are when each
	// is a transaction of its own; PostgreSQL also refuses to change a table
	// that has checks outstanding.
	if _, err := tx.ExecContext(ctx, "SET CONSTRAINTS ALL IMMEDIATE"); err != nil {
		return 0, fmt.Errorf("apply migration script %s: %w", a.source.Name, err)
	}
	for i, p := range a.parts {
		if err := a.run(ctx, tx, i, p); err != nil {
			return done, err
		}
		done++
	}
	if err := a.complete(ctx, tx, t); err != nil {
		return done, err
	}
	if err := tx.Commit(); err != nil {
		return done, fmt.Errorf("apply migration script %s: complete the transaction: %w", a.source.Name, err)
	}
	return done, nil
}

// runSingly runs the script where every statement that changes a table ends the
// transaction. When an earlier run had begun it, what that did is passed over.
func (a *application) runSingly(ctx context.Context, db *sql.DB, t tracked) (done int, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return 0, fmt.Errorf("apply migration script %s: %w", a.source.Name, err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := a.prepare(ctx, conn); err != nil {
		return 0, err
	}
	for i, p := range a.parts {
		err := a.run(ctx, conn, i, p)
		if err != nil && !(t.retried && thereAlready(err)) {
			var statement *StatementError
			if errors.As(err, &statement) {
				statement.Kept = true
			}
			return done, err
		}
		done++
	}
	return done, a.complete(ctx, conn, t)
}

// thereAlready reports whether Oracle refused to make something because it is
// there: a name in use, a second primary key, a column, a unique or foreign key.
func thereAlready(err error) bool {
	codes := []string{"ORA-00955", "ORA-02260", "ORA-01430", "ORA-02261", "ORA-02264", "ORA-02275", "ORA-01442", "ORA-01451"}
	return slices.ContainsFunc(codes, func(code string) bool { return strings.Contains(err.Error(), code) })
}

func (a *application) run(ctx context.Context, db execer, i int, p Part) error {
	if a.opts.Observe != nil {
		a.opts.Observe(i+1, len(a.parts), p.Text)
	}
	err := ctx.Err()
	if err == nil {
		_, err = db.ExecContext(ctx, p.Text)
	}
	if err != nil {
		return &StatementError{Script: a.source.Name, Number: i + 1, Line: p.Line, Statement: p.Text, Err: err}
	}
	return nil
}
