package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
	"time"
)

// Limits bound what one caller may use. A zero field means no limit, except
// where another default is named.
type Limits struct {
	// CallsPerMinute counts calls within the last 60 seconds, refused arguments
	// included.
	CallsPerMinute int
	// Concurrent bounds the calls of one caller that run at the same time in this
	// process; 0: 16.
	Concurrent int
	// Session bounds tokens and requests to the ERP within a session, and within
	// all sessions of a caller together: a new session does not begin anew. What
	// the sessions used together is forgotten when nothing was counted for an hour.
	// Day bounds them for a caller within a day in UTC. A result that would exceed
	// a limit of tokens is refused, unless the tool changed something.
	Session, Day Cost
	// ResultTokens bounds the size of one result, as an estimate; 0: 20,000.
	ResultTokens int
	// Confirmation is the time that a confirmation may take; 0: 5 minutes.
	Confirmation time.Duration
}

const (
	defaultConcurrent   = 16
	defaultResultTokens = 20_000
	defaultConfirmation = 5 * time.Minute
	// sessionKept is how long the counts of a session outlive its last call,
	// allSessionsKept the same for those of all sessions of a caller.
	sessionKept     = 24 * time.Hour
	allSessionsKept = time.Hour
	// dayKept is longer than a day anywhere.
	dayKept = 26 * time.Hour
)

// rate counts the call against the minute.
func (b *Boundary) rate(ctx context.Context, c *Call) error {
	limit := b.opts.Limits.CallsPerMinute
	if limit == 0 {
		return nil
	}
	wait, err := b.opts.Store.Take(ctx, "minute:"+c.Caller.ID, limit, time.Minute)
	if err != nil {
		return b.unavailable(err)
	}
	if wait > 0 {
		b.opts.Metrics.Refused("rate")
		return &Error{
			Code: CodeRateLimitExceeded, Message: fmt.Sprintf("more than %d calls within a minute", limit),
			Hint: fmt.Sprintf("wait %s, then call again; prefer one larger call to many small ones", seconds(wait)), RetryAfter: wait,
		}
	}
	return nil
}

// spend adds to the counts of day and caller, and of the session if there is
// one. need is what must fit without being added.
func (b *Boundary) spend(ctx context.Context, c *Call, add, need Cost, force bool) error {
	l := b.opts.Limits
	if l.Session == (Cost{}) && l.Day == (Cost{}) {
		return nil
	}
	now := b.opts.Now().UTC()
	midnight := now.Truncate(24 * time.Hour).Add(24 * time.Hour)
	scopes := []scope{
		{"day:" + now.Format(time.DateOnly) + ":" + c.Caller.ID, "a day", l.Day, dayKept, midnight.Sub(now), "the count starts anew at midnight UTC, in "},
		{
			"sessions:" + c.Caller.ID, "a session, counted over all sessions of this user,", l.Session, allSessionsKept, allSessionsKept,
			"a new session does not help: the count starts anew when nothing was used for an hour, at the latest in ",
		},
	}
	if c.Caller.Session != "" {
		scopes = append(scopes, scope{
			"session:" + c.Caller.ID + ":" + auditDigest(c.Caller.Session), "a session", l.Session, sessionKept, 0,
			"start another session",
		})
	}
	var entries []LimitEntry
	var meant []func() *Error
	for _, s := range scopes {
		for _, m := range []struct {
			what        string
			amount, fit int
			limit       int
		}{
			{"tokens", add.Tokens, need.Tokens, s.limit.Tokens},
			{"requests to the ERP", add.APICalls, need.APICalls, s.limit.APICalls},
		} {
			if m.limit == 0 || m.amount == 0 && m.fit == 0 {
				continue
			}
			e := LimitEntry{Key: s.key + ":" + m.what[:1], Amount: int64(m.amount), Need: int64(m.fit), Limit: int64(m.limit), TTL: s.ttl}
			if force {
				e.Limit = 0
			}
			entries = append(entries, e)
			meant = append(meant, func() *Error {
				hint := s.hint
				if s.wait > 0 {
					hint += seconds(s.wait)
				}
				return &Error{
					Code: CodeCostLimitExceeded, Hint: hint, RetryAfter: s.wait,
					Message: fmt.Sprintf("the limit of %d %s %s is reached", m.limit, m.what, s.name),
				}
			})
		}
	}
	if len(entries) == 0 {
		return nil
	}
	exceeded, err := b.opts.Store.Add(ctx, entries)
	if err != nil {
		return b.unavailable(err)
	}
	if exceeded >= 0 {
		b.opts.Metrics.Refused("cost")
		return meant[exceeded]()
	}
	return nil
}

// scope is what costs are counted for.
type scope struct {
	key, name string
	limit     Cost
	ttl       time.Duration
	wait      time.Duration // until the count is gone, at the longest; 0: waiting does not help
	hint      string        // the wait follows it
}

func (b *Boundary) unavailable(err error) error {
	b.opts.Metrics.Refused("store")
	return &Error{
		Code: CodeUnreachable, Message: "the limits of this server cannot be checked", RetryAfter: 5 * time.Second,
		Hint: "try again in a few seconds; if it persists, tell the operator that the store of the limits does not respond", Err: err,
	}
}

// seconds shows a wait as people read it, rounded up.
func seconds(d time.Duration) string {
	if d < 2*time.Minute {
		return fmt.Sprintf("%d s", int((d+time.Second-1)/time.Second))
	}
	return d.Round(time.Minute).String()
}

// slots counts the calls of each caller that run now.
type slots struct {
	mu      sync.Mutex // guards running
	running map[string]int
}

// take reports whether one more may run.
func (s *slots) take(caller string, most int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[caller] >= most {
		return false
	}
	s.running[caller]++
	return true
}

func (s *slots) release(caller string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[caller]--; s.running[caller] <= 0 {
		delete(s.running, caller)
	}
}

// auditDigest names something that must not be shown or that may be long.
func auditDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
