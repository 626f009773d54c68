package notify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
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

func (n *Notifier) deliver(ctx context.Context, all bool) (r Report) {
	files, err := n.files()
	if err == nil && len(files) > 0 {
		var unlock func()
		if unlock, err = n.lock(ctx, sendLock); err == nil {
			r = n.deliverLocked(ctx, all)
			unlock()
		}
	}
	if err != nil {
		r.Problems = append(r.Problems, err)
	}
	waiting, err := n.files()
	expired, err2 := list(filepath.Join(n.dir, expiredDir))
	r.Waiting, r.Expired = len(waiting), len(expired)
	if err := errors.Join(err, err2); err != nil {
		r.Problems = append(r.Problems, err)
	}
	return r
}

func (n *Notifier) deliverLocked(ctx context.Context, all bool) Report {
	files, err := n.files() // as they are under the lock
	if err != nil {
		return Report{Problems: []error{err}}
	}
	queues, order := map[string][]file{}, []string{}
	for _, f := range files {
		if queues[f.target] == nil {
			order = append(order, f.target)
		}
		queues[f.target] = append(queues[f.target], f)
	}
	list := make([]queue, len(order))
	var wg sync.WaitGroup
	var mu sync.Mutex // guards the list of what was sent
	for i, target := range order {
		list[i] = queue{n: n, target: target, files: queues[target], all: all, sent: &mu}
		wg.Go(func() { list[i].run(ctx) })
	}
	wg.Wait()
	var r Report
	for _, q := range list {
		r.Delivered += q.delivered
		r.Problems = append(r.Problems, q.problems...)
	}
	return r
}

// queue are the messages for one receiver.
type queue struct {
	n      *Notifier
	target string
	files  []file
	all    bool
	sent   *sync.Mutex

	delivered int
	problems  []error
}

func (q *queue) run(ctx context.Context) {
	n := q.n
	h := n.health(q.target)
	now := n.opts.Clock()
	paused := !q.all && now.Before(h.Until) && h.Until.Sub(now) <= maxPause
	held := map[string]bool{} // runs of which a message waits
	failed := false
	for _, f := range q.files {
		m, err := read(f)
		switch {
		case errors.Is(err, os.ErrNotExist):
			continue // discarded
		case err != nil:
			held[f.run] = true
			q.problem(fmt.Errorf("the webhook %s cannot be read: %w; discard it or put it right", f.name(), err))
			continue
		case now.Sub(m.Created) > n.opts.MaxAge:
			q.expire(f, m, h.Reason)
			continue
		case paused || held[f.run] || ctx.Err() != nil:
			held[f.run] = true
			continue
		case m.Receiver.Signed && n.opts.Secret.IsZero():
			held[f.run] = true
			q.problem(fmt.Errorf("webhooks for %s are signed, and there is no secret to sign them with", host(m.Receiver.URL)))
			continue
		}
		err = q.attempt(ctx, &m)
		if err == nil {
			q.delivered++
			failed = false
			h = health{}
			n.setHealth(q.target, h)
			q.done(f, &m)
			continue
		}
		held[f.run] = true
		q.problem(fmt.Errorf("the webhook for %s was not delivered: %w; it is kept", host(m.Receiver.URL), err))
		if !failed { // one pause for all that is refused at a time
			failed = true
			h.Failures++
			h.Reason = err.Error()
			h.Until = n.opts.Clock().Add(pause(h.Failures, err))
			n.setHealth(q.target, h)
		}
		var refused *refusedError
		if !errors.As(err, &refused) || refused.retryable() || ctx.Err() != nil {
			return // the others would fare the same
		}
	}
}

func (q *queue) problem(err error) {
	q.n.log.Warn("webhook", "error", err)
	for _, p := range q.problems {
		if p.Error() == err.Error() {
			return
		}
	}
	q.problems = append(q.problems, err)
}

// done takes a delivered message out of the folder.
func (q *queue) done(f file, m *message) {
	q.n.hook("sent")
	q.sent.Lock()
	err := q.n.noteSent(m)
	q.sent.Unlock()
	q.n.hook("noted")
	if err = errors.Join(err, os.Remove(f.path)); err != nil {
		q.problem(fmt.Errorf("a delivered webhook cannot be taken out of the folder, and will be delivered again: %w", err))
	}
	q.n.log.Info("webhook delivered", "host", host(m.Receiver.URL), "id", m.ID)
}

// expire sets a message aside that could not be delivered for too long.
func (q *queue) expire(f file, m message, reason string) {
	m.Reason = "not delivered within " + q.n.opts.MaxAge.String()
	if reason != "" {
		m.Reason += ": " + reason
	}
	to := f
	to.path = filepath.Join(q.n.dir, expiredDir, filepath.Base(f.path))
	err := q.n.write(to, m)
	if err == nil {
		err = os.Remove(f.path)
	}
	if err != nil {
		q.problem(fmt.Errorf("a webhook that was given up cannot be set aside: %w", err))
		return
	}
	q.problem(fmt.Errorf("a webhook for %s was given up: %s", host(m.Receiver.URL), m.Reason))
}

// attempt sends a message; Flush does it up to three times.
func (q *queue) attempt(ctx context.Context, m *message) error {
	for try := 1; ; try++ {
		err := q.n.post(ctx, m)
		var refused *refusedError
		if err == nil || !q.all || try == 3 || ctx.Err() != nil || errors.As(err, &refused) && !refused.retryable() {
			return err
		}
		wait := min(pause(try, err), 5*time.Second) / 2
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
	}
}

// refusedError is a response other than 200 to 299.
type refusedError struct {
	status int
	after  time.Duration // what Retry-After says
}

func (e *refusedError) Error() string {
	text := fmt.Sprintf("it responded with %d %s", e.status, http.StatusText(e.status))
	if e.status >= 300 && e.status < 400 {
		text += "; redirects are not followed, configure the address it leads to"
	}
	return strings.TrimSpace(text)
}

// retryable reports whether the receiver has a problem, not the message.
func (e *refusedError) retryable() bool {
	switch e.status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return e.status >= 500
}

// maxPause bounds the pause after failures, and what Retry-After may ask for.
const maxPause = time.Hour

// pause is how long a receiver is left alone after so many failures: 1 s doubled
// up to an hour, less up to a quarter.
func pause(failures int, err error) time.Duration {
	d := min(time.Second<<min(max(failures-1, 0), 12), maxPause)
	d -= rand.N(d/4 + 1)
	var refused *refusedError
	if errors.As(err, &refused) {
		d = max(d, min(refused.after, maxPause))
	}
	return d
}

func (n *Notifier) post(ctx context.Context, m *message) error {
	ctx, cancel := context.WithTimeout(ctx, n.opts.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.Receiver.URL, strings.NewReader(m.Body))
	if err != nil {
		return errors.New("its address is wrong")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", n.opts.UserAgent)
	secret := n.opts.Secret
	if !m.Receiver.Signed {
		secret = Secret{}
	}
	secret.sign(req.Header, m.ID, n.opts.Clock(), []byte(m.Body))
	resp, err := n.client.Do(req)
	if err != nil {
		var failed *url.Error // which names the address
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return err
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, 4<<10) // so that the connection can serve the next one
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return nil
	}
	refused := &refusedError{status: resp.StatusCode}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
		refused.after = time.Duration(min(seconds, int(maxPause/time.Second))) * time.Second
	}
	return refused
}
