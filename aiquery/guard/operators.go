package guard

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/erphub/erphub/internal/lazyregexp"
)

// catalog is the schema of what PostgreSQL itself brings.
const catalog = "pg_catalog"

// operators are the built-in operators a statement may use.
var operators = set(`
	+ - * / % ^ |/ ||/ @ & | # ~ << >> = <> != < > <= >= ||
	~~ !~~ ~~* !~~* ~* !~ !~* ^@
	-> ->> #> #>> #- @> <@ ? ?| ?& @?
	&& -|- &< &>
`)

// types are the types a statement may name.
var types = set(`bool int2 int4 int8 numeric float4 float8 text varchar bpchar date time timetz timestamp timestamptz
	interval json jsonb uuid bytea bit varbit int4range int8range numrange tsrange tstzrange daterange`)

var collations = set(`C POSIX default ucs_basic`)

// decimal is how constants may be written that do not fit 32 bits. Older
// servers read others differently.
var decimal = lazyregexp.New(`^(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?$`)

// operator checks an operator's name, given by its parts.
func (c *checker) operator(name []*pg.Node, at int32) error {
	switch {
	case len(name) == 1 && operators[name[0].GetString_().GetSval()]:
		return nil
	case len(name) == 2 && name[0].GetString_().GetSval() == catalog && operators[name[1].GetString_().GetSval()]:
		return nil
	case len(name) == 2 && c.trusted && name[0].GetString_().GetSval() == c.job.policy.Schema && c.job.policy.Schema != "":
		// The ERP's own arithmetic with dates, in its views.
		if op := name[1].GetString_().GetSval(); op == "+" || op == "-" {
			return nil
		}
	}
	text := ""
	for _, n := range name {
		if text != "" {
			text += "."
		}
		text += n.GetString_().GetSval()
	}
	return denied(at, "operator %s is not available", text)
}

// expression checks the operator of an expression.
func (c *checker) expression(m *pg.A_Expr, at int32) error {
	switch m.Kind {
	case pg.A_Expr_Kind_AEXPR_BETWEEN, pg.A_Expr_Kind_AEXPR_NOT_BETWEEN,
		pg.A_Expr_Kind_AEXPR_BETWEEN_SYM, pg.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM:
		// The name is the construct's, the server uses the built-in comparisons.
		if len(m.Name) == 1 {
			switch m.Name[0].GetString_().GetSval() {
			case "BETWEEN", "NOT BETWEEN", "BETWEEN SYMMETRIC", "NOT BETWEEN SYMMETRIC":
				return nil
			}
		}
		return unsupported(at, "this form of BETWEEN is not supported here")
	default:
		return c.operator(m.Name, at)
	}
}

// typeName checks a type and writes pg_catalog in front of it.
func (c *checker) typeName(m *pg.TypeName, at int32) error {
	if m.Location >= 0 {
		at = m.Location
	}
	last := ""
	if n := len(m.Names); n > 0 {
		last = m.Names[n-1].GetString_().GetSval()
	}
	switch {
	case len(m.Names) == 1 && types[last]:
		m.Names = names(catalog, last)
	case len(m.Names) == 2 && m.Names[0].GetString_().GetSval() == catalog && types[last]:
	default:
		text := ""
		for i, n := range m.Names {
			if i > 0 {
				text += "."
			}
			text += n.GetString_().GetSval()
		}
		return denied(at, "type %s is not available", text).
			advise("use text, numeric, integer, date, timestamp, interval, boolean, jsonb or another basic type")
	}
	for _, n := range m.Typmods {
		if n.GetAConst().GetIval() == nil {
			return unsupported(at, "the length of a type must be a number")
		}
	}
	return nil
}

// collation checks a collation and writes pg_catalog in front of it.
func (c *checker) collation(m *pg.CollateClause, at int32) error {
	last := ""
	if n := len(m.Collname); n > 0 {
		last = m.Collname[n-1].GetString_().GetSval()
	}
	switch {
	case len(m.Collname) == 1 && collations[last]:
		m.Collname = names(catalog, last)
	case len(m.Collname) == 2 && m.Collname[0].GetString_().GetSval() == catalog && collations[last]:
	default:
		return denied(at, "collation %s is not available", last).advise(`use "C"`)
	}
	return nil
}

// constant checks a number's spelling.
func (c *checker) constant(m *pg.A_Const, at int32) error {
	if f := m.GetFval(); f != nil && !decimal().MatchString(f.Fval) {
		return unsupported(at, "the number %s is not supported here", f.Fval).advise("write it in plain decimal digits")
	}
	return nil
}
