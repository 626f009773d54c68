package filter

import (
	"strings"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// Columns knows the columns a filter may speak of.
type Columns interface {
	// Filterable is the column a name stands for and the SQL that reads it;
	// ok is false for names that are unknown or must not be searched.
	Filterable(name string) (c *store.Column, expr string, ok bool)
}

// ForTable offers the columns of a dictionary table, by name in any case, and
// the words id and uid for its keys. Secure and encrypted columns cannot be
// searched, nor those whose SQL belongs to the user interface.
func ForTable(t *store.Table) Columns { return tableColumns{t} }

type tableColumns struct{ t *store.Table }

func (tc tableColumns) Filterable(name string) (*store.Column, string, bool) {
	var c *store.Column
	switch name {
	case "id":
		c = tc.t.KeyColumn()
	case "uid":
		c = tc.t.UUColumn()
	}
	if c == nil {
		var ok bool
		if c, ok = tc.t.Column(name); !ok {
			return nil, "", false
		}
	}
	if c.Secure || c.Encrypted || strings.HasPrefix(c.ColumnSQL, "@") {
		return nil, "", false
	}
	return c, store.Expr(tc.t, c), true
}

// SQL is a condition with ? parameters. An empty Where lets everything
// through. A Where with alternatives is not in parentheses, as in the ERP.
type SQL struct {
	Where string
	Args  []any
}

// Translate turns a filter into SQL. Times without zone are meant in zone.
func Translate(f *Filter, columns Columns, zone *time.Location) (SQL, error) {
	if len(f.Alternatives) == 0 {
		return SQL{}, nil
	}
	tr := &translator{columns: columns, zone: zone}
	if err := tr.filter(f); err != nil {
		return SQL{}, err
	}
	return SQL{Where: tr.sql.String(), Args: tr.args}, nil
}

type translator struct {
	columns Columns
	zone    *time.Location
	sql     strings.Builder
	args    []any
}

func (tr *translator) filter(f *Filter) error {
	for i, alternative := range f.Alternatives {
		if i > 0 {
			tr.sql.WriteString(" OR ")
		}
		for j, t := range alternative {
			if j > 0 {
				tr.sql.WriteString(" AND ")
			}
			if err := tr.term(t); err != nil {
				return err
			}
		}
	}
	return nil
}

func (tr *translator) term(t Term) error {
	switch t := t.(type) {
	case Group:
		tr.sql.WriteByte('(')
		if err := tr.filter(t.Filter); err != nil {
			return err
		}
		tr.sql.WriteByte(')')
		return nil
	case Match:
		return tr.match(t)
	case Comparison:
		return tr.comparison(t)
	default:
		return broken("Unknown kind of expression")
	}
}

func (tr *translator) arg(v any) { tr.args = append(tr.args, v) }

// operand resolves the left-hand side.
func (tr *translator) operand(o Operand) (*store.Column, string, error) {
	c, expr, ok := tr.columns.Filterable(o.Column)
	if !ok {
		return nil, "", bad("Invalid column for filter: %s", o.Column)
	}
	if o.Fold == NoFold {
		return c, expr, nil
	}
	if !isText(c) {
		return nil, "", broken("The column cannot be converted to text: %s", c.Name)
	}
	return c, string(o.Fold) + "(" + expr + ")", nil
}

func (tr *translator) match(m Match) error {
	c, expr, err := tr.operand(m.Operand)
	if err != nil {
		return err
	}
	if !isText(c) {
		return broken("%s needs a text column: %s", m.Function, c.Name)
	}
	pattern := m.Value
	if m.Function != "startswith" {
		pattern = "%" + pattern
	}
	if m.Function != "endswith" {
		pattern += "%"
	}
	if m.Not {
		tr.sql.WriteString("NOT ")
	}
	tr.sql.WriteString("erp_like(" + expr + ",?)")
	tr.arg(pattern)
	return nil
}

var sqlOperators = map[string]string{"eq": "=", "neq": "<>", "gt": ">", "ge": ">=", "lt": "<", "le": "<="}

func (tr *translator) comparison(cmp Comparison) error {
	c, expr, err := tr.operand(cmp.Operand)
	if err != nil {
		return err
	}
	if c.Kind() == store.KindBytes && cmp.Value != "null" {
		return broken("The column cannot be compared: %s", c.Name)
	}
	if cmp.Operator == "in" {
		tr.sql.WriteString(byValue(c, expr) + " IN (")
		for i, text := range cmp.List {
			v, err := convert(c, text, tr.zone)
			if err != nil {
				return err
			}
			if i > 0 {
				tr.sql.WriteByte(',')
			}
			tr.sql.WriteByte('?')
			tr.arg(v)
		}
		tr.sql.WriteByte(')')
		return nil
	}
	if cmp.Value == "null" && cmp.Fold == NoFold {
		tr.sql.WriteString(expr)
		if cmp.Operator == "eq" {
			tr.sql.WriteString(" IS NULL")
		} else {
			tr.sql.WriteString(" IS NOT NULL")
		}
		return nil
	}
	right, err := tr.right(c, cmp)
	if err != nil {
		return err
	}
	tr.sql.WriteString(byValue(c, expr) + " " + sqlOperators[cmp.Operator] + " " + right)
	return nil
}

// right is the right-hand side: a column when the word is the name of one,
// else a value of the left column's type.
func (tr *translator) right(left *store.Column, cmp Comparison) (string, error) {
	var expr string
	if _, quoted := unquote(cmp.Value); !quoted {
		if c, e, ok := tr.columns.Filterable(cmp.Value); ok {
			if cmp.Fold != NoFold && !isText(c) {
				return "", broken("The column cannot be converted to text: %s", c.Name)
			}
			if left.Kind() == store.KindDecimal || c.Kind() == store.KindDecimal {
				e = "CAST(" + e + " AS TEXT)" // numbers of any kind meet as decimal text
			}
			expr = e
		}
	}
	if expr == "" {
		v, err := convert(left, cmp.Value, tr.zone)
		if err != nil {
			return "", err
		}
		if _, isText := v.(string); cmp.Fold != NoFold && !isText {
			return "", broken("The value cannot be converted to text: %s", cmp.Value)
		}
		tr.arg(v)
		expr = "?"
	}
	if cmp.Fold != NoFold {
		return string(cmp.Fold) + "(" + expr + ")", nil
	}
	return expr, nil
}

// byValue is the left-hand side in a form that compares by value: computed
// decimals have to be told so.
func byValue(c *store.Column, expr string) string {
	if c.Kind() == store.KindDecimal {
		return "CAST(" + expr + " AS TEXT) COLLATE DECIMAL"
	}
	return expr
}

// isText tells whether SQL's text functions take the column.
func isText(c *store.Column) bool {
	switch c.Kind() {
	case store.KindText, store.KindBool, store.KindUUID, store.KindJSON:
		return true
	}
	return false
}
