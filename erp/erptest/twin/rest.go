package twin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/displaytype"
)

// RESTOptions change how an ERP is read over its REST API. Nil and the zero value
// are the defaults.
type RESTOptions struct {
	// PageSize is how many records to request at once; 0 means 1,000. The server
	// gives 100 at a time unless its REST_MAX_RECORDS_SIZE says otherwise.
	PageSize int
	// PerSecond bounds the requests per second; 0 means no bound.
	PerSecond float64
}

// REST reads an ERP over its REST API. What it sees is what the role of the
// client's token may see: the tenant of the role, and the System's records.
//
// The API knows no transaction for reading, so rows that change meanwhile may be
// read before or after. Tables with a key are read by ranges of it, so that each
// row that is there all the while is read once. The client must request texts in
// the base language of the ERP (erp.WithLocale), or translations take their place.
type REST struct {
	client *erp.Client
	opts   RESTOptions

	mu   sync.Mutex // guards next
	next time.Time  // when the next request may be made
}

// NewREST makes a source of a client.
func NewREST(client *erp.Client, opts *RESTOptions) *REST {
	s := &REST{client: client}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.PageSize <= 0 {
		s.opts.PageSize = 1000
	}
	return s
}

// Origin implements [Source].
func (s *REST) Origin() string { return s.client.BaseURL() }

const restKind = "rest"

// Kind implements [Source].
func (s *REST) Kind() string { return restKind }

// Hides implements [Source]. The API leaves out of records what buttons hold, but
// lets records be found by it, and has no text for some display types.
func (s *REST) Hides(_ *Table, c *Column) string {
	switch c.Display {
	case displaytype.Button:
		if c.Type == Text && len(c.Codes) == 0 && c.Length != 1 {
			return "the API leaves out what buttons hold"
		}
	case displaytype.Assignment, displaytype.Chart, displaytype.DashboardContent, displaytype.SingleSelectionGrid, displaytype.MultipleSelectionGrid, displaytype.SchedulerState:
		return "the API leaves out values of this display type"
	}
	return ""
}

// Stamp implements [Source].
func (s *REST) Stamp(ctx context.Context, t *Table) (Stamp, error) {
	q := erp.Query{Filter: everything(t), Top: 1}
	if t.HasUpdated {
		q.Select, q.OrderBy = []string{"Updated"}, []string{erp.Desc("Updated")}
	}
	page, err := s.page(ctx, t.Name, &q)
	if err != nil {
		return Stamp{}, err
	}
	stamp := Stamp{Rows: int64(page.Rows)}
	if len(page.Records) > 0 && t.HasUpdated {
		stamp.Newest, _ = page.Records[0].Time("Updated")
	}
	return stamp, nil
}

// page requests one page. One that fails is requested once more at once: reading rows
// takes several requests, and beginning with the first again may never get to the last.
func (s *REST) page(ctx context.Context, table string, q *erp.Query) (*erp.Page, error) {
	page, err := s.request(ctx, table, q)
	final := errors.Is(err, ErrNotReadable) || errors.Is(err, ErrNoTable) || errors.Is(err, ErrFatal) || errors.Is(err, erp.ErrRateLimited)
	if err != nil && !final && ctx.Err() == nil {
		page, err = s.request(ctx, table, q)
	}
	return page, err
}

// request requests one page when it is its time.
func (s *REST) request(ctx context.Context, table string, q *erp.Query) (*erp.Page, error) {
	if s.opts.PerSecond > 0 {
		s.mu.Lock()
		at := time.Now()
		if s.next.After(at) {
			at = s.next
		}
		s.next = at.Add(time.Duration(float64(time.Second) / s.opts.PerSecond))
		s.mu.Unlock()
		timer := time.NewTimer(time.Until(at))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, context.Cause(ctx)
		}
	}
	page, err := s.client.Query(ctx, table, q)
	switch {
	case err == nil:
		return page, nil
	case errors.Is(err, erp.ErrForbidden), errors.Is(err, erp.ErrValidation):
		return nil, fmt.Errorf("%w: %w", ErrNotReadable, err)
	case errors.Is(err, erp.ErrNotFound) && !isPage(err):
		return nil, fmt.Errorf("%w: %w", ErrNoTable, err)
	case errors.Is(err, erp.ErrUnauthorized):
		// A role whose access to paths is restricted gets that too, for this path alone.
		other := "AD_Table"
		if table == other {
			other = "AD_Client"
		}
		if _, perr := s.client.Query(ctx, other, &erp.Query{Select: []string{"AD_Client_ID"}, Top: 1}); perr == nil {
			return nil, fmt.Errorf("%w: %w", ErrNotReadable, err)
		}
		return nil, fmt.Errorf("%w: %w", ErrFatal, err)
	case errors.Is(err, erp.ErrInvalid):
		return nil, fmt.Errorf("%w: %w", ErrFatal, err)
	}
	return nil, err
}

