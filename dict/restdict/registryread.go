package restdict

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
)

// tableReader reads one table of the dictionary.
type tableReader struct {
	s      *Source
	place  int // among the tables
	table  dict.SourceTable
	sink   dict.Sink
	from   []string // member of a record for each column, empty: none
	query  erp.Query
	hidden []hiddenFlag
}

// hiddenFlag is a flag that is a button in the dictionary: the server leaves
// those out of records, so it is asked for the records that have it.
type hiddenFlag struct {
	column int
	name   string
	set    map[int64]bool // keys of the records that have it
}

func newTableReader(s *Source, place int, t dict.SourceTable, has map[string]dict.DisplayType, sink dict.Sink) (*tableReader, error) {
	r := &tableReader{s: s, place: place, table: t, sink: sink, from: make([]string, len(t.Columns))}
	for i, c := range t.Columns {
		kind, ok := has[strings.ToLower(c.Name)]
		switch {
		case strings.EqualFold(c.Name, t.Name+"_ID"):
			r.from[i] = "id"
		case strings.EqualFold(c.Name, t.Name+"_UU"):
			r.from[i] = "uid"
		case !ok:
		case c.Type == dict.SourceFlag && kind == dict.TypeButton:
			r.hidden = append(r.hidden, hiddenFlag{column: i, name: c.Name})
		default:
			r.from[i] = c.Name
			r.query.Select = append(r.query.Select, c.Name)
		}
	}
	r.query.Filter, r.query.OrderBy, r.query.Top = everything(), []string{t.Key}, s.opts.PageSize
	return r, nil
}

// read reads the table until it held still.
func (r *tableReader) read(ctx context.Context) (dict.Stamp, error) {
	const attempts = 3
	before, err := r.s.stamp(ctx, r.table.Name)
	if err != nil {
		return before, err
	}
	for range attempts - 1 {
		r.sink.Begin(r.place)
		if err := r.flags(ctx); err != nil {
			return before, err
		}
		rows, err := r.pages(ctx)
		if err != nil {
			return before, err
		}
		after, err := r.s.stamp(ctx, r.table.Name)
		if err != nil {
			return before, err
		}
		if rows == before.Rows && before.Rows == after.Rows && before.Mark == after.Mark {
			return before, nil
		}
		before = after
	}
	// It never holds still. What is read now may have parts of several states,
	// so it counts as changed the next time.
	before.Unsettled = true
	r.sink.Begin(r.place)
	if err := r.flags(ctx); err != nil {
		return before, err
	}
	return before, r.inOrder(ctx)
}

// pages reads all pages, several at a time, and counts the different rows.
func (r *tableReader) pages(ctx context.Context) (int, error) {
	seen := &keys{seen: map[int64]bool{}}
	first, err := r.page(ctx, 0, seen)
	if err != nil {
		return 0, err
	}
	size := len(first.Records)
	if size == 0 || !first.More() {
		return len(seen.seen), nil
	}
	if first.Rows < 0 {
		return -1, nil // a server that does not count is read in order
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	skips := make(chan int)
	var work sync.WaitGroup
	for range min(r.s.opts.Concurrency, (first.Rows-1)/size) {
		work.Go(func() {
			for skip := range skips {
				if _, err := r.page(ctx, skip, seen); err != nil {
					cancel(err)
				}
			}
		})
	}
	for skip := size; skip < first.Rows && ctx.Err() == nil; skip += size {
		skips <- skip
	}
	close(skips)
	work.Wait()
	return len(seen.seen), context.Cause(ctx)
}

// keys are the rows that were handed over. Pages overlap when rows are added
// while they are read.
type keys struct {
	mu   sync.Mutex // guards seen
	seen map[int64]bool
}

func (k *keys) add(key int64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.seen[key] {
		return false
	}
	k.seen[key] = true
	return true
}

func (r *tableReader) page(ctx context.Context, skip int, seen *keys) (*erp.Page, error) {
	q := r.query
	q.Skip = skip
	page, err := r.s.query(ctx, r.table.Name, &q)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", r.table.Name, err)
	}
	values := make([]dict.SourceValue, len(r.table.Columns))
	for _, record := range page.Records {
		key, err := r.values(record, values)
		if err != nil {
			return nil, err
		}
		if !seen.add(key) {
			continue
		}
		if err := r.sink.Row(r.place, values); err != nil {
			return nil, err
		}
	}
	return page, nil
}

// inOrder reads page after page, each from behind the last key on. A row that is
// there all the while is read once, whatever happens around it.
func (r *tableReader) inOrder(ctx context.Context) error {
	last := int64(math.MinInt64)
	values := make([]dict.SourceValue, len(r.table.Columns))
	for {
		q := r.query
		if last != math.MinInt64 {
			q.Filter = everything().And(erp.Gt(r.table.Key, last))
		}
		page, err := r.s.query(ctx, r.table.Name, &q)
		if err != nil {
			return fmt.Errorf("read %s: %w", r.table.Name, err)
		}
		for _, record := range page.Records {
			key, err := r.values(record, values)
			if err != nil {
				return err
			}
			if key <= last {
				return fmt.Errorf("read %s: record %d came after record %d although the order is by %s: %w",
					r.table.Name, key, last, r.table.Key, erp.ErrBadResponse)
			}
			last = key
			if err := r.sink.Row(r.place, values); err != nil {
				return err
			}
		}
		if len(page.Records) == 0 {
			return nil
		}
	}
}

// flags asks which records have the flags that the server does not show.
func (r *tableReader) flags(ctx context.Context) error {
	for i := range r.hidden {
		h := &r.hidden[i]
		h.set = map[int64]bool{}
		q := &erp.Query{Select: []string{"IsActive"}, Filter: everything().And(erp.Raw(h.name + " eq 'Y'")), Top: r.s.opts.PageSize,
			OrderBy: []string{r.table.Key}}
		for record, err := range r.s.client.Records(ctx, r.table.Name, q) {
			if err != nil {
				return fmt.Errorf("ask which rows of %s have %s: %w", r.table.Name, h.name, err)
			}
			if id, ok := record.ID().Int(); ok {
				h.set[id] = true
			}
		}
	}
	return nil
}

// stamp asks for the number of rows and the newest one.
func (s *Source) stamp(ctx context.Context, table string) (dict.Stamp, error) {
	page, err := s.query(ctx, table, &erp.Query{Select: []string{"Updated"}, Filter: everything(), OrderBy: []string{erp.Desc("Updated")}, Top: 1})
	if err != nil {
		return dict.Stamp{}, fmt.Errorf("look for changes in %s: %w", table, err)
	}
	stamp := dict.Stamp{Rows: page.Rows}
	if len(page.Records) > 0 {
		stamp.Mark, _ = page.Records[0].Text("Updated")
		if at, ok := page.Records[0].Time("Updated"); ok {
			stamp.Unsettled = recent(time.Since(at))
		}
	}
	return stamp, nil
}

// recent reports whether a change may be followed by one in the same second. The
// clocks may differ a little, and older servers write local time as if it were
// UTC, which is off by quarters of an hour.
func recent(age time.Duration) bool {
	const zone, skew, unsettled = 15 * time.Minute, 15 * time.Second, 5 * time.Second
	since := (age + skew) % zone
	if since < 0 {
		since += zone
	}
	return since < unsettled+2*skew
}
