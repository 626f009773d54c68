package erptest

import (
	"context"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// listModels handles GET /models: the active tables the role may read.
func listModels(ctx context.Context, rd *reader) (any, error) {
	t, err := rd.tx.Table(ctx, "AD_Table")
	if err != nil {
		return nil, err
	}
	cond, args, err := rd.filterSQL(t, rd.c.query.get("$filter"))
	if err != nil {
		return nil, err
	}
	where := `"AD_Table"."IsActive"='Y'`
	if cond != "" {
		where += " AND (" + cond + ")"
	}
	var columns []*store.Column
	for _, name := range []string{"AD_Table_ID", "AD_Table_UU", "TableName", "Name", "Description", "AccessLevel", "IsView"} {
		if col, ok := t.Column(name); ok {
			columns = append(columns, col)
		}
	}
	rows, err := rd.tx.Select(ctx, t, store.Selection{Columns: columns, Where: where, Args: args, OrderBy: `"AD_Table"."TableName"`})
	if err != nil {
		return nil, err
	}
	readable := rows[:0]
	for _, row := range rows {
		// Access is decided by these facts alone; loading every column of
		// every table would take long the first time.
		ok := rd.c.session.Role.CanRead(&store.Table{
			ID: row.Int("AD_Table_ID"), Name: row.String("TableName"),
			AccessLevel: row.String("AccessLevel"), IsView: row.Bool("IsView"), Active: true,
		})
		if ok {
			readable = append(readable, row)
		}
	}
	if readable, err = rd.translate(ctx, t, columns, readable); err != nil {
		return nil, err
	}
	list := make([]*wire.Object, 0, len(readable))
	for _, row := range readable {
		o := wire.NewObject("id", row.Int("AD_Table_ID"))
		if uu := row.String("AD_Table_UU"); uu != "" {
			o.Set("uid", uu)
		}
		o.Set("model-name", strings.ToLower(row.String("TableName")))
		o.Set("name", row.String("Name"))
		if text := row.String("Description"); text != "" {
			o.Set("description", text)
		}
		list = append(list, o)
	}
	return wire.NewObject("models", list), nil
}
