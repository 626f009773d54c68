package httpapi

import (
	"context"
	"crypto/sha256"
	"slices"
	"sync"
	"time"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/internal/httpserver/access"
)

// maxSteps bounds what is kept of a job's progress.
const maxSteps = 2000

// step is how far a job is.
type step struct {
	Done    int    `json:"done"`
	Total   int    `json:"total"`
	Message string `json:"message"`
}

// outcome is what came of a job: one of both is set.
type outcome struct {
	receipt *generator.Receipt
	err     *httpserver.APIError
}

// size is about what an outcome takes in memory.
func (o outcome) size() int {
	if o.receipt == nil {
		return 1 << 10
	}
	n := 1<<10 + len(o.receipt.Zip)
	for _, f := range o.receipt.Files {
		n += len(f) + 16
	}
	return n
}

// job makes and delivers one plugin, for one request or for several with the
// same key.
type job struct {
	key     jobKey // without text when nobody else may join
	print   [sha256.Size]byte
	done    chan struct{} // closed when outcome is there
	outcome outcome
	// replayed says that another server did the work. Set before done is closed.
	replayed bool

	mu      sync.Mutex // guards what follows
	cancel  context.CancelFunc
	waiting int  // requests
	given   bool // up: nobody waits any more
	mode    generator.Mode
	steps   []step
	changed chan struct{} // closed at the next step

	// Of a finished job that is remembered, guarded by jobs.mu.
	expires time.Time
	size    int
}

func newJob(key jobKey, print [sha256.Size]byte) *job {
	return &job{key: key, print: print, done: make(chan struct{}), changed: make(chan struct{}), waiting: 1}
}

// start gives the job the means to be stopped.
func (j *job) start(cancel context.CancelFunc) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.cancel = cancel
}

func (j *job) setMode(mode generator.Mode) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.mode = mode
}

// report is the [generator.Progress] of the delivery.
func (j *job) report(done, total int, what string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.steps) >= maxSteps {
		return
	}
	j.steps = append(j.steps, step{done, total, what})
	close(j.changed)
	j.changed = make(chan struct{})
}

// since returns the steps from one on, and what is closed at the next.
func (j *job) since(from int) (mode generator.Mode, steps []step, changed <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.mode, slices.Clone(j.steps[from:]), j.changed
}

// enter adds a request that waits, unless the job was given up and has not ended.
func (j *job) enter() bool {
	select {
	case <-j.done:
		return true
	default:
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.given {
		return false
	}
	j.waiting++
	return true
}

// leave ends the waiting of a request, and the job when that was the last one:
// then it returns when the job has taken back what it had begun. It reports
// whether there is an outcome for this request, whose context may have ended.
func (j *job) leave(ctx context.Context) bool {
	select {
	case <-j.done:
		return true
	default:
	}
	j.mu.Lock()
	j.waiting--
	last := j.waiting == 0
	if last {
		j.given = true
		if j.cancel != nil {
			j.cancel()
		}
	}
	j.mu.Unlock()
	if last {
		<-j.done
	}
	return ctx.Err() == nil
}

// Bounds of what is kept of finished jobs.
const (
	maxKept        = 10_000
	maxKeptPerUser = 1000
	maxKeptBytes   = 64 << 20
)

// jobKey names a job: a user and the key chosen by him.
type jobKey struct {
	who  access.UserKey
	text string
}

// jobs knows the jobs that have a key: those that run, and for some time those
// that have ended.
type jobs struct {
	life time.Duration
	most int // that run for one user
	now  func() time.Time

	mu      sync.Mutex // guards what follows
	running map[access.UserKey]int
	byKey   map[jobKey]*job
	kept    []*job // finished, the oldest first
	perUser map[access.UserKey]int
	bytes   int
	next    time.Time // nothing of kept expires earlier
}

func newJobs(life time.Duration, most int, now func() time.Time) *jobs {
	return &jobs{life: life, most: most, now: now, running: map[access.UserKey]int{}, byKey: map[jobKey]*job{}, perUser: map[access.UserKey]int{}}
}

// run counts a job that begins for a user, unless he has enough of them.
func (s *jobs) run(who access.UserKey) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[who] >= s.most {
		return false
	}
	s.running[who]++
	return true
}

// ran counts one that has ended.
func (s *jobs) ran(who access.UserKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[who]--; s.running[who] == 0 {
		delete(s.running, who)
	}
}

// join finds the job of a key and waits for it along with others, or makes a new
// one. Its errors are refusals, or the context's.
func (s *jobs) join(ctx context.Context, key jobKey, print [sha256.Size]byte) (j *job, joined bool, err error) {
	if key.text == "" {
		return newJob(key, print), false, nil
	}
	for {
		s.mu.Lock()
		s.expireLocked()
		j := s.byKey[key]
		if j == nil {
			j = newJob(key, print)
			s.byKey[key] = j
			s.mu.Unlock()
			return j, false, nil
		}
		s.mu.Unlock()
		if j.print != print {
			return nil, false, keyReused()
		}
		if j.enter() {
			return j, true, nil
		}
		// It was given up and takes back what it had begun: wait, then begin anew.
		select {
		case <-j.done:
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
}

// finish gives a job its outcome. It is kept under its key when it was delivered,
// or may have been.
func (s *jobs) finish(j *job, out outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j.outcome = out
	defer close(j.done)
	if j.key.text == "" {
		return
	}
	if p := out.err; p != nil && p.Code != codeUnknown {
		delete(s.byKey, j.key)
		return
	}
	j.expires = expiry(out.receipt)
	if j.expires.IsZero() {
		j.expires = s.now().Add(s.life)
	}
	j.size = out.size()
	if j.size > maxKeptBytes {
		delete(s.byKey, j.key)
		return
	}
	if s.perUser[j.key.who] >= maxKeptPerUser {
		if i := slices.IndexFunc(s.kept, func(k *job) bool { return k.key.who == j.key.who }); i >= 0 {
			s.forgetLocked(i)
		}
	}
	for len(s.kept) > 0 && (len(s.kept) >= maxKept || s.bytes+j.size > maxKeptBytes) {
		s.forgetLocked(0)
	}
	if len(s.kept) == 0 || j.expires.Before(s.next) {
		s.next = j.expires
	}
	s.kept = append(s.kept, j)
	s.perUser[j.key.who]++
	s.bytes += j.size
}

// expireLocked forgets what has expired.
func (s *jobs) expireLocked() {
	now := s.now()
	if now.Before(s.next) {
		return
	}
	s.next = now.Add(s.life)
	for i := len(s.kept) - 1; i >= 0; i-- {
		switch expires := s.kept[i].expires; {
		case !now.Before(expires):
			s.forgetLocked(i)
		case expires.Before(s.next):
			s.next = expires
		}
	}
}

func (s *jobs) forgetLocked(i int) {
	j := s.kept[i]
	s.kept = slices.Delete(s.kept, i, i+1)
	s.bytes -= j.size
	if s.perUser[j.key.who]--; s.perUser[j.key.who] == 0 {
		delete(s.perUser, j.key.who)
	}
	delete(s.byKey, j.key)
}
