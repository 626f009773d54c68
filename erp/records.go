package erp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// address returns the path of a record, or of something below it.
func (c *Client) address(table string, id ID, below ...string) ([]string, error) {
	key, err := id.segment()
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", quote(table), err)
	}
	return append([]string{c.resource, table, key}, below...), nil
}

// Get reads one record, active or not. A record that does not exist, or that
// belongs to another tenant, is ErrNotFound; one the role may not see is
// ErrForbidden. Tables with several key columns are addressed by UUID.
func (c *Client) Get(ctx context.Context, table string, id ID, opts *GetOptions) (Record, error) {
	r, err := c.getRequest(table, id, opts)
	if err != nil {
		return Record{}, err
	}
	return c.record(ctx, r)
}

func (c *Client) getRequest(table string, id ID, opts *GetOptions) (*request, error) {
	path, err := c.address(table, id)
	if err != nil {
		return nil, err
	}
	q, err := opts.encode(c.conn.separator)
	if err != nil {
		return nil, err
	}
	return &request{method: http.MethodGet, path: path, query: q}, nil
}

// Query reads one page of records. Use Records to read all pages.
func (c *Client) Query(ctx context.Context, table string, q *Query) (*Page, error) {
	e, err := c.envelope(ctx, table, q)
	if err != nil {
		return nil, err
	}
	page := &Page{Paging: e.Paging}
	if e.hasList {
		if page.Records, err = parseRecords(e.list); err != nil {
			return nil, c.badResponse(c.listRequest(table), err)
		}
		page.countOf(&e, len(page.Records))
	}
	return page, nil
}

func (c *Client) listRequest(table string) *request {
	return &request{method: http.MethodGet, path: []string{c.resource, table}}
}

// envelope reads one page without decoding its records.
func (c *Client) envelope(ctx context.Context, table string, q *Query) (envelope, error) {
	r := c.listRequest(table)
	var err error
	if r.query, err = q.encode(c.conn.separator); err != nil {
		return envelope{}, fmt.Errorf("query %s: %w", quote(table), err)
	}
	a, err := c.json(ctx, r)
	if err != nil {
		return envelope{}, err
	}
	e, err := parseEnvelope(a.body)
	if err == nil && !e.hasList && (q == nil || q.ShowSQL != SQLWithout) {
		err = fmt.Errorf("the response has no list of records: %w", ErrBadResponse)
	}
	if !e.hasSkip && q != nil {
		e.Skip = q.Skip
	}
	return e, c.badResponse(r, err)
}

// Create adds a record and returns it as stored, with all columns and the
// children that were created with it. body is a map or a struct with json tags,
// keyed by column name as the dictionary spells it; members with lists are
// child tables. Clear nothing and set only what is known: absent columns get
// the dictionary's defaults. A record with the same key or UUID is ErrExists.
// Creation is not retried after a broken connection: give the table's UUID
// column a value, and look the record up by it when Unsent does not say that
// nothing was made.
func (c *Client) Create(ctx context.Context, table string, body any) (Record, error) {
	data, err := jsonObject(body)
	if err != nil {
		return Record{}, fmt.Errorf("create in %s: %w", quote(table), err)
	}
	r := &request{method: http.MethodPost, path: []string{c.resource, table}, body: data}
	rec, err := c.record(ctx, r)
	if err == nil && !rec.isKept() {
		return Record{}, c.badResponse(r, fmt.Errorf("it names no record that was created: %w", ErrBadResponse))
	}
	return rec, err
}

