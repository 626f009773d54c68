package erptest

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// infoColumn is a column of an info window.
type infoColumn struct {
	row   store.Row
	field property
	expr  string // SelectClause
}

// infoPage reads a page of the info window of the path.
func (c *call) infoPage(number int) (rows []*wire.Object, more bool, err error) {
	err = c.read(func(ctx context.Context, rd *reader) error {
		info, err := rd.findInfo(ctx, c.param("slug"))
		if err != nil {
			return err
		}
		columns, err := rd.infoColumns(ctx, info.Int("AD_InfoWindow_ID"))
		if err != nil {
			return err
		}
		statement, err := rd.infoStatement(ctx, info, columns, number)
		if err != nil {
			return err
		}
		found, err := rd.infoRows(ctx, columns, statement)
		if err != nil {
			return err
		}
		if more = len(found) > infoPageSize; more {
			found = found[:infoPageSize]
		}
		rows, err = rd.infoObjects(ctx, columns, found)
		return err
	})
	var api *apiError
	if err != nil && !asAPI(err, &api) {
		c.srv.log.Warn("request failed", "method", c.r.Method, "path", c.r.URL.Path, "error", err)
		err = page(http.StatusInternalServerError) // outside the real handler's guard
	}
	return rows, more, err
}

// infoColumns are the active columns of an info window in their order.
func (rd *reader) infoColumns(ctx context.Context, infoID int64) ([]infoColumn, error) {
	rows, err := engine.RowsWhere(ctx, rd.tx, "AD_InfoColumn", "SeqNo, AD_InfoColumn_ID", "AD_InfoWindow_ID=? AND IsActive='Y'", infoID)
	if err != nil {
		return nil, err
	}
	var elements []int64
	out := make([]infoColumn, len(rows))
	for i, row := range rows {
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
		elements = append(elements, col.ElementID)
		out[i] = infoColumn{row, f, row.String("SelectClause")}
	}
	labels, err := rd.elementNames(ctx, elements)
	if err != nil {
		return nil, err
	}
	for i := range out {
		if label, ok := labels[out[i].field.col.ElementID]; ok {
			out[i].field.label = label
		}
	}
	return out, nil
}

// shown are the columns that appear in rows.
func shown(columns []infoColumn) []infoColumn {
	var out []infoColumn
	for _, col := range columns {
		if col.row.Bool("IsDisplayed") || col.row.Bool("IsKey") {
			out = append(out, col)
		}
	}
	return out
}

// infoStatement is the query for one page of an info window, and one row more.
func (rd *reader) infoStatement(ctx context.Context, info store.Row, columns []infoColumn, number int) (engine.SQL, error) {
	var b strings.Builder
	b.WriteString("SELECT ")
	if info.Bool("IsDistinct") {
		b.WriteString("DISTINCT ")
	}
	for i, col := range shown(columns) {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("(" + col.expr + ")")
	}
	b.WriteString(" FROM " + info.String("FromClause"))
	var out engine.SQL
	var conditions []string
	vars := engine.Variables{Session: rd.c.session, Record: &engine.Record{Table: &store.Table{}, Row: store.Row{}}}
	if clause := strings.TrimSpace(info.String("WhereClause")); clause != "" {
		bound, ok, err := vars.Bind(ctx, rd.tx, clause)
		if err != nil {
			return out, err
		}
		if !ok {
			bound.Text = "1=2" // its context lacks a value
		}
		conditions, out.Args = append(conditions, "("+bound.Text+")"), append(out.Args, bound.Args...)
	}
	criteria, err := rd.infoCriteria(ctx, columns)
	if err != nil {
		return out, err
	}
	if criteria.Text != "" {
		conditions, out.Args = append(conditions, criteria.Text), append(out.Args, criteria.Args...)
	}
	if len(conditions) > 0 {
		b.WriteString(" WHERE " + strings.Join(conditions, " AND "))
	}
	if clause := info.String("OtherClause"); clause != "" {
		b.WriteString(" " + clause)
	}
	order := infoOrder(rd.c.query.get("$orderby"), columns)
	if order == "" {
		order = info.String("OrderByClause")
	}
	if order != "" {
		b.WriteString(" ORDER BY " + order)
	}
	b.WriteString(" LIMIT " + strconv.Itoa(infoPageSize+1) + " OFFSET " + strconv.Itoa((number-1)*infoPageSize))
	out.Text = b.String()
	return out, nil
}

// infoOperators are the operators a column may be compared with.
var infoOperators = map[string]string{"=": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "Like": "Like", "LIKE": "LIKE"}

// infoFunctions are the functions a comparison may go through.
var infoFunctions = map[string]string{"upper": "erp_upper", "lower": "erp_lower", "trim": "trim", "abs": "abs", "length": "length"}

