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

// shape is how a caller sees the records of a table: as the table has them, through
// a REST view, some of the columns under names of their own, or in a tab of a window,
// the columns of its fields.
type shape struct {
	table   *store.Table // nil when the dictionary lacks that of the view
	view    store.Row    // of REST_View; nil for a table or tab
	tab     *tabDef      // nil for a table or view
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

func (s *shape) name() string { return s.view.String("Name") }

func (c viewColumn) name() string { return c.row.String("Name") }

func (r viewRelated) name() string { return r.row.String("Name") }

// loadView reads the definition of a view.
func (rd *reader) loadView(ctx context.Context, row store.Row) (*shape, error) {
	s := &shape{view: row}
	t, err := rd.tx.TableByID(ctx, row.Int("AD_Table_ID"))
	if errors.Is(err, store.ErrNoTable) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	s.table = t
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
			s.columns = append(s.columns, viewColumn{r, col})
		}
	}
	related, err := engine.RowsWhere(ctx, rd.tx, "REST_ViewRelated", "REST_ViewRelated_ID", "REST_View_ID=? AND IsActive='Y'", id)
	if err != nil {
		return nil, err
	}
	for _, r := range related {
		s.related = append(s.related, viewRelated{r})
	}
	return s, nil
}

// errNoView is a name that no view has.
var errNoView = errors.New("no such view")

// pathShape is what the path names: a table the role may read, or change, or a view
// on one, also when the view is not active.
func (rd *reader) pathShape(ctx context.Context, write bool) (*shape, error) {
	c := rd.c
	if _, through := c.params["view"]; !through {
		t, err := c.session.FindTable(ctx, rd.tx, c.param("table"), write)
		return &shape{table: t}, err
	}
	s, err := rd.pathView(ctx)
	if errors.Is(err, errNoView) && c.r.Method == http.MethodPost && c.params["id"] != "" {
		// What adds files takes the name of a table, too.
		t, err := c.session.FindTable(ctx, rd.tx, c.param("view"), write)
		return &shape{table: t}, err
	}
	if err != nil || !write {
		return s, err
	}
	return s, rd.checkView(ctx, s, true)
}

// pathView is the view the path names.
func (rd *reader) pathView(ctx context.Context) (*shape, error) {
	name := rd.c.param("view")
	rows, err := engine.RowsWhere(ctx, rd.tx, "REST_View", "AD_Client_ID DESC, REST_View_ID", "Name=? AND AD_Client_ID IN (0,?)", name, rd.c.session.ClientID)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errors.Join(errNoView, fail(http.StatusNotFound, "Invalid rest view name", "No match found for rest view name: "+name))
	}
	s, err := rd.loadView(ctx, rows[0])
	if err != nil {
		return nil, err
	}
	return s, rd.checkView(ctx, s, false)
}

// checkView refuses a view on a table the role may not read, or change.
func (rd *reader) checkView(ctx context.Context, s *shape, write bool) error {
	if s.table == nil {
		return fail(http.StatusNotFound, "Invalid table name", "The dictionary lacks the table of the view "+s.name())
	}
	_, err := rd.c.session.FindTable(ctx, rd.tx, s.table.Name, write)
	return err
}

// viewByID is a view another one refers to, nil when it is not there for the
// session.
func (rd *reader) viewByID(ctx context.Context, id int64) (*shape, error) {
	row, err := engine.OneRow(ctx, rd.tx, "REST_View", id)
	if err != nil || row == nil || !rd.c.ownOrSystem(row) {
		return nil, err
	}
	s, err := rd.loadView(ctx, row)
	if err != nil || s.table == nil {
		return nil, err
	}
	return s, nil
}

// relation finds a related view by the name of the relation.
func (rd *reader) relation(ctx context.Context, s *shape, name string) (*shape, error) {
	for _, r := range s.related {
		if r.name() == name {
			return rd.viewByID(ctx, r.row.Int("REST_RelatedRestView_ID"))
		}
	}
	return nil, nil
}

// named finds a column by its name in the view.
func (s *shape) named(name string) (viewColumn, bool) {
	for _, c := range s.columns {
		if c.name() == name {
			return c, true
		}
	}
	return viewColumn{}, false
}

// column finds a column by its name in the view, else by the table's.
func (s *shape) column(name string) (viewColumn, bool) {
	if c, ok := s.named(name); ok {
		return c, true
	}
	for _, c := range s.columns {
		if strings.EqualFold(c.col.Name, name) {
			return c, true
		}
	}
	return viewColumn{}, false
}

// filterable are the columns that filters may speak of.
func (s *shape) filterable() filter.Columns {
	if s.view == nil {
		return filter.ForTable(s.table)
	}
	return s
}

// Filterable lets filters speak of the view's names, id and uid only.
func (s *shape) Filterable(name string) (*store.Column, string, bool) {
	columns := filter.ForTable(s.table)
	if name == "id" || name == "uid" {
		return columns.Filterable(name)
	}
	for _, c := range s.columns {
		if c.name() == name {
			return columns.Filterable(c.col.Name)
		}
	}
	return nil, "", false
}

// ownCondition is the where clause of a view, "" without one.
func (rd *reader) ownCondition(ctx context.Context, s *shape) (engine.SQL, error) {
	clause := strings.TrimSpace(s.view.String("WhereClause"))
	if clause == "" {
		return engine.SQL{}, nil
	}
	vars := engine.Variables{Session: rd.c.session, Record: &engine.Record{Table: s.table, Row: store.Row{}}}
	bound, ok, err := vars.Bind(ctx, rd.tx, clause)
	if err != nil {
		return engine.SQL{}, err
	}
	if !ok {
		return engine.SQL{Text: "1=2"}, nil // its context lacks a value
	}
	return rd.c.session.GuardedCondition(ctx, rd.tx, s.table, bound)
}

// shapeRow is the record of a shape with that id or UUID.
func (rd *reader) shapeRow(ctx context.Context, s *shape, id string) (store.Row, error) {
	if s.view == nil && engine.IsRecordID(id) && !engine.IsUUID(id) && len(s.table.KeyColumns()) != 1 {
		return nil, engine.NoSingleKey(rd.c.param("table"))
	}
	row, err := rd.c.session.FindRow(ctx, rd.tx, s.table, id)
	if err != nil {
		return nil, orTitled("Exception reading "+id, err)
	}
	cond, err := rd.ownCondition(ctx, s)
	if err != nil || cond.Text == "" {
		return row, err
	}
	where, args, err := (&engine.Record{Table: s.table, Row: row}).Where()
	if err != nil {
		return nil, err
	}
	n, err := rd.tx.Count(ctx, s.table, where+" AND "+cond.Text, append(args, cond.Args...)...)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, fail(http.StatusNotFound, "Record not found", "No record found matching id: "+id)
	}
	return row, nil
}
