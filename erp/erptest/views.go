package erptest

import (
	"context"
	"net/http"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// viewRoutes are the operations on records through REST views.
func viewRoutes() []route {
	const (
		view   = "v1/views/{view}"
		record = view + "/{id}"
		files  = record + "/attachments"
	)
	return []route{
		{method: http.MethodGet, pattern: "v1/views", handle: listViews},
		{method: http.MethodGet, pattern: view + "/yaml", handle: viewYAML, produces: "application/yaml"},
		{method: http.MethodGet, pattern: view, handle: queryView},
		{method: http.MethodPost, pattern: view, handle: createViewRecord},
		{method: http.MethodGet, pattern: record, handle: getViewRecord},
		{method: http.MethodPut, pattern: record, handle: updateViewRecord},
		{method: http.MethodPatch, pattern: record, handle: updateViewRecord, relaxed: true},
		{method: http.MethodDelete, pattern: record, handle: throughView(deleteModel)},
		{method: http.MethodGet, pattern: record + "/{property}", handle: getViewProperty},
		{method: http.MethodGet, pattern: record + "/print", handle: throughView(printModel)},
		{method: http.MethodGet, pattern: files, handle: throughView(listAttachments)},
		{method: http.MethodPost, pattern: files, handle: throughView(addAttachment)},
		{method: http.MethodDelete, pattern: files, handle: throughView(deleteAttachments)},
		{method: http.MethodGet, pattern: files + "/zip", handle: throughView(attachmentsZip), produces: binaryOut},
		{method: http.MethodPost, pattern: files + "/zip", handle: throughView(addAttachmentsZip)},
		{method: http.MethodGet, pattern: files + "/{file}", handle: throughView(getAttachment), produces: binaryOut},
		{method: http.MethodDelete, pattern: files + "/{file}", handle: throughView(deleteAttachment)},
	}
}

// throughView is an operation on a record of the view's table that is the same
// as for tables, provided that the view shows the record.
func throughView(handle handler) handler {
	return func(c *call) error {
		err := c.read(func(ctx context.Context, rd *reader) error {
			v, err := rd.pathView(ctx)
			if err != nil {
				return err
			}
			c.params["table"] = v.table.Name
			if !engine.IsRecordID(c.param("id")) {
				return nil // the operation itself has its say about that
			}
			_, err = rd.viewRow(ctx, v, c.param("id"))
			return err
		})
		if err != nil {
			return readError(err)
		}
		return handle(c)
	}
}

// listViews handles GET /views: the definitions of the views on tables the role
// may read.
func listViews(c *call) error {
	list := []*wire.Object{}
	err := c.read(func(ctx context.Context, rd *reader) error {
		records, err := rd.dictionary(ctx, dictionaryQuery{
			table: "REST_View", columns: []string{}, filter: c.query.get("$filter"), orderBy: `"REST_View"."Name", "REST_View"."REST_View_ID"`,
		})
		if err != nil {
			return err
		}
		for _, r := range records {
			v, err := rd.loadView(ctx, r.row)
			if err != nil {
				return err
			}
			if v.table == nil {
				continue
			}
			if !c.session.Role.CanRead(v.table) {
				continue
			}
			o, err := rd.viewObject(ctx, v)
			if err != nil {
				return err
			}
			list = append(list, o)
		}
		return nil
	})
	if err != nil {
		return readError(err)
	}
	c.json(http.StatusOK, wire.NewObject("views", list))
	return nil
}

// viewObject is a view's definition as the API writes it.
func (rd *reader) viewObject(ctx context.Context, v *viewDef) (*wire.Object, error) {
	o := named(v.row, "REST_View")
	o.Set("tableName", v.table.Name)
	if text := v.row.String("WhereClause"); text != "" {
		o.Set("whereClause", text)
	}
	columns := make([]*wire.Object, 0, len(v.columns))
	for _, col := range v.columns {
		x := named(col.row, "REST_ViewColumn")
		x.Set("columnName", col.col.Name)
		if text := col.row.String("Help"); text != "" {
			x.Set("help", text)
		}
		if ref, err := engine.OneRow(ctx, rd.tx, "REST_View", col.row.Int("REST_ReferenceView_ID")); err != nil {
			return nil, err
		} else if ref != nil && rd.c.ownOrSystem(ref) {
			x.Set("referenceView", named(ref, "REST_View"))
		}
		columns = append(columns, x)
	}
	o.Set("columns", columns)
	relateds := make([]*wire.Object, 0, len(v.related))
	for _, rel := range v.related {
		x := named(rel.row, "REST_ViewRelated")
		if ref, err := engine.OneRow(ctx, rd.tx, "REST_View", rel.row.Int("REST_RelatedRestView_ID")); err != nil {
			return nil, err
		} else if ref != nil && rd.c.ownOrSystem(ref) {
			x.Set("view", named(ref, "REST_View"))
		}
		x.Set("autoExpand", rel.row.Bool("IsRestAutoExpand"))
		relateds = append(relateds, x)
	}
	o.Set("relatedViews", relateds)
	return o, nil
}

// named is an object with id, uid and name of a record.
func named(row store.Row, table string) *wire.Object {
	o := wire.NewObject("id", row.Int(table+"_ID"))
	if uu := row.String(table + "_UU"); uu != "" {
		o.Set("uid", uu)
	}
	o.Set("name", row.String("Name"))
	return o
}
