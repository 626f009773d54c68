package sqlite

import (
	"slices"
	"strconv"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"
)

// item is a rendered item of FROM.
type item struct {
	sql   string
	cols  []column
	rels  []*relation
	outer bool // holds a RIGHT or FULL join
}

// from renders FROM and fills what the level's expressions can name.
func (r *renderer) from(nodes []*pg_query.Node, l *level, ctes *cte) string {
	if len(nodes) == 0 {
		return ""
	}
	var parts []string
	for i, n := range nodes {
		it := r.fromItem(n, l, ctes)
		l.cols = append(l.cols, it.cols...)
		distinct(l.rels, it.rels, location(n))
		l.rels = append(l.rels, it.rels...)
		if it.outer && len(nodes) > 1 {
			it.sql = "(" + it.sql + ")"
		}
		if i > 0 {
			it.sql = " JOIN " + it.sql
		}
		parts = append(parts, it.sql)
	}
	// Each further item is an inner join without condition, which SQLite may
	// reorder.
	return " FROM " + strings.Join(parts, "")
}

// distinct refuses a name that one FROM gives twice.
func distinct(have, more []*relation, at int32) {
	for _, rel := range more {
		if rel.name != "" && slices.ContainsFunc(have, func(x *relation) bool { return x.name == rel.name }) {
			refuse(at, "the table name "+rel.name+" twice in one FROM", "give one an alias")
		}
	}
}

func (r *renderer) fromItem(n *pg_query.Node, l *level, ctes *cte) item {
	switch v := n.GetNode().(type) {
	case *pg_query.Node_RangeVar:
		return r.rangeVar(v.RangeVar, ctes)
	case *pg_query.Node_RangeSubselect:
		return r.rangeSubselect(v.RangeSubselect, l, ctes)
	case *pg_query.Node_JoinExpr:
		return r.join(v.JoinExpr, l, ctes)
	case *pg_query.Node_RangeFunction:
		return r.rangeFunction(v.RangeFunction, l, ctes)
	case *pg_query.Node_RangeTableSample:
		refuse(v.RangeTableSample.GetLocation(), "TABLESAMPLE")
	}
	refuse(location(n), "this item of FROM")
	return item{}
}

// rangeVar is a common table expression or a base table.
func (r *renderer) rangeVar(v *pg_query.RangeVar, ctes *cte) item {
	if v.GetCatalogname() != "" || !v.GetInh() {
		refuse(v.GetLocation(), "this form of a table name")
	}
	name := v.GetRelname()
	shown := name
	if a := v.GetAlias(); a != nil {
		shown = a.GetAliasname()
	}
	var c *cte
	if v.GetSchemaname() == "" {
		c = ctes.find(name)
	}
	alias := r.alias(shown)
	if c != nil {
		cols := renamed(c.cols, v.GetAlias().GetColnames(), v.GetLocation(), outcol.called)
		return named(quoteName(c.sqlName)+" AS "+quoteName(alias), shown, alias, cols)
	}
	base := r.source(name)
	if base == nil {
		refuse(v.GetLocation(), "the unknown table "+name)
	}
	it := item{sql: quoteName(name) + " AS " + quoteName(alias)}
	for _, b := range base {
		typ := sourceType(b.Type)
		e := expr{sql: quoteName(alias) + "." + quoteName(b.Name), typ: typ}
		switch {
		case typ == "": // of a type that cannot be rendered
		case typ == "numeric" && b.Integer:
			e.integer = true
		case isText(typ), isInt(typ), typ == "bytea", typ == "json", typ == "jsonb":
		default:
			e.sql = "pg_stored(" + quoteText(typ) + "," + e.sql + ")"
		}
		it.cols = append(it.cols, column{b.Name, e})
	}
	it.cols = renamed(it.cols, v.GetAlias().GetColnames(), v.GetLocation(), column.called)
	// Naming what cannot be rendered is refused as unknown.
	it.cols = slices.DeleteFunc(it.cols, func(c column) bool { return c.e.typ == "" })
	it.rels = []*relation{{shown, it.cols}}
	return it
}

// named is an item with one relation over the columns of a query.
func named(sql, shown, alias string, cols []outcol) item {
	it := item{sql: sql}
	for _, c := range cols {
		e := c.e
		e.sql = quoteName(alias) + "." + quoteName(c.sqlName)
		it.cols = append(it.cols, column{c.name, e})
	}
	it.rels = []*relation{{shown, it.cols}}
	return it
}

func (r *renderer) rangeSubselect(v *pg_query.RangeSubselect, l *level, ctes *cte) item {
	shown := v.GetAlias().GetAliasname()
	alias := r.alias(shown)
	parent := l.parent
	if v.GetLateral() {
		parent = l
	}
	t := &touched{}
	if v.GetLateral() {
		outer := l.touched
		l.touched = t
		defer func() { l.touched = outer }()
	}
	q := r.selectStmt(v.GetSubquery().GetSelectStmt(), parent, ctes, selectOptions{})
	q.cols = renamed(q.cols, v.GetAlias().GetColnames(), -1, outcol.called)
	if !v.GetLateral() || !t.own {
		return named("("+q.sql+") AS "+quoteName(alias), shown, alias, q.cols)
	}
	// SQLite's subqueries cannot name their neighbours, but the arguments of a
	// table function can: the rows go through a JSON list.
	inner := r.alias("l")
	var parts []string
	for _, c := range q.cols {
		if c.e.typ == "bytea" || isFloat(c.e.typ) {
			refuse(-1, "LATERAL with a column of type "+c.e.typ)
		}
		parts = append(parts, quoteName(inner)+"."+quoteName(c.sqlName))
	}
	sql := "json_each((SELECT json_group_array(json_array(" + strings.Join(parts, ", ") + ")) FROM (" + q.sql + ") AS " + quoteName(inner) + ")) AS " + quoteName(alias)
	it := item{sql: sql}
	for i, c := range q.cols {
		e := c.e
		e.sql = "json_extract(" + quoteName(alias) + ".value,'$[" + strconv.Itoa(i) + "]')"
		it.cols = append(it.cols, column{c.name, e})
	}
	it.rels = []*relation{{shown, it.cols}}
	return it
}

