package guard

import (
	"cmp"
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// tableRef is a table named in FROM, to be replaced by a secured subquery.
type tableRef struct {
	node     *pg.Node // holds the RangeVar
	alias    *pg.Alias
	physical string
	table    *Table
	cols     []Column // as in the policy; those from visible on are denied ones
	visible  int
	used     []bool
	sources  []*source // of the columns; nil for those that show a constant
	at       int32

	definition *pg.SelectStmt // of a view
	inside     *resolver      // that resolved it; its tables are secured with the view
}

const maxDepth = 8 // of views over views, and of rules that name tables with rules

// table resolves the name of a table. Tables that do not exist and tables that
// may not be read are refused in the same words.
func (r *resolver) table(n *pg.Node, m *pg.RangeVar, with *ctes) (*item, error) {
	p := r.job.policy
	full := m.Relname
	if m.Schemaname != "" {
		full = m.Schemaname + "." + m.Relname
	}
	t := p.Tables[m.Relname]
	if name, ok := p.Denied[m.Relname]; ok {
		r.job.tables[name] = true
		t = nil
	}
	if m.Schemaname != "" && !p.isSchema(m.Schemaname) || t == nil {
		return nil, r.meantTable(full, m, with)
	}
	r.job.tables[t.Name] = true
	if t.Definition == "" {
		if r.job.relations++; r.job.relations > r.job.guard.opts.MaxRelations {
			return nil, tooLarge(m.Location, "request less at once", "the statement reads more than %d tables", r.job.guard.opts.MaxRelations)
		}
	}
	ref := &tableRef{node: n, physical: m.Relname, table: t, cols: t.Columns, visible: len(t.Columns), at: m.Location}
	if r.trusted {
		ref.cols = slices.Concat(t.Columns, t.Denied)
	}
	if len(ref.cols) == 0 {
		return nil, r.meantTable(full, m, with)
	}
	ref.used = make([]bool, len(ref.cols))
	ref.sources = make([]*source, len(ref.cols))
	it := &item{name: m.Relname, relVisible: true, colVisible: true, base: true, table: m.Alias == nil, ref: ref}
	for i, c := range ref.cols {
		made := column{name: c.Name, kind: c.Type, redacted: c.Redacted, unordered: !sortable[c.Type], float: c.Type == "float4" || c.Type == "float8", width: widthOf(&c), look: c.likeness(),
			marks: []*bool{&ref.used[i]}}
		if i < ref.visible && !c.Redacted {
			ref.sources[i] = &source{}
			made.typ, made.source = c.Type, ref.sources[i]
		}
		it.cols = append(it.cols, made)
	}
	if t.Definition != "" {
		definition, cols, fails, err := r.definition(ref)
		if err != nil {
			return nil, r.unavailable(ref, err)
		}
		ref.definition = definition
		if fails {
			r.tested = true
			r.job.failing = append(r.job.failing, "the view "+t.Name)
		}
		for i := range it.cols {
			for _, c := range cols {
				if c.name != it.cols[i].name {
					continue
				}
				it.cols[i].redacted = it.cols[i].redacted || c.redacted
				it.cols[i].unordered = it.cols[i].unordered || c.unordered
				it.cols[i].look = min(it.cols[i].look, c.look)
				if s := ref.sources[i]; s != nil && c.source != nil {
					s.from = append(s.from, c.source)
				}
				if c.fails {
					it.cols[i].fails, it.cols[i].why = true, "column "+c.name+" of "+t.Name
				}
				if c.typ == "" {
					it.cols[i].typ, it.cols[i].apart = "", c.apart
				}
			}
		}
	}
	if a := m.Alias; a != nil {
		ref.alias = a
		if len(a.Colnames) > 0 {
			useAll(it.cols) // the list counts columns
		}
		if err := alias(it, a, m.Location); err != nil {
			return nil, err
		}
	} else {
		ref.alias = &pg.Alias{Aliasname: m.Relname}
	}
	r.refs = append(r.refs, ref)
	return it, nil
}

// secureAll replaces every table found so far, in the text of the ERP or its
// administrator, by its secured subquery.
func (r *resolver) secureAll() error {
	for _, ref := range r.refs {
		s, err := r.secured(ref)
		if err != nil {
			return err
		}
		ref.node.Node = subselect(s, ref.alias)
	}
	r.refs = nil
	return nil
}

// secured returns the subquery that stands for a table, of the columns used and
// the rows permitted:
//
//	(SELECT s.a AS a FROM adempiere.t s WHERE conditions) AS t
//
// and when columns are gated
//
//	(SELECT g.a AS a, CASE WHEN g.erphub_ok >= true THEN g.b END AS b
//	 FROM (SELECT s.a AS a, s.b AS b, conditions AS erphub_ok FROM adempiere.t s) g WHERE g.erphub_ok) AS t
//
// which the server merges into the statement either way.
func (r *resolver) secured(ref *tableRef) (*pg.SelectStmt, error) {
	inside, from := "s", (*pg.Node)(nil)
	if len(ref.table.Where) > 0 {
		inside = reserved + "t"
	}
	if ref.table.Definition == "" {
		from = &pg.Node{Node: &pg.Node_RangeVar{RangeVar: &pg.RangeVar{
			Schemaname: r.job.schema, Relname: ref.physical, Inh: true, Relpersistence: "p",
			Alias: &pg.Alias{Aliasname: inside}}}}
	} else {
		if err := ref.inside.secureAll(); err != nil {
			return nil, r.unavailable(ref, err)
		}
		inside = viewPrefix + ref.physical
		from = &pg.Node{Node: subselect(ref.definition, &pg.Alias{Aliasname: inside})}
	}
	s := newSelect()
	s.FromClause = []*pg.Node{from}
	s.TargetList = r.targets(ref, inside)
	var terms []*pg.Node
	for i := range ref.table.Conditions {
		term, err := condition(inside, &ref.table.Conditions[i])
		if err != nil {
			return nil, err
		}
		if term != nil {
			terms = append(terms, term)
		}
	}
	for _, text := range ref.table.Where {
		term, err := r.rule(ref, inside, text)
		if err != nil {
			return nil, r.unavailable(ref, err)
		}
		terms = append(terms, term)
	}
	switch {
	case len(terms) == 0 || !ref.gated():
		s.WhereClause = and(terms)
	case len(ref.table.Where) > 0:
		// A rule may have subqueries of its own, which would run once for
		// every gated column. A fence keeps the caller's conditions out instead.
		s.WhereClause = and(terms)
		s.LimitOffset = intConst(0)
		s.LimitOption = pg.LimitOption_LIMIT_OPTION_COUNT
	default:
		s = gate(s, ref, and(terms))
	}
	return s, nil
}

// gated reports whether a column that is used must not show values of hidden rows.
func (ref *tableRef) gated() bool {
	for i, s := range ref.sources {
		if s != nil && s.gated && ref.used[i] {
			return true
		}
	}
	return false
}

// The names in a gated subquery.
const (
	gateAlias  = reserved + "g"
	gateColumn = reserved + "ok"
)

// gateOpen is the condition of a gated column. The comparison makes it cost a
// little more than the role's conditions: whatever uses the column comes after
// each of them. It must be one that the planner does not simplify.
func gateOpen() *pg.Node {
	return &pg.Node{Node: &pg.Node_AExpr{AExpr: &pg.A_Expr{Kind: pg.A_Expr_Kind_AEXPR_OP, Name: names(">="),
		Lexpr: columnRef(gateAlias, gateColumn), Rexpr: constant(&pg.A_Const{Val: &pg.A_Const_Boolval{Boolval: &pg.Boolean{Boolval: true}}})}}}
}

// gate puts a subquery whose gated columns are NULL for hidden rows around one
// without conditions.
func gate(inner *pg.SelectStmt, ref *tableRef, rows *pg.Node) *pg.SelectStmt {
	s := newSelect()
	for _, n := range inner.TargetList {
		name := n.GetResTarget().Name
		val := columnRef(gateAlias, name)
		i := slices.IndexFunc(ref.cols, func(c Column) bool { return c.Name == name })
		if src := ref.sources[i]; src != nil && src.gated {
			val = caseWhen(gateOpen(), val)
		}
		s.TargetList = append(s.TargetList, target(name, val))
	}
	inner.TargetList = append(inner.TargetList, target(gateColumn, rows))
	s.FromClause = []*pg.Node{{Node: subselect(inner, &pg.Alias{Aliasname: gateAlias})}}
	s.WhereClause = columnRef(gateAlias, gateColumn)
	return s
}

// viewPrefix begins the name a view's definition has inside its subquery.
const viewPrefix = reserved + "view_"

// targets are the output columns of a secured subquery. Columns nobody names
// are left out, which keeps the text short; when none is named one is kept.
func (r *resolver) targets(ref *tableRef, inside string) []*pg.Node {
	if !slices.Contains(ref.used, true) {
		ref.used[0] = true
	}
	var list []*pg.Node
	for i, c := range ref.cols {
		switch {
		case !ref.used[i]:
		case i >= ref.visible:
			list = append(list, target(c.Name, cast(nullConst(), c.Type)))
		case c.Redacted:
			list = append(list, target(c.Name, masked(r.job.mask, c.Type)))
		default:
			list = append(list, target(c.Name, columnRef(inside, c.Name)))
		}
	}
	return list
}

// masked is what a redacted column shows, also where it has no value.
func masked(mask, typ string) *pg.Node {
	switch typ {
	case "text", "varchar", "bpchar", "char", "name":
		return cast(textConst(mask), "text")
	default:
		return cast(nullConst(), typ)
	}
}

// condition writes a condition, or nil for one that always holds.
func condition(inside string, c *Condition) (*pg.Node, error) {
	var list []*pg.Node
	switch {
	case len(c.IDs) > 0 && len(c.Texts) > 0:
		return nil, insecure("the condition on column %s has numbers and texts", c.Column)
	case len(c.IDs) > 0:
		for _, id := range c.IDs {
			list = append(list, intConst(id))
		}
	default:
		for _, s := range c.Texts {
			if strings.ContainsRune(s, 0) {
				return nil, insecure("the condition on column %s has a text no database holds", c.Column)
			}
			list = append(list, textConst(s))
		}
	}
	var term *pg.Node
	op := "="
	switch {
	case c.Not:
		op = "<>"
		if len(list) == 0 {
			if c.NullOK {
				return nil, nil
			}
			return &pg.Node{Node: &pg.Node_NullTest{NullTest: &pg.NullTest{Arg: columnRef(inside, c.Column),
				Nulltesttype: pg.NullTestType_IS_NOT_NULL}}}, nil
		}
	case len(list) == 0:
		term = constant(&pg.A_Const{Val: &pg.A_Const_Boolval{Boolval: &pg.Boolean{}}}) // false: never no condition
	}
	if term == nil {
		term = &pg.Node{Node: &pg.Node_AExpr{AExpr: &pg.A_Expr{Kind: pg.A_Expr_Kind_AEXPR_IN, Name: names(op),
			Lexpr: columnRef(inside, c.Column),
			Rexpr: &pg.Node{Node: &pg.Node_List{List: &pg.List{Items: list}}}}}}
	}
	if c.NullOK {
		term = boolExpr(pg.BoolExprType_OR_EXPR, isNull(columnRef(inside, c.Column)), term)
	}
	return term, nil
}

// unavailable refuses a table whose definition or rule could not be secured, in
// the words for a table that is not there. What is wrong with it goes to the
// log: the caller cannot fix it.
func (r *resolver) unavailable(ref *tableRef, err error) error {
	f, ok := err.(*fault)
	if !ok {
		return err
	}
	if f.kind == TooLarge {
		return &fault{kind: TooLarge, reason: f.reason, hint: f.hint, at: ref.at}
	}
	cause := cmp.Or(f.cause, f.reason)
	n := noTable(ref.physical, ref.at)
	n.cause = ref.table.Name + ": " + cause
	return n
}
