package erptest

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// infoDef is an info window with what is read for it.
type infoDef struct {
	row     store.Row
	table   *store.Table
	alias   string       // of the table in the statement
	columns []infoColumn // that the role may see
	shown   []infoColumn // of a row: the table's key, then what is displayed
}

// infoColumn is a column of an info window.
type infoColumn struct {
	row   store.Row // of AD_InfoColumn; nil for a key without a row there
	field property
	expr  string // SelectClause without a name
}

// infoPage reads a page of the info window of the path. What goes wrong after
// the access checks is outside the real handler's guard.
func (c *call) infoPage(number int) (rows []*wire.Object, more bool, err error) {
	err = c.read(func(ctx context.Context, rd *reader) error {
		row, err := rd.findObject(ctx, engine.KindInfo, "info window", c.param("slug"), false)
		if err != nil {
			return err
		}
		rows, more, err = rd.infoRows(ctx, row, number)
		if err == nil || ctx.Err() != nil {
			return err
		}
		var pg *pageError
		if !errors.As(err, &pg) {
			c.srv.log.Warn("request failed", "method", c.r.Method, "path", c.r.URL.Path, "error", err)
			err = page(http.StatusInternalServerError)
		}
		return err
	})
	return rows, more, err
}

func (rd *reader) infoRows(ctx context.Context, row store.Row, number int) (rows []*wire.Object, more bool, err error) {
	criteria, err := infoParameters(rd.c.query.get("$parameters"))
	if err != nil {
		return nil, false, err
	}
	info, err := rd.loadInfo(ctx, row)
	if err != nil {
		return nil, false, err
	}
	statement, err := rd.infoStatement(ctx, info, criteria, number)
	if err != nil {
		return nil, false, err
	}
	found, err := rd.infoValues(ctx, info, statement)
	if err != nil {
		return nil, false, err
	}
	if more = len(found) > infoPageSize; more {
		found = found[:infoPageSize]
	}
	rows, err = rd.infoObjects(ctx, info, found)
	return rows, more, err
}

// loadInfo reads the columns of an info window. It needs a table with one key.
func (rd *reader) loadInfo(ctx context.Context, row store.Row) (*infoDef, error) {
	t, err := rd.tx.TableByID(ctx, row.Int("AD_Table_ID"))
	if err != nil {
		return nil, err
	}
	keys := t.KeyColumns()
	if len(keys) != 1 {
		return nil, page(http.StatusInternalServerError)
	}
	info := &infoDef{row: row, table: t, alias: fromAlias(row.String("FromClause"))}
	if info.columns, err = rd.infoColumns(ctx, info); err != nil {
		return nil, err
	}
	key := infoColumn{expr: info.alias + "." + keys[0].Name}
	if col := info.column(keys[0].Name); col != nil {
		key.field = col.field
	} else if key.field, err = rd.keyProperty(ctx, keys[0]); err != nil {
		return nil, err
	}
	info.shown = append(info.shown, key)
	hidden, err := rd.processColumns(ctx, row.Int("AD_InfoWindow_ID"))
	if err != nil {
		return nil, err
	}
	for _, col := range info.columns {
		if rd.infoDisplayed(ctx, col) || col.row.Bool("IsKey") || hidden[col.row.Int("AD_InfoColumn_ID")] {
			info.shown = append(info.shown, col)
		}
	}
	return info, nil
}

// fromAlias is the name that the first table of a FROM clause has in it.
func fromAlias(from string) string {
	first, _, _ := strings.Cut(from, ",")
	words := strings.Fields(first)
	switch {
	case len(words) == 0:
		return ""
	case len(words) == 1:
		return words[0]
	}
	switch strings.ToUpper(words[1]) {
	case "AS":
		if len(words) > 2 {
			return words[2]
		}
	case "JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "NATURAL":
		return words[0]
	}
	return words[1]
}

// column is the first column with that name, in any case; nil when there is none.
func (info *infoDef) column(name string) *infoColumn {
	for i := range info.columns {
		if strings.EqualFold(info.columns[i].field.col.Name, name) {
			return &info.columns[i]
		}
	}
	return nil
}

