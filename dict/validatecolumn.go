package dict

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/erphub/erphub/internal/adid"
	"github.com/erphub/erphub/internal/lazyregexp"
)

func (t Table) validateColumns(f *findings, columns []origin) {
	table := shown(t.Name)
	if len(columns) > maxColumns {
		f.add(table, "table.columns", fmt.Sprintf("it has %d columns, databases hold at most %d", len(columns), maxColumns), "split the table")
	}
	seen := map[string]origin{}
	identifiers := map[int]string{}
	var key string
	for _, c := range columns {
		where := table + "." + shown(c.Name)
		lower := strings.ToLower(c.Name)
		if first, ok := seen[lower]; ok && c.Name != "" {
			clash(f, where, first)
		} else {
			seen[lower] = c
		}
		t.validateColumn(f, where, c.Column)
		if c.Identifier {
			if other, ok := identifiers[c.SeqNo]; ok {
				f.add(where, "column.seqno", fmt.Sprintf("identifier number %d is also that of %s", c.SeqNo, shown(other)),
					"number identifiers differently, or leave the numbers out")
			}
			identifiers[c.SeqNo] = c.Name
		}
		if c.Key {
			if key != "" {
				f.add(where, "column.key", fmt.Sprintf("%s is the key already", shown(key)), "mark one column only")
			}
			key = c.Name
			if c.Type != TypeID || !strings.EqualFold(c.Name, t.Name+"_ID") {
				f.add(where, "column.key", "the key has to be called "+shown(t.Name)+"_ID and be of type ID",
					"use the STANDARD template, or mark parent columns for a table without an id")
			}
		}
	}
}

func clash(f *findings, where string, first origin) {
	switch {
	case first.template != "":
		f.add(where, "column.clash", fmt.Sprintf("the template %s brings a column of this name", first.template),
			"drop the column or the template")
	case first.target:
		f.add(where, "column.clash", "the import target brings a column of this name", "drop the column")
	default:
		f.add(where, "column.duplicate", "there is a column of this name already", "name it otherwise; the ERP does not distinguish case")
	}
}

func (t Table) validateColumn(f *findings, where string, c Column) {
	if problem := checkIdentifier(c.Name, MaxColumnName); problem != "" {
		f.add(where, "column.name", fmt.Sprintf("the column name %s %s", quote(c.Name), problem),
			"use a letter, then letters, digits and underscores, at most 63 characters, no word of SQL")
	}
	if c.Label != t.Label || t.Label == "" { // the table's own was checked with the table
		f.text(where, "column.text", "the label", c.Label, maxLabel)
		if strings.TrimSpace(c.Label) == "" {
			f.add(where, "column.text", "the label is blank", "give it text or leave it out")
		}
	}
	f.text(where, "column.text", "the description", c.Description, maxDescription)
	f.text(where, "column.text", "the help", c.Help, maxHelp)
	f.text(where, "column.text", "the placeholder", c.Placeholder, maxDescription)
	f.text(where, "column.text", "the read-only logic", c.ReadOnlyLogic, maxLogic)
	f.text(where, "column.text", "the mandatory logic", c.MandatoryLogic, maxLogic)
	f.text(where, "column.text", "the callout", c.Callout, 255)
	f.text(where, "column.text", "the format", c.VFormat, 255)
	f.text(where, "column.text", "the format pattern", c.FormatPattern, 22)
	f.text(where, "column.text", "the SQL expression", c.SQL, maxVarchar)
	f.text(where, "column.text", "the validation rule", c.ValRule, maxLabel)
	f.text(where, "column.text", "the process", c.Process, 40)
	if c.EntityType != t.entityType() {
		entityType(f, where, c.EntityType)
	}
	if c.SeqNo < 0 {
		f.add(where, "column.seqno", "the identifier number is negative", "use 1 and up, or 0 to have it numbered")
	}
	t.validateType(f, where, c)
	validateLength(f, where, c)
	validateDefault(f, where, c)
	validateRange(f, where, c)
	if problem := checkForeignKey(c); problem != "" {
		f.add(where, "column.foreignkey", problem, "use N, C, S, D, M, O or T, and a name of at most 63 characters")
	}
}

