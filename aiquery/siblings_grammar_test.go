package aiquery_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// The generator of statements for databases that differ in what is hidden. What
// it may call is read from the guard's lists and from the server's own catalog,
// so that a function or an operator that is allowed is generated, too, in every
// form that the server has of it.

// made is how a value of a type can be made of others: a call or an operator.
type made struct {
	name string
	args []string // types
	form func(args []string) string
}

// siblingCatalog is what the generator knows of the server.
type siblingCatalog struct {
	makers     map[string][]made // by the type they return
	aggregates map[string][]made
	tables     []made          // functions for FROM
	known      map[string]bool // names of functions and operators that this server has
}

// siblingTypes are the types of the generator, by the name in the catalog.
var siblingTypes = []string{
	"bool", "int4", "int8", "numeric", "float8", "text", "date", "timestamp", "timestamptz", "interval", "time", "jsonb", "json", "uuid",
	"_text", "_int4", "_numeric", "int4range", "numrange", "tsrange", "bytea", "varbit",
}

// readSiblingCatalog reads the signatures of functions and operators that the
// guard allows.
func readSiblingCatalog(t testing.TB, conn *pgx.Conn) *siblingCatalog {
	t.Helper()
	c := &siblingCatalog{makers: map[string][]made{}, aggregates: map[string][]made{}, known: map[string]bool{}}
	known := map[string]bool{}
	for _, typ := range siblingTypes {
		known[typ] = true
	}
	// Polymorphic functions stand for those over these.
	element := map[string]string{"anyelement": "text", "anycompatible": "numeric", "anynonarray": "text", "anyarray": "_text",
		"anycompatiblearray": "_numeric", "anyrange": "numrange", "any": "text", "record": "", "internal": "", "name": "", "cstring": "", "varchar": "text", "bpchar": "text"}
	resolve := func(list []string) ([]string, bool) {
		out := make([]string, len(list))
		for i, typ := range list {
			if sub, ok := element[typ]; ok {
				typ = sub
			}
			if !known[typ] {
				return nil, false
			}
			out[i] = typ
		}
		return out, true
	}
	allowedNames := guardList(t, "builtins")
	rows, err := plainRows(t.Context(), conn, `SELECT p.proname, p.prokind::text, p.proretset::text, p.provariadic <> 0,
		(SELECT typname FROM pg_type WHERE oid = p.prorettype), coalesce((SELECT string_agg(typname, ' ' ORDER BY n) FROM unnest(p.proargtypes) WITH ORDINALITY a(o, n) JOIN pg_type ON pg_type.oid = o), '')
		FROM pg_proc p WHERE pronamespace = 'pg_catalog'::regnamespace ORDER BY 1, p.oid`)
	require.NoError(t, err)
	for _, row := range rows {
		name, kind, set, returns := row[0], row[1], row[2] == "true" || row[2] == "t", row[4]
		args, ok := resolve(strings.Fields(row[5]))
		result, known := resolve([]string{returns})
		c.known[name] = true
		if !allowedNames[name] || !ok || name == "now" || name == "transaction_timestamp" || name == "age" && len(args) == 1 {
			continue // clocks go by their own time
		}
		call := func(args []string) string { return name + "(" + strings.Join(args, ", ") + ")" }
		switch {
		case set && kind == "f":
			c.tables = append(c.tables, made{name, args, call})
		case !known || name == "generate_series":
		case kind == "f":
			c.makers[result[0]] = append(c.makers[result[0]], made{name, args, call})
		case kind == "a" || kind == "w":
			c.aggregates[result[0]] = append(c.aggregates[result[0]], made{name, args, call})
		}
	}
	operators := guardList(t, "operators")
	rows, err = plainRows(t.Context(), conn, `SELECT oprname, coalesce((SELECT typname FROM pg_type WHERE oid = oprleft), ''), (SELECT typname FROM pg_type WHERE oid = oprright),
		(SELECT typname FROM pg_type WHERE oid = oprresult) FROM pg_operator WHERE oprnamespace = 'pg_catalog'::regnamespace ORDER BY 1, pg_operator.oid`)
	require.NoError(t, err)
	for _, row := range rows {
		op, left := row[0], row[1]
		args := []string{row[2]}
		form := func(args []string) string { return "(" + op + " " + args[0] + ")" }
		if left != "" {
			args = []string{left, row[2]}
			form = func(args []string) string { return "(" + args[0] + " " + op + " " + args[1] + ")" }
		}
		args, ok := resolve(args)
		result, known := resolve([]string{row[3]})
		c.known[op] = true
		if operators[op] && ok && known {
			c.makers[result[0]] = append(c.makers[result[0]], made{op, args, form})
		}
	}
	return c
}

// of are the ways to call a function or operator, with the type that comes of it.
func (c *siblingCatalog) of(name string) (calls []made, types []string) {
	for typ, list := range c.makers {
		for _, m := range list {
			if m.name == name {
				calls, types = append(calls, m), append(types, typ)
			}
		}
	}
	return calls, types
}

