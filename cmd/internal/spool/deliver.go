package spool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/erphub/erphub/cmd/internal/outbox"
	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
)

// delivery is one process's turn at the folder.
type delivery struct {
	s    *Spool
	log  *deploylog.Log
	mine *entry // the call of this process, nil for none
	seen string // the note that the ERP is away, as it was before mine was made
	// unkept is why mine is not in the folder; nil: it is.
	unkept   error
	locked   bool
	warnings []error

	delivered int // calls of others
	waiting   int // calls that are held back

	last  outbox.Entry          // looked at last
	held  map[string]*FileError // runs that a file holds back; "": all
	uuids map[string]string     // of runs that are called by their number
	found []alias               // of this turn, which a full disk has no room for
}

// run takes the turn of a process that makes a call.
func (d *delivery) run(ctx context.Context) (Outcome, error) {
	s := d.s
	unlock, err := s.queue.Lock(ctx)
	switch {
	case err == nil:
		defer unlock()
		d.locked = true
	case d.unkept == nil: // whoever has its turn delivers it
		return d.kept(err), nil
	}
	if d.unkept != nil {
		d.warn(fmt.Errorf("the call is made without the spool: %w", d.unkept))
	} else if !s.queue.Has(&d.mine.Entry) {
		return d.collect() // another process delivered it
	} else if cause := s.awaySince(d.seen); cause != nil {
		// The process that had its turn while this call waited found the ERP away.
		return d.leave(cause), nil
	}
	run, err := d.deliver(ctx)
	return d.outcome(ctx, run, err)
}

// outcome is what became of the call of this process, as deliver tells it.
func (d *delivery) outcome(ctx context.Context, run *deploylog.Run, err error) (Outcome, error) {
	s := d.s
	switch {
	case err == nil && run == nil: // somebody took it out by hand
		return Outcome{}, fmt.Errorf("the call is not in the folder %s any more; whether it was made is unknown", s.dir)
	case err == nil:
		return Outcome{ID: run.ID, Run: run}, nil
	case run == nil:
		return d.stop(ctx, err)
	case !s.blocks(ctx, d.mine, err) && d.unkept != nil:
		return Outcome{}, fmt.Errorf("%w; calls that should come before it may be in the spool, which cannot be used: %v", err, d.unkept)
	case !s.blocks(ctx, d.mine, err):
		return Outcome{}, err
	case !s.unreachable(ctx, err) && d.unkept == nil && !d.mine.again:
		// It is the login or a permission. The caller gets the error, so the call
		// need not be kept.
		return Outcome{}, errors.Join(err, s.queue.Remove(&d.mine.Entry))
	}
	return d.stop(ctx, err)
}

// stop is the end of a turn in which the call of this process was not made.
func (d *delivery) stop(ctx context.Context, cause error) (Outcome, error) {
	if d.s.unreachable(ctx, cause) && d.locked && ctx.Err() == nil {
		d.s.markAway(cause)
	}
	if d.unkept != nil {
		d.warnings = nil // they say that it is made nevertheless
		return Outcome{}, fmt.Errorf("%w; and the call cannot be kept: %w", cause, d.unkept)
	}
	return d.leave(cause), nil
}

// flush takes the turn of a process that delivers what others kept.
func (d *delivery) flush(ctx context.Context) error {
	unlock, err := d.s.queue.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	d.locked = true
	if _, err = d.deliver(ctx); err == nil && d.waiting > 0 {
		err = fmt.Errorf("%w: %d calls wait", ErrHeld, d.waiting)
	}
	return err
}

// deliver makes the calls in order, up to the own one; without one, all. The run is
// that of the own call, nil when it was not attempted.
func (d *delivery) deliver(ctx context.Context) (*deploylog.Run, error) {
	for {
		e, why, err := d.due(ctx)
		switch {
		case e == nil || err != nil:
			return nil, err
		case why != nil && e == d.mine:
			return nil, fmt.Errorf("%w: %s", ErrHeld, why.File)
		case why != nil:
			d.waiting++
			continue
		}
		run, err := d.attempt(ctx, e)
		switch {
		case e == d.mine:
			return &run, err
		case err == nil:
			d.delivered++
		case d.s.blocks(ctx, e, err):
			return nil, err
		default:
			d.warn(err)
		}
	}
}

