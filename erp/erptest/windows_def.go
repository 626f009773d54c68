package erptest

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/slug"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// windowDef is a window the role may open.
type windowDef struct {
	row  store.Row
	tabs []*tabDef
}

// tabDef is a tab of a window.
type tabDef struct {
	row    store.Row
	slug   string
	table  *store.Table
	window *windowDef
	parent *tabDef       // nil for a header
	link   *store.Column // that holds the parent, nil for a header
	source *store.Column // of the parent: what link holds
	empty  bool          // it has no records
	fields []tabField    // nil until they are read
}

// shape is how callers see the tab's records.
func (t *tabDef) shape() *shape { return &shape{table: t.table, tab: t} }

func (t *tabDef) id() int64 { return t.row.Int("AD_Tab_ID") }

func (t *tabDef) level() int64 { return t.row.Int("TabLevel") }

// findWindow is the active window with that slug, which the role must be able
// to open, with the permission to change data in it if write says so.
func (rd *reader) findWindow(ctx context.Context, slug string, write bool) (*windowDef, error) {
	row, err := rd.findObject(ctx, engine.KindWindow, "window", slug, write)
	if err != nil {
		return nil, err
	}
	w := &windowDef{row: row}
	if w.tabs, err = rd.windowTabs(ctx, row.Int("AD_Window_ID")); err != nil {
		return nil, err
	}
	for _, t := range w.tabs {
		t.window = w
	}
	return w, nil
}

// windowTabs are the active tabs of a window whose tables the role may read,
// each linked to the tab it details.
func (rd *reader) windowTabs(ctx context.Context, windowID int64) ([]*tabDef, error) {
	rows, err := engine.RowsWhere(ctx, rd.tx, "AD_Tab", "SeqNo, AD_Tab_ID", "AD_Window_ID=? AND IsActive='Y'", windowID)
	if err != nil {
		return nil, err
	}
	tabs, err := rd.tx.Table(ctx, "AD_Tab")
	if err != nil {
		return nil, err
	}
	name, _ := tabs.Column("Name")
	shown, err := rd.translate(ctx, tabs, []*store.Column{name}, rows)
	if err != nil {
		return nil, err
	}
	var out []*tabDef
	for i, row := range rows {
		t, err := engine.ExistingTable(ctx, rd.tx, func() (*store.Table, error) { return rd.tx.TableByID(ctx, row.Int("AD_Table_ID")) })
		if err != nil {
			return nil, err
		}
		if t == nil || !rd.c.session.Role.TableAccess(t, false) {
			continue
		}
		tab := &tabDef{row: row, slug: slug.Of(shown[i].String("Name")), table: t}
		level := row.Int("TabLevel")
		for j := len(out) - 1; level > 0 && j >= 0; j-- {
			if out[j].row.Int("TabLevel") == level-1 {
				tab.parent = out[j]
				break
			}
		}
		if tab.parent != nil {
			if err := rd.linkTab(ctx, tab); err != nil {
				return nil, err
			}
		}
		out = append(out, tab)
	}
	return out, nil
}

// linkTab finds the column by which a tab's records belong to one of the tab
// above: the one the dictionary names, else one named like the key of the tab
// above, else the first that references its table.
func (rd *reader) linkTab(ctx context.Context, tab *tabDef) error {
	parent := tab.parent.table
	column := func(t *store.Table, id int64) *store.Column {
		for _, col := range t.Columns {
			if id != 0 && col.ID == id && !col.IsVirtual() {
				return col
			}
		}
		return nil
	}
	key := parent.KeyColumn()
	tab.link = column(tab.table, tab.row.Int("AD_Column_ID"))
	if tab.link == nil && key != nil {
		if col, ok := tab.table.Column(key.Name); ok && !col.IsVirtual() {
			tab.link = col
		}
	}
	for _, col := range tab.table.Columns {
		if tab.link != nil {
			break
		}
		if col.IsVirtual() || col.IsMultiLookup() {
			continue
		}
		if key == nil && col.Parent {
			if _, shared := parent.Column(col.Name); shared {
				tab.link = col
			}
			continue
		}
		target, err := rd.tx.TargetTable(ctx, col)
		if err != nil {
			return err
		}
		if strings.EqualFold(target, parent.Name) && col.Kind() == store.KindInteger {
			tab.link = col
		}
	}
	if tab.link == nil {
		return nil
	}
	if tab.source = column(parent, tab.row.Int("Parent_Column_ID")); tab.source != nil {
		return nil
	}
	if col, ok := parent.Column(tab.link.Name); ok && !col.IsVirtual() {
		tab.source = col
	} else {
		tab.source = key
	}
	return nil
}

func noWindow(slug string) error { return noObject("window", slug) }

func noTab(slug string) error { return noObject("tab", slug) }

// tab finds a tab by its slug; of two with one slug the first counts. It is nil
// when there is none.
func (w *windowDef) tab(slug string) *tabDef {
	for _, t := range w.tabs {
		if t.slug == slug {
			return t
		}
	}
	return nil
}

// child finds a tab right below another one, nil when there is none.
func (w *windowDef) child(parent *tabDef, slug string) *tabDef {
	for _, t := range w.tabs {
		if t.slug == slug && t.parent == parent && t.link != nil && t.source != nil {
			return t
		}
	}
	return nil
}

// header is the first tab of the top level, nil when there is none.
func (w *windowDef) header() *tabDef {
	for _, t := range w.tabs {
		if t.level() == 0 {
			return t
		}
	}
	return nil
}

// pathTab is the tab a path names, the header of the window without one; nil when
// there is no such tab.
func (rd *reader) pathTab(ctx context.Context, write bool) (*tabDef, error) {
	w, err := rd.findWindow(ctx, rd.c.param("window"), write)
	if err != nil {
		return nil, err
	}
	if slug, named := rd.c.params["tab"]; named {
		return w.tab(slug), nil
	}
	return w.header(), nil
}

