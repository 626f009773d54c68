package erptest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// tabPageSize is how many records a page of a tab has.
const tabPageSize = 100

// queryWindow handles GET /windows/{window}: a page of header records.
func queryWindow(c *call) error {
	return c.sendTabPage("window-records", func(ctx context.Context, rd *reader) (*tabDef, store.Row, error) {
		tab, err := rd.pathTab(ctx, false)
		if err == nil && tab == nil {
			err = noWindow(c.param("window"))
		}
		return tab, nil, err
	})
}

// queryChildTab handles GET /windows/{window}/tabs/{tab}/{id}/{child}: a page of
// the records below a record.
func queryChildTab(c *call) error {
	id, err := c.recordID()
	if err != nil {
		return err
	}
	return c.sendTabPage("childtab-records", func(ctx context.Context, rd *reader) (*tabDef, store.Row, error) {
		w, err := rd.findWindow(ctx, c.param("window"), false)
		if err != nil {
			return nil, nil, err
		}
		parent := w.tab(c.param("tab"))
		if parent == nil {
			return nil, nil, &oddStatus{"Invalid tab name", "No match found for tab name: " + c.param("tab")}
		}
		row, err := rd.tabRow(ctx, parent, id)
		if errors.Is(err, errNoTabRecord) {
			return nil, nil, fail(http.StatusNotFound, "Record not found", "No record found matching id "+engine.FormatID(id))
		}
		if err != nil && !errors.Is(err, errSeveralTabRecords) {
			return nil, nil, err
		}
		child := w.tab(c.param("child"))
		switch {
		case child == nil:
			return nil, nil, noTab(c.param("child"))
		case child.level() != parent.level()+1:
			return nil, nil, &textError{http.StatusBadRequest, c.param("child") + " is not child tab of " + c.param("tab")}
		case child.parent != parent || child.link == nil || child.source == nil:
			row = nil // the parent is another tab and has no record, so the page is empty
			child = &tabDef{row: store.Row{}, table: child.table, slug: child.slug, empty: true}
		}
		return child, row, nil
	})
}

// sendTabPage responds with a page of records of the tab that find names, those
// below a parent if it names one.
func (c *call) sendTabPage(member string, find func(context.Context, *reader) (*tabDef, store.Row, error)) error {
	number, err := c.intQuery("$page_no")
	if err != nil {
		return err
	}
	number = max(number, 0)
	response := wire.NewObject()
	err = c.read(func(ctx context.Context, rd *reader) error {
		tab, parent, err := find(ctx, rd)
		if err != nil {
			return err
		}
		cond, err := rd.tabCondition(ctx, tab, parent)
		if err != nil {
			return err
		}
		if text := c.query.get("$filter"); strings.TrimSpace(text) != "" {
			where, args, err := rd.filterSQL(tab.table, text)
			if err != nil {
				return err
			}
			if where != "" {
				if cond.Text != "" {
					cond.Text += " AND "
				}
				cond.Text, cond.Args = cond.Text+"("+where+")", append(cond.Args, args...)
			}
		}
		rows, err := rd.tx.Total(ctx, tab.table, cond.Text, cond.Args...)
		if err != nil {
			return err
		}
		pages := max(1, (rows+tabPageSize-1)/tabPageSize)
		if number >= pages {
			return engine.PublicError(fmt.Sprintf("Unable to set active page to %d since only %d pages", number, pages))
		}
		page, err := rd.tabPage(ctx, tab, cond, c.query.get("$sort_column"), number)
		if err != nil {
			return err
		}
		records, err := rd.tabRecords(ctx, tab, page)
		if err != nil {
			return err
		}
		for _, o := range records {
			o.Set("slug", tab.slug)
		}
		for _, n := range []struct {
			name, header string
			value        int
		}{
			{"page-count", "X-Page-Count", pages}, {"page-size", "X-Page-Size", tabPageSize},
			{"page-number", "X-Page-Number", number}, {"row-count", "X-Row-Count", rows},
		} {
			response.Set(n.name, n.value)
			c.w.Header().Set(n.header, strconv.Itoa(n.value))
		}
		response.Set(member, records)
		return nil
	})
	if err != nil {
		return c.tabError("Internal Server Error", err)
	}
	c.json(http.StatusOK, response)
	return nil
}

