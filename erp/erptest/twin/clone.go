package twin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/twinfile"
	"github.com/erphub/erphub/erp/erptest/twin/mask"
	"github.com/erphub/erphub/internal/nearest"
)

// clone is one run of [Clone].
type clone struct {
	src     Source
	opts    Options
	mark    string
	tenants []int64      // whose rows are copied; nil: of all
	mask    *mask.Masker // nil: rows stay as they are
	work    *store.Store
	total   int64
	reached bool             // the source gave something in this run
	refs    map[string][]ref // by table
	grown   map[string]bool  // tables that got rows in the last round of references; nil: any may have
	report  Report
}

// Clone makes a twin of an ERP in a folder, in the file that a sandbox with data
// in that folder serves. What is there already is replaced once the new one is
// complete, if it is a twin; anything else is refused, and so is a folder with other
// files and no twin. Until then the work is in
// a file beside, from which [Options].Resume goes on after the process was killed
// or ctx ended. One process at a time works in a folder.
func Clone(ctx context.Context, src Source, dir string, opts Options) (*Report, error) {
	report, err := cloneInto(ctx, src, dir, opts.withDefaults())
	if err != nil {
		return nil, fmt.Errorf("making a twin of %s in %s: %w", src.Origin(), dir, err)
	}
	return report, nil
}

func cloneInto(ctx context.Context, src Source, dir string, opts Options) (_ *Report, err error) {
	started := time.Now()
	if err := checkFolder(dir); err != nil {
		return nil, err
	}
	unlock, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	path := filepath.Join(dir, twinfile.FileName)
	if err := checkTarget(ctx, path); err != nil {
		return nil, err
	}
	if opts, err = opts.withKey(dir); err != nil {
		return nil, err
	}
	mark, err := opts.mark(src)
	if err != nil {
		return nil, err
	}
	w, err := openWork(ctx, path+workSuffix, mark, opts)
	if err != nil {
		return nil, err
	}
	c := &clone{src: src, opts: opts, mark: mark, work: w.s, refs: map[string][]ref{}}
	c.report = Report{Origin: src.Origin(), Kind: src.Kind(), Masked: opts.Masking.Mode != mask.None, Masking: opts.Masking.Fingerprint()}
	err = c.make(ctx, w, path+sealedSuffix)
	if cerr := c.work.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, err
	}
	if err := opts.previous.close(); err != nil {
		return nil, err
	}
	if c.report.Bytes, err = replace(path+sealedSuffix, path); err != nil {
		return nil, err
	}
	removeDatabase(path + workSuffix)
	c.report.Took = time.Since(started)
	if c.mask != nil {
		c.report.Columns = slices.DeleteFunc(c.mask.Report(), func(r mask.ColumnReport) bool { return r.Masked == 0 })
	}
	return &c.report, nil
}

