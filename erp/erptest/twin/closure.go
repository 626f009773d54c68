package twin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// ref is a column whose values are keys of another table.
type ref struct {
	column *store.Column
	target *store.Table
	key    *store.Column // of the target
	multi  bool          // several keys with commas between
}

// keysAtATime is how many rows are requested by their keys at once.
const keysAtATime = 100

// refsOf are the references of a table to tables that hold rows. The result must
// not be changed.
func (c *clone) refsOf(ctx context.Context, tx *store.Tx, t *store.Table) ([]ref, error) {
	if known, ok := c.refs[t.Name]; ok {
		return known, nil
	}
	have, err := tx.PhysicalColumns(ctx, t.Name)
	if err != nil {
		return nil, err
	}
	var out []ref
	own := t.KeyColumn()
	for _, col := range t.Columns {
		if col.IsVirtual() || col == own || col.IsList() || col.Ref == store.TypeChosenMultiList ||
			!slices.ContainsFunc(have, func(h store.PhysicalColumn) bool { return strings.EqualFold(h.Name, col.Name) }) {
			continue
		}
		name, err := tx.TargetTable(ctx, col)
		if err != nil {
			return nil, err
		}
		if name == "" {
			continue
		}
		target, err := tx.Table(ctx, name)
		if errors.Is(err, store.ErrNoTable) {
			continue
		}
		if err != nil {
			return nil, err
		}
		exists, err := tx.TableExists(ctx, target.Name)
		if err != nil {
			return nil, err
		}
		if target.IsView || !exists || serverOwn[strings.ToUpper(target.Name)] {
			continue
		}
		key, err := keyFor(ctx, tx, col, target)
		if err != nil {
			return nil, err
		}
		if key == nil || key.IsVirtual() || !col.IsMultiLookup() && (key.Kind() == store.KindInteger) != (col.Kind() == store.KindInteger) {
			continue
		}
		out = append(out, ref{column: col, target: target, key: key, multi: col.IsMultiLookup()})
	}
	c.refs[t.Name] = out
	return out, nil
}

// keyFor is the column of the target whose values a reference holds.
func keyFor(ctx context.Context, tx *store.Tx, col *store.Column, target *store.Table) (*store.Column, error) {
	switch col.Ref {
	case store.TypeTableUU, store.TypeTableDirUU, store.TypeSearchUU:
		return target.UUColumn(), nil
	}
	if col.RefValue != 0 {
		if r, err := tx.Reference(ctx, col.RefValue); err == nil && r.Table != nil && strings.EqualFold(r.Table.Table, target.Name) {
			if key, ok := target.Column(r.Table.Key); ok {
				return key, nil
			}
		}
	}
	if key := target.KeyColumn(); key != nil {
		return key, nil
	}
	key, _ := target.Column(col.Name)
	return key, nil
}

// dangling is the condition for rows of t whose reference leads nowhere. Negative
// numbers stand for none, and 0 for all where no record has it; above says from
// which number on a reference counts.
func (r ref) dangling(t *store.Table, above int) string {
	col := store.Quote(t.Name) + "." + store.Quote(r.column.Name)
	given := col + " IS NOT NULL AND " + col + "<>''"
	if r.column.Kind() == store.KindInteger {
		given = fmt.Sprintf("%s>%d", col, above)
	}
	return given + " AND NOT EXISTS (SELECT 1 FROM " + store.Quote(r.target.Name) + " AS k WHERE k." + store.Quote(r.key.Name) + "=" + col + ")"
}