// siblingForms have what chance does not come to, as an expression over an order o.
var siblingForms = map[string]string{
	"@?": `to_jsonb(o) @? '$.documentno'`, "@@": `to_jsonb(o) @@ '$.grandtotal > 10'`,
	"jsonb_path_exists": `jsonb_path_exists(to_jsonb(o), '$.documentno')`, "jsonb_path_query": `jsonb_path_query(to_jsonb(o), '$.documentno')`,
	"jsonb_path_query_array": `jsonb_path_query_array(to_jsonb(o), '$.documentno')`, "jsonb_path_query_first": `jsonb_path_query_first(to_jsonb(o), '$.documentno')`,
	"jsonb_extract_path": `jsonb_extract_path(to_jsonb(o), 'documentno')`, "jsonb_extract_path_text": `jsonb_extract_path_text(to_jsonb(o), 'documentno')`,
	"json_extract_path": `json_extract_path(to_json(o), 'documentno')`, "json_extract_path_text": `json_extract_path_text(to_json(o), 'documentno')`,
	"daterange": `daterange('2024-01-01', '2025-01-01') @> dateordered::date`, "tstzrange": `tstzrange('2024-01-01', '2025-01-01') @> dateordered::timestamptz`,
	"int8range": `int8range(1, 5) @> 3::int8`, "interval": `"interval"(time '10:20')`, "numeric": `"numeric"(grandtotal, 1310724)`, "time": `"time"(dateordered)`,
	"timestamp": `"timestamp"(dateordered::date)`, "varchar": `"varchar"(documentno::varchar, 10, true)`, "transaction_timestamp": `dateordered < transaction_timestamp()`,
	"now": `dateordered < now()`, "cume_dist": `cume_dist() OVER (ORDER BY grandtotal, c_order_id)`, "dense_rank": `dense_rank() OVER (ORDER BY grandtotal, c_order_id)`,
	"percent_rank": `percent_rank() OVER (ORDER BY grandtotal, c_order_id)`, "range_agg": `(SELECT range_agg(numrange(0, 5)) FROM c_order)`,
	"SQLValueFunctionOp.SVFOP_CURRENT_TIME": `CURRENT_TIME IS NOT NULL`, "SQLValueFunctionOp.SVFOP_LOCALTIME": `LOCALTIME IS NOT NULL`,
	"SQLValueFunctionOp.SVFOP_CURRENT_TIME_N": `CURRENT_TIME(0) IS NOT NULL`, "SQLValueFunctionOp.SVFOP_LOCALTIME_N": `LOCALTIME(0) IS NOT NULL`,
	"SQLValueFunctionOp.SVFOP_CURRENT_TIMESTAMP": `dateordered < CURRENT_TIMESTAMP`, "SQLValueFunctionOp.SVFOP_LOCALTIMESTAMP": `dateordered < LOCALTIMESTAMP`,
	"SQLValueFunctionOp.SVFOP_CURRENT_DATE": `dateordered < CURRENT_DATE`, "NamedArgExpr": `make_interval(days => 3)`,
	"SQLValueFunctionOp.SVFOP_CURRENT_TIMESTAMP_N": `dateordered < CURRENT_TIMESTAMP(0)`, "SQLValueFunctionOp.SVFOP_LOCALTIMESTAMP_N": `dateordered < LOCALTIMESTAMP(0)`,
}

// siblingSyntax are constructs that call functions without their names.
var siblingSyntax = map[string]string{
	"extract": "extract(year FROM dateordered)", "timezone": "dateordered AT TIME ZONE 'UTC'", "btrim": "trim(both 'x' FROM documentno)",
	"ltrim": "trim(leading 'x' FROM documentno)", "rtrim": "trim(trailing 'x' FROM documentno)", "position": "position('0' IN documentno)",
	"overlay": "overlay(documentno placing 'x' FROM 1)", "substring": "substring(documentno FROM 2)",
	"normalize": "normalize(documentno, NFC)", "is_normalized": "documentno IS NFC NORMALIZED", "overlaps": "(dateordered, dateordered) OVERLAPS (dateordered, interval '1 day')",
}

// siblingMacros are calls of functions of the ERP.
var siblingMacros = map[string]string{
	"currencyrate": "currencyRate(100, 102, '2024-06-01', NULL, 11, 0)", "currencyconvert": "currencyConvert(grandtotal, 100, 102, '2024-06-01', NULL, 11, 0)",
	"invoiceopen": "invoiceOpen(c_order_id, NULL)", "paymenttermduedate": "paymentTermDueDate(105, dateordered)",
}

// siblingSources are functions of FROM over an order o.
var siblingSources = map[string]string{
	"generate_series": "generate_series(1, 3)", "generate_subscripts": "generate_subscripts(ARRAY[o.documentno, 'x'], 1)", "unnest": "unnest(ARRAY[o.documentno, 'x'])",
	"string_to_table": "string_to_table(o.documentno, '0')", "regexp_split_to_table": "regexp_split_to_table(o.documentno, '0')",
	"regexp_matches": "regexp_matches(o.documentno, '[0-9]')", "jsonb_path_query": "jsonb_path_query(to_jsonb(o), '$.documentno')",
}

// special is a statement with something that the guard allows by a list of its own:
// "type date", "collation C", "syntax trim", "from unnest" or "macro currencyrate".
func (g *siblingGrammar) special(kind, name string) string {
	where := " WHERE " + g.condition([]siblingItem{{"o", "c_order_id", siblingTables["c_order"].columns}}, 0)
	switch kind {
	case "type":
		if name == "bpchar" { // it has a length
			name = "char(5)"
		}
		return "SELECT c_order_id, (CASE WHEN c_order_id < 0 THEN documentno::text::" + name + " END) IS NULL FROM c_order o" + where
	case "collation":
		return "SELECT c_order_id FROM c_order o WHERE documentno COLLATE \"" + name + "\" < 'QZX7hot'"
	case "syntax":
		return "SELECT c_order_id, " + siblingSyntax[name] + " FROM c_order o" + where
	case "macro":
		return "SELECT c_order_id, " + siblingMacros[name] + " FROM c_order o" + where
	}
	source := siblingSources[name]
	if source == "" {
		document := "to_jsonb"
		if strings.HasPrefix(name, "json_") {
			document = "to_json"
		}
		source = name + "(" + document + "(o))"
		if strings.Contains(name, "elements") {
			source = name + "(" + document + "(ARRAY[o.documentno]))"
		}
	}
	return "SELECT o.c_order_id FROM c_order o, " + source + " x" + where
}

