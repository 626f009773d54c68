package sqlite

import (
	"database/sql/driver"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/erphub/erphub/aiquery/internal/run"
)

// expr is a rendered expression.
type expr struct {
	sql     string
	typ     string // PostgreSQL type, "unknown" while a literal, NULL or parameter has none
	integer bool   // a numeric that is INTEGER in every row

	// Of an expression of unknown type, one of:
	lit   *string
	null  bool
	param int32
}

const unknown = "unknown"

// typeNames are the types that can be named, by their name in pg_catalog.
var typeNames = []string{
	"bool", "int2", "int4", "int8", "numeric", "float4", "float8", "text", "varchar", "bpchar",
	"date", "timestamp", "timestamptz", "time", "interval", "uuid", "json", "jsonb", "bytea",
}

// sourceType is a column's type as a caller of Render names it.
func sourceType(name string) string {
	if name == "" {
		return "text"
	}
	if elem, ok := strings.CutPrefix(name, "_"); ok {
		name = elem + "[]"
	}
	if elem := strings.TrimSuffix(name, "[]"); slices.Contains(typeNames, elem) {
		return name
	}
	return ""
}

// The categories of types, as PostgreSQL groups them for finding operators.
func category(typ string) byte {
	switch typ {
	case "bool":
		return 'B'
	case "int2", "int4", "int8", "numeric", "float4", "float8":
		return 'N'
	case "text", "varchar", "bpchar":
		return 'S'
	case "date", "timestamp", "timestamptz", "time":
		return 'D'
	case "interval":
		return 'T'
	case unknown:
		return 'X'
	}
	if strings.HasSuffix(typ, "[]") {
		return 'A'
	}
	return 'U'
}

func isNumber(typ string) bool { return category(typ) == 'N' }

func isInt(typ string) bool { return typ == "int2" || typ == "int4" || typ == "int8" }

func isFloat(typ string) bool { return typ == "float4" || typ == "float8" }

// preferred types win where several would do.
func preferred(typ string) bool {
	switch typ {
	case "bool", "float8", "text", "timestamptz", "interval":
		return true
	}
	return false
}

// implicit tells whether values turn into another type implicitly.
func implicit(from, to string) bool {
	if from == to || from == unknown {
		return true
	}
	order := []string{"int2", "int4", "int8", "numeric", "float4", "float8"}
	if i, j := slices.Index(order, from), slices.Index(order, to); i >= 0 && j >= 0 {
		return i < j
	}
	switch from {
	case "date":
		return to == "timestamp" || to == "timestamptz"
	case "timestamp":
		return to == "timestamptz"
	case "time":
		return to == "interval"
	case "text", "varchar", "bpchar":
		return isText(to)
	}
	return false
}

// castable tells whether an explicit cast exists.
func castable(from, to string) bool {
	if implicit(from, to) || isText(from) || isText(to) {
		return true
	}
	if isNumber(from) && isNumber(to) {
		return true
	}
	elemFrom, ok1 := strings.CutSuffix(from, "[]")
	elemTo, ok2 := strings.CutSuffix(to, "[]")
	if ok1 && ok2 {
		return castable(elemFrom, elemTo)
	}
	switch from + ">" + to {
	case "bool>int4", "int4>bool", "timestamp>date", "timestamptz>date", "timestamptz>timestamp",
		"timestamp>time", "timestamptz>time", "interval>time", "time>interval", "json>jsonb":
		return true
	}
	return false
}

// literal writes a value of our own.
func literal(v driver.Value) string {
	switch v := v.(type) {
	case int64:
		if v == math.MinInt64 {
			return "(-9223372036854775807-1)"
		}
		return strconv.FormatInt(v, 10)
	case float64:
		s := strconv.FormatFloat(v, 'e', -1, 64)
		return s
	case []byte:
		return "x'" + hex.EncodeToString(v) + "'"
	case string:
		return quoteText(v)
	}
	return "NULL"
}

func quoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func quoteName(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// typeName resolves a type's name and modifier.
func (r *renderer) typeName(t *pg_query.TypeName) (typ string, mod int) {
	names := stringsOf(t.GetNames())
	if len(names) == 0 || t.GetSetof() || t.GetPctType() || len(names) == 2 && names[0] != "pg_catalog" || len(names) > 2 {
		refuse(t.GetLocation(), "this type")
	}
	typ = names[len(names)-1]
	if elem, ok := strings.CutPrefix(typ, "_"); ok {
		typ = elem + "[]"
	}
	if !slices.Contains(typeNames, strings.TrimSuffix(typ, "[]")) {
		refuse(t.GetLocation(), "the type "+typ)
	}
	switch len(t.GetArrayBounds()) {
	case 0:
	case 1:
		typ = strings.TrimSuffix(typ, "[]") + "[]"
	default:
		refuse(t.GetLocation(), "an array of several dimensions")
	}
	var mods []int
	for _, m := range t.GetTypmods() {
		c := m.GetAConst()
		if c == nil || c.GetIval() == nil && c.GetIsnull() {
			refuse(t.GetLocation(), "this modifier of the type "+typ)
		}
		if _, ok := c.GetVal().(*pg_query.A_Const_Ival); !ok {
			refuse(t.GetLocation(), "this modifier of the type "+typ)
		}
		mods = append(mods, int(c.GetIval().GetIval()))
	}
	if len(mods) == 0 {
		return typ, -1
	}
	elem := strings.TrimSuffix(typ, "[]")
	switch {
	case elem == "numeric" && len(mods) <= 2 && mods[0] >= 1 && mods[0] <= maxScale:
		scale := 0
		if len(mods) == 2 {
			scale = mods[1]
		}
		if scale < 0 || scale > mods[0] {
			refuse(t.GetLocation(), "numeric with this scale")
		}
		return typ, numericMod(mods[0], scale)
	case (elem == "varchar" || elem == "bpchar") && len(mods) == 1 && mods[0] >= 1:
		return typ, mods[0]
	case (elem == "timestamp" || elem == "timestamptz" || elem == "time") && len(mods) == 1 && mods[0] >= 0:
		return typ, min(mods[0], 6)
	}
	refuse(t.GetLocation(), "this modifier of the type "+typ)
	return "", 0
}

// implied coerces where PostgreSQL does so by itself; what names the place.
func (r *renderer) implied(e expr, to string, at int32, what string) expr {
	if !implicit(e.typ, to) {
		hint := "cast it to " + to
		if to == "bool" && isText(e.typ) {
			hint = run.AdviceTexts
		}
		refuse(at, what+" of type "+e.typ, hint)
	}
	return r.coerce(e, to, -1, at)
}

// coerce brings e into the form of the type.
func (r *renderer) coerce(e expr, to string, mod int, at int32) expr {
	out := expr{typ: to}
	if e.typ == unknown {
		switch {
		case e.null:
			out.sql = "NULL"
		case e.param > 0:
			out.sql = r.parameter(e.param, to, mod, at)
		default:
			v, err := input(to, mod, *e.lit)
			if err != nil {
				refuse(at, "a literal that is no "+to, err.Error())
			}
			out.sql = literal(v)
		}
		return out
	}
	from := e.typ
	call := func() string {
		return "pg_cast(" + quoteText(from) + "," + quoteText(to) + "," + strconv.Itoa(mod) + "," + e.sql + ")"
	}
	if !castable(from, to) {
		refuse(at, "casting "+from+" to "+to)
	}
	out.sql = e.sql
	if mod >= 0 {
		out.sql = call()
		return out
	}
	switch {
	case from == to:
		return e
	case isInt(from) && to == "numeric":
		out.integer = true
	case isInt(from) && isInt(to) && from < to:
	case isInt(from) && isFloat(to):
		out.sql = "CAST(" + e.sql + " AS REAL)"
	case isInt(from) && isText(to):
		out.sql = "CAST(" + e.sql + " AS TEXT)"
	case from == "numeric" && isText(to):
		out.sql = numberText(e)
	case from == "float4" && to == "float8":
	case from == "bpchar" && isText(to) && to != from:
		out.sql = "rtrim(" + e.sql + ")"
	case isText(from) && isText(to) && to != "bpchar":
	case from == "date" && (to == "timestamp" || to == "timestamptz"):
		out.sql = "(" + e.sql + " || ' 00:00:00')"
	case from == "timestamp" && to == "timestamptz", from == "timestamptz" && to == "timestamp":
	case (from == "timestamp" || from == "timestamptz") && to == "date":
		out.sql = "substr(" + e.sql + ",1,10)"
	case (from == "date" || from == "timestamp" || from == "uuid" || from == "interval" || from == "time") && isText(to):
	default:
		out.sql = call()
	}
	return out
}

// parameter renders a parameter whose type is decided here for the first
// time.
func (r *renderer) parameter(n int32, typ string, mod int, at int32) string {
	for len(r.params) < int(n) {
		r.params = append(r.params, "")
	}
	if r.params[n-1] == "" {
		r.params[n-1] = typ
	}
	if r.params[n-1] != typ {
		refuse(at, "a parameter used as "+r.params[n-1]+" and as "+typ)
	}
	sql := "pg_cast('unknown'," + quoteText(typ) + ",-1,?" + strconv.Itoa(int(n)) + ")"
	if mod >= 0 {
		sql = "pg_cast(" + quoteText(typ) + "," + quoteText(typ) + "," + strconv.Itoa(mod) + "," + sql + ")"
	}
	return sql
}

// numberText is a numeric in the form of text.
func numberText(e expr) string {
	if !e.integer && !isInt(e.typ) {
		return e.sql
	}
	if strings.Trim(e.sql, "0123456789") == "" {
		return quoteText(e.sql)
	}
	return "CAST(" + e.sql + " AS TEXT)"
}

// key is what an expression is compared, grouped and sorted by.
func (r *renderer) key(e expr, at int32) string {
	switch e.typ {
	case "numeric":
		if !e.integer {
			return e.sql + " COLLATE pg_numeric"
		}
	case "interval":
		return e.sql + " COLLATE pg_interval"
	case "bpchar":
		return e.sql + " COLLATE RTRIM"
	case "json", "jsonb":
		refuse(at, "comparing values of type "+e.typ, "compare parts of them as text")
	}
	if category(e.typ) == 'A' {
		refuse(at, "comparing arrays", "use = ANY (…)")
	}
	return e.sql
}

// commonType is the type several expressions have together, as for UNION,
// CASE and lists.
func commonType(list []expr, at int32, what string) string {
	typ := unknown
	for _, e := range list {
		switch {
		case e.typ == unknown || e.typ == typ:
		case typ == unknown:
			typ = e.typ
		case category(typ) != category(e.typ):
			refuse(at, what+" with both "+typ+" and "+e.typ, "cast one of them")
		case !preferred(typ) && implicit(typ, e.typ) && !implicit(e.typ, typ):
			typ = e.typ
		case isText(typ) && isText(e.typ) && e.typ == "text":
			typ = e.typ
		}
	}
	if typ == unknown {
		return "text"
	}
	return typ
}

// together brings expressions into one type and one form.
func (r *renderer) together(list []expr, at int32, what string) ([]expr, string) {
	typ := commonType(list, at, what)
	return r.toType(list, typ, at, what), typ
}

func (r *renderer) toType(list []expr, typ string, at int32, what string) []expr {
	out := make([]expr, len(list))
	integer := true
	for i, e := range list {
		out[i] = r.implied(e, typ, at, what)
		if out[i].typ == "numeric" && !out[i].integer && out[i].sql != "NULL" {
			integer = false
		}
	}
	if typ == "numeric" {
		for i := range out {
			switch {
			case integer:
				out[i].integer = true
			case out[i].sql != "NULL":
				out[i].sql = numberText(out[i])
				out[i].integer = false
			}
		}
	}
	return out
}

func stringsOf(nodes []*pg_query.Node) []string {
	out := make([]string, len(nodes))
	for i, n := range nodes {
		out[i] = n.GetString_().GetSval()
	}
	return out
}