// danglingRefs are those of refs that lead nowhere in some row of t, and those with
// several keys, which are looked at one by one. All are looked for while the rows are
// read once.
func danglingRefs(ctx context.Context, tx *store.Tx, t *store.Table, refs []ref, above int) ([]ref, error) {
	var found []any
	var parts []string
	for _, r := range refs {
		if !r.multi {
			parts = append(parts, "COALESCE(MAX("+r.dangling(t, above)+"),0)")
			found = append(found, new(bool))
		}
	}
	if len(parts) > 0 {
		if err := tx.QueryRow(ctx, "SELECT "+strings.Join(parts, ", ")+" FROM "+store.Quote(t.Name)).Scan(found...); err != nil {
			return nil, err
		}
	}
	at := 0
	return slices.DeleteFunc(slices.Clone(refs), func(r ref) bool {
		if r.multi {
			return false
		}
		at++
		return !*found[at-1].(*bool)
	}), nil
}

// recordPair reports whether a table refers to records of any table by
// AD_Table_ID and Record_ID.
func recordPair(t *store.Table) (table, record *store.Column, ok bool) {
	table, ok1 := t.Column("AD_Table_ID")
	record, ok2 := t.Column("Record_ID")
	return table, record, ok1 && ok2 && !table.IsVirtual() && !record.IsVirtual() && record.Kind() == store.KindInteger
}

