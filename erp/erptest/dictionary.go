package erptest

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/slug"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// dictionaryKind is a kind of objects of the dictionary: rows of a table that the API
// lists at a path.
type dictionaryKind struct {
	path   string
	member string // of the response
	query  dictionaryQuery
	slug   string // the column whose text the slug of an object is made of, "" for none
	// complete adds to an object what hangs on it, and reports whether it is listed; nil
	// for nothing.
	complete func(ctx context.Context, rd *reader, r *dictionaryRecord) (listed bool, err error)
	// columns are the columns that a request selects; nil for those of the query.
	columns func(ctx context.Context, rd *reader) ([]string, error)
	// below is set for what belongs to the info window in the path.
	below bool
	// failing is what the failures of the list say was read, "" for those of others.
	failing string
	counted bool // in the header X-Row-Count
}

// byName is the order of the lists that are read by people.
func byName(table string) string {
	return `"` + table + `"."Name", "` + table + `"."` + table + `_ID"`
}

// dictionaryKinds are the lists of the dictionary's objects.
func dictionaryKinds() []dictionaryKind {
	const info = "v1/infos/{slug}"
	part := func(table string) dictionaryQuery {
		return dictionaryQuery{table: table, where: "AD_InfoWindow_ID=?", orderBy: "SeqNo, " + table + "_ID"}
	}
	return []dictionaryKind{
		{
			path: "v1/windows", member: "windows", failing: "windows", slug: "Name",
			query:   dictionaryQuery{table: "AD_Window", orderBy: byName("AD_Window"), access: engine.KindWindow},
			columns: selectedOfWindows, complete: addTabs,
		},
		{
			path: "v1/forms", member: "forms", failing: "forms", slug: "Name", counted: true,
			query: dictionaryQuery{
				table: "AD_Form", columns: []string{"Name", "Description", "Help", "Classname", "EntityType"}, orderBy: `"AD_Form"."AD_Form_ID"`, access: engine.KindForm,
			},
		},
		{
			path: "v1/tasks", member: "tasks", failing: "task", slug: "Name",
			query: dictionaryQuery{table: "AD_Task", columns: taskColumns, orderBy: byName("AD_Task"), access: engine.KindTask},
		},
		{
			path: "v1/processes", member: "processes", failing: "process", slug: "Value",
			query: dictionaryQuery{
				table: "AD_Process", columns: processColumns, where: `AD_Form_ID IS NULL AND "AD_Process".IsActive='Y'`, orderBy: `"AD_Process".Value`, access: engine.KindProcess,
			},
		},
		{
			path: "v1/infos", member: "infowindows", failing: "InfoWindows", slug: "Name",
			query: dictionaryQuery{table: "AD_InfoWindow", orderBy: byName("AD_InfoWindow"), access: engine.KindInfo},
		},
		{path: info + "/columns", member: "infowindowcolumns", query: part("AD_InfoColumn"), below: true},
		{path: info + "/processes", member: "infowindowprocesses", query: part("AD_InfoProcess"), below: true, complete: completeInfoProcess},
		{path: info + "/relateds", member: "infowindowrelateds", query: part("AD_InfoRelated"), below: true, complete: completeInfoRelated},
		{
			path: "v1/statuslines", member: "statusLines", failing: "status lines", complete: addStatusMessage,
			query: dictionaryQuery{table: "AD_StatusLine", columns: []string{"Name", "EntityType"}, orderBy: byName("AD_StatusLine")},
		},
		{
			path: "v1/charts/data", member: "charts", failing: "charts", complete: replaceByChart,
			query: dictionaryQuery{table: "AD_Chart", columns: []string{"Name"}, orderBy: byName("AD_Chart")},
		},
		{
			path: "v1/views", member: "views", complete: replaceByView,
			query: dictionaryQuery{table: "REST_View", columns: []string{}, orderBy: byName("REST_View")},
		},
	}
}

func dictionaryRoutes() []route {
	var routes []route
	for _, k := range dictionaryKinds() {
		routes = append(routes, route{method: http.MethodGet, pattern: k.path, handle: k.list})
	}
	return routes
}

// list responds with the objects of the kind that the role may see.
func (k dictionaryKind) list(c *call) error {
	list := []*wire.Object{}
	err := c.read(func(ctx context.Context, rd *reader) (err error) {
		list, err = k.objects(ctx, rd)
		return err
	})
	switch {
	case err != nil && k.failing != "":
		return listError(k.failing, err)
	case err != nil:
		return readError(err)
	}
	if k.counted {
		c.w.Header().Set("X-Row-Count", strconv.Itoa(len(list)))
	}
	c.json(http.StatusOK, wire.NewObject(k.member, list))
	return nil
}

