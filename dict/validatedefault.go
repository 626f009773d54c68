package dict

import (
	"fmt"
	"regexp"
	"strings"
)

// plainExpression is what may stand unquoted as a default in DDL: a number, or
// a name such as SYSDATE, with empty brackets or without.
var plainExpression = regexp.MustCompile(`^(?:[+-]?[0-9]+(?:\.[0-9]+)?|[A-Za-z_][A-Za-z0-9_]*(?:\(\))?)$`)

// validateDefault refuses defaults that would break the DDL made from them: the
// ERP puts the default of numbers, dates and ids into the statement as it
// stands. A default with an @ is evaluated by the ERP's program and never
// reaches the database.
func validateDefault(f *findings, where string, c Column) {
	f.text(where, "column.default", "the default", c.Default, maxLogic)
	if c.Default == "" || strings.Contains(c.Default, "@") {
		return
	}
	const rule = "column.default"
	value, quoted := unquote(c.Default)
	switch {
	case c.quotesDefault():
		if strings.Contains(strings.ReplaceAll(value, "''", ""), "'") {
			f.add(where, rule, fmt.Sprintf("the default %s contains a quote", quote(c.Default)),
				"double the quote and put the whole in quotes")
			return
		}
	case quoted:
		if strings.Contains(strings.ReplaceAll(value, "''", ""), "'") {
			f.add(where, rule, fmt.Sprintf("the default %s is more than one literal", quote(c.Default)), "write one value")
			return
		}
	case !plainExpression.MatchString(c.Default):
		f.add(where, rule, fmt.Sprintf("the default %s is neither a value nor a name", quote(c.Default)),
			"write a number, SYSDATE, or an expression of the ERP with @")
		return
	}
	switch {
	case c.Type == TypeYesNo && value != "Y" && value != "N":
		f.add(where, rule, fmt.Sprintf("the default %s of a Yes-No column is neither Y nor N", quote(c.Default)), "write Y or N")
	case c.Type.IsList() && !c.Type.IsMultiple() && c.Reference != nil && len(c.Reference.Values) > 0 && !hasValue(c.Reference, value):
		f.add(where, rule, fmt.Sprintf("the default %s is not in the list", quote(c.Default)), "write one of the list's values")
	case (c.Type.IsText() && c.Type != TypeText || c.Type.IsList()) && c.Length > 0 && len([]rune(value)) > c.Length:
		f.add(where, rule, fmt.Sprintf("the default %s is longer than the column", quote(c.Default)), "shorten it or lengthen the column")
	}
}

// quotesDefault reports whether the ERP puts quotes around the default when it
// makes DDL.
func (c Column) quotesDefault() bool {
	switch {
	case c.Name == "EntityType", c.Name == "AD_Language":
		return true
	case c.Type == TypeButton:
		return !strings.HasSuffix(c.Name, "_ID")
	}
	return c.Type.IsText() || c.Type.IsList() || c.Type == TypeYesNo || c.Type == TypeTextLong
}

// unquote takes the quotes off a literal.
func unquote(s string) (string, bool) {
	if len(s) >= 2 && s[0] == '\'' && s[len(s)-1] == '\'' {
		return s[1 : len(s)-1], true
	}
	return s, false
}

func hasValue(r *Reference, value string) bool {
	for _, v := range r.Values {
		if v.Value == value {
			return true
		}
	}
	return false
}
