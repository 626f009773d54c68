package guard

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every function that may be called has a rule of its own for the width of its
// result, and nothing else has one.
func TestEveryFunctionHasAWidth(t *testing.T) {
	t.Parallel()
	for name := range builtins {
		if name == "extract" || !sqlSyntax[name] {
			assert.NotNil(t, ruleOf[name], name)
		}
	}
	for name := range sqlSyntax {
		assert.NotNil(t, ruleOf[name], name)
	}
	for name := range ruleOf {
		assert.True(t, builtins[name] || sqlSyntax[name], name)
	}
}

// TestWidthsOfFunctions: what makes much of little is bounded by what it is given, in
// every way in which it can be called.
func TestWidthsOfFunctions(t *testing.T) {
	t.Parallel()
	const wide, usual = "lpad('a', 10000)", "documentno"
	for sql, widest := range map[string]string{
		// A format names an argument as often as it likes.
		"format('" + strings.Repeat("%1$s", 60) + "', {})": usual,
		"format('%s/%s', {}, 1)":                           wide,
		// What stands between is there for each argument, or element.
		"concat_ws({}" + strings.Repeat(", 1", 60) + ")":            usual,
		"concat_ws({}, 1, 2)":                                       wide,
		"concat_ws({}, VARIADIC string_to_array(documentno, NULL))": usual,
		"array_to_string(string_to_array(documentno, NULL), {})":    usual,
		"array_to_string(ARRAY[documentno, 'x'], ', ')":             wide,
		// Brackets hold the same text again.
		"regexp_match({}, '" + strings.Repeat("(", 60) + ".*" + strings.Repeat(")", 60) + "')": usual,
		"regexp_match({}, '(.*)-(.*)')": wide,
		"regexp_match({}, documentno)":  usual,
		// Letters by themselves, bytes as text, bits as text.
		"string_to_array({} || {}, NULL)": wide,
		"normalize({}, NFKD)":             wide,
		strings.Repeat("('a' || ", 12) + "{}" + strings.Repeat("::bytea::text)", 12): usual,
		// Lengths that are written out.
		"'a'::char(1000)":                      wide,
		"{} || 'a'::char(2000000)":             "",
		`{} || "bpchar"('a', 2000004, true)`:   "",
		"{} || (B'1'::bit(2000000))::text":     "",
		"round(grandtotal, 16000)::text || {}": wide,
		// Numbers with more digits than letters.
		"(" + strings.Repeat("(10::numeric ^ 99999)::text || ", 7) + "{})": "",
		"'[" + strings.Repeat("1e99999, ", 20) + "1]'::jsonb":              "",
		"'{" + strings.Repeat("1e99999, ", 20) + "1}'::numeric[]":          "",
		"ARRAY[" + strings.Repeat("1e9999, ", 200) + "1]":                  "",
		"'[1, 2, 3.5]'::jsonb":              wide,
		"documentno::jsonb ->> 'a'":         wide,
		"('[' || documentno || ']')::jsonb": "",
		"documentno::numeric + 1":           wide,
		// Paths that lead to the same again, and what is set in further and further.
		"jsonb_path_query_array(to_jsonb({}), '$.**')":                                      usual,
		"jsonb_path_query_array(to_jsonb({}), '$[" + strings.Repeat("0, ", 60) + "0]')":     usual,
		"jsonb_path_query_array(to_jsonb({}), '$" + strings.Repeat(".keyvalue()", 6) + "')": "",
		"jsonb_path_query_first(to_jsonb({}), '$.a[*]')":                                    wide,
		"jsonb_path_query_first(to_jsonb({}), documentno::jsonpath)":                        "",
		"jsonb_pretty(to_jsonb({}))":                                                        usual,
		// What aggregates pass on is as wide as it was.
		"replace(mode() WITHIN GROUP (ORDER BY {}), 'a', '" + strings.Repeat("a", 300) + "')":               usual,
		"replace(percentile_disc(0.5) WITHIN GROUP (ORDER BY {}), 'a', '" + strings.Repeat("a", 300) + "')": usual,
		"replace(any_value({}), 'a', '" + strings.Repeat("a", 300) + "')":                                   usual,
		"(bit_or({}::text::varbit) & bit_or(B'1'::varbit))::text":                                           wide,
		// Many of them.
		"ARRAY[" + strings.Repeat("{}, ", 40) + "'x']":                               usual,
		"1 IN (" + strings.Repeat("length({}), ", 2000) + "1)":                       usual,
		"ROW(" + strings.Repeat("replace({}, 'a', 'bbbbbbbb'), ", 60) + "1) IS NULL": usual,
	} {
		texts := []string{"'abc'", usual, wide}
		for i, text := range texts {
			ok := i <= slices.Index(texts, widest)
			if ok != (text == widest) && i != slices.Index(texts, widest)+1 {
				continue // only the widest that may be, and the next
			}
			statement := "SELECT " + strings.ReplaceAll(sql, "{}", text) + " FROM c_order"
			_, err := New(&Options{MaxLength: 1 << 20}).Secure(t.Context(), widePolicy(), statement, 0, 10)
			if ok {
				assert.NoError(t, err, "%.200s", statement)
				continue
			}
			var r *Refusal
			if assert.ErrorAs(t, err, &r, "%.200s", statement) {
				assert.Contains(t, []Kind{TooLarge, Denied}, r.Kind, "%v: %.200s", err, statement)
			}
		}
	}
}

// widePolicy is testPolicy with a length for the columns of orders.
func widePolicy() *Policy {
	p := testPolicy()
	columns := p.Tables["c_order"].Columns
	for i := range columns {
		if columns[i].Name == "documentno" {
			columns[i].Width = 30
		}
	}
	return p
}

// What is made of collected values is bounded together, and how many of them a row
// may have.
func TestWidthsOfCollectedValues(t *testing.T) {
	t.Parallel()
	const collected = " FROM (SELECT string_agg(name, ',' ORDER BY name) x FROM c_bpartner) z"
	for sql, ok := range map[string]bool{
		"SELECT replace(x, 'a', 'bb')" + collected:                                                   true,
		"SELECT replace(x, 'a', 'bb'), replace(x, 'b', 'cc'), replace(x, 'c', 'dd')" + collected:     false,
		"SELECT x, upper(x), length(x)" + collected:                                                  true,
		"SELECT x" + strings.Repeat(", x", 20) + collected:                                           false,
		"SELECT array_to_string(array_agg(name ORDER BY name), ', ') FROM c_bpartner":                true,
		"SELECT array_to_string(array_agg(name ORDER BY name), lpad('x', 10000)) FROM c_bpartner":    false,
		"SELECT range_agg(numrange(c_bpartner_id, c_bpartner_id + 1)) FROM c_bpartner":               true,
		"SELECT concat_ws(', ', VARIADIC array_agg(name ORDER BY name)) FROM c_bpartner":             true,
		"SELECT concat_ws(lpad('x', 10000), VARIADIC array_agg(name ORDER BY name)) FROM c_bpartner": false,
	} {
		_, err := New(nil).Secure(t.Context(), testPolicy(), sql, 0, 10)
		if ok {
			assert.NoError(t, err, sql)
			continue
		}
		var r *Refusal
		if assert.ErrorAs(t, err, &r, sql) {
			assert.Equal(t, TooLarge, r.Kind, sql)
		}
	}
	plan, err := New(nil).Secure(t.Context(), testPolicy(), "SELECT range_agg(numrange(c_bpartner_id, c_bpartner_id + 1)) FROM c_bpartner", 0, 10)
	require.NoError(t, err)
	assert.True(t, plan.Collects, "ranges are collected like other values")
}
