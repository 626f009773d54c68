package sqlite

import (
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/erphub/erphub/internal/sqlquote"
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
		return r.series(v.RangeFunction, l, ctes)
	case *pg_query.Node_RangeTableSample:
		untranslated(v.RangeTableSample.GetLocation(), "TABLESAMPLE")
	}
	untranslated(location(n), "this item of FROM")
	return item{}
}

// rangeVar is a common table expression or a base table.
func (r *renderer) rangeVar(v *pg_query.RangeVar, ctes *cte) item {
	if v.GetCatalogname() != "" || !v.GetInh() {
		untranslated(v.GetLocation(), "this form of a table name")
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
		return named(sqlquote.Name(c.sqlName)+" AS "+sqlquote.Name(alias), shown, alias, cols)
	}
	base := r.source(name)
	if base == nil {
		refuse(v.GetLocation(), "the unknown table "+name)
	}
	it := item{sql: sqlquote.Name(name) + " AS " + sqlquote.Name(alias)}
	for _, b := range base {
		typ := sourceType(b.Type)
		e := expr{sql: sqlquote.Name(alias) + "." + sqlquote.Name(b.Name), typ: typ}
		switch {
		case typ == "": // of a type that cannot be rendered
		case typ == "numeric" && b.Integer:
			e.integer = true
		case isText(typ), isInt(typ), typ == "bytea":
		default:
			e.sql = "pg_stored(" + sqlquote.Text(typ) + "," + e.sql + ")"
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
		e.sql = sqlquote.Name(alias) + "." + sqlquote.Name(c.sqlName)
		it.cols = append(it.cols, column{c.name, e})
	}
	it.rels = []*relation{{shown, it.cols}}
	return it
}

func (r *renderer) rangeSubselect(v *pg_query.RangeSubselect, l *level, ctes *cte) item {
	shown := v.GetAlias().GetAliasname()
	alias := r.alias(shown)
	if v.GetLateral() {
		untranslated(location(v.GetSubquery()), "LATERAL")
	}
	q := r.selectStmt(v.GetSubquery().GetSelectStmt(), l.parent, ctes, selectOptions{})
	q.cols = renamed(q.cols, v.GetAlias().GetColnames(), -1, outcol.called)
	return named("("+q.sql+") AS "+sqlquote.Name(alias), shown, alias, q.cols)
}

var joinWords = map[pg_query.JoinType]string{
	pg_query.JoinType_JOIN_INNER: " JOIN ", pg_query.JoinType_JOIN_LEFT: " LEFT JOIN ",
	pg_query.JoinType_JOIN_RIGHT: " RIGHT JOIN ", pg_query.JoinType_JOIN_FULL: " FULL JOIN ",
}

func (r *renderer) join(j *pg_query.JoinExpr, l *level, ctes *cte) item {
	word := joinWords[j.GetJointype()]
	if word == "" || j.GetIsNatural() || j.GetAlias() != nil || j.GetJoinUsingAlias() != nil {
		untranslated(-1, "NATURAL JOIN or a join with an alias")
	}
	left := r.fromItem(j.GetLarg(), l, ctes)
	right := r.fromItem(j.GetRarg(), l, ctes)
	distinct(left.rels, right.rels, -1)
	it := item{rels: append(slices.Clone(left.rels), right.rels...)}
	it.outer = left.outer || right.outer || j.GetJointype() == pg_query.JoinType_JOIN_RIGHT || j.GetJointype() == pg_query.JoinType_JOIN_FULL
	using := stringsOf(j.GetUsingClause())
	merged, on := r.using(j.GetJointype(), using, left.cols, right.cols)
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
	return it
}

// using are the columns that USING merges, and the conditions it stands for.
func (r *renderer) using(kind pg_query.JoinType, names []string, left, right []column) (merged []column, on []string) {
	for _, name := range names {
		a, b := one(left, name), one(right, name)
		on = append(on, r.compare("=", a, b, -1).sql)
		pair, typ := r.together([]expr{a, b}, -1, "USING")
		e := pair[0]
		switch kind {
		case pg_query.JoinType_JOIN_RIGHT:
			e = pair[1]
		case pg_query.JoinType_JOIN_FULL:
			e = expr{sql: "coalesce(" + pair[0].sql + "," + pair[1].sql + ")", typ: typ, integer: pair[0].integer && pair[1].integer}
		}
		merged = append(merged, column{name, e})
	}
	return merged, on
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

// series is generate_series of whole numbers in FROM.
func (r *renderer) series(v *pg_query.RangeFunction, l *level, ctes *cte) item {
	var f *pg_query.FuncCall
	if len(v.GetFunctions()) == 1 {
		f = v.GetFunctions()[0].GetList().GetItems()[0].GetFuncCall()
	}
	if f == nil || functionName(f) != "generate_series" || len(f.GetArgs()) != 2 || v.GetOrdinality() || len(v.GetColdeflist()) > 0 {
		untranslated(-1, "a function in FROM")
	}
	args, typ := r.together(r.exprs(f.GetArgs(), l, ctes), f.GetLocation(), "generate_series")
	if typ != "int4" && typ != "int8" {
		untranslated(f.GetLocation(), "generate_series of "+typ)
	}
	shown := "generate_series"
	if a := v.GetAlias(); a != nil {
		shown = a.GetAliasname()
	}
	alias := r.alias(shown)
	cols := []column{{shown, expr{sql: sqlquote.Name(alias) + ".value", typ: typ}}}
	cols = renamed(cols, v.GetAlias().GetColnames(), f.GetLocation(), column.called)
	return item{sql: "json_each(pg_series(" + join(args, ",") + ")) AS " + sqlquote.Name(alias), cols: cols, rels: []*relation{{shown, cols}}}
}
