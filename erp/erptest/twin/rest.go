package twin

import (
	"context"
	"errors"
	"fmt"
	"strings"
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
	next   time.Time // when the next request may be made
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
		now := time.Now()
		if wait := s.next.Sub(now); wait > 0 {
			timer := time.NewTimer(wait)
			select {
			case <-timer.C:
			case <-ctx.Done():
				timer.Stop()
				return nil, context.Cause(ctx)
			}
			now = now.Add(wait)
		}
		s.next = now.Add(time.Duration(float64(time.Second) / s.opts.PerSecond))
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

func (r *restReader) read(ctx context.Context, row func([]any) error) error {
	q := r.q
	after, skip, left := q.After, q.Skip, q.Limit
	for {
		eq := erp.Query{Filter: r.base, Select: r.selected, OrderBy: r.order(), Top: r.s.opts.PageSize}
		if q.Table.Key == "" {
			eq.Skip = skip
		} else if after != nil {
			eq.Filter = eq.Filter.And(r.behind(*after))
		}
		if q.Limit > 0 {
			eq.Top = min(eq.Top, left)
		}
		page, err := r.s.page(ctx, q.Table.Name, &eq)
		if err != nil {
			return err
		}
		first, last, err := keysOf(page.Records, q, after)
		if err != nil {
			return err
		}
		if err := r.pageButtons(ctx, page, min(first, last), max(first, last)); err != nil {
			return err
		}
		for _, record := range page.Records {
			if err := r.take(record); err != nil {
				return err
			}
			if err := row(r.values); err != nil {
				return err
			}
		}
		skip += len(page.Records)
		left -= len(page.Records)
		if len(page.Records) == 0 || !page.More() && page.Rows >= 0 || q.Limit > 0 && left <= 0 {
			return nil
		}
		after = &last
	}
}

// keysOf are the first and the last key of a page, whose records must be in the order of
// their keys and come after one.
func keysOf(records []erp.Record, q *Query, after *int64) (first, last int64, err error) {
	for i, record := range records {
		key, ok := record.ID().Int()
		if q.Table.Key != "" {
			if !ok {
				return 0, 0, fmt.Errorf("%w: a record of %s has no key: %w", ErrFatal, q.Table.Name, erp.ErrBadResponse)
			}
			if i > 0 && (key <= last) != q.Descending || after != nil && (key <= *after) != q.Descending {
				return 0, 0, fmt.Errorf("records of %s are not in the order of their keys: %w", q.Table.Name, erp.ErrBadResponse)
			}
		}
		if i == 0 {
			first = key
		}
		last = key
	}
	return first, last, nil
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
			} else if b.rest != "" {
				r.values[b.column] = b.rest
			}
		}
	}
	return nil
}
