package spool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
)

// Options change a [Spool]. Nil and the zero value are the defaults.
type Options struct {
	// Clock tells when calls are made; nil is the machine's clock.
	Clock func() time.Time
	// Logger hears of calls that were rejected and of damaged files; nil is
	// silent.
	Logger *slog.Logger
	// Unreachable recognises further errors after which a call is kept; package
	// erp's own are known.
	Unreachable func(error) bool
	// LockWait is how long to wait for other processes that use the folder; 0:
	// 2 minutes. Whoever waited longer leaves its call in the folder.
	LockWait time.Duration
}

// Spool is a folder of calls. It is safe for concurrent use, also by several
// processes.
type Spool struct {
	dir  string
	opts Options
	log  *slog.Logger
	// hook is called at the stages of this process's own call, for tests that
	// kill it.
	hook func(stage string)
}

// Open makes the folder, for its owner alone, unless it is there.
func Open(dir string, opts *Options) (*Spool, error) {
	s := &Spool{dir: dir, log: slog.New(slog.DiscardHandler), hook: func(string) {}}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.Clock == nil {
		s.opts.Clock = time.Now
	}
	if s.opts.Logger != nil {
		s.log = s.opts.Logger
	}
	if s.opts.LockWait == 0 {
		s.opts.LockWait = 2 * time.Minute
	}
	if err := os.MkdirAll(filepath.Join(dir, rejectedDir), 0o700); err != nil {
		return nil, fmt.Errorf("making the spool folder: %w", err)
	}
	return s, nil
}

// Outcome is what became of a call.
type Outcome struct {
	// ID names the run: its number once the ERP has it, its UUID before.
	ID erp.ID
	// Run is the run as stored; nil when the call is still in the folder or
	// another process delivered it.
	Run *deploylog.Run
	// Spooled means that the call is kept in the folder, because of Cause.
	Spooled bool
	Cause   error
	// Waiting is how many calls are in the folder.
	Waiting int
}

// Do makes a call, after those that are in the folder. A call that cannot be
// delivered is no error: it is kept, and Outcome.Spooled says so. A call that
// is refused is an error, and is not kept.
func (s *Spool) Do(ctx context.Context, log *deploylog.Log, c Call) (Outcome, error) {
	if err := c.check(); err != nil {
		return Outcome{}, err
	}
	if err := log.Check(c.Start, c.Update, c.Complete, c.Rollback); err != nil {
		return Outcome{}, err
	}
	mine := newEntry(c, s.opts.Clock())
	if err := s.append(ctx, mine); err != nil {
		return Outcome{}, err
	}
	s.hook("written")
	outcome, err := s.deliver(ctx, log, mine)
	if err == nil && outcome.ID.IsZero() {
		outcome.ID = mine.name()
	}
	return outcome, err
}

// Flush delivers the calls in the folder. It returns how many were delivered,
// and why it stopped when some are left. Calls that were refused are in the
// error, too.
func (s *Spool) Flush(ctx context.Context, log *deploylog.Log) (delivered int, err error) {
	unlock, err := s.lock(ctx, deliverLock)
	if err != nil {
		return 0, err
	}
	defer unlock()
	var errs []error
	for {
		e, err := s.next()
		if err != nil || e == nil {
			return delivered, errors.Join(append(errs, err)...)
		}
		_, err = s.attempt(ctx, log, e, nil)
		switch {
		case err == nil:
			delivered++
		case s.blocks(ctx, e, err):
			return delivered, errors.Join(append(errs, err)...)
		default:
			errs = append(errs, fmt.Errorf("%s was refused and is kept in %s: %w", e.Call.String(), filepath.Join(s.dir, rejectedDir), err))
		}
	}
}

// Waiting is how many calls are in the folder.
func (s *Spool) Waiting() (int, error) {
	files, err := s.files()
	return len(files), err
}

