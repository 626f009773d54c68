package erp

import (
	"context"
	"fmt"
	"iter"
)

// TypedPage is one page of records decoded into the caller's type.
type TypedPage[T any] struct {
	Paging
	Records []T
}

// GetAs reads one record into the caller's type; see Record.Decode for what
// its fields may be.
func GetAs[T any](ctx context.Context, c *Client, table string, id ID, opts *GetOptions) (T, error) {
	var out T
	r, err := c.getRequest(table, id, opts)
	if err != nil {
		return out, err
	}
	a, err := c.json(ctx, r)
	if err != nil {
		return out, err
	}
	if err := decodeObject(a.body, &out); err != nil {
		return out, fmt.Errorf("table %s, record %s: %w", quote(table), id, err)
	}
	return out, nil
}

// QueryAs reads one page of records into the caller's type.
func QueryAs[T any](ctx context.Context, c *Client, table string, q *Query) (*TypedPage[T], error) {
	e, err := c.envelope(ctx, table, q)
	if err != nil {
		return nil, err
	}
	page := &TypedPage[T]{Paging: e.Paging}
	if e.hasList {
		if err := decodeJSON(e.list, &page.Records); err != nil {
			return nil, fmt.Errorf("table %s: %w", quote(table), err)
		}
		page.countOf(&e, len(page.Records))
	}
	return page, nil
}

// RecordsAs yields all records of a query in the caller's type; see
// Client.Records.
func RecordsAs[T any](ctx context.Context, c *Client, table string, q *Query) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for record, err := range c.Records(ctx, table, q) {
			var out T
			if err == nil {
				if err = record.Decode(&out); err != nil {
					err = fmt.Errorf("table %s, record %s: %w", quote(table), record.ID(), err)
				}
			}
			if !yield(out, err) || err != nil {
				return
			}
		}
	}
}
