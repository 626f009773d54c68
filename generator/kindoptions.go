package generator

import (
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict"
)

func classOption(example, what string) Option {
	return Option{Name: "class", Type: TypeString, Required: true, Example: example, check: checkClass, Description: what}
}

func labelOption() Option {
	return Option{Name: "label", Type: TypeString, Example: "Import orders", check: textCheck(60),
		Description: "What people read in the menu; without one it is derived from the class."}
}

func menuOption() Option {
	return Option{Name: "menu", Type: TypeBoolean, Default: true, Description: "Make a menu entry, below the root of the menu."}
}

func accessOption() Option {
	return Option{Name: "accessLevel", Type: TypeString, Default: string(dict.AccessClientOrg), Choices: []string{"1", "2", "3", "4", "6", "7"},
		Description: "Access level: 1 organization, 2 client, 3 client and organization, 4 system, 6 system and client, 7 all."}
}

func parametersOption() Option {
	return Option{Name: "parameters", Type: TypeStrings, Example: "C_BPartner_ID:TableDirect:mandatory,DateFrom:Date:range", check: checkParameter,
		Description: "Parameters as ColumnName:DisplayType, followed by :mandatory and :range where wanted."}
}

// parameter is a parameter of a process or report.
type parameter struct {
	Column           string
	Type             dict.DisplayType
	Mandatory, Range bool
}

func checkParameter(text string) string {
	_, why := parseParameter(text)
	return why
}

func parameterType(name string) (typ dict.DisplayType, why string) {
	typ, ok := dict.ParseDisplayType(name)
	switch {
	case !ok, strings.ContainsFunc(name, func(r rune) bool { return !letter(r) && !digit(r) && !strings.ContainsRune(" -_/+", r) }):
		return typ, fmt.Sprintf("has no display type %s; use String, Integer, Number, Amount, Date, DateTime, YesNo, TableDirect or Search", quote(name))
	case !slices.Contains([]string{"int", "String", "BigDecimal", "Timestamp", "boolean"}, javaOfType(typ)):
		return typ, fmt.Sprintf("has the display type %s, which no parameter can have", typ)
	case typ == dict.TypeTable, typ.IsList(), typ == dict.TypeTableUU, typ.IsMultiple():
		return typ, fmt.Sprintf("has the display type %s, which needs a reference; use TableDirect, Search or String, and change it in the ERP", typ)
	}
	return typ, ""
}

// parseParameter reads ColumnName:DisplayType[:mandatory][:range].
func parseParameter(text string) (p parameter, why string) {
	parts := strings.Split(text, ":")
	if len(parts) < 2 {
		return p, "is not of the form ColumnName:DisplayType, such as C_BPartner_ID:TableDirect"
	}
	p.Column = parts[0]
	if why := checkIdentifier(p.Column); why != "" || strings.Contains(p.Column, "$") || p.Column[0] == '_' {
		return p, "has a column name that is not a name of letters, digits and underscores, a letter first"
	}
	if len(p.Column) > 60 {
		return p, "has a column name longer than 60 characters"
	}
	if p.Type, why = parameterType(parts[1]); why != "" {
		return p, why
	}
	if slices.Contains([]dict.DisplayType{dict.TypeTableDir, dict.TypeSearch}, p.Type) && !strings.HasSuffix(p.Column, "_ID") {
		return p, "points at a table, which is found by a column name that ends in _ID"
	}
	for _, word := range parts[2:] {
		switch word {
		case "mandatory":
			p.Mandatory = true
		case "range":
			p.Range = true
		default:
			return p, fmt.Sprintf("ends in %s; mandatory and range are possible", quote(word))
		}
	}
	if p.Range && (p.Type == dict.TypeYesNo || p.Type.IsID()) {
		return p, "requires a range of something that has no order"
	}
	return p, ""
}

// checkDictionaryName accepts names of tables and columns.
func checkDictionaryName(name string) string {
	if why := checkIdentifier(name); why != "" {
		return why
	}
	switch {
	case strings.Contains(name, "$"):
		return "contains a dollar sign"
	case name[0] == '_':
		return "begins with an underscore"
	case len(name) > dict.MaxColumnName:
		return fmt.Sprintf("is longer than %d characters", dict.MaxColumnName)
	}
	return ""
}

// JavaClass is the class of the parameter's value in reports.
func (p parameter) JavaClass() string { return javaClass(p.Type) }

func javaClass(t dict.DisplayType) string {
	switch javaOfType(t) {
	case "int":
		return "java.lang.Integer"
	case "BigDecimal":
		return "java.math.BigDecimal"
	case "Timestamp":
		return "java.sql.Timestamp"
	}
	return "java.lang.String"
}
