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
// complete, if it is a twin; anything else is refused. Until then the work is in
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
	w, err := openWork(ctx, path+workSuffix, mark, opts.Resume)
	if err != nil {
		return nil, err
	}
	c := &clone{src: src, opts: opts, mark: mark, work: w.s, refs: map[string][]ref{}}
	c.report = Report{Origin: src.Origin(), Kind: src.Kind(), Masked: opts.Masking.Mode != mask.None, Masking: opts.Masking.Fingerprint()}
	if w.sealed != nil {
		err = json.Unmarshal(w.sealed.Report, &c.report)
	} else {
		if err = c.run(ctx); err != nil && !errors.Is(err, ErrFatal) && c.reached {
			err = fmt.Errorf("%w; what was read is kept, and a clone with the same options resumes from there", err)
		}
	}
	c.report.Resumed = w.resumed
	if err == nil {
		err = c.setPasswords(ctx)
	}
	if err == nil {
		err = c.finish(ctx)
	}
	if cerr := c.work.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, err
	}
	if err := opts.previous.close(); err != nil {
		return nil, err
	}
	if c.report.Bytes, err = replace(path+workSuffix, path); err != nil {
		return nil, err
	}
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
	for _, part := range []Part{Dictionary, Reference, Business} {
		for _, t := range tables {
			if err := c.copyPart(ctx, t, part); err != nil {
				return err
			}
		}
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

// checkWanted refuses names of tables that are none.
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

// copyPart copies a table if it is of a part.
func (c *clone) copyPart(ctx context.Context, t *store.Table, part Part) error {
	if foundationTable(t.Name) {
		return nil
	}
	q := Query{}
	base := t
	if name := translates(t.Name); name != "" {
		if len(c.opts.Languages) == 0 {
			return nil
		}
		if _, ok := t.Column("AD_Language"); !ok {
			return nil
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
	if is != part {
		return nil
	}
	if reason := c.opts.refused(t); reason != "" {
		return c.skip(ctx, t, part, reason)
	}
	if part == Business && q.By == "" {
		q.Limit, q.Descending, q.Since = c.opts.Rows, c.opts.Rows > 0, c.opts.Since
	}
	return c.copyTable(ctx, t, part, q)
}

func (c *clone) skip(ctx context.Context, t *store.Table, part Part, reason string) error {
	st := tableState{Done: true, Report: TableReport{Table: t.Name, Part: part, Skipped: reason}}
	return c.work.Update(ctx, func(tx *store.Tx) error { return save(ctx, tx, "table:"+t.Name, &st) })
}

// foundation copies the tables from which the form of all others is known. The
// form of these is read first.
func (c *clone) foundation(ctx context.Context) error {
	tables, err := c.bootstrap(ctx)
	if err != nil {
		return err
	}
	for _, t := range tables {
		err := c.work.Update(ctx, func(tx *store.Tx) error {
			exists, err := tx.TableExists(ctx, t.Name)
			if err != nil || exists {
				return err
			}
			_, err = createTable(ctx, tx, t)
			return err
		})
		if err != nil {
			return err
		}
		if err := c.copyTable(ctx, t, Dictionary, Query{}); err != nil {
			return err
		}
		var st tableState
		if _, err := load(ctx, c.work, "table:"+t.Name, &st); err != nil {
			return err
		}
		if err := c.index(ctx, t); err != nil {
			return err
		}
		if st.Report.Unreadable != "" || st.Report.Rows == 0 {
			return fatalf("%s has no rows for this login (%s): log in with a role that reads the Application Dictionary", t.Name, st.Report.Unreadable)
		}
	}
	return nil
}

// bootstrap reads how the source has the tables of the foundation.
func (c *clone) bootstrap(ctx context.Context) ([]*store.Table, error) {
	var names []any
	for _, n := range foundation {
		names = append(names, n)
	}
	byID := map[int64]*store.Table{}
	var ids []any
	read := func(q *Query, row func([]any) error) error {
		return c.retry(ctx, "the table "+q.Table.Name, func() (bool, error) { return false, c.src.Rows(ctx, q, row) })
	}
	err := read(&Query{
		Table:   &Table{Name: "AD_Table", Key: "AD_Table_ID", HasActive: true},
		Columns: []Column{{Name: "AD_Table_ID", Type: Integer, Display: store.TypeID}, {Name: "TableName", Display: store.TypeString, Length: 40}},
		By:      "TableName", Keys: names,
	}, func(v []any) error {
		id, _ := v[0].(int64)
		name, _ := v[1].(string)
		if _, ok := byID[id]; !ok && foundationTable(name) {
			byID[id] = &store.Table{ID: id, Name: name, Active: true}
			ids = append(ids, id)
		}
		return nil
	})
	if err == nil && len(byID) < len(foundation) {
		err = fatalf("it shows %d of the %d tables that describe all others (%s): log in with a role that reads the Application Dictionary", len(byID), len(foundation), strings.Join(foundation, ", "))
	}
	if err != nil {
		return nil, err
	}
	text := func(name string) Column { return Column{Name: name, Display: store.TypeString, Length: 60} }
	number := func(name string, display int) Column { return Column{Name: name, Type: Integer, Display: display} }
	flag := func(name string) Column { return Column{Name: name, Type: Flag, Display: store.TypeYesNo, Length: 1} }
	seen := map[int64]bool{}
	err = read(&Query{
		Table: &Table{Name: "AD_Column", Key: "AD_Column_ID", HasActive: true},
		Columns: []Column{
			number("AD_Column_ID", store.TypeID), number("AD_Table_ID", store.TypeTableDir), text("ColumnName"), number("AD_Reference_ID", store.TypeTable),
			number("AD_Reference_Value_ID", store.TypeTable), number("FieldLength", store.TypeInteger), text("DefaultValue"), text("ColumnSQL"),
			flag("IsKey"), flag("IsParent"), flag("IsMandatory"), flag("IsSecure"), flag("IsActive"),
		},
		By: "AD_Table_ID", Keys: ids,
	}, func(v []any) error {
		values := make([]any, len(v))
		for i, t := range []ValueType{Integer, Integer, Text, Integer, Integer, Integer, Text, Text, Flag, Flag, Flag, Flag, Flag} {
			var err error
			if values[i], err = stored(t, v[i]); err != nil {
				return fmt.Errorf("reading the columns of the dictionary: %w", err)
			}
		}
		row := func(i int) int64 { n, _ := values[i].(int64); return n }
		str := func(i int) string { s, _ := values[i].(string); return s }
		t := byID[row(1)]
		if t == nil || seen[row(0)] || str(12) != "Y" {
			return nil
		}
		seen[row(0)] = true
		t.Columns = append(t.Columns, &store.Column{
			ID: row(0), TableID: row(1), Name: str(2), Ref: int(row(3)), RefValue: row(4), Length: int(row(5)), Default: str(6), ColumnSQL: str(7),
			Key: str(8) == "Y", Parent: str(9) == "Y", Mandatory: str(10) == "Y", Secure: str(11) == "Y",
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out []*store.Table
	for _, name := range foundation {
		for _, t := range byID {
			if strings.EqualFold(t.Name, name) {
				if len(t.Columns) == 0 {
					return nil, fatalf("the columns of %s are not shown to this login", name)
				}
				out = append(out, store.NewTable(*t))
			}
		}
	}
	return out, nil
}

// createTable makes the table of the dictionary's description, without the index of
// its UUIDs, which is made once the rows are there. Defaults that the embedded
// database cannot have are left out; problem says so.
func createTable(ctx context.Context, tx *store.Tx, t *store.Table) (problem string, err error) {
	layout, err := store.LayoutOf(t)
	var refused *store.DDLError
	if errors.As(err, &refused) {
		plain := *t
		plain.Columns = make([]*store.Column, len(t.Columns))
		for i, c := range t.Columns {
			without := *c
			without.Default = ""
			plain.Columns[i] = &without
		}
		problem = "made without its defaults: " + refused.Reason
		layout, err = store.LayoutOf(store.NewTable(plain))
	}
	if err != nil {
		return "", err
	}
	_, err = tx.Exec(ctx, layout.SQL)
	return problem, err
}

// indexUUIDs makes the unique index of a table's UUIDs. Of rows with the same one
// the first stays.
func (c *clone) indexUUIDs(ctx context.Context, t *store.Table) error {
	layout, err := store.LayoutOf(t)
	if err != nil || layout.UUIDIndex == "" {
		return nil //nolint:nilerr // a table that could not be made as described has no such index
	}
	return c.work.Update(ctx, func(tx *store.Tx) error {
		if exists, err := tx.TableExists(ctx, t.Name); err != nil || !exists {
			return err
		}
		err := tx.Savepoint(ctx, func() error {
			_, err := tx.Exec(ctx, layout.UUIDIndex)
			return err
		})
		if err == nil {
			return nil
		}
		table, uuid := store.Quote(t.Name), store.Quote(t.UUColumn().Name)
		res, err := tx.Exec(ctx, "DELETE FROM "+table+" WHERE "+uuid+" IS NOT NULL AND rowid NOT IN (SELECT MIN(rowid) FROM "+table+" WHERE "+uuid+" IS NOT NULL GROUP BY "+uuid+")")
		if err != nil {
			return fmt.Errorf("looking for UUIDs of %s that are there twice: %w", t.Name, err)
		}
		n, err := res.RowsAffected()
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, layout.UUIDIndex); err != nil {
			return fmt.Errorf("indexing the UUIDs of %s: %w", t.Name, err)
		}
		var st tableState
		if _, err := loadIn(ctx, tx, "table:"+t.Name, &st); err != nil {
			return err
		}
		st.Report.Rows -= n
		count(&st.Report.LeftOut, doubled, n)
		return save(ctx, tx, "table:"+t.Name, &st)
	})
}

// makeTables makes all tables and views of the dictionary that are not there yet.
func (c *clone) makeTables(ctx context.Context) error {
	return c.work.Update(ctx, func(tx *store.Tx) error {
		byID, err := tx.TableNames(ctx)
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Values(byID)) {
			t, err := tx.Table(ctx, name)
			if err != nil {
				return err
			}
			problem, err := c.makeTable(ctx, tx, t)
			if err != nil {
				return err
			}
			if problem != "" {
				c.opts.Logger.WarnContext(ctx, "a table is not as the dictionary has it", "table", name, "problem", problem)
				st := tableState{Report: TableReport{Table: name, Problem: problem}}
				if exists, err := tx.TableExists(ctx, name); err != nil || !exists {
					st.Done = true
				}
				if err := save(ctx, tx, "problem:"+name, &st); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (c *clone) makeTable(ctx context.Context, tx *store.Tx, t *store.Table) (problem string, err error) {
	exists, err := tx.TableExists(ctx, t.Name)
	if err != nil || exists || serverOwn[strings.ToUpper(t.Name)] {
		return "", err
	}
	err = tx.Savepoint(ctx, func() error {
		if t.IsView {
			statement := emptyView(t)
			if statement == "" {
				return nil
			}
			_, err := tx.Exec(ctx, statement)
			return err
		}
		var err error
		problem, err = createTable(ctx, tx, t)
		return err
	})
	if err != nil && ctx.Err() == nil {
		return err.Error(), nil // this table alone; the database says why
	}
	return problem, err
}
