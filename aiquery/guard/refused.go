package guard

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// words says what a message or field that is not allowed is, and what to use
// instead.
type words struct{ what, hint string }

var refusedMessages = map[string]words{
	"IntoClause":            {"SELECT INTO", "leave INTO out: the rows are the result"},
	"LockingClause":         {"locking rows (FOR UPDATE, FOR SHARE)", "leave it out: nothing is changed here"},
	"RangeTableSample":      {"TABLESAMPLE", "use ORDER BY and LIMIT"},
	"RangeTableFunc":        {"XMLTABLE", ""},
	"XmlExpr":               {"XML", "use the json functions"},
	"XmlSerialize":          {"XML", "use the json functions"},
	"JsonTable":             {"JSON_TABLE", "use jsonb_array_elements or jsonb_path_query"},
	"JsonObjectConstructor": {"JSON_OBJECT", "use json_build_object"},
	"JsonArrayConstructor":  {"JSON_ARRAY", "use json_build_array"},
	"JsonArrayQueryConstructor": {
		"JSON_ARRAY", "use json_agg in a subquery"},
	"JsonObjectAgg":   {"JSON_OBJECTAGG", "use json_object_agg"},
	"JsonArrayAgg":    {"JSON_ARRAYAGG", "use json_agg"},
	"JsonIsPredicate": {"IS JSON", ""},
	"JsonFuncExpr":    {"this SQL/JSON function", "use jsonb_path_query_first or the operators -> and ->>"},
	"JsonParseExpr":   {"JSON(…)", "use a cast to json"},
	"JsonScalarExpr":  {"JSON_SCALAR", "use to_json"},
	"CurrentOfExpr":   {"WHERE CURRENT OF", ""},
	"SetToDefault":    {"DEFAULT", "write a value"},
	"MultiAssignRef":  {"assignments", ""},
	"MergeSupportFunc": {
		"MERGE_ACTION", ""},
	"ColumnDef": {"a list of column definitions", "use the operators -> and ->> with casts"},
}

func refuseMessage(name string, at int32) *fault {
	if w, ok := refusedMessages[name]; ok {
		return unsupported(at, "%s is not supported here", w.what).advise("%s", w.hint)
	}
	if strings.HasSuffix(name, "Stmt") {
		return &fault{kind: NotSelect, reason: statementName(name) + " is not allowed: only SELECT is", at: at}
	}
	return unsupported(at, "%s is not supported here", name)
}

// statementName returns "INSERT" for "InsertStmt".
func statementName(name string) string {
	return strings.ToUpper(strings.TrimSuffix(name, "Stmt"))
}

var refusedFields = map[string]words{
	"SelectStmt.into_clause":    refusedMessages["IntoClause"],
	"SelectStmt.locking_clause": refusedMessages["LockingClause"],
	"RangeVar.catalogname":      {"naming a database", "name the table only"},
	"RangeFunction.coldeflist":  refusedMessages["ColumnDef"],
	"TypeName.setof":            {"SETOF", ""},
	"TypeName.pct_type":         {"%TYPE", "name the type"},
	"ResTarget.indirection":     {"naming a column's part", ""},
}

func refuseField(message, field string, at int32) *fault {
	if w, ok := refusedFields[message+"."+field]; ok {
		return unsupported(at, "%s is not supported here", w.what).advise("%s", w.hint)
	}
	return unsupported(at, "%s with %s is not supported here", message, field)
}

func refuseValue(enum string, value int64, at int32) *fault {
	switch enum {
	case "SQLValueFunctionOp":
		return denied(at, "%s is not available", valueFunctionName(pg.SQLValueFunctionOp(value)))
	case "A_Expr_Kind", "SubLinkType", "SetOperation", "JoinType":
		return unsupported(at, "this form of expression is not supported here")
	default:
		return unsupported(at, "this form (%s) is not supported here", enum)
	}
}

func valueFunctionName(op pg.SQLValueFunctionOp) string {
	name := strings.TrimPrefix(op.String(), "SVFOP_")
	return strings.ToLower(strings.TrimSuffix(name, "_N"))
}
