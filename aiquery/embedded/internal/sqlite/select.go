package sqlite

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/erphub/erphub/internal/sqlquote"
)

// selectOptions say for what a SELECT is rendered.
type selectOptions struct {
	keepUnknown bool // leave literals without a type as they are: an arm of a set operation
	bare        bool // the recursive term: no wrapping around it
	types       []string
}

// selectStmt renders a SELECT, VALUES or set operation.
func (r *renderer) selectStmt(s *pg_query.SelectStmt, parent *level, ctes *cte, opt selectOptions) query {
	if s.GetIntoClause() != nil {
		refuse(-1, "SELECT INTO")
	}
	if len(s.GetLockingClause()) > 0 {
		refuse(-1, "FOR UPDATE and FOR SHARE")
	}
	if s.GetLimitOption() == pg_query.LimitOption_LIMIT_OPTION_WITH_TIES {
		refuse(-1, "WITH TIES", "use rank() in a subquery")
	}
	with := ""
	if w := s.GetWithClause(); w != nil {
		if opt.bare {
			refuse(w.GetLocation(), "WITH in a recursive term")
		}
		with, ctes = r.with(w, parent, ctes)
	}
	var q query
	switch {
	case s.GetOp() != pg_query.SetOperation_SETOP_NONE && s.GetOp() != pg_query.SetOperation_SET_OPERATION_UNDEFINED:
		if opt.bare {
			refuse(-1, "a set operation in a recursive term")
		}
		q = r.ordered(s, r.setOperation(s, parent, ctes, opt), parent, ctes)
	case len(s.GetValuesLists()) > 0:
		q = r.ordered(s, r.values(s, parent, ctes, opt), parent, ctes)
	default:
		q = r.plainSelect(s, parent, ctes, opt)
	}
	q.sql = with + q.sql
	return q
}

// ordered puts ORDER BY and LIMIT on a query whose columns are all that can
// be sorted by.
func (r *renderer) ordered(s *pg_query.SelectStmt, q query, parent *level, ctes *cte) query {
	if len(s.GetSortClause()) == 0 && s.GetLimitCount() == nil && s.GetLimitOffset() == nil {
		return q
	}
	var order []string
	for _, n := range s.GetSortClause() {
		sb := n.GetSortBy()
		i := r.outputColumn(sb.GetNode(), q.cols)
		if i < 0 {
			refuse(location(sb.GetNode()), "ORDER BY an expression after a set operation", "sort by a column's name or position")
		}
		order = append(order, r.direction(sb, r.key(expr{sql: strconv.Itoa(i + 1), typ: q.cols[i].e.typ, integer: q.cols[i].e.integer}, sb.GetLocation())))
	}
	q.sql = "SELECT * FROM (" + q.sql + ") AS " + sqlquote.Name(r.alias("q"))
	if len(order) > 0 {
		q.sql += " ORDER BY " + strings.Join(order, ", ")
	}
	q.sql += r.limit(s, parent, ctes)
	return q
}

// outputColumn is the column that ORDER BY names or numbers, -1 if none.
func (r *renderer) outputColumn(n *pg_query.Node, cols []outcol) int {
	if c := n.GetAConst(); c != nil {
		if v, ok := c.GetVal().(*pg_query.A_Const_Ival); ok {
			i := int(v.Ival.GetIval())
			if i < 1 || i > len(cols) {
				refuse(c.GetLocation(), "a position that is not in the select list")
			}
			return i - 1
		}
		refuse(c.GetLocation(), "sorting or grouping by a constant")
	}
	ref := n.GetColumnRef()
	if ref == nil || len(ref.GetFields()) != 1 || ref.GetFields()[0].GetString_() == nil {
		return -1
	}
	found := -1
	for i, c := range cols {
		if c.name == ref.GetFields()[0].GetString_().GetSval() {
			if found >= 0 && cols[found].e.sql != c.e.sql {
				refuse(ref.GetLocation(), "the ambiguous column name "+c.name)
			}
			if found < 0 {
				found = i
			}
		}
	}
	return found
}

