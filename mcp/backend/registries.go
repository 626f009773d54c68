package backend

import (
	"cmp"
	"container/list"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/mcp"
)

// RegistryOptions say how dictionaries are kept.
type RegistryOptions struct {
	// Fresh is the time a dictionary is used without checking whether the ERP's
	// has changed; 0 means 30 s, below 0 it is checked every time.
	Fresh time.Duration
	// Most is the number of dictionaries of different roles to keep; 0 means 16.
	// A large one takes some 25 MB.
	Most int
	// Snapshot names the file that the dictionary of the program's own login is
	// kept in between two starts; nil, or an empty name: none. It is called once,
	// when that dictionary is first needed.
	Snapshot func() string
	// Shared keeps the dictionaries of roles for other servers of the same ERP, which
	// begin with them and read what has changed; nil: every server reads them whole.
	// The programs keep one in Redis.
	Shared mcp.FileStore
	// Wait is the time a call waits for a dictionary that is being read for the
	// first time, which goes on without it; 0 means 20 s, so that the response
	// comes before clients with a limit of 30 s give up.
	Wait time.Duration
	// RefreshWait is the time a call waits for the check whether a dictionary has
	// changed before it goes on with the one that is there; 0 means 3 s.
	RefreshWait time.Duration
}

func (o *RegistryOptions) fill() {
	o.Fresh = cmp.Or(o.Fresh, 30*time.Second)
	o.Wait = cmp.Or(o.Wait, 20*time.Second)
	o.RefreshWait = cmp.Or(o.RefreshWait, 3*time.Second)
	if o.Most <= 0 {
		o.Most = 16
	}
}

// registries keeps a dictionary per part of it that callers can see. One is
// read apart from the calls that want it: no time limit of a call ends that, and
// all calls at a time share it.
type registries struct {
	source func(*kept) registry.Source
	origin string // address of the ERP
	opts   RegistryOptions
	log    *slog.Logger
	now    func() time.Time

	ctx  context.Context // of all reading; ends with close
	stop context.CancelFunc
	jobs sync.WaitGroup

	mu     sync.Mutex // guards what follows
	closed bool
	known  map[string]*list.Element // of *kept
	order  list.List                // most recently used first
	last   time.Time                // see checked
}

// newRegistries makes a registries over sources, of which each kept dictionary
// gets one of its own.
func newRegistries(source func(*kept) registry.Source, opts *RegistryOptions, log *slog.Logger) *registries {
	r := &registries{source: source, opts: *cmp.Or(opts, &RegistryOptions{}), log: log, now: time.Now, known: map[string]*list.Element{}}
	r.log = cmp.Or(r.log, slog.New(slog.DiscardHandler))
	r.opts.fill()
	r.ctx, r.stop = context.WithCancel(context.Background())
	return r
}

// close ends all reading and waits for that.
func (r *registries) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.stop()
	r.jobs.Wait()
}

// keep is the dictionary that callers with that view share.
func (r *registries) keep(view string) *kept {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.known[view]; ok {
		r.order.MoveToFront(e)
		return e.Value.(*kept)
	}
	o := &registry.CacheOptions{FailOnMissing: true, Logger: r.log}
	if view == "" && r.opts.Snapshot != nil {
		o.Snapshot = r.opts.Snapshot()
	}
	k := &kept{view: view, all: r, changed: make(chan struct{})}
	k.ctx, k.drop = context.WithCancel(r.ctx)
	k.Cache = registry.NewCache(r.source(k), o)
	r.known[view] = r.order.PushFront(k)
	for r.order.Len() > r.opts.Most {
		last := r.order.Remove(r.order.Back()).(*kept)
		delete(r.known, last.view)
		last.drop()
	}
	return k
}

// get is a dictionary that was right a short time ago, or the one there is when
// the ERP cannot be reached; [StaleNote] tells which.
func (r *registries) get(ctx context.Context, caller mcp.Caller, view string) (registry.Registry, error) {
	k := r.keep(view)
	if !k.fresh(caller) {
		if err := k.await(ctx, caller); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// refresh looks now whether the dictionary has changed, and waits for that.
func (r *registries) refresh(ctx context.Context, caller mcp.Caller, view string) error {
	k := r.keep(view)
	if !k.isLoaded() {
		return nil // the next question reads it
	}
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	begun := r.now()
	for j, own := k.start(caller); ; {
		select {
		case <-j.ended:
			if !own {
				j, own = k.start(caller) // that one may have begun before the change
				continue
			}
			if j.err != nil {
				return fmt.Errorf("checking whether the dictionary has changed: %w", j.err)
			}
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			if err := k.inTrouble(begun); err != nil {
				return err
			}
		}
	}
}

// note says that a dictionary was found to be right at that time.
func (r *registries) note(at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at.After(r.last) {
		r.last = at
	}
}

// checked is when a dictionary was last found to be right; zero: none was.
func (r *registries) checked() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// StaleNote says since when a registry that a [Registrar] gave could not be
// compared with the ERP's dictionary; "" when it is right.
func StaleNote(reg registry.Registry) string {
	k, ok := reg.(*kept)
	if !ok {
		return ""
	}
	return k.staleNote()
}