// CreateList adds several records in one request whose body is a list. The REST
// plugin itself knows no such request; it is for servers that take one, for
// example for AD_Column. Elsewhere use CreateAll. The records come back in the
// order of bodies.
func (c *Client) CreateList(ctx context.Context, table string, bodies ...any) ([]Record, error) {
	if len(bodies) == 0 {
		return nil, nil
	}
	list := make([]json.RawMessage, len(bodies))
	for i, body := range bodies {
		data, err := jsonObject(body)
		if err != nil {
			return nil, fmt.Errorf("create in %s: record %d: %w", quote(table), i+1, err)
		}
		list[i] = data
	}
	data, err := json.Marshal(list)
	if err != nil {
		return nil, fmt.Errorf("create in %s: %w", quote(table), err)
	}
	r := &request{method: http.MethodPost, path: []string{c.resource, table}, body: data}
	a, err := c.json(ctx, r)
	if err != nil {
		return nil, err
	}
	body := a.body
	if e, err := parseEnvelope(a.body); err == nil && e.hasList {
		body = e.list
	}
	records, err := parseRecords(body)
	if err == nil && len(records) != len(bodies) {
		err = fmt.Errorf("%d records were sent and %d came back: %w", len(bodies), len(records), ErrBadResponse)
	}
	return records, c.badResponse(r, err)
}

// Update changes the columns in body and leaves the others alone; it returns
// the record as stored. Send changed columns only: a record that was read
// cannot be sent back, because the server refuses columns that may not change.
// A foreign key is cleared with NoRef, other columns with null. There is no
// protection against somebody else's change in between: the last one wins.
func (c *Client) Update(ctx context.Context, table string, id ID, body any) (Record, error) {
	return c.change(ctx, http.MethodPut, table, id, body)
}

// Patch is Update by the method PATCH, for servers that offer it. The ERP's
// own REST plugin responds 405, which is ErrMethodNotAllowed.
func (c *Client) Patch(ctx context.Context, table string, id ID, body any) (Record, error) {
	return c.change(ctx, http.MethodPatch, table, id, body)
}

func (c *Client) change(ctx context.Context, method, table string, id ID, body any) (Record, error) {
	path, err := c.address(table, id)
	if err != nil {
		return Record{}, err
	}
	switch body.(type) {
	case Record, *Record:
		return Record{}, invalid("update %s: a record that was read cannot be sent back; send only the columns that change", quote(table))
	}
	data, err := jsonObject(body)
	if err != nil {
		return Record{}, fmt.Errorf("update %s %s: %w", quote(table), id, err)
	}
	r := &request{method: method, path: path, body: data}
	if method == http.MethodPut {
		retry := retryUpdate(data)
		r.retry = &retry
	}
	return c.record(ctx, r)
}

// Delete removes a record. One that others refer to is status 500 in this ERP.
// When an attempt got no response and its retry finds the record gone, that is
// success.
func (c *Client) Delete(ctx context.Context, table string, id ID) error {
	path, err := c.address(table, id)
	if err != nil {
		return err
	}
	return c.remove(ctx, &request{method: http.MethodDelete, path: path})
}

// remove performs a DELETE whose response is empty or a short JSON text.
func (c *Client) remove(ctx context.Context, r *request) error {
	a, err := c.do(ctx, r)
	if err != nil {
		var refused *Error
		if errors.As(err, &refused) && refused.lost && refused.Status == http.StatusNotFound && !refused.Page {
			return nil
		}
		return err
	}
	return c.checkDone(r, a)
}

// checkDone refuses a response that is not a response of the REST plugin to a
// request of which only the success counts.
func (c *Client) checkDone(r *request, a *response) error {
	if len(strings.TrimSpace(string(a.body[:min(len(a.body), 64)]))) == 0 {
		return nil
	}
	if err := a.checkJSON(); err != nil {
		return unreadable(r.method, fmt.Errorf("%s %s: %w", r.method, c.describe(r), err))
	}
	return nil
}

// Property reads a single column of a record: the response is a record reduced
// to that column. A column without value is absent from it.
func (c *Client) Property(ctx context.Context, table string, id ID, column string) (Record, error) {
	path, err := c.address(table, id, column)
	if err != nil {
		return Record{}, err
	}
	if !isName(column) {
		return Record{}, invalid("%s is not a column name", quote(column))
	}
	return c.record(ctx, &request{method: http.MethodGet, path: path})
}
