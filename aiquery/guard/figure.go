package guard

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// figure returns the name the server gives an output column without AS, or "",
// and whether the name is a strong one, which a cast does not replace. It
// follows PostgreSQL's FigureColname.
func (r *resolver) figure(n *pg.Node) (name string, strong bool) {
	switch m := content(n).(type) {
	case *pg.ColumnRef:
		return lastName(m.Fields)
	case *pg.A_Indirection:
		if name, ok := lastName(m.Indirection); ok {
			return name, true
		}
		return r.figure(m.Arg)
	case *pg.FuncCall:
		return lastName(m.Funcname)
	case *pg.A_Expr:
		if m.Kind == pg.A_Expr_Kind_AEXPR_NULLIF {
			return "nullif", true
		}
	case *pg.TypeCast:
		if name, strong := r.figure(m.Arg); strong {
			return name, true
		}
		name, _ := lastName(m.TypeName.GetNames())
		return name, false
	case *pg.CollateClause:
		return r.figure(m.Arg)
	case *pg.GroupingFunc:
		return "grouping", true
	case *pg.SubLink:
		switch m.SubLinkType {
		case pg.SubLinkType_EXISTS_SUBLINK:
			return "exists", true
		case pg.SubLinkType_ARRAY_SUBLINK:
			return "array", true
		case pg.SubLinkType_EXPR_SUBLINK:
			return r.sublink[m], r.sublink[m] != ""
		}
	case *pg.CaseExpr:
		if name, strong := r.figure(m.Defresult); strong {
			return name, true
		}
		return "case", false
	case *pg.A_ArrayExpr:
		return "array", true
	case *pg.RowExpr:
		return "row", true
	case *pg.CoalesceExpr:
		return "coalesce", true
	case *pg.MinMaxExpr:
		if m.Op == pg.MinMaxOp_IS_LEAST {
			return "least", true
		}
		return "greatest", true
	case *pg.SQLValueFunction:
		return strings.ToLower(valueFunctionName(m.Op)), true
	}
	return "", false
}

// lastName returns the last name of a list that has one.
func lastName(parts []*pg.Node) (string, bool) {
	for i := len(parts) - 1; i >= 0; i-- {
		if s := parts[i].GetString_(); s != nil {
			return s.Sval, true
		}
	}
	return "", false
}
