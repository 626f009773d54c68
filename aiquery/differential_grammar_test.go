package aiquery_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// kind is what a generated expression is.
type kind int

const (
	number kind = iota
	text
	moment
	truth
)

type field struct {
	name string
	kind kind
}

// source is an item of FROM.
type source struct {
	alias  string
	fields []field
}

// tables of the grammar with some of their columns, the last of which may not
// be seen.
var grammarTables = map[string][]field{
	"c_order": {
		{"c_order_id", number}, {"documentno", text}, {"grandtotal", number}, {"dateordered", moment}, {"c_bpartner_id", number},
		{"docstatus", text}, {"ad_org_id", number}, {"ad_client_id", number}, {"salesrep_id", number}, {"description", text},
	},
	"c_orderline": {
		{"c_orderline_id", number}, {"c_order_id", number}, {"line", number}, {"qtyordered", number}, {"linenetamt", number},
		{"m_product_id", number}, {"ad_org_id", number}, {"description", text},
	},
	"c_bpartner":      {{"c_bpartner_id", number}, {"name", text}, {"value", text}, {"iscustomer", text}, {"duns", text}, {"description", text}, {"ad_org_id", number}},
	"m_product":       {{"m_product_id", number}, {"name", text}, {"value", text}, {"m_product_category_id", number}, {"ad_org_id", number}},
	"ad_user":         {{"ad_user_id", number}, {"name", text}, {"password", text}, {"userpin", text}, {"c_bpartner_id", number}, {"comments", text}},
	"c_invoice":       {{"c_invoice_id", number}, {"documentno", text}, {"grandtotal", number}, {"docstatus", text}, {"c_bpartner_id", number}, {"dateinvoiced", moment}},
	"rv_order_detail": {{"c_order_id", number}, {"documentno", text}, {"partnername", text}, {"partnertax", text}, {"hint", text}, {"grandtotal", number}},
	"rv_bpartner_total": {
		{"c_bpartner_id", number}, {"name", text}, {"orders", number}, {"total", number},
	},
	"ad_allusers_v": {{"ad_user_id", number}, {"name", text}, {"passphrase", text}},
}

var grammarNames = []string{
	"c_order", "c_order", "c_order", "c_orderline", "c_bpartner", "c_bpartner", "m_product", "ad_user", "c_invoice",
	"rv_order_detail", "rv_bpartner_total", "ad_allusers_v",
}

var forbiddenNames = []string{"c_payment", "zz_shadow", "xx_free", "ad_table", "rv_payment_list"}
var forbiddenColumns = []string{"taxid", "poreference", "upc", "zz_shadow", "ctid", "peek"}

// grammar makes SELECTs. The results of most do not depend on the order in
// which rows are found.
type grammar struct {
	*rand.Rand
	names int
	risky bool               // may divide and convert
	ctes  map[string][]field // in sight
	outer []source           // of the levels around
	depth int
}

func newGrammar(r *rand.Rand) *grammar {
	return &grammar{Rand: r, risky: r.IntN(8) == 0, ctes: map[string][]field{}}
}

func (g *grammar) chance(percent int) bool { return g.IntN(100) < percent }

func pick[T any](g *grammar, list []T) T { return list[g.IntN(len(list))] }

func (g *grammar) alias() string {
	g.names++
	// The names the guard itself uses are as good as any other.
	if g.chance(5) {
		return pick(g, []string{"s", "q"}) + fmt.Sprint(g.names)
	}
	return fmt.Sprintf("t%d", g.names)
}

// statement is a whole statement.
func (g *grammar) statement() string {
	sql, fields := g.query(nil)
	if g.chance(30) {
		order := make([]string, len(fields))
		for i := range fields {
			order[i] = fmt.Sprint(i + 1)
		}
		sql = "SELECT * FROM (" + sql + ") z ORDER BY " + strings.Join(order, ", ")
		if g.chance(50) {
			sql += fmt.Sprintf(" LIMIT %d", g.IntN(20))
			if g.chance(30) {
				sql += fmt.Sprintf(" OFFSET %d", g.IntN(5))
			}
		}
	}
	return sql
}

