package guard

import (
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// Value is a constant of a statement that travels as a parameter, so that the
// planner does not compare it with what it knows of rows that may not be seen.
type Value struct {
	// Type is the parameter's type as in pg_catalog.pg_type, "int4" or
	// "_numeric". "" leaves it to the server, which then treats the parameter as
	// it would have treated a text without a type.
	Type string

	// Text is the value as PostgreSQL reads it for that type.
	Text string

	array bool
}

// constant writes a scalar value as a constant again; nil for an array.
func (v Value) constant() *pg.Node {
	if v.array {
		return nil
	}
	switch v.Type {
	case "":
		return textConst(v.Text)
	case "bool":
		return constant(&pg.A_Const{Val: &pg.A_Const_Boolval{Boolval: &pg.Boolean{Boolval: v.Text == "true"}}})
	case "bit":
		return constant(&pg.A_Const{Val: &pg.A_Const_Bsval{Bsval: &pg.BitString{Bsval: v.Text}}})
	case "int4":
		if n, err := strconv.ParseInt(v.Text, 10, 32); err == nil {
			return constant(&pg.A_Const{Val: &pg.A_Const_Ival{Ival: &pg.Integer{Ival: int32(n)}}})
		}
	case "int8", "numeric":
		return constant(&pg.A_Const{Val: &pg.A_Const_Fval{Fval: &pg.Float{Fval: v.Text}}})
	}
	return nil
}

// lifted makes a parameter of a constant.
func (j *job) lifted(v Value) *pg.Node {
	j.values = append(j.values, v)
	return &pg.Node{Node: &pg.Node_ParamRef{ParamRef: &pg.ParamRef{Number: int32(j.params + len(j.values))}}}
}

// constantOf returns a constant as a value to be compared with a column of that
// type, or for "" as the value it would be anywhere.
func constantOf(m *pg.A_Const, typ string) (Value, bool) {
	fam := families[typ]
	switch {
	case m.GetSval() != nil:
		return Value{Text: m.GetSval().Sval}, fam != boolFamily
	case m.GetIval() != nil, m.GetFval() != nil:
		if typ != "" && fam != numberFamily {
			return Value{}, false
		}
		text, own := numberOf(m)
		if typ == "numeric" {
			own = "numeric"
		}
		return Value{Type: own, Text: text}, true
	}
	return Value{}, false
}

// numberOf returns a number's text and the type the server gives it.
func numberOf(m *pg.A_Const) (text, typ string) {
	if i := m.GetIval(); i != nil {
		return strconv.Itoa(int(i.Ival)), "int4"
	}
	text = m.GetFval().Fval
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		return text, "int8"
	}
	return text, "numeric"
}

// arrayOf returns a list of constants as one array to be compared with a column
// of that type.
func arrayOf(typ string, items []*pg.Node) (Value, bool) {
	fam := families[typ]
	own := ""
	texts := make([]string, len(items))
	for i, n := range items {
		m := n.GetAConst()
		switch {
		case m == nil || m.Isnull:
			return Value{}, false
		case fam == numberFamily && (m.GetIval() != nil || m.GetFval() != nil):
			text, t := numberOf(m)
			texts[i] = text
			own = wider(own, t)
		case (fam == textFamily || fam == timeFamily || fam == uuidFamily) && m.GetSval() != nil:
			texts[i] = m.GetSval().Sval
		default:
			return Value{}, false
		}
	}
	if typ == "numeric" {
		own = "numeric"
	}
	if own != "" {
		own = "_" + own
	}
	var b strings.Builder
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	for i, t := range texts {
		b.WriteString([]string{`{"`, `","`}[min(i, 1)])
		b.WriteString(escape.Replace(t))
	}
	b.WriteString(`"}`)
	return Value{Type: own, Text: b.String(), array: true}, true
}

// wider returns the type that holds numbers of both.
func wider(a, b string) string {
	rank := map[string]int{"": 0, "int4": 1, "int8": 2, "numeric": 3}
	if rank[a] > rank[b] {
		return a
	}
	return b
}
