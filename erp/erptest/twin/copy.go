package twin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// Bounds of what is held of a table while it is copied: rows that wait to be
// written, in a few batches.
const (
	batchRows  = 4000
	batchBytes = 8 << 20
)

// batch are rows that are written in one transaction.
type batch struct {
	rows  [][]any
	read  int64
	last  *int64
	bytes int
	notes TableReport
}

// add takes a row, or counts one that is left out.
func (b *batch) add(p *plan, row []any) {
	b.read++
	if row == nil {
		return
	}
	if key := p.keyOf(row); key != nil {
		b.last = key
	}
	b.rows = append(b.rows, row)
	b.bytes += sizeOf(row)
}

// errSink marks errors that are not the source's.
type errSink struct{ err error }

func (e *errSink) Error() string { return e.err.Error() }
func (e *errSink) Unwrap() error { return e.err }

// retry has do run again after errors of the source, with growing pauses. moved
// reports whether the last run got further.
func (c *clone) retry(ctx context.Context, what string, do func() (moved bool, err error)) error {
	for attempt := 1; ; attempt++ {
		moved, err := do()
		var sink *errSink
		switch {
		case err == nil:
			c.reached = true
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.As(err, &sink), errors.Is(err, ErrNotReadable), errors.Is(err, ErrNoTable), errors.Is(err, ErrFatal), errors.Is(err, errRefused):
			return err
		}
		if moved {
			attempt = 1
		}
		retries := max(c.opts.Retries, 0)
		if !c.reached { // it was never there: a wrong address is likelier than a pause
			retries = min(retries, 1)
		}
		if attempt > retries {
			return fmt.Errorf("%s: given up after %d attempts: %w", what, attempt, err)
		}
		wait := min(c.opts.Backoff<<min(attempt-1, 20), maxBackoff)
		c.opts.Logger.WarnContext(ctx, "a request failed and is retried", "reading", what, "attempt", attempt, "wait", wait, "error", err)
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
	}
}

// copyTable copies the rows of a table that the query finds, from where an earlier
// run stopped. It asks for the table's stamp unless it is given. What the login may not
// read is noted, and no error.
func (c *clone) copyTable(ctx context.Context, t *store.Table, part Part, q Query, stamp *Stamp) error {
	name := "table:" + t.Name
	var st tableState
	found, err := load(ctx, c.work, name, &st)
	if err != nil {
		return err
	}
	if st.Done {
		return nil
	}
	var p *plan
	err = c.work.View(ctx, func(tx *store.Tx) (err error) {
		p, st.Report.NotCopied, err = c.planOf(ctx, tx, t, part)
		return err
	})
	if err != nil {
		return err
	}
	q.Table, q.Columns, q.Tenants = p.table, p.columns, c.tenants
	st.Report.Table, st.Report.Part = t.Name, part
	if found && q.Table.Key == "" { // rows may have come and gone since, before the one it stopped at
		if err := c.restart(ctx, t, &st); err != nil {
			return err
		}
	}
	switch {
	case found:
	case stamp != nil:
		st.Report.Source = *stamp
	default:
		err = c.retry(ctx, "the table "+t.Name, func() (bool, error) {
			var err error
			st.Report.Source, err = c.src.Stamp(ctx, q.Table)
			return false, err
		})
	}
	src := c.src
	if err == nil {
		reuse, rerr := c.opts.previous.usable(ctx, t, part, st.Report.Source)
		if rerr != nil {
			return rerr
		}
		// What was read of it in an earlier run came from the same place.
		if st.Report.Reused = reuse && (!found || st.Report.Reused); st.Report.Reused {
			src, p.mask = c.opts.previous.source, nil
			q = Query{Table: q.Table, Columns: q.Columns}
		}
	}
	if err == nil && (found || st.Report.Source.Rows != 0) {
		err = c.retry(ctx, "the table "+t.Name, func() (bool, error) {
			before := st.Read
			err := c.stream(ctx, src, p, &st, q)
			if err != nil && q.Table.Key == "" && len(q.Table.Order) == 0 {
				if err := c.restart(ctx, t, &st); err != nil {
					return false, &errSink{err}
				}
			}
			return st.Read > before, err
		})
	}
	var sink *errSink
	switch {
	case err == nil:
	case foundationTable(t.Name) && errors.Is(err, ErrNotReadable):
		return fatalf("cloning %s: %w; log in with a role that reads the Application Dictionary", t.Name, err)
	case ctx.Err() != nil, errors.As(err, &sink), errors.Is(err, ErrFatal), foundationTable(t.Name):
		return fmt.Errorf("cloning %s: %w", t.Name, err)
	case errors.Is(err, ErrNotReadable), errors.Is(err, ErrNoTable):
		st.Report.Unreadable = err.Error()
	default:
		// Is it the table, or has the ERP gone?
		if _, alive := c.src.Stamp(ctx, &Table{Name: "AD_Table", Key: "AD_Table_ID", HasActive: true, HasUpdated: true}); alive != nil {
			return fmt.Errorf("cloning %s: %w", t.Name, err)
		}
		st.Report.Unreadable = err.Error()
	}
	if st.Report.Unreadable != "" {
		c.opts.Logger.WarnContext(ctx, "a table cannot be read", "table", t.Name, "error", err)
	}
	st.Done = true
	return c.work.Update(ctx, func(tx *store.Tx) error { return save(ctx, tx, name, &st) })
}