func checkForeignKey(c Column) string {
	switch c.ForeignKey {
	case FKNoAction, FKCascade, FKSetNull, FKNone, FKModelCascade, FKModelNoAction, FKModelSetNull:
	default:
		return fmt.Sprintf("there is no foreign key rule %s", quote(string(c.ForeignKey)))
	}
	if c.ForeignKeyName != "" {
		if problem := checkIdentifier(c.ForeignKeyName, MaxColumnName); problem != "" {
			return fmt.Sprintf("the foreign key name %s %s", quote(c.ForeignKeyName), problem)
		}
	}
	return ""
}

func (t Table) validateType(f *findings, where string, c Column) {
	rule := "column.type"
	switch {
	case c.Type == 0:
		f.add(where, rule, "it has no type", "give it one, such as TypeString")
		return
	case c.Type < 0 || !c.Type.Known() && c.Type <= adid.MaxOfficial:
		f.add(where, rule, fmt.Sprintf("there is no display type %d", c.Type), "use one of the ERP's, or the id of a custom one")
		return
	}
	validateReference(f, where, c)
	validateUse(f, where, c)
}

// validateReference checks what a column chooses its values from.
func validateReference(f *findings, where string, c Column) {
	const rule = "column.reference"
	if c.Reference == nil {
		if c.Type.IsList() || slices.Contains([]DisplayType{TypeTable, TypeTableUU, TypeChosenMultipleSelectionTable, TypeChosenMultipleSelectionSrch}, c.Type) {
			f.add(where, rule, fmt.Sprintf("type %s needs a reference to choose from", c.Type), "give it a list or a table reference")
		}
		return
	}
	mayList := c.Type.IsList() || c.Type == TypeButton
	mayTable := c.Type.IsLookup() && !c.Type.IsList() || c.Type == TypeButton
	switch {
	case !mayList && !mayTable:
		f.add(where, rule, fmt.Sprintf("type %s takes no reference", c.Type), "drop the reference or change the type")
	case len(c.Reference.Values) > 0 && !mayList:
		f.add(where, rule, fmt.Sprintf("type %s does not choose from a list", c.Type), "use type List")
	case c.Reference.Lookup != nil && !mayTable:
		f.add(where, rule, fmt.Sprintf("type %s does not choose from a table", c.Type), "use type Table or Search")
	}
}

// validateUse checks that name and flags of a column go with its type.
func validateUse(f *findings, where string, c Column) {
	byName := c.Type == TypeTableDir || c.Type == TypeSearch && c.Reference == nil
	for _, use := range []struct {
		wrong          bool
		rule, what, do string
	}{
		{byName && (!strings.HasSuffix(c.Name, "_ID") || len(c.Name) <= 3), "column.type",
			fmt.Sprintf("type %s takes the table from the name, which has to end in _ID", c.Type), "rename the column or use type Table with a reference"},
		{c.Type.IsUUID() && !strings.HasSuffix(c.Name, "_UU"), "column.type", "the name of a UUID column has to end in _UU", "rename the column"},
		{c.Parent && !c.Type.IsID() && !c.Type.IsUUID() && !c.Type.IsLookup(), "column.parent",
			fmt.Sprintf("a column of type %s cannot link to a parent", c.Type), "use type Table Direct or Search"},
		{c.Unique && c.SQL != "", "column.unique", "a virtual column cannot be unique", "drop one of the two"},
		{c.Process != "" && c.Type != TypeButton, "column.process", "only a button starts a process", "use type Button or drop the process"},
	} {
		if use.wrong {
			f.add(where, use.rule, use.what, use.do)
		}
	}
}

func validateLength(f *findings, where string, c Column) {
	const rule = "column.length"
	list := c.Type.IsList() && !c.Type.IsMultiple()
	switch {
	case c.Length < 0:
		f.add(where, rule, fmt.Sprintf("the length %d is negative", c.Length), "use 0 for the usual length")
	case c.Type.IsText() && c.Type != TypeText && c.Length > maxVarchar, list && c.Length > maxVarchar:
		f.add(where, rule, fmt.Sprintf("the length %d is above %d", c.Length, maxVarchar), "use type Text or Text Long")
	case list && c.Length == 0 && c.Reference != nil:
		f.add(where, rule, "the length of the list's values is not known", "give the length of the longest one")
	case c.Type == TypeButton && c.Length > 2000:
		f.add(where, rule, fmt.Sprintf("the length %d of a button is above 2000", c.Length), "shorten it")
	case c.Length > 1_000_000:
		f.add(where, rule, fmt.Sprintf("the length %d is beyond every database", c.Length), "shorten it")
	}
	if list {
		validateValueLengths(f, where, c)
	}
}