// step runs do once, also if the clone is interrupted and resumed in between.
func (c *clone) step(ctx context.Context, name string, do func() error) error {
	var st stepState
	if _, err := load(ctx, c.work, name, &st); err != nil || st.Done {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	if err := c.work.Update(ctx, func(tx *store.Tx) error { return save(ctx, tx, name, stepState{Done: true}) }); err != nil {
		return err
	}
	c.opts.Logger.DebugContext(ctx, "a step of the clone is done", "step", name)
	return nil
}

func (c *clone) run(ctx context.Context) error {
	if err := c.chooseTenants(ctx); err != nil {
		return err
	}
	if err := c.step(ctx, "foundation", func() error { return c.foundation(ctx) }); err != nil {
		return err
	}
	if err := c.work.Update(ctx, func(tx *store.Tx) error {
		tx.DictionaryChanged()
		return nil
	}); err != nil {
		return err
	}
	if err := c.step(ctx, "tables", func() error { return c.makeTables(ctx) }); err != nil {
		return err
	}
	tables, err := c.tables(ctx)
	if err != nil {
		return err
	}
	if err := c.checkWanted(tables); err != nil {
		return err
	}
	if err := c.makeMask(ctx, tables); err != nil {
		return err
	}
	if err := c.copyParts(ctx, tables); err != nil {
		return err
	}
	if err := c.step(ctx, "UUIDs", func() error {
		for _, t := range tables {
			if err := c.indexUUIDs(ctx, t); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	if err := c.closure(ctx, tables); err != nil {
		return err
	}
	if err := c.settle(ctx, tables); err != nil {
		return err
	}
	return c.seal(ctx)
}

// make reads what a new twin has, or takes up one that was complete but for its place.
func (c *clone) make(ctx context.Context, w *work, sealed string) (err error) {
	if w.sealed != nil {
		err = json.Unmarshal(w.sealed.Report, &c.report)
	} else if err = c.run(ctx); err != nil && !errors.Is(err, ErrFatal) && c.reached {
		err = fmt.Errorf("%w; what was read is kept, and a clone with the same options resumes from there if it is told to (Resume, --resume)", err)
	}
	c.report.Resumed = w.resumed
	if err == nil {
		err = c.setPasswords(ctx)
	}
	if err == nil {
		err = c.finish(ctx, sealed)
	}
	return err
}

func (c *clone) copyParts(ctx context.Context, tables []*store.Table) error {
	for _, part := range []Part{Dictionary, Reference, Business} {
		var due []*copying
		for _, t := range tables {
			if q, ok := c.queryOf(t, part); ok {
				due = append(due, &copying{table: t, query: q})
			}
		}
		for next := range slices.Chunk(due, 32) { // what was asked long before may not hold any more
			err := c.askAhead(ctx, next)
			for i := 0; i < len(next) && err == nil; i++ {
				if t := next[i].table; c.opts.refused(t) != "" {
					err = c.skip(ctx, t, part, c.opts.refused(t))
				} else {
					err = c.copyTable(ctx, t, part, next[i].query, next[i].stamp)
				}
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// copying is a table to copy.
type copying struct {
	table *store.Table
	query Query
	stamp *Stamp // nil: to be asked for
}

// askAhead asks for the stamps of tables, several at once: most tables of an ERP are
// empty, and over REST asking is all that is done about them. What goes wrong is asked
// for once more when it is the table's turn, which is next when the ERP has gone.
func (c *clone) askAhead(ctx context.Context, due []*copying) error {
	var work sync.WaitGroup
	defer work.Wait()
	slots := make(chan struct{}, pagesAtOnce)
	var gone atomic.Bool
	for i := 0; i < len(due) && !gone.Load(); i++ {
		d := due[i]
		found, err := load(ctx, c.work, "table:"+d.table.Name, &tableState{})
		if err != nil {
			return err
		}
		if found || c.opts.refused(d.table) != "" {
			continue
		}
		slots <- struct{}{}
		work.Go(func() {
			stamp, err := c.src.Stamp(ctx, tableOf(d.table))
			if err == nil {
				d.stamp = &stamp
			}
			gone.CompareAndSwap(false, err != nil && !errors.Is(err, ErrNotReadable) && !errors.Is(err, ErrNoTable))
			<-slots
		})
	}
	return nil
}

// tables are those that the embedded database has rows in, by name.
func (c *clone) tables(ctx context.Context) ([]*store.Table, error) {
	var out []*store.Table
	err := c.work.View(ctx, func(tx *store.Tx) error {
		byID, err := tx.TableNames(ctx)
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Values(byID)) {
			t, err := tx.Table(ctx, name)
			if err != nil {
				return err
			}
			if t.IsView || serverOwn[strings.ToUpper(name)] {
				continue
			}
			exists, err := tx.TableExists(ctx, name)
			if err != nil {
				return err
			}
			if exists {
				out = append(out, t)
			}
		}
		return nil
	})
	return out, err
}

// checkWanted refuses names and entity types that no table has.
func (c *clone) checkWanted(tables []*store.Table) error {
	known := make([]string, len(tables))
	for i, t := range tables {
		known[i] = t.Name
	}
	for _, pattern := range c.opts.Tables {
		if slices.ContainsFunc(known, func(name string) bool { return matches([]string{pattern}, name) }) {
			continue
		}
		advice := "look for its name in the dictionary"
		if near := nearest.Name(pattern, known); near != "" {
			advice = "is it " + near + "?"
		}
		return fatalf("the dictionary has no table %q: %s", pattern, advice)
	}
	for _, e := range c.opts.EntityTypes {
		if !slices.ContainsFunc(tables, func(t *store.Table) bool { return strings.EqualFold(t.EntityType, e) }) {
			return fatalf("no table has the entity type %q: look for it in AD_EntityType", e)
		}
	}
	return nil
}

// queryOf is what of a table is copied with a part; ok is false if nothing is.
func (c *clone) queryOf(t *store.Table, part Part) (q Query, ok bool) {
	if foundationTable(t.Name) {
		return q, false
	}
	base := t
	if name := translates(t.Name); name != "" {
		if _, ok := t.Column("AD_Language"); !ok || len(c.opts.Languages) == 0 {
			return q, false
		}
		q.By = "AD_Language"
		for _, l := range c.opts.Languages {
			q.Keys = append(q.Keys, l)
		}
		named := *t
		named.Name = name
		base = &named
	}
	is := partOf(base)
	if is == "" && c.opts.wanted(base) {
		is = Business
	}
	if is == Business && q.By == "" {
		q.Limit, q.Descending, q.Since = c.opts.Rows, c.opts.Rows > 0, c.opts.Since
	}
	return q, is == part
}

func (c *clone) skip(ctx context.Context, t *store.Table, part Part, reason string) error {
	st := tableState{Done: true, Report: TableReport{Table: t.Name, Part: part, Skipped: reason}}
	return c.work.Update(ctx, func(tx *store.Tx) error { return save(ctx, tx, "table:"+t.Name, &st) })
}