// due is the next call to make, nil at the end, and the file that holds it back. A
// call that cannot be kept cannot wait: what the folder holds of its run is made
// before it, as far as that can be read.
func (d *delivery) due(ctx context.Context) (*entry, *FileError, error) {
	for {
		e, err := d.next()
		switch {
		case d.unkept == nil && (e == nil || err != nil):
			return nil, nil, err
		case d.unkept == nil:
			why, err := d.heldBy(ctx, e)
			return e, why, err
		case e == nil || err != nil:
			return d.mine, nil, nil
		}
		if same, err := d.sameRun(ctx, e.Key, d.mine.Key); same || err != nil {
			return e, nil, err
		}
	}
}

// warn tells the caller of something, once.
func (d *delivery) warn(err error) {
	for _, w := range d.warnings {
		if w.Error() == err.Error() {
			return
		}
	}
	d.warnings = append(d.warnings, err)
}

// next is the call behind the one that was looked at last, nil at the end. Files
// that cannot be read are warned of, and hold back what follows them.
func (d *delivery) next() (*entry, error) {
	for {
		f, err := d.s.queue.Next(d.last)
		if f == nil || err != nil {
			return nil, err
		}
		d.last = *f
		if d.mine != nil && f.ID == d.mine.ID { // nobody need read it
			d.mine.Path, d.mine.Tried = f.Path, f.Tried
			return d.mine, nil
		}
		e, err := d.s.read(*f)
		switch {
		case err == nil:
			return e, nil
		case !errors.Is(err, fs.ErrNotExist): // else another process delivered it, where there is no lock
			d.hold(f, err)
		}
	}
}

// leave is kept for a call that is in the folder under the deliver lock: it is
// marked, so that whoever delivers it knows that nobody waits for the outcome.
func (d *delivery) leave(cause error) Outcome {
	if err := d.s.queue.MarkTried(&d.mine.Entry); err != nil && !errors.Is(err, fs.ErrNotExist) { // it is marked already
		d.s.opts.Logger.Warn("marking a call of the spool", "error", err)
	}
	return d.kept(cause)
}

func (d *delivery) kept(cause error) Outcome {
	n, err := d.s.Waiting()
	if err != nil {
		d.s.opts.Logger.Warn("counting the calls in the spool", "error", err)
	}
	return Outcome{Spooled: true, Cause: cause, Waiting: n}
}

// fresh is how old a call may be to count as made now.
const fresh = 10 * time.Second

// attempt delivers one call and takes it out of the folder, unless it has to
// wait. A folder that cannot be changed is no reason not to make a call that
// somebody waits for: what stays in it is delivered again, and recognised.
func (d *delivery) attempt(ctx context.Context, e *entry) (deploylog.Run, error) {
	s := d.s
	own, stage := e == d.mine, func(string) {}
	if own {
		stage = s.hook
	}
	e.again = e.Tried
	if d.inFolder(e) {
		if err := s.queue.MarkTried(&e.Entry); err != nil && d.mine == nil {
			return deploylog.Run{}, err
		} else if err != nil {
			d.warn(fmt.Errorf("calls that are delivered cannot be taken out of the spool, and will be delivered again: %w", err))
		}
	}
	stage("tried")
	age := s.opts.Clock().Sub(e.At)
	run, err := e.deliver(ctx, d.log, own && !e.again && age.Abs() < fresh, d.resolve)
	stage("sent")
	if err != nil {
		return run, d.failed(ctx, e, err)
	}
	if d.locked {
		s.queue.RemoveNote(awayNote)
	}
	if s.opts.Delivered != nil {
		s.opts.Delivered(ctx, e.call, run)
	}
	noted := d.noteOutcome(e, run)
	stage("delivered")
	if noted == nil && d.inFolder(e) {
		noted = s.queue.Remove(&e.Entry)
	}
	if noted != nil && d.mine != nil {
		d.warn(fmt.Errorf("a call that was delivered cannot be taken out of the spool, and will be delivered again: %w", noted))
		noted = nil
	}
	return run, noted
}

