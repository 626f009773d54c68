package twin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// childRound is the first of the rounds of keys by which parts of records are read,
// such as the lines of orders. Those of the next level have the number below.
const childRound = -1

// children reads what is part of the records that were chosen among those of their
// table, by the columns that the dictionary marks as links to the parent.
func (c *clone) children(ctx context.Context, tables []*store.Table) error {
	if c.opts.Rows == 0 && c.opts.Since.IsZero() {
		return nil // whole tables were asked for
	}
	parents := map[string]bool{}
	for _, t := range tables {
		if partOf(t) == "" && c.opts.wanted(t) {
			parents[t.Name] = true
		}
	}
	for level := 0; level < c.opts.Depth && len(parents) > 0; level++ {
		round, next := childRound-level, map[string]bool{}
		var of []childRef
		err := c.work.View(ctx, func(tx *store.Tx) (err error) {
			of, err = c.childRefs(ctx, tx, tables, parents)
			return err
		})
		if err != nil {
			return err
		}
		err = c.step(ctx, fmt.Sprintf("parts of level %d", level), func() error {
			err := c.step(ctx, fmt.Sprintf("keys of parts of level %d", level), func() error {
				return c.work.Update(ctx, func(tx *store.Tx) error { return noteParts(ctx, tx, of, round) })
			})
			if err != nil {
				return err
			}
			return c.fetchRound(ctx, round)
		})
		if err != nil {
			return err
		}
		// Keys that were noted before are not noted again, so circles end.
		var found int
		if err := c.work.View(ctx, func(tx *store.Tx) error {
			return tx.QueryRow(ctx, `SELECT COUNT(*) FROM (SELECT 1 FROM `+keysTable+` WHERE Round=? LIMIT 1)`, round).Scan(&found)
		}); err != nil || found == 0 {
			return err
		}
		for _, r := range of {
			next[r.child] = true
		}
		parents = next
	}
	return nil
}

// childRef is a column of a child table that holds the key of the parent.
type childRef struct{ child, column, parent, parentKey string }

// noteParts notes the keys of the parents whose parts are to be fetched.
func noteParts(ctx context.Context, tx *store.Tx, of []childRef, round int) error {
	for _, r := range of {
		_, err := tx.Exec(ctx, `INSERT OR IGNORE INTO `+keysTable+`(Target, KeyColumn, KeyValue, Round) SELECT ?, ?, `+
			sqlquote.Name(r.parentKey)+`, ? FROM `+sqlquote.Name(r.parent), r.child, r.column, round)
		if err != nil {
			return fmt.Errorf("looking for parts of %s in %s: %w", r.parent, r.child, err)
		}
	}
	return nil
}

// childRefs are the links of business tables to some parents.
func (c *clone) childRefs(ctx context.Context, tx *store.Tx, tables []*store.Table, parents map[string]bool) ([]childRef, error) {
	var out []childRef
	for _, t := range tables {
		if partOf(t) != "" || c.opts.refused(t) != "" || translates(t.Name) != "" && len(c.opts.Languages) == 0 {
			continue
		}
		if !slices.ContainsFunc(t.Columns, func(c *store.Column) bool { return c.Parent }) {
			continue
		}
		refs, err := c.refsOf(ctx, tx, t)
		if err != nil {
			return nil, err
		}
		for _, r := range refs {
			if r.column.Parent && !r.multi && parents[r.target.Name] && r.target.KeyColumn() == r.key && !strings.EqualFold(r.target.Name, t.Name) {
				out = append(out, childRef{t.Name, r.column.Name, r.target.Name, r.key.Name})
			}
		}
	}
	return out, nil
}
