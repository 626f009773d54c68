package erptest

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/filter"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// viewDef is a REST view: some columns of a table under names of its own.
type viewDef struct {
	row     store.Row
	table   *store.Table // nil when the dictionary lacks it
	columns []viewColumn
	related []viewRelated
}

// viewColumn is a column of a view; dots in its name nest.
type viewColumn struct {
	row store.Row
	col *store.Column
}

// viewRelated is a view of records below those of another view.
type viewRelated struct{ row store.Row }

func (v *viewDef) name() string { return v.row.String("Name") }

func (c viewColumn) name() string { return c.row.String("Name") }

func (r viewRelated) name() string { return r.row.String("Name") }

// loadView reads the definition of a view.
func (rd *reader) loadView(ctx context.Context, row store.Row) (*viewDef, error) {
	v := &viewDef{row: row}
	t, err := rd.tx.TableByID(ctx, row.Int("AD_Table_ID"))
	if errors.Is(err, store.ErrNoTable) {
		return v, nil
	}
	if err != nil {
		return nil, err
	}
	v.table = t
	id := row.Int("REST_View_ID")
	columns, err := engine.RowsWhere(ctx, rd.tx, "REST_ViewColumn", "SeqNo, REST_ViewColumn_ID", "REST_View_ID=? AND IsActive='Y'", id)
	if err != nil {
		return nil, err
	}
	byID := map[int64]*store.Column{}
	for _, col := range t.Columns {
		byID[col.ID] = col
	}
	for _, r := range columns {
		if col := byID[r.Int("AD_Column_ID")]; col != nil && r.String("Name") != "" {
			v.columns = append(v.columns, viewColumn{r, col})
		}
	}
	related, err := engine.RowsWhere(ctx, rd.tx, "REST_ViewRelated", "REST_ViewRelated_ID", "REST_View_ID=? AND IsActive='Y'", id)
	if err != nil {
		return nil, err
	}
	for _, r := range related {
		v.related = append(v.related, viewRelated{r})
	}
	return v, nil
}

// errNoView is a name that no view has.
var errNoView = errors.New("no such view")

// pathView is the view the path names, also when it is not active.
func (rd *reader) pathView(ctx context.Context) (*viewDef, error) {
	name := rd.c.param("view")
	rows, err := engine.RowsWhere(ctx, rd.tx, "REST_View", "AD_Client_ID DESC, REST_View_ID", "Name=? AND AD_Client_ID IN (0,?)", name, rd.c.session.ClientID)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errors.Join(errNoView, fail(http.StatusNotFound, "Invalid rest view name", "No match found for rest view name: "+name))
	}
	v, err := rd.loadView(ctx, rows[0])
	if err != nil {
		return nil, err
	}
	return v, rd.checkView(ctx, v, false)
}

// checkView refuses a view on a table the role may not read, or change.
func (rd *reader) checkView(ctx context.Context, v *viewDef, write bool) error {
	if v.table == nil {
		return fail(http.StatusNotFound, "Invalid table name", "The dictionary lacks the table of the view "+v.name())
	}
	_, err := rd.c.session.FindTable(ctx, rd.tx, v.table.Name, write)
	return err
}

// viewByID is a view another one refers to, nil when it is not there for the
// session.
func (rd *reader) viewByID(ctx context.Context, id int64) (*viewDef, error) {
	row, err := engine.OneRow(ctx, rd.tx, "REST_View", id)
	if err != nil || row == nil || !rd.c.ownOrSystem(row) {
		return nil, err
	}
	v, err := rd.loadView(ctx, row)
	if err != nil || v.table == nil {
		return nil, err
	}
	return v, nil
}

// relation finds a related view by the name of the relation.
func (rd *reader) relation(ctx context.Context, v *viewDef, name string) (*viewDef, error) {
	for _, r := range v.related {
		if r.name() == name {
			return rd.viewByID(ctx, r.row.Int("REST_RelatedRestView_ID"))
		}
	}
	return nil, nil
}

// named finds a column by its name in the view.
func (v *viewDef) named(name string) (viewColumn, bool) {
	for _, c := range v.columns {
		if c.name() == name {
			return c, true
		}
	}
	return viewColumn{}, false
}

// column finds a column by its name in the view, else by the table's.
func (v *viewDef) column(name string) (viewColumn, bool) {
	if c, ok := v.named(name); ok {
		return c, true
	}
	for _, c := range v.columns {
		if strings.EqualFold(c.col.Name, name) {
			return c, true
		}
	}
	return viewColumn{}, false
}

// Filterable lets filters speak of the view's names, id and uid only.
func (v *viewDef) Filterable(name string) (*store.Column, string, bool) {
	columns := filter.ForTable(v.table)
	if name == "id" || name == "uid" {
		return columns.Filterable(name)
	}
	for _, c := range v.columns {
		if c.name() == name {
			return columns.Filterable(c.col.Name)
		}
	}
	return nil, "", false
}

// viewCondition is the where clause of a view, "" without one.
func (rd *reader) viewCondition(ctx context.Context, v *viewDef) (engine.SQL, error) {
	clause := strings.TrimSpace(v.row.String("WhereClause"))
	if clause == "" {
		return engine.SQL{}, nil
	}
	vars := engine.Variables{Session: rd.c.session, Record: &engine.Record{Table: v.table, Row: store.Row{}}}
	bound, ok, err := vars.Bind(ctx, rd.tx, clause)
	if err != nil {
		return engine.SQL{}, err
	}
	if !ok {
		return engine.SQL{Text: "1=2"}, nil // its context lacks a value
	}
	return rd.c.session.GuardedCondition(ctx, rd.tx, v.table, bound)
}

// viewRow is the record of the view with that id or UUID.
func (rd *reader) viewRow(ctx context.Context, v *viewDef, id string) (store.Row, error) {
	row, err := rd.c.session.FindRow(ctx, rd.tx, v.table, id)
	if err != nil {
		return nil, err
	}
	cond, err := rd.viewCondition(ctx, v)
	if err != nil || cond.Text == "" {
		return row, err
	}
	where, args, err := (&engine.Record{Table: v.table, Row: row}).Where()
	if err != nil {
		return nil, err
	}
	n, err := rd.tx.Count(ctx, v.table, where+" AND "+cond.Text, append(args, cond.Args...)...)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, fail(http.StatusNotFound, "Record not found", "No record found matching id: "+id)
	}
	return row, nil
}