// targeted is a statement that calls a function or an operator.
func (g *siblingGrammar) targeted(name string) string {
	it := siblingItem{"o", "c_order_id", siblingTables["c_order"].columns}
	items := []siblingItem{it}
	if kind, of, ok := strings.Cut(name, " "); ok {
		return g.special(kind, of)
	}
	if form, ok := siblingForms[name]; ok {
		return "SELECT " + form + ", c_order_id FROM c_order o WHERE " + g.condition(items, 0)
	}
	value := func(list []made) string {
		m := list[g.IntN(len(list))]
		args := make([]string, len(m.args))
		for i, a := range m.args {
			args[i] = g.value(a, items, g.IntN(2))
		}
		return m.form(args)
	}
	if calls, _ := g.catalog.of(name); len(calls) > 0 && g.chance(90) {
		call := value(calls)
		return choose(g.Rand, "SELECT "+call+" IS NULL, c_order_id FROM c_order o", "SELECT c_order_id FROM c_order o WHERE ("+call+") IS NOT NULL AND "+g.condition(items, 0))
	}
	for _, m := range g.catalog.tables {
		if m.name == name {
			return "SELECT count(*) FROM c_order o, " + value([]made{m}) + " x WHERE " + g.condition(items, 0)
		}
	}
	for typ, list := range g.catalog.aggregates {
		for _, m := range list {
			if m.name == name && g.chance(50) {
				one := &siblingCatalog{makers: g.catalog.makers, aggregates: map[string][]made{typ: {m}}, tables: g.catalog.tables}
				h := &siblingGrammar{Rand: g.Rand, catalog: one}
				return "SELECT " + h.aggregate(typ, items) + " FROM c_order o WHERE " + g.condition(items, 0)
			}
		}
	}
	return "SELECT " + choose(g.Rand, name+"() OVER (ORDER BY c_order_id)", name+"(documentno, 2) OVER (ORDER BY c_order_id)", name+"(documentno) OVER (ORDER BY c_order_id)",
		name+"(1, 2)", name+"('a', documentno)", name+"('{\"a\": 1}', 'a')", name+"(x => 1)", name+"(grandtotal)", name+"(o)") + ", c_order_id FROM c_order o WHERE " + g.condition(items, 0)
}

// siblingColumn is a column with values that hidden rows have.
type siblingColumn struct {
	name, typ string
	tempting  []string // literals that many, few or no hidden rows have
}

var siblingTables = map[string]struct {
	key     string
	columns []siblingColumn
}{
	"c_order": {"c_order_id", []siblingColumn{
		{"documentno", "text", []string{"'QZX7hot'", "'QZX7rare'", "'QZX9none'", "'80004'"}},
		{"docstatus", "text", []string{"'XX'", "'XR'", "'CO'"}},
		{"description", "text", []string{"'QZX7hot'", "'2024-03-05'", "'17'", "'zz'"}},
		{"grandtotal", "numeric", []string{"61803398777.17", "61803398001", "61803398999", "10.50", "0"}},
		{"c_order_id", "numeric", []string{"104", "3000001", "4000001"}},
		{"c_bpartner_id", "numeric", []string{"117", "118", "116"}},
		{"ad_org_id", "numeric", []string{"50006", "50005", "11", "59999"}},
		{"ad_client_id", "numeric", []string{"1000000", "11", "12"}},
		{"dateordered", "timestamp", []string{"'2031-01-01'", "'2032-02-02'", "'2024-03-05'"}},
	}},
	"c_orderline": {"c_orderline_id", []siblingColumn{
		{"description", "text", []string{"'QZX7hot'", "'QZX7rare'", "'a'"}},
		{"linenetamt", "numeric", []string{"61803398777.17", "61803398001", "10.50"}},
		{"c_orderline_id", "numeric", []string{"104", "4000002"}},
		{"c_order_id", "numeric", []string{"104", "4000001"}},
		{"line", "numeric", []string{"10", "777", "20"}},
		{"ad_org_id", "numeric", []string{"50006", "11"}},
	}},
	"c_bpartner": {"c_bpartner_id", []siblingColumn{
		{"name", "text", []string{"'QZX7hot'", "'QZX7rare'", "'Joe Block'"}},
		{"value", "text", []string{"'QZX7hot'", "'QZX9none'"}},
		{"c_bpartner_id", "numeric", []string{"117", "118", "4000003"}},
		{"ad_client_id", "numeric", []string{"1000000", "11"}},
		{"created", "timestamp", []string{"'2031-01-01'", "'2001-01-01'"}},
	}},
	"rv_order_detail": {"c_order_id", []siblingColumn{
		{"documentno", "text", []string{"'QZX7hot'", "'QZX9none'"}},
		{"partnername", "text", []string{"'QZX7hot'", "'Joe Block'"}},
		{"grandtotal", "numeric", []string{"61803398777.17", "10.50"}},
		{"c_order_id", "numeric", []string{"104", "3000001"}},
	}},
}

var siblingTableNames = []string{"c_order", "c_order", "c_orderline", "c_bpartner", "rv_order_detail"}

