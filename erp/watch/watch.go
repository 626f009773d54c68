// Package watch follows the records of a table as they change, by requests for
// what has changed since the last one: the ERP's REST API has no events.
//
// What it needs is the column Updated. Deleted records are seen by [Record] only.
package watch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/erphub/erphub/erp"
)

// Kind says what happened to a record.
type Kind string

// The kinds of changes.
const (
	Created Kind = "created"
	Updated Kind = "updated"
	Deleted Kind = "deleted" // of [Record] only
)

// Change is what happened to a record between two requests.
type Change struct {
	Kind   Kind
	Record erp.Record // zero for Deleted
	// Previous is the record as it was seen before; zero when it was not.
	Previous erp.Record
	// Columns are those whose values differ from Previous, without Updated and
	// UpdatedBy.
	Columns []string
}

// Options say what to watch and how often.
type Options struct {
	Filter erp.Filter
	// Select names the columns to read; Created and Updated are added. Empty reads
	// all.
	Select []string
	// Every is the time between two requests; 0: 5 s.
	Every time.Duration
	// Overlap is how far back a request reaches behind the newest change: times are
	// whole seconds, and what a transaction writes becomes visible later. 0: 1
	// minute. A transaction that takes longer is missed.
	Overlap time.Duration
	// Patience is how long the server may be away before that is an error; 0: 1
	// minute, negative: forever.
	Patience time.Duration
}

func (o *Options) withDefaults() Options {
	var out Options
	if o != nil {
		out = *o
	}
	out.Every = cmp.Or(out.Every, 5*time.Second)
	out.Overlap = cmp.Or(out.Overlap, time.Minute)
	out.Patience = cmp.Or(out.Patience, time.Minute)
	if len(out.Select) > 0 {
		out.Select = slices.Clone(out.Select)
		for _, column := range []string{"Created", "Updated"} {
			if !slices.Contains(out.Select, column) {
				out.Select = append(out.Select, column)
			}
		}
	}
	return out
}

// Table yields every change of the table's records that the filter finds, from
// the call on, until the loop ends or ctx does. Several changes between two
// requests are one; a record that no longer meets the filter is not seen. A
// server that is away is waited for (see Options.Patience); any other error is
// yielded and is the last, as is the end of ctx.
func Table(ctx context.Context, client *erp.Client, table string, opts *Options) iter.Seq2[Change, error] {
	w := &tableWatch{client: client, table: table, opts: opts.withDefaults(), seen: map[string]erp.Record{}}
	return poll(ctx, w.opts, w.look)
}

// Record yields every change of one record, and ends after its deletion. One
// that is not there at the first request is erp.ErrNotFound. See [Table] for the
// rest.
func Record(ctx context.Context, client *erp.Client, table string, id erp.ID, opts *Options) iter.Seq2[Change, error] {
	w := &recordWatch{client: client, table: table, id: id, opts: opts.withDefaults()}
	return poll(ctx, w.opts, w.look)
}

// errDone ends a watch without an error.
var errDone = errors.New("nothing more to watch")

// poll yields what look finds, again and again.
func poll(ctx context.Context, opts Options, look func(context.Context) ([]Change, error)) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		var away time.Time // since when the server is
		for {
			changes, err := look(ctx)
			switch {
			case err == nil || errors.Is(err, errDone):
				away = time.Time{}
			case ctx.Err() != nil:
				yield(Change{}, context.Cause(ctx))
				return
			case !transient(err):
				yield(Change{}, err)
				return
			case away.IsZero():
				away = time.Now()
			case opts.Patience > 0 && time.Since(away) >= opts.Patience:
				yield(Change{}, err)
				return
			}
			for _, change := range changes {
				if !yield(change, nil) {
					return
				}
			}
			if errors.Is(err, errDone) {
				return
			}
			select {
			case <-ctx.Done():
				yield(Change{}, context.Cause(ctx))
				return
			case <-time.After(opts.Every):
			}
		}
	}
}

// transient reports whether a request may succeed later.
func transient(err error) bool {
	var e *erp.Error
	return erp.Retryable(err) || errors.As(err, &e) && errors.Is(err, erp.ErrServer) && e.Page
}

type tableWatch struct {
	client *erp.Client
	table  string
	opts   Options
	begun  bool
	newest time.Time // newest change seen, by the server's clock
	seen   map[string]erp.Record
}