func validateValueLengths(f *findings, where string, c Column) {
	if c.Reference == nil || c.Length <= 0 {
		return
	}
	for _, v := range c.Reference.Values {
		if n := utf8.RuneCountInString(v.Value); n > c.Length {
			f.add(where, "column.length", fmt.Sprintf("the value %s needs %d characters, the column has %d", quote(v.Value), n, c.Length),
				"lengthen the column or shorten the value")
		}
	}
}

func validateRange(f *findings, where string, c Column) {
	f.text(where, "column.range", "the minimum", c.Min, 20)
	f.text(where, "column.range", "the maximum", c.Max, 20)
	low, errLow := strconv.ParseFloat(c.Min, 64)
	high, errHigh := strconv.ParseFloat(c.Max, 64)
	if c.Type.IsNumeric() {
		if c.Min != "" && errLow != nil && !strings.Contains(c.Min, "@") || c.Max != "" && errHigh != nil && !strings.Contains(c.Max, "@") {
			f.add(where, "column.range", "minimum and maximum of a number have to be numbers", "write them as 0 or 99.5")
		}
	}
	if errLow == nil && errHigh == nil && c.Min != "" && c.Max != "" && high < low {
		f.add(where, "column.range", fmt.Sprintf("the maximum %s is below the minimum %s", c.Max, c.Min), "swap them")
	}
}

// plainExpression is what may stand unquoted as a default in DDL: a number, or
// a name such as SYSDATE, with empty brackets or without.
var plainExpression = lazyregexp.New(`^(?:[+-]?[0-9]+(?:\.[0-9]+)?|[A-Za-z_][A-Za-z0-9_]*(?:\(\))?)$`)

// validateDefault refuses defaults that would break the DDL made from them: the
// ERP puts the default of numbers, dates and ids into the statement as it
// stands. A default with an @ is evaluated by the ERP's program and never
// reaches the database.
func validateDefault(f *findings, where string, c Column) {
	f.text(where, "column.default", "the default", c.Default, maxLogic)
	if c.Default == "" || strings.Contains(c.Default, "@") {
		return
	}
	value, quoted := unquote(c.Default)
	what, do := c.wrongLiteral(value, quoted)
	if what == "" {
		what, do = c.wrongDefault(value)
	}
	if what != "" {
		f.add(where, "column.default", fmt.Sprintf("the default %s %s", quote(c.Default), what), do)
	}
}

func (c Column) wrongLiteral(value string, quoted bool) (what, do string) {
	hasQuote := strings.Contains(strings.ReplaceAll(value, "''", ""), "'")
	switch {
	case c.quotesDefault():
		if hasQuote {
			return "contains a quote", "double the quote and put the whole in quotes"
		}
	case quoted:
		if hasQuote {
			return "is more than one literal", "write one value"
		}
	case !plainExpression().MatchString(c.Default):
		return "is neither a value nor a name", "write a number, SYSDATE, or an expression of the ERP with @"
	}
	return "", ""
}

func (c Column) wrongDefault(value string) (what, do string) {
	switch {
	case c.Type == TypeYesNo && value != "Y" && value != "N":
		return "of a Yes-No column is neither Y nor N", "write Y or N"
	case c.Type.IsList() && !c.Type.IsMultiple() && c.Reference != nil && len(c.Reference.Values) > 0 && !hasValue(c.Reference, value):
		return "is not in the list", "write one of the list's values"
	case (c.Type.IsText() && c.Type != TypeText || c.Type.IsList()) && c.Length > 0 && len([]rune(value)) > c.Length:
		return "is longer than the column", "shorten it or lengthen the column"
	}
	return "", ""
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
	return slices.ContainsFunc(r.Values, func(v ListValue) bool { return v.Value == value })
}