// deliver delivers what is in the folder up to the call of this process.
func (s *Spool) deliver(ctx context.Context, log *deploylog.Log, mine *entry) (Outcome, error) {
	unlock, err := s.lock(ctx, deliverLock)
	if err != nil {
		return s.kept(err), nil
	}
	defer unlock()
	if there, err := s.has(mine); err != nil {
		return Outcome{}, err
	} else if !there {
		return s.collect(mine) // another process delivered it
	}
	if cause := s.awaySince(mine.At); cause != nil {
		// Whoever had its turn while this call waited found the ERP away.
		return s.leave(mine, cause), nil
	}
	for {
		e, err := s.next()
		if err != nil {
			return Outcome{}, err
		}
		if e == nil || e.number > mine.number { // somebody took it out by hand
			return Outcome{}, folder("looking for the call in the spool", fs.ErrNotExist)
		}
		run, err := s.attempt(ctx, log, e, mine)
		own := e.Op == mine.Op
		switch {
		case err == nil && own:
			return Outcome{ID: run.ID, Run: &run}, nil
		case err == nil:
		case s.unreachable(ctx, err):
			s.markAway(err)
			return s.leave(mine, err), nil
		case own && !mine.tried && s.blocks(ctx, e, err):
			// It is the login or the rights. The caller hears of it, so the call
			// need not be kept.
			return Outcome{}, errors.Join(err, s.remove(e))
		case s.blocks(ctx, e, err):
			return s.leave(mine, err), nil
		case own:
			return Outcome{}, err
		default:
			s.log.Warn("a call of the spool was refused", "call", e.Call.String(), "error", err)
		}
	}
}

// leave is kept for a call that is in the folder under the deliver lock: it is
// marked, so that whoever delivers it knows that nobody waits for the outcome.
func (s *Spool) leave(mine *entry, cause error) Outcome {
	if err := s.markTried(mine); err != nil && !errors.Is(err, fs.ErrNotExist) { // it is marked already
		s.log.Warn("marking a call of the spool", "error", err)
	}
	return s.kept(cause)
}

func (s *Spool) kept(cause error) Outcome {
	n, err := s.Waiting()
	if err != nil {
		s.log.Warn("counting the calls in the spool", "error", err)
	}
	return Outcome{Spooled: true, Cause: cause, Waiting: n}
}

// fresh is how old a call may be to count as made now.
const fresh = 10 * time.Second

// attempt delivers one call and takes it out of the folder, unless it has to
// wait. mine is the call of this process, nil for none.
func (s *Spool) attempt(ctx context.Context, log *deploylog.Log, e, mine *entry) (deploylog.Run, error) {
	own := mine != nil && e.Op == mine.Op
	wasTried := e.tried
	now := own && !wasTried && s.opts.Clock().Sub(e.At) < fresh
	if err := s.markTried(e); err != nil {
		return deploylog.Run{}, err
	}
	e.tried = wasTried
	stage := s.hook
	if !own {
		stage = func(string) {}
	}
	stage("tried")
	run, err := e.deliver(ctx, log, now, s.resolve)
	stage("sent")
	if err != nil {
		if s.blocks(ctx, e, err) {
			return run, err
		}
		return run, errors.Join(err, s.reject(e, err, own))
	}
	if e.Call.Start != nil && run.UUID != e.Call.Start.UUID {
		if err := s.alias(e.Call.Start.UUID, run.ID); err != nil {
			return run, err
		}
	}
	if !own && !wasTried { // else its process was told that it is kept
		if err := s.leaveResult(e, result{ID: run.ID}); err != nil {
			return run, err
		}
	}
	stage("delivered")
	return run, s.remove(e)
}

// unreachable reports whether the ERP could not be asked.
func (s *Spool) unreachable(ctx context.Context, err error) bool {
	var e *erp.Error
	switch {
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded):
		return true
	case errors.Is(err, erp.ErrUnreachable), errors.Is(err, erp.ErrUnavailable), errors.Is(err, erp.ErrTimeout),
		errors.Is(err, erp.ErrRateLimited), errors.Is(err, erp.ErrBadResponse), errors.Is(err, deploylog.ErrBusy):
		return true
	case errors.As(err, &e) && e.Page && !errors.Is(err, erp.ErrUnauthorized):
		return true // a proxy or another server answered
	}
	return s.opts.Unreachable != nil && s.opts.Unreachable(err)
}

// blocks reports whether the failure is not the call's own, so that the queue
// has to wait.
func (s *Spool) blocks(ctx context.Context, e *entry, err error) bool {
	var own *folderError
	var conn *erp.ConnError
	if e.Call.Start != nil && errors.Is(err, erp.ErrNotFound) {
		return true // the log is not installed
	}
	return s.unreachable(ctx, err) || errors.As(err, &own) || errors.As(err, &conn) ||
		errors.Is(err, erp.ErrUnauthorized) || errors.Is(err, erp.ErrForbidden)
}

// lock takes one of the folder's locks.
func (s *Spool) lock(ctx context.Context, name string) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, s.opts.LockWait)
	defer cancel()
	l := flock.New(filepath.Join(s.dir, name), flock.SetPermissions(0o600))
	ok, err := l.TryLockContext(ctx, 10*time.Millisecond)
	if err != nil || !ok {
		return nil, folder("waiting for another process that uses the spool", errors.Join(err, ctx.Err()))
	}
	return func() { _ = l.Close() }, nil // the system frees it with the process at the latest
}