// direction adds the order and PostgreSQL's place for NULL: last, or first
// when descending.
func (r *renderer) direction(sb *pg_query.SortBy, key string) string {
	desc := false
	switch sb.GetSortbyDir() {
	case pg_query.SortByDir_SORTBY_DESC:
		desc = true
	case pg_query.SortByDir_SORTBY_USING:
		switch op := stringsOf(sb.GetUseOp()); op[len(op)-1] {
		case ">":
			desc = true
		case "<":
		default:
			refuse(sb.GetLocation(), "ORDER BY USING this operator")
		}
	}
	first := desc
	switch sb.GetSortbyNulls() {
	case pg_query.SortByNulls_SORTBY_NULLS_FIRST:
		first = true
	case pg_query.SortByNulls_SORTBY_NULLS_LAST:
		first = false
	}
	if desc {
		key += " DESC"
	}
	if first {
		return key + " NULLS FIRST"
	}
	return key + " NULLS LAST"
}

func (r *renderer) limit(s *pg_query.SelectStmt, parent *level, ctes *cte) string {
	one := func(n *pg_query.Node, what string) string {
		if c := n.GetAConst(); c != nil {
			if c.GetIsnull() {
				return ""
			}
			if v, ok := c.GetVal().(*pg_query.A_Const_Ival); ok && v.Ival.GetIval() >= 0 {
				return strconv.Itoa(int(v.Ival.GetIval()))
			}
		}
		l := &level{parent: parent, noAgg: strings.ToUpper(what)}
		e := r.expr(n, l, ctes)
		if e.typ == "numeric" || isFloat(e.typ) {
			e = r.coerce(e, "int8", -1, location(n))
		}
		return "pg_limit(" + r.implied(e, "int8", location(n), strings.ToUpper(what)).sql + "," + sqlquote.Text(what) + ")"
	}
	count, offset := "", ""
	if s.GetLimitCount() != nil {
		count = one(s.GetLimitCount(), "limit")
	}
	if s.GetLimitOffset() != nil {
		offset = one(s.GetLimitOffset(), "offset")
	}
	if count == "" && offset == "" {
		return ""
	}
	count = cmp.Or(count, "-1")
	sql := " LIMIT " + count
	if offset != "" {
		sql += " OFFSET " + offset
	}
	return sql
}

// values renders VALUES lists.
func (r *renderer) values(s *pg_query.SelectStmt, parent *level, ctes *cte, opt selectOptions) query {
	l := &level{parent: parent, noAgg: "VALUES"}
	var rows [][]expr
	for _, n := range s.GetValuesLists() {
		var row []expr
		for _, item := range n.GetList().GetItems() {
			row = append(row, r.expr(item, l, ctes))
		}
		if len(rows) > 0 && len(row) != len(rows[0]) {
			refuse(-1, "VALUES lists of different lengths")
		}
		rows = append(rows, row)
	}
	q := query{single: len(rows) == 1}
	for c := range rows[0] {
		list := make([]expr, len(rows))
		for i := range rows {
			list[i] = rows[i][c]
		}
		typ := commonType(list, -1, "VALUES")
		if opt.types != nil {
			typ = opt.types[c]
		}
		list = r.toType(list, typ, -1, "VALUES")
		out := expr{typ: typ, integer: list[0].integer}
		for i := range rows {
			rows[i][c] = list[i]
			out.integer = out.integer && (list[i].integer || list[i].sql == "NULL")
		}
		if opt.keepUnknown && len(rows) == 1 && rows[0][c].sql == "NULL" {
			out = expr{typ: unknown, null: true}
		}
		name := "column" + strconv.Itoa(c+1)
		q.cols = append(q.cols, outcol{name, name, out})
	}
	lists := make([]string, len(rows))
	for i, row := range rows {
		lists[i] = "(" + join(row, ", ") + ")"
	}
	q.sql = "SELECT " + q.names() + " FROM (VALUES " + strings.Join(lists, ", ") + ")"
	return q
}