// isPage reports whether somebody else than the REST API responded.
func isPage(err error) bool {
	var e *erp.Error
	return errors.As(err, &e) && e.Page
}

// everything is a condition that all rows meet. The server shows active rows
// only, unless a condition names the column.
func everything(t *Table) erp.Filter {
	if !t.HasActive {
		return erp.Filter{}
	}
	return erp.ActiveOrNot(erp.Filter{})
}

// longSelect is how long the list of columns may be; servers bound the first line
// of a request.
const longSelect = 3000

// Rows implements [Source].
func (s *REST) Rows(ctx context.Context, q *Query, row func([]any) error) error {
	r := &restReader{s: s, q: q, values: make([]any, len(q.Columns)), base: everything(q.Table)}
	if err := r.condition(); err != nil {
		return err
	}
	for i := range q.Columns {
		c := &q.Columns[i]
		if c.Display == displaytype.Button && c.Type != Integer {
			r.buttons = append(r.buttons, &button{column: i})
			continue
		}
		r.selected = append(r.selected, c.Name)
	}
	if len(strings.Join(r.selected, ",")) > longSelect {
		r.selected = nil
	}
	if err := r.findButtons(ctx); err != nil {
		return err
	}
	return r.read(ctx, row)
}

// restReader is one reading of rows.
type restReader struct {
	s        *REST
	q        *Query
	base     erp.Filter // which rows, but for the range of keys
	selected []string
	buttons  []*button
	values   []any
}

// condition builds the condition of the query.
func (r *restReader) condition() error {
	q := r.q
	if !q.Since.IsZero() && q.Table.HasUpdated {
		r.base = r.base.And(erp.Ge("Updated", q.Since))
	}
	if q.Tenants != nil && q.Table.HasTenant {
		r.base = r.base.And(erp.In("AD_Client_ID", q.Tenants...))
	}
	if q.By == "" {
		return nil
	}
	var numbers []int64
	var texts []erp.Filter
	for _, key := range q.Keys {
		switch key := key.(type) {
		case int64:
			numbers = append(numbers, key)
		case string:
			f := erp.Eq(q.By, key)
			if _, err := f.Render(); err != nil {
				continue // a key that cannot be asked for counts as one that is not there
			}
			texts = append(texts, f)
		default:
			return fmt.Errorf("%w: a key of type %T", ErrFatal, key)
		}
	}
	var either erp.Filter
	if len(numbers) > 0 {
		either = erp.In(q.By, numbers...)
	}
	if either = either.Or(texts...); either.IsZero() {
		either = erp.IsNull(q.By).And(erp.NotNull(q.By))
	}
	r.base = r.base.And(either)
	return nil
}

// order is by the key, or by what else tells rows apart.
func (r *restReader) order() []string {
	t := r.q.Table
	columns := t.Order
	if t.Key != "" {
		columns = []string{t.Key}
	}
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = erp.Asc(c)
		if r.q.Descending {
			out[i] = erp.Desc(c)
		}
	}
	return out
}

// pagesAtOnce is how many requests are under way at once.
const pagesAtOnce = 4

func (r *restReader) read(ctx context.Context, row func([]any) error) error {
	q := r.q
	after, skip, left, size, more := q.After, q.Skip, q.Limit, 0, 1
	for {
		eq := erp.Query{Filter: r.base, Select: r.selected, OrderBy: r.order(), Top: cmp.Or(size, r.s.opts.PageSize)}
		if q.Table.Key == "" {
			eq.Skip = skip
		} else if after != nil {
			eq.Filter = eq.Filter.And(r.behind(*after))
		}
		if q.Limit > 0 {
			eq.Top = min(eq.Top, left)
		}
		pages, err := r.pages(ctx, &eq, min(more, pagesAtOnce))
		if err != nil {
			return err
		}
		for _, page := range pages {
			if err := r.takePage(ctx, page, after, row); err != nil {
				return err
			}
			skip += len(page.Records)
			left -= len(page.Records)
			if len(page.Records) == 0 || !page.More() && page.Rows >= 0 || q.Limit > 0 && left <= 0 {
				return nil
			}
			last, _ := page.Records[len(page.Records)-1].ID().Int()
			after = &last
		}
		// Those behind are requested at once where they have keys, by which they fit together.
		size, more = len(pages[0].Records), 1
		if q.Table.Key != "" && q.Limit == 0 && size > 1 {
			last := pages[len(pages)-1]
			more = max(1, (last.Rows-last.Skip-len(last.Records)+size-2)/(size-1))
		}
	}
}

