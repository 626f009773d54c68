package guard

import (
	"math"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// The width of an expression is the most bytes that its value has as a text or in
// memory. Each function has a rule for it. One without a rule may not be called,
// whatever check.go says, and an expression of another kind is as wide as its parts.

// built is an expression whose width is looked for.
type built struct {
	typing
	call  *pg.FuncCall
	parts []int64 // the widths of what it is made of, of a call its arguments
	all   int64   // of them together
	given int64   // all, and what stands in ORDER BY
	lists bool    // it holds what was collected
}

func (b built) part(i int) int64 {
	if i < len(b.parts) {
		return b.parts[i]
	}
	return 0
}

// widthRule is how wide the result of a function is.
type widthRule func(b built) int64

// isNarrow are numbers, times and truth values of a bounded size.
func isNarrow(built) int64 { return narrow }

// isAll have no more than their arguments together.
func isAll(b built) int64 { return b.all }

// isFirst have no more than their first argument.
func isFirst(b built) int64 { return b.part(0) }

// isGiven have no more than their arguments and what they are ordered by.
func isGiven(b built) int64 { return b.given }

// isCollected have as much as may be collected.
func isCollected(built) int64 { return maxCollected }

// isTimes have so many bytes for each of their first argument, and the others.
func isTimes(n int64) widthRule {
	return func(b built) int64 { return multiplied(b.part(0), n) + b.all - b.part(0) }
}

// isDecimal are numbers with up to that many more digits than their arguments.
func isDecimal(n int64) widthRule { return func(b built) int64 { return b.all + n } }

// ruleOf says how wide the results of functions are.
var ruleOf = func() map[string]widthRule {
	table := map[string]widthRule{}
	for _, row := range []struct {
		rule  widthRule
		names string
	}{
		{isNarrow, `count bool_and bool_or every stddev stddev_pop stddev_samp variance var_pop var_samp corr covar_pop covar_samp
			regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy
			row_number rank dense_rank percent_rank cume_dist ntile
			sign width_bucket degrees radians pi sin cos tan asin acos atan atan2 scale min_scale
			length char_length character_length octet_length bit_length position strpos ascii starts_with md5 to_hex chr
			regexp_count regexp_instr regexp_like is_normalized
			now date_trunc date_bin date_part extract age to_date to_timestamp make_date make_time make_timestamp make_timestamptz make_interval
			justify_days justify_hours justify_interval isfinite timezone overlaps transaction_timestamp
			array_length array_ndims array_lower array_upper cardinality array_position generate_series generate_subscripts
			json_array_length jsonb_array_length json_typeof jsonb_typeof jsonb_path_exists
			isempty lower_inc upper_inc lower_inf upper_inf date int2 int4 int8 float4 float8 bool timestamp timestamptz time interval
			num_nulls num_nonnulls`},
		{isCollected, collectingNames},
		{isGiven, "mode percentile_cont percentile_disc"},
		{isAll, `sum min max any_value bit_and bit_or bit_xor range_intersect_agg lag lead first_value last_value nth_value
			abs ceil ceiling floor mod gcd lcm trim_scale overlay array_append array_prepend array_cat array_positions array_remove
			jsonb_set range_merge int4range int8range numrange tsrange tstzrange daterange`},
		{isFirst, `left right substr substring reverse split_part btrim ltrim rtrim trim regexp_substr string_to_table regexp_split_to_table unnest to_number
			json_array_elements jsonb_array_elements json_array_elements_text jsonb_array_elements_text json_each jsonb_each json_each_text jsonb_each_text
			json_object_keys jsonb_object_keys json_extract_path jsonb_extract_path json_extract_path_text jsonb_extract_path_text
			jsonb_strip_nulls json_strip_nulls`},
		{isDecimal(narrow), "avg div sqrt cbrt"},
		{isDecimal(2048), "ln log log10"},
		{func(built) int64 { return digits }, "power pow exp"},
		{rounded, "round trunc"},
		{func(b built) int64 { return b.all + b.all/2 }, "lower upper initcap"}, // ß is SS
		{isTimes(letter), "translate"},
		{isTimes(2), "quote_literal like_escape"},
		{isTimes(5), "similar_escape similar_to_escape"},
		{isTimes(11), "normalize"},
		{isTimes(8), "string_to_array regexp_split_to_array"}, // each letter by itself
		{replaced, "replace"},
		{replacedByPattern, "regexp_replace"},
		{matched, "regexp_match regexp_matches"},
		{padded, "lpad rpad"},
		{joinedTexts, "concat concat_ws"},
		{formatted, "format"},
		{func(b built) int64 { return b.part(0) + multiplied(b.part(1), 8) + narrow }, "to_char"},
		{joinedElements, "array_to_string"},
		{func(b built) int64 { return b.part(0) + multiplied(b.part(2), b.elements()) }, "array_replace"},
		{isJSON, `to_json to_jsonb row_to_json array_to_json json_build_object jsonb_build_object json_build_array jsonb_build_array json_object jsonb_object`},
		{followed, "jsonb_path_query jsonb_path_query_first jsonb_path_query_array"},
		{func(b built) int64 { return b.part(0) + multiplied(b.part(0), b.part(0))/4 }, "jsonb_pretty"}, // each level is set in further
		{func(b built) int64 { return b.asText(0) }, "text"},
		{filled, "varchar bpchar"},
		{scaled, "numeric"},
	} {
		for name := range strings.FieldsSeq(row.names) {
			table[name] = row.rule
		}
	}
	return table
}()

// collectingNames are the aggregates that keep what they are given of each row.
const collectingNames = "string_agg array_agg json_agg jsonb_agg json_object_agg jsonb_object_agg range_agg"

// collectsRows are these.
var collectsRows = set(collectingNames)

// widthOf is the width of a column of a table.
func widthOf(c *Column) int64 {
	switch families[c.Type] {
	case textFamily, noFamily:
		if c.Width > 0 && c.Width <= 4000 {
			return int64(c.Width) * letter
		}
		return longText
	}
	return narrow
}

// wider adds widths without running over.
func (v *value) wider(n int64) { v.width = min(v.width+n, math.MaxInt32) }

// multiplied is the width of a value that has another in the place of each of its
// bytes.
func multiplied(a, b int64) int64 {
	if b = max(b, 1); a > math.MaxInt32/b {
		return math.MaxInt32
	}
	return a * b
}

// elements is how many elements an array that comes first has at most.
func (b built) elements() int64 {
	if b.lists {
		return b.part(0)/overhead + 1
	}
	return b.part(0)/4 + 1
}

// asText is the width of an argument as a text.
func (b built) asText(i int) int64 {
	typ := ""
	if b.call != nil && i < len(b.call.Args) {
		typ = b.of(b.call.Args[i])
	}
	return textWidth(typ, b.part(i), b.lists)
}

// textWidth is the width of the text of a value of a type.
func textWidth(typ string, width int64, lists bool) int64 {
	switch {
	case width <= narrow, families[typ] != noFamily, typ == untyped, typ == "json", lists:
		return width
	case typ == "bit" || typ == "varbit":
		return multiplied(width, 8)
	}
	return multiplied(width, 2) // what has to be quoted, and bytes
}

func (b built) constant(i int) *pg.A_Const {
	if b.call == nil || i >= len(b.call.Args) {
		return nil
	}
	return b.call.Args[i].GetAConst()
}

func rounded(b built) int64 {
	if len(b.parts) < 2 {
		return b.all
	}
	if n := b.constant(1).GetIval(); n != nil {
		return b.all + max(int64(n.Ival), 0)
	}
	return digits
}

func replaced(b built) int64 { return multiplied(b.part(0), b.part(2)) }

func replacedByPattern(b built) int64 {
	if s := b.constant(2).GetSval(); s != nil && !strings.Contains(s.Sval, `\`) {
		return multiplied(b.part(0)+1, int64(len(s.Sval)))
	}
	return multiplied(b.part(0)+1, b.part(2)+b.part(0))
}

// matched is the width of what brackets of a pattern match, which may be all of the
// text for each.
func matched(b built) int64 {
	brackets := b.part(1)
	if s := b.constant(1).GetSval(); s != nil {
		brackets = int64(strings.Count(s.Sval, "("))
	}
	return multiplied(b.part(0)+overhead, brackets)
}

func padded(b built) int64 {
	if n := b.constant(1).GetIval(); n != nil {
		return int64(n.Ival) * letter
	}
	return maxWidth * letter
}

func joinedTexts(b built) int64 {
	name, _ := lastName(b.call.Funcname)
	total, between := int64(0), int64(0)
	for i := range b.parts {
		total += b.asText(i)
	}
	if name == "concat_ws" {
		between = multiplied(b.asText(0), int64(len(b.parts)))
		if b.call.FuncVariadic {
			between = multiplied(b.asText(0), b.part(1)/4+1)
		}
	}
	return min(total+between, math.MaxInt32)
}

// formatted is the width of a format's parts, which may name an argument again and
// again.
func formatted(b built) int64 {
	widest := int64(0)
	for i := range b.parts {
		if i > 0 {
			widest = max(widest, b.asText(i))
		}
	}
	s := b.constant(0).GetSval()
	if s == nil {
		return math.MaxInt32
	}
	total := int64(len(s.Sval))
	for _, found := range widths().FindAllStringSubmatch(s.Sval, -1) {
		n, _ := strconv.Atoi(found[1])
		total += max(int64(n)*letter, 2*widest+2) // %L quotes
	}
	return min(total, math.MaxInt32)
}

func joinedElements(b built) int64 {
	return min(b.part(0)+multiplied(b.part(1)+b.part(2), b.elements()), math.MaxInt32)
}

// isJSON are values as JSON: letters may be escaped.
func isJSON(b built) int64 {
	total := int64(0)
	for i := range b.parts {
		total += b.part(i)
		if b.call != nil && i < len(b.call.Args) && b.of(b.call.Args[i]) == "json" {
			total += numbersIn(b.call.Args[i], b.part(i))
		}
	}
	return min(total*6, max(total*2, maxValue), math.MaxInt32)
}

// followed is the width of what a path leads to, which may be the same part again
// and again.
func followed(b built) int64 {
	s := b.constant(1).GetSval()
	if s == nil {
		return multiplied(b.part(0), math.MaxInt32)
	}
	width := b.part(0)
	if strings.Contains(s.Sval, ",") || strings.Contains(s.Sval, "to") {
		width = multiplied(width, int64(len(s.Sval)))
	}
	if strings.Contains(s.Sval, "**") {
		width = multiplied(width, b.part(0))
	}
	for range strings.Count(s.Sval, "keyvalue") {
		width = multiplied(width, 8)
	}
	return width
}

// filled is the width of a text of a length.
func filled(b built) int64 {
	switch n := b.constant(1).GetIval(); {
	case len(b.parts) < 2:
		return b.asText(0)
	case n != nil:
		return b.asText(0) + max(int64(n.Ival), 0)
	}
	return math.MaxInt32
}

// scaled is the width of a number of so many digits, of which the server writes the
// digits and the decimal places in one number.
func scaled(b built) int64 {
	switch n := b.constant(1).GetIval(); {
	case len(b.parts) < 2 && b.call != nil && families[b.of(b.call.Args[0])] == textFamily:
		return digits
	case len(b.parts) < 2:
		return b.part(0)
	case n != nil:
		return b.part(0) + int64(n.Ival>>16&0xffff) + int64(n.Ival&0xffff)
	}
	return digits
}

// exponent finds numbers that have more digits than their text.
var exponent = lazyregexp.New(`[0-9.][eE]\+?([0-9]+)`)

// numbersIn is how much wider a text becomes whose numbers are written out.
func numbersIn(n *pg.Node, width int64) int64 {
	for n.GetTypeCast() != nil {
		n = n.GetTypeCast().Arg
	}
	switch s := n.GetAConst().GetSval(); {
	case s != nil && !exponent().MatchString(s.Sval):
		return width
	case s == nil && n.GetColumnRef() != nil: // what the ERP's clients wrote
		return max(maxValue/2-width, 0)
	}
	return multiplied(width, digits/4)
}

// castWidth is the width of what a cast makes.
func (b built) castWidth(m *pg.TypeCast) int64 {
	to, from, width := typeName(m.TypeName), b.of(m.Arg), b.all
	length := int64(0)
	for _, n := range m.TypeName.Typmods {
		length += int64(n.GetAConst().GetIval().GetIval())
	}
	fromText := families[from] == textFamily || from == "" || from == untyped
	switch {
	case len(m.TypeName.ArrayBounds) > 0:
		width = multiplied(width, 8)
		if to == "numeric" || to == "jsonb" {
			width += numbersIn(m.Arg, b.all)
		}
	case to == "numeric" && length > 0:
		width = narrow + length
	case to == "numeric" && fromText:
		width = digits
		if s := m.Arg.GetAConst().GetSval(); s != nil && !exponent().MatchString(s.Sval) {
			width = int64(len(s.Sval))
		}
	case to == "numeric":
	case to == "bpchar" || to == "bit":
		width = textWidth(from, width, b.lists) + multiplied(length, letter)
	case to == "text", to == "varchar":
		if width = textWidth(from, width, b.lists); length > 0 {
			width = min(width, length*letter)
		}
	case to == "jsonb" && (fromText || from == "json"):
		width += numbersIn(m.Arg, width)
	case families[to] == textFamily, families[to] == noFamily && !narrowTypes[to]:
	default:
		width = narrow
	}
	return width
}

var narrowTypes = set(`float4 float8 time timetz interval`)

// constantWidth is the width of a constant with its digits written out.
func constantWidth(m *pg.A_Const) int64 {
	if s := m.GetSval(); s != nil {
		if len(s.Sval) == narrow {
			return narrow + 1 // it is not a number
		}
		return int64(len(s.Sval))
	}
	if s := m.GetBsval(); s != nil {
		return int64(len(s.Bsval)) * letter
	}
	text := m.GetFval().GetFval()
	if found := exponent().FindStringSubmatch(text); found != nil {
		n, err := strconv.Atoi(found[1])
		if err != nil {
			n = digits
		}
		return int64(len(text) + n)
	}
	return max(narrow, int64(len(text)))
}

// builds sets the width of what an expression makes of its parts, whose widths
// are added up already, and refuses one that is too wide.
func (r *resolver) builds(v *value, m any, e env) error {
	b := built{typing: typing{r, e}, parts: v.parts, all: v.width, given: v.width, lists: len(v.lists) > 0}
	v.parts = nil
	at, name := int32(-1), ""
	switch m := m.(type) {
	case *pg.A_Const:
		v.width = constantWidth(m)
		return nil
	case *pg.ParamRef:
		v.width = longText
		return nil
	case *pg.BoolExpr, *pg.NullTest, *pg.BooleanTest, *pg.SQLValueFunction, *pg.GroupingFunc:
		v.width = narrow
		return nil
	case *pg.A_Expr:
		at, name = m.Location, "an expression"
		v.width = b.operatorWidth(m)
	case *pg.TypeCast:
		at, name = m.Location, "a cast"
		v.width = b.castWidth(m)
	case *pg.FuncCall:
		at = m.Location
		name, _ = lastName(m.Funcname)
		width, err := b.callWidth(m, name)
		if v.width = width; err != nil {
			return err
		}
		if collectsRows[name] {
			return nil
		}
	case *pg.A_ArrayExpr:
		at, name = m.Location, "an array"
		v.wider(overhead * int64(len(m.Elements)))
	case *pg.RowExpr:
		at, name = m.Location, "a row"
	default:
		return nil
	}
	if v.width = min(v.width, math.MaxInt32); v.width == narrow {
		v.lists = nil
	}
	limit := int64(maxValue)
	switch {
	case len(v.lists) > 0:
		limit = 2 * maxCollected
	case name == "a row": // of columns, which are bounded each
		limit = maxRow
	}
	if v.width > limit {
		return tooLarge(at, "use fewer or shorter texts, in constants rather than parameters", "%s may make a value of %d bytes and more", name, limit)
	}
	if v.width > narrow && !r.trusted {
		return r.job.makes(v.width, len(v.lists) > 0, at)
	}
	return nil
}

// makes adds what an expression makes to what the statement makes: the database keeps
// all that it computes for a row until it comes to the next.
func (j *job) makes(width int64, lists bool, at int32) error {
	total, limit := &j.made, int64(maxRow)
	if lists {
		total, limit = &j.madeOfLists, maxLists
	}
	if *total += width; *total > limit {
		return tooLarge(at, "compute less of long texts and collected values in one statement", "the expressions together may make %d bytes and more of a row", limit)
	}
	return nil
}

// shows refuses rows of too many collected values: each may be what is returned.
func shows(cols []column) error {
	n := 0
	for i := range cols {
		if len(cols[i].lists) > 0 {
			n++
		}
	}
	if n > maxShown {
		return tooLarge(-1, "return fewer collected values at once", "the rows have more than %d collected values", maxShown)
	}
	return nil
}

// operatorWidth is the width of what an operator makes.
func (b built) operatorWidth(m *pg.A_Expr) int64 {
	op, _ := lastName(m.Name)
	switch {
	case m.Kind == pg.A_Expr_Kind_AEXPR_NULLIF:
	case m.Kind != pg.A_Expr_Kind_AEXPR_OP, conditions[op], op == "|/", op == "||/":
		return narrow
	case op == "^":
		return digits
	case op == "||":
		if families[b.of(m.Lexpr)] != textFamily && families[b.of(m.Rexpr)] != textFamily {
			return b.all
		}
		sides := b.parts[max(len(b.parts)-2, 0):] // after the operator's name
		total := int64(0)
		for i, side := range []*pg.Node{m.Lexpr, m.Rexpr} {
			if i < len(sides) {
				total += textWidth(b.of(side), sides[i], b.lists)
			}
		}
		return total
	}
	return b.all
}

// callWidth is the width of a function's result.
func (b built) callWidth(m *pg.FuncCall, name string) (int64, error) {
	b.call = m
	if schema, _, _ := twoParts(m.Funcname); schema != catalog { // of the ERP, and reviewed
		return b.all + longText, nil
	}
	b.all = 0
	for _, n := range b.parts {
		b.all = min(b.all+n, math.MaxInt32)
	}
	rule, ok := ruleOf[name]
	if !ok {
		return 0, denied(m.Location, "function %s is not available", name)
	}
	return rule(b), nil
}
