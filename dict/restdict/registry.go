package restdict

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
)

// SourceOptions change how the dictionary is read. Nil and the zero value are
// the defaults.
type SourceOptions struct {
	// PageSize is the number of records to read in one request; 0: 1,000. The
	// server gives 100 at a time unless REST_MAX_RECORDS_SIZE says otherwise.
	PageSize int
	// Concurrency is the number of requests under way at a time; 0: 4.
	Concurrency int
	// Origin names the ERP in snapshots; empty: the client's address. Roles that
	// see different parts of the dictionary want different names.
	Origin string
	// Retry is called for a request of Read that failed for the attempt-th time
	// in a row, counted from 1: it waits and returns true to have that request made
	// again, and false to give up. What was read before stays read. It must return
	// when ctx ends. nil: the client's own retries are all there are.
	Retry func(ctx context.Context, attempt int, err error) bool
	// Progress is called for every request of Read that succeeded: how many were,
	// and how many there will be, which is an estimate that grows with what is
	// learned about the size of tables. It is called from several goroutines, one
	// at a time. nil: nobody does.
	Progress func(done, total int)
	// Logger gets tables that are hidden from the role or never hold still;
	// nil is silent.
	Logger *slog.Logger
}

const (
	defaultPageSize    = 1000
	defaultConcurrency = 4
)

// Source reads the dictionary through the REST API. It is safe for concurrent
// use.
//
// It sees what the role may see. Rows may change while it reads, because the
// API knows no transaction for reading. Rows are read by ranges of their keys,
// so one that is there all the while is read once, whatever happens around it; a
// table whose count or newest change is another after reading than before is
// read again, three times at most.
//
// A change is seen by the number of rows and their newest time, which the API
// gives to the second by the server's clock; clocks that are more than a
// quarter of a minute apart can hide one of two changes in the same second.
type Source struct {
	client *erp.Client
	opts   SourceOptions
	log    *slog.Logger
	slots  chan struct{} // one per request under way

	mu     sync.Mutex // guards what follows
	schema schema     // nil until it was read
	tally  *tally     // of the Read that began last
}

var _ registry.Source = (*Source)(nil)

// NewSource makes a source of a client.
func NewSource(client *erp.Client, opts *SourceOptions) *Source {
	s := &Source{client: client}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.PageSize <= 0 {
		s.opts.PageSize = defaultPageSize
	}
	if s.opts.Concurrency <= 0 {
		s.opts.Concurrency = defaultConcurrency
	}
	if s.opts.Origin == "" {
		s.opts.Origin = client.BaseURL()
	}
	s.log = s.opts.Logger
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.slots = make(chan struct{}, s.opts.Concurrency)
	return s
}

// Origin implements [registry.Source].
func (s *Source) Origin() string { return s.opts.Origin }

// Stamps implements [registry.Source].
func (s *Source) Stamps(ctx context.Context, tables []registry.SourceTable) ([]registry.Stamp, error) {
	return s.each(ctx, tables, func(ctx context.Context, i int) (registry.Stamp, error) {
		return s.stamp(ctx, tables[i].Name, everything(), s.once)
	})
}

// Read implements [registry.Source].
func (s *Source) Read(ctx context.Context, tables []registry.SourceTable, sink registry.Sink) ([]registry.Stamp, error) {
	s.mu.Lock()
	s.tally = newTally(len(tables), s.opts.Progress)
	s.mu.Unlock()
	has, err := s.columns(ctx, tables)
	if err != nil {
		return nil, err
	}
	stamps, err := s.each(ctx, tables, func(ctx context.Context, i int) (registry.Stamp, error) {
		if has[strings.ToLower(tables[i].Name)] == nil {
			sink.Begin(i)
			return registry.Stamp{}, fmt.Errorf("read %s: the server has no such table, or hides it from the role: %w", tables[i].Name, erp.ErrNotFound)
		}
		r, err := newTableReader(s, i, tables[i], has[strings.ToLower(tables[i].Name)], sink)
		if err != nil {
			return registry.Stamp{}, err
		}
		if len(tables[i].Where) > 0 {
			return r.readWhere(ctx)
		}
		return r.read(ctx)
	})
	if errors.Is(err, erp.ErrValidation) {
		s.forget() // the server was given other columns since
	}
	return stamps, err
}

// each works on all tables at once. The first error ends the others; an optional
// table may be missing or hidden without an error.
func (s *Source) each(ctx context.Context, tables []registry.SourceTable, do func(context.Context, int) (registry.Stamp, error)) ([]registry.Stamp, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stamps := make([]registry.Stamp, len(tables))
	var work sync.WaitGroup
	for i := range tables {
		work.Go(func() {
			stamp, err := do(ctx, i)
			switch {
			case tables[i].Optional && (errors.Is(err, erp.ErrNotFound) || errors.Is(err, erp.ErrForbidden)):
				s.log.DebugContext(ctx, "a part of the dictionary is missing", "table", tables[i].Name, "error", err)
				stamp = registry.Stamp{Missing: true}
			case err != nil:
				cancel(err) // the first one stays
			}
			stamps[i] = stamp
		})
	}
	work.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return stamps, nil
}

// query reads one page, again and again as long as Retry says so.
func (s *Source) query(ctx context.Context, table string, q *erp.Query) (*erp.Page, error) {
	for attempt := 1; ; attempt++ {
		page, err := s.once(ctx, table, q)
		if err == nil {
			s.mu.Lock()
			t := s.tally
			s.mu.Unlock()
			t.add()
			return page, nil
		}
		if s.opts.Retry == nil || ctx.Err() != nil || !s.opts.Retry(ctx, attempt, err) {
			return nil, err
		}
	}
}

// once reads one page, when it is its turn.
func (s *Source) once(ctx context.Context, table string, q *erp.Query) (*erp.Page, error) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	return s.client.Query(ctx, table, q)
}

// all reads all records of a query, in the order of a key, page by page from
// behind the last one on.
func (s *Source) all(ctx context.Context, table, key string, q erp.Query, take func(erp.Record)) error {
	q.Top, q.OrderBy = s.opts.PageSize, []string{key}
	condition := q.Filter
	for {
		page, err := s.query(ctx, table, &q)
		if err != nil {
			return err
		}
		for _, record := range page.Records {
			take(record)
		}
		if !page.More() {
			return nil
		}
		last, ok := page.Records[len(page.Records)-1].ID().Int()
		if !ok {
			return fmt.Errorf("read %s: a record has no number: %w", table, erp.ErrBadResponse)
		}
		q.Filter = condition.And(erp.Gt(key, last))
	}
}

// everything is a condition that all rows meet. The server shows active rows
// only, unless a condition names the column.
func everything() erp.Filter { return erp.NotNull("IsActive") }
