package erptest

import (
	"cmp"
	"context"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// viewObject is a view's definition as the API writes it. Members without anything
// are left out.
func (rd *reader) viewObject(ctx context.Context, v *shape) (*wire.Object, error) {
	o := named(v.view, "REST_View")
	o.Set("tableName", strings.ToLower(v.table.Name))
	if text := v.view.String("WhereClause"); text != "" {
		o.Set("whereClause", text)
	}
	help, err := rd.columnHelp(ctx, v)
	if err != nil {
		return nil, err
	}
	columns := make([]*wire.Object, 0, len(v.columns))
	for _, col := range v.columns {
		x := named(col.row, "REST_ViewColumn")
		x.Set("columnName", col.col.Name)
		if text := help[col.col.ID]; text != "" {
			x.Set("help", text)
		}
		if ref, err := rd.viewReference(ctx, col.row.Int("REST_ReferenceView_ID")); err != nil {
			return nil, err
		} else if ref != nil {
			x.Set("referenceView", ref)
		}
		columns = append(columns, x)
	}
	if len(columns) > 0 {
		o.Set("columns", columns)
	}
	relateds := make([]*wire.Object, 0, len(v.related))
	for _, rel := range v.related {
		x := named(rel.row, "REST_ViewRelated")
		if ref, err := rd.viewReference(ctx, rel.row.Int("REST_RelatedRestView_ID")); err != nil {
			return nil, err
		} else if ref != nil {
			x.Set("view", ref)
		}
		x.Set("autoExpand", rel.row.Bool("IsRestAutoExpand"))
		relateds = append(relateds, x)
	}
	if len(relateds) > 0 {
		o.Set("relatedViews", relateds)
	}
	return o, nil
}

// viewReference names another view, nil when it is not there for the session.
func (rd *reader) viewReference(ctx context.Context, id int64) (*wire.Object, error) {
	row, err := engine.OneRow(ctx, rd.tx, "REST_View", id)
	if err != nil || row == nil || !rd.c.ownOrSystem(row) {
		return nil, err
	}
	return named(row, "REST_View"), nil
}

// columnHelp are the help texts of a view's columns, else their descriptions, by
// AD_Column_ID.
func (rd *reader) columnHelp(ctx context.Context, v *shape) (map[int64]string, error) {
	t, err := rd.tx.Table(ctx, "AD_Column")
	if err != nil {
		return nil, err
	}
	rows, err := engine.RowsWhere(ctx, rd.tx, "AD_Column", "AD_Column_ID", "AD_Table_ID=?", v.table.ID)
	if err != nil {
		return nil, err
	}
	if rows, err = rd.translate(ctx, t, t.Columns, rows); err != nil {
		return nil, err
	}
	out := map[int64]string{}
	for _, row := range rows {
		text := cmp.Or(row.String("Help"), row.String("Description"))
		out[row.Int("AD_Column_ID")] = text
	}
	return out, nil
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
