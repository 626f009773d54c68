package erptest

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/filter"
	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// tabPage reads a page of the records of a tab that a condition finds, sorted by a
// field if sort names one, descending with ! in front.
func (rd *reader) tabPage(ctx context.Context, tab *tabDef, cond engine.SQL, sort string, number int) ([]store.Row, error) {
	name, descending := strings.CutPrefix(sort, "!")
	fields, err := rd.tabFields(ctx, tab)
	if err != nil {
		return nil, err
	}
	var by *store.Column
	for _, f := range fields {
		if f.col.Name == name {
			by = f.col
			break
		}
	}
	orderBy := rd.tabOrder(tab, fields)
	key := tab.table.KeyColumn()
	if by != nil && key != nil && (by.IsLookup() || by.IsList()) {
		return rd.pageByDisplay(ctx, tab, cond, orderBy, by, descending, number)
	}
	if by != nil { // the ERP's program sorts, and has nothing first
		first := store.Expr(tab.table, by) + " ASC NULLS FIRST"
		if descending {
			first = store.Expr(tab.table, by) + " DESC NULLS LAST"
		}
		orderBy = strings.TrimSuffix(first+", "+orderBy, ", ")
	}
	page, err := rd.tx.Page(ctx, tab.table, store.Selection{
		Where: cond.Text, Args: cond.Args, OrderBy: orderBy, Limit: tabPageSize, Offset: number * tabPageSize,
	})
	if err != nil {
		return nil, err
	}
	return page.Rows(), nil
}

// pageByDisplay is a page of records sorted by what is displayed of a reference.
func (rd *reader) pageByDisplay(ctx context.Context, tab *tabDef, cond engine.SQL, orderBy string, by *store.Column, descending bool, number int) ([]store.Row, error) {
	properties, err := rd.properties(ctx, tab.table, []*store.Column{by})
	if err != nil {
		return nil, err
	}
	key := tab.table.KeyColumn()
	rows, err := rd.tx.Read(ctx, tab.table, store.Selection{
		Columns: sources(tab.table, properties), Where: cond.Text, Args: cond.Args, OrderBy: orderBy, Limit: maxRecords,
	})
	if err != nil {
		return nil, err
	}
	if err := rd.prefetch(ctx, properties, rows, 0); err != nil {
		return nil, err
	}
	type entry struct {
		id      any
		display string
	}
	entries := make([]entry, rows.Len())
	for i := range entries {
		entries[i].id = rows.Value(i, rows.At(key.Name))
		if v := rows.Value(i, rows.At(by.Name)); v != nil && len(properties) > 0 {
			if entries[i].display, err = rd.display(ctx, properties[0], v); err != nil {
				return nil, err
			}
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		n := cmp.Or(cmp.Compare(strings.ToLower(a.display), strings.ToLower(b.display)), cmp.Compare(b.display, a.display))
		if descending {
			return -n
		}
		return n
	})
	entries = entries[min(number*tabPageSize, len(entries)):]
	entries = entries[:min(tabPageSize, len(entries))]
	ids := make([]any, len(entries))
	for i, e := range entries {
		ids[i] = e.id
	}
	if len(ids) == 0 {
		return nil, nil
	}
	page, err := rd.tx.Select(ctx, tab.table, store.Selection{Where: store.Expr(tab.table, key) + inMarks(len(ids)), Args: ids})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(page, func(a, b store.Row) int {
		return cmp.Compare(slices.Index(ids, a[key.Name]), slices.Index(ids, b[key.Name]))
	})
	return page, nil
}

// display is what is displayed of a reference or a list's code.
func (rd *reader) display(ctx context.Context, p property, v any) (string, error) {
	if p.col.IsList() {
		name, _, err := rd.listName(ctx, p.col, store.TextOf(v))
		return name, err
	}
	if p.look == nil {
		return store.TextOf(v), nil
	}
	if id := rd.identities[*p.look][store.TextOf(v)]; id != nil {
		return id.text, nil
	}
	return "<" + store.TextOf(v) + ">", nil
}

// tabOrder is the order of a tab's records: as the tab says, else by the fields with
// a SortNo, else by when they were made.
func (rd *reader) tabOrder(tab *tabDef, fields []tabField) string {
	order := filter.Order(plainOrder(tab), tab.table)
	if order == "" {
		order = filter.Order(sortedFields(fields), tab.table)
	}
	if order == "" {
		order = filter.Order("Created", tab.table)
	}
	if key := tab.table.KeyColumn(); key != nil {
		order = strings.TrimPrefix(order+", "+store.Expr(tab.table, key), ", ")
	}
	return order
}

// sortedFields is a $orderby by the fields with a SortNo of 1 to 3, negative ones
// descending.
func sortedFields(fields []tabField) string {
	var parts [3]string
	for _, f := range fields {
		n := f.row.Int("SortNo")
		if n >= 1 && n <= 3 {
			parts[n-1] = f.col.Name
		} else if n <= -1 && n >= -3 {
			parts[-n-1] = f.col.Name + " desc"
		}
	}
	return strings.Join(slices.DeleteFunc(parts[:], func(part string) bool { return part == "" }), ",")
}

// plainOrder is the order clause of a tab as a $orderby, without the table's
// name; what is not a list of columns will be ignored.
func plainOrder(tab *tabDef) string {
	var parts []string
	for part := range strings.SplitSeq(tab.row.String("OrderByClause"), ",") {
		part = strings.Join(strings.Fields(part), " ")
		if table, rest, ok := strings.Cut(part, "."); ok && strings.EqualFold(table, tab.table.Name) {
			part = rest
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ",")
}