// setOperation renders UNION, INTERSECT and EXCEPT. Each arm becomes a
// subquery, as SQLite knows no parentheses here, that brings its columns into
// the common type.
func (r *renderer) setOperation(s *pg_query.SelectStmt, parent *level, ctes *cte, opt selectOptions) query {
	left := r.selectStmt(s.GetLarg(), parent, ctes, selectOptions{keepUnknown: true, types: opt.types})
	right := r.selectStmt(s.GetRarg(), parent, ctes, selectOptions{keepUnknown: true, types: opt.types})
	return r.combine(s, left, right)
}

func (r *renderer) combine(s *pg_query.SelectStmt, left, right query) query {
	if len(left.cols) != len(right.cols) {
		refuse(-1, "a set operation of queries with different numbers of columns")
	}
	op := map[pg_query.SetOperation]string{
		pg_query.SetOperation_SETOP_UNION: "UNION", pg_query.SetOperation_SETOP_INTERSECT: "INTERSECT", pg_query.SetOperation_SETOP_EXCEPT: "EXCEPT",
	}[s.GetOp()]
	numbered := s.GetAll() && op != "UNION"
	q := query{}
	a, b := r.alias("a"), r.alias("b")
	var lefts, rights []string
	for i, c := range left.cols {
		pair := []expr{armColumn(c, a), armColumn(right.cols[i], b)}
		pair, typ := r.together(pair, -1, op)
		integer := pair[0].integer && pair[1].integer || pair[0].integer && pair[1].sql == "NULL" || pair[1].integer && pair[0].sql == "NULL"
		key := pair[0].sql
		if !s.GetAll() || numbered {
			key = r.key(expr{sql: pair[0].sql, typ: typ, integer: integer}, -1)
		}
		lefts = append(lefts, key+" AS "+sqlquote.Name(c.sqlName))
		rights = append(rights, pair[1].sql+" AS "+sqlquote.Name(c.sqlName))
		q.cols = append(q.cols, outcol{c.name, c.sqlName, expr{typ: typ, integer: integer}})
	}
	arm := func(cols []string, q query, alias string) string {
		return "SELECT " + strings.Join(cols, ", ") + " FROM (" + q.sql + ") AS " + sqlquote.Name(alias)
	}
	l, rr := arm(lefts, left, a), arm(rights, right, b)
	if !numbered {
		if s.GetAll() {
			op += " ALL"
		}
		q.sql = l + " " + op + " " + rr
		return q
	}
	// The ALL forms count equal rows: with each row's number among its equals
	// they become the plain ones.
	number := func(sql string) string {
		n := r.alias("n")
		var parts []string
		for _, c := range q.cols {
			parts = append(parts, r.key(expr{sql: sqlquote.Name(n) + "." + sqlquote.Name(c.sqlName), typ: c.e.typ, integer: c.e.integer}, -1))
		}
		list := strings.Join(parts, ", ")
		for i, c := range q.cols {
			parts[i] += " AS " + sqlquote.Name(c.sqlName)
		}
		return "SELECT " + strings.Join(parts, ", ") + ", row_number() OVER (PARTITION BY " + list + ") FROM (" + sql + ") AS " + sqlquote.Name(n)
	}
	q.sql = "SELECT " + q.names() + " FROM (" + number(l) + " " + op + " " + number(rr) + ")"
	return q
}

// armColumn is a column of a subquery; a literal without type stays one.
func armColumn(c outcol, alias string) expr {
	e := c.e
	if e.typ != unknown {
		e.sql = sqlquote.Name(alias) + "." + sqlquote.Name(c.sqlName)
	}
	return e
}