// siblingItem is something in FROM with its columns.
type siblingItem struct {
	alias   string
	key     string
	columns []siblingColumn
}

// siblingGrammar makes statements. Most of what it makes runs, and a part fails for rows
// that the role may see.
type siblingGrammar struct {
	*rand.Rand
	catalog *siblingCatalog
	names   int
	depth   int // of queries
	partial bool
}

func (g *siblingGrammar) chance(percent int) bool { return g.IntN(100) < percent }

func (g *siblingGrammar) alias() string {
	g.names++
	return fmt.Sprintf("a%d", g.names)
}

// literal is a constant of a type.
func (g *siblingGrammar) literal(typ string) string {
	one := func(list ...string) string { return list[g.IntN(len(list))] }
	switch typ {
	case "bool":
		return one("true", "false", "'t'::bool")
	case "int4":
		return one("0", "1", "2", "7", "100", "(-3)")
	case "int8":
		return one("1::int8", "9876543210", "0::int8")
	case "numeric":
		return one("0.5", "10.50", "117", "61803398777.17", "'12.5'::numeric", "1e3")
	case "float8":
		return one("0.5::float8", "'2'::float8")
	case "text":
		return one("'a'", "'QZX7hot'", "'2024-03-05'", "'CO'", "'%a%'", "'12'", "''", "'QZX7hot'::text", "E'x\\ty'", "'month'", "'UTC'", "'YYYY-MM'")
	case "date", "timestamp", "timestamptz":
		return one("'2024-03-05'", "'2031-01-01'", "'2025-01-01'") + "::" + typ
	case "interval":
		return one("interval '1 day'", "'2 months'::interval", "make_interval(days => 3)", "interval '1' year")
	case "time":
		return "'10:20'::time"
	case "jsonb", "json":
		return one(`'{"a": 1, "b": [1, 2]}'`, `'[1, "x", null]'`, `'"s"'`) + "::" + typ
	case "uuid":
		return "'00000000-0000-4000-8000-000000000001'::uuid"
	case "_text":
		return one("ARRAY['a', 'QZX7hot']", "'{a,b}'::text[]", "string_to_array('a,b', ',')")
	case "_int4":
		return one("ARRAY[1, 2, 3]", "'{1,2}'::int4[]")
	case "_numeric":
		return one("ARRAY[1.5, 117]", "'{1,2}'::numeric[]")
	case "int4range":
		return "int4range(1, 5)"
	case "numrange":
		return one("numrange(1, 5.5)", "'[1,2)'::numrange")
	case "tsrange":
		return "tsrange('2024-01-01', '2025-01-01')"
	case "bytea":
		return `'\x0102'::bytea`
	case "varbit":
		return one("B'101'::varbit", "X'1F'::varbit")
	}
	return "NULL::" + strings.TrimPrefix(typ, "_")
}

// column is a reference with the type, or "".
func (g *siblingGrammar) column(typ string, items []siblingItem) string {
	for range 6 {
		it := items[g.IntN(len(items))]
		c := it.columns[g.IntN(len(it.columns))]
		if c.typ == typ {
			return it.alias + "." + c.name
		}
	}
	return ""
}

// converted is a column of another type as this one.
func (g *siblingGrammar) converted(typ string, items []siblingItem) string {
	it := items[g.IntN(len(items))]
	c := it.columns[g.IntN(len(it.columns))]
	ref := it.alias + "." + c.name
	switch {
	case typ == "text":
		return ref + "::text"
	case typ == "bool":
		return "(" + ref + " IS NOT NULL)"
	case c.typ == "numeric" && strings.HasSuffix(c.name, "_id") && (typ == "int4" || typ == "int8" || typ == "float8"):
		return ref + "::" + typ
	case c.typ == "timestamp" && (typ == "date" || typ == "timestamptz"):
		return ref + "::" + typ
	case typ == "jsonb" || typ == "json":
		return "to_" + typ + "(" + ref + ")"
	case typ == "_text":
		return "ARRAY[" + ref + "::text, 'x']"
	case typ == "int4":
		return "length(" + ref + "::text)"
	}
	return ""
}

// value is an expression of the type.
func (g *siblingGrammar) value(typ string, items []siblingItem, depth int) string {
	if typ == "bool" && depth > 0 && !g.chance(25) {
		return g.condition(items, depth-1)
	}
	if depth <= 0 || g.chance(35) {
		if len(items) > 0 && g.chance(75) {
			if c := g.column(typ, items); c != "" {
				return c
			}
			if c := g.converted(typ, items); c != "" {
				return c
			}
		}
		return g.literal(typ)
	}
	sub := func(typ string) string { return g.value(typ, items, depth-1) }
	switch g.IntN(12) {
	case 0:
		return "CASE WHEN " + sub("bool") + " THEN " + sub(typ) + " ELSE " + sub(typ) + " END"
	case 1:
		return "coalesce(" + sub(typ) + ", " + sub(typ) + ")"
	case 2:
		if typ != "json" {
			return "nullif(" + sub(typ) + ", " + sub(typ) + ")"
		}
	case 3:
		if typ != "json" && typ != "jsonb" {
			return choose(g.Rand, "greatest(", "least(") + sub(typ) + ", " + sub(typ) + ")"
		}
	case 4:
		if typ == "numeric" || typ == "text" || typ == "timestamp" {
			return "CASE " + sub("text") + " WHEN " + sub("text") + " THEN " + sub(typ) + " ELSE " + sub(typ) + " END"
		}
	case 5:
		if g.depth < 2 {
			return "(" + g.scalar(typ, items) + ")"
		}
	case 6:
		if typ == "text" {
			return "(" + sub("_text") + ")[" + sub("int4") + "]"
		}
		if typ == "_text" && g.depth < 2 {
			return "ARRAY(" + g.scalar("text", items) + ")"
		}
	case 7:
		if built := g.construct(typ, sub); built != "" {
			return built
		}
	case 8:
		if typ == "numeric" && g.depth < 2 && g.chance(20) {
			return "currencyConvert(" + sub("numeric") + ", 100, 102, '2024-06-01', NULL, 11, 0)"
		}
	}
	list := g.catalog.makers[typ]
	if len(list) == 0 {
		return g.literal(typ)
	}
	m := list[g.IntN(len(list))]
	args := make([]string, len(m.args))
	for i, a := range m.args {
		args[i] = g.value(a, items, depth-1)
	}
	return m.form(args)
}

