package erp

import (
	"context"
	"fmt"
	"iter"
	"math"
	"strings"
)

// Records yields all records of a query, page by page, fetching the next page
// while the current one is consumed; it never holds more than two pages. It
// stops when the loop ends, when ctx ends, or after the first error, which is
// yielded with a zero Record. Breaking out waits for the request in flight to
// be cancelled.
//
// Pages need an order in which every record has its own place, or the server
// may show a record twice and another not at all. Records therefore adds the
// key column to the order: <Table>_ID, or <Table>_UU in a table without it.
// Query.Top is the number of records per request, Query.Limit the number of
// records altogether.
func (c *Client) Records(ctx context.Context, table string, q *Query) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for page, err := range c.pages(ctx, table, q) {
			if err != nil {
				yield(Record{}, err)
				return
			}
			for _, record := range page.records {
				if err := ctx.Err(); err != nil {
					yield(Record{}, fmt.Errorf("read %s: %w", quote(table), err))
					return
				}
				if !yield(record, nil) {
					return
				}
			}
		}
	}
}

// pageOf is one page on its way to the consumer.
type pageOf struct {
	Paging
	records []Record
}

// walk is the state of reading a query page by page.
type walk struct {
	c     *Client
	table string
	q     Query
	given []string // the caller's order
	key   string   // key column the order ends with, empty if none
	left  int      // records the caller still wants, below 0 for all
	last  ID       // key of the last record, to see that the order is obeyed
	first bool
}

// pages yields the pages of a query and fetches ahead.
func (c *Client) pages(ctx context.Context, table string, q *Query) iter.Seq2[*pageOf, error] {
	return func(yield func(*pageOf, error) bool) {
		w := &walk{c: c, table: table, q: q.clone(), left: -1, first: true}
		w.given = w.q.OrderBy
		if w.q.Limit > 0 {
			w.left = w.q.Limit
		}
		if w.q.ShowSQL == SQLWithout {
			yield(nil, invalid("read %s: SQLWithout gives no records to go through", quote(table)))
			return
		}
		if c.resource == "models" && isName(table) {
			w.orderBy(table + "_ID")
		}
		type result struct {
			page *pageOf
			err  error
		}
		ctx, cancel := context.WithCancel(ctx)
		var ahead chan result
		defer func() {
			cancel()
			if ahead != nil {
				<-ahead
			}
		}()
		page, err := w.fetch(ctx)
		for {
			if err != nil {
				yield(nil, err)
				return
			}
			if w.advance(page) {
				ahead = make(chan result, 1)
				go func() {
					page, err := w.fetch(ctx)
					ahead <- result{page, err}
				}()
			}
			if len(page.records) > 0 && !yield(page, nil) {
				return
			}
			if ahead == nil {
				return
			}
			next := <-ahead
			ahead, page, err = nil, next.page, next.err
		}
	}
}

// orderBy ends the order with a key column, unless the caller named it.
func (w *walk) orderBy(key string) {
	w.key = key
	w.q.OrderBy = w.given
	for _, part := range w.given {
		if column, _, _ := strings.Cut(part, " "); strings.EqualFold(column, key) {
			return
		}
	}
	w.q.OrderBy = append(w.given[:len(w.given):len(w.given)], key)
}

// fetch reads the page at w.q.Skip. The first page also settles the order.
func (w *walk) fetch(ctx context.Context) (*pageOf, error) {
	if w.left >= 0 && (w.q.Top == 0 || w.left < w.q.Top) {
		w.q.Top = w.left
	}
	page, err := w.c.Query(ctx, w.table, &w.q)
	if err != nil {
		return nil, err
	}
	if w.first {
		w.first = false
		if page, err = w.settle(ctx, page); err != nil {
			return nil, err
		}
	}
	if page.Skip != w.q.Skip && len(page.Records) > 0 {
		return nil, &badResponseError{text: fmt.Sprintf("read %s: requested records from %d on, the server sent records from %d on",
			quote(w.table), w.q.Skip, page.Skip)}
	}
	if err := w.checkOrder(page.Records); err != nil {
		return nil, err
	}
	return &pageOf{Paging: page.Paging, records: page.Records}, nil
}

func (w *walk) keyOf(records []Record) string {
	sample, name := records[0], w.table
	if model := sample.Model(); w.c.resource != "models" && model != "" {
		name = model
	}
	if _, numeric := sample.ID().Int(); numeric && ascending(records, w.given, w.key) {
		return name + "_ID"
	}
	if sample.UUID() != "" {
		return name + "_UU"
	}
	return ""
}

// settle looks at the first page for the key the table really has. The server
// ignores an order by a column that does not exist, so the order that was
// guessed counts only if the records have that key. One page needs no order but
// the one the caller gave, which would be ignored together with a wrong key.
func (w *walk) settle(ctx context.Context, page *Page) (*Page, error) {
	enough := !page.More() || w.left >= 0 && w.left <= len(page.Records)
	if len(page.Records) == 0 || enough && (len(w.given) == 0 || len(page.Records) == 1) {
		return page, nil
	}
	key := w.keyOf(page.Records)
	switch {
	case key == "" && len(w.given) > 0:
		w.key, w.q.OrderBy = "", w.given
	case key == "":
		return nil, invalid("read %s: its records have neither id nor UUID to order by; name a unique order in Query.OrderBy", quote(w.table))
	case strings.EqualFold(key, w.key):
		return page, nil
	default:
		w.orderBy(key)
	}
	return w.c.Query(ctx, w.table, &w.q)
}

// ascending reports whether records come in the order of their numeric key, if
// that is what was requested. Older servers show an id for tables that have no
// such column.
func ascending(records []Record, given []string, key string) bool {
	if len(given) > 0 || !strings.HasSuffix(key, "_ID") {
		return true
	}
	last := int64(math.MinInt64)
	for _, r := range records {
		number, ok := r.ID().Int()
		if !ok || number < last {
			return false
		}
		last = number
	}
	return true
}

// checkOrder sees that pages which should come by key do so across page
// boundaries: a server that ignored the order would send records twice and leave others out.
func (w *walk) checkOrder(records []Record) error {
	if len(w.given) > 0 || !strings.HasSuffix(w.key, "_ID") || len(records) == 0 {
		return nil
	}
	before, ok := w.last.Int()
	now, okNow := records[0].ID().Int()
	if ok && okNow && now < before {
		return &badResponseError{text: fmt.Sprintf("read %s: record %d came after record %d although the order is by %s; pages would overlap",
			quote(w.table), now, before, w.key)}
	}
	w.last = records[len(records)-1].ID()
	return nil
}

// advance moves on behind a page and reports whether another one follows.
func (w *walk) advance(page *pageOf) bool {
	if w.left >= 0 {
		page.records = page.records[:min(len(page.records), w.left)]
		w.left -= len(page.records)
	}
	w.q.Skip += len(page.records)
	return len(page.records) > 0 && w.left != 0 && (page.Rows < 0 || w.q.Skip < page.Rows)
}