// inFolder reports whether a call is in the folder, as all but the own one are.
func (d *delivery) inFolder(e *entry) bool { return e != d.mine || d.unkept == nil }

// failed takes a refused call out of the queue: the own one for good, because its
// caller gets the error.
func (d *delivery) failed(ctx context.Context, e *entry, err error) error {
	switch {
	case d.s.blocks(ctx, e, err):
	case e != d.mine:
		return d.reject(e, err)
	case d.inFolder(e):
		if gone := d.s.queue.Remove(&e.Entry); gone != nil {
			d.warn(fmt.Errorf("the refused call is still in the spool, and will be set aside by the next one: %w", gone))
		}
	}
	return err
}

// noteOutcome notes what others need to know of a call that was delivered. The
// error means that it has to be delivered again.
func (d *delivery) noteOutcome(e *entry, run deploylog.Run) error {
	s := d.s
	if e.call.Start != nil && run.UUID != e.call.Start.UUID {
		found := alias{e.call.Start.UUID, run.ID}
		d.found = append(d.found, found)
		if err := s.addAliases(found); err != nil {
			return err
		}
	}
	if e == d.mine || e.again {
		return nil // nobody waits for it, or its process was told that it is kept
	}
	if err := s.leaveResult(e.ID, result{ID: run.ID}); err != nil {
		s.opts.Logger.Warn("the process that made a call cannot be told the number of its run", "error", err)
	}
	return nil
}

// reject sets a refused call aside, with the reason. The process that waits for it finds
// it there.
func (d *delivery) reject(e *entry, why error) error {
	if err := d.s.queue.SetAside(&e.Entry, why.Error()); err != nil { // it stays in the queue
		return fmt.Errorf("%s, kept earlier, was refused: %w; and it cannot be set aside: %v", &e.call, why, err)
	}
	return &RefusedError{Call: e.call.String(), File: e.Path, Err: why}
}

// collect finds out what became of a call that another process took out of the
// folder.
func (d *delivery) collect() (Outcome, error) {
	aside, err := d.s.queue.Aside()
	if err != nil {
		d.warn(err)
	}
	for _, e := range aside {
		if e.ID == d.mine.ID {
			_ = d.s.queue.Read(&e) // the reason may be lost
			return Outcome{}, fmt.Errorf("%s, made by another process, was refused and is set aside in %s: %s", &d.mine.call, e.Path, cmp.Or(e.Reason, "see there"))
		}
	}
	r, err := d.s.takeResult(d.mine.ID)
	switch {
	case err != nil: // it was delivered; what is lost is the number of the run
		d.warn(err)
	case r.Error != "":
		return Outcome{}, fmt.Errorf("%s: %s", &d.mine.call, r.Error)
	}
	return Outcome{ID: r.ID}, nil
}

// unreachable reports whether the ERP could not be reached.
func (s *Spool) unreachable(ctx context.Context, err error) bool {
	var e *erp.Error
	switch {
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded):
		return true
	case erp.Retryable(err), errors.Is(err, deploylog.ErrBusy):
		return true
	case errors.As(err, &e) && e.Page && !errors.Is(err, erp.ErrUnauthorized):
		return true // a proxy or another server responded
	}
	return s.opts.Unreachable != nil && s.opts.Unreachable(err)
}

// blocks reports whether the failure is not the call's own, so that the queue
// has to wait.
func (s *Spool) blocks(ctx context.Context, e *entry, err error) bool {
	var conn *erp.ConnError
	if e.call.Start != nil && errors.Is(err, erp.ErrNotFound) {
		return true // the log is not installed
	}
	return s.unreachable(ctx, err) || errors.Is(err, ErrFolder) || errors.As(err, &conn) ||
		errors.Is(err, erp.ErrUnauthorized) || errors.Is(err, erp.ErrForbidden)
}
