package restdict

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/internal/changes"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
)

// tableReader reads one table of the dictionary.
type tableReader struct {
	s      *Source
	place  int // among the tables
	table  registry.SourceTable
	sink   registry.Sink
	from   []string // the record's member that a column is read from, "" for none
	query  erp.Query
	hidden []hiddenFlag
	// Of a table with conditions: whether rows have to be held against them, and
	// the keys of those handed over, which several requests may bring.
	sift  bool
	mu    sync.Mutex // guards taken
	taken map[int64]bool
}

// hiddenFlag is a flag that is a button in the dictionary: the server leaves
// those out of records, so it requests the records that have it.
type hiddenFlag struct {
	column int
	name   string
	set    map[int64]bool // keys of the records that have it
}

func newTableReader(s *Source, place int, t registry.SourceTable, has map[string]dict.DisplayType, sink registry.Sink) (*tableReader, error) {
	r := &tableReader{s: s, place: place, table: t, sink: sink, from: make([]string, len(t.Columns))}
	for i, c := range t.Columns {
		kind, ok := has[strings.ToLower(c.Name)]
		switch {
		case strings.EqualFold(c.Name, t.Name+"_ID"):
			r.from[i] = "id"
		case strings.EqualFold(c.Name, t.Name+"_UU"):
			r.from[i] = "uid"
		case !ok:
		case c.Type == registry.SourceFlag && kind == dict.TypeButton:
			r.hidden = append(r.hidden, hiddenFlag{column: i, name: c.Name})
		default:
			r.from[i] = c.Name
			r.query.Select = append(r.query.Select, c.Name)
		}
	}
	r.query.Filter, r.query.OrderBy, r.query.Top = everything(), []string{t.Key}, s.opts.PageSize
	return r, nil
}

// expecting is a sink that makes room for rows when it knows how many come.
type expecting interface{ Expect(table, rows int) }

// read reads the table until it held still meanwhile.
func (r *tableReader) read(ctx context.Context) (registry.Stamp, error) {
	const attempts = 3
	if stamp, ok, err := r.readSince(ctx); ok || err != nil {
		return stamp, err
	}
	before, err := r.s.stamp(ctx, r.table.Name, everything(), r.s.query)
	if err != nil {
		return before, err
	}
	r.expect(before.Rows, r.s.opts.PageSize)
	for range attempts {
		r.sink.Begin(r.place)
		if e, ok := r.sink.(expecting); ok {
			e.Expect(r.place, before.Rows)
		}
		if err := r.flags(ctx, erp.Filter{}); err != nil {
			return before, err
		}
		rows, err := r.parts(ctx)
		if err != nil {
			return before, err
		}
		after, err := r.s.stamp(ctx, r.table.Name, everything(), r.s.query)
		if err != nil {
			return before, err
		}
		if rows == before.Rows && before.Rows == after.Rows && before.Mark == after.Mark {
			return before, nil
		}
		before = after
	}
	// It never holds still. Each row that was there all the while was read, but
	// what came and went may be seen or not, so the table counts as changed the
	// next time.
	r.s.log.WarnContext(ctx, "a table of the dictionary changes while it is read", "table", r.table.Name, "attempts", attempts)
	before.Unsettled = true
	return before, nil
}

// bounds is a part of a table: the rows whose keys are above one and up to
// another.
type bounds struct{ above, upTo int64 }

// parts reads the table in several parts at a time and counts the rows. The
// parts cover all keys and do not overlap, and each is read in the order of the
// keys, from behind the last one on. Pages by number would overlap and leave
// gaps when rows come and go.
func (r *tableReader) parts(ctx context.Context) (int, error) {
	all := bounds{math.MinInt64, math.MaxInt64}
	first, last, err := r.page(ctx, all)
	if err != nil || !first.More() {
		return len(first.Records), err
	}
	r.expect(first.Rows, len(first.Records))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	split, err := r.split(ctx, bounds{last, math.MaxInt64}, len(first.Records), first.Rows)
	if err != nil {
		return 0, err
	}
	var rows atomic.Int64
	rows.Store(int64(len(first.Records)))
	var work sync.WaitGroup
	for _, part := range split {
		work.Go(func() {
			n, err := r.part(ctx, part)
			rows.Add(int64(n))
			if err != nil {
				cancel(err) // the first one stays
			}
		})
	}
	work.Wait()
	return int(rows.Load()), context.Cause(ctx)
}

// partPages is how many pages a part has at most. The server counts, for each
// page, the rows from there to the end of the part.
const partPages = 10

// partsOf is how many parts so many pages are divided into.
func partsOf(concurrency, pages int) int {
	return min(pages, max(concurrency, (pages+partPages-1)/partPages))
}

// split divides what follows the first page into parts of about the same size,
// by requesting the keys at their ends.
func (r *tableReader) split(ctx context.Context, rest bounds, size, rows int) ([]bounds, error) {
	n := partsOf(r.s.opts.Concurrency, (rows-size+size-1)/size)
	if rows < 0 {
		n = 1 // a server that does not count
	}
	ends := make([]int64, n)
	ends[n-1] = rest.upTo
	errs := make([]error, n)
	var work sync.WaitGroup
	for i := range n - 1 {
		work.Go(func() { ends[i], errs[i] = r.keyAt(ctx, size+(i+1)*(rows-size)/n) })
	}
	work.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	slices.Sort(ends) // rows may have gone while the ends were requested
	var out []bounds
	above := rest.above
	for _, end := range ends {
		if end > above {
			out = append(out, bounds{above, end})
			above = end
		}
	}
	return out, nil
}