// query is a SELECT with the fields it gives; kinds, unless nil, are what they
// must be.
func (g *grammar) query(kinds []kind) (string, []field) {
	g.depth++
	defer func() { g.depth-- }()
	with := ""
	if g.depth < 3 && g.chance(20) {
		seen := g.ctes
		g.ctes = map[string][]field{}
		for name, fields := range seen {
			g.ctes[name] = fields
		}
		defer func() { g.ctes = seen }()
		var items []string
		for range 1 + g.IntN(2) {
			body, fields := g.query(nil)
			name := g.alias()
			if g.chance(30) { // named as a table
				name = pick(g, append(grammarNames, forbiddenNames...))
			}
			if _, ok := g.ctes[name]; ok {
				continue
			}
			g.ctes[name] = fields
			items = append(items, name+" AS "+pick(g, []string{"", "", "MATERIALIZED ", "NOT MATERIALIZED "})+"("+body+")")
		}
		if len(items) > 0 {
			with = "WITH " + strings.Join(items, ", ") + " "
		}
	}
	if g.depth < 3 && g.chance(12) {
		left, fields := g.query(kinds)
		var same []kind
		for _, f := range fields {
			same = append(same, f.kind)
		}
		right, _ := g.query(same)
		return with + "(" + left + ") " + pick(g, []string{"UNION", "UNION ALL", "INTERSECT", "EXCEPT", "EXCEPT ALL"}) + " (" + right + ")", fields
	}
	sql, fields := g.plain(kinds)
	return with + sql, fields
}

func (g *grammar) plain(kinds []kind) (string, []field) {
	from, sources := g.from()
	saved := g.outer
	defer func() { g.outer = saved }()
	if kinds == nil {
		for range 1 + g.IntN(4) {
			kinds = append(kinds, kind(g.IntN(4)))
		}
	}
	where := ""
	if g.chance(60) {
		where = " WHERE " + g.expression(truth, sources, 2)
	}
	fields := make([]field, len(kinds))
	var list, group []string
	grouped := g.chance(30)
	for i, k := range kinds {
		fields[i] = field{fmt.Sprintf("c%d_%d", g.names, i), k}
		var e string
		switch {
		case grouped && g.chance(40):
			e = g.expression(k, sources, 1)
			group = append(group, fmt.Sprint(i+1))
		case grouped:
			e = g.aggregate(k, sources)
		case g.chance(8) && k == number:
			e = g.window(sources)
		default:
			e = g.expression(k, sources, 2)
		}
		list = append(list, e+" AS "+fields[i].name)
	}
	sql := "SELECT "
	if !grouped && g.chance(15) {
		sql += "DISTINCT "
	}
	sql += strings.Join(list, ", ") + from + where
	if grouped && len(group) > 0 {
		first, _, _ := strings.Cut(list[atoi(group[0])-1], " AS ")
		if g.chance(15) && len(group) == 1 && !strings.ContainsAny(first, " (:") { // PostgreSQL errs with constants in ROLLUP
			sql += " GROUP BY ROLLUP (" + first + ")"
		} else {
			sql += " GROUP BY " + strings.Join(group, ", ")
		}
	}
	if grouped && g.chance(30) {
		sql += " HAVING " + g.aggregate(number, sources) + " > " + g.literal(number)
	}
	return sql, fields
}

func atoi(s string) (n int) {
	for _, c := range s {
		n = 10*n + int(c-'0')
	}
	return n
}

func (g *grammar) from() (string, []source) {
	first, s := g.item(nil)
	sources := []source{s}
	sql := " FROM " + first
	for g.chance(35) && len(sources) < 3 {
		switch {
		case g.chance(15): // LATERAL sees what is on its left
			saved := g.outer
			g.outer = append(append([]source{}, g.outer...), sources...)
			body, fields := g.query(nil)
			g.outer = saved
			alias := g.alias()
			sql += pick(g, []string{" CROSS JOIN LATERAL (", ", LATERAL ("}) + body + ") " + alias
			sources = append(sources, source{alias, fields})
		default:
			next, s := g.item(nil)
			join := pick(g, []string{"JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"})
			on := g.same(sources, s)
			if on == "" {
				on = "true"
				if join == "FULL JOIN" {
					join = "LEFT JOIN"
				}
			}
			if strings.Contains(sql, ", LATERAL") { // a comma binds less than JOIN
				sql += " CROSS JOIN " + next
			} else {
				sql += " " + join + " " + next + " ON " + on
				if join != "FULL JOIN" && g.chance(30) {
					sql += " AND " + g.comparison([]source{s}, 1)
				}
			}
			sources = append(sources, s)
		}
	}
	return sql, sources
}

// same compares a field of each side.
func (g *grammar) same(left []source, right source) string {
	for range 6 {
		l := pick(g, left)
		a, b := pick(g, l.fields), pick(g, right.fields)
		if a.kind == b.kind && (a.name == b.name || g.chance(20)) {
			return l.alias + "." + a.name + " = " + right.alias + "." + b.name
		}
	}
	return ""
}

