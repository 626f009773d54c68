package guard

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// patternOperators are LIKE and its kin.
var patternOperators = set("~~ !~~ ~~* !~~*")

// pattern keeps the pattern of LIKE from the server's planner, unless it is a
// text that cannot fail.
//
// The planner estimates how many rows match by trying a pattern that it knows
// on its sample of the column, which holds rows of every tenant; no condition
// and no barrier is before that. A pattern that ends in its escape character
// fails on the values that match the rest of it, and on no others, so whether
// it fails tells what there is. Such texts are refused, and patterns that are
// computed become subqueries, which the planner does not evaluate.
func (c *checker) pattern(m *pg.A_Expr, at int32) error {
	n := len(m.Name)
	if n == 0 || !patternOperators[m.Name[n-1].GetString_().GetSval()] || c.job.guard.opts.Dialect == SQLite || c.trusted {
		return nil
	}
	switch m.Kind {
	case pg.A_Expr_Kind_AEXPR_OP_ANY, pg.A_Expr_Kind_AEXPR_OP_ALL:
		a := m.Rexpr.GetAArrayExpr()
		if a == nil {
			hidden, err := hiddenValue(cast(m.Rexpr, "_text"), at)
			// In one more pair of brackets a subquery would stand for its rows.
			m.Rexpr = cast(hidden, "_text")
			return err
		}
		for i, e := range a.Elements {
			var err error
			if a.Elements[i], err = hiddenPattern(e, at); err != nil {
				return err
			}
		}
		return nil
	}
	var err error
	m.Rexpr, err = hiddenPattern(m.Rexpr, at)
	return err
}

// hiddenPattern returns a pattern as it may be written.
func hiddenPattern(n *pg.Node, at int32) (*pg.Node, error) {
	switch m := content(n).(type) {
	case *pg.CollateClause:
		var err error
		m.Arg, err = hiddenPattern(m.Arg, at)
		return n, err
	case *pg.A_Const:
		if s := m.GetSval(); s != nil {
			return n, sound(s.Sval, `\`, at)
		}
		return n, nil
	case *pg.TypeCast:
		if s := m.Arg.GetAConst().GetSval(); s != nil && len(m.TypeName.Typmods) == 0 && len(m.TypeName.ArrayBounds) == 0 {
			return n, sound(s.Sval, `\`, at)
		}
	case *pg.SubLink:
		if m.SubLinkType == pg.SubLinkType_EXPR_SUBLINK {
			return n, nil
		}
	case *pg.FuncCall: // LIKE … ESCAPE
		if len(m.Args) == 2 && m.Funcname[len(m.Funcname)-1].GetString_().GetSval() == "like_escape" {
			text, escape := m.Args[0].GetAConst().GetSval(), m.Args[1].GetAConst().GetSval()
			if text != nil && escape != nil {
				return n, sound(text.Sval, escape.Sval, at)
			}
		}
	}
	return hiddenValue(n, at)
}

func sound(text, escape string, at int32) error {
	if endsInEscape(text, escape) {
		return &fault{kind: Syntax, at: at, reason: "a pattern ends in its escape character", hint: "write two of them for the character itself"}
	}
	return nil
}

// hiddenValue returns (SELECT n), which has the same value.
func hiddenValue(n *pg.Node, at int32) (*pg.Node, error) {
	if belongsToLevel(content(n)) {
		return nil, unsupported(at, "a pattern made of aggregates is not supported here").advise("compute it in WITH or in a subquery")
	}
	s := newSelect()
	s.TargetList = []*pg.Node{{Node: &pg.Node_ResTarget{ResTarget: &pg.ResTarget{Val: n}}}}
	return &pg.Node{Node: &pg.Node_SubLink{SubLink: &pg.SubLink{SubLinkType: pg.SubLinkType_EXPR_SUBLINK, Subselect: selectNode(s)}}}, nil
}

// belongsToLevel tells whether a value changes when it is computed one level
// below: aggregates and window functions do.
func belongsToLevel(m any) bool {
	switch m := m.(type) {
	case nil, *pg.SubLink:
		return false
	case *pg.GroupingFunc:
		return true
	case *pg.FuncCall:
		if n := len(m.Funcname); n > 0 && aggregates[m.Funcname[n-1].GetString_().GetSval()] || m.Over != nil || m.AggStar || m.AggWithinGroup {
			return true
		}
	}
	found := false
	_ = children(m, func(c any) error {
		found = found || belongsToLevel(c)
		return nil
	})
	return found
}

// endsInEscape tells whether the last character of a pattern is one that
// escapes nothing.
func endsInEscape(text, escape string) bool {
	if escape == "" {
		return false
	}
	for text != "" {
		rest, ok := strings.CutPrefix(text, escape)
		if !ok {
			_, text = cutRune(text)
			continue
		}
		if rest == "" {
			return true
		}
		_, text = cutRune(rest)
	}
	return false
}

func cutRune(s string) (first, rest string) {
	for i := range s {
		if i > 0 {
			return s[:i], s[i:]
		}
	}
	return s, ""
}
