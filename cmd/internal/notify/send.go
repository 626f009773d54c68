package notify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/erphub/erphub/cmd/internal/outbox"
	"github.com/erphub/erphub/internal/retry"
)

// Report is what Send or Flush did.
type Report struct {
	Delivered int `json:"delivered"`
	Waiting   int `json:"waiting"` // in the folder now
	Expired   int `json:"expired"` // given up now or earlier
	// Problems say why messages wait, one per receiver or file, without addresses.
	Problems []error `json:"-"`
}

// Send sends the messages in the folder, receivers side by side, until ctx ends.
// Receivers in a pause after a failure are left out, and each is tried once.
func (n *Notifier) Send(ctx context.Context) Report { return n.deliver(ctx, false) }

// Flush is Send for all receivers, each tried up to three times.
func (n *Notifier) Flush(ctx context.Context) Report { return n.deliver(ctx, true) }

func (n *Notifier) deliver(ctx context.Context, all bool) Report {
	d := &delivery{n: n, all: all}
	waiting, err := n.queue.Waiting()
	if err == nil && len(waiting) > 0 {
		err = d.run(ctx)
	}
	d.problem(err)
	waiting, err = n.queue.Waiting()
	d.problem(err)
	expired, err := n.queue.Aside()
	d.problem(err)
	d.report.Waiting, d.report.Expired = len(waiting), len(expired)
	return d.report
}

// delivery is one process's turn at the folder.
type delivery struct {
	n   *Notifier
	all bool // receivers in a pause, too, each up to three times

	mu     sync.Mutex // guards report, and the list of what was sent
	report Report
}

func (d *delivery) problem(err error) {
	if err == nil {
		return
	}
	d.n.opts.Logger.Warn("webhook", "error", err)
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.report.Problems {
		if p.Error() == err.Error() {
			return
		}
	}
	d.report.Problems = append(d.report.Problems, err)
}

// run delivers what waits, receivers side by side.
func (d *delivery) run(ctx context.Context) error {
	unlock, err := d.n.queue.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	list, err := d.n.queue.Waiting()
	senders := map[string]*sender{}
	for _, e := range list {
		if e.Key == "" { // nobody knows what it holds back
			err = d.unreadable(&e, d.n.queue.Read(&e))
			break
		}
		key := keyOfReceiver(&e)
		if senders[key] == nil {
			senders[key] = &sender{delivery: d, key: key, held: map[string]bool{}}
		}
		senders[key].entries = append(senders[key].entries, e)
	}
	var wg sync.WaitGroup
	for _, s := range senders {
		wg.Go(func() { s.run(ctx) })
	}
	wg.Wait()
	return err
}

func (d *delivery) unreadable(e *outbox.Entry, err error) error {
	return fmt.Errorf("the webhook w%d cannot be read: %w; discard it or put it right", e.Number, err)
}

// sender sends the messages for one receiver.
type sender struct {
	*delivery
	key     string // of the receiver
	entries []outbox.Entry

	health health
	held   map[string]bool // keys of entries of which one waits
	failed bool            // the attempt before
}

func (s *sender) run(ctx context.Context) {
	s.health = s.n.health(s.key)
	now := s.n.opts.Clock()
	paused := !s.all && now.Before(s.health.Until) && s.health.Until.Sub(now) <= maxPause
	for i := range s.entries {
		e := &s.entries[i]
		err := s.n.queue.Read(e)
		switch {
		case errors.Is(err, fs.ErrNotExist): // discarded
		case err != nil:
			s.held[e.Key] = true
			s.problem(s.unreadable(e, err))
		case now.Sub(e.At) > s.n.opts.MaxAge:
			s.expire(e)
		case paused || s.held[e.Key] || ctx.Err() != nil:
			s.held[e.Key] = true
		case !s.send(ctx, e):
			return // the receiver would not take the others either
		}
	}
}