// keyAt is the key of a row by its place, or the largest one behind the end.
func (r *tableReader) keyAt(ctx context.Context, place int) (int64, error) {
	q := erp.Query{Select: []string{"IsActive"}, Filter: r.query.Filter, OrderBy: r.query.OrderBy, Skip: place, Top: 1}
	if !r.ownKey() {
		q.Select = []string{r.table.Key}
	}
	page, err := r.s.query(ctx, r.table.Name, &q)
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", r.table.Name, err)
	}
	if len(page.Records) == 0 {
		return math.MaxInt64, nil
	}
	key, ok := r.key(page.Records[0])
	if !ok {
		return 0, r.keyless()
	}
	return key, nil
}

// part reads one part page by page and counts its rows.
func (r *tableReader) part(ctx context.Context, b bounds) (int, error) {
	rows := 0
	for {
		page, last, err := r.page(ctx, b)
		if err != nil {
			return rows, err
		}
		rows += len(page.Records)
		if !page.More() {
			return rows, nil
		}
		b.above = last
	}
}

// page reads the first page of a part, and tells the last key on it.
func (r *tableReader) page(ctx context.Context, b bounds) (*erp.Page, int64, error) {
	q := r.query
	if b.above != math.MinInt64 {
		q.Filter = q.Filter.And(erp.Gt(r.table.Key, b.above))
	}
	if b.upTo != math.MaxInt64 {
		q.Filter = q.Filter.And(erp.Le(r.table.Key, b.upTo))
	}
	page, err := r.s.query(ctx, r.table.Name, &q)
	if err != nil {
		return &erp.Page{}, 0, fmt.Errorf("read %s: %w", r.table.Name, err)
	}
	last, err := r.hand(page, b)
	if err != nil {
		return &erp.Page{}, 0, err
	}
	return page, last, nil
}

// hand hands over the rows of a page of a part and tells the last key.
func (r *tableReader) hand(page *erp.Page, b bounds) (int64, error) {
	rows := r.newRows()
	last := b.above
	for i, record := range page.Records {
		key, err := rows.next(record)
		if err != nil {
			return 0, err
		}
		if key <= last && (i > 0 || b.above != math.MinInt64) || key > b.upTo {
			return 0, fmt.Errorf("read %s: record %d came behind %d although the order is by %s: %w",
				r.table.Name, key, last, r.table.Key, erp.ErrBadResponse)
		}
		last = key
		if !r.take(key, rows.values) {
			continue
		}
		if err := r.sink.Row(r.place, rows.values); err != nil {
			return 0, err
		}
	}
	return last, nil
}

// expect estimates the requests for the table, of so many rows in pages of a
// size: those for rows and for the ends of parts, two for stamps and one for
// each hidden flag.
func (r *tableReader) expect(rows, size int) {
	pages := max(1, (rows+size-1)/size)
	ends := max(0, partsOf(r.s.opts.Concurrency, pages-1)-1)
	r.expectRequests(pages + ends + 2 + len(r.hidden))
}

func (r *tableReader) expectRequests(n int) {
	r.s.mu.Lock()
	t := r.s.tally
	r.s.mu.Unlock()
	t.expect(r.place, n)
}

// flags requests which records among some have the flags that the server does not
// show; the zero filter is for all records.
func (r *tableReader) flags(ctx context.Context, among ...erp.Filter) error {
	for i := range r.hidden {
		h := &r.hidden[i]
		h.set = map[int64]bool{}
		for _, rows := range among {
			q := erp.Query{Select: []string{"IsActive"}, Filter: everything().And(rows, erp.Raw(h.name+" eq 'Y'"))}
			err := r.s.all(ctx, r.table.Name, r.table.Key, q, func(record erp.Record) {
				if id, ok := record.ID().Int(); ok {
					h.set[id] = true
				}
			})
			if err != nil {
				return fmt.Errorf("find which rows of %s have %s: %w", r.table.Name, h.name, err)
			}
		}
	}
	return nil
}

// stamp requests the number of rows that meet a condition and the newest one.
func (s *Source) stamp(ctx context.Context, table string, rows erp.Filter, ask func(context.Context, string, *erp.Query) (*erp.Page, error)) (registry.Stamp, error) {
	page, err := ask(ctx, table, &erp.Query{Select: []string{"Updated"}, Filter: rows, OrderBy: []string{erp.Desc("Updated")}, Top: 1})
	if err != nil {
		return registry.Stamp{}, fmt.Errorf("look for changes in %s: %w", table, err)
	}
	return stampOf(page), nil
}

// stampOf is the state of a table of which a page shows the newest rows first.
func stampOf(page *erp.Page) registry.Stamp {
	stamp := registry.Stamp{Rows: page.Rows}
	if len(page.Records) > 0 {
		stamp.Mark, _ = page.Records[0].Text("Updated")
		if at, ok := page.Records[0].Time("Updated"); ok {
			stamp.Unsettled, stamp.Newest = changes.MayBeNew(time.Since(at), unsettled, skew), at.UnixMilli()
		}
	}
	return stamp
}

// Clocks may differ by skew; changes come late, or in the same second as another,
// within unsettled.
const skew, unsettled = 15 * time.Second, 5 * time.Second