func (r *renderer) join(j *pg_query.JoinExpr, l *level, ctes *cte) item {
	keep := len(l.rels)
	keepCols := len(l.cols)
	left := r.fromItem(j.GetLarg(), l, ctes)
	// What stands to the left can be named by LATERAL items to the right.
	l.rels = append(l.rels, left.rels...)
	l.cols = append(l.cols, left.cols...)
	right := r.fromItem(j.GetRarg(), l, ctes)
	l.rels, l.cols = l.rels[:keep], l.cols[:keepCols]
	distinct(left.rels, right.rels, -1)
	word := map[pg_query.JoinType]string{
		pg_query.JoinType_JOIN_INNER: " JOIN ", pg_query.JoinType_JOIN_LEFT: " LEFT JOIN ",
		pg_query.JoinType_JOIN_RIGHT: " RIGHT JOIN ", pg_query.JoinType_JOIN_FULL: " FULL JOIN ",
	}[j.GetJointype()]
	if word == "" {
		refuse(-1, "this kind of join")
	}
	it := item{rels: append(slices.Clone(left.rels), right.rels...)}
	it.outer = left.outer || right.outer || j.GetJointype() == pg_query.JoinType_JOIN_RIGHT || j.GetJointype() == pg_query.JoinType_JOIN_FULL
	var on []string
	using := stringsOf(j.GetUsingClause())
	if j.GetIsNatural() {
		for _, c := range left.cols {
			if slices.ContainsFunc(right.cols, func(x column) bool { return x.name == c.name }) {
				using = append(using, c.name)
			}
		}
	}
	var merged []column
	for _, name := range using {
		a, b := one(left.cols, name), one(right.cols, name)
		on = append(on, r.compare("=", a, b, -1).sql)
		pair, typ := r.together([]expr{a, b}, -1, "USING")
		e := pair[0]
		switch j.GetJointype() {
		case pg_query.JoinType_JOIN_RIGHT:
			e = pair[1]
		case pg_query.JoinType_JOIN_FULL:
			e = expr{sql: "coalesce(" + pair[0].sql + "," + pair[1].sql + ")", typ: typ, integer: pair[0].integer && pair[1].integer}
		}
		merged = append(merged, column{name, e})
	}
	rest := func(cols []column) []column {
		return slices.DeleteFunc(slices.Clone(cols), func(c column) bool { return slices.Contains(using, c.name) })
	}
	it.cols = slices.Concat(merged, rest(left.cols), rest(right.cols))
	if j.GetQuals() != nil {
		side := &level{parent: l.parent, rels: it.rels, cols: it.cols, noAgg: "JOIN conditions", touched: l.touched}
		on = append(on, r.condition(j.GetQuals(), side, ctes, "JOIN"))
	}
	if j.GetRarg().GetJoinExpr() != nil {
		right.sql = "(" + right.sql + ")"
	}
	it.sql = left.sql + word + right.sql
	switch {
	case len(on) > 0:
		it.sql += " ON " + strings.Join(on, " AND ")
	case j.GetJointype() != pg_query.JoinType_JOIN_INNER:
		it.sql += " ON 1"
	}
	if a := j.GetJoinUsingAlias(); a != nil {
		it.rels = append(it.rels, &relation{a.GetAliasname(), merged})
	}
	if a := j.GetAlias(); a != nil {
		it.cols = renamed(it.cols, a.GetColnames(), -1, column.called)
		it.rels = []*relation{{a.GetAliasname(), it.cols}}
	}
	return it
}

// one is the column that USING names.
func one(cols []column, name string) expr {
	found := -1
	for i, c := range cols {
		if c.name == name {
			if found >= 0 {
				refuse(-1, "the ambiguous column name "+name+" in USING")
			}
			found = i
		}
	}
	if found < 0 {
		refuse(-1, "the unknown column "+name+" in USING")
	}
	return cols[found].e
}

// rangeFunction is a function in FROM: a list of values as rows.
func (r *renderer) rangeFunction(v *pg_query.RangeFunction, l *level, ctes *cte) item {
	if len(v.GetFunctions()) != 1 || len(v.GetColdeflist()) > 0 {
		refuse(-1, "ROWS FROM with several functions and column definitions")
	}
	f := v.GetFunctions()[0].GetList().GetItems()[0].GetFuncCall()
	if f == nil {
		refuse(-1, "anything but a function call in FROM")
	}
	list, elem := r.listCall(f, l, ctes)
	name := lastName(f.GetFuncname())
	shown, first := name, name
	if a := v.GetAlias(); a != nil {
		shown, first = a.GetAliasname(), a.GetAliasname()
	}
	alias := r.alias(shown)
	value := expr{sql: quoteName(alias) + ".value", typ: elem}
	if elem == "numeric" {
		value.sql = "CAST(" + value.sql + " AS TEXT)"
	}
	cols := []column{{first, value}}
	if v.GetOrdinality() {
		cols = append(cols, column{"ordinality", expr{sql: "(" + quoteName(alias) + ".key+1)", typ: "int8"}})
	}
	cols = renamed(cols, v.GetAlias().GetColnames(), f.GetLocation(), column.called)
	return item{sql: "json_each(" + list + ") AS " + quoteName(alias), cols: cols, rels: []*relation{{shown, cols}}}
}
