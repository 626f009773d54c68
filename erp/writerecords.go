package erp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/erphub/erphub/internal/uuid"
)

// Write is one record to create or to change.
type Write struct {
	// ID is the record to change. The zero ID creates one.
	ID ID
	// UUID is the UUID for a new record; empty: the one in Body, else a new one.
	UUID string
	// Body is a map or a struct with json tags, as [Client.Create] and
	// [Client.Update] take it.
	Body any
}

// Written is the outcome of a [Write].
type Written struct {
	// Index is the place of the write, from 0.
	Index int
	// UUID is the UUID of a new record, whether it was made or not.
	UUID string
	// Record is the record as stored; of one that was Found, what the role may see
	// of it. It is zero when Err is set.
	Record Record
	// Found reports that a record with that UUID was there: an earlier request had
	// made it, or somebody else.
	Found bool
	// Err is why the server refused the record, usually an *Error.
	Err error
}

// WriteOptions configure [Client.WriteRecords] and [Client.CreateAll]. Nil and the
// zero value are the defaults.
type WriteOptions struct {
	// BatchSize is the number of records in one request; 0: 100; 1: each in a
	// request of its own and no batch. A request must be done within the client's
	// response time-out.
	BatchSize int
	// AllOrNothing writes all records in one request and one transaction: the
	// first refusal undoes everything and is a *BatchError. BatchSize is ignored,
	// and more than [MaxTransaction] records are ErrInvalid. CreateAll reads all
	// bodies first then.
	AllOrNothing bool
	// Resumed says that an earlier run, which was cut off, may have sent the same
	// writes: new records are looked up by their UUIDs before they are sent.
	Resumed bool
	// Attempts is the number of times a request is sent without a clear response; 0: 5.
	Attempts int
	// UUIDColumn is the column for the UUIDs of new records; empty: the table's
	// name, which must be spelled as the dictionary has it, with _UU.
	UUIDColumn string
	// Parallel is the number of requests CreateAll has under way at a time; 0: one.
	Parallel int
}

func (o *WriteOptions) oneByOne() bool {
	return o.BatchSize == 1 && !o.AllOrNothing && !o.Resumed
}

// MaxTransaction is the most records that [WriteOptions.AllOrNothing] takes. They are
// held in memory, in one request, and by the server in one transaction.
const MaxTransaction = 10_000

const (
	defaultBatchSize     = 100
	defaultWriteAttempts = 5
	lookupChunk          = 50 // UUIDs in one filter, which travels in an address
)

// WriteRecords creates and changes records of a table, many in a request. Each
// record stands for itself: one that is refused has its error in its result, and
// the others are written. The results are in the order of writes.
//
// A request that got no clear response is sent again without making anything
// twice: new records carry a UUID, by which they are looked up before.
//
// An error ends the writing: the server cannot be reached, or refuses everything.
// The results then are those of the first writes, up to the last request that is
// settled; what became of the next ones is not known. Writing them again with the
// same UUIDs and Resumed makes nothing twice.
func (c *Client) WriteRecords(ctx context.Context, table string, writes []Write, opts *WriteOptions) ([]Written, error) {
	w := newRecordWriter(c, table, opts)
	items, err := w.items(writes)
	if err != nil {
		return nil, fmt.Errorf("write to %s: %w", quote(table), err)
	}
	size := w.opts.BatchSize
	if w.opts.AllOrNothing {
		if size = max(len(items), 1); size > MaxTransaction {
			return nil, invalid("write to %s: %d records are too many for one transaction, which takes %d; write them without AllOrNothing, or in parts",
				quote(table), len(items), MaxTransaction)
		}
	}
	results := make([]Written, 0, len(items))
	for len(items) > 0 {
		batch := items[:min(size, len(items))]
		items = items[len(batch):]
		if err := w.batch(ctx, batch); err != nil {
			return results, fmt.Errorf("write to %s: %w", quote(table), err)
		}
		for _, it := range batch {
			results = append(results, it.written)
		}
	}
	return results, nil
}

// recordWriter writes batches of records of one table.
type recordWriter struct {
	c     *Client
	table string
	opts  WriteOptions
}

// writeItem is one record on its way.
type writeItem struct {
	id      ID
	data    json.RawMessage
	written Written
	done    bool
}

func newRecordWriter(c *Client, table string, opts *WriteOptions) *recordWriter {
	w := &recordWriter{c: c, table: table}
	if opts != nil {
		w.opts = *opts
	}
	if w.opts.BatchSize <= 0 {
		w.opts.BatchSize = defaultBatchSize
	}
	if w.opts.Attempts <= 0 {
		w.opts.Attempts = defaultWriteAttempts
	}
	w.opts.UUIDColumn = cmp.Or(w.opts.UUIDColumn, table+"_UU")
	return w
}