// pages requests a page and, at the same time, up to n-1 that follow it. Each of these
// begins with the last record of the one before it, so that no row that is there all the
// while is passed over when others come and go. One that does not fit is not returned,
// nor is any behind it.
func (r *restReader) pages(ctx context.Context, first *erp.Query, n int) ([]*erp.Page, error) {
	pages, errs := make([]*erp.Page, n), make([]error, n)
	var work sync.WaitGroup
	for i := range pages {
		q := *first
		q.Skip += i * (q.Top - 1)
		work.Go(func() { pages[i], errs[i] = r.s.page(ctx, r.q.Table.Name, &q) })
	}
	work.Wait()
	for i := 1; i < n; i++ {
		before := pages[i-1]
		if errs[i] != nil || errs[0] != nil || len(pages[i].Records) < 2 || len(before.Records) == 0 ||
			pages[i].Records[0].ID() != before.Records[len(before.Records)-1].ID() {
			return pages[:i], errs[0]
		}
		pages[i].Skip, pages[i].Records = pages[i].Skip+1, pages[i].Records[1:]
	}
	return pages, errs[0]
}

// takePage hands over the rows of a page.
func (r *restReader) takePage(ctx context.Context, page *erp.Page, after *int64, row func([]any) error) error {
	last, err := keysOf(page.Records, r.q, after)
	if err == nil && len(page.Records) > 0 {
		err = r.pageButtons(ctx, last)
	}
	for i := 0; err == nil && i < len(page.Records); i++ {
		if err = r.take(page.Records[i]); err == nil {
			err = row(r.values)
		}
	}
	return err
}

// keysOf checks that the records of a page are in the order of their keys and come after
// one. It returns the last key.
func keysOf(records []erp.Record, q *Query, after *int64) (last int64, err error) {
	for i, record := range records {
		key, ok := record.ID().Int()
		if q.Table.Key != "" {
			if !ok {
				return 0, fmt.Errorf("%w: a record of %s has no key: %w", ErrFatal, q.Table.Name, erp.ErrBadResponse)
			}
			if i > 0 && (key <= last) != q.Descending || after != nil && (key <= *after) != q.Descending {
				return 0, outOfOrder(q.Table)
			}
		}
		last = key
	}
	return last, nil
}

func outOfOrder(t *Table) error {
	return fmt.Errorf("records of %s are not in the order of their keys: %w", t.Name, erp.ErrBadResponse)
}

func (r *restReader) behind(key int64) erp.Filter {
	if r.q.Descending {
		return erp.Lt(r.q.Table.Key, key)
	}
	return erp.Gt(r.q.Table.Key, key)
}

// take takes a record apart.
func (r *restReader) take(record erp.Record) error {
	clear(r.values)
	t := r.q.Table
	for i := range r.q.Columns {
		c := &r.q.Columns[i]
		var err error
		switch {
		case strings.EqualFold(c.Name, t.Key):
			r.values[i], _ = record.ID().Int()
		case strings.EqualFold(c.Name, t.UUID):
			if uu := record.UUID(); uu != "" {
				r.values[i] = uu
			}
		default:
			r.values[i], err = restValue(record, c)
		}
		if err != nil {
			return fmt.Errorf("%w: reading %s, record %s: %w", ErrFatal, t.Name, record.ID(), err)
		}
	}
	if len(r.buttons) > 0 {
		id, _ := record.ID().Int()
		for _, b := range r.buttons {
			if v, ok := b.values[id]; ok {
				r.values[b.column] = v
				delete(b.values, id)
			} else if b.rest != "" {
				r.values[b.column] = b.rest
			}
		}
	}
	return nil
}
