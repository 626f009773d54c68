package aiquery

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/erphub/erphub/aiquery/api"
)

// DefaultAuditBytes is the number of bytes of audit records one user may cause in a
// day: some 30,000 ordinary statements.
const DefaultAuditBytes = 128 << 20

// auditBudget counts the bytes of audit records that each user has caused since
// midnight, UTC. It is of this process: each replica counts for itself, and a
// new process begins anew.
type auditBudget struct {
	limit int64

	mu    sync.Mutex // guards the fields below
	day   string
	spent map[int]int64 // by AD_User_ID
}

func newAuditBudget(limit int64) *auditBudget {
	return &auditBudget{limit: limit, spent: map[int]int64{}}
}

// turnLocked begins a new day.
func (b *auditBudget) turnLocked(now time.Time) {
	if day := now.UTC().Format(time.DateOnly); day != b.day {
		b.day, b.spent = day, map[int]int64{}
	}
}

func (b *auditBudget) add(user int, n int64, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turnLocked(now)
	b.spent[user] += n
}

// exhausted is why a user's statements are refused, nil when they are not.
func (b *auditBudget) exhausted(user int, now time.Time) *api.Error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turnLocked(now)
	if b.spent[user] < b.limit {
		return nil
	}
	midnight := now.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	return &api.Error{
		Code: api.CodeRateLimited, Message: fmt.Sprintf("this user's statements have filled the %d bytes that the audit has for one user and day", b.limit),
		Hint: "wait until midnight UTC, or ask an administrator for a larger budget", RetryAfter: midnight.Sub(now),
	}
}

// gatherFor is how long refusals of one user are gathered for one record.
const gatherFor = time.Minute

// gatherer keeps refusals that a client can cause in any number and at no price
// from filling the audit: of each user's, the first has a record of its own, and
// those of the minute that follows have one together. So they are at most two
// records a minute and user, whatever is sent.
type gatherer struct {
	e     *Engine
	every time.Duration

	mu    sync.Mutex // guards users
	users map[int]*gathered
}

type gathered struct {
	timer *time.Timer
	from  time.Time
	more  int     // beside the first
	last  *record // of them
}

// refuse keeps record of one refusal.
func (g *gatherer) refuse(ctx context.Context, rec *record, why *api.Error) error {
	if g.e.opts.NoAudit {
		return why
	}
	user := rec.who.UserID
	g.mu.Lock()
	if u := g.users[user]; u != nil {
		rec.sql, rec.params, rec.roleID = "", "", unknownRole // others of them have others
		u.more, u.last = u.more+1, rec.done(why, g.e.opts.Clock())
		g.mu.Unlock()
		return why
	}
	g.users[user] = &gathered{from: rec.started, timer: time.AfterFunc(g.every, func() { g.flush(user) })}
	g.mu.Unlock()
	return g.e.close(ctx, rec, why)
}

// flush writes the record of those that were gathered.
func (g *gatherer) flush(user int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.flushLocked(user)
}

func (g *gatherer) flushLocked(user int) {
	u := g.users[user]
	if u == nil {
		return
	}
	u.timer.Stop()
	delete(g.users, user)
	if u.more == 0 {
		return
	}
	r := u.last
	r.message = fmt.Sprintf("%d statements from %s to %s were refused: %s", u.more, u.from.UTC().Format(time.TimeOnly), r.started.UTC().Format(time.TimeOnly), r.message)
	g.e.later(r)
}

// close writes what is gathered.
func (g *gatherer) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for user := range g.users {
		g.flushLocked(user)
	}
}

// unknownRole is the role of a request that names none; the record has none.
const unknownRole = -1

// refuse keeps record of a statement that is not run, alone or, where there may
// be any number, with others.
func (e *Engine) refuse(ctx context.Context, rec *record, why *api.Error) error {
	if why.Code == api.CodeRateLimited || e.budget.exhausted(rec.who.UserID, e.opts.Clock()) != nil {
		return e.gather.refuse(ctx, rec, why)
	}
	return e.close(ctx, rec, why)
}
