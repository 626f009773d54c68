package erptest

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/slug"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// windowRoutes are the operations on windows, their tabs and fields, and on
// records as windows show them.
func windowRoutes() []route {
	const (
		window = "v1/windows/{window}"
		tab    = window + "/tabs/{tab}"
	)
	return []route{
		{method: http.MethodGet, pattern: window + "/tabs", handle: reading(readError, getWindow)},
		{method: http.MethodGet, pattern: tab + "/fields", handle: reading(readError, listFields)},
		{method: http.MethodGet, pattern: window, handle: queryWindow},
		{method: http.MethodPost, pattern: window, handle: createInWindow},
		{method: http.MethodGet, pattern: window + "/{id}", handle: getTabRecord},
		{method: http.MethodPut, pattern: window + "/{id}", handle: updateTabRecord},
		{method: http.MethodDelete, pattern: window + "/{id}", handle: deleteTabRecord},
		{method: http.MethodGet, pattern: window + "/{id}/print", handle: printTabRecord},
		{method: http.MethodGet, pattern: tab + "/{id}", handle: getTabRecord},
		{method: http.MethodPut, pattern: tab + "/{id}", handle: updateTabRecord},
		{method: http.MethodDelete, pattern: tab + "/{id}", handle: deleteTabRecord},
		{method: http.MethodGet, pattern: tab + "/{id}/print", handle: printTabRecord},
		{method: http.MethodGet, pattern: tab + "/{id}/{child}", handle: queryChildTab},
		{method: http.MethodPost, pattern: tab + "/{id}/{child}", handle: createInChildTab},
	}
}

// What the API tells of windows, tabs and fields.
var (
	windowColumns = []string{"Name", "Description", "Help", "WindowType", "EntityType"}
	tabColumns    = []string{"Name", "Description", "Help", "EntityType", "SeqNo", "TabLevel"}
	fieldColumns  = []string{"Name", "Description", "Help", "EntityType", "AD_Reference_ID", "AD_Column_ID", "MandatoryLogic"}
)

// selectedOfWindows are the columns of windows that GET /windows shows.
func selectedOfWindows(ctx context.Context, rd *reader) ([]string, error) {
	selects, err := rd.windowSelection(ctx)
	return selects.of("AD_Window", windowColumns), err
}

// addTabs adds the tabs of a window, and their fields. $expand is only searched for
// AD_Tab and AD_Field.
func addTabs(ctx context.Context, rd *reader, r *dictionaryRecord) (bool, error) {
	expand := rd.c.query.get("$expand")
	if !strings.Contains(expand, "AD_Tab") {
		return true, nil
	}
	selects, err := rd.windowSelection(ctx)
	if err != nil {
		return false, err
	}
	tabs, err := rd.tabObjects(ctx, r.row.Int("AD_Window_ID"), selects, strings.Contains(expand, "AD_Field"))
	r.object.Set("tabs", tabs)
	return true, err
}

// windowSelect is a $select on windows: the columns selected of each table.
type windowSelect map[string][]string

// windowSelection reads the $select of GET /windows; names of a tab's or field's columns have the
// table and a slash in front. The table must be expanded.
func (rd *reader) windowSelection(ctx context.Context) (windowSelect, error) {
	text, expand := rd.c.query.get("$select"), rd.c.query.get("$expand")
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	out := windowSelect{}
	for name := range strings.SplitSeq(text, ",") {
		table := "AD_Window"
		if before, after, slash := strings.Cut(name, "/"); slash && strings.TrimSpace(expand) != "" {
			table, name = strings.TrimSpace(before), after
			if !strings.Contains(strings.ToLower(expand), strings.ToLower(table)) {
				return nil, failf(http.StatusBadRequest, "", "%s does not make part of the request body.", table)
			}
		}
		t, err := rd.tx.Table(ctx, table)
		if errors.Is(err, store.ErrNoTable) {
			return nil, engine.PublicError("There is no table " + table)
		}
		if err != nil {
			return nil, err
		}
		col, ok := t.Column(strings.TrimSpace(name))
		if !ok {
			return nil, failf(http.StatusBadRequest, "", "%s is not a valid column of table %s", name, t.Name)
		}
		if rd.c.session.Role.CanSeeColumn(t, col) {
			out[t.Name] = append(out[t.Name], col.Name)
		}
	}
	return out, nil
}

// of are the columns selected of a table, all if none are selected.
func (s windowSelect) of(table string, all []string) []string {
	if len(s[table]) > 0 {
		return s[table]
	}
	return all
}

// tabRows are all tabs of a window in their order, also inactive ones.
func (rd *reader) tabRows(ctx context.Context, windowID int64) ([]store.Row, error) {
	return engine.RowsWhere(ctx, rd.tx, "AD_Tab", "SeqNo, AD_Tab_ID", "AD_Window_ID=?", windowID)
}

