package pgmirror

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// change is what makes the copy what the ERP is.
type change struct {
	anew    bool // everything is made anew
	version int  // of the ERP's tables, as its database counts

	shapes map[string]*shape // of all tables, by upper-case name
	views  []view
	create []*shape // tables that are new or have changed
	drop   []*shape // tables that are gone or have changed, as they were
	redo   bool     // views are made anew

	rows map[string]*delta // by upper-case name
}

// structural reports whether more than rows change.
func (c *change) structural() bool { return c.anew || c.redo || len(c.create)+len(c.drop) > 0 }

func (c *change) dirty(changed []string) []string {
	for _, s := range c.create {
		changed = append(changed, s.upper())
	}
	slices.Sort(changed)
	return slices.Compact(changed)
}

// look compares the ERP with the copy.
func (m *Mirror) look(ctx context.Context, tx *sql.Tx) (*change, error) {
	have := &m.copy
	c := &change{anew: !m.valid.Load(), shapes: have.shapes, views: have.views, rows: map[string]*delta{}}
	_, tables, all := m.src.Changed(m.state.Load())
	if err := tx.QueryRowContext(ctx, "PRAGMA schema_version").Scan(&c.version); err != nil {
		return nil, fmt.Errorf("look at the ERP's tables: %w", err)
	}
	all = all || c.anew
	describes := func(table string) bool { return slices.Contains([]string{"AD_TABLE", "AD_COLUMN"}, table) }
	if all || c.version != have.version || slices.ContainsFunc(tables, describes) {
		if err := c.compare(ctx, tx, m.src.EmptyTables(), have); err != nil {
			return nil, err
		}
	}
	if all {
		tables = slices.Collect(maps.Keys(c.shapes))
	}
	for _, name := range c.dirty(tables) {
		s := c.shapes[name]
		if s == nil || m.empty[name] {
			continue
		}
		var old rowSet
		if !c.anew && !slices.Contains(c.create, s) {
			old = have.rows[name]
		}
		d, err := readRows(ctx, tx, s, old)
		if err != nil {
			return nil, err
		}
		if d != nil {
			c.rows[name] = d
		}
	}
	return c, nil
}

// compare finds what differs in structure.
func (c *change) compare(ctx context.Context, tx *sql.Tx, empty []string, have *database) error {
	shapes, err := readShapes(ctx, tx, empty, have)
	if err != nil {
		return err
	}
	if c.views, err = readViews(ctx, tx); err != nil {
		return err
	}
	c.shapes = shapes
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		was := have.shapes[name]
		switch s := shapes[name]; {
		case c.anew || was == nil:
			c.create = append(c.create, s)
		case was.create != s.create:
			c.create, c.drop = append(c.create, s), append(c.drop, was)
		default:
			shapes[name] = was
		}
	}
	for _, name := range slices.Sorted(maps.Keys(have.shapes)) {
		if shapes[name] == nil && !c.anew {
			c.drop = append(c.drop, have.shapes[name])
		}
	}
	// Before a table goes its views do, and a new one may be what some of them lacked.
	c.redo = !slices.Equal(c.views, have.views) || len(c.views) > 0 && (len(c.drop) > 0 || len(c.create) > 0 && len(have.made) < len(have.views))
	return nil
}

// view is a view as the ERP has it.
type view struct{ name, query string }

func readViews(ctx context.Context, tx *sql.Tx) ([]view, error) {
	// The ERP's own views stand in a table, in the order in which they can be made.
	var own int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master WHERE name='REST_ViewQuery'`).Scan(&own); err != nil {
		return nil, fmt.Errorf("look at the ERP's views: %w", err)
	}
	statement := `SELECT name, sql FROM sqlite_master WHERE type='view' ORDER BY rowid`
	if own > 0 {
		statement = `SELECT TableName, 'CREATE VIEW v AS ' || PostgreSQL FROM (SELECT * FROM REST_ViewQuery
			WHERE TableName NOT IN (SELECT name FROM sqlite_master WHERE type='view') ORDER BY rowid) UNION ALL SELECT * FROM (` + statement + `)`
	}
	rows, err := tx.QueryContext(ctx, statement)
	if err != nil {
		return nil, fmt.Errorf("look at the ERP's views: %w", err)
	}
	defer rows.Close()
	var all []view
	for rows.Next() {
		var v view
		var create string
		if err := rows.Scan(&v.name, &create); err != nil {
			return nil, fmt.Errorf("look at the ERP's views: %w", err)
		}
		// It was made with CREATE VIEW name AS query.
		if _, query, ok := cutWord(create, "AS"); ok {
			v.query = query
			all = append(all, v)
		}
	}
	return all, rows.Err()
}

// cutWord cuts a text at the first place where a word stands by itself.
func cutWord(text, word string) (before, after string, found bool) {
	for i := 0; i+len(word) <= len(text); i++ {
		if strings.EqualFold(text[i:i+len(word)], word) && (i == 0 || space(text[i-1])) && i+len(word) < len(text) && space(text[i+len(word)]) {
			return text[:i], strings.TrimSpace(text[i+len(word):]), true
		}
	}
	return text, "", false
}

func space(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }
