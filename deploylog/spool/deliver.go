package spool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
)

// delivery is one process's turn at the folder.
type delivery struct {
	s    *Spool
	log  *deploylog.Log
	mine *entry // the call of this process, nil for none
	seen []byte // the note that the ERP is away, as it was before mine was made
	// unkept is why mine is not in the folder; nil: it is.
	unkept   error
	locked   bool
	warnings []error

	last  file                  // looked at last
	held  map[string]*FileError // runs that a file holds back; "": all
	uuids map[string]string     // of runs that are called by their number
	aside int                   // calls this delivery has set aside
}

// run delivers what is in the folder up to the call of this process, and that.
func (d *delivery) run(ctx, locks context.Context) (Outcome, error) {
	s := d.s
	unlock, err := s.lock(locks, deliverLock)
	switch {
	case err == nil:
		defer unlock()
		d.locked = true
		s.sweep(s.dir, false)
		s.sweep(filepath.Join(s.dir, rejectedDir), false)
	case d.unkept == nil: // whoever has its turn delivers it
		return d.kept(err), nil
	}
	if d.unkept != nil {
		d.warn(fmt.Errorf("the call is made without the spool, which cannot be used: %w", d.unkept))
	} else {
		if !s.has(d.mine) {
			return d.collect() // another process delivered it
		}
		if cause := s.awaySince(d.seen); cause != nil {
			// The process that had its turn while this call waited found the ERP away.
			return d.leave(cause), nil
		}
	}
	for {
		e, err := d.next()
		if err != nil && d.unkept == nil {
			return d.stop(ctx, err)
		}
		if e == nil { // none is left, or the folder cannot be read
			if d.unkept == nil { // somebody took it out by hand
				return Outcome{}, folder("looking for the call in the spool", os.ErrNotExist)
			}
			e = d.mine
		}
		own := e.Op == d.mine.Op
		if d.unkept != nil && !own {
			// Only what comes before it in its own run is made before it.
			if same, err := d.sameRun(ctx, e.runKey(), d.mine.runKey()); err != nil {
				return d.stop(ctx, err)
			} else if !same {
				continue
			}
		}
		if d.unkept == nil { // else waiting is no choice
			why, err := d.heldBy(ctx, e)
			switch {
			case err != nil:
				return d.stop(ctx, err)
			case why != nil && own:
				return d.stop(ctx, fmt.Errorf("%w: %s", ErrHeld, why.File))
			case why != nil:
				continue
			}
		}
		run, err := d.attempt(ctx, e)
		switch {
		case err == nil && own:
			return Outcome{ID: run.ID, Run: &run}, nil
		case err == nil:
		case !s.blocks(ctx, e, err) && own && d.unkept != nil:
			return Outcome{}, fmt.Errorf("%w; calls that should come before it may be in the spool, which cannot be used: %v", err, d.unkept)
		case !s.blocks(ctx, e, err) && own:
			return Outcome{}, err
		case !s.blocks(ctx, e, err):
			d.warn(err)
		case own && !s.unreachable(ctx, err) && d.unkept == nil && !e.file.tried:
			// It is the login or a permission. The caller is told, so the call
			// need not be kept.
			return Outcome{}, errors.Join(err, s.remove(e))
		default:
			return d.stop(ctx, err)
		}
	}
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

// flush delivers all calls in the folder.
func (d *delivery) flush(ctx, locks context.Context) (delivered int, err error) {
	s := d.s
	unlock, err := s.lock(locks, deliverLock)
	if err != nil {
		return 0, err
	}
	defer unlock()
	d.locked = true
	s.sweep(s.dir, false)
	s.sweep(filepath.Join(s.dir, rejectedDir), false)
	waiting := 0
	for {
		e, err := d.next()
		switch {
		case err != nil:
			return delivered, err
		case e == nil && waiting > 0:
			return delivered, fmt.Errorf("%w: %d calls wait", ErrHeld, waiting)
		case e == nil:
			return delivered, nil
		}
		if why, err := d.heldBy(ctx, e); err != nil {
			return delivered, err
		} else if why != nil {
			waiting++
			continue
		}
		_, err = d.attempt(ctx, e)
		switch {
		case err == nil:
			delivered++
		case s.blocks(ctx, e, err):
			return delivered, err
		default:
			d.warn(err)
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
	files, err := d.s.files()
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if !d.last.before(&f) {
			continue
		}
		d.last = f
		if d.mine != nil && f.op == d.mine.Op { // nobody need read it
			e := *d.mine
			e.file = f
			return &e, nil
		}
		e, err := d.s.read(f)
		switch {
		case err == nil:
			return e, nil
		case !errors.Is(err, os.ErrNotExist): // else another process delivered it, where there is no lock
			d.hold(f, err)
		}
	}
	return nil, nil
}

// leave is kept for a call that is in the folder under the deliver lock: it is
// marked, so that whoever delivers it knows that nobody waits for the outcome.
func (d *delivery) leave(cause error) Outcome {
	if d.s.has(d.mine) {
		if err := d.s.markTried(d.mine); err != nil && !errors.Is(err, os.ErrNotExist) { // it is marked already
			d.s.log.Warn("marking a call of the spool", "error", err)
		}
	}
	return d.kept(cause)
}

func (d *delivery) kept(cause error) Outcome {
	n, err := d.s.Waiting()
	if err != nil {
		d.s.log.Warn("counting the calls in the spool", "error", err)
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
	own := d.mine != nil && e.Op == d.mine.Op
	inFolder := !own || d.unkept == nil
	wasTried := e.file.tried
	age := s.opts.Clock().Sub(e.At)
	now := own && !wasTried && age < fresh && age > -fresh
	if inFolder {
		if err := s.markTried(e); err != nil && d.mine == nil {
			return deploylog.Run{}, err
		} else if err != nil {
			d.warn(fmt.Errorf("calls that are delivered cannot be taken out of the spool, and will be delivered again: %w", err))
		}
	}
	stage := s.hook
	if !own {
		stage = func(string) {}
	}
	stage("tried")
	run, err := e.deliver(ctx, d.log, now, wasTried, s.resolve)
	stage("sent")
	switch {
	case err != nil && s.blocks(ctx, e, err):
		e.file.tried = wasTried
		return run, err
	case err != nil && own:
		if inFolder {
			if gone := s.remove(e); gone != nil {
				d.warn(fmt.Errorf("the refused call is still in the spool, and will be set aside by the next one: %w", gone))
			}
		}
		return run, err
	case err != nil:
		return run, d.reject(e, err)
	}
	if d.locked {
		s.forgetAway()
	}
	if s.opts.Delivered != nil {
		s.opts.Delivered(ctx, e.Call, run)
	}
	var note error
	if e.Call.Start != nil && run.UUID != e.Call.Start.UUID {
		note = s.alias(e.Call.Start.UUID, run.ID)
	}
	if !own && !wasTried && note == nil { // else its process was told that it is kept
		if err := s.leaveResult(e, result{ID: run.ID}); err != nil {
			s.log.Warn("the process that made a call cannot be told the number of its run", "error", err)
		}
	}
	stage("delivered")
	if inFolder && note == nil {
		note = s.remove(e)
	}
	switch {
	case note == nil:
		return run, nil
	case d.mine == nil:
		return run, note
	}
	d.warn(fmt.Errorf("a call that was delivered cannot be taken out of the spool, and will be delivered again: %w", note))
	return run, nil
}

// reject sets a refused call aside, with the reason. The process that waits for it finds
// it there.
func (d *delivery) reject(e *entry, why error) error {
	s := d.s
	e.Reason = why.Error()
	to := filepath.Join(s.dir, rejectedDir, e.file.base())
	err := os.MkdirAll(filepath.Dir(to), 0o700)
	if err == nil {
		err = s.move(e.file.path, to)
	}
	if err != nil { // it stays in the queue
		return fmt.Errorf("%s, kept earlier, was refused: %w; and it cannot be set aside: %v", e.Call.String(), why, err)
	}
	d.aside++
	text, err := json.MarshalIndent(e, "", "  ")
	if err == nil {
		err = s.write("keeping the reason", to, append(text, '\n'))
	}
	if err != nil { // the call matters more
		s.log.Warn("the reason why a call was refused is not kept", "file", to, "error", err)
	}
	return &RefusedError{Call: e.Call.String(), File: to, Err: why}
}

// collect finds out what became of a call that another process took out of the
// folder.
func (d *delivery) collect() (Outcome, error) {
	s := d.s
	rejected := filepath.Join(s.dir, rejectedDir, d.mine.file.base())
	if text, err := os.ReadFile(rejected); err == nil {
		reason := "see there"
		if e, err := decode(text); err == nil {
			reason = e.Reason
		}
		return Outcome{}, fmt.Errorf("%s, made by another process, was refused and is set aside in %s: %s", d.mine.Call.String(), rejected, reason)
	}
	r, found, err := s.takeResult(d.mine)
	switch {
	case err != nil:
		d.warn(err) // it was delivered; what is lost is the number of the run
		return Outcome{}, nil
	case !found: // delivered; who did it could not tell more
		return Outcome{}, nil
	case r.Error != "":
		return Outcome{}, fmt.Errorf("%s: %s", d.mine.Call.String(), r.Error)
	}
	return Outcome{ID: r.ID}, nil
}

// refusedBefore is how many calls were set aside before this delivery.
func (d *delivery) refusedBefore() int {
	list, err := d.s.setAside()
	if err != nil {
		d.warn(err)
	}
	return len(list) - d.aside
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
	var own *folderError
	var conn *erp.ConnError
	if e.Call.Start != nil && errors.Is(err, erp.ErrNotFound) {
		return true // the log is not installed
	}
	return s.unreachable(ctx, err) || errors.As(err, &own) || errors.As(err, &conn) ||
		errors.Is(err, erp.ErrUnauthorized) || errors.Is(err, erp.ErrForbidden)
}
