package guard

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	api "github.com/erphub/erphub/aiquery/api"
)

// reserved begins the names the guard itself gives.
const reserved = "erphub_"

// checker applies the rules that need no knowledge of names in scope, and
// qualifies functions, types and collations on the way.
type checker struct {
	job     *job
	trusted bool // the text of a view or of an administrator's rule
	params  int
	used    []int // how often each parameter is
	nodes   int   // seen
}

func (c *checker) check(m any, at int32) error {
	return visit(m, at, c.message)
}

func (c *checker) message(m any, at int32) error {
	c.nodes++
	switch m := m.(type) {
	case *pg.FuncCall:
		return c.function(m, at)
	case *pg.TypeName:
		return c.typeName(m, at)
	case *pg.A_Expr:
		return c.expression(m, at)
	case *pg.A_Const:
		return c.constant(m, at)
	case *pg.CollateClause:
		return c.collation(m, at)
	case *pg.SubLink:
		if len(m.OperName) > 0 {
			if err := c.operator(m.OperName, at); err != nil {
				return err
			}
		}
		return isSelect(m.Subselect, at)
	case *pg.SortBy:
		if len(m.UseOp) > 0 {
			return c.operator(m.UseOp, at)
		}
	case *pg.ParamRef:
		if m.Number < 1 || int(m.Number) > c.params {
			return &fault{kind: Syntax, at: at, reason: "there is no parameter $" + itoa(m.Number),
				hint: "parameters are $1 to the number of values given"}
		}
		c.used[m.Number-1]++
	case *pg.RangeVar:
		if !m.Inh {
			return unsupported(at, "ONLY is not supported here").advise("name the table only")
		}
		if m.Relpersistence != "p" {
			return unsupported(at, "temporary tables are not supported here")
		}
	case *pg.RangeSubselect:
		return isSelect(m.Subquery, at)
	case *pg.CommonTableExpr:
		if strings.HasPrefix(m.Ctename, reserved) && !c.trusted {
			return unsupported(at, "names that begin with %s are reserved", reserved)
		}
		return isSelect(m.Ctequery, at)
	case *pg.Alias:
		if strings.HasPrefix(m.Aliasname, reserved) && !c.trusted {
			return unsupported(at, "names that begin with %s are reserved", reserved)
		}
	case *pg.RangeFunction:
		return c.rangeFunction(m, at)
	case *pg.RawStmt:
		return isSelect(m.Stmt, at)
	}
	return nil
}

// rangeFunction checks that a FROM item calls functions made for it and nothing
// that merely looks like one, such as CAST.
func (c *checker) rangeFunction(m *pg.RangeFunction, at int32) error {
	for _, n := range m.Functions {
		items := n.GetList().GetItems()
		if len(items) == 0 {
			return unsupported(at, "this FROM item is not supported here")
		}
		for _, extra := range items[1:] {
			if content(extra) != nil {
				return refuseMessage("ColumnDef", at)
			}
		}
		call := items[0].GetFuncCall()
		if call == nil {
			return unsupported(at, "an expression is not supported as a FROM item").advise("write (SELECT … AS name) AS alias")
		}
		if call.Location >= 0 {
			at = call.Location
		}
		parts := call.Funcname
		name := parts[len(parts)-1].GetString_().GetSval()
		if _, ok := tableFunctions[name]; !ok || call.Funcformat != pg.CoercionForm_COERCE_EXPLICIT_CALL {
			return denied(at, "function %s is not available in FROM", name).advise("write (SELECT … AS name) AS alias").about(api.FunctionObject, name)
		}
	}
	return nil
}

// isSelect refuses everything but SELECT where the grammar takes any statement.
func isSelect(n *pg.Node, at int32) error {
	if n.GetSelectStmt() != nil {
		return nil
	}
	m := content(n)
	if m == nil {
		return unsupported(at, "a SELECT is missing")
	}
	f := refuseMessage(messageName(m), at)
	f.kind = NotSelect
	return f
}