// construct is an expression of the type with a syntax of its own, or "".
func (g *siblingGrammar) construct(typ string, sub func(typ string) string) string {
	switch typ {
	case "text":
		return choose(g.Rand, sub("text")+` COLLATE "C"`, "substring("+sub("text")+" FROM 2 FOR 3)", "trim(both 'x' from "+sub("text")+")",
			"overlay("+sub("text")+" placing 'Z' from 2)", "normalize("+sub("text")+", NFC)", "substring("+sub("text")+` SIMILAR 'a#"b#"c' ESCAPE '#')`)
	case "numeric":
		return choose(g.Rand, "extract(year FROM "+sub("timestamp")+")", "position('a' in "+sub("text")+")::numeric", "round("+sub("numeric")+", 2)")
	case "timestamp":
		return choose(g.Rand, "("+sub("timestamptz")+" AT TIME ZONE 'UTC')", "date_trunc('month', "+sub("timestamp")+")", "current_date::timestamp")
	}
	return ""
}

// failing is a condition that fails for some row that the role may see.
func (g *siblingGrammar) failing(items []siblingItem) string {
	it := items[g.IntN(len(items))]
	key := it.alias + "." + it.key
	num := "(SELECT 0)"
	if c := g.column("text", items); c != "" {
		num = c
	}
	return choose(g.Rand,
		"1/("+key+"-100) > -1", "1/("+key+"-104) > -1", "100/("+key+"-3000005) > -200", num+"::numeric > -1", "("+num+" || '1')::int8 > -1", "ln("+key+"-104) > -1",
		"sqrt("+key+"-105)>=0", "exp("+key+") > 0", num+"::date IS NOT NULL", "'x' ~ "+num, "date_trunc("+num+", now()) IS NOT NULL", "("+key+"*1000000)::int4 > 0",
		"make_date(2024, ("+key+"-100)::int, 1) IS NOT NULL", "chr(("+key+"-104)::int) <> 'x'", "to_date("+num+", 'YYYY') IS NOT NULL", "substr('abc', 1, ("+key+"-104)::int) <> 'q'",
		"'a' LIKE "+num+" ESCAPE "+num, num+"::jsonb IS NOT NULL", "power("+key+"-104, -1) > -2", "(SELECT a FROM generate_series(1, ("+key+"-103)::int) a) > -1")
}