func (g *grammar) item(kinds []kind) (string, source) {
	alias := g.alias()
	switch {
	case g.depth < 3 && g.chance(15):
		body, fields := g.query(kinds)
		return "(" + body + ") AS " + alias, source{alias, fields}
	case len(g.ctes) > 0 && g.chance(50):
		names := []string{}
		for name := range g.ctes {
			names = append(names, name)
		}
		if len(names) > 1 && names[0] > names[1] { // maps have no order, seeds shall
			names[0], names[1] = names[1], names[0]
		}
		if len(names) > 0 {
			name := names[0]
			for _, n := range names {
				name = min(name, n)
			}
			return name + " AS " + alias, source{alias, g.ctes[name]}
		}
	case g.chance(3):
		return fmt.Sprintf("generate_series(1, %d) AS %s(n)", 1+g.IntN(5), alias), source{alias, []field{{"n", number}}}
	case g.chance(2):
		return pick(g, forbiddenNames) + " AS " + alias, source{alias, []field{{"ad_client_id", number}}}
	}
	name := pick(g, grammarNames)
	if fields, ok := g.ctes[name]; ok {
		return name + " AS " + alias, source{alias, fields}
	}
	shown := pick(g, []string{"", "", "adempiere."}) + name
	return shown + " AS " + alias, source{alias, grammarTables[name]}
}

func (g *grammar) literal(k kind) string {
	switch k {
	case number:
		return pick(g, []string{"0", "1", "10", "11", "12", "100.5", "104", "117", "118", "50000", "50005", "6180339", "NULL"})
	case text:
		return pick(g, []string{"'CO'", "'Y'", "'QZX'", "'***'", "'Joe Block'", "''", "'a'", "'80004'"})
	case moment:
		return pick(g, []string{"timestamp '2024-03-05'", "timestamp '2024-06-30 12:00:00'", "timestamp '2025-01-01'"})
	}
	return pick(g, []string{"true", "false"})
}

// column is a reference to a field of the kind, or "".
func (g *grammar) column(k kind, sources []source) string {
	if g.chance(10) && len(g.outer) > 0 {
		sources = g.outer
	}
	for range 8 {
		s := pick(g, sources)
		f := pick(g, s.fields)
		if f.kind == k {
			return s.alias + "." + f.name
		}
	}
	if g.chance(2) {
		return pick(g, sources).alias + "." + pick(g, forbiddenColumns)
	}
	return ""
}

func (g *grammar) expression(k kind, sources []source, depth int) string {
	if k == truth {
		return g.comparison(sources, depth)
	}
	if depth <= 0 || g.chance(50) {
		if c := g.column(k, sources); c != "" && !g.chance(10) {
			return c
		}
		return g.typed(k)
	}
	sub := func(k kind) string { return g.expression(k, sources, depth-1) }
	switch g.IntN(6) {
	case 0:
		return "CASE WHEN " + sub(truth) + " THEN " + sub(k) + " ELSE " + sub(k) + " END"
	case 1:
		return "coalesce(" + sub(k) + ", " + sub(k) + ")"
	case 2:
		return "nullif(" + sub(k) + ", " + sub(k) + ")"
	case 3:
		if g.depth < 3 {
			return "(" + g.scalar(k, sources) + ")"
		}
	}
	switch k {
	case number:
		if g.chance(12) {
			return g.macro(sources)
		}
		if g.risky && g.chance(40) {
			return pick(g, []string{
				"1 / nullif(" + sub(number) + " - 104, 0)", "100 / (" + sub(number) + ")", "(" + sub(text) + ")::numeric", "sqrt(" + sub(number) + ")",
				"(CASE WHEN " + sub(text) + " LIKE 'QZX7%' THEN 1/0 ELSE 1 END)",
			})
		}
		return pick(g, []string{
			sub(number) + " + " + sub(number), "(" + sub(number) + ") * 2", "length(" + sub(text) + ")", "abs(" + sub(number) + ")",
			"round(" + sub(number) + ", 1)", "extract(year FROM " + sub(moment) + ")", "greatest(" + sub(number) + ", " + sub(number) + ")",
		})
	case text:
		return pick(g, []string{
			sub(text) + " || " + sub(text), "upper(" + sub(text) + ")", "substr(" + sub(text) + ", 2, 3)", "md5(" + sub(text) + ")",
			"to_char(" + sub(moment) + ", 'YYYY-MM')", "concat(" + sub(text) + ", " + sub(number) + ")", "replace(" + sub(text) + ", 'a', 'b')", g.row(sources),
		})
	}
	return pick(g, []string{"date_trunc('month', " + sub(moment) + ")", sub(moment) + " + interval '1 day'"})
}

// typed is a literal that has its type without context.
func (g *grammar) typed(k kind) string {
	names := map[kind]string{number: "numeric", text: "text", moment: "timestamp", truth: "bool"}
	return g.literal(k) + "::" + names[k]
}