// closure reads what the rows that are there refer to, round by round, until
// nothing is missing or the depth is reached.
func (c *clone) closure(ctx context.Context, tables []*store.Table) error {
	// Users with a role belong to the dictionary, however deep.
	err := c.step(ctx, "users", func() error {
		if !slices.ContainsFunc(tables, func(t *store.Table) bool { return strings.EqualFold(t.Name, "AD_User_Roles") }) {
			return nil
		}
		err := c.work.Update(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec(ctx, `INSERT OR IGNORE INTO `+keysTable+`(Target, KeyColumn, KeyValue, Round)
				SELECT DISTINCT 'AD_User', 'AD_User_ID', AD_User_ID, 0 FROM AD_User_Roles WHERE AD_User_ID IS NOT NULL
				AND AD_User_ID NOT IN (SELECT AD_User_ID FROM AD_User)`)
			return err
		})
		if err != nil {
			return err
		}
		return c.fetchRound(ctx, 0)
	})
	if err != nil {
		return err
	}
	if err := c.children(ctx, tables); err != nil {
		return err
	}
	c.grown = nil // any table may refer to something
	for round := 1; round <= c.opts.Depth; round++ {
		err := c.step(ctx, fmt.Sprintf("round %d", round), func() error {
			collected := false
			err := c.step(ctx, fmt.Sprintf("keys of round %d", round), func() error {
				collected = true
				return c.collect(ctx, tables, round)
			})
			if err != nil {
				return err
			}
			if c.grown = nil; collected { // else an earlier run has fetched some, and nobody knows of which tables
				c.grown = map[string]bool{}
			}
			return c.fetchRound(ctx, round)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// collect notes the keys that rows refer to and that are not there.
func (c *clone) collect(ctx context.Context, tables []*store.Table, round int) error {
	for _, t := range tables {
		if c.grown != nil && !c.grown[t.Name] {
			continue
		}
		err := c.work.Update(ctx, func(tx *store.Tx) error {
			if empty, err := isEmpty(ctx, tx, t); err != nil || empty {
				return err
			}
			refs, err := c.refsOf(ctx, tx, t)
			if err != nil {
				return err
			}
			if refs, err = danglingRefs(ctx, tx, t, refs, -1); err != nil {
				return fmt.Errorf("looking for what %s refers to: %w", t.Name, err)
			}
			for _, r := range refs {
				if c.opts.refused(r.target) != "" {
					continue
				}
				if r.multi {
					err = c.collectMulti(ctx, tx, t, r, round)
				} else {
					_, err = tx.Exec(ctx, `INSERT OR IGNORE INTO `+keysTable+`(Target, KeyColumn, KeyValue, Round) SELECT DISTINCT ?, ?, `+
						store.Quote(r.column.Name)+`, ? FROM `+store.Quote(t.Name)+` WHERE `+r.dangling(t, -1), r.target.Name, r.key.Name, round)
				}
				if err != nil {
					return fmt.Errorf("looking for what %s.%s refers to: %w", t.Name, r.column.Name, err)
				}
			}
			return c.eachPair(ctx, tx, t, func(target *store.Table, table *store.Column, id int64, condition string) error {
				if c.opts.refused(target) != "" {
					return nil
				}
				_, err := tx.Exec(ctx, `INSERT OR IGNORE INTO `+keysTable+`(Target, KeyColumn, KeyValue, Round) SELECT DISTINCT ?, ?, Record_ID, ? FROM `+
					store.Quote(t.Name)+` WHERE `+condition, target.Name, target.KeyColumn().Name, round, id)
				return err
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eachPair calls fn for each table to which records of t refer by AD_Table_ID and
// Record_ID, with the condition for those that lead nowhere, whose parameter is id.
func (c *clone) eachPair(ctx context.Context, tx *store.Tx, t *store.Table, fn func(target *store.Table, table *store.Column, id int64, condition string) error) error {
	table, record, ok := recordPair(t)
	if !ok {
		return nil
	}
	rows, err := tx.Query(ctx, "SELECT DISTINCT "+store.Quote(table.Name)+" FROM "+store.Quote(t.Name)+" WHERE "+store.Quote(record.Name)+">0 AND "+store.Quote(table.Name)+">0")
	if err != nil {
		return err
	}
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return errors.Join(err, rows.Close())
		}
		ids = append(ids, id)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	for _, id := range ids {
		target, err := tx.TableByID(ctx, id)
		if errors.Is(err, store.ErrNoTable) {
			continue
		}
		if err != nil {
			return err
		}
		exists, err := tx.TableExists(ctx, target.Name)
		if err != nil {
			return err
		}
		key := target.KeyColumn()
		if !exists || target.IsView || key == nil || key.IsVirtual() || serverOwn[strings.ToUpper(target.Name)] {
			continue
		}
		col := store.Quote(t.Name) + "." + store.Quote(record.Name)
		condition := store.Quote(table.Name) + "=? AND " + col + ">0 AND NOT EXISTS (SELECT 1 FROM " + store.Quote(target.Name) + " AS k WHERE k." + store.Quote(key.Name) + "=" + col + ")"
		if err := fn(target, table, id, condition); err != nil {
			return err
		}
	}
	return nil
}

func isEmpty(ctx context.Context, tx *store.Tx, t *store.Table) (bool, error) {
	var n int
	err := tx.QueryRow(ctx, "SELECT COUNT(*) FROM (SELECT 1 FROM "+store.Quote(t.Name)+" LIMIT 1)").Scan(&n)
	return n == 0, err
}

// collectMulti notes the keys of a column with several in one value.
func (c *clone) collectMulti(ctx context.Context, tx *store.Tx, t *store.Table, r ref, round int) error {
	values, err := distinct(ctx, tx, t, r.column)
	if err != nil {
		return err
	}
	for _, v := range values {
		for _, key := range splitKeys(v) {
			_, err := tx.Exec(ctx, `INSERT OR IGNORE INTO `+keysTable+`(Target, KeyColumn, KeyValue, Round) SELECT ?, ?, CAST(? AS `+affinity(r.key)+`), ?
				WHERE NOT EXISTS (SELECT 1 FROM `+store.Quote(r.target.Name)+` WHERE `+store.Quote(r.key.Name)+`=CAST(? AS `+affinity(r.key)+`))`,
				r.target.Name, r.key.Name, key, round, key)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func affinity(c *store.Column) string {
	if c.Kind() == store.KindInteger {
		return "INTEGER"
	}
	return "TEXT"
}

func splitKeys(v string) []string {
	var out []string
	for key := range strings.SplitSeq(v, ",") {
		if key = strings.TrimSpace(key); key != "" {
			out = append(out, key)
		}
	}
	return out
}

// distinct are the texts in a column. Columns with several keys are few, and so
// are their values.
func distinct(ctx context.Context, tx *store.Tx, t *store.Table, col *store.Column) ([]string, error) {
	rows, err := tx.Query(ctx, "SELECT DISTINCT "+store.Quote(col.Name)+" FROM "+store.Quote(t.Name)+" WHERE "+store.Quote(col.Name)+" IS NOT NULL")
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // Err says what there is to say
	var out []string
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// fetchRound reads the rows whose keys were noted in a round.
func (c *clone) fetchRound(ctx context.Context, round int) error {
	part := Referenced
	switch {
	case round == 0:
		part = Dictionary // users
	case round <= childRound:
		part = Business
	}
	for {
		var target, by string
		var keys []any
		err := c.work.View(ctx, func(tx *store.Tx) error {
			rows, err := tx.Query(ctx, `SELECT Target, KeyColumn, KeyValue FROM `+keysTable+` WHERE Round=? AND Done=0 ORDER BY Target, KeyColumn, KeyValue LIMIT ?`, round, keysAtATime)
			if err != nil {
				return err
			}
			defer rows.Close() //nolint:errcheck // Err says what there is to say
			for rows.Next() {
				var t, b string
				var key any
				if err := rows.Scan(&t, &b, &key); err != nil {
					return err
				}
				if target == "" {
					target, by = t, b
				}
				if t != target || b != by {
					break
				}
				keys = append(keys, key)
			}
			return rows.Err()
		})
		if err != nil || len(keys) == 0 {
			return err
		}
		if err := c.fetch(ctx, part, target, by, keys); err != nil {
			return err
		}
	}
}

// fetch reads rows by their keys and notes that they were requested.
func (c *clone) fetch(ctx context.Context, part Part, target, by string, keys []any) error {
	var st tableState
	var p *plan
	err := c.work.View(ctx, func(tx *store.Tx) error {
		found, err := loadIn(ctx, tx, "table:"+target, &st)
		if err != nil {
			return err
		}
		t, err := tx.Table(ctx, target)
		if err != nil {
			return err
		}
		var why map[string]string
		if p, why, err = c.planOf(ctx, tx, t, part); err != nil {
			return err
		}
		if !found {
			st = tableState{Done: true, Report: TableReport{Table: t.Name, Part: part, NotCopied: why}}
		}
		return nil
	})
	if err != nil {
		return err
	}
	var b *batch
	err = c.retry(ctx, "the table "+target, func() (bool, error) {
		b = &batch{}
		return false, c.src.Rows(ctx, &Query{Table: p.table, Columns: p.columns, Tenants: c.tenants, By: by, Keys: keys}, func(values []any) error {
			row, err := p.convert(values, &b.notes)
			if err != nil {
				return &errSink{err}
			}
			if row != nil {
				b.rows = append(b.rows, row)
			}
			return nil
		})
	})
	unreadable := errors.Is(err, ErrNotReadable) || errors.Is(err, ErrNoTable)
	if err != nil && !unreadable {
		return fmt.Errorf("cloning %s: %w", target, err)
	}
	if unreadable {
		st.Report.Unreadable = err.Error()
	}
	if c.grown != nil && len(b.rows) > 0 {
		c.grown[target] = true
	}
	return c.work.Update(ctx, func(tx *store.Tx) error {
		if err := c.insert(ctx, tx, p, b); err != nil {
			return err
		}
		if part == Business { // some parts were chosen themselves
			delete(b.notes.LeftOut, doubled)
		}
		done := `UPDATE ` + keysTable + ` SET Done=1 WHERE Target=? AND KeyColumn=?`
		if unreadable { // the other keys would fare no better
			if _, err := tx.Exec(ctx, done, target, by); err != nil {
				return err
			}
		}
		for _, key := range keys {
			if _, err := tx.Exec(ctx, done+` AND KeyValue=?`, target, by, key); err != nil {
				return err
			}
		}
		st.Report.add(&b.notes)
		c.total += b.notes.Rows
		if c.opts.Progress != nil {
			c.opts.Progress(Progress{Part: part, Table: target, Rows: st.Report.Rows, Total: c.total})
		}
		return save(ctx, tx, "table:"+target, &st)
	})
}
