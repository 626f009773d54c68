package sqlite

import (
	"cmp"
	"strconv"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/erphub/erphub/internal/sqlquote"
)

// target is an item of a select list.
type target struct {
	name string
	node *pg_query.Node
	e    expr // what * stands for, when node is nil
}

// plainSelect renders one SELECT … FROM ….
func (r *renderer) plainSelect(s *pg_query.SelectStmt, parent *level, ctes *cte, opt selectOptions) query {
	l := &level{parent: parent}
	from := r.from(s.GetFromClause(), l, ctes)
	if len(s.GetWindowClause()) > 0 {
		untranslated(-1, "WINDOW")
	}
	where := ""
	if s.GetWhereClause() != nil {
		l.noAgg = "WHERE"
		where = " WHERE " + r.condition(s.GetWhereClause(), l, ctes, "WHERE")
		l.noAgg = ""
	}
	targets := r.targets(s.GetTargetList(), l)
	if len(targets) == 0 {
		refuse(-1, "a SELECT without columns")
	}
	keys := r.groupKeys(s, l, ctes, targets)
	sets := r.groupingSets(s.GetGroupClause(), keys)
	grouped := len(s.GetGroupClause()) > 0 || s.GetHavingClause() != nil || r.aggregated(s)
	if opt.bare && (grouped || len(s.GetDistinctClause()) > 0 || len(s.GetSortClause()) > 0 || s.GetLimitCount() != nil || s.GetLimitOffset() != nil) {
		refuse(-1, "GROUP BY, DISTINCT, ORDER BY and LIMIT in a recursive term")
	}
	if grouped {
		l.groups, l.keys, l.index = keys.exprs, keys.index, keys.index
	}
	if len(sets) == 0 {
		sets = [][]int{nil}
		for i := range keys.exprs {
			sets[0] = append(sets[0], i)
		}
	}
	c := core{r: r, s: s, l: l, ctes: ctes, opt: opt, targets: targets, from: from, where: where, grouped: grouped,
		explicit: len(s.GetGroupClause()) > 0, several: len(sets) > 1}
	if c.several && r.windowed(s) {
		refuse(-1, "window functions together with several grouping sets", "group in a subquery")
	}
	q := c.render(sets)
	q.single = grouped && len(s.GetGroupClause()) == 0 || limitOne(s)
	if l.keys == nil && len(s.GetFromClause()) == 0 && where == "" {
		q.single = true
	}
	return q
}

func limitOne(s *pg_query.SelectStmt) bool {
	v, ok := s.GetLimitCount().GetAConst().GetVal().(*pg_query.A_Const_Ival)
	return ok && v.Ival.GetIval() <= 1
}

// targets expands * and finds the names of the columns.
func (r *renderer) targets(list []*pg_query.Node, l *level) []target {
	var out []target
	for _, n := range list {
		t := n.GetResTarget()
		if ref := t.GetVal().GetColumnRef(); ref != nil {
			if fields := ref.GetFields(); fields[len(fields)-1].GetAStar() != nil {
				cols := l.cols
				if len(fields) > 1 {
					cols = r.relation(fields[:len(fields)-1], l, ref.GetLocation()).cols
				}
				for _, c := range cols {
					out = append(out, target{name: c.name, e: c.e})
				}
				continue
			}
		}
		name := t.GetName()
		if name == "" {
			name, _ = figureName(t.GetVal())
		}
		name = cmp.Or(name, "?column?")
		out = append(out, target{name: name, node: t.GetVal()})
	}
	return out
}

// relation is the item of FROM that t.* names.
func (r *renderer) relation(fields []*pg_query.Node, l *level, at int32) *relation {
	names := stringsOf(fields)
	for lv := l; lv != nil; lv = lv.parent {
		for _, rel := range lv.rels {
			if len(names) == 1 && rel.name == names[0] {
				return rel
			}
		}
	}
	refuse(at, "the unknown table "+strings.Join(names, "."))
	return nil
}

// core renders one SELECT, once per grouping set.
type core struct {
	r       *renderer
	s       *pg_query.SelectStmt
	l       *level
	ctes    *cte
	opt     selectOptions
	targets []target
	from    string
	where   string

	grouped  bool
	explicit bool // has a GROUP BY
	several  bool // has several grouping sets
}

// part is one SELECT and what it is sorted by.
type part struct {
	cols  []expr
	sorts []sort
	sql   func(extra []string, names []string) string
}

// sort is an item of ORDER BY: a column of the output or an expression.
type sort struct {
	column int // -1 for an expression
	e      expr
	by     *pg_query.SortBy
}

