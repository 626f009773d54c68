package guard

import (
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/erphub/erphub/internal/lazyregexp"
)

func set(names string) map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		m[name] = true
	}
	return m
}

const aggregateNames = `
	count sum avg min max bool_and bool_or every string_agg array_agg json_agg jsonb_agg json_object_agg jsonb_object_agg
	stddev stddev_pop stddev_samp variance var_pop var_samp corr covar_pop covar_samp bit_and bit_or bit_xor any_value
	regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy
	mode percentile_cont percentile_disc range_agg range_intersect_agg
`

var aggregates = set(aggregateNames)

// builtins are the functions of pg_catalog a statement may call. None of them
// reads a table by name, a file, or the state of session and server, and none
// makes large values out of small ones (see width).
var builtins = set(aggregateNames + `
	row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value

	abs ceil ceiling floor round trunc mod div power pow sqrt cbrt exp ln log log10 sign width_bucket degrees radians pi
	gcd lcm sin cos tan asin acos atan atan2 scale min_scale trim_scale

	lower upper initcap length char_length character_length octet_length bit_length left right substr substring replace
	translate reverse position strpos split_part concat concat_ws btrim ltrim rtrim trim lpad rpad starts_with format
	to_hex md5 chr ascii overlay regexp_replace regexp_match regexp_matches regexp_split_to_array regexp_split_to_table
	regexp_count regexp_instr regexp_like regexp_substr string_to_array string_to_table array_to_string normalize
	like_escape similar_to_escape similar_escape quote_literal is_normalized

	now date_trunc date_bin date_part extract age to_char to_date to_timestamp to_number make_date make_time make_timestamp
	make_timestamptz make_interval justify_days justify_hours justify_interval isfinite timezone overlaps
	transaction_timestamp

	array_length array_ndims array_lower array_upper cardinality array_append array_prepend array_cat array_position
	array_positions array_remove array_replace unnest generate_series generate_subscripts

	to_json to_jsonb row_to_json array_to_json json_build_object jsonb_build_object json_build_array jsonb_build_array
	json_array_length jsonb_array_length json_array_elements jsonb_array_elements json_array_elements_text
	jsonb_array_elements_text json_each jsonb_each json_each_text jsonb_each_text json_object_keys jsonb_object_keys
	json_extract_path jsonb_extract_path json_extract_path_text jsonb_extract_path_text json_typeof jsonb_typeof
	jsonb_set jsonb_strip_nulls json_strip_nulls jsonb_path_exists jsonb_path_query jsonb_path_query_first
	jsonb_path_query_array jsonb_pretty json_object jsonb_object

	isempty lower_inc upper_inc lower_inf upper_inf range_merge int4range int8range numrange tsrange tstzrange daterange

	date text numeric int2 int4 int8 float4 float8 bool timestamp timestamptz varchar bpchar time interval
	num_nulls num_nonnulls
`)

// sqlSyntax are the functions behind constructs such as EXTRACT(… FROM …). The
// parser itself puts pg_catalog in front of them.
var sqlSyntax = set(`extract date_part timezone btrim ltrim rtrim position overlay substring similar_to_escape
	similar_escape normalize is_normalized overlaps`)

// tableFunctions are the functions a FROM clause may call, with the names of
// their columns; none means one column named as the function or its alias.
var tableFunctions = map[string][]string{
	"generate_series":           nil,
	"generate_subscripts":       nil,
	"unnest":                    nil,
	"string_to_table":           nil,
	"regexp_split_to_table":     nil,
	"regexp_matches":            nil,
	"jsonb_path_query":          nil,
	"json_object_keys":          nil,
	"jsonb_object_keys":         nil,
	"json_array_elements":       {"value"},
	"jsonb_array_elements":      {"value"},
	"json_array_elements_text":  {"value"},
	"jsonb_array_elements_text": {"value"},
	"json_each":                 {"key", "value"},
	"jsonb_each":                {"key", "value"},
	"json_each_text":            {"key", "value"},
	"jsonb_each_text":           {"key", "value"},
}

// instead has advice for functions people look for.
var instead = map[string]string{
	"repeat":                "use lpad with a constant length",
	"factorial":             "",
	"version":               "",
	"pg_typeof":             "the result names the type of each column",
	"current_setting":       "",
	"random":                "the same statement has to return the same result",
	"clock_timestamp":       oneTime,
	"statement_timestamp":   oneTime,
	"timeofday":             oneTime,
	"json_populate_record":  "use the operators -> and ->> with casts",
	"jsonb_populate_record": "use the operators -> and ->> with casts",
	"xpath":                 "use the json functions",

	// Of the ERP, and of other databases.
	"getdate":            "use now()",
	"sysdate":            "use now()",
	"curdate":            "use current_date",
	"nvl":                "use coalesce",
	"ifnull":             "use coalesce",
	"isnull":             "use coalesce",
	"decode":             "use CASE",
	"iif":                "use CASE",
	"instr":              "use strpos",
	"charindex":          "use strpos",
	"charat":             "use substr(text, position, 1)",
	"len":                "use length",
	"listagg":            "use string_agg",
	"group_concat":       "use string_agg",
	"add_months":         "add an interval: date + interval '1 month'",
	"adddays":            "add an interval: date + interval '1 day'",
	"dateadd":            "add an interval: date + interval '1 day'",
	"datediff":           "subtract dates: CAST(a AS date) - CAST(b AS date) is a number of days",
	"daysbetween":        "subtract dates: CAST(a AS date) - CAST(b AS date) is a number of days",
	"firstof":            "use date_trunc",
	"year":               "use extract(year FROM date)",
	"month":              "use extract(month FROM date)",
	"date_format":        "use to_char",
	"strftime":           "use to_char",
	"convert":            "use CAST(value AS type)",
	"currencyround":      "use round with stdprecision of c_currency",
	"invoiceopentodate":  "use invoiceOpen, which is as of now, or subtract what c_allocationline has until the day from grandtotal of c_invoice",
	"invoicepaid":        "add up what c_allocationline has",
	"paymenttermduedays": "subtract paymentTermDueDate from a day",
}