// items encodes the writes and gives new records their UUIDs.
func (w *recordWriter) items(writes []Write) ([]*writeItem, error) {
	items := make([]*writeItem, len(writes))
	for i, write := range writes {
		data, err := jsonObject(write.Body)
		if err != nil {
			return nil, fmt.Errorf("record %d: %w", i+1, err)
		}
		it := &writeItem{id: write.ID, data: data, written: Written{Index: i}}
		if write.ID.IsZero() {
			it.written.UUID = write.UUID
			rec, err := ParseRecord(data)
			if err != nil {
				return nil, fmt.Errorf("record %d: %w", i+1, err)
			}
			if given, ok := rec.Text(w.opts.UUIDColumn); ok && given != "" {
				it.written.UUID = given
			} else {
				if it.written.UUID == "" {
					it.written.UUID = uuid.V7(time.Now())
				}
				it.data = withMember(data, w.opts.UUIDColumn, it.written.UUID)
			}
			if !isUUID(it.written.UUID) {
				return nil, fmt.Errorf("record %d: %w", i+1, invalid("%s is not a UUID", quote(it.written.UUID)))
			}
		}
		items[i] = it
	}
	return items, nil
}

// withMember puts a member before the others of an object.
func withMember(object json.RawMessage, name, value string) json.RawMessage {
	rest := bytes.TrimSpace(object)[1:]
	out := fmt.Appendf(make([]byte, 0, len(object)+len(name)+len(value)+8), `{%q:%q`, name, value)
	if !bytes.HasPrefix(bytes.TrimSpace(rest), []byte("}")) {
		out = append(out, ',')
	}
	return append(out, rest...)
}

// batch settles the records of one request.
func (w *recordWriter) batch(ctx context.Context, items []*writeItem) error {
	if w.opts.oneByOne() {
		return w.singly(ctx, items, false)
	}
	if !w.opts.AllOrNothing && slices.ContainsFunc(items, func(it *writeItem) bool { return batchReference(it.data) != "" }) {
		return w.singly(ctx, items, w.opts.Resumed)
	}
	perRequest, unclear, look := false, w.opts.Resumed, w.opts.Resumed
	for attempt := 1; ; attempt++ {
		left, results, err := w.send(ctx, items, look, perRequest)
		var refused *BatchError
		switch {
		case err == nil:
			return w.take(ctx, left, results, unclear)
		case errors.As(err, &refused) && w.opts.AllOrNothing:
			if !w.madeBefore(ctx, left, err) {
				return err
			}
		case refused != nil:
			perRequest, look = true, false // so that each record gets its own response
			attempt--
		case ctx.Err() != nil:
			return err
		case withoutBatch(err) && !w.opts.AllOrNothing:
			return w.smaller(ctx, left, statusOf(err), unclear)
		case Retryable(err) && attempt < w.opts.Attempts:
			if !Unsent(err) {
				unclear, look = true, true
			}
			if err := w.pause(ctx, attempt, err); err != nil {
				return err
			}
		default:
			return err
		}
	}
}

// send sends the records that are not settled, and returns them with their results.
func (w *recordWriter) send(ctx context.Context, items []*writeItem, look, perRequest bool) (left []*writeItem, results []BatchResult, err error) {
	if look {
		err = w.find(ctx, unsettled(items))
	}
	if left = unsettled(items); err == nil && len(left) > 0 {
		results, err = w.c.Batch(ctx, w.requests(left), BatchOptions{PerRequest: perRequest})
	}
	return left, results, err
}

// madeBefore reports whether an earlier attempt made all new records.
func (w *recordWriter) madeBefore(ctx context.Context, items []*writeItem, err error) bool {
	return errors.Is(err, ErrExists) && w.find(ctx, items) == nil && !created(unsettled(items)) && len(unsettled(items)) < len(items)
}

// smaller settles records in halves if they are too many at once, else one by one.
func (w *recordWriter) smaller(ctx context.Context, items []*writeItem, status int, unclear bool) error {
	if half := len(items) / 2; status == http.StatusRequestEntityTooLarge && half > 0 {
		if err := w.batch(ctx, items[:half]); err != nil {
			return err
		}
		return w.batch(ctx, items[half:])
	}
	return w.singly(ctx, items, unclear)
}

// created reports whether one of the records is new.
func created(items []*writeItem) bool {
	return slices.ContainsFunc(items, func(it *writeItem) bool { return it.id.IsZero() })
}