// condition is a condition; every form of comparison has a constant that tempts
// the planner.
func (g *siblingGrammar) condition(items []siblingItem, depth int) string {
	if g.partial && g.chance(30) {
		return g.failing(items)
	}
	if depth > 0 && g.chance(25) {
		a, b := g.condition(items, depth-1), g.condition(items, depth-1)
		return choose(g.Rand, "("+a+" AND "+b+")", "("+a+" OR "+b+")", "NOT ("+a+")", "("+a+") IS "+choose(g.Rand, "", "NOT ")+choose(g.Rand, "TRUE", "FALSE", "UNKNOWN"))
	}
	it := items[g.IntN(len(items))]
	c := it.columns[g.IntN(len(it.columns))]
	col := it.alias + "." + c.name
	value := func() string { return c.tempting[g.IntN(len(c.tempting))] }
	v, w := value(), value()
	typ := c.typ
	typed := v + "::" + typ
	if depth > 0 && g.chance(30) {
		col = choose(g.Rand, col+"::"+typ, "coalesce("+col+", "+g.value(typ, items, depth-1)+")", "(SELECT "+col+")", "CASE WHEN true THEN "+col+" END",
			"nullif("+col+", "+g.value(typ, items, 0)+")", "greatest("+col+", "+w+"::"+typ+")")
	}
	if depth > 0 && g.chance(20) {
		typed, v = g.value(typ, items, depth-1), "("+g.value(typ, items, depth-1)+")"
	}
	op := choose(g.Rand, "=", "=", "=", "<>", "<", "<=", ">", ">=", "OPERATOR(pg_catalog.=)")
	forms := []string{
		col + " " + op + " " + v, v + " " + op + " " + col, col + " " + op + " " + typed,
		col + " IN (" + v + ")", col + " IN (" + v + ", " + w + ")", col + " NOT IN (" + v + ", " + w + ")",
		col + " IN (SELECT " + typed + ")", col + " IN (SELECT " + v + ")", col + " NOT IN (SELECT " + typed + ")", col + " IN (VALUES (" + typed + "))",
		col + " IN (VALUES (" + typed + "), (" + w + "::" + typ + "))", col + " IN (SELECT z.c FROM (SELECT " + typed + " c) z)", col + " IN (SELECT " + typed + " WHERE true)",
		col + " IN (SELECT " + typed + " UNION ALL SELECT " + w + "::" + typ + ")", col + " IN (SELECT " + typed + " FROM generate_series(1, 2))",
		col + " IN (WITH q AS (SELECT " + typed + " c) SELECT c FROM q)", col + " = ANY (SELECT " + typed + ")", col + " " + op + " ALL (SELECT " + typed + ")",
		col + " " + op + " ANY (ARRAY[" + typed + ", " + w + "])", col + " " + op + " ALL (ARRAY[" + typed + "])",
		col + " " + op + " (SELECT " + typed + ")", "EXISTS (SELECT 1 WHERE " + col + " = " + v + ")", "EXISTS (SELECT " + v + " WHERE " + col + " " + op + " " + typed + ")",
		col + " BETWEEN " + v + " AND " + w, col + " NOT BETWEEN " + v + " AND " + w, col + " BETWEEN SYMMETRIC " + v + " AND " + w, col + " NOT BETWEEN SYMMETRIC " + v + " AND " + w,
		col + " IS DISTINCT FROM " + v, col + " IS NOT DISTINCT FROM " + v, col + " IS NULL", col + " IS NOT NULL",
		"ROW(" + col + ", 1) = ROW(" + v + ", 1)", "(" + col + ", 1) IN ((" + v + ", 1))", "(" + col + ", 1) IN (SELECT " + typed + ", 1)", "ROW(" + col + ") IS NOT NULL",
		"CASE " + col + " WHEN " + v + " THEN true ELSE false END", "CASE WHEN " + col + " = " + v + " THEN false ELSE true END", "(" + col + " = " + v + ") = true",
		"nullif(" + col + ", " + v + ") IS NULL", "num_nulls(nullif(" + col + ", " + typed + ")) = 1",
	}
	if typ == "text" {
		like := strings.TrimSuffix(v, "'")
		if !strings.HasSuffix(v, "'") {
			like = "'QZX7hot"
		}
		forms = append(forms, col+" LIKE "+like+"%'", col+" ILIKE "+like+"%'", col+" NOT LIKE "+like+"'", col+" SIMILAR TO "+like+"%'", col+" ~ "+like+"'", col+" !~* "+like+"'",
			col+" LIKE ANY (ARRAY["+like+"%'])", "starts_with("+col+", "+v+")", col+" ^@ "+v, col+` COLLATE "C" = `+v, "lower("+col+") = "+v, col+" || 'x' = "+v+" || 'x'",
			col+" LIKE "+like+"!%' ESCAPE '!'")
	}
	if typ == "numeric" {
		forms = append(forms, col+" + 0 "+op+" "+v, "abs("+col+") = "+v, col+" - "+v+" = 0", "numrange(0, "+typed+") @> "+col, col+" = "+v+" * 1.0")
	}
	if typ == "timestamp" {
		forms = append(forms, col+" >= "+typed+" - interval '1 day'", "date_trunc('day', "+col+") = "+typed, col+"::date = "+v+"::date", col+" < "+choose(g.Rand, "CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP(0)", "LOCALTIMESTAMP", "LOCALTIMESTAMP(2)", "now()", "transaction_timestamp()", "CURRENT_DATE"),
			choose(g.Rand, "CURRENT_TIME", "CURRENT_TIME(0)", "LOCALTIME", "LOCALTIME(1)")+" IS NOT NULL", "("+col+", "+typed+") OVERLAPS ("+typed+", interval '1 day')")
	}
	if g.depth < 2 && depth > 0 {
		forms = append(forms, "EXISTS ("+g.query(nil, items)+")", "NOT EXISTS ("+g.query(nil, items)+")", col+" IN ("+g.query([]string{typ}, items)+")",
			col+" "+op+" ANY ("+g.query([]string{typ}, nil)+")", col+" "+op+" ("+g.scalar(typ, items)+")", col+" IN ("+g.query([]string{typ}, nil)+")")
	}
	return choose(g.Rand, forms...)
}

// scalar is a subquery of one row.
func (g *siblingGrammar) scalar(typ string, outer []siblingItem) string {
	g.depth++
	defer func() { g.depth-- }()
	table, it := g.table()
	items := []siblingItem{it}
	where := " WHERE " + g.condition(items, 1)
	if len(outer) > 0 && g.chance(40) {
		where += " AND " + it.alias + "." + it.key + " = " + choose(g.Rand, outer[0].alias+"."+outer[0].key, "104")
	}
	if list := g.catalog.aggregates[typ]; len(list) > 0 && g.chance(60) {
		return "SELECT " + g.aggregate(typ, items) + " FROM " + table + where
	}
	return "SELECT " + g.value(typ, items, 1) + " FROM " + table + where + " ORDER BY " + it.alias + "." + it.key + " LIMIT 1"
}