// tabRecords renders records as a tab shows them: the displayed fields only, with
// the fields' names as labels. The rows need all columns.
func (rd *reader) tabRecords(ctx context.Context, tab *tabDef, rows []store.Row) ([]*wire.Object, error) {
	fields, err := rd.tabFields(ctx, tab)
	if err != nil {
		return nil, err
	}
	columns := []*store.Column{}
	logic := map[string]string{}
	labels := map[*store.Column]string{}
	for _, f := range fields {
		if f.row.Bool("IsDisplayed") {
			columns = append(columns, f.col)
			labels[f.col] = f.label
			if text := f.row.String("DisplayLogic"); text != "" {
				logic[f.col.Name] = text
			}
		}
	}
	properties, err := rd.properties(ctx, tab.table, columns)
	if err != nil {
		return nil, err
	}
	for i, p := range properties {
		properties[i].label = labels[p.col]
	}
	objects, err := rd.rowObjects(ctx, tab.table, properties, rows)
	if err != nil {
		return nil, err
	}
	for i, o := range objects {
		for name, text := range logic {
			if shown, ok := rd.logic(ctx, tab.table, rows[i], text); ok && !shown {
				o.Delete(rd.propertyName(name))
			}
		}
	}
	return objects, nil
}

// logic evaluates logic of the dictionary for a record.
func (rd *reader) logic(ctx context.Context, t *store.Table, row store.Row, text string) (result, ok bool) {
	vars := engine.Variables{Session: rd.c.session, Record: &engine.Record{Table: t, Row: row}}
	return engine.EvalLogic(text, func(name string) string {
		value, _, err := vars.Lookup(ctx, rd.tx, name)
		if err != nil {
			return ""
		}
		return value
	})
}

// getTabRecord handles GET …/{id} of a window or tab. $expand lists slugs of
// child tabs.
func getTabRecord(c *call) error {
	id, err := c.recordID()
	if err != nil {
		return err
	}
	var response *wire.Object
	err = c.read(func(ctx context.Context, rd *reader) error {
		tab, err := rd.pathTab(ctx, false)
		if err != nil {
			return err
		}
		row, err := rd.readRow(ctx, tab, id)
		if err != nil {
			return err
		}
		records, err := rd.tabRecords(ctx, tab, []store.Row{row})
		if err != nil {
			return err
		}
		response = records[0]
		return rd.expandTabs(ctx, tab, row, response)
	})
	if err != nil {
		return c.tabError("GET Error", err)
	}
	c.json(http.StatusOK, response)
	return nil
}

// expandTabs adds the records of child tabs, an array under each slug, also
// when it is empty. Slugs that are not child tabs are passed over.
func (rd *reader) expandTabs(ctx context.Context, tab *tabDef, row store.Row, o *wire.Object) error {
	for slug := range strings.SplitSeq(rd.c.query.get("$expand"), ",") {
		child := tab.window.child(tab, slug)
		if child == nil {
			continue
		}
		cond, err := rd.tabCondition(ctx, child, row)
		if err != nil {
			return err
		}
		fields, err := rd.tabFields(ctx, child)
		if err != nil {
			return err
		}
		orderBy := rd.tabOrder(child, fields)
		rows, err := rd.tx.Select(ctx, child.table, store.Selection{Where: cond.Text, Args: cond.Args, OrderBy: orderBy})
		if err != nil {
			return err
		}
		records, err := rd.tabRecords(ctx, child, rows)
		if err != nil {
			return err
		}
		o.Set(slug, records)
	}
	return nil
}