// tabField is a field of a tab.
type tabField struct {
	row   store.Row
	col   *store.Column
	label string // in the session's language
}

// tabFields are the active fields of a tab in their order, also those that
// are not displayed.
func (rd *reader) tabFields(ctx context.Context, tab *tabDef) ([]tabField, error) {
	if tab.fields != nil {
		return tab.fields, nil
	}
	rows, err := engine.RowsWhere(ctx, rd.tx, "AD_Field", "SeqNo, AD_Field_ID", "AD_Tab_ID=? AND IsActive='Y'", tab.id())
	if err != nil {
		return nil, err
	}
	byID := map[int64]*store.Column{}
	for _, col := range tab.table.Columns {
		byID[col.ID] = col
	}
	fields, err := rd.tx.Table(ctx, "AD_Field")
	if err != nil {
		return nil, err
	}
	name, _ := fields.Column("Name")
	shown, err := rd.translate(ctx, fields, []*store.Column{name}, rows)
	if err != nil {
		return nil, err
	}
	tab.fields = make([]tabField, 0, len(rows))
	for i, row := range rows {
		if col := byID[row.Int("AD_Column_ID")]; col != nil {
			tab.fields = append(tab.fields, tabField{row, col, shown[i].String("Name")})
		}
	}
	return tab.fields, nil
}

// tabCondition is the condition for all records of a tab: its own where
// clause and what the role may read.
func (rd *reader) tabCondition(ctx context.Context, tab *tabDef, parent store.Row) (engine.SQL, error) {
	var out engine.SQL
	var parts []string
	if tab.empty {
		parts = append(parts, "1=2")
	}
	if parent != nil {
		parts = append(parts, store.Expr(tab.table, tab.link)+"=?")
		out.Args = append(out.Args, parent[tab.source.Name])
	}
	if clause := strings.TrimSpace(tab.row.String("WhereClause")); clause != "" {
		context := store.Row{}
		if parent != nil {
			context = parent
		}
		vars := engine.Variables{Session: rd.c.session, Record: &engine.Record{Table: tab.table, Row: context}}
		bound, ok, err := vars.Bind(ctx, rd.tx, clause)
		if err != nil {
			return out, err
		}
		if !ok { // as the window does when its context lacks a value
			parts = append(parts, "1=2")
		} else {
			if bound, err = rd.c.session.GuardedCondition(ctx, rd.tx, tab.table, bound); err != nil {
				return out, err
			}
			parts, out.Args = append(parts, bound.Text), append(out.Args, bound.Args...)
		}
	}
	access, args, err := rd.c.session.RowFilter(ctx, rd.tx, tab.table)
	if err != nil {
		return out, err
	}
	if access != "" {
		parts, out.Args = append(parts, "("+access+")"), append(out.Args, args...)
	}
	out.Text = strings.Join(parts, " AND ")
	return out, nil
}

// addressColumn is the column an id in a path of a tab stands for: the key,
// else the link to the tab above, else the first parent.
func (t *tabDef) addressColumn() *store.Column {
	if key := t.table.KeyColumn(); key != nil {
		return key
	}
	if t.link != nil && t.link.Kind() == store.KindInteger {
		return t.link
	}
	for _, col := range t.table.Columns {
		if col.Parent && col.Kind() == store.KindInteger && !col.IsVirtual() {
			return col
		}
	}
	return nil
}

var (
	errNoTabRecord       = errors.New("no record of the tab")
	errSeveralTabRecords = errors.New("several records of the tab")
)

// tabRow is the record of a tab with that id; errNoTabRecord when there is
// none, errSeveralTabRecords, and the first, when the id is that of several.
func (rd *reader) tabRow(ctx context.Context, tab *tabDef, id int64) (store.Row, error) {
	col := tab.addressColumn()
	if col == nil {
		return nil, errNoTabRecord
	}
	cond, err := rd.tabCondition(ctx, tab, nil)
	if err != nil {
		return nil, err
	}
	where, args := store.Expr(tab.table, col)+"=?", append([]any{id}, cond.Args...)
	if cond.Text != "" {
		where += " AND " + cond.Text
	}
	rows, err := rd.tx.Select(ctx, tab.table, store.Selection{Where: where, Args: args, Limit: 2})
	switch {
	case err != nil:
		return nil, err
	case len(rows) == 0:
		return nil, errNoTabRecord
	case len(rows) > 1:
		return rows[0], errSeveralTabRecords
	}
	return rows[0], nil
}

// readRow is tabRow for reading: whatever is not one record is not found.
func (rd *reader) readRow(ctx context.Context, tab *tabDef, id int64) (store.Row, error) {
	notFound := fail(http.StatusNotFound, "Record not found", "No record found matching id "+engine.FormatID(id))
	if tab == nil {
		return nil, notFound
	}
	row, err := rd.tabRow(ctx, tab, id)
	if errors.Is(err, errNoTabRecord) || errors.Is(err, errSeveralTabRecords) {
		return nil, notFound
	}
	return row, err
}

// writeRow is tabRow for changing, whose failures have other texts.
func (rd *reader) writeRow(ctx context.Context, tab *tabDef, id int64) (store.Row, error) {
	row, err := rd.tabRow(ctx, tab, id)
	switch {
	case errors.Is(err, errNoTabRecord):
		return nil, fail(http.StatusNotFound, "Record not found", "No record found matching id: "+engine.FormatID(id))
	case errors.Is(err, errSeveralTabRecords):
		return nil, &oddStatus{"More than 1 match", "More than 1 matching record for id: " + engine.FormatID(id)}
	}
	return row, err
}