// look reads what changed since the last one, oldest first.
func (w *tableWatch) look(ctx context.Context) ([]Change, error) {
	if !w.begun {
		return nil, w.begin(ctx)
	}
	var changes []Change
	err := w.read(ctx, func(key string, rec erp.Record, updated time.Time) {
		before, known := w.seen[key]
		columns := differing(before, rec)
		if known && len(columns) == 0 {
			return
		}
		change := Change{Kind: Updated, Record: rec}
		switch created, ok := rec.Time("Created"); {
		case known:
			change.Previous, change.Columns = before, columns
		case ok && !updated.After(created), ok && !created.Before(w.newest):
			change.Kind = Created
		}
		changes = append(changes, change)
	})
	if err != nil {
		return nil, err
	}
	for _, change := range changes {
		w.take(change.Record)
	}
	w.forget()
	return changes, nil
}

// begin learns what there is already: the records that the next request brings
// up again.
func (w *tableWatch) begin(ctx context.Context) error {
	q := &erp.Query{Filter: w.opts.Filter, Select: []string{"Updated"}, OrderBy: []string{erp.Desc("Updated")}, Top: 1}
	page, err := w.client.Query(ctx, w.table, q)
	if err != nil {
		return err
	}
	if len(page.Records) > 0 {
		newest, ok := page.Records[0].Time("Updated")
		if !ok {
			return fmt.Errorf("watch %s: its records have no time of their last change: %w", w.table, erp.ErrInvalid)
		}
		w.newest = newest
		known := map[string]erp.Record{}
		if err := w.read(ctx, func(key string, rec erp.Record, _ time.Time) { known[key] = rec }); err != nil {
			return err
		}
		for _, rec := range known {
			w.take(rec)
		}
	}
	w.begun = true
	return nil
}

// read calls each for what changed lately.
func (w *tableWatch) read(ctx context.Context, each func(key string, rec erp.Record, updated time.Time)) error {
	q := &erp.Query{Filter: w.opts.Filter, Select: w.opts.Select, OrderBy: []string{erp.Asc("Updated")}}
	if !w.newest.IsZero() {
		q.Filter = q.Filter.And(erp.Ge("Updated", w.newest.Add(-w.opts.Overlap)))
	}
	for rec, err := range w.client.Records(ctx, w.table, q) {
		if err != nil {
			return err
		}
		updated, ok := rec.Time("Updated")
		if !ok {
			return fmt.Errorf("watch %s: record %s has no time of its last change: %w", w.table, rec.ID(), erp.ErrInvalid)
		}
		each(keyOf(rec), rec, updated)
	}
	return nil
}

func (w *tableWatch) take(rec erp.Record) {
	w.seen[keyOf(rec)] = rec.Clone()
	if updated, _ := rec.Time("Updated"); updated.After(w.newest) {
		w.newest = updated
	}
}

// maxSeen is how many records are kept to tell what they were before, beyond
// those that the next request brings up again.
const maxSeen = 1000

// forget drops records that a request can no longer bring up unchanged, when
// there are many.
func (w *tableWatch) forget() {
	if len(w.seen) <= maxSeen {
		return
	}
	for key, rec := range w.seen {
		if updated, _ := rec.Time("Updated"); updated.Before(w.newest.Add(-w.opts.Overlap)) {
			delete(w.seen, key)
		}
	}
}

// keyOf is what a record is known by.
func keyOf(rec erp.Record) string {
	if uuid := rec.UUID(); uuid != "" {
		return uuid
	}
	return rec.ID().String()
}

// differing are the columns whose values differ.
func differing(before, now erp.Record) []string {
	var columns []string
	for name, raw := range now.All() {
		if old, _ := before.Raw(name); !bytes.Equal(old, raw) {
			columns = append(columns, name)
		}
	}
	for name := range before.All() {
		if !now.Has(name) { // an empty column is not sent
			columns = append(columns, name)
		}
	}
	return slices.DeleteFunc(columns, func(name string) bool { return name == "Updated" || name == "UpdatedBy" })
}

type recordWatch struct {
	client *erp.Client
	table  string
	id     erp.ID
	opts   Options
	begun  bool
	last   erp.Record
}

func (w *recordWatch) look(ctx context.Context) ([]Change, error) {
	rec, err := w.client.Get(ctx, w.table, w.id, &erp.GetOptions{Select: w.opts.Select})
	switch {
	case w.begun && errors.Is(err, erp.ErrNotFound):
		return []Change{{Kind: Deleted, Previous: w.last}}, errDone
	case err != nil:
		return nil, err
	}
	before, begun := w.last, w.begun
	w.last, w.begun = rec.Clone(), true
	columns := differing(before, rec)
	if !begun || len(columns) == 0 {
		return nil, nil
	}
	return []Change{{Kind: Updated, Record: rec, Previous: before, Columns: columns}}, nil
}