// row uses a whole row.
func (g *grammar) row(sources []source) string {
	s := pick(g, sources)
	if !g.chance(25) {
		if c := g.column(text, sources); c != "" {
			return "lower(" + c + ")"
		}
	}
	return "(to_jsonb(" + s.alias + ") - 'poreference' - 'zz_shadow') ->> '" + pick(g, s.fields).name + "'"
}

// scalar is a subquery of one row.
func (g *grammar) scalar(k kind, sources []source) string {
	saved := g.outer
	g.outer = append(append([]source{}, g.outer...), sources...)
	defer func() { g.outer = saved }()
	item, s := g.item(nil)
	g.depth++
	defer func() { g.depth-- }()
	agg := g.aggregate(k, []source{s})
	return "SELECT " + agg + " FROM " + item + " WHERE " + g.comparison([]source{s}, 1)
}

func (g *grammar) aggregate(k kind, sources []source) string {
	arg := func(k kind) string {
		if c := g.column(k, sources); c != "" && c[0] != 'o' {
			return c
		}
		return g.typed(k)
	}
	filter := ""
	if g.chance(10) {
		filter = " FILTER (WHERE " + g.simple(sources) + ")"
	}
	switch k {
	case number:
		switch g.IntN(6) {
		case 0:
			return "count(*)" + filter
		case 1:
			return "count(DISTINCT " + arg(text) + ")" + filter
		case 2:
			return "count(" + pick(g, sources).alias + ")" + filter
		}
		return pick(g, []string{"sum(", "min(", "max(", "count("}) + arg(number) + ")" + filter
	case text:
		if g.chance(30) {
			a := arg(text)
			return "string_agg(" + a + ", ',' ORDER BY " + a + ")" + filter
		}
		return pick(g, []string{"min(", "max("}) + arg(text) + ")" + filter
	case moment:
		return pick(g, []string{"min(", "max("}) + arg(moment) + ")" + filter
	}
	return pick(g, []string{"bool_or(", "bool_and("}) + g.simple(sources) + ")" + filter
}

// simple is a condition without subqueries.
func (g *grammar) simple(sources []source) string {
	k := kind(g.IntN(3))
	c := g.column(k, sources)
	if c == "" {
		return "true"
	}
	return c + pick(g, []string{" = ", " <> ", " > ", " <= "}) + g.typed(k)
}

func (g *grammar) window(sources []source) string {
	over := " OVER ("
	if c := g.column(number, sources); c != "" && g.chance(50) {
		over += "PARTITION BY " + c + " "
	}
	if c := g.column(pick(g, []kind{number, text, moment}), sources); c != "" {
		over += "ORDER BY " + c
	}
	over += ")"
	if strings.Contains(over, "ORDER") && g.chance(50) {
		return pick(g, []string{"rank()", "dense_rank()"}) + over
	}
	if c := g.column(number, sources); c != "" {
		return pick(g, []string{"sum(", "max(", "count("}) + c + ")" + over
	}
	return "count(*)" + over
}

func (g *grammar) comparison(sources []source, depth int) string {
	if depth > 0 && g.chance(30) {
		a, b := g.comparison(sources, depth-1), g.comparison(sources, depth-1)
		return pick(g, []string{"(" + a + " AND " + b + ")", "(" + a + " OR " + b + ")", "NOT (" + a + ")"})
	}
	if depth > 0 && g.depth < 3 && g.chance(15) {
		k := pick(g, []kind{number, text})
		saved := g.outer
		g.outer = append(append([]source{}, g.outer...), sources...)
		body, _ := g.query([]kind{k})
		g.outer = saved
		switch g.IntN(3) {
		case 0:
			return pick(g, []string{"", "NOT "}) + "EXISTS (" + body + ")"
		case 1:
			return "(" + g.expression(k, sources, 0) + ")" + pick(g, []string{" IN (", " NOT IN ("}) + body + ")"
		}
		return "(" + g.expression(k, sources, 0) + ")" + pick(g, []string{" = ANY (", " > ALL (", " <> ALL ("}) + body + ")"
	}
	k := kind(g.IntN(3))
	e := g.expression(k, sources, depth-1)
	switch g.IntN(6) {
	case 0:
		return "(" + e + ") IS " + pick(g, []string{"", "NOT "}) + "NULL"
	case 1:
		if k == text {
			return "(" + e + ") LIKE " + pick(g, []string{"'%a%'", "'QZX%'", "'J%'", "'_0%'"})
		}
	case 2:
		return "(" + e + ") BETWEEN " + g.typed(k) + " AND " + g.typed(k)
	case 3:
		return "(" + e + ") IN (" + g.typed(k) + ", " + g.typed(k) + ")"
	case 4:
		return "(" + e + ") IS DISTINCT FROM " + g.typed(k)
	}
	return "(" + e + ")" + pick(g, []string{" = ", " <> ", " < ", " > ", " <= ", " >= "}) + g.typed(k)
}
