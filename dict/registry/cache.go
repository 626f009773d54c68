package registry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"sync/atomic"
	"time"
)

// CacheOptions change a [Cache]. Nil and the zero value are the defaults.
type CacheOptions struct {
	// Snapshot is the file that the dictionary is kept in between two starts;
	// empty: none. It holds no records, only the dictionary, and is made with
	// mode 600. A file that is damaged, of another version or of another ERP is
	// not used and replaced, so each ERP, and each role that sees another part
	// of the dictionary, wants a file of its own.
	Snapshot string
	// SnapshotAge is the longest time since a snapshot was compared with the
	// ERP for Load to take it without a check; 0: Load always checks.
	SnapshotAge time.Duration
	// FailOnMissing makes Load fail when the ERP's dictionary cannot be read.
	// Otherwise that is a warning in the log, and the snapshot is used, or an
	// empty dictionary until a Refresh succeeds.
	FailOnMissing bool
	// Logger gets what went wrong without being an error; nil is silent.
	Logger *slog.Logger
}

// Cache keeps a dictionary in memory. Lookups are served from a [Catalog]
// that is replaced as a whole when the ERP's dictionary has changed, so they
// never wait for the ERP. Before the first Load the dictionary is empty.
type Cache struct {
	source Source
	opts   CacheOptions
	log    *slog.Logger
	now    func() time.Time

	current atomic.Pointer[Catalog]
	checked atomic.Pointer[time.Time] // when current was last found to be right
	busy    chan struct{}             // held by the one that loads or refreshes
}

var (
	_ Registry = (*Cache)(nil)
	_ Registry = (*Catalog)(nil)
)

// NewCache makes a cache over a source. It reads nothing yet.
func NewCache(source Source, opts *CacheOptions) *Cache {
	c := &Cache{source: source, now: time.Now, busy: make(chan struct{}, 1)}
	if opts != nil {
		c.opts = *opts
	}
	c.log = c.opts.Logger
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.use(newCatalog(content{}, nil, "", make([]Stamp, len(rowKinds())), time.Time{}))
	return c
}

// Catalog is the dictionary as it is now; it stays as it is.
func (c *Cache) Catalog() *Catalog { return c.current.Load() }

func (c *Cache) use(catalog *Catalog) {
	c.current.Store(catalog)
	c.checked.Store(&catalog.loaded)
}

// Load fills the cache: from the snapshot, if there is one, and from the ERP
// what changed since.
func (c *Cache) Load(ctx context.Context) error {
	release, err := c.enter(ctx)
	if err != nil {
		return err
	}
	defer release()
	c.takeSnapshot()
	if age := c.now().Sub(c.Catalog().loaded); c.full() && age >= 0 && age < c.opts.SnapshotAge {
		return nil
	}
	if _, err := c.refresh(ctx); err != nil {
		if c.opts.FailOnMissing || ctx.Err() != nil {
			return err
		}
		use := "the dictionary is empty until a refresh succeeds"
		if c.full() {
			use = "using the snapshot"
		}
		c.log.WarnContext(ctx, "the ERP's dictionary is not available: "+use, "error", err)
	}
	return nil
}

// takeSnapshot uses the snapshot, unless something newer is there.
func (c *Cache) takeSnapshot() {
	if c.opts.Snapshot == "" || c.full() {
		return
	}
	catalog, err := loadSnapshot(c.opts.Snapshot, c.source.Origin())
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		c.log.Warn("the dictionary snapshot is ignored", "error", err)
	default:
		c.use(catalog)
	}
}

// Encode is the dictionary as it is now, for [Cache.Restore] of another cache.
func (c *Cache) Encode() []byte { return encodeSnapshot(c.Catalog()) }

// Restore takes over what another cache encoded, unless there is a dictionary. The
// next Load or Refresh reads what has changed since. What is damaged, of another
// version or of another ERP is an error and changes nothing.
func (c *Cache) Restore(ctx context.Context, data []byte) error {
	release, err := c.enter(ctx)
	if err != nil {
		return err
	}
	defer release()
	payload, err := checkSnapshot(data)
	if err != nil {
		return err
	}
	catalog, err := decodeSnapshot(payload, c.source.Origin(), time.Time{})
	if err != nil {
		return err
	}
	if !c.full() {
		c.use(catalog)
	}
	return nil
}

func (c *Cache) full() bool { return len(c.Catalog().tables) > 0 }

// Refresh compares the cache with the ERP and reads the rows that changed. It
// returns the tables of the dictionary they belong to. On an error the cache stays
// as it was. Of several calls at a time one does the work after the other.
//
// A change is seen by the number of rows and their newest Updated (a database
// source sees any change of Updated). Read are the rows that were changed since
// the newest one of before, or shortly before that. When these and what is there
// do not add up to the table's number of rows, which shows deletions and what came
// late, the table is read as a whole; so is one that changes when that was last
// done a day ago. What changes rows without touching number or Updated stays
// unseen until then.
func (c *Cache) Refresh(ctx context.Context) (changed []string, err error) {
	release, err := c.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	return c.refresh(ctx)
}