func unsettled(items []*writeItem) []*writeItem {
	left := make([]*writeItem, 0, len(items))
	for _, it := range items {
		if !it.done {
			left = append(left, it)
		}
	}
	return left
}

func (w *recordWriter) requests(items []*writeItem) []BatchRequest {
	requests := make([]BatchRequest, len(items))
	for i, it := range items {
		if it.id.IsZero() {
			requests[i] = BatchCreate(w.table, it.data)
		} else {
			requests[i] = BatchUpdate(w.table, it.id, it.data)
		}
	}
	return requests
}

// take settles records by the responses to them. What is refused because it
// exists may be our own, of a request that came twice; unclear says that an earlier
// one may have made it whatever the refusal says.
func (w *recordWriter) take(ctx context.Context, items []*writeItem, results []BatchResult, unclear bool) error {
	var refused []*writeItem
	for i, it := range items {
		it.done = true
		if it.written.Err = results[i].Err(); it.written.Err == nil {
			it.written.Record, it.written.Err = results[i].Record()
		} else {
			refused = append(refused, it)
		}
	}
	return w.findRefused(ctx, refused, unclear)
}

// findRefused settles those of the refused records that are there nevertheless.
func (w *recordWriter) findRefused(ctx context.Context, items []*writeItem, unclear bool) error {
	return w.find(ctx, slices.DeleteFunc(items, func(it *writeItem) bool {
		return !it.id.IsZero() || !unclear && !errors.Is(it.written.Err, ErrExists)
	}))
}

// singly writes records one by one, to servers that take no batch.
func (w *recordWriter) singly(ctx context.Context, items []*writeItem, unclear bool) error {
	for _, it := range items {
		for attempt := 1; !it.done; attempt++ {
			rec, err := w.write(ctx, it)
			switch {
			case err == nil:
				it.written.Record, it.done = rec, true
			case ctx.Err() != nil, errors.Is(err, ErrUnauthorized):
				return err
			case Retryable(err):
				last := attempt >= w.opts.Attempts
				if last && (Unsent(err) || !it.id.IsZero()) {
					return err
				}
				unclear = unclear || !Unsent(err)
				if err := w.pause(ctx, attempt, err); err != nil {
					return err
				}
				if findErr := w.find(ctx, []*writeItem{it}); findErr != nil || last && !it.done {
					return errors.Join(err, findErr)
				}
			default:
				it.written.Err, it.done = err, true
				if err := w.findRefused(ctx, []*writeItem{it}, unclear); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (w *recordWriter) write(ctx context.Context, it *writeItem) (Record, error) {
	if it.id.IsZero() {
		return w.c.Create(ctx, w.table, it.data)
	}
	return w.c.Update(ctx, w.table, it.id, it.data)
}

// find settles the new records that are there, by their UUIDs.
func (w *recordWriter) find(ctx context.Context, items []*writeItem) error {
	byUUID := map[string]*writeItem{}
	var all []string
	for _, it := range items {
		if it.id.IsZero() {
			byUUID[it.written.UUID] = it
			all = append(all, it.written.UUID)
		}
	}
	for len(all) > 0 {
		chunk := all[:min(lookupChunk, len(all))]
		all = all[len(chunk):]
		q := &Query{Filter: ActiveOrNot(In(w.opts.UUIDColumn, chunk...)), Top: len(chunk)}
		for rec, err := range w.c.Records(ctx, w.table, q) {
			if err != nil {
				return err
			}
			if it := byUUID[rec.UUID()]; it != nil {
				it.written.Record, it.written.Found, it.written.Err, it.done = rec.Clone(), true, nil, true
			}
		}
	}
	return nil
}

// pause waits before the next attempt, as long as the server wants at least.
func (w *recordWriter) pause(ctx context.Context, attempt int, cause error) error {
	policy := w.c.conn.api.Retry
	wait := min(policy.MinWait<<min(attempt-1, 10), policy.MaxWait)
	wait -= rand.N(wait/2 + 1)
	var refused *Error
	if errors.As(cause, &refused) && refused.RetryAfter > wait {
		if wait = refused.RetryAfter; wait > policy.MaxRetryAfter {
			return fmt.Errorf("the server wants the next request after %s, which is longer than is waited: %w", wait, cause)
		}
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

func statusOf(err error) int {
	var refused *Error
	if errors.As(err, &refused) {
		return refused.Status
	}
	return 0
}

// withoutBatch reports whether the server knows no batches.
func withoutBatch(err error) bool {
	switch statusOf(err) {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented, http.StatusRequestEntityTooLarge:
		return true
	}
	return false
}