const oneTime = "use now(), which is the same everywhere in a statement"

// function checks a call and writes the schema in front of its name.
func (c *checker) function(m *pg.FuncCall, at int32) error {
	if m.Location >= 0 {
		at = m.Location
	}
	parts := make([]string, len(m.Funcname))
	for i, n := range m.Funcname {
		s := n.GetString_()
		if s == nil {
			return unsupported(at, "this call is not supported here")
		}
		parts[i] = s.Sval
	}
	if m.Funcformat == pg.CoercionForm_COERCE_SQL_SYNTAX {
		if len(parts) == 2 && parts[0] == catalog && sqlSyntax[parts[1]] {
			return nil
		}
		return c.noFunction(parts, at)
	}
	if m.Funcformat != pg.CoercionForm_COERCE_EXPLICIT_CALL {
		return unsupported(at, "this call is not supported here")
	}
	switch {
	case len(parts) == 1 && c.ofERP(parts[0], m):
		m.Funcname = c.erpFunction(parts[0])
	case len(parts) == 1 && builtins[parts[0]]:
		m.Funcname = names(catalog, parts[0])
	case len(parts) == 2 && parts[0] == catalog && builtins[parts[1]]:
	case len(parts) == 2 && parts[0] == c.job.policy.Schema && parts[0] != "" && c.job.policy.Functions[parts[1]]:
		m.Funcname = c.erpFunction(parts[1])
	default:
		return c.noFunction(parts, at)
	}
	return c.width(parts[len(parts)-1], m, at)
}

// maxWidth is how many characters lpad, rpad and format may pad a value to.
const maxWidth = 10_000

// widths finds the widths of a format's directives.
var widths = lazyregexp.New(`%(?:\d+\$)?-?(\*|\d+)?`)

// width keeps functions from making large values out of nothing.
func (c *checker) width(name string, m *pg.FuncCall, at int32) error {
	if c.trusted {
		return nil
	}
	wide := tooLarge(at, "pad to fewer characters", "%s may make at most %d characters", name, maxWidth)
	switch {
	case (name == "lpad" || name == "rpad") && len(m.Args) > 1:
		n := m.Args[1].GetAConst()
		switch {
		case n.GetIval() != nil && n.GetIval().Ival <= maxWidth:
		case n != nil && !n.Isnull:
			return wide
		default: // whatever it is computed from
			m.Args[1] = &pg.Node{Node: &pg.Node_MinMaxExpr{MinMaxExpr: &pg.MinMaxExpr{Op: pg.MinMaxOp_IS_LEAST,
				Args: []*pg.Node{m.Args[1], intConst(maxWidth)}}}}
		}
	case name == "format" && len(m.Args) > 0:
		text := m.Args[0].GetAConst().GetSval()
		if text == nil || m.FuncVariadic {
			return unsupported(at, "format needs a constant text that says how").advise("join the parts with ||, or use concat and lpad")
		}
		for _, found := range widths().FindAllStringSubmatch(text.Sval, -1) {
			if n, err := strconv.Atoi(found[1]); found[1] == "*" || found[1] != "" && (err != nil || n > maxWidth) {
				return wide
			}
		}
	}
	return nil
}

// ofERP reports whether a call without a schema means a function of the ERP. A
// built-in one of the same name goes first, except that the ERP's trunc takes a
// text that names the part of the date.
func (c *checker) ofERP(name string, m *pg.FuncCall) bool {
	if !c.job.policy.Functions[name] {
		return false
	}
	if !builtins[name] {
		return true
	}
	return name == "trunc" && len(m.Args) == 2 && m.Args[1].GetAConst().GetSval() != nil
}

// erpFunction is the full name of a function of the ERP. Its getdate is said to
// be now; what an installation made of it is not run, as it may read the clock.
func (c *checker) erpFunction(name string) []*pg.Node {
	if name == "getdate" {
		return names(catalog, "now")
	}
	return names(c.job.schema, name)
}

func (c *checker) noFunction(parts []string, at int32) error {
	name := strings.Join(parts, ".")
	f := denied(at, "function %s is not available", name)
	last := parts[len(parts)-1]
	if hint := instead[last]; hint != "" {
		f.hint = hint
	}
	if m, ok := macros[last]; ok { // with a schema
		f.hint = "call it without a schema: " + m.signature()
	}
	return f.meantFunction(name, c.job.policy)
}