// send reports whether the next message may be tried.
func (s *sender) send(ctx context.Context, e *outbox.Entry) bool {
	m, r, err := s.n.messageOf(e)
	if err == nil {
		err = s.attempt(ctx, r, m)
	}
	if err == nil {
		s.done(e, r)
		return true
	}
	s.held[e.Key] = true
	s.problem(fmt.Errorf("the webhook for %s was not delivered: %w; it is kept", r, err))
	if errors.Is(err, errNotConfigured) {
		return true
	}
	if !s.failed { // one pause for all that is refused at a time
		s.failed = true
		s.health.Failures++
		s.health.Reason = err.Error()
		s.health.Until = s.n.opts.Clock().Add(pause(s.health.Failures, err))
		s.n.setHealth(s.key, s.health)
	}
	var refused *refusal
	return errors.As(err, &refused) && !refused.general && ctx.Err() == nil
}

// done takes a delivered message out of the folder.
func (s *sender) done(e *outbox.Entry, r receiver) {
	s.failed, s.health = false, health{}
	s.n.setHealth(s.key, s.health)
	s.n.hook("sent")
	s.mu.Lock()
	s.report.Delivered++
	err := s.n.noteSent(e)
	s.mu.Unlock()
	s.n.hook("noted")
	if err = errors.Join(err, s.n.queue.Remove(e)); err != nil {
		s.problem(fmt.Errorf("a delivered webhook cannot be taken out of the folder, and will be delivered again: %w", err))
	}
	s.n.opts.Logger.Info("webhook delivered", "host", r.String(), "id", e.ID)
}

// expire sets a message aside that could not be delivered for too long.
func (s *sender) expire(e *outbox.Entry) {
	reason := "not delivered within " + s.n.opts.MaxAge.String()
	if s.health.Reason != "" {
		reason += ": " + s.health.Reason
	}
	if err := s.n.queue.SetAside(e, reason); err != nil {
		s.problem(fmt.Errorf("a webhook that was given up cannot be set aside: %w", err))
		return
	}
	_, r, _ := s.n.messageOf(e) // it was read
	s.problem(fmt.Errorf("a webhook for %s was given up: %s", r, reason))
}

// attempt sends a message; Flush does it up to three times.
func (s *sender) attempt(ctx context.Context, r receiver, m message) error {
	for try := 1; ; try++ {
		err := r.Send(ctx, m)
		var refused *refusal
		if err == nil || !s.all || try == 3 || ctx.Err() != nil || errors.Is(err, errNotConfigured) || errors.As(err, &refused) && !refused.general {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(min(pause(try, err), 5*time.Second) / 2):
		}
	}
}

// health is what is known of a receiver.
type health struct {
	Failures int       `json:"failures"`
	Until    time.Time `json:"until"` // no attempt before
	Reason   string    `json:"reason"`
}

// healthNote, with the key of a receiver, is the name of the note.
const healthNote = "receiver-"

func (n *Notifier) health(receiver string) (h health) {
	_, _ = n.queue.Note(healthNote+receiver, &h) // what cannot be read counts as well
	return h
}

func (n *Notifier) setHealth(receiver string, h health) {
	if h.Failures == 0 {
		n.queue.RemoveNote(healthNote + receiver)
	} else if err := n.queue.SetNote(healthNote+receiver, h); err != nil {
		n.opts.Logger.Warn("the pause of a webhook's receiver is not kept", "error", err)
	}
}

// maxPause bounds the pause after failures, and what a receiver may ask for.
const maxPause = time.Hour

// pause is how long a receiver is left alone after so many failures: a second,
// doubled up to an hour.
func pause(failures int, err error) time.Duration {
	d := retry.Policy{MinWait: time.Second, MaxWait: maxPause}.Backoff(failures - 1)
	var refused *refusal
	if errors.As(err, &refused) {
		d = max(d, min(refused.after, maxPause))
	}
	return d
}
