package erptest

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
	"github.com/erphub/erphub/internal/displaytype"
)

// infoParameters reads the text of $parameters, nil for none. Anything but a JSON
// object fails outside the real handler's guard.
func infoParameters(text string) (*wire.Object, error) {
	if text == "" {
		return nil, nil
	}
	v, err := wire.Parse([]byte(text))
	if o, ok := v.(*wire.Object); ok && err == nil {
		return o, nil
	}
	return nil, page(http.StatusInternalServerError)
}

// infoOperators are the operators a column may be compared with.
var infoOperators = map[string]string{"=": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "Like": "Like", "LIKE": "LIKE"}

// infoFunctions are the functions a comparison may go through.
var infoFunctions = map[string]string{"upper": "erp_upper", "lower": "erp_lower", "trim": "trim", "abs": "abs", "length": "length"}

// infoCriteria are the conditions of $parameters: column names, in any case, and
// values. Names of no column are passed over.
func (rd *reader) infoCriteria(ctx context.Context, info *infoDef, given *wire.Object) (parts []string, args []any, err error) {
	if given == nil {
		return nil, nil, nil
	}
	for _, name := range given.Names() {
		col := info.column(name)
		if col == nil || col.expr == "0" {
			continue
		}
		v, _ := given.Get(name)
		value, err := rd.infoValue(ctx, col.field.col, v)
		if err != nil {
			return nil, nil, err
		}
		if value == nil {
			parts = append(parts, "1=2") // nothing equals an unknown value
			continue
		}
		part, arg, ok := infoComparison(*col, value)
		if !ok {
			return nil, nil, page(http.StatusInternalServerError)
		}
		parts, args = append(parts, part), append(args, arg)
	}
	return parts, args, nil
}

// infoValue is what a column is compared with; nil for values it does not
// understand.
func (rd *reader) infoValue(ctx context.Context, col *store.Column, v any) (any, error) {
	if !col.IsList() && !col.IsLookup() {
		return rd.c.session.ToStored(ctx, rd.tx, col, v)
	}
	if o, ok := v.(*wire.Object); ok {
		// Only by its id: the real code does not know the table here.
		if v, ok = o.Get("id"); !ok {
			return nil, page(http.StatusInternalServerError)
		}
	}
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n, nil
		}
		return rd.c.session.ToStored(ctx, rd.tx, &store.Column{Name: col.Name, Ref: displaytype.Integer}, v)
	case string:
		if !col.IsList() && strings.HasSuffix(strings.ToUpper(col.Name), "_ID") {
			break // the database does not compare numbers with texts
		}
		return v, nil
	case nil:
		if col.IsList() {
			return nil, nil
		}
	}
	return nil, page(http.StatusInternalServerError)
}

// infoComparison compares a column with a value. ok is false for what the
// database does not compare.
func infoComparison(col infoColumn, value any) (condition string, arg any, ok bool) {
	left, right := "("+col.expr+")", "?"
	if col.field.col.Kind() == store.KindDecimal {
		// Decimals are compared by value whatever the clause makes of them.
		left, right = "CAST("+left+" AS NUMERIC)", "CAST(? AS NUMERIC)"
	}
	function := strings.ToLower(strings.TrimSuffix(strings.TrimSpace(col.row.String("QueryFunction")), "(?)"))
	if f := infoFunctions[function]; f != "" {
		left = f + "(" + left + ")"
		if function == "upper" {
			right = f + "(" + right + ")"
		}
	}
	operator := cmp.Or(infoOperators[col.row.String("QueryOperator")], "=")
	if !strings.EqualFold(operator, "like") {
		return left + operator + right, value, true
	}
	text, ok := value.(string)
	if !ok {
		return "", nil, false
	}
	if operator == "LIKE" && !strings.HasPrefix(text, "%") {
		text = "%" + text
	}
	if !strings.HasSuffix(text, "%") {
		text += "%"
	}
	return "erp_like(CAST(" + left + " AS TEXT)," + right + ")", text, true
}