// aggregate is a call of an aggregate of the type.
func (g *siblingGrammar) aggregate(typ string, items []siblingItem) string {
	list := g.catalog.aggregates[typ]
	if len(list) == 0 {
		return "count(*)"
	}
	m := list[g.IntN(len(list))]
	args := make([]string, len(m.args))
	for i, a := range m.args {
		args[i] = g.value(a, items, 1)
	}
	filter := ""
	if g.chance(20) {
		filter = " FILTER (WHERE " + g.condition(items, 0) + ")"
	}
	switch m.name {
	case "mode":
		return "mode() WITHIN GROUP (ORDER BY " + g.value("text", items, 0) + ")"
	case "percentile_cont", "percentile_disc":
		return m.name + "(0.5) WITHIN GROUP (ORDER BY " + g.value("float8", items, 0) + ")"
	case "rank", "dense_rank", "percent_rank", "cume_dist", "row_number", "ntile", "lag", "lead", "first_value", "last_value", "nth_value":
		if strings.Contains(m.form(args), "VARIADIC") || (m.name == "rank" || m.name == "dense_rank" || m.name == "percent_rank" || m.name == "cume_dist") && len(args) > 0 {
			return "count(*)"
		}
		return m.form(args) + " OVER (" + g.window(items) + ")"
	case "string_agg":
		if g.chance(50) {
			a := g.value("text", items, 1)
			return "string_agg(" + choose(g.Rand, "DISTINCT ", "") + a + ", ',' ORDER BY " + a + ")" + filter
		}
	}
	if g.chance(10) && m.name != "string_agg" && len(args) == 1 {
		return m.name + "(DISTINCT " + args[0] + ")" + filter
	}
	return m.form(args) + filter
}

func (g *siblingGrammar) window(items []siblingItem) string {
	w := ""
	if g.chance(50) {
		w += "PARTITION BY " + g.value(choose(g.Rand, "text", "numeric"), items, 1) + " "
	}
	w += "ORDER BY " + g.value(choose(g.Rand, "text", "numeric", "timestamp"), items, 1)
	return w + choose(g.Rand, "", "", " ROWS BETWEEN 2 PRECEDING AND CURRENT ROW", " GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING EXCLUDE TIES")
}

// table is a table, perhaps inside a subquery, with what it gives.
func (g *siblingGrammar) table() (string, siblingItem) {
	name := choose(g.Rand, siblingTableNames...)
	def := siblingTables[name]
	a := g.alias()
	it := siblingItem{a, def.key, def.columns}
	shown := choose(g.Rand, "", "", "adempiere.") + name
	if g.depth < 3 && g.chance(20) {
		inner := siblingItem{g.alias(), def.key, def.columns}
		var list []string
		for _, c := range def.columns {
			list = append(list, inner.alias+"."+c.name)
		}
		tail := choose(g.Rand, "", "", " OFFSET 0", " ORDER BY 1 LIMIT 40", " UNION ALL SELECT "+strings.ReplaceAll(strings.Join(list, ", "), inner.alias+".", "u.")+" FROM "+name+" u")
		return "(SELECT " + choose(g.Rand, "", "", "DISTINCT ") + strings.Join(list, ", ") + " FROM " + shown + " " + inner.alias + " WHERE " + g.condition([]siblingItem{inner}, 1) + tail + ") " + a, it
	}
	return shown + choose(g.Rand, " ", " AS ") + a, it
}

// from is FROM with some items.
func (g *siblingGrammar) from() (string, []siblingItem) {
	sql, it := g.table()
	items := []siblingItem{it}
	for g.chance(45) && len(items) < 3 {
		next, n := g.table()
		left := items[g.IntN(len(items))]
		on := left.alias + "." + choose(g.Rand, left.key, "ad_org_id", "ad_client_id", "c_bpartner_id", left.key) + " = " + n.alias + "." + n.key
		for _, c := range left.columns { // only columns that are there
			if strings.Contains(on, left.alias+"."+c.name+" ") {
				goto there
			}
		}
		on = left.alias + "." + left.key + " = " + n.alias + "." + n.key
	there:
		switch g.IntN(9) {
		case 0:
			sql += ", " + next
			if len(items) == 1 && g.chance(60) {
				sql = strings.Replace(sql, ", ", " CROSS JOIN ", 1)
			}
		case 1:
			if n.key == left.key && len(items) == 1 {
				sql += " JOIN " + next + " USING (" + n.key + ")"
				break
			}
			fallthrough
		case 2:
			sql += " LEFT JOIN LATERAL (SELECT * FROM " + strings.TrimSpace(next) + " WHERE " + g.condition([]siblingItem{n}, 0) + " AND " + on + ") " + n.alias + "l ON true"
			n.alias += "l"
		case 3, 4:
			sql += " LEFT JOIN " + next + " ON " + on + " AND " + g.condition([]siblingItem{n}, 1)
		case 5:
			sql += choose(g.Rand, " RIGHT JOIN ", " FULL JOIN ") + next + " ON " + on
		default:
			sql += " JOIN " + next + " ON " + on
			if g.chance(40) {
				sql += " AND " + g.condition([]siblingItem{n, left}, 1)
			}
		}
		items = append(items, n)
	}
	if g.chance(8) {
		m := g.catalog.tables[g.IntN(len(g.catalog.tables))]
		args := make([]string, len(m.args))
		for i, a := range m.args {
			args[i] = g.value(a, items, 0)
		}
		call := m.form(args)
		if m.name == "generate_series" {
			call = "generate_series(1, 3)"
		}
		sql += " CROSS JOIN LATERAL " + choose(g.Rand, call, "ROWS FROM ("+call+")", call+" WITH ORDINALITY") + " AS " + g.alias()
	}
	return sql, items
}

