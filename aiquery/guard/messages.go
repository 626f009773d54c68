package guard

// allowed lists the messages a tree may hold, each with the fields that may be
// set. A message or field that is not here is refused, whatever it means, so a
// new version of the grammar adds nothing unnoticed. Fields of the raw tree that
// only PostgreSQL's later stages fill are left out.
var allowed = map[string]string{
	"ParseResult":    "version stmts",
	"RawStmt":        "stmt stmt_location stmt_len",
	"Node":           "node",
	"List":           "items",
	"String":         "sval",
	"Integer":        "ival",
	"Float":          "fval",
	"Boolean":        "boolval",
	"BitString":      "bsval",
	"A_Const":        "val isnull location",
	"A_Star":         "",
	"A_Indices":      "is_slice lidx uidx",
	"A_Indirection":  "arg indirection",
	"A_ArrayExpr":    "elements location",
	"A_Expr":         "kind name lexpr rexpr location",
	"Alias":          "aliasname colnames",
	"BoolExpr":       "boolop args location",
	"BooleanTest":    "arg booltesttype location",
	"CaseExpr":       "arg args defresult location",
	"CaseWhen":       "expr result location",
	"CoalesceExpr":   "args location",
	"CollateClause":  "arg collname location",
	"ColumnRef":      "fields location",
	"FuncCall":       "funcname args agg_order agg_filter over agg_within_group agg_star agg_distinct func_variadic funcformat location",
	"GroupingFunc":   "args location",
	"GroupingSet":    "kind content location",
	"JoinExpr":       "jointype is_natural larg rarg using_clause join_using_alias quals alias",
	"MinMaxExpr":     "op args location",
	"NamedArgExpr":   "arg name argnumber location",
	"NullTest":       "arg nulltesttype location",
	"ParamRef":       "number location",
	"RangeFunction":  "lateral ordinality is_rowsfrom functions alias",
	"RangeSubselect": "lateral subquery alias",
	"RangeVar":       "schemaname relname inh relpersistence alias location",
	"ResTarget":      "name val location",
	"RowExpr":        "args row_format location",
	"SelectStmt": "distinct_clause target_list from_clause where_clause group_clause group_distinct having_clause " +
		"window_clause values_lists sort_clause limit_offset limit_count limit_option with_clause op all larg rarg",
	"SortBy":           "node sortby_dir sortby_nulls use_op location",
	"SQLValueFunction": "op typmod location",
	"SubLink":          "sub_link_type testexpr oper_name subselect location",
	"TypeCast":         "arg type_name location",
	"TypeName":         "names typmods typemod array_bounds location",
	"WindowDef":        "name refname partition_clause order_clause frame_options start_offset end_offset location",
	"WithClause":       "ctes recursive location",
	"CommonTableExpr":  "ctename aliascolnames ctematerialized ctequery search_clause cycle_clause location",
	"CTESearchClause":  "search_col_list search_breadth_first search_seq_column location",
	"CTECycleClause": "cycle_col_list cycle_mark_column cycle_mark_value cycle_mark_default cycle_path_column " +
		"location",
}

// allowedEnums lists the values of enumerations that may occur.
var allowedEnums = map[string]string{
	"SetOperation":   "SETOP_NONE SETOP_UNION SETOP_INTERSECT SETOP_EXCEPT",
	"LimitOption":    "LIMIT_OPTION_DEFAULT LIMIT_OPTION_COUNT LIMIT_OPTION_WITH_TIES",
	"JoinType":       "JOIN_INNER JOIN_LEFT JOIN_FULL JOIN_RIGHT",
	"CTEMaterialize": "CTEMaterializeDefault CTEMaterializeAlways CTEMaterializeNever",
	"A_Expr_Kind": "AEXPR_OP AEXPR_OP_ANY AEXPR_OP_ALL AEXPR_DISTINCT AEXPR_NOT_DISTINCT AEXPR_NULLIF AEXPR_IN " +
		"AEXPR_LIKE AEXPR_ILIKE AEXPR_SIMILAR AEXPR_BETWEEN AEXPR_NOT_BETWEEN AEXPR_BETWEEN_SYM AEXPR_NOT_BETWEEN_SYM",
	"SubLinkType":     "EXISTS_SUBLINK ALL_SUBLINK ANY_SUBLINK EXPR_SUBLINK ARRAY_SUBLINK",
	"SortByDir":       "SORTBY_DEFAULT SORTBY_ASC SORTBY_DESC SORTBY_USING",
	"SortByNulls":     "SORTBY_NULLS_DEFAULT SORTBY_NULLS_FIRST SORTBY_NULLS_LAST",
	"BoolExprType":    "AND_EXPR OR_EXPR NOT_EXPR",
	"NullTestType":    "IS_NULL IS_NOT_NULL",
	"BoolTestType":    "IS_TRUE IS_NOT_TRUE IS_FALSE IS_NOT_FALSE IS_UNKNOWN IS_NOT_UNKNOWN",
	"MinMaxOp":        "IS_GREATEST IS_LEAST",
	"GroupingSetKind": "GROUPING_SET_EMPTY GROUPING_SET_SIMPLE GROUPING_SET_ROLLUP GROUPING_SET_CUBE GROUPING_SET_SETS",
	"CoercionForm":    "COERCE_EXPLICIT_CALL COERCE_IMPLICIT_CAST COERCE_SQL_SYNTAX", // implicit: a row without ROW
	"SQLValueFunctionOp": "SVFOP_CURRENT_DATE SVFOP_CURRENT_TIME SVFOP_CURRENT_TIME_N SVFOP_CURRENT_TIMESTAMP " +
		"SVFOP_CURRENT_TIMESTAMP_N SVFOP_LOCALTIME SVFOP_LOCALTIME_N SVFOP_LOCALTIMESTAMP SVFOP_LOCALTIMESTAMP_N",
}

// locations are fields that say where in the text something stood.
var locations = map[string]bool{"location": true, "stmt_location": true, "stmt_len": true}
