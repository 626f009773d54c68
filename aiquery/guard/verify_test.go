package guard

import (
	"reflect"
	"strings"
	"testing"

	pg "github.com/pganalyze/pg_query_go/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// securedTree is the tree the verifier sees for a statement, as it runs.
func securedTree(t testing.TB, sql string, params int) *pg.ParseResult {
	t.Helper()
	plan, err := New(nil).Secure(t.Context(), testPolicy(), sql, params, 10)
	require.NoError(t, err, sql)
	tree, err := postgres.parse(plan.SQL)
	require.NoError(t, err)
	require.NoError(t, verify(tree, testPolicy(), "adempiere", 50, params+len(plan.Values), 10))
	return tree
}

// securedSelect finds the subquery that stands for a table.
func securedSelect(m any, table string) *pg.SelectStmt {
	var found *pg.SelectStmt
	_ = visit(m, -1, func(m any, _ int32) error {
		if s, ok := m.(*pg.SelectStmt); ok && len(s.FromClause) == 1 {
			if v := s.FromClause[0].GetRangeVar(); v.GetRelname() == table && v.GetSchemaname() != "" ||
				s.FromClause[0].GetRangeSubselect().GetAlias().GetAliasname() == viewPrefix+table {
				found = s
			}
		}
		return nil
	})
	return found
}

// gateOf finds the SELECT that hides the values of hidden rows.
func gateOf(m any) *pg.SelectStmt {
	var found *pg.SelectStmt
	_ = visit(m, -1, func(m any, _ int32) error {
		if s, ok := m.(*pg.SelectStmt); ok && len(s.FromClause) == 1 && s.FromClause[0].GetRangeSubselect().GetAlias().GetAliasname() == gateAlias {
			found = s
		}
		return nil
	})
	return found
}

// TestVerifyRefusesTamperedTrees changes one thing about a secured statement.
func TestVerifyRefusesTamperedTrees(t *testing.T) {
	t.Parallel()
	const partners = "SELECT name, apikey FROM c_bpartner WHERE name = $1"
	const gatedPartners = "SELECT name, apikey FROM c_bpartner WHERE upper(name) = $1"
	const fencedRuled = "SELECT name FROM c_ruled WHERE upper(name) = $1"
	call := func(parts ...string) *pg.Node {
		return &pg.Node{Node: &pg.Node_FuncCall{FuncCall: &pg.FuncCall{Funcname: names(parts...), Funcformat: pg.CoercionForm_COERCE_EXPLICIT_CALL}}}
	}
	inner := func(tree *pg.ParseResult) *pg.SelectStmt {
		return selectOf(tree).FromClause[0].GetRangeSubselect().Subquery.GetSelectStmt()
	}
	partner := func(tree *pg.ParseResult) *pg.SelectStmt { return securedSelect(tree, "c_bpartner") }
	conditions := func(tree *pg.ParseResult) []*pg.Node { return partner(tree).WhereClause.GetBoolExpr().Args }
	for name, test := range map[string]struct {
		sql    string // of partners when empty
		tamper func(tree *pg.ParseResult)
	}{
		"no conditions":  {tamper: func(tree *pg.ParseResult) { partner(tree).WhereClause = nil }},
		"one condition":  {tamper: func(tree *pg.ParseResult) { partner(tree).WhereClause = conditions(tree)[0] }},
		"last condition": {tamper: func(tree *pg.ParseResult) { partner(tree).WhereClause.GetBoolExpr().Args = conditions(tree)[:2] }},
		"or":             {tamper: func(tree *pg.ParseResult) { partner(tree).WhereClause.GetBoolExpr().Boolop = pg.BoolExprType_OR_EXPR }},
		"another condition": {tamper: func(tree *pg.ParseResult) {
			b := partner(tree).WhereClause.GetBoolExpr()
			b.Args = append(b.Args, b.Args[0])
		}},
		"or true": {tamper: func(tree *pg.ParseResult) {
			s := partner(tree)
			s.WhereClause = boolExpr(pg.BoolExprType_OR_EXPR, s.WhereClause, isNull(nullConst()))
		}},
		"not": {tamper: func(tree *pg.ParseResult) {
			s := partner(tree)
			s.WhereClause = boolExpr(pg.BoolExprType_NOT_EXPR, s.WhereClause)
		}},
		"one organization more": {tamper: func(tree *pg.ParseResult) {
			l := conditions(tree)[1].GetAExpr().Rexpr.GetList()
			l.Items = append(l.Items, intConst(99))
		}},
		"one organization less":  {tamper: func(tree *pg.ParseResult) { l := conditions(tree)[1].GetAExpr().Rexpr.GetList(); l.Items = l.Items[1:] }},
		"organization as a text": {tamper: func(tree *pg.ParseResult) { conditions(tree)[1].GetAExpr().Rexpr.GetList().Items[0] = textConst("0") }},
		"condition as a parameter": {tamper: func(tree *pg.ParseResult) {
			conditions(tree)[1].GetAExpr().Rexpr.GetList().Items[0] = &pg.Node{Node: &pg.Node_ParamRef{ParamRef: &pg.ParamRef{Number: 1}}}
		}},
		"condition on another column": {tamper: func(tree *pg.ParseResult) { conditions(tree)[1].GetAExpr().Lexpr = columnRef("s", "ad_client_id") }},
		"condition on another table":  {tamper: func(tree *pg.ParseResult) { conditions(tree)[1].GetAExpr().Lexpr = columnRef("o", "ad_org_id") }},
		"condition on a name alone":   {tamper: func(tree *pg.ParseResult) { conditions(tree)[1].GetAExpr().Lexpr = columnRef("ad_org_id") }},
		"in becomes not in":           {tamper: func(tree *pg.ParseResult) { conditions(tree)[0].GetAExpr().Name = names("<>") }},
		"operator of a schema":        {tamper: func(tree *pg.ParseResult) { conditions(tree)[0].GetAExpr().Name = names("adempiere", "=") }},
		"not in becomes in":           {tamper: func(tree *pg.ParseResult) { conditions(tree)[2].GetBoolExpr().Args[1].GetAExpr().Name = names("=") }},
		"is not null": {tamper: func(tree *pg.ParseResult) {
			conditions(tree)[2].GetBoolExpr().Args[0].GetNullTest().Nulltesttype = pg.NullTestType_IS_NOT_NULL
		}},

		"another table":     {tamper: func(tree *pg.ParseResult) { partner(tree).FromClause[0].GetRangeVar().Relname = "c_order" }},
		"denied table":      {tamper: func(tree *pg.ParseResult) { partner(tree).FromClause[0].GetRangeVar().Relname = "ad_user" }},
		"unknown table":     {tamper: func(tree *pg.ParseResult) { partner(tree).FromClause[0].GetRangeVar().Relname = "pg_authid" }},
		"a view as a table": {tamper: func(tree *pg.ParseResult) { partner(tree).FromClause[0].GetRangeVar().Relname = "rv_order" }},
		"another schema":    {tamper: func(tree *pg.ParseResult) { partner(tree).FromClause[0].GetRangeVar().Schemaname = "public" }},
		"catalog schema":    {tamper: func(tree *pg.ParseResult) { partner(tree).FromClause[0].GetRangeVar().Schemaname = "pg_catalog" }},
		"no schema":         {tamper: func(tree *pg.ParseResult) { partner(tree).FromClause[0].GetRangeVar().Schemaname = "" }},
		"another database":  {tamper: func(tree *pg.ParseResult) { partner(tree).FromClause[0].GetRangeVar().Catalogname = "other" }},
		"only":              {tamper: func(tree *pg.ParseResult) { partner(tree).FromClause[0].GetRangeVar().Inh = false }},
		"temporary":         {tamper: func(tree *pg.ParseResult) { partner(tree).FromClause[0].GetRangeVar().Relpersistence = "t" }},
		"renamed columns":   {tamper: func(tree *pg.ParseResult) { partner(tree).FromClause[0].GetRangeVar().Alias.Colnames = names("name") }},
		"no alias":          {tamper: func(tree *pg.ParseResult) { partner(tree).FromClause[0].GetRangeVar().Alias = nil }},
		"a second table": {tamper: func(tree *pg.ParseResult) {
			s := partner(tree)
			s.FromClause = append(s.FromClause, proto.Clone(s.FromClause[0]).(*pg.Node))
		}},
		"a join": {tamper: func(tree *pg.ParseResult) {
			s := partner(tree)
			s.FromClause[0] = &pg.Node{Node: &pg.Node_JoinExpr{JoinExpr: &pg.JoinExpr{Jointype: pg.JoinType_JOIN_INNER,
				Larg: s.FromClause[0], Rarg: proto.Clone(s.FromClause[0]).(*pg.Node), Quals: isNull(nullConst())}}}
		}},
		"a bare table outside": {tamper: func(tree *pg.ParseResult) {
			s := inner(tree)
			s.FromClause[0] = proto.Clone(partner(tree).FromClause[0]).(*pg.Node)
		}},
		"a bare table beside": {tamper: func(tree *pg.ParseResult) {
			s := inner(tree)
			s.FromClause = append(s.FromClause, proto.Clone(partner(tree).FromClause[0]).(*pg.Node))
		}},
		"a bare table in an expression": {tamper: func(tree *pg.ParseResult) {
			s := newSelect()
			s.TargetList = []*pg.Node{{Node: &pg.Node_ResTarget{ResTarget: &pg.ResTarget{Val: columnRef("name")}}}}
			s.FromClause = []*pg.Node{proto.Clone(partner(tree).FromClause[0]).(*pg.Node)}
			in := inner(tree)
			in.WhereClause = &pg.Node{Node: &pg.Node_SubLink{SubLink: &pg.SubLink{SubLinkType: pg.SubLinkType_EXISTS_SUBLINK, Subselect: selectNode(s)}}}
		}},

		"redacted column shown": {tamper: func(tree *pg.ParseResult) { partner(tree).TargetList[2].GetResTarget().Val = columnRef("s", "apikey") }},
		"denied column shown": {tamper: func(tree *pg.ParseResult) {
			partner(tree).TargetList[1] = target("so_creditlimit", columnRef("s", "so_creditlimit"))
		}},
		"denied under another name": {tamper: func(tree *pg.ParseResult) {
			partner(tree).TargetList[1].GetResTarget().Val = columnRef("s", "so_creditlimit")
		}},
		"redacted under another name": {tamper: func(tree *pg.ParseResult) { partner(tree).TargetList[1].GetResTarget().Val = columnRef("s", "apikey") }},
		"column of another table":     {tamper: func(tree *pg.ParseResult) { partner(tree).TargetList[1].GetResTarget().Val = columnRef("o", "name") }},
		"unknown column":              {tamper: func(tree *pg.ParseResult) { partner(tree).TargetList[1] = target("ctid", columnRef("s", "ctid")) }},
		"star":                        {tamper: func(tree *pg.ParseResult) { partner(tree).TargetList[1].GetResTarget().Val = star() }},
		"computed column":             {tamper: func(tree *pg.ParseResult) { partner(tree).TargetList[1].GetResTarget().Val = call(catalog, "now") }},
		"no columns":                  {tamper: func(tree *pg.ParseResult) { partner(tree).TargetList = nil }},
		"redacted by an expression": {tamper: func(tree *pg.ParseResult) {
			partner(tree).TargetList[2].GetResTarget().Val.GetTypeCast().Arg = columnRef("s", "apikey")
		}},
		"distinct": {tamper: func(tree *pg.ParseResult) { partner(tree).DistinctClause = []*pg.Node{{}} }},
		"grouped":  {tamper: func(tree *pg.ParseResult) { partner(tree).GroupClause = []*pg.Node{columnRef("s", "name")} }},
		"limited":  {tamper: func(tree *pg.ParseResult) { partner(tree).LimitCount = intConst(1) }},
		"sorted": {tamper: func(tree *pg.ParseResult) {
			partner(tree).SortClause = []*pg.Node{{Node: &pg.Node_SortBy{SortBy: &pg.SortBy{Node: columnRef("s", "name"), SortbyDir: pg.SortByDir_SORTBY_ASC, SortbyNulls: pg.SortByNulls_SORTBY_NULLS_DEFAULT}}}}
		}},
		"locked": {tamper: func(tree *pg.ParseResult) {
			partner(tree).LockingClause = []*pg.Node{{Node: &pg.Node_LockingClause{LockingClause: &pg.LockingClause{}}}}
		}},
		"into":                {tamper: func(tree *pg.ParseResult) { inner(tree).IntoClause = &pg.IntoClause{Rel: &pg.RangeVar{Relname: "x"}} }},
		"fenced without need": {tamper: func(tree *pg.ParseResult) { partner(tree).LimitOffset = intConst(0) }},

		"function not listed":  {tamper: func(tree *pg.ParseResult) { inner(tree).TargetList[0].GetResTarget().Val = call(catalog, "pg_sleep") }},
		"function of a schema": {tamper: func(tree *pg.ParseResult) { inner(tree).TargetList[0].GetResTarget().Val = call("adempiere", "lower") }},
		"function without one": {tamper: func(tree *pg.ParseResult) { inner(tree).TargetList[0].GetResTarget().Val = call("lower") }},
		"function of three":    {tamper: func(tree *pg.ParseResult) { inner(tree).TargetList[0].GetResTarget().Val = call("x", catalog, "lower") }},
		"type not listed": {tamper: func(tree *pg.ParseResult) {
			partner(tree).TargetList[2].GetResTarget().Val.GetTypeCast().TypeName.Names = names(catalog, "regclass")
		}},
		"type of a schema": {tamper: func(tree *pg.ParseResult) {
			partner(tree).TargetList[2].GetResTarget().Val.GetTypeCast().TypeName.Names = names("adempiere", "text")
		}},
		"operator not listed":  {tamper: func(tree *pg.ParseResult) { inner(tree).WhereClause.GetAExpr().Name = names("@@@") }},
		"operator of a plugin": {tamper: func(tree *pg.ParseResult) { inner(tree).WhereClause.GetAExpr().Name = names("public", "=") }},
		"parameter not given":  {tamper: func(tree *pg.ParseResult) { inner(tree).WhereClause.GetAExpr().Rexpr.GetParamRef().Number = 2 }},
		"column of three parts": {tamper: func(tree *pg.ParseResult) {
			inner(tree).TargetList[0].GetResTarget().Val = columnRef("adempiere", "c_bpartner", "name")
		}},
		"field of a value": {tamper: func(tree *pg.ParseResult) {
			inner(tree).TargetList[0].GetResTarget().Val = &pg.Node{Node: &pg.Node_AIndirection{AIndirection: &pg.A_Indirection{Arg: textConst("/etc/passwd"), Indirection: names("pg_read_file")}}}
		}},
		"sublink operator": {sql: "SELECT name FROM c_bpartner WHERE c_bpartner_id > ALL (SELECT c_bpartner_id FROM c_order) AND name = $1", tamper: func(tree *pg.ParseResult) {
			inner(tree).WhereClause.GetBoolExpr().Args[0].GetSubLink().OperName = names("public", ">")
		}},
		"sort operator": {sql: "SELECT name FROM c_bpartner WHERE name = $1 ORDER BY name USING <", tamper: func(tree *pg.ParseResult) {
			inner(tree).SortClause[0].GetSortBy().UseOp = names("public", "<")
		}},
		"collation": {sql: `SELECT name COLLATE "C" FROM c_bpartner WHERE name = $1`, tamper: func(tree *pg.ParseResult) {
			inner(tree).TargetList[0].GetResTarget().Val.GetCollateClause().Collname = names("public", "x")
		}},

		"more rows":  {tamper: func(tree *pg.ParseResult) { selectOf(tree).LimitCount = intConst(12) }},
		"no limit":   {tamper: func(tree *pg.ParseResult) { selectOf(tree).LimitCount = nil }},
		"limit null": {tamper: func(tree *pg.ParseResult) { selectOf(tree).LimitCount = nullConst() }},
		"with ties": {tamper: func(tree *pg.ParseResult) {
			selectOf(tree).LimitOption = pg.LimitOption_LIMIT_OPTION_WITH_TIES
			selectOf(tree).WindowClause = []*pg.Node{{}}
		}},
		"outer condition":  {tamper: func(tree *pg.ParseResult) { selectOf(tree).WhereClause = isNull(nullConst()) }},
		"outer table":      {tamper: func(tree *pg.ParseResult) { selectOf(tree).FromClause[0] = partner(tree).FromClause[0] }},
		"outer column":     {tamper: func(tree *pg.ParseResult) { selectOf(tree).TargetList[0].GetResTarget().Val = columnRef("q", "name") }},
		"outer lateral":    {tamper: func(tree *pg.ParseResult) { selectOf(tree).FromClause[0].GetRangeSubselect().Lateral = true }},
		"outer set":        {tamper: func(tree *pg.ParseResult) { selectOf(tree).Op = pg.SetOperation_SETOP_UNION }},
		"second statement": {tamper: func(tree *pg.ParseResult) { tree.Stmts = append(tree.Stmts, tree.Stmts[0]) }},
		"another statement": {tamper: func(tree *pg.ParseResult) {
			tree.Stmts[0].Stmt = &pg.Node{Node: &pg.Node_DeleteStmt{DeleteStmt: &pg.DeleteStmt{}}}
		}},
		"no statement":  {tamper: func(tree *pg.ParseResult) { tree.Stmts = nil }},
		"unknown field": {tamper: func(tree *pg.ParseResult) { partner(tree).ProtoReflect().SetUnknown(unknownBytes) }},
		"unknown node":  {tamper: func(tree *pg.ParseResult) { partner(tree).TargetList[1].ProtoReflect().SetUnknown(unknownBytes) }},

		"with out of sight": {sql: "WITH x AS (SELECT name FROM c_bpartner) SELECT x.name, $1 FROM x", tamper: func(tree *pg.ParseResult) {
			inner(tree).WithClause.Ctes[0].GetCommonTableExpr().Ctename = "y"
		}},
		"with sees itself": {sql: "WITH x AS (SELECT name FROM c_bpartner), y AS (SELECT name FROM x WHERE name = $1) SELECT name FROM y", tamper: func(tree *pg.ParseResult) {
			w := inner(tree).WithClause
			w.Ctes[0], w.Ctes[1] = w.Ctes[1], w.Ctes[0]
		}},
		"data in with": {sql: "WITH x AS (SELECT name FROM c_bpartner) SELECT x.name, $1 FROM x", tamper: func(tree *pg.ParseResult) {
			inner(tree).WithClause.Ctes[0].GetCommonTableExpr().Ctequery = &pg.Node{Node: &pg.Node_DeleteStmt{DeleteStmt: &pg.DeleteStmt{}}}
		}},
		"with hides a table": {sql: "WITH c_order AS (SELECT name FROM c_bpartner) SELECT name, $1 FROM c_order", tamper: func(tree *pg.ParseResult) {
			inner(tree).FromClause[0].GetRangeVar().Schemaname = "adempiere"
		}},
		"view of another": {sql: "SELECT partner, $1 FROM rv_order", tamper: func(tree *pg.ParseResult) {
			securedSelect(tree, "rv_order").FromClause[0].GetRangeSubselect().Alias.Aliasname = viewPrefix + "rv_hidden"
		}},
		"view shows more": {sql: "SELECT partner, $1 FROM rv_order", tamper: func(tree *pg.ParseResult) {
			securedSelect(tree, "rv_order").TargetList[0] = target("secret", columnRef(viewPrefix+"rv_order", "secret"))
		}},
		"view's table bare": {sql: "SELECT partner, $1 FROM rv_order", tamper: func(tree *pg.ParseResult) { partner(tree).WhereClause = nil }},
		"view's denied column": {sql: "SELECT credit, $1 FROM rv_order", tamper: func(tree *pg.ParseResult) {
			s := partner(tree)
			for _, n := range s.TargetList {
				if n.GetResTarget().Name == "so_creditlimit" {
					n.GetResTarget().Val = columnRef("s", "so_creditlimit")
				}
			}
		}},
		"lateral view": {sql: "SELECT partner, $1 FROM rv_order", tamper: func(tree *pg.ParseResult) {
			securedSelect(tree, "rv_order").FromClause[0].GetRangeSubselect().Lateral = true
		}},
		"rule dropped": {sql: "SELECT name FROM c_ruled WHERE name = $1", tamper: func(tree *pg.ParseResult) {
			b := securedSelect(tree, "c_ruled").WhereClause.GetBoolExpr()
			b.Args = b.Args[:2]
		}},
		"rule's table bare": {sql: "SELECT name FROM c_ruled WHERE name = $1", tamper: func(tree *pg.ParseResult) { securedSelect(tree, "c_order").WhereClause = nil }},

		"gate gone": {sql: gatedPartners, tamper: func(tree *pg.ParseResult) {
			gateOf(tree).TargetList[1].GetResTarget().Val = columnRef(gateAlias, "name")
			gateOf(tree).WhereClause = nil
		}},
		"gate of the column gone":      {sql: gatedPartners, tamper: ungate},
		"gate gone, in ON":             {sql: "SELECT o.c_order_id, $1 FROM c_order o LEFT JOIN c_bpartner p ON upper(p.name) = 'x'", tamper: ungate},
		"gate gone, in HAVING":         {sql: "SELECT name, $1 FROM c_bpartner GROUP BY name HAVING upper(name) = 'x'", tamper: ungate},
		"gate gone, in a subquery":     {sql: "SELECT 1, $1 FROM c_order o WHERE EXISTS (SELECT 1 FROM c_bpartner p WHERE upper(p.name) = 'x')", tamper: ungate},
		"gate gone, around a subquery": {sql: "SELECT 1, $1 FROM c_bpartner p WHERE EXISTS (SELECT 1 FROM c_order o WHERE upper(p.name) = o.documentno)", tamper: ungate},
		"gate gone, without its table": {sql: "SELECT 1, $1 FROM c_order o, c_bpartner p WHERE upper(name) = documentno", tamper: ungate},
		"gate gone, in OR and CASE":    {sql: "SELECT 1, $1 FROM c_bpartner WHERE CASE WHEN taxid = 'x' OR name LIKE 'x%' THEN true END", tamper: ungate},
		"gate gone, in a test":         {sql: "SELECT 1, $1 FROM c_bpartner WHERE lower(name) IN (SELECT documentno FROM c_order)", tamper: ungate},
		"gate gone, on one side":       {sql: "SELECT 1, $1 FROM c_order o JOIN c_bpartner p ON o.documentno = p.name WHERE upper(o.documentno) = 'x'", tamper: ungate},
		"gate open": {sql: gatedPartners, tamper: func(tree *pg.ParseResult) {
			gateOf(tree).TargetList[1].GetResTarget().Val.GetCaseExpr().Args[0].GetCaseWhen().Expr.GetAExpr().Name = names("<=")
		}},
		"gate for another column": {sql: gatedPartners, tamper: func(tree *pg.ParseResult) {
			gateOf(tree).TargetList[1].GetResTarget().Val.GetCaseExpr().Args[0].GetCaseWhen().Result = columnRef(gateAlias, "apikey")
		}},
		"gate with an ELSE": {sql: gatedPartners, tamper: func(tree *pg.ParseResult) {
			gateOf(tree).TargetList[1].GetResTarget().Val.GetCaseExpr().Defresult = columnRef(gateAlias, "name")
		}},
		"conditions of a gate": {sql: gatedPartners, tamper: func(tree *pg.ParseResult) {
			list := partner(tree).TargetList
			b := list[len(list)-1].GetResTarget().Val.GetBoolExpr()
			b.Args = b.Args[1:]
		}},
		"conditions of a gate under another name": {sql: gatedPartners, tamper: func(tree *pg.ParseResult) {
			list := partner(tree).TargetList
			list[len(list)-1].GetResTarget().Name = "ok"
		}},

		"fence gone":        {sql: fencedRuled, tamper: func(tree *pg.ParseResult) { securedSelect(tree, "c_ruled").LimitOffset = nil }},
		"fence of one":      {sql: fencedRuled, tamper: func(tree *pg.ParseResult) { securedSelect(tree, "c_ruled").LimitOffset = intConst(1) }},
		"fence of a column": {sql: fencedRuled, tamper: func(tree *pg.ParseResult) { securedSelect(tree, "c_ruled").LimitOffset = columnRef("s", "name") }},
		"fence and count":   {sql: fencedRuled, tamper: func(tree *pg.ParseResult) { securedSelect(tree, "c_ruled").LimitCount = intConst(5) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sql := test.sql
			if sql == "" {
				sql = partners
			}
			tree := securedTree(t, sql, 1)
			before := proto.Clone(tree)
			test.tamper(tree)
			require.False(t, proto.Equal(before, tree), "nothing was changed")
			err := verify(tree, testPolicy(), "adempiere", 50, 1, 10)
			assert.Error(t, err)
		})
	}
}

// A constant of the caller stands in no condition, nor in what IN and ANY compare with.
func TestVerifyRefusesConstants(t *testing.T) {
	t.Parallel()
	for condition, fails := range map[string]bool{
		"x.name OPERATOR(pg_catalog.=) $1":                                                            false,
		"x.name OPERATOR(pg_catalog.=) 'a'":                                                           true,
		"x.name OPERATOR(pg_catalog.=) NULL":                                                          false,
		"x.name OPERATOR(pg_catalog.=) ANY (SELECT $1::pg_catalog.text)":                              false,
		"x.name OPERATOR(pg_catalog.=) ANY (SELECT 'a'::pg_catalog.text)":                             true,
		"x.name OPERATOR(pg_catalog.=) ANY (VALUES ($1), ('a'))":                                      true,
		"x.name OPERATOR(pg_catalog.=) ANY (SELECT y.name FROM erphub_t0 y UNION ALL SELECT 'a')":     true,
		"x.name OPERATOR(pg_catalog.<>) ALL (SELECT pg_catalog.lower('A'))":                           true,
		"EXISTS (SELECT 1 FROM erphub_t0 y WHERE y.name OPERATOR(pg_catalog.=) 'a')":                  true,
		"EXISTS (SELECT 1 FROM erphub_t0 y WHERE y.name OPERATOR(pg_catalog.=) x.name)":               false,
		"x.name OPERATOR(pg_catalog.=) ANY (SELECT 'a'::pg_catalog.text FROM erphub_t0 y GROUP BY 1)": false, // the column is gated
	} {
		t.Run(condition, func(t *testing.T) {
			t.Parallel()
			tree, err := postgres.parse("SELECT * FROM (SELECT x.name FROM erphub_t0 x WHERE " + condition + ") q LIMIT 11")
			require.NoError(t, err)
			v := &verifier{policy: testPolicy(), schema: "adempiere", params: 1, pieces: 1, shown: [][]shownColumn{{{name: "name", gated: true}}}}
			err = v.statement(tree, 50, 10)
			if fails {
				assert.ErrorContains(t, err, "constant")
			} else {
				assert.NoError(t, err)
			}
		})
	}
}

// ungate shows the names of partners as they are.
func ungate(tree *pg.ParseResult) {
	_ = visit(tree, -1, func(m any, _ int32) error {
		s, ok := m.(*pg.SelectStmt)
		if !ok || len(s.FromClause) != 1 || s.FromClause[0].GetRangeSubselect().GetAlias().GetAliasname() != gateAlias {
			return nil
		}
		for _, n := range s.TargetList {
			if t := n.GetResTarget(); t.Name == "name" {
				t.Val = columnRef(gateAlias, t.Name)
			}
		}
		return nil
	})
}

// unknownBytes is a field no message has.
var unknownBytes = protoreflect.RawFields{0xf8, 0xff, 0x03, 0x01}

// TestVerifyRefusesEveryChange changes each value and drops each message of the
// secured subqueries of base tables, one after the other.
func TestVerifyRefusesEveryChange(t *testing.T) {
	t.Parallel()
	policy := testPolicy()
	for _, sql := range []string{
		"SELECT b.name, b.apikey, o.documentno FROM c_bpartner b JOIN c_order o USING (c_bpartner_id)",
		"SELECT b.name, b.apikey, o.documentno FROM c_bpartner b JOIN c_order o USING (c_bpartner_id) WHERE upper(b.name) <> lower(o.documentno)",
	} {
		tree := securedTree(t, sql, 0)
		changes := 0
		for _, table := range []string{"c_bpartner", "c_order"} {
			everyChange(reflect.ValueOf(securedSelect(tree, table)), table, func(path string) {
				// What a mask says is the policy's business.
				// A column or the table less can only make the statement fail.
				if strings.Contains(path, ".TypeCast") || strings.HasSuffix(path, ".target_list") || strings.HasSuffix(path, ".from_clause") ||
					strings.HasSuffix(path, ".SelectStmt.Node.node") {
					return
				}
				changes++
				if err := verify(tree, policy, "adempiere", 50, 0, 10); err == nil {
					t.Errorf("%s: not noticed", path)
				}
			})
		}
		assert.NoError(t, verify(tree, policy, "adempiere", 50, 0, 10), "all changes were taken back")
		assert.Greater(t, changes, 150)
	}
}

// everyChange makes a change at a time below a message, calls f, and takes it
// back.
func everyChange(v reflect.Value, path string, f func(path string)) {
	m := v.Elem()
	l := layoutOf(m.Type())
	path += "." + l.name
	for _, fl := range l.fields {
		if fl.place {
			continue
		}
		fv, at := m.Field(fl.index), path+"."+fl.name
		kept := reflect.New(fv.Type()).Elem()
		kept.Set(fv)
		switch fl.shape {
		case scalar:
			switch fv.Kind() {
			case reflect.Bool:
				fv.SetBool(!fv.Bool())
			case reflect.String:
				fv.SetString(fv.String() + "x")
			case reflect.Int32, reflect.Int64:
				fv.SetInt(fv.Int() + 1)
			default:
				fv.SetUint(fv.Uint() + 1)
			}
			f(at)
			fv.Set(kept)
		case message:
			if !fv.IsNil() {
				fv.SetZero()
				f(at)
				fv.Set(kept)
				everyChange(fv, path, f)
			}
		case repeated:
			for i := range fv.Len() {
				less := reflect.AppendSlice(reflect.MakeSlice(fv.Type(), 0, fv.Len()), fv.Slice(0, i))
				fv.Set(reflect.AppendSlice(less, kept.Slice(i+1, kept.Len())))
				f(at)
				fv.Set(kept)
				everyChange(fv.Index(i), path, f)
			}
		case oneof:
			if fv.IsNil() {
				continue
			}
			fv.SetZero()
			f(at)
			fv.Set(kept)
			if in := inner(fv); in.Kind() == reflect.Pointer {
				everyChange(in, path, f)
			}
		}
	}
}