// keyProperty is a key that is not a column of the info window.
func (rd *reader) keyProperty(ctx context.Context, key *store.Column) (property, error) {
	f := property{name: key.Name, col: key, label: key.Label}
	var err error
	f.look, err = rd.lookupOf(ctx, key)
	return f, err
}

// infoDisplayed reports whether rows show a column.
func (rd *reader) infoDisplayed(ctx context.Context, col infoColumn) bool {
	if !col.row.Bool("IsDisplayed") {
		return false
	}
	shown, ok := rd.logic(ctx, &store.Table{}, store.Row{}, col.row.String("DisplayLogic"))
	return shown || !ok
}

// processColumns are the columns that processes of an info window take their
// records from: rows have them even when they are not displayed.
func (rd *reader) processColumns(ctx context.Context, infoID int64) (map[int64]bool, error) {
	rows, err := engine.RowsWhere(ctx, rd.tx, "AD_InfoProcess", "", "AD_InfoWindow_ID=? AND IsActive='Y'", infoID)
	if err != nil {
		return nil, err
	}
	out := map[int64]bool{}
	for _, row := range rows {
		_, run, err := rd.c.session.ProcessAccess(ctx, rd.tx, row.Int("AD_Process_ID"))
		if err != nil {
			return nil, err
		}
		if id := row.Int("AD_InfoColumn_ID"); run && id != 0 {
			out[id] = true
		}
	}
	return out, nil
}

// infoColumns are the active columns of an info window in their order, but
// those of its table that the role may not see.
func (rd *reader) infoColumns(ctx context.Context, info *infoDef) ([]infoColumn, error) {
	rows, err := engine.RowsWhere(ctx, rd.tx, "AD_InfoColumn", "SeqNo, AD_InfoColumn_ID", "AD_InfoWindow_ID=? AND IsActive='Y'", info.row.Int("AD_InfoWindow_ID"))
	if err != nil {
		return nil, err
	}
	t, err := rd.tx.Table(ctx, "AD_InfoColumn")
	if err != nil {
		return nil, err
	}
	if rows, err = rd.translate(ctx, t, t.Columns, rows); err != nil {
		return nil, err
	}
	out := make([]infoColumn, 0, len(rows))
	for _, row := range rows {
		expr := strings.TrimSpace(row.String("SelectClause"))
		if i := strings.LastIndex(strings.ToUpper(expr), " AS "); i > 0 {
			expr = expr[:i]
		}
		if source, name, dotted := strings.Cut(expr, "."); dotted && source == info.alias {
			if of, ok := info.table.Column(name); ok && !rd.c.session.Role.CanSeeColumn(info.table, of) {
				continue
			}
		}
		col := &store.Column{
			ID: row.Int("AD_InfoColumn_ID"), Name: row.String("ColumnName"), Label: row.String("Name"),
			ElementID: row.Int("AD_Element_ID"), Ref: int(row.Int("AD_Reference_ID")), RefValue: row.Int("AD_Reference_Value_ID"),
		}
		f := property{name: col.Name, col: col, label: col.Label}
		if !row.Bool("IsKey") {
			if f.look, err = rd.lookupOf(ctx, col); err != nil {
				return nil, err
			}
		}
		out = append(out, infoColumn{row, f, expr})
	}
	return out, nil
}

