package aiquery

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/internal/run"
)

// maxPolicies bounds how many policies are kept.
const maxPolicies = 256

// policies keeps policies for a short while, and the dictionary they share.
type policies struct {
	e *Engine

	mu         sync.Mutex // guards the fields below
	dictionary *flight[*dictionary]
	kept       map[policyKey]*flight[*Policy]
}

type policyKey struct{ user, role int }

// flight is a value that one caller loads for all.
type flight[T any] struct {
	done  chan struct{}
	value T
	err   error
	until time.Time // set once it is done
}

// share returns the value of a flight, or starts it. Loading goes on when the
// caller that began it leaves, within loadTimeout.
func share[T any](ctx context.Context, f *flight[T], load func(context.Context) (T, error)) (T, error) {
	if load != nil {
		go func() {
			defer close(f.done)
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadTimeout)
			defer cancel()
			defer func() {
				if p := recover(); p != nil {
					f.err = errors.New("panic while loading")
				}
			}()
			f.value, f.err = load(ctx)
		}()
	}
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

const loadTimeout = 30 * time.Second

func (f *flight[T]) finished() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}

// drop forgets everything.
func (ps *policies) drop() {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.dictionary, ps.kept = nil, map[policyKey]*flight[*Policy]{}
}

// forget drops one policy, if it still is the one kept.
func (ps *policies) forget(key policyKey, p *Policy) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if f := ps.kept[key]; f != nil && f.finished() && f.value == p {
		delete(ps.kept, key)
	}
}

// get is the policy of a user under a role; errNotHeld when it is not one of
// the user's.
func (ps *policies) get(ctx context.Context, userID, roleID int) (*Policy, error) {
	if roleID < 0 || roleID > math.MaxInt32 || userID < 0 || userID > math.MaxInt32 {
		return nil, errNotHeld
	}
	key := policyKey{userID, roleID}
	now := ps.e.opts.Clock()
	ps.mu.Lock()
	f, start := ps.kept[key], false
	if f == nil || f.finished() && (f.err != nil || !now.Before(f.value.until)) {
		if len(ps.kept) >= maxPolicies {
			for k, old := range ps.kept {
				if old.finished() {
					delete(ps.kept, k) // any: they live for a minute anyway
					break
				}
			}
		}
		f, start = &flight[*Policy]{done: make(chan struct{})}, true
		ps.kept[key] = f
	}
	ps.mu.Unlock()
	if !start {
		return share(ctx, f, nil)
	}
	return share(ctx, f, func(ctx context.Context) (*Policy, error) { return ps.load(ctx, key, now) })
}

func (ps *policies) load(ctx context.Context, key policyKey, now time.Time) (*Policy, error) {
	d, err := ps.shared(ctx, now)
	if err != nil {
		return nil, err
	}
	var r *permissions
	if err := ps.e.db.Snapshot(ctx, func(read run.Reader) (err error) {
		r, err = loadPermissions(ctx, read, d.catalog, ps.e.db.Schema(), int64(key.user), int64(key.role), now)
		return err
	}); err != nil {
		return nil, unreadable(err)
	}
	p, err := newPolicy(r, d, &ps.e.opts, ps.e.db.Schema())
	if err != nil {
		return nil, err
	}
	p.until = now.Add(ps.e.opts.PolicyLife)
	if !r.until.IsZero() && r.until.Before(p.until) {
		p.until = r.until
	}
	return p, nil
}

// shared is the dictionary as all policies of the moment see it.
func (ps *policies) shared(ctx context.Context, now time.Time) (*dictionary, error) {
	ps.mu.Lock()
	f, start := ps.dictionary, false
	if f == nil || f.finished() && (f.err != nil || !now.Before(f.until)) {
		f, start = &flight[*dictionary]{done: make(chan struct{})}, true
		ps.dictionary = f
	}
	ps.mu.Unlock()
	if !start {
		return share(ctx, f, nil)
	}
	return share(ctx, f, func(ctx context.Context) (*dictionary, error) {
		f.until = now.Add(ps.e.opts.PolicyLife)
		cat, err := ps.e.db.Catalog(ctx)
		if err != nil {
			return nil, unreadable(err)
		}
		d, err := loadDictionary(ctx, ps.e.reg, cat, ps.e.redact)
		return d, unreadable(err)
	})
}

// unreadable is an error of reading permissions, tables or the dictionary, which is
// no error of the caller's statement.
func unreadable(err error) error {
	var known *api.Error
	if err == nil || errors.Is(err, errNotHeld) || errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return run.Fail(api.CodeUnavailable, err, "the permissions cannot be read").Advise("try again later")
}