// query is a SELECT of columns of the types, or of any.
func (g *siblingGrammar) query(types []string, outer []siblingItem) string {
	g.depth++
	defer func() { g.depth-- }()
	if types == nil {
		for range 1 + g.IntN(3) {
			types = append(types, choose(g.Rand, siblingTypes...))
		}
	}
	from, items := g.from()
	inner := items
	if len(outer) > 0 && g.chance(50) {
		inner = append(append([]siblingItem{}, items...), outer...)
	}
	where := ""
	if g.chance(85) {
		where = " WHERE " + g.condition(inner, 2)
		if g.depth == 1 && g.chance(5) {
			where += " AND $1::text IS NOT NULL"
		}
		if g.chance(30) {
			where += " AND " + g.condition(items, 1)
		}
	}
	list := make([]string, len(types))
	switch {
	case g.depth == 1 && g.chance(22): // grouped
		group := g.value(choose(g.Rand, "text", "numeric", "timestamp", "bool"), items, 1)
		for i, typ := range types {
			list[i] = g.aggregate(typ, items)
		}
		list = append(list, group)
		having := ""
		if g.chance(50) {
			having = " HAVING " + choose(g.Rand, "count(*) > 1", "bool_or("+g.condition(items, 1)+")", "max("+g.value("numeric", items, 1)+") >= 61803398777.17", group+" IS NOT NULL")
		}
		by := choose(g.Rand, group, "("+group+")", "ROLLUP ("+group+")", "CUBE ("+group+")", "GROUPING SETS (("+group+"), ())", fmt.Sprint(len(list)), "DISTINCT "+group)
		if strings.Contains(by, "ROLLUP") && g.chance(50) {
			list[0] = "grouping(" + group + ")"
		}
		return "SELECT " + strings.Join(list, ", ") + " FROM " + from + where + " GROUP BY " + by + having + g.tail(len(list))
	case g.depth == 1 && g.chance(10): // aggregated
		for i, typ := range types {
			list[i] = g.aggregate(typ, items)
		}
		return "SELECT " + strings.Join(list, ", ") + " FROM " + from + where
	}
	for i, typ := range types {
		list[i] = g.value(typ, inner, 2)
		if g.depth == 1 && g.chance(20) {
			list[i] = choose(g.Rand, "row_number()", "rank()", "sum("+g.value("numeric", items, 1)+")", "lag("+g.value("text", items, 0)+")") + " OVER (" + g.window(items) + ")"
		}
	}
	distinct := ""
	tail := ""
	if g.depth == 1 {
		list = append(list, items[0].alias+"."+items[0].key)
		tail = g.tail(len(list))
		switch g.IntN(8) {
		case 0:
			distinct, tail = "DISTINCT ", ""
		case 1:
			distinct, tail = "DISTINCT ON ("+g.value("text", items, 1)+") ", ""
		}
	}
	return "SELECT " + distinct + strings.Join(list, ", ") + " FROM " + from + where + tail
}

func (g *siblingGrammar) tail(columns int) string {
	by := fmt.Sprint(columns)
	return choose(g.Rand, "", "", " LIMIT 3", " LIMIT 7 OFFSET 1", " ORDER BY "+by, " ORDER BY "+by+" DESC LIMIT 3", " ORDER BY "+by+" NULLS FIRST LIMIT 2", " ORDER BY "+by+" ASC NULLS LAST", " ORDER BY "+by+" USING < FETCH FIRST 2 ROWS WITH TIES", " LIMIT 2 + 2")
}

// statement is a whole statement.
func (g *siblingGrammar) statement() string {
	g.partial = g.chance(30)
	q := func() string { return g.query(nil, nil) }
	key := func() string { return g.query([]string{"numeric"}, nil) }
	switch g.IntN(17) {
	case 0:
		return "WITH w AS " + choose(g.Rand, "", "MATERIALIZED ", "NOT MATERIALIZED ") + "(SELECT * FROM c_order o WHERE " +
			g.condition([]siblingItem{{"o", "c_order_id", siblingTables["c_order"].columns}}, 2) + ") SELECT w.c_order_id FROM w WHERE " +
			g.condition([]siblingItem{{"w", "c_order_id", siblingTables["c_order"].columns}}, 2) + choose(g.Rand, "", " LIMIT 3")
	case 1:
		g.depth++
		a, b := key(), key()
		g.depth--
		return a + choose(g.Rand, " UNION ", " UNION ALL ", " INTERSECT ", " EXCEPT ", " EXCEPT ALL ") + b + choose(g.Rand, "", " ORDER BY 1 LIMIT 3")
	case 2:
		g.depth++
		a := g.query([]string{"numeric", "int4"}, nil)
		g.depth--
		return "WITH RECURSIVE r(k, n) AS (" + a + ` UNION ALL SELECT r.k, r.n + 1 FROM r JOIN c_order o ON o.c_order_id = r.k WHERE r.n < 2 AND ` +
			g.condition([]siblingItem{{"o", "c_order_id", siblingTables["c_order"].columns}}, 1) + ") " +
			choose(g.Rand, "", "SEARCH BREADTH FIRST BY k SET seq ", "CYCLE k SET c USING p ", "CYCLE k SET c TO 'Y' DEFAULT 'N' USING p ") + "SELECT k, n FROM r"
	case 3:
		return "VALUES (" + g.value("text", nil, 1) + ", 1), ((SELECT max(documentno) FROM c_order o WHERE " +
			g.condition([]siblingItem{{"o", "c_order_id", siblingTables["c_order"].columns}}, 1) + "), 2)"
	case 4:
		g.depth++
		inner := g.query([]string{"numeric", "bool"}, nil)
		g.depth--
		return "SELECT q.k FROM (" + inner + ") q(k, e) WHERE q.e" + choose(g.Rand, "", " LIMIT 3", " ORDER BY 1 DESC LIMIT 3")
	case 5:
		return siblingProofs[choose(g.Rand, slices.Sorted(maps.Keys(siblingProofs))...)](g)
	case 6:
		return g.keptConstant()
	}
	return q()
}
