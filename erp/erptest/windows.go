package erptest

import (
	"context"
	"errors"
	"net/http"
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
		{method: http.MethodGet, pattern: "v1/windows", handle: listWindows},
		{method: http.MethodGet, pattern: window + "/tabs", handle: getWindow},
		{method: http.MethodGet, pattern: tab + "/fields", handle: listFields},
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

// listWindows handles GET /windows. $expand is only searched for AD_Tab and
// AD_Field.
func listWindows(c *call) error {
	var list []*wire.Object
	err := c.read(func(ctx context.Context, rd *reader) error {
		selects := windowSelection(c.query.get("$select"))
		records, err := rd.dictionary(ctx, dictionaryQuery{
			table: "AD_Window", columns: selects.of(windowColumns, ""), filter: c.query.get("$filter"),
			orderBy: `"AD_Window"."Name", "AD_Window"."AD_Window_ID"`, access: engine.KindWindow,
		})
		if err != nil {
			return err
		}
		expand := c.query.get("$expand")
		for _, r := range records {
			r.object.Set("slug", slug.Of(r.row.String("Name")))
			if !strings.Contains(expand, "AD_Tab") {
				continue
			}
			tabs, err := rd.tabObjects(ctx, r.row.Int("AD_Window_ID"), selects, strings.Contains(expand, "AD_Field"))
			if err != nil {
				return err
			}
			r.object.Set("tabs", tabs)
		}
		list = objectsOf(records)
		return nil
	})
	if err != nil {
		return listError("windows", err)
	}
	c.json(http.StatusOK, wire.NewObject("windows", list))
	return nil
}

// windowSelect is a $select on windows; names of a tab's or field's columns
// have the table and a slash in front.
type windowSelect map[string]bool

func windowSelection(text string) windowSelect {
	var out windowSelect
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			if out == nil {
				out = windowSelect{}
			}
			out[strings.ToLower(name)] = true
		}
	}
	return out
}

// of are the columns of one table that are selected: all of them unless the
// selection names some.
func (s windowSelect) of(columns []string, prefix string) []string {
	selected := []string{}
	for _, name := range columns {
		if s[strings.ToLower(prefix+name)] {
			selected = append(selected, name)
		}
	}
	named := len(selected) > 0
	for name := range s {
		named = named || prefix == "" && !strings.Contains(name, "/")
	}
	if !named {
		return columns
	}
	return selected
}

// tabObjects are the tabs of a window that the role may see.
func (rd *reader) tabObjects(ctx context.Context, windowID int64, selects windowSelect, withFields bool) ([]*wire.Object, error) {
	tabs, err := rd.windowTabs(ctx, windowID)
	if err != nil {
		return nil, err
	}
	t, err := rd.tx.Table(ctx, "AD_Tab")
	if err != nil {
		return nil, err
	}
	rows := make([]store.Row, len(tabs))
	for i, tab := range tabs {
		rows[i] = tab.row
	}
	records, err := rd.dictionaryObjects(ctx, t, rows, selects.of(tabColumns, "AD_Tab/"))
	if err != nil {
		return nil, err
	}
	for i, r := range records {
		r.object.Set("slug", tabs[i].slug)
		if !withFields {
			continue
		}
		fields, err := rd.dictionary(ctx, dictionaryQuery{
			table: "AD_Field", columns: selects.of(fieldColumns, "AD_Field/"), where: "AD_Tab_ID=?",
			args: []any{tabs[i].id()}, orderBy: "SeqNo, AD_Field_ID",
		})
		if err != nil {
			return nil, err
		}
		r.object.Set("fields", objectsOf(fields))
	}
	return objectsOf(records), nil
}

// getWindow handles GET /windows/{window}/tabs: the window with its tabs.
func getWindow(c *call) error {
	var response *wire.Object
	err := c.read(func(ctx context.Context, rd *reader) error {
		w, err := rd.findWindow(ctx, c.param("window"))
		if err != nil {
			return err
		}
		t, err := rd.tx.Table(ctx, "AD_Window")
		if err != nil {
			return err
		}
		records, err := rd.dictionaryObjects(ctx, t, []store.Row{w.row}, windowColumns)
		if err != nil {
			return err
		}
		response = records[0].object
		response.Set("slug", slug.Of(w.row.String("Name")))
		tabs, err := rd.tabObjects(ctx, w.row.Int("AD_Window_ID"), nil, false)
		response.Set("tabs", tabs)
		return err
	})
	if err != nil {
		return readError(err)
	}
	c.json(http.StatusOK, response)
	return nil
}

// listFields handles GET /windows/{window}/tabs/{tab}/fields.
func listFields(c *call) error {
	var list []*wire.Object
	err := c.read(func(ctx context.Context, rd *reader) error {
		w, err := rd.findWindow(ctx, c.param("window"))
		if err != nil {
			return err
		}
		tab, err := w.tab(c.param("tab"))
		if err != nil {
			return err
		}
		fields, err := rd.dictionary(ctx, dictionaryQuery{
			table: "AD_Field", columns: fieldColumns, filter: c.query.get("$filter"),
			where: "AD_Tab_ID=?", args: []any{tab.id()}, orderBy: "SeqNo, AD_Field_ID",
		})
		list = objectsOf(fields)
		return err
	})
	if err != nil {
		return readError(err)
	}
	c.json(http.StatusOK, wire.NewObject("fields", list))
	return nil
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
