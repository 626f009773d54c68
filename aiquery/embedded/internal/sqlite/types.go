package sqlite

import (
	"cmp"
	"database/sql/driver"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/erphub/erphub/aiquery/internal/run"
	"github.com/erphub/erphub/internal/sqlquote"
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
	"bool", "int2", "int4", "int8", "numeric", "float8", "text", "varchar", "bpchar", "date", "timestamp", "timestamptz", "interval",
}

// sourceType is a column's type as a caller of Render names it, "" for one that
// cannot be rendered.
func sourceType(name string) string {
	switch {
	case name == "":
		return "text"
	case name == "bytea", slices.Contains(typeNames, name):
		return name
	}
	return ""
}

// categories group the types as PostgreSQL does for finding operators.
var categories = map[string]byte{
	"bool": 'B', "int2": 'N', "int4": 'N', "int8": 'N', "numeric": 'N', "float8": 'N', "text": 'S', "varchar": 'S', "bpchar": 'S',
	"date": 'D', "timestamp": 'D', "timestamptz": 'D', "interval": 'T', unknown: 'X',
}

func category(typ string) byte {
	switch c := categories[typ]; {
	case c != 0:
		return c
	case strings.HasSuffix(typ, "[]"):
		return 'A'
	}
	return 'U'
}

func isNumber(typ string) bool { return category(typ) == 'N' }

func isInt(typ string) bool { return typ == "int2" || typ == "int4" || typ == "int8" }

func isFloat(typ string) bool { return typ == "float8" }

func isTimestamp(typ string) bool { return typ == "timestamp" || typ == "timestamptz" }

// preferred types win where several would do.
func preferred(typ string) bool {
	return slices.Contains([]string{"bool", "float8", "text", "timestamptz", "interval"}, typ)
}

// widening is the order in which a number turns into another type implicitly.
var widening = []string{"int2", "int4", "int8", "numeric", "float8"}

// implicit reports whether values turn into another type implicitly.
func implicit(from, to string) bool {
	if from == to || from == unknown {
		return true
	}
	if i, j := slices.Index(widening, from), slices.Index(widening, to); i >= 0 && j >= 0 {
		return i < j
	}
	switch from {
	case "date":
		return isTimestamp(to)
	case "timestamp":
		return to == "timestamptz"
	}
	return isText(from) && isText(to)
}

// castable reports whether an explicit cast exists.
func castable(from, to string) bool {
	if category(from) == 'A' {
		return from == to
	}
	if implicit(from, to) || isText(from) || isText(to) || isNumber(from) && isNumber(to) {
		return true
	}
	switch from + ">" + to {
	case "bool>int4", "int4>bool", "timestamp>date", "timestamptz>date", "timestamptz>timestamp":
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
		return sqlquote.Text(v)
	}
	return "NULL"
}

// typeName resolves a type's name and modifier. An array's type ends in [].
func (r *renderer) typeName(t *pg_query.TypeName) (typ string, mod int) {
	names := stringsOf(t.GetNames())
	at := t.GetLocation()
	if len(names) == 0 || t.GetSetof() || t.GetPctType() || len(names) == 2 && names[0] != "pg_catalog" || len(names) > 2 {
		untranslated(at, "this type")
	}
	typ = names[len(names)-1]
	if !slices.Contains(typeNames, typ) {
		untranslated(at, "the type "+typ)
	}
	var mods []int
	for _, m := range t.GetTypmods() {
		v, ok := m.GetAConst().GetVal().(*pg_query.A_Const_Ival)
		if !ok {
			untranslated(at, "this modifier of the type "+typ)
		}
		mods = append(mods, int(v.Ival.GetIval()))
	}
	mod = -1
	if len(mods) > 0 {
		mod = modifier(typ, mods)
		if mod < 0 {
			untranslated(at, "this modifier of the type "+typ)
		}
	}
	switch bounds := len(t.GetArrayBounds()); {
	case bounds == 0:
	case bounds == 1 && mod < 0:
		typ += "[]"
	default:
		untranslated(at, "this array")
	}
	return typ, mod
}

