package deploylog

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
)

// Options change a [Log]. Nil and the zero value are the defaults.
type Options struct {
	// Clock tells the time; nil is the machine's clock.
	Clock Clock
	// Logger gets what was fixed without being an error; nil is silent.
	Logger *slog.Logger
	// PreferPatch changes records by PATCH where the server says that it knows
	// the method. Without it PATCH is used only when the server refuses PUT.
	PreferPatch bool
	// Attempts is the number of times a write is tried if the response is lost, the first
	// included; 0: 3. What was carried out is found, never done twice.
	Attempts int
	// RetryWait is the wait before the second attempt, which doubles for each
	// further one; 0: 200 ms.
	RetryWait time.Duration
	// ClaimWait is the time a writer may hold a run before another one takes
	// over; 0: 5 s. It only matters when a writer was killed in the middle of a
	// move.
	ClaimWait time.Duration
}

// Log is the deployment log of the ERP a client is connected to. It is safe for
// concurrent use. Make one for each login: Measure gives what it remembers of runs to
// whoever calls it.
type Log struct {
	client *erp.Client
	opts   Options
	clock  Clock
	log    *slog.Logger
	limits limits

	environments environments

	mu     sync.Mutex // guards what follows
	method string     // how records are changed, empty: not decided
	ended  map[Environment]*endedRuns
}

// New makes a log. It does not connect.
func New(client *erp.Client, opts *Options) *Log {
	l := &Log{client: client, clock: systemClock{}, log: slog.New(slog.DiscardHandler), limits: tableLimits(), ended: map[Environment]*endedRuns{}}
	if opts != nil {
		l.opts = *opts
	}
	if l.opts.Clock != nil {
		l.clock = l.opts.Clock
	}
	if l.opts.Logger != nil {
		l.log = l.opts.Logger
	}
	l.opts.Attempts = cmp.Or(l.opts.Attempts, 3)
	l.opts.RetryWait = cmp.Or(l.opts.RetryWait, 200*time.Millisecond)
	l.opts.ClaimWait = cmp.Or(l.opts.ClaimWait, 5*time.Second)
	return l
}

// Get reads a run by its number or its UUID. The error matches erp.ErrNotFound
// when there is no such run.
func (l *Log) Get(ctx context.Context, id erp.ID) (Run, error) {
	if id.IsZero() {
		return Run{}, fmt.Errorf("%w: no run was named", ErrInvalid)
	}
	rec, err := l.client.Get(ctx, TableName, id, nil)
	if err != nil {
		return Run{}, fmt.Errorf("reading run %s: %w", id, err)
	}
	return ParseRun(rec)
}

// again waits before attempt number n+1, and reports whether there is one.
func (l *Log) again(ctx context.Context, n int) bool {
	return n < l.opts.Attempts && l.clock.Sleep(ctx, l.opts.RetryWait<<min(n-1, 6)) == nil
}

// newUUID makes a UUID that sorts by time.
func newUUID() string { return string(dict.NewUUID()) }

// namespace is that of the UUIDs this package derives.
var namespace = dict.UUIDv5(dict.Namespace, TableName)

// derivedUUID is the same for the same parts.
func derivedUUID(parts ...string) string {
	text := ""
	for _, p := range parts {
		text += fmt.Sprintf("%d:%s/", len(p), p)
	}
	return string(dict.UUIDv5(namespace, text))
}

// isoUTC is a time as it is sent: ISO 8601 in UTC, whole seconds, which is what
// the ERP returns.
func isoUTC(t time.Time) string { return t.UTC().Truncate(time.Second).Format(time.RFC3339) }