// enter waits for its turn.
func (c *Cache) enter(ctx context.Context) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case c.busy <- struct{}{}:
		return func() { <-c.busy }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *Cache) refresh(ctx context.Context) ([]string, error) {
	before := c.Catalog()
	wanted := rowKinds()
	at := c.now()
	if c.full() {
		stamps, err := c.source.Stamps(ctx, sourcesOf(wanted))
		if err != nil {
			return nil, fmt.Errorf("look for changes in the dictionary of %s: %w", c.source.Origin(), err)
		}
		if len(stamps) != len(wanted) {
			return nil, fmt.Errorf("look for changes in the dictionary of %s: the source gave %d stamps for %d tables",
				c.source.Origin(), len(stamps), len(wanted))
		}
		changed := wanted[:0:0]
		for i, k := range wanted {
			if !before.stamps[i].same(stamps[i]) {
				changed = append(changed, k)
			}
		}
		if wanted = changed; len(wanted) == 0 {
			c.confirm(before, at)
			return nil, nil
		}
	} else {
		before = nil
	}
	catalog, changed, err := reload(ctx, c.source, before, wanted, c.now)
	if err != nil {
		return nil, err
	}
	if len(changed) == 0 && slices.Equal(catalog.stamps, before.stamps) {
		c.confirm(before, at) // changed so recently that it may change again unseen
		return nil, nil
	}
	c.use(catalog)
	if c.opts.Snapshot != "" {
		if err := saveSnapshot(c.opts.Snapshot, catalog); err != nil {
			c.log.WarnContext(ctx, "the dictionary snapshot is not written", "error", err)
		}
	}
	var names []string
	for _, k := range changed {
		names = append(names, k.source().Name)
	}
	return names, nil
}

// confirm notes that nothing has changed.
func (c *Cache) confirm(catalog *Catalog, at time.Time) {
	c.checked.Store(&at)
	if c.opts.Snapshot == "" {
		return
	}
	err := os.Chtimes(c.opts.Snapshot, at, at)
	if errors.Is(err, fs.ErrNotExist) {
		err = saveSnapshot(c.opts.Snapshot, catalog)
	}
	if err != nil {
		c.log.Warn("the dictionary snapshot is not written", "error", err)
	}
}

// Watch refreshes the cache again and again until ctx ends, which is the error
// it returns. Failures go to the log, and the cache stays as it was. The time
// between two refreshes is at least a second.
func (c *Cache) Watch(ctx context.Context, every time.Duration) error {
	ticker := time.NewTicker(max(every, time.Second))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
		changed, err := c.Refresh(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			c.log.WarnContext(ctx, "the dictionary is not refreshed", "error", err)
		case len(changed) > 0:
			c.log.InfoContext(ctx, "the dictionary changed", "tables", changed)
		}
	}
}

// Tables implements [Registry].
func (c *Cache) Tables(ctx context.Context, q ListQuery) (Listing[Table], error) {
	return c.Catalog().Tables(ctx, q)
}

// Table implements [Registry].
func (c *Cache) Table(ctx context.Context, name string, with ...Detail) (Table, error) {
	return c.Catalog().Table(ctx, name, with...)
}

// Columns implements [Registry].
func (c *Cache) Columns(ctx context.Context, table string, q ListQuery) (Listing[Column], error) {
	return c.Catalog().Columns(ctx, table, q)
}

// Element implements [Registry].
func (c *Cache) Element(ctx context.Context, name string) (Element, error) {
	return c.Catalog().Element(ctx, name)
}

// Windows implements [Registry].
func (c *Cache) Windows(ctx context.Context, q ListQuery) (Listing[Window], error) {
	return c.Catalog().Windows(ctx, q)
}

// Window implements [Registry].
func (c *Cache) Window(ctx context.Context, name string, with ...Detail) (Window, error) {
	return c.Catalog().Window(ctx, name, with...)
}

// Processes implements [Registry].
func (c *Cache) Processes(ctx context.Context, q ListQuery) (Listing[Process], error) {
	return c.Catalog().Processes(ctx, q)
}

// Process implements [Registry].
func (c *Cache) Process(ctx context.Context, name string, with ...Detail) (Process, error) {
	return c.Catalog().Process(ctx, name, with...)
}

// References implements [Registry].
func (c *Cache) References(ctx context.Context, q ListQuery) (Listing[Reference], error) {
	return c.Catalog().References(ctx, q)
}

// Reference implements [Registry].
func (c *Cache) Reference(ctx context.Context, name string, with ...Detail) (Reference, error) {
	return c.Catalog().Reference(ctx, name, with...)
}

// Pointing implements [Registry].
func (c *Cache) Pointing(ctx context.Context, table string) ([]Pointer, error) {
	return c.Catalog().Pointing(ctx, table)
}

// Search implements [Registry].
func (c *Cache) Search(ctx context.Context, q SearchQuery) (SearchResult, error) {
	return c.Catalog().Search(ctx, q)
}

// Statistics implements [Registry].
func (c *Cache) Statistics(ctx context.Context) (Statistics, error) {
	s, err := c.Catalog().Statistics(ctx)
	s.Loaded = *c.checked.Load()
	return s, err
}
