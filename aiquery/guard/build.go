package guard

import (
	"math"
	"reflect"
	"strconv"

	pg "github.com/pganalyze/pg_query_go/v6"
)

func itoa(n int32) string { return strconv.Itoa(int(n)) }

func messageName(m any) string { return reflect.TypeOf(m).Elem().Name() }

// The functions below make nodes as the parser would.

func str(s string) *pg.Node {
	return &pg.Node{Node: &pg.Node_String_{String_: &pg.String{Sval: s}}}
}

func names(parts ...string) []*pg.Node {
	list := make([]*pg.Node, len(parts))
	for i, p := range parts {
		list[i] = str(p)
	}
	return list
}

func columnRef(parts ...string) *pg.Node {
	return &pg.Node{Node: &pg.Node_ColumnRef{ColumnRef: &pg.ColumnRef{Fields: names(parts...)}}}
}

func star() *pg.Node {
	return &pg.Node{Node: &pg.Node_ColumnRef{ColumnRef: &pg.ColumnRef{Fields: []*pg.Node{
		{Node: &pg.Node_AStar{AStar: &pg.A_Star{}}}}}}}
}

func constant(c *pg.A_Const) *pg.Node { return &pg.Node{Node: &pg.Node_AConst{AConst: c}} }

func textConst(s string) *pg.Node {
	return constant(&pg.A_Const{Val: &pg.A_Const_Sval{Sval: &pg.String{Sval: s}}})
}

func intConst(n int64) *pg.Node {
	if n >= math.MinInt32+1 && n <= math.MaxInt32 {
		return constant(&pg.A_Const{Val: &pg.A_Const_Ival{Ival: &pg.Integer{Ival: int32(n)}}})
	}
	return constant(&pg.A_Const{Val: &pg.A_Const_Fval{Fval: &pg.Float{Fval: strconv.FormatInt(n, 10)}}})
}

func nullConst() *pg.Node { return constant(&pg.A_Const{Isnull: true}) }

func cast(arg *pg.Node, typ string) *pg.Node {
	t := &pg.TypeName{Typemod: -1}
	if len(typ) > 1 && typ[0] == '_' {
		typ = typ[1:]
		t.ArrayBounds = []*pg.Node{{Node: &pg.Node_Integer{Integer: &pg.Integer{Ival: -1}}}}
	}
	if !types[typ] {
		typ, t.ArrayBounds = "text", nil
	}
	t.Names = names(catalog, typ)
	return &pg.Node{Node: &pg.Node_TypeCast{TypeCast: &pg.TypeCast{Arg: arg, TypeName: t}}}
}

func target(name string, val *pg.Node) *pg.Node {
	return &pg.Node{Node: &pg.Node_ResTarget{ResTarget: &pg.ResTarget{Name: name, Val: val}}}
}

func caseWhen(condition, result *pg.Node) *pg.Node {
	return &pg.Node{Node: &pg.Node_CaseExpr{CaseExpr: &pg.CaseExpr{Args: []*pg.Node{
		{Node: &pg.Node_CaseWhen{CaseWhen: &pg.CaseWhen{Expr: condition, Result: result}}}}}}}
}

func boolExpr(op pg.BoolExprType, args ...*pg.Node) *pg.Node {
	return &pg.Node{Node: &pg.Node_BoolExpr{BoolExpr: &pg.BoolExpr{Boolop: op, Args: args}}}
}

// and joins conditions; it returns nil for none.
func and(terms []*pg.Node) *pg.Node {
	switch len(terms) {
	case 0:
		return nil
	case 1:
		return terms[0]
	default:
		return boolExpr(pg.BoolExprType_AND_EXPR, terms...)
	}
}

func isNull(arg *pg.Node) *pg.Node {
	return &pg.Node{Node: &pg.Node_NullTest{NullTest: &pg.NullTest{Arg: arg, Nulltesttype: pg.NullTestType_IS_NULL}}}
}

func newSelect() *pg.SelectStmt {
	return &pg.SelectStmt{Op: pg.SetOperation_SETOP_NONE, LimitOption: pg.LimitOption_LIMIT_OPTION_DEFAULT}
}

func selectNode(s *pg.SelectStmt) *pg.Node {
	return &pg.Node{Node: &pg.Node_SelectStmt{SelectStmt: s}}
}

func subselect(s *pg.SelectStmt, alias *pg.Alias) *pg.Node_RangeSubselect {
	return &pg.Node_RangeSubselect{RangeSubselect: &pg.RangeSubselect{Subquery: selectNode(s), Alias: alias}}
}