func (c *core) render(sets [][]int) query {
	r, s := c.r, c.s
	var parts []part
	for _, set := range sets {
		parts = append(parts, c.part(set))
	}
	q := query{cols: c.columns(parts)}
	names := make([]string, len(q.cols))
	for i, col := range q.cols {
		names[i] = sqlquote.Name(col.sqlName)
	}
	distinct := s.GetDistinctClause()
	on := len(distinct) > 0 && distinct[0].GetNode() != nil
	switch {
	case on:
		if c.several {
			refuse(-1, "DISTINCT ON with several grouping sets")
		}
		q.sql = c.distinctOn(parts[0], names, q.cols)
	case c.several:
		q.sql = c.union(parts, names, q.cols, len(distinct) > 0)
	default:
		p := parts[0]
		var order []string
		for _, o := range p.sorts {
			e := o.e
			if o.column >= 0 {
				e = p.cols[o.column]
				e.sql = strconv.Itoa(o.column + 1)
			} else if len(distinct) > 0 {
				refuse(o.by.GetLocation(), "ORDER BY an expression that SELECT DISTINCT does not have", "add it to the select list")
			}
			order = append(order, r.direction(o.by, r.key(safeKey(e, o.column), o.by.GetLocation())))
		}
		q.sql = p.sql(nil, names)
		if len(order) > 0 {
			q.sql += " ORDER BY " + strings.Join(order, ", ")
		}
	}
	q.sql += r.limit(s, c.l.parent, c.ctes)
	return q
}

// safeKey keeps a whole number that is an expression from being taken for a
// column's position. SQLite makes numbers of conditions that are always false.
func safeKey(e expr, column int) expr {
	if column < 0 && (strings.Trim(e.sql, "-0123456789()") == "" || e.typ == "bool" && strings.Contains(e.sql, "(")) {
		e.sql = "CAST(" + e.sql + " AS INTEGER)"
	}
	return e
}

// columns are the columns of the output; where parts differ in form, text
// stands for numbers.
func (c *core) columns(parts []part) []outcol {
	taken := map[string]int{}
	var cols []outcol
	for i, t := range c.targets {
		e := parts[0].cols[i]
		for _, p := range parts[1:] {
			if p.cols[i].sql != "NULL" {
				e.integer = e.integer && p.cols[i].integer
			}
		}
		if e.typ == unknown {
			e = expr{typ: unknown, lit: e.lit, null: e.null, param: e.param}
		}
		cols = append(cols, outcol{t.name, c.r.unique(taken, t.name), e})
	}
	return cols
}

// part renders the SELECT for one grouping set.
func (c *core) part(set []int) part {
	r, l := c.r, c.l
	l.active = make([]bool, len(l.groups))
	for _, i := range set {
		if i < len(l.active) {
			l.active[i] = true
		}
	}
	p := part{}
	for i, t := range c.targets {
		p.cols = append(p.cols, c.column(i, t))
	}
	w := partWriter{core: c, cols: p.cols}
	if c.s.GetHavingClause() != nil {
		w.having = r.condition(c.s.GetHavingClause(), l, c.ctes, "HAVING")
	}
	p.sorts = c.sorts(p.cols)
	for _, i := range set {
		w.group = append(w.group, r.key(safeKey(l.groups[i], -1), -1))
	}
	w.distinct = len(c.s.GetDistinctClause()) > 0 && c.s.GetDistinctClause()[0].GetNode() == nil && !c.several
	p.sql = w.write
	return p
}

// column renders one column of the output in the type that it must have.
func (c *core) column(i int, t target) expr {
	r := c.r
	var e expr
	switch {
	case t.node != nil:
		e = r.expr(t.node, c.l, c.ctes)
	case c.l.keys != nil:
		e = r.named(column{t.name, t.e}, c.l, c.l, -1)
	default:
		e = t.e
	}
	switch {
	case c.opt.types != nil && c.opt.bare:
		want := c.opt.types[i]
		if e.typ != unknown && e.typ != want && !(isText(e.typ) && isText(want)) && !implicit(e.typ, want) {
			refuse(location(t.node), "a recursive query whose parts have different types", "cast the column to "+want)
		}
		e = r.coerce(e, want, -1, location(t.node))
		e.sql, e.integer = numeralText(e), false
	case e.typ == unknown && !c.opt.keepUnknown:
		e = r.coerce(e, "text", -1, location(t.node))
	case e.typ == unknown && e.sql == "":
		e.sql = "NULL" // the set operation writes it
	}
	return e
}

// partWriter writes the statement of a part.
type partWriter struct {
	*core
	cols     []expr
	group    []string
	having   string
	distinct bool
}

func (w *partWriter) write(extra, names []string) string {
	var b strings.Builder
	b.WriteString("SELECT ")
	if w.distinct {
		b.WriteString("DISTINCT ")
	}
	list := make([]string, len(w.cols))
	for i, e := range w.cols {
		if i == 0 && len(w.group) == 0 && (w.explicit || w.having != "") {
			// SQLite takes HAVING without GROUP BY only beside an aggregate.
			e.sql = "(CASE WHEN count(*) >= 0 THEN " + e.sql + " END)"
		}
		sql := e.sql
		if w.distinct {
			sql = w.r.key(e, -1)
		}
		list[i] = sql + " AS " + names[i]
	}
	b.WriteString(strings.Join(append(list, extra...), ", ") + w.from + w.where)
	if len(w.group) > 0 {
		b.WriteString(" GROUP BY " + strings.Join(w.group, ", "))
	} else if w.explicit && w.having == "" {
		b.WriteString(" HAVING count(*) >= 0") // the empty grouping set: one row
	}
	switch {
	case w.having != "" && len(w.group) == 0:
		b.WriteString(" HAVING count(*) >= 0 AND " + w.having)
	case w.having != "":
		b.WriteString(" HAVING " + w.having)
	}
	return b.String()
}

