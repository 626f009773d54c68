package erptest

import (
	"context"
	"net/http"

	"github.com/erphub/erphub/erp/erptest/internal/filter"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
	"github.com/erphub/erphub/internal/sqlquote"
)

// recordLink is the column of AD_LabelAssignment that names records of t, and
// the column of t it holds.
func recordLink(t *store.Table) (link string, key *store.Column) {
	if key := t.KeyColumn(); key != nil {
		return "Record_ID", key
	}
	return "Record_UU", t.UUColumn()
}

// labelCondition is the condition that a record of t has a label the filter
// on AD_Label finds.
func (rd *reader) labelCondition(ctx context.Context, t *store.Table, text string) (string, []any, error) {
	label, err := rd.tx.Table(ctx, "AD_Label")
	if err != nil {
		return "", nil, err
	}
	cond, args, err := rd.filterSQL(label, text)
	if err != nil {
		return "", nil, err
	}
	cond, args, err = rd.condition(ctx, label, cond, args)
	if err != nil {
		return "", nil, err
	}
	link, key := recordLink(t)
	if key == nil {
		return "", nil, failf(http.StatusInternalServerError, "GET Error", "Records of %s have no labels", t.Name)
	}
	where := store.Expr(t, key) + ` IN (SELECT "AD_LabelAssignment".` + sqlquote.Name(link) +
		` FROM "AD_LabelAssignment" JOIN "AD_Label" ON "AD_Label"."AD_Label_ID"="AD_LabelAssignment"."AD_Label_ID"` +
		` WHERE "AD_LabelAssignment"."AD_Table_ID"=? AND (` + cond + `))`
	return where, append([]any{t.ID}, args...), nil
}

// labelExpanded adds the labels of a record that an expansion brought, if the
// request wants to see labels. What is expanded below it shows none, but for a table
// below itself.
func (rd *reader) labelExpanded(ctx context.Context, t *store.Table, row store.Row, o *wire.Object, level int) error {
	if rd.labels == nil || level > 0 {
		return nil
	}
	return rd.addLabels(ctx, t, row, o, *rd.labels)
}

// addLabels adds assigned-labels to a record that has labels: whole records,
// the values of one column, or objects of several columns.
func (rd *reader) addLabels(ctx context.Context, t *store.Table, row store.Row, o *wire.Object, columns string) error {
	link, key := recordLink(t)
	if key == nil || row[key.Name] == nil {
		return nil
	}
	label, err := rd.tx.Table(ctx, "AD_Label")
	if err != nil {
		return err
	}
	assigned := `"AD_Label"."AD_Label_ID" IN (SELECT "AD_Label_ID" FROM "AD_LabelAssignment" WHERE "AD_Table_ID"=? AND ` + sqlquote.Name(link) + `=?)`
	where, args, err := rd.condition(ctx, label, assigned, []any{t.ID, row[key.Name]})
	if err != nil {
		return err
	}
	rows, err := rd.tx.Select(ctx, label, store.Selection{Where: where, Args: args, OrderBy: `"AD_Label"."Name"`})
	if err != nil || len(rows) == 0 {
		return err
	}
	selected, err := rd.selected(ctx, label, filter.Select(columns))
	if err != nil {
		return err
	}
	properties, err := rd.properties(ctx, label, selected)
	if err != nil {
		return err
	}
	objects, err := rd.rowObjects(ctx, label, properties, rows)
	if err != nil {
		return err
	}
	var list []any
	for _, one := range objects {
		switch len(selected) {
		case 0:
			rd.finish(one, label)
			list = append(list, one)
		case 1:
			v, _ := one.Get(rd.propertyName(selected[0].Name))
			list = append(list, v)
		default:
			some := wire.NewObject()
			for _, col := range selected { // the key, too, which is not a property: null
				v, _ := one.Get(rd.propertyName(col.Name))
				some.Set(rd.propertyName(col.Name), v)
			}
			list = append(list, some)
		}
	}
	o.Set("assigned-labels", list)
	return nil
}