// with renders WITH and returns the scope with its tables.
func (r *renderer) with(w *pg_query.WithClause, parent *level, ctes *cte) (string, *cte) {
	var parts []string
	recursive := false
	for _, n := range w.GetCtes() {
		c := n.GetCommonTableExpr()
		if c.GetSearchClause() != nil || c.GetCycleClause() != nil {
			refuse(c.GetLocation(), "SEARCH and CYCLE in WITH")
		}
		s := c.GetCtequery().GetSelectStmt()
		if s == nil {
			refuse(c.GetLocation(), "WITH of anything but SELECT")
		}
		item := &cte{name: c.GetCtename(), sqlName: r.alias(c.GetCtename()), parent: ctes}
		for r.source(strings.ToLower(item.sqlName)) != nil {
			item.sqlName = r.alias(item.sqlName + "_with") // or it would hide a table of that name
		}
		var q query
		if w.GetRecursive() && mentions(s, c.GetCtename()) {
			recursive = true
			q = r.recursive(s, item, c, parent, ctes)
		} else {
			q = r.selectStmt(s, parent, ctes, selectOptions{})
		}
		item.cols = renamed(q.cols, c.GetAliascolnames(), c.GetLocation(), outcol.called)
		hint := ""
		switch c.GetCtematerialized() {
		case pg_query.CTEMaterialize_CTEMaterializeAlways:
			hint = "MATERIALIZED "
		case pg_query.CTEMaterialize_CTEMaterializeNever:
			hint = "NOT MATERIALIZED "
		}
		parts = append(parts, sqlquote.Name(item.sqlName)+"("+q.names()+") AS "+hint+"("+q.sql+")")
		ctes = item
	}
	if w.GetRecursive() {
		// Every item may name every other; forward references are refused, as
		// the name is then not found or means something else.
		for i, n := range w.GetCtes() {
			for _, later := range w.GetCtes()[i+1:] {
				if mentions(n.GetCommonTableExpr().GetCtequery().GetSelectStmt(), later.GetCommonTableExpr().GetCtename()) {
					refuse(n.GetCommonTableExpr().GetLocation(), "a reference to a later item of WITH RECURSIVE", "reorder the items")
				}
			}
		}
	}
	keyword := "WITH "
	if recursive {
		keyword = "WITH RECURSIVE "
	}
	return keyword + strings.Join(parts, ", ") + " ", ctes
}

// recursive renders a common table expression that names itself.
func (r *renderer) recursive(s *pg_query.SelectStmt, item *cte, c *pg_query.CommonTableExpr, parent *level, ctes *cte) query {
	if s.GetOp() != pg_query.SetOperation_SETOP_UNION || len(s.GetSortClause()) > 0 || s.GetLimitCount() != nil || s.GetLimitOffset() != nil || s.GetWithClause() != nil {
		refuse(c.GetLocation(), "this form of a recursive query", "write: first rows UNION [ALL] further rows")
	}
	if mentions(s.GetLarg(), item.name) {
		refuse(c.GetLocation(), "a recursive query that names itself in its first part")
	}
	left := r.selectStmt(s.GetLarg(), parent, ctes, selectOptions{})
	a := r.alias("a")
	q := query{}
	var parts, types []string
	for _, col := range left.cols {
		e := armColumn(col, a)
		e.sql, e.integer = numeralText(e), false
		key := e.sql
		if !s.GetAll() {
			key = r.key(e, c.GetLocation())
		}
		parts = append(parts, key+" AS "+sqlquote.Name(col.sqlName))
		types = append(types, e.typ)
		q.cols = append(q.cols, outcol{col.name, col.sqlName, expr{typ: e.typ}})
	}
	item.cols = renamed(q.cols, c.GetAliascolnames(), c.GetLocation(), outcol.called)
	right := r.selectStmt(s.GetRarg(), parent, item, selectOptions{bare: true, types: types})
	if len(right.cols) != len(q.cols) {
		refuse(c.GetLocation(), "a recursive query whose parts have different numbers of columns")
	}
	op := " UNION "
	if s.GetAll() {
		op = " UNION ALL "
	}
	q.sql = "SELECT " + strings.Join(parts, ", ") + " FROM (" + left.sql + ") AS " + sqlquote.Name(a) + op + right.sql
	return q
}

// numeralText is e with a numeric in the form of text.
func numeralText(e expr) string {
	if e.typ == "numeric" {
		return numberText(e)
	}
	return e.sql
}

// renamed gives the first columns the names of an alias's list.
func renamed[T any](cols []T, names []*pg_query.Node, at int32, called func(T, string) T) []T {
	if len(names) > len(cols) {
		refuse(at, "an alias list with more names than columns")
	}
	cols = slices.Clone(cols)
	for i, name := range stringsOf(names) {
		cols[i] = called(cols[i], name)
	}
	return cols
}
