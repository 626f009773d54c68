package sqlite

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// walk calls visit for every message of the tree, until it returns false for
// one, whose insides are then left out.
func walk(m protoreflect.Message, visit func(protoreflect.Message) bool) {
	if !m.IsValid() || !visit(m) {
		return
	}
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if fd.Message() == nil {
			return true
		}
		if fd.IsList() {
			for i := range v.List().Len() {
				walk(v.List().Get(i).Message(), visit)
			}
			return true
		}
		walk(v.Message(), visit)
		return true
	})
}

// mentions reports whether a SELECT names a table without a schema anywhere.
func mentions(s *pg_query.SelectStmt, name string) bool {
	found := false
	walk(s.ProtoReflect(), func(m protoreflect.Message) bool {
		if rv, ok := m.Interface().(*pg_query.RangeVar); ok && rv.GetSchemaname() == "" && rv.GetRelname() == name {
			found = true
		}
		return !found
	})
	return found
}

// calls reports whether a SELECT's own expressions, not those of queries in it,
// hold a call for which is holds.
func calls(s *pg_query.SelectStmt, is func(*pg_query.FuncCall) bool) bool {
	found := false
	visit := func(m protoreflect.Message) bool {
		switch v := m.Interface().(type) {
		case *pg_query.SelectStmt:
			return false
		case *pg_query.FuncCall:
			found = found || is(v)
		}
		return !found
	}
	nodes := slices.Concat(s.GetTargetList(), s.GetSortClause(), s.GetDistinctClause())
	if s.GetHavingClause() != nil {
		nodes = append(nodes, s.GetHavingClause())
	}
	for _, n := range nodes {
		walk(n.ProtoReflect(), visit)
	}
	return found
}

func (r *renderer) aggregated(s *pg_query.SelectStmt) bool {
	return calls(s, func(f *pg_query.FuncCall) bool { return f.GetOver() == nil && isAggregate(f) })
}

func (r *renderer) windowed(s *pg_query.SelectStmt) bool {
	return calls(s, func(f *pg_query.FuncCall) bool { return f.GetOver() != nil })
}

func hasSublink(n *pg_query.Node) bool {
	found := false
	walk(n.ProtoReflect(), func(m protoreflect.Message) bool {
		if _, ok := m.Interface().(*pg_query.SubLink); ok {
			found = true
		}
		return !found
	})
	return found
}

// location is where a node stands in the text, -1 if it does not know.
func location(n *pg_query.Node) int32 {
	at := int32(-1)
	if n == nil {
		return at
	}
	walk(n.ProtoReflect(), func(m protoreflect.Message) bool {
		if at >= 0 {
			return false
		}
		if fd := m.Descriptor().Fields().ByName("location"); fd != nil {
			at = int32(m.Get(fd).Int()) //nolint:gosec // an int32 field
			return false
		}
		return true
	})
	return at
}

func lastName(nodes []*pg_query.Node) string {
	if len(nodes) == 0 {
		return ""
	}
	return nodes[len(nodes)-1].GetString_().GetSval()
}

// figureName is the name PostgreSQL gives a column without alias; sure is
// false for names that give way to a type's.
func figureName(n *pg_query.Node) (name string, sure bool) {
	switch v := n.GetNode().(type) {
	case *pg_query.Node_ColumnRef:
		return lastName(v.ColumnRef.GetFields()), true
	case *pg_query.Node_FuncCall:
		return lastName(v.FuncCall.GetFuncname()), true
	case *pg_query.Node_AIndirection:
		for _, i := range slices.Backward(v.AIndirection.GetIndirection()) {
			if s := i.GetString_(); s != nil {
				return s.GetSval(), true
			}
		}
		return figureName(v.AIndirection.GetArg())
	case *pg_query.Node_AExpr:
		if v.AExpr.GetKind() == pg_query.A_Expr_Kind_AEXPR_NULLIF {
			return "nullif", true
		}
	case *pg_query.Node_TypeCast:
		if name, sure = figureName(v.TypeCast.GetArg()); sure {
			return name, true
		}
		return lastName(v.TypeCast.GetTypeName().GetNames()), false
	case *pg_query.Node_CollateClause:
		return figureName(v.CollateClause.GetArg())
	case *pg_query.Node_GroupingFunc:
		return "grouping", true
	case *pg_query.Node_SubLink:
		switch v.SubLink.GetSubLinkType() {
		case pg_query.SubLinkType_EXISTS_SUBLINK:
			return "exists", true
		case pg_query.SubLinkType_ARRAY_SUBLINK:
			return "array", true
		case pg_query.SubLinkType_EXPR_SUBLINK:
			s := v.SubLink.GetSubselect().GetSelectStmt()
			for s.GetLarg() != nil {
				s = s.GetLarg()
			}
			if len(s.GetTargetList()) > 0 {
				if t := s.GetTargetList()[0].GetResTarget(); t.GetName() != "" {
					return t.GetName(), true
				} else if name, _ := figureName(t.GetVal()); name != "" {
					return name, true
				}
			}
			if len(s.GetValuesLists()) > 0 {
				return "column1", true
			}
		}
	case *pg_query.Node_CaseExpr:
		if v.CaseExpr.GetDefresult() != nil {
			if name, sure = figureName(v.CaseExpr.GetDefresult()); sure {
				return name, true
			}
		}
		return "case", false
	case *pg_query.Node_AArrayExpr:
		return "array", true
	case *pg_query.Node_RowExpr:
		return "row", true
	case *pg_query.Node_CoalesceExpr:
		return "coalesce", true
	case *pg_query.Node_MinMaxExpr:
		if v.MinMaxExpr.GetOp() == pg_query.MinMaxOp_IS_GREATEST {
			return "greatest", true
		}
		return "least", true
	case *pg_query.Node_SqlvalueFunction:
		return valueFunctionName(v.SqlvalueFunction.GetOp()), true
	}
	return "", false
}
