package guard

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// Conditions of the caller are where hidden values could show: the database
// evaluates the conditions on a table's rows in an order of its own, those of
// the role among them, and moves conditions from anywhere to the tables they
// are about. So every condition is one of two kinds.
//
// A plain one compares columns with values or with one another, in a way that
// can neither fail nor take long (see plain.go). It may meet hidden rows and
// use indexes. Its constants travel as parameters, so that the planner does not
// compare them with what it knows of hidden rows.
//
// For any other one all columns in it are gated (see source): it meets NULL in
// place of hidden values. It also comes after the role's conditions, because
// the planner orders conditions by their cost, and a gated column costs as much
// as the role's conditions do.

// clause says where a condition stands.
type clause int

const (
	where   clause = iota
	innerOn        // ON of an inner join
	outerOn        // ON of another
	having
)

// judged resolves the conditions that AND joins, and says which can fail.
func (r *resolver) judged(n *pg.Node, e env, k clause) ([]failable, error) {
	var list []failable
	for _, t := range terms(n) {
		before := r.mark()
		t, err := r.conditions(t, e, k)
		if err != nil {
			return nil, err
		}
		list = append(list, failable{t, r.failed(before)})
	}
	return list, nil
}

// conditions resolves a condition and returns what to write for it.
func (r *resolver) conditions(n *pg.Node, e env, k clause) (*pg.Node, error) {
	if n == nil || n.Node == nil {
		return n, nil
	}
	if b := n.GetBoolExpr(); b != nil && b.Boolop == pg.BoolExprType_AND_EXPR {
		for i, arg := range b.Args {
			var err error
			if b.Args[i], err = r.conditions(arg, e, k); err != nil {
				return nil, err
			}
		}
		return n, nil
	}
	return r.term(n, e, k)
}

// term resolves one of the conditions that AND joins.
func (r *resolver) term(n *pg.Node, e env, k clause) (*pg.Node, error) {
	if k != having { // whose expressions have to stay equal to those of GROUP BY
		if done, err := r.plainCondition(n, e, k); done || err != nil {
			return n, err
		}
		if done, out, err := r.scalarCondition(n, e); done || err != nil {
			return out, err
		}
	}
	if k == where || k == innerOn {
		if done, out, err := r.joinedCondition(n, e); done || err != nil {
			return out, err
		}
	}
	v, refs, err := r.watched(n, e)
	if err != nil {
		return nil, err
	}
	gateAll(v.sources)
	return afterGates(n, refs), nil
}

// watched resolves an expression and collects the references to the level at
// hand that stand in its subqueries.
func (r *resolver) watched(n *pg.Node, e env) (value, []outer, error) {
	kept := r.outer
	r.outer = nil
	v, err := r.node(n, e)
	refs := r.outer
	r.outer = kept
	return v, refs, err
}

// afterGates makes an expression with subqueries that name columns of the level
// at hand cost as much as those columns do. The planner leaves such references
// out of its account, so it might put a condition before the role's, which would
// show whether there are hidden rows.
func afterGates(n *pg.Node, refs []outer) *pg.Node {
	var args []*pg.Node
	for _, o := range refs {
		if len(o.sources) > 0 && !slices.ContainsFunc(args, func(a *pg.Node) bool { return sameReference(a, o.node) }) {
			args = append(args, o.node)
		}
	}
	if len(args) == 0 {
		return n
	}
	return caseWhen(evaluated(args), n)
}

// evaluated is a condition that always holds, and evaluates expressions.
func evaluated(args []*pg.Node) *pg.Node {
	call := &pg.FuncCall{Funcname: names(catalog, "num_nulls"), Args: args, Funcformat: pg.CoercionForm_COERCE_EXPLICIT_CALL}
	return &pg.Node{Node: &pg.Node_AExpr{AExpr: &pg.A_Expr{Kind: pg.A_Expr_Kind_AEXPR_OP, Name: names(">="),
		Lexpr: &pg.Node{Node: &pg.Node_FuncCall{FuncCall: call}}, Rexpr: intConst(0)}}}
}

func sameReference(a, b *pg.Node) bool {
	return slices.EqualFunc(a.GetColumnRef().GetFields(), b.GetColumnRef().GetFields(), func(x, y *pg.Node) bool {
		return x.GetString_().GetSval() == y.GetString_().GetSval() && (x.GetAStar() == nil) == (y.GetAStar() == nil)
	})
}