func (k dictionaryKind) objects(ctx context.Context, rd *reader) ([]*wire.Object, error) {
	q := k.query
	if k.below {
		info, err := rd.findObject(ctx, engine.KindInfo, "info window", rd.c.param("slug"), false)
		if err != nil {
			return nil, err
		}
		q.args = []any{info.Int("AD_InfoWindow_ID")}
	} else {
		q.filter = rd.c.query.get("$filter")
	}
	if k.columns != nil {
		var err error
		if q.columns, err = k.columns(ctx, rd); err != nil {
			return nil, err
		}
	}
	records, err := rd.dictionary(ctx, q)
	if err != nil {
		return nil, err
	}
	list := make([]*wire.Object, 0, len(records))
	for _, r := range records {
		if k.slug != "" {
			r.object.Set("slug", slug.Of(r.row.String(k.slug)))
		}
		listed := true
		if k.complete != nil {
			if listed, err = k.complete(ctx, rd, &r); err != nil {
				return nil, err
			}
		}
		if listed {
			list = append(list, r.object)
		}
	}
	return list, nil
}

// reading is a handler that responds with what is read. failed gives other errors the
// form that they have there.
func reading(failed func(error) error, read func(ctx context.Context, rd *reader) (any, error)) handler {
	return func(c *call) error {
		var response any
		err := c.read(func(ctx context.Context, rd *reader) (err error) {
			response, err = read(ctx, rd)
			return err
		})
		if err != nil {
			return failed(err)
		}
		c.json(http.StatusOK, response)
		return nil
	}
}

// titledAs gives errors without a title this one.
func titledAs(title string) func(error) error {
	return func(err error) error { return orTitled(title, err) }
}

// findObject is the active object of a kind with that slug, which the role must have
// access to, with the permission to change or run it if write says so. noun is what
// refusals call the kind.
func (rd *reader) findObject(ctx context.Context, kind engine.ObjectKind, noun, name string, write bool) (store.Row, error) {
	table := "AD_" + string(kind)
	rows, err := engine.RowsWhere(ctx, rd.tx, table, table+"_ID", "IsActive='Y'")
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if !rd.c.ownOrSystem(row) || slug.Lookup(row.String("Name")) != name {
			continue
		}
		read, change, err := rd.c.session.ObjectAccess(ctx, rd.tx, kind, row.Int(table+"_ID"))
		if err != nil {
			return nil, err
		}
		if !read || write && !change {
			return nil, fail(http.StatusForbidden, "Access denied", "Access denied for "+noun+": "+name)
		}
		return row, nil
	}
	return nil, noObject(noun, name)
}

func noObject(noun, name string) error {
	return fail(http.StatusNotFound, "Invalid "+noun+" name", "No match found for "+noun+" name: "+name)
}

// objectOf is one row with some of its columns and its slug.
func (rd *reader) objectOf(ctx context.Context, table string, row store.Row, columns []string, slugColumn string) (*wire.Object, error) {
	t, err := rd.tx.Table(ctx, table)
	if err != nil {
		return nil, err
	}
	records, err := rd.dictionaryObjects(ctx, t, []store.Row{row}, columns)
	if err != nil {
		return nil, err
	}
	records[0].object.Set("slug", slug.Of(row.String(slugColumn)))
	return records[0].object, nil
}

// slugFrom gives the object of a record the slug of another one's name.
func (rd *reader) slugFrom(ctx context.Context, o *wire.Object, table, column string, id int64) error {
	row, err := engine.OneRow(ctx, rd.tx, table, id)
	if err != nil {
		return err
	}
	o.Set("slug", slug.Of(row.String(column)))
	return nil
}

// completeInfoProcess lists the processes the role may run, each with the slug of the
// process.
func completeInfoProcess(ctx context.Context, rd *reader, r *dictionaryRecord) (bool, error) {
	_, run, err := rd.c.session.ProcessAccess(ctx, rd.tx, r.row.Int("AD_Process_ID"))
	if err != nil || !run {
		return false, err
	}
	return true, rd.slugFrom(ctx, r.object, "AD_Process", "Value", r.row.Int("AD_Process_ID"))
}

// completeInfoRelated adds the slug of the related info window.
func completeInfoRelated(ctx context.Context, rd *reader, r *dictionaryRecord) (bool, error) {
	return true, rd.slugFrom(ctx, r.object, "AD_InfoWindow", "Name", r.row.Int("RelatedInfo_ID"))
}

// addStatusMessage adds the text of a status line, null for one without, if the
// request has with_messages=true.
func addStatusMessage(ctx context.Context, rd *reader, r *dictionaryRecord) (bool, error) {
	if !strings.EqualFold(rd.c.query.get("with_messages"), "true") {
		return true, nil
	}
	text, err := rd.statusMessage(ctx, r.row)
	r.object.Set("message", text)
	return true, err
}

// replaceByChart lists the data of a chart.
func replaceByChart(ctx context.Context, rd *reader, r *dictionaryRecord) (bool, error) {
	row, err := rd.translatedRow(ctx, "AD_Chart", r.row)
	if err != nil {
		return false, err
	}
	found, err := rd.loadChart(ctx, row)
	if err != nil {
		return false, err
	}
	r.object = found.object()
	r.object.Set("id", r.row.Int("AD_Chart_ID"))
	return true, nil
}

// replaceByView lists the definition of a view, but one whose table the dictionary
// lacks.
func replaceByView(ctx context.Context, rd *reader, r *dictionaryRecord) (bool, error) {
	v, err := rd.loadView(ctx, r.row)
	if err != nil || v.table == nil {
		return false, err
	}
	r.object, err = rd.viewObject(ctx, v)
	return true, err
}