// restart removes the rows of a table that cannot be read from the middle.
func (c *clone) restart(ctx context.Context, t *store.Table, st *tableState) error {
	st.Read, st.Last = 0, nil
	st.Report.Rows, st.Report.LeftOut, st.Report.Filled, st.Report.Unfit = 0, nil, nil, nil
	return c.work.Update(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, "DELETE FROM "+sqlquote.Name(t.Name)); err != nil {
			return err
		}
		return save(ctx, tx, "table:"+t.Name, st)
	})
}

// stream reads rows and has them written beside, until one of both ends.
func (c *clone) stream(ctx context.Context, src Source, p *plan, st *tableState, q Query) error {
	q.After = st.Last
	if q.Table.Key == "" {
		q.Skip = int(st.Read)
	}
	if q.Limit > 0 {
		if q.Limit -= int(st.Read); q.Limit <= 0 {
			return nil
		}
	}
	reading, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	batches := make(chan *batch, 1)
	written := make(chan error, 1)
	go func() {
		var failed error
		for b := range batches {
			if failed == nil {
				if failed = c.write(ctx, p, st, b); failed != nil {
					stop(failed)
				}
			}
		}
		written <- failed
	}()
	b := &batch{}
	send := func() error {
		select {
		case batches <- b:
			b = &batch{}
			return nil
		case <-reading.Done():
			return &errSink{context.Cause(reading)}
		}
	}
	err := src.Rows(reading, &q, func(values []any) error {
		row, err := p.convert(values, &b.notes)
		if err != nil {
			return &errSink{err}
		}
		b.add(p, row)
		if b.read >= batchRows || b.bytes >= batchBytes {
			return send()
		}
		return nil
	})
	if b.read > 0 { // what was read before an error counts
		if serr := send(); err == nil {
			err = serr
		}
	}
	close(batches)
	if werr := <-written; werr != nil {
		return &errSink{werr}
	}
	return err
}

func sizeOf(row []any) int {
	n := 0
	for _, v := range row {
		switch v := v.(type) {
		case string:
			n += len(v)
		case []byte:
			n += len(v)
		}
		n += 32 // the value itself
	}
	return n
}

// write writes a batch together with how far the table is then.
func (c *clone) write(ctx context.Context, p *plan, st *tableState, b *batch) error {
	next := *st
	next.Read += b.read
	if b.last != nil {
		next.Last = b.last
	}
	err := c.work.Update(ctx, func(tx *store.Tx) error {
		if err := c.insert(ctx, tx, p, b); err != nil {
			return err
		}
		report := next.Report.clone()
		report.add(&b.notes)
		next.Report = report
		return save(ctx, tx, "table:"+p.t.Name, &next)
	})
	if err != nil {
		return err
	}
	*st = next
	c.total += b.notes.Rows
	if c.opts.Progress != nil {
		c.opts.Progress(Progress{Part: p.part, Table: p.t.Name, Rows: st.Report.Rows, Total: c.total})
	}
	return nil
}

// doubled is why a row is left out that another one stands for.
const doubled = "the key or UUID is there already"

// insert writes the rows of a batch and counts them. One whose key is there
// already is left out.
func (c *clone) insert(ctx context.Context, tx *store.Tx, p *plan, b *batch) error {
	ctx = context.WithoutCancel(ctx) // the driver does less for a statement that nobody interrupts
	for _, row := range b.rows {
		res, err := tx.Exec(ctx, p.insert, row...)
		if err != nil {
			return fmt.Errorf("writing a row of %s: %w", p.t.Name, err)
		}
		n, err := res.RowsAffected()
		if err != nil {
			return err
		}
		if n == 0 {
			count(&b.notes.LeftOut, doubled, 1)
			continue
		}
		b.notes.Rows++
	}
	return nil
}

// clone copies the counts, which would else be shared.
func (t TableReport) clone() TableReport {
	out := t
	out.LeftOut, out.Emptied, out.Filled, out.Unfit, out.Rows = nil, nil, nil, nil, 0
	out.add(&t)
	return out
}