// infoCriteria are the conditions of $parameters, a JSON object of column
// names, in any case, and values. Names of no column are passed over.
func (rd *reader) infoCriteria(ctx context.Context, columns []infoColumn) (engine.SQL, error) {
	text := rd.c.query.get("$parameters")
	if strings.TrimSpace(text) == "" {
		return engine.SQL{}, nil
	}
	v, err := wire.Parse([]byte(text))
	body, ok := v.(*wire.Object)
	if err != nil || !ok {
		return engine.SQL{}, fail(http.StatusBadRequest, "Invalid parameters", "$parameters is not a JSON object")
	}
	given := map[string]any{}
	for _, name := range body.Names() {
		given[strings.ToLower(name)], _ = body.Get(name)
	}
	var parts []string
	var out engine.SQL
	for _, col := range columns {
		v, ok := given[strings.ToLower(col.field.col.Name)]
		if !ok || v == nil {
			continue
		}
		value, err := rd.c.session.ToStored(ctx, rd.tx, col.field.col, v)
		if err != nil {
			return out, infoValueError(col, err)
		}
		if value == nil {
			continue
		}
		part, arg := infoComparison(col, value)
		parts, out.Args = append(parts, part), append(out.Args, arg)
	}
	out.Text = strings.Join(parts, " AND ")
	return out, nil
}

// infoValueError is a value that a column cannot be compared with.
func infoValueError(col infoColumn, err error) error {
	var public engine.PublicError
	if errors.As(err, &public) {
		return fail(http.StatusBadRequest, "Invalid parameters", string(public))
	}
	return err
}

func infoComparison(col infoColumn, value any) (string, any) {
	left, right := "("+col.expr+")", "?"
	if col.field.col.Kind() == store.KindDecimal {
		// Decimals are compared by value whatever the clause makes of them.
		left, right = "CAST("+left+" AS NUMERIC)", "CAST(? AS NUMERIC)"
	}
	if f := infoFunctions[strings.ToLower(col.row.String("QueryFunction"))]; f != "" {
		left, right = f+"("+left+")", f+"("+right+")"
	}
	operator := infoOperators[col.row.String("QueryOperator")]
	text, isText := value.(string)
	switch {
	case operator == "":
		operator = "="
	case operator == "Like" && isText && !strings.HasSuffix(text, "%"):
		value = text + "%"
	case operator == "LIKE" && isText:
		value = "%" + strings.Trim(text, "%") + "%"
	}
	if strings.EqualFold(operator, "like") {
		return "erp_like(CAST(" + left + " AS TEXT)," + right + ")", value
	}
	return left + operator + right, value
}

// infoOrder is a $orderby by the names of displayed columns; a part that is not
// permission makes all of it void.
func infoOrder(text string, columns []infoColumn) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	var parts []string
	for part := range strings.SplitSeq(text, ",") {
		words := strings.Fields(part)
		if len(words) == 0 || len(words) > 2 || len(parts) > 20 {
			return ""
		}
		direction := "ASC"
		if len(words) == 2 {
			direction = strings.ToUpper(words[1])
		}
		if direction != "ASC" && direction != "DESC" {
			return ""
		}
		found := false
		for _, col := range shown(columns) {
			if found = strings.EqualFold(col.field.col.Name, words[0]); found {
				parts = append(parts, "("+col.expr+") "+direction)
				break
			}
		}
		if !found {
			return ""
		}
	}
	return strings.Join(parts, ", ")
}

// infoRows runs the query; the rows have the displayed columns by name.
func (rd *reader) infoRows(ctx context.Context, columns []infoColumn, statement engine.SQL) ([]store.Row, error) {
	columns = shown(columns)
	var rows []store.Row
	err := rd.c.session.QueryDictionary(ctx, rd.tx, statement, func(values []any) error {
		row := store.Row{}
		for i, v := range values {
			if v != nil && i < len(columns) {
				row[columns[i].field.col.Name] = v
			}
		}
		rows = append(rows, row)
		return nil
	})
	return rows, err
}

// infoObjects renders the rows. They have no id: the key stands under its
// column's name.
func (rd *reader) infoObjects(ctx context.Context, columns []infoColumn, rows []store.Row) ([]*wire.Object, error) {
	columns = shown(columns)
	fields := make([]property, len(columns))
	for i, col := range columns {
		fields[i] = col.field
	}
	if err := rd.prefetch(ctx, fields, rows, 0); err != nil {
		return nil, err
	}
	if err := rd.prefetchParts(ctx, fields, rows); err != nil {
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
				out[i].Set(f.name, v)
			}
		}
	}
	return out, nil
}
