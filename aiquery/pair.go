package aiquery

import (
	"context"
	"errors"
	"time"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/internal/run"
	"github.com/erphub/erphub/dict"
)

// Pair makes one database of two: statements run on the first, where the permissions
// are read, too; the records of the audit are written to the second. That is for
// an ERP of which another database holds a copy.
//
// enter is called before anything is read from the first, and what it returns once
// that is over: it can bring the copy up to date and keep it from changes. An error
// of enter becomes [api.CodeUnavailable], unless it is the context's;
// its text goes to the log. Nil does nothing. Close closes both.
func Pair(statements, records Database, enter func(context.Context) (leave func(), err error)) Database {
	if enter == nil {
		enter = func(context.Context) (func(), error) { return func() {}, nil }
	}
	return &pair{statements, records, enter}
}

type pair struct {
	statements, records Database
	enter               func(context.Context) (func(), error)
}

func (p *pair) String() string { return p.statements.String() }

func (p *pair) Close() error { return errors.Join(p.statements.Close(), p.records.Close()) }

func (p *pair) Runner() run.Runner {
	return &pairRunner{Runner: p.statements.Runner(), records: p.records.Runner(), enter: p.enter}
}

// pairRunner runs statements on the embedded runner, and writes records to the
// other.
type pairRunner struct {
	run.Runner
	records run.Runner
	enter   func(context.Context) (func(), error)
}

// within does what reads from the first database.
func (p *pairRunner) within(ctx context.Context, do func() error) error {
	leave, err := p.enter(ctx)
	if err != nil {
		return run.Unavailable(err)
	}
	defer leave()
	return do()
}

func (p *pairRunner) Catalog(ctx context.Context) (c *run.Catalog, err error) {
	err = p.within(ctx, func() (err error) {
		c, err = p.Runner.Catalog(ctx)
		return err
	})
	return c, err
}

func (p *pairRunner) Snapshot(ctx context.Context, do func(run.Reader) error) error {
	return p.within(ctx, func() error { return p.Runner.Snapshot(ctx, do) })
}

func (p *pairRunner) Run(ctx context.Context, s *run.Statement) (out *run.Output, err error) {
	err = p.within(ctx, func() (err error) {
		out, err = p.Runner.Run(ctx, s)
		return err
	})
	return out, err
}

func (p *pairRunner) Describe(ctx context.Context, s *run.Statement) (columns []api.Column, err error) {
	err = p.within(ctx, func() (err error) {
		columns, err = p.Runner.Describe(ctx, s)
		return err
	})
	return columns, err
}

func (p *pairRunner) Check(ctx context.Context) (checked run.Checked, err error) {
	err = p.within(ctx, func() (err error) {
		checked, err = p.Runner.Check(ctx)
		return err
	})
	return checked, err
}

// recorded is an error of the second database, in its own words.
func (p *pairRunner) recorded(err error) error {
	var known *run.Failure
	if err == nil || errors.As(err, &known) {
		return err
	}
	return p.records.Failure(err)
}

func (p *pairRunner) AuditReady(ctx context.Context, columns []string) error {
	return p.recorded(p.records.AuditReady(ctx, columns))
}

func (p *pairRunner) AuditInsert(ctx context.Context, r *run.Record) error {
	return p.recorded(p.records.AuditInsert(ctx, r))
}

func (p *pairRunner) AuditComplete(ctx context.Context, r *run.Record) error {
	return p.recorded(p.records.AuditComplete(ctx, r))
}

func (p *pairRunner) AuditPatience() time.Duration { return p.records.AuditPatience() }

func (p *pairRunner) AuditInstall(ctx context.Context, plan *dict.Plan) error {
	return p.recorded(p.records.AuditInstall(ctx, plan))
}
