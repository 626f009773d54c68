package embedded

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/embedded/internal/sqlite"
	"github.com/erphub/erphub/aiquery/guard"
	"github.com/erphub/erphub/aiquery/internal/run"
)

// render writes a plan for SQLite.
func (d *database) render(plan *guard.Plan) (*sqlite.Statement, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if st := d.rendered[plan]; st != nil {
		return st, nil
	}
	tree, err := plan.Constants()
	if err != nil {
		return nil, run.Internal(err)
	}
	st, err := sqlite.Render(tree, func(table string) []sqlite.Column { return d.columns[table] })
	var u *sqlite.Unsupported
	switch {
	case errors.As(err, &u):
		return nil, run.Fail(api.CodeUnsupported, err, "%s", u.Message()).Advise(u.Hint)
	case err != nil:
		return nil, run.Internal(err)
	}
	if len(d.rendered) > maxRendered || d.rendered == nil {
		d.rendered = map[*guard.Plan]*sqlite.Statement{}
	}
	d.rendered[plan] = st
	return st, nil
}

// maxRendered is how many plans are kept as SQLite has them.
const maxRendered = 10_000

// prepare writes a statement for SQLite, with the texts of its parameters, which
// the written one converts.
func (d *database) prepare(s *run.Statement) (*sqlite.Statement, []any, error) {
	rendered, err := d.render(s.Plan)
	if err != nil {
		return nil, nil, err
	}
	args := make([]any, 0, len(rendered.Params))
	for i, kind := range rendered.Params {
		own := i - len(s.Params)
		switch {
		case own >= len(s.Plan.Values):
			return nil, nil, run.ErrFewParams()
		case own >= 0:
			args = append(args, s.Plan.Values[own].Text)
			continue
		}
		text, err := s.ParamText(i, typeName(kind))
		if err != nil {
			return nil, nil, err
		}
		if text == nil {
			args = append(args, nil)
		} else {
			args = append(args, string(text))
		}
	}
	return rendered, args, nil
}

// typeName is PostgreSQL's name for the type of an expression.
func typeName(kind string) string {
	if kind == "" || kind == "unknown" {
		return "text"
	}
	if element, ok := strings.CutPrefix(kind, "_"); ok {
		return element + "[]"
	}
	return kind
}

// Run implements run.Runner. The driver can be interrupted until it has the first
// row, so all of them are computed before that.
func (d *database) Run(ctx context.Context, s *run.Statement) (*run.Output, error) {
	rendered, args, err := d.prepare(s)
	if err != nil {
		return nil, err
	}
	columns := columnsOf(rendered)
	var out *run.Output
	err = d.secured(ctx, s, func(ctx context.Context, tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, "WITH answer AS MATERIALIZED ("+rendered.SQL+") SELECT * FROM answer", args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		out, err = fetch(rows, s, columns)
		return err
	})
	return out, err
}

// secured runs do in a transaction that sees the permissions the statement was secured
// with.
func (d *database) secured(ctx context.Context, s *run.Statement, do func(context.Context, *sql.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	return d.within(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for _, f := range s.Permissions {
			if err := f.Check(ctx, func(ctx context.Context, text string) ([]run.Cells, error) { return readCells(ctx, tx, text) }); err != nil {
				return err
			}
		}
		return do(ctx, tx)
	})
}

// fetch reads the rows that may be returned.
func fetch(rows *sql.Rows, s *run.Statement, columns []api.Column) (*run.Output, error) {
	out := s.Collect(columns)
	values, scan, cells := make([]any, len(columns)), make([]any, len(columns)), make([][]byte, len(columns))
	for i := range values {
		scan[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(scan...); err != nil {
			return nil, err
		}
		for i, v := range values {
			cells[i] = nil
			if text, ok := sqlite.Text(columns[i].Type, v); ok {
				cells[i] = []byte(text)
			}
		}
		if !out.Add(cells) {
			return out.Output(), rows.Close()
		}
	}
	return out.Output(), rows.Err()
}

// Describe implements run.Runner.
func (d *database) Describe(ctx context.Context, s *run.Statement) ([]api.Column, error) {
	rendered, _, err := d.prepare(s)
	if err != nil {
		return nil, err
	}
	return columnsOf(rendered), d.secured(ctx, s, func(ctx context.Context, tx *sql.Tx) error {
		st, err := tx.PrepareContext(ctx, rendered.SQL)
		if err != nil {
			return err
		}
		return st.Close()
	})
}

// columnsOf are the columns a statement returns.
func columnsOf(rendered *sqlite.Statement) []api.Column {
	columns := make([]api.Column, len(rendered.Columns))
	for i, c := range rendered.Columns {
		columns[i] = api.Column{Name: c.Name, Type: typeName(c.Type)}
	}
	return columns
}
