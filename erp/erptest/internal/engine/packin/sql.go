package packin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/packxml"
	"github.com/erphub/erphub/erp/erptest/internal/sqlstep"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// custom runs the SQL steps of an archive, as far as they are understood; those
// for other databases and programs are passed over. A step of an archive never
// reaches the database as it is: see package sqlstep.
func (p *packIn) custom(ctx context.Context, e *packxml.Element) error {
	result := packResult{element: e, action: "Skipped", what: e.Text("DBType")}
	mandatory := e.Name == "SQLMandatory"
	kind := strings.TrimSpace(e.Text("DBType"))
	if !mandatory && e.Name != "SQLStatement" {
		result.note = "programs in archives are not run"
		p.done = append(p.done, result)
		return nil
	}
	if strings.TrimSpace(e.Text("statement")) == "" {
		return engine.PublicError("the SQL step has no statement")
	}
	switch kind {
	case "":
		if mandatory {
			return engine.PublicError("the SQL step has no DBType")
		}
		result.note = "not run: it has no DBType"
	case "ALL", "Postgres", "PostgreSQL":
		note, err := p.runStep(ctx, e.Text("statement"))
		switch {
		case err == nil:
			result.action = "Execute"
		case mandatory && (kind == "ALL" || !errors.Is(err, sqlstep.ErrSyntax)):
			return engine.PublicError("the SQL step is mandatory and cannot be run: " + stepText(err))
		default:
			note = "not run: " + stepText(err)
		}
		result.note = note
	default:
		result.note = "the step is for another database"
	}
	p.done = append(p.done, result)
	return nil
}

// notRun refuses a step that could be read but that the embedded ERP has no way to
// run, as if it had not been understood.
func notRun(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{sqlstep.ErrSyntax}, args...)...)
}

func stepText(err error) string {
	if errors.Is(err, sqlstep.ErrSyntax) {
		return "the embedded ERP does not understand it (" + clipRunes(strings.TrimPrefix(err.Error(), sqlstep.ErrSyntax.Error()+": "), 200) + ")"
	}
	return packText(err)
}

// runStep runs one step. What a failing one did is undone.
func (p *packIn) runStep(ctx context.Context, sql string) (note string, err error) {
	step, err := sqlstep.Parse(sql)
	if err != nil {
		return "", err
	}
	if err := p.flush(ctx, 0); err != nil {
		return "", err
	}
	run := map[string]func(context.Context, *sqlstep.Step, *store.Table) (int, error){
		"INSERT": p.insertRows, "UPDATE": p.updateRows, "DELETE": p.deleteRows, "CONSTRAINT": p.foreignKey,
	}[step.Verb]
	n := 0
	err = p.tx.Savepoint(ctx, func() error {
		t, err := p.sqlTable(ctx, step.Table)
		if err == nil {
			n, err = run(ctx, step, t)
		}
		return err
	})
	if step.Verb == "CONSTRAINT" {
		return "the embedded ERP keeps foreign keys without declarations", err
	}
	return fmt.Sprintf("%s %s: %d rows", step.Verb, step.Table, n), err
}

// sqlTable is a table of the dictionary that is in the database.
func (p *packIn) sqlTable(ctx context.Context, name string) (*store.Table, error) {
	t, there, err := p.target(ctx, name)
	if err == nil && (!there || t.IsView) {
		err = engine.PublicError("there is no table " + name)
	}
	return t, err
}

// sqlColumn is a column that a step may name.
func (p *packIn) sqlColumn(t *store.Table, name string, may func(*store.Table, *store.Column) bool) (*store.Column, error) {
	col, ok := t.Column(name)
	if !ok || col.IsVirtual() {
		return nil, engine.PublicError("table " + t.Name + " has no column " + name)
	}
	if col.Encrypted || col.Secure || !may(t, col) {
		return nil, engine.PublicError("column " + t.Name + "." + col.Name + " is protected")
	}
	return col, nil
}

// foreignKey checks the declaration of one: the embedded ERP's database has none.
func (p *packIn) foreignKey(ctx context.Context, step *sqlstep.Step, t *store.Table) (int, error) {
	for _, name := range step.Columns {
		if _, err := p.sqlColumn(t, name, p.s.Role.CanSeeColumn); err != nil {
			return 0, err
		}
	}
	if step.Refers == "" {
		return 0, nil
	}
	_, err := p.sqlTable(ctx, step.Refers)
	return 0, err
}

