package erp

import (
	"context"
	"fmt"
	"iter"
)

// CreateAll adds records, many in a request, as they come from bodies: maps or
// structs as [Client.Create] takes them. The results are in the order of bodies,
// and tell of each record whether it was made; see [Client.WriteRecords]. While a
// request is under way the next bodies are read, but no more than one request
// takes (with opts.Parallel, that many requests).
//
//	for made, err := range client.CreateAll(ctx, "C_BPartner", bodies, nil) {
//		switch {
//		case err != nil: // it ends here
//		case made.Err != nil: // this one was refused
//		}
//	}
//
// An error of bodies comes last, after the results of what was read before. So
// does one that ends the writing. Breaking out of the loop waits for the requests
// under way, whose records may be written.
func (c *Client) CreateAll(ctx context.Context, table string, bodies iter.Seq2[any, error], opts *WriteOptions) iter.Seq2[Written, error] {
	return func(yield func(Written, error) bool) {
		a := &creation{c: c, table: table, opts: WriteOptions{}}
		if opts != nil {
			a.opts = *opts
		}
		next, stop := iter.Pull2(bodies)
		defer stop()
		a.run(ctx, next, yield)
	}
}

// creation is one CreateAll.
type creation struct {
	c     *Client
	table string
	opts  WriteOptions
	read  int // bodies

	flying []chan createdBatch // under way, the oldest first
}

type createdBatch struct {
	first   int
	results []Written
	err     error
}

func (a *creation) run(ctx context.Context, next func() (any, error, bool), yield func(Written, error) bool) {
	defer func() {
		for _, batch := range a.flying {
			<-batch
		}
	}()
	parallel := max(a.opts.Parallel, 1)
	for {
		first := a.read
		writes, more, err := a.readBatch(next)
		if len(a.flying) == parallel && !a.settle(yield) {
			return
		}
		if len(writes) > 0 {
			batch := make(chan createdBatch, 1)
			go func() {
				results, err := a.c.WriteRecords(ctx, a.table, writes, &a.opts)
				batch <- createdBatch{first, results, err}
			}()
			a.flying = append(a.flying, batch)
		}
		if err != nil || !more {
			for len(a.flying) > 0 {
				if !a.settle(yield) {
					return
				}
			}
			if err != nil {
				yield(Written{}, fmt.Errorf("create in %s: reading record %d: %w", quote(a.table), a.read+1, err))
			}
			return
		}
	}
}

// readBatch reads what one request takes.
func (a *creation) readBatch(next func() (any, error, bool)) (writes []Write, more bool, err error) {
	size := a.opts.BatchSize
	if size <= 0 {
		size = defaultBatchSize
	}
	if a.opts.AllOrNothing {
		size = MaxTransaction + 1
	}
	for len(writes) < size {
		body, err, ok := next()
		if !ok {
			return writes, false, nil
		}
		if err != nil {
			if a.opts.AllOrNothing {
				writes = nil
			}
			return writes, false, err
		}
		writes = append(writes, Write{Body: body})
		a.read++
	}
	return writes, true, nil
}

// settle yields the results of the oldest request, and reports whether to go on.
func (a *creation) settle(yield func(Written, error) bool) bool {
	batch := <-a.flying[0]
	a.flying = a.flying[1:]
	for _, w := range batch.results {
		w.Index += batch.first
		if !yield(w, nil) {
			return false
		}
	}
	if batch.err != nil {
		yield(Written{}, batch.err)
		return false
	}
	return true
}