// tabObjects are the tabs of a window.
func (rd *reader) tabObjects(ctx context.Context, windowID int64, selects windowSelect, withFields bool) ([]*wire.Object, error) {
	rows, err := rd.tabRows(ctx, windowID)
	if err != nil {
		return nil, err
	}
	t, err := rd.tx.Table(ctx, "AD_Tab")
	if err != nil {
		return nil, err
	}
	records, err := rd.dictionaryObjects(ctx, t, rows, selects.of("AD_Tab", tabColumns))
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		r.object.Set("slug", slug.Of(r.row.String("Name")))
		if !withFields {
			continue
		}
		fields, err := rd.fieldObjects(ctx, selects.of("AD_Field", fieldColumns), "SeqNo, AD_Field_ID", "AD_Tab_ID=? AND IsDisplayed='Y'", r.row.Int("AD_Tab_ID"))
		if err != nil {
			return nil, err
		}
		r.object.Set("fields", fields)
	}
	return objectsOf(records), nil
}

// fieldObjects are fields of tabs, also inactive ones.
func (rd *reader) fieldObjects(ctx context.Context, columns []string, orderBy, where string, args ...any) ([]*wire.Object, error) {
	t, err := rd.tx.Table(ctx, "AD_Field")
	if err != nil {
		return nil, err
	}
	rows, err := rd.tx.Select(ctx, t, store.Selection{Where: where, Args: args, OrderBy: orderBy})
	if err != nil {
		return nil, err
	}
	records, err := rd.dictionaryObjects(ctx, t, rows, columns)
	return objectsOf(records), err
}

// getWindow handles GET /windows/{window}/tabs: the window with its tabs.
func getWindow(ctx context.Context, rd *reader) (any, error) {
	w, err := rd.findWindow(ctx, rd.c.param("window"), false)
	if err != nil {
		return nil, err
	}
	o, err := rd.objectOf(ctx, "AD_Window", w.row, windowColumns, "Name")
	if err != nil {
		return nil, err
	}
	tabs, err := rd.tabObjects(ctx, w.row.Int("AD_Window_ID"), nil, false)
	o.Set("tabs", tabs)
	return o, err
}

// listFields handles GET /windows/{window}/tabs/{tab}/fields: all fields by id.
func listFields(ctx context.Context, rd *reader) (any, error) {
	w, err := rd.findWindow(ctx, rd.c.param("window"), false)
	if err != nil {
		return nil, err
	}
	rows, err := rd.tabRows(ctx, w.row.Int("AD_Window_ID"))
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(rows, func(row store.Row) bool { return slug.Of(row.String("Name")) == rd.c.param("tab") })
	if at < 0 {
		return nil, noTab(rd.c.param("tab"))
	}
	t, err := rd.tx.Table(ctx, "AD_Field")
	if err != nil {
		return nil, err
	}
	cond, args, err := rd.filterSQL(t, rd.c.query.get("$filter"))
	if err != nil {
		return nil, listError("TabFields", err)
	}
	where := "AD_Tab_ID=?"
	if cond != "" {
		where += " AND (" + cond + ")"
	}
	list, err := rd.fieldObjects(ctx, fieldColumns, "AD_Field_ID", where, append([]any{rows[at].Int("AD_Tab_ID")}, args...)...)
	return wire.NewObject("fields", list), err
}

// oddStatus is one of the two failures that have status 400 although the
// status in their body is 404.
type oddStatus struct{ title, detail string }

func (e *oddStatus) Error() string { return e.title + ": " + e.detail }

// tabError ends a call on records of a tab that failed.
func (c *call) tabError(title string, err error) error {
	var odd *oddStatus
	if errors.As(err, &odd) {
		c.json(http.StatusBadRequest, wire.NewObject("title", odd.title, "status", http.StatusNotFound, "detail", odd.detail))
		return nil
	}
	return orTitled(title, readErrorOf(err))
}

// readErrorOf classifies a refused filter and leaves other errors alone.
func readErrorOf(err error) error {
	var named *errorTitle
	if out := readError(err); !errors.As(out, &named) {
		return out
	}
	return err
}

// recordID is the id in the path. The container cannot convert anything but
// an integer.
func (c *call) recordID() (int64, error) {
	n, err := strconv.ParseInt(c.param("id"), 10, 32)
	if err != nil {
		return 0, page(http.StatusNotFound)
	}
	return n, nil
}

// intQuery is an integer among the query parameters, 0 when it is absent.
func (c *call) intQuery(name string) (int, error) {
	text := c.query.get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, page(http.StatusNotFound)
	}
	return int(n), nil
}