// sorts resolves ORDER BY: a bare name is an output column first.
func (c *core) sorts(cols []expr) []sort {
	r := c.r
	named := make([]outcol, len(cols))
	for i, t := range c.targets {
		named[i] = outcol{t.name, "", cols[i]}
	}
	var out []sort
	for _, n := range c.s.GetSortClause() {
		sb := n.GetSortBy()
		if i := r.outputColumn(sb.GetNode(), named); i >= 0 {
			out = append(out, sort{i, expr{}, sb})
			continue
		}
		e := r.expr(sb.GetNode(), c.l, c.ctes)
		if e.typ == unknown {
			e = r.coerce(e, "text", -1, sb.GetLocation())
		}
		at := -1
		for i := range cols {
			if cols[i].sql == e.sql && cols[i].typ == e.typ {
				at = i
				break
			}
		}
		out = append(out, sort{at, e, sb})
	}
	return out
}

// union puts the SELECTs of several grouping sets together.
func (c *core) union(parts []part, names []string, cols []outcol, distinct bool) string {
	r := c.r
	var arms, order []string
	for n, p := range parts {
		for i := range p.cols {
			if cols[i].e.typ == "numeric" && !cols[i].e.integer && p.cols[i].sql != "NULL" {
				p.cols[i].sql = numberText(p.cols[i])
			}
		}
		var extra []string
		for i, o := range p.sorts {
			if o.column < 0 {
				extra = append(extra, numeralText(o.e)+" AS "+sqlquote.Name("sort "+strconv.Itoa(i)))
			}
		}
		arms = append(arms, p.sql(extra, names))
		if n > 0 {
			continue
		}
		for i, o := range p.sorts {
			e := expr{sql: sqlquote.Name("sort " + strconv.Itoa(i)), typ: o.e.typ}
			if o.column >= 0 {
				e = cols[o.column].e
				e.sql = names[o.column]
			} else if distinct {
				refuse(o.by.GetLocation(), "ORDER BY an expression that SELECT DISTINCT does not have")
			}
			order = append(order, r.direction(o.by, r.key(e, o.by.GetLocation())))
		}
	}
	list := append([]string(nil), names...)
	head := "SELECT "
	if distinct {
		head += "DISTINCT "
		for i, col := range cols {
			e := col.e
			e.sql = names[i]
			list[i] = r.key(e, -1) + " AS " + names[i]
		}
	}
	sql := head + strings.Join(list, ", ") + " FROM (" + strings.Join(arms, " UNION ALL ") + ")"
	if len(order) > 0 {
		sql += " ORDER BY " + strings.Join(order, ", ")
	}
	return sql
}

// distinctOn keeps the first row of each group of equal expressions.
func (c *core) distinctOn(p part, names []string, cols []outcol) string {
	r, s := c.r, c.s
	named := make([]outcol, len(cols))
	for i, t := range c.targets {
		named[i] = outcol{t.name, "", p.cols[i]}
	}
	var keys []string
	for _, n := range s.GetDistinctClause() {
		var e expr
		if i := r.outputColumn(n, named); i >= 0 {
			e = p.cols[i]
		} else {
			e = r.expr(n, c.l, c.ctes)
		}
		keys = append(keys, r.key(safeKey(e, -1), location(n)))
	}
	// PostgreSQL wants the same expressions first in ORDER BY, in any order.
	for i := 0; i < len(keys) && i < len(p.sorts); i++ {
		e := p.sorts[i].e
		if p.sorts[i].column >= 0 {
			e = p.cols[p.sorts[i].column]
		}
		if key := r.key(safeKey(e, -1), -1); !contains(keys, key) {
			refuse(p.sorts[i].by.GetLocation(), "DISTINCT ON expressions that ORDER BY does not begin with")
		}
	}
	var extra, order, outer []string
	for i, o := range p.sorts {
		e := o.e
		if o.column >= 0 {
			e = p.cols[o.column]
		}
		order = append(order, r.direction(o.by, r.key(safeKey(e, -1), o.by.GetLocation())))
		name := sqlquote.Name("sort " + strconv.Itoa(i))
		extra = append(extra, e.sql+" AS "+name)
		e.sql = name
		outer = append(outer, r.direction(o.by, r.key(e, o.by.GetLocation())))
	}
	window := "PARTITION BY " + strings.Join(keys, ", ")
	if len(order) > 0 {
		window += " ORDER BY " + strings.Join(order, ", ")
	}
	extra = append(extra, "row_number() OVER ("+window+") AS \"row number\"")
	sql := "SELECT " + strings.Join(names, ", ") + " FROM (" + p.sql(extra, names) + ") WHERE \"row number\" = 1"
	if len(outer) > 0 {
		sql += " ORDER BY " + strings.Join(outer, ", ")
	}
	return sql
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