func (p *packIn) insertRows(ctx context.Context, step *sqlstep.Step, t *store.Table) (int, error) {
	for _, values := range step.Rows {
		r := &engine.Record{Table: t, Row: store.Row{}}
		for i, name := range step.Columns {
			col, err := p.sqlColumn(t, name, p.s.Role.CanWriteColumn)
			if err != nil {
				return 0, err
			}
			v, err := p.constant(col, values[i])
			if err != nil {
				return 0, err
			}
			r.Set(col.Name, v)
		}
		if key := t.KeyColumn(); key != nil && r.Row.Int(key.Name) >= store.FirstCustomID {
			return 0, notRun("numbers of %s from %d on are the ERP's to give", key.Name, store.FirstCustomID)
		}
		if !r.Has("AD_Client_ID") {
			r.Set("AD_Client_ID", p.s.ClientID)
		}
		if err := p.s.FillDefaults(ctx, p.tx, r); err != nil {
			return 0, err
		}
		if err := p.permit(r); err != nil {
			return 0, err
		}
		if _, err := p.s.SaveImported(ctx, p.tx, r); err != nil {
			return 0, err
		}
		if err := p.refersToSomething(ctx, r); err != nil {
			return 0, err
		}
	}
	return len(step.Rows), nil
}

func (p *packIn) refersToSomething(ctx context.Context, r *engine.Record) error {
	col, err := p.s.MissingReference(ctx, p.tx, r)
	if err == nil && col != nil {
		err = unresolved(col.Name, "a record", fmt.Sprint(r.Row[col.Name]))
	}
	return err
}

func (p *packIn) updateRows(ctx context.Context, step *sqlstep.Step, t *store.Table) (int, error) {
	if none, err := p.hasNone(ctx, t); none || err != nil {
		return 0, err
	}
	change, err := p.sqlChange(step, t)
	if err != nil {
		return 0, err
	}
	rows, err := p.sqlRows(ctx, t, step.Where)
	if err != nil {
		return 0, err
	}
	for _, row := range rows {
		r := &engine.Record{Table: t, Old: row, Row: maps.Clone(row)}
		r.SetAll(change)
		if err := errors.Join(p.permit(&engine.Record{Table: t, Old: row, Row: row}), p.permit(r)); err != nil {
			return 0, err
		}
		if err := p.refersToSomething(ctx, r); err != nil {
			return 0, err
		}
		where, args, err := r.Where()
		if err != nil {
			return 0, err
		}
		if _, err := p.tx.Set(ctx, t, change, where, args...); err != nil {
			return 0, engine.WithCause("the change is refused by the database", err)
		}
	}
	return len(rows), nil
}

// sqlChange are the values that an UPDATE assigns.
func (p *packIn) sqlChange(step *sqlstep.Step, t *store.Table) (store.Row, error) {
	change := store.Row{}
	for i, name := range step.Columns {
		col, err := p.sqlColumn(t, name, p.s.Role.CanWriteColumn)
		if err != nil {
			return nil, err
		}
		if col.Key || col.Name == "AD_Client_ID" || t.UUColumn() == col {
			return nil, engine.PublicError("column " + col.Name + " is never changed")
		}
		v, err := p.constant(col, step.Rows[0][i])
		if err != nil {
			return nil, err
		}
		if v == nil && col.Mandatory {
			return nil, engine.PublicError("column " + col.Name + " must have a value")
		}
		change[col.Name] = v
	}
	return change, nil
}

func (p *packIn) deleteRows(ctx context.Context, step *sqlstep.Step, t *store.Table) (int, error) {
	if none, err := p.hasNone(ctx, t); none || err != nil {
		return 0, err
	}
	if t.KeyColumn() == nil { // no other row refers to one of these
		if !p.s.Role.CanWrite(t) {
			return 0, engine.PublicError("the role may not write table " + t.Name)
		}
		where, args, err := p.rowsInReach(ctx, t, step.Where)
		if err != nil {
			return 0, err
		}
		n, err := p.tx.Delete(ctx, t, where, args...)
		return int(n), err
	}
	rows, err := p.sqlRows(ctx, t, step.Where)
	if err != nil {
		return 0, err
	}
	for _, row := range rows {
		if err := p.permit(&engine.Record{Table: t, Old: row, Row: row}); err != nil {
			return 0, err
		}
		if err := p.s.Delete(ctx, p.tx, t, row); err != nil {
			return 0, err
		}
	}
	return len(rows), nil
}
