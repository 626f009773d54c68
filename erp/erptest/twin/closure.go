package twin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// keysAtATime is how many rows are requested by their keys at once.
const keysAtATime = 100

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

// fetched reports whether rows of a table are read because others refer to them. The
// tables that describe all others are complete: a table or column that was added since
// is not made any more.
func (c *clone) fetched(target *store.Table) bool {
	return c.opts.refused(target) == "" && !foundationTable(target.Name)
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
			refs, err := c.danglingRefs(ctx, tx, t, -1)
			if err != nil {
				return fmt.Errorf("looking for what %s refers to: %w", t.Name, err)
			}
			for _, r := range refs {
				if !c.fetched(r.target) {
					continue
				}
				if r.multi {
					err = c.collectMulti(ctx, tx, t, r, round)
				} else {
					_, err = tx.Exec(ctx, `INSERT OR IGNORE INTO `+keysTable+`(Target, KeyColumn, KeyValue, Round) SELECT DISTINCT ?, ?, `+
						sqlquote.Name(r.column.Name)+`, ? FROM `+sqlquote.Name(t.Name)+` WHERE `+r.dangling(t, -1), r.target.Name, r.key.Name, round)
				}
				if err != nil {
					return fmt.Errorf("looking for what %s.%s refers to: %w", t.Name, r.column.Name, err)
				}
			}
			return c.eachPair(ctx, tx, t, func(target *store.Table, table *store.Column, id int64, condition string) error {
				if !c.fetched(target) {
					return nil
				}
				_, err := tx.Exec(ctx, `INSERT OR IGNORE INTO `+keysTable+`(Target, KeyColumn, KeyValue, Round) SELECT DISTINCT ?, ?, Record_ID, ? FROM `+
					sqlquote.Name(t.Name)+` WHERE `+condition, target.Name, target.KeyColumn().Name, round, id)
				return err
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func isEmpty(ctx context.Context, tx *store.Tx, t *store.Table) (bool, error) {
	var n int
	err := tx.QueryRow(ctx, "SELECT COUNT(*) FROM (SELECT 1 FROM "+sqlquote.Name(t.Name)+" LIMIT 1)").Scan(&n)
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
				WHERE NOT EXISTS (SELECT 1 FROM `+sqlquote.Name(r.target.Name)+` WHERE `+sqlquote.Name(r.key.Name)+`=CAST(? AS `+affinity(r.key)+`))`,
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
	rows, err := tx.Query(ctx, "SELECT DISTINCT "+sqlquote.Name(col.Name)+" FROM "+sqlquote.Name(t.Name)+" WHERE "+sqlquote.Name(col.Name)+" IS NOT NULL")
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
	p, st, err := c.planFetch(ctx, part, target)
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
	unreadable := errors.Is(err, ErrNotReadable) || errors.Is(err, ErrNoTable) || errors.Is(err, errRefused)
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

// planFetch is how rows of a table are fetched, and how far it is.
func (c *clone) planFetch(ctx context.Context, part Part, target string) (p *plan, st tableState, err error) {
	err = c.work.View(ctx, func(tx *store.Tx) error {
		found, err := loadIn(ctx, tx, "table:"+target, &st)
		if err != nil {
			return err
		}
		t, err := tx.Table(ctx, target)
		if err != nil {
			return err
		}
		var why map[string]string
		if p, why, err = c.planOf(ctx, tx, t, part); err == nil && !found {
			st = tableState{Done: true, Report: TableReport{Table: t.Name, Part: part, NotCopied: why}}
		}
		return err
	})
	return p, st, err
}