// infoStatement is the query for one page of an info window, and one row more.
func (rd *reader) infoStatement(ctx context.Context, info *infoDef, criteria *wire.Object, number int) (engine.SQL, error) {
	var b strings.Builder
	b.WriteString("SELECT ")
	if info.row.Bool("IsDistinct") {
		b.WriteString("DISTINCT ")
	}
	for i, col := range info.shown {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("(" + col.expr + ")")
	}
	b.WriteString(" FROM " + info.row.String("FromClause"))
	var out engine.SQL
	var conditions []string
	vars := engine.Variables{Session: rd.c.session, Record: &engine.Record{Table: &store.Table{}, Row: store.Row{}}}
	if clause := strings.TrimSpace(info.row.String("WhereClause")); clause != "" {
		bound, ok, err := vars.Bind(ctx, rd.tx, clause)
		if err != nil {
			return out, err
		}
		if ok { // without its context a condition does not restrict
			conditions, out.Args = append(conditions, "("+bound.Text+")"), append(out.Args, bound.Args...)
		}
	}
	if _, ok := info.table.Column("IsActive"); ok {
		conditions = append(conditions, info.alias+".IsActive='Y'")
	}
	more, args, err := rd.infoCriteria(ctx, info, criteria)
	if err != nil {
		return out, err
	}
	conditions, out.Args = append(conditions, more...), append(out.Args, args...)
	if len(conditions) > 0 {
		b.WriteString(" WHERE " + strings.Join(conditions, " AND "))
	}
	if clause := info.row.String("OtherClause"); clause != "" {
		b.WriteString(" " + clause)
	}
	order := cmp.Or(rd.infoOrder(ctx, info), info.row.String("OrderByClause"))
	if order != "" {
		b.WriteString(" ORDER BY " + order)
	}
	b.WriteString(" LIMIT " + strconv.Itoa(infoPageSize+1) + " OFFSET " + strconv.Itoa((number-1)*infoPageSize))
	out.Text = b.String()
	return out, nil
}

// infoOrder is the $orderby by the names of displayed columns; a part that is
// wrong makes all of it void.
func (rd *reader) infoOrder(ctx context.Context, info *infoDef) string {
	var parts []string
	for part := range strings.SplitSeq(rd.c.query.get("$orderby"), ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, direction, _ := strings.Cut(part, " ")
		placed := " ASC NULLS LAST"
		switch strings.ToUpper(strings.TrimSpace(direction)) {
		case "", "ASC":
		case "DESC":
			placed = " DESC NULLS FIRST"
		default:
			return ""
		}
		found := false
		for _, col := range info.columns {
			if strings.EqualFold(col.field.col.Name, name) && rd.infoDisplayed(ctx, col) {
				found = true
				parts = append(parts, "("+col.expr+")"+placed)
				break
			}
		}
		if !found || len(parts) > 20 {
			return ""
		}
	}
	return strings.Join(parts, ", ")
}

// infoValues runs the query; the rows have the columns shown by name.
func (rd *reader) infoValues(ctx context.Context, info *infoDef, statement engine.SQL) ([]store.Row, error) {
	var rows []store.Row
	err := rd.c.session.QueryDictionary(ctx, rd.tx, statement, func(values []any) error {
		row := store.Row{}
		for i, col := range info.shown {
			name := col.field.col.Name
			if _, known := row[name]; !known && values[i] != nil {
				row[name] = values[i]
			}
		}
		rows = append(rows, row)
		return nil
	})
	return rows, err
}

// infoObjects renders the rows. They have no id: the key stands under its
// column's name. Lookups do not say which table they lead to.
func (rd *reader) infoObjects(ctx context.Context, info *infoDef, rows []store.Row) ([]*wire.Object, error) {
	fields := make([]property, len(info.shown))
	for i, col := range info.shown {
		fields[i] = col.field
	}
	columns := make([]*store.Column, len(fields))
	for i, f := range fields {
		columns[i] = f.col
	}
	sheet := store.SheetOf(columns, rows)
	if err := rd.prefetch(ctx, fields, sheet, 0); err != nil {
		return nil, err
	}
	if err := rd.prefetchParts(ctx, fields, sheet); err != nil {
		return nil, err
	}
	out := make([]*wire.Object, len(rows))
	for i, row := range rows {
		out[i] = wire.NewObject()
		for _, f := range fields {
			v, err := rd.value(ctx, f, row[f.col.Name])
			if err != nil {
				return nil, err
			}
			if v != nil {
				out[i].Set(f.name, withoutModel(v))
			}
		}
	}
	return out, nil
}

// withoutModel takes from a lookup which table it leads to.
func withoutModel(v any) any {
	look, ok := v.(*wire.Object)
	if !ok {
		return v
	}
	look.Delete("model-name")
	look.Delete("uuid")
	if selections, _ := look.Get("selections"); selections != nil {
		if list, ok := selections.([]*wire.Object); ok {
			for _, item := range list {
				withoutModel(item)
			}
		}
	}
	return look
}
