package pgmirror

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/erphub/erphub/internal/sqlquote"
)

// update changes tables, rows and views, and returns the views.
func (d *database) update(ctx context.Context, c *change) (made []string, err error) {
	if c.structural() {
		if err := d.restructure(ctx, c); err != nil {
			return d.made, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.rows)) {
		if err := d.fill(ctx, c, name); err != nil {
			return d.made, err
		}
	}
	if c.anew || c.redo {
		return d.makeViews(ctx, c.views)
	}
	return d.made, nil
}

// apply makes a change in one transaction, and notes what is there afterwards. A
// copy is made anew in a schema beside its own, while others read what an earlier
// process left. It takes that one's place, which is then removed, in transactions of
// their own: each holds a lock for every table, and a server has room for so many.
func (d *database) apply(ctx context.Context, c *change) error {
	made := d.made
	if c.anew {
		d.schema = d.staging()
		defer func() { d.schema = d.opts.Schema }()
		if err := d.within(ctx, func() error { return d.clear(ctx) }); err != nil {
			return err
		}
	}
	if c.structural() || len(c.rows) > 0 {
		if err := d.unlocked(ctx, func() (err error) {
			made, err = d.update(ctx, c)
			return err
		}); err != nil {
			return err
		}
	}
	if c.anew {
		d.rows = map[string]rowSet{}
		if err := d.exec(ctx, "ANALYZE "+strings.Join(d.tables(c.create), ", ")); err != nil {
			return fmt.Errorf("analyze the tables: %w", err)
		}
		if err := d.unlocked(ctx, func() error { return d.replace(ctx) }); err != nil {
			return errors.Join(err, d.within(ctx, func() error { return d.drop(ctx, d.schema) }))
		}
		if err := d.unlocked(ctx, func() error { return d.drop(ctx, d.former()) }); err != nil {
			return err
		}
	}
	for _, s := range c.drop {
		delete(d.rows, s.upper())
	}
	for name, r := range c.rows {
		d.rows[name] = r.now
	}
	d.version, d.shapes, d.views, d.made = c.version, c.shapes, c.views, made
	return nil
}

// table is the full name of a table.
func (d *database) table(s *shape) string { return d.schema + "." + name(s.source) }

func (d *database) tables(shapes []*shape) []string {
	var names []string
	for _, s := range shapes {
		names = append(names, d.table(s))
	}
	return names
}

// restructure makes and drops tables, and drops views that are made anew.
func (d *database) restructure(ctx context.Context, c *change) error {
	var script strings.Builder
	if c.anew {
		script.WriteString(d.functions())
	} else if c.redo {
		for _, v := range slices.Backward(d.made) {
			fmt.Fprintf(&script, "DROP VIEW %s.%s;\n", d.schema, v)
		}
	}
	for _, s := range c.drop {
		fmt.Fprintf(&script, "DROP TABLE %s;\n", d.table(s))
	}
	for _, s := range c.create {
		fmt.Fprintf(&script, "CREATE TABLE %[1]s %[2]s;\nCOMMENT ON TABLE %[1]s IS %[3]s;\n", d.table(s), s.create, sqlquote.Text(mark))
		if s.upper() == "AD_COLUMN" { // governed SQL reads it before each statement, by table
			fmt.Fprintf(&script, "CREATE INDEX ON %s (ad_table_id);\n", d.table(s))
		}
	}
	if err := d.exec(ctx, script.String()); err != nil {
		return d.refused("make the tables", err)
	}
	return nil
}

// fill changes the rows of a table. Of a copy that is made anew, a column whose
// values do not fit gets another type at once, as nothing depends on the table
// yet, and the other tables need not be made again.
func (d *database) fill(ctx context.Context, c *change, table string) error {
	r := c.rows[table]
	if !c.anew || r.lines.Len() == 0 {
		return d.write(ctx, r)
	}
	for {
		if err := d.exec(ctx, "SAVEPOINT f"); err != nil {
			return err
		}
		err := d.write(ctx, r)
		if err == nil {
			return d.exec(ctx, "RELEASE f")
		}
		var misfit *misfit
		if !errors.As(err, &misfit) || misfit.column == "" {
			return err
		}
		kind, err := d.wider(misfit)
		if err != nil {
			return err
		}
		wide := r.shape.with(misfit.column, kind)
		if err := d.exec(ctx, fmt.Sprintf("ROLLBACK TO f; RELEASE f; ALTER TABLE %s ALTER COLUMN %s TYPE %s", d.table(wide), name(misfit.column), kind)); err != nil {
			return d.refused("make the tables", err)
		}
		d.tell(misfit)
		c.shapes[table], r.shape = wide, wide
	}
}

// makeViews makes those views that PostgreSQL understands.
func (d *database) makeViews(ctx context.Context, views []view) (made []string, err error) {
	for _, v := range views {
		own := name(v.name)
		if err := d.exec(ctx, "SAVEPOINT v"); err != nil {
			return nil, err
		}
		err := d.exec(ctx, fmt.Sprintf("SET LOCAL search_path = %[1]s, pg_catalog; CREATE VIEW %[1]s.%[2]s AS %[3]s;\n"+
			"COMMENT ON VIEW %[1]s.%[2]s IS %[4]s; RELEASE v", d.schema, own, v.query, sqlquote.Text(mark)))
		if err == nil {
			made = append(made, own)
			continue
		}
		if err := d.exec(ctx, "ROLLBACK TO v; RELEASE v"); err != nil {
			return nil, err
		}
		d.opts.Logger.Warn("the copy in PostgreSQL lacks a view, which is written for the embedded database", "view", v.name, "error", err)
	}
	return made, nil
}

// write changes the rows of a table.
func (d *database) write(ctx context.Context, r *delta) error {
	table := d.table(r.shape)
	switch {
	case r.all:
		if err := d.exec(ctx, "DELETE FROM "+table); err != nil {
			return misfitOf(r.shape, err)
		}
	case len(r.keys) > 0:
		if err := d.remove(ctx, r); err != nil {
			return misfitOf(r.shape, err)
		}
	}
	if r.lines.Len() == 0 {
		return nil
	}
	names := make([]string, len(r.shape.columns))
	for i, c := range r.shape.columns {
		names[i] = name(c.source)
	}
	_, err := d.conn.PgConn().CopyFrom(ctx, bytes.NewReader(r.lines.Bytes()), "COPY "+table+" ("+strings.Join(names, ", ")+") FROM STDIN")
	return misfitOf(r.shape, err)
}

// remove deletes rows by their keys.
func (d *database) remove(ctx context.Context, r *delta) error {
	parts := make([][]string, len(r.shape.key))
	for _, key := range r.keys {
		for i, part := range strings.Split(key, "\x00") {
			parts[i] = append(parts[i], part)
		}
	}
	args := []any{pgx.QueryExecModeExec}
	var from, names, where []string
	for i, at := range r.shape.key {
		c := r.shape.columns[at]
		args = append(args, parts[i])
		from = append(from, fmt.Sprintf("$%d::text[]", i+1))
		names = append(names, fmt.Sprintf("k%d", i))
		where = append(where, fmt.Sprintf("t.%s = CAST(k.k%d AS %s)", name(c.source), i, c.kind))
	}
	_, err := d.conn.Exec(ctx, "DELETE FROM "+d.table(r.shape)+" t USING unnest("+strings.Join(from, ", ")+") k("+strings.Join(names, ", ")+
		") WHERE "+strings.Join(where, " AND "), args...)
	return err
}
