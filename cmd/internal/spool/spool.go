package spool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/erphub/erphub/cmd/internal/outbox"
	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
)

// Options change a [Spool]. Nil and the zero value are the defaults.
type Options struct {
	// Clock tells when calls are made; nil is the machine's clock.
	Clock func() time.Time
	// Logger gets what was fixed without being a warning of an outcome; nil
	// is silent.
	Logger *slog.Logger
	// Unreachable recognises further errors after which a call is kept; package
	// erp's own are known.
	Unreachable func(error) bool
	// Delivered is called for every call that was carried out, before it is taken
	// out of the folder: once for each call, and again when the process was killed
	// before it was. It must be quick, others wait for their turn meanwhile. Nil:
	// nothing is called.
	Delivered func(ctx context.Context, c Call, run deploylog.Run)
	// LockWait is how long to wait for other processes that use the folder; 0:
	// 2 minutes. A process that waited longer leaves its call in the folder.
	LockWait time.Duration
}

// Spool is a folder of calls. It is safe for concurrent use, also by several
// processes.
type Spool struct {
	dir   string
	opts  Options
	queue *outbox.Queue
	hook  func(stage string) // called at the stages of this process's own call, for tests
}

// rejectedDir is the folder of refused calls, below that of the spool.
const rejectedDir = "rejected"

// New makes a spool in a folder, which is made for its owner alone when the
// first call is kept.
func New(dir string, opts *Options) *Spool {
	s := &Spool{dir: dir, hook: func(string) {}}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.Clock == nil {
		s.opts.Clock = time.Now
	}
	s.opts.Logger = cmp.Or(s.opts.Logger, slog.New(slog.DiscardHandler))
	s.queue = outbox.New(dir, outbox.Options{
		Form: formatVersion, Aside: rejectedDir, Wait: cmp.Or(s.opts.LockWait, 2*time.Minute),
		Check: func(e *outbox.Entry) error {
			_, err := callOf(e)
			return err
		},
	})
	return s
}

// Outcome is what became of a call.
type Outcome struct {
	// ID names the run: its number once the ERP has it, its UUID before.
	ID erp.ID
	// Run is the run as stored; nil when the call is still in the folder or
	// another process delivered it.
	Run *deploylog.Run
	// Spooled means that the call is kept in the folder, because of Cause. That
	// matches [ErrHeld] when an earlier call of the run is the reason, and
	// [ErrFolder] when it is the folder; otherwise the ERP could not be reached or
	// refused the login.
	Spooled bool
	Cause   error
	// Waiting is how many calls are in the folder.
	Waiting int
	// Warnings are what somebody should look at, none of which kept the call from
	// being made: a *[FileError] for each file that holds back its run, a
	// *[RefusedError] for each call of others that was set aside, and what is
	// wrong with the folder.
	Warnings []error
}

// ErrHeld is in the error of calls that wait for an earlier one of their run,
// which cannot be read.
var ErrHeld = errors.New("an earlier call of the run cannot be read")

// ErrFolder is in the error of a folder that cannot be used.
var ErrFolder = outbox.ErrFolder

// FileError is a file of the folder that cannot be read, or that another version
// of this module wrote. It stays where it is, and holds back what follows it.
type FileError struct {
	File string
	Run  string // number or UUID; empty: unknown, it holds back all calls
	Err  error
}

func (e *FileError) Error() string {
	what := "the later calls of run " + e.Run
	if e.Run == "" {
		what = "all later calls"
	}
	return fmt.Sprintf("the spool file %s cannot be read: %v; it is kept and holds back %s", e.File, e.Err, what)
}

func (e *FileError) Unwrap() error { return e.Err }

// RefusedError is a kept call that the ERP or the transition table refused. It
// is set aside.
type RefusedError struct {
	Call string
	File string // where it is now
	Err  error
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s, kept earlier, was refused and is set aside in %s: %v", e.Call, e.File, e.Err)
}

func (e *RefusedError) Unwrap() error { return e.Err }

// Do makes a call, after those that are in the folder. A call that cannot be
// delivered is not an error: it is kept, and Outcome.Spooled says so. A call that
// is refused is an error, and is not kept. A folder that cannot be used is a
// warning, and an error only when the call cannot be made either.
func (s *Spool) Do(ctx context.Context, log *deploylog.Log, c Call) (Outcome, error) {
	if err := c.check(); err != nil {
		return Outcome{}, err
	}
	if err := log.Check(c.Start, c.Update, c.Complete, c.Rollback); err != nil {
		return Outcome{}, err
	}
	mine, err := newEntry(c, s.opts.Clock())
	if err != nil {
		return Outcome{}, err
	}
	d := &delivery{s: s, log: log, mine: mine, seen: s.readAway().Name}
	d.unkept = s.queue.Append(ctx, &mine.Entry)
	if d.unkept != nil && ctx.Err() != nil {
		return Outcome{}, d.unkept
	}
	s.hook("written")
	outcome, err := d.run(ctx)
	if err == nil && outcome.ID.IsZero() {
		outcome.ID = mine.call.run()
	}
	outcome.Warnings = d.warnings
	return outcome, err
}

// Flush delivers the calls in the folder, and returns how many. There is no
// error if and only if every call that was kept is in the ERP: the error tells
// why delivering stopped, which files hold back their run (*[FileError]), which
// calls were refused (*[RefusedError]), and that some were set aside earlier
// ([ErrSetAside]).
func (s *Spool) Flush(ctx context.Context, log *deploylog.Log) (delivered int, err error) {
	waiting, err := s.Waiting()
	if err != nil {
		return 0, err
	}
	aside, err := s.queue.Aside() // earlier
	d := &delivery{s: s, log: log}
	if waiting > 0 {
		err = errors.Join(err, d.flush(ctx))
	}
	if len(aside) > 0 {
		d.warn(fmt.Errorf("%w in %s: %d", ErrSetAside, filepath.Join(s.dir, rejectedDir), len(aside)))
	}
	return d.delivered, errors.Join(errors.Join(d.warnings...), err)
}

// ErrSetAside is in the error of Flush when calls are set aside.
var ErrSetAside = errors.New("calls were refused earlier and are set aside")

// Waiting is how many calls are in the folder, those that are set aside not
// among them.
func (s *Spool) Waiting() (int, error) {
	waiting, err := s.queue.Waiting()
	return len(waiting), err
}
