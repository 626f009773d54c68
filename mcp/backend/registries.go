package backend

import (
	"container/list"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/erphub/erphub/dict"
)

// RegistryOptions say how dictionaries are kept.
type RegistryOptions struct {
	// Fresh is how long a dictionary is used without asking whether the ERP's
	// has changed; 0 means 30 s, below 0 it is asked every time.
	Fresh time.Duration
	// Most is how many dictionaries of different roles are kept; 0 means 16.
	// A large one takes some 25 MB.
	Most int
	// Snapshot is the file that the dictionary of the program's own login is
	// kept in between two starts; empty: none.
	Snapshot string
}

// registries keeps a dictionary per part of it that callers can see. Each is
// read with the token of the caller that needs it at that moment.
type registries struct {
	source dict.Source
	opts   RegistryOptions
	log    *slog.Logger
	now    func() time.Time

	mu    sync.Mutex
	known map[string]*list.Element // of *kept
	order list.List                // most recently used first
}

type kept struct {
	visible string
	cache   *dict.Cache
	busy    chan struct{} // held by the one that loads or refreshes

	mu      sync.Mutex
	loaded  bool
	checked time.Time
}

func newRegistries(source dict.Source, opts *RegistryOptions, log *slog.Logger) *registries {
	r := &registries{source: source, log: log, now: time.Now, known: map[string]*list.Element{}}
	if opts != nil {
		r.opts = *opts
	}
	if r.opts.Fresh == 0 {
		r.opts.Fresh = 30 * time.Second
	}
	if r.opts.Most <= 0 {
		r.opts.Most = 16
	}
	return r
}

func (r *registries) keep(visible string) *kept {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.known[visible]; ok {
		r.order.MoveToFront(e)
		return e.Value.(*kept)
	}
	o := &dict.CacheOptions{FailOnMissing: true, Logger: r.log}
	if visible == "" {
		o.Snapshot = r.opts.Snapshot
	}
	k := &kept{visible: visible, cache: dict.NewCache(r.source, o), busy: make(chan struct{}, 1)}
	r.known[visible] = r.order.PushFront(k)
	for r.order.Len() > r.opts.Most {
		last := r.order.Back()
		delete(r.known, r.order.Remove(last).(*kept).visible)
	}
	return k
}

func (k *kept) state() (loaded bool, checked time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.loaded, k.checked
}

func (k *kept) note(at time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.loaded, k.checked = true, at
}

// get is a dictionary that was right a short time ago. When it is older, one
// caller asks the ERP and the others go on with what is there.
func (r *registries) get(ctx context.Context, visible string) (dict.Registry, error) {
	k := r.keep(visible)
	loaded, checked := k.state()
	if loaded && r.opts.Fresh > 0 && r.now().Sub(checked) < r.opts.Fresh {
		return k.cache, nil
	}
	if loaded {
		select {
		case k.busy <- struct{}{}:
		default:
			return k.cache, nil
		}
		defer func() { <-k.busy }()
		if _, err := k.cache.Refresh(ctx); err != nil {
			return nil, fmt.Errorf("looking whether the dictionary has changed: %w", err)
		}
		k.note(r.now())
		return k.cache, nil
	}
	select {
	case k.busy <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-k.busy }()
	if loaded, _ := k.state(); loaded {
		return k.cache, nil
	}
	if err := k.cache.Load(ctx); err != nil {
		return nil, fmt.Errorf("reading the dictionary: %w", err)
	}
	k.note(r.now())
	return k.cache, nil
}

// refresh asks the ERP now.
func (r *registries) refresh(ctx context.Context, visible string) error {
	k := r.keep(visible)
	if loaded, _ := k.state(); !loaded {
		return nil // the next question reads it
	}
	select {
	case k.busy <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-k.busy }()
	if _, err := k.cache.Refresh(ctx); err != nil {
		return fmt.Errorf("looking whether the dictionary has changed: %w", err)
	}
	k.note(r.now())
	return nil
}