// modifier packs what stands in parentheses after a type, -1 if it is not known.
func modifier(typ string, mods []int) int {
	switch {
	case typ == "numeric" && len(mods) <= 2 && mods[0] >= 1 && mods[0] <= maxScale:
		scale := 0
		if len(mods) == 2 {
			scale = mods[1]
		}
		if scale >= 0 && scale <= mods[0] {
			return numericMod(mods[0], scale)
		}
	case (typ == "varchar" || typ == "bpchar") && len(mods) == 1 && mods[0] >= 1:
		return mods[0]
	}
	return -1
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
	switch {
	case e.null:
		out.sql = "NULL"
	case e.param > 0:
		out.sql = r.parameter(e.param, to, mod, at)
	case e.typ == unknown:
		out.sql = typedLiteral(to, mod, *e.lit, at)
	case !castable(e.typ, to):
		refuse(at, "casting "+e.typ+" to "+to)
	case e.typ == to && mod < 0:
		return e
	default:
		out.sql, out.integer = castSQL(e, to, mod)
	}
	return out
}

// typedLiteral is a literal read as a type.
func typedLiteral(to string, mod int, text string, at int32) string {
	v, err := input(to, mod, text)
	if err == errInterval { //nolint:errorlint // input gives it as it is
		untranslated(at, "this interval")
	}
	if err != nil {
		refuse(at, "a literal that is no "+to, err.Error())
	}
	return literal(v)
}

// forms are the casts that need no function of ours, by the form that the value
// has and the one it gets; $ is the value. Those of whole numbers to another width
// only widen.
var forms = map[string]string{
	"int>numeric": "$", "int>int": "$", "int>float8": "CAST($ AS REAL)", "int>text": "CAST($ AS TEXT)",
	"text>text": "$", "bpchar>text": "rtrim($)", "date>text": "$", "interval>text": "$", "timestamp>text": "$",
	"date>timestamp": "($ || ' 00:00:00')", "timestamp>timestamp": "$", "timestamp>date": "substr($,1,10)", "timestamptz>date": "substr($,1,10)",
	"timestamptz>timestamp": "$",
}

// The forms of types that have the one of another type, as a value and as a target.
var (
	formSources = map[string]string{"int2": "int", "int4": "int", "int8": "int", "varchar": "text"}
	formTargets = map[string]string{"int2": "int", "int4": "int", "int8": "int", "varchar": "text", "bpchar": "text", "timestamptz": "timestamp"}
)

// castSQL writes a cast, and reports whether the result is a numeric that is INTEGER.
func castSQL(e expr, to string, mod int) (sql string, integer bool) {
	call := "pg_cast(" + sqlquote.Text(e.typ) + "," + sqlquote.Text(to) + "," + strconv.Itoa(mod) + "," + e.sql + ")"
	if mod >= 0 || isInt(e.typ) && isInt(to) && e.typ > to || isText(e.typ) && to == "bpchar" {
		return call, false
	}
	if e.typ == "numeric" && isText(to) {
		return numberText(e), false
	}
	from := cmp.Or(formSources[e.typ], e.typ)
	form, ok := forms[from+">"+cmp.Or(formTargets[to], to)]
	if !ok {
		return call, false
	}
	return strings.Replace(form, "$", e.sql, 1), from == "int" && to == "numeric"
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
	sql := "pg_cast('unknown'," + sqlquote.Text(typ) + ",-1,?" + strconv.Itoa(int(n)) + ")"
	if mod >= 0 {
		sql = "pg_cast(" + sqlquote.Text(typ) + "," + sqlquote.Text(typ) + "," + strconv.Itoa(mod) + "," + sql + ")"
	}
	return sql
}

// numberText is a numeric in the form of text.
func numberText(e expr) string {
	if !e.integer && !isInt(e.typ) {
		return e.sql
	}
	if strings.Trim(e.sql, "0123456789") == "" {
		return sqlquote.Text(e.sql)
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
	}
	if category(e.typ) == 'A' {
		untranslated(at, "an array outside of ANY and ALL")
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
