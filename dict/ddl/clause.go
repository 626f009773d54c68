package ddl

import (
	"strconv"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/internal/adid"
	"github.com/erphub/erphub/internal/sqlquote"
)

// Style says in which order the parts of a column clause come.
type Style int

const (
	// Native is the order of the ERP's program: on PostgreSQL NOT NULL comes
	// before the default, on Oracle after it.
	Native Style = iota
	// Script is the order of migration scripts, the same for both databases:
	// type, default, check, NOT NULL.
	Script
)

// clause is a column's part of CREATE TABLE and ALTER TABLE.
func clause(c dict.PhysicalColumn, dialect dict.Dialect, style Style) string {
	parts := []string{Name(c.Name, dialect), c.Type.SQLType(dialect, c.Name, c.Length)}
	def := Default(c, dialect)
	switch {
	case def != "":
		def = "DEFAULT " + def
	case !c.Mandatory:
		def = "DEFAULT NULL"
	}
	check := ""
	if c.Type == dict.TypeYesNo {
		check = "CHECK (" + Name(c.Name, dialect) + " IN ('Y','N'))"
	}
	mandatory := ""
	if c.Mandatory {
		mandatory = "NOT NULL"
	}
	order := []string{def, check, mandatory}
	if dialect == dict.PostgreSQL && style == Native {
		order = []string{mandatory, check, def}
	}
	for _, part := range order {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " ")
}

// Default is the column's default as the database takes it, or empty when the
// dictionary's default is not one for the database: an expression that the
// ERP's program evaluates, the -1 that stands for no id, or something that is
// neither a value nor a name.
func Default(c dict.PhysicalColumn, dialect dict.Dialect) string {
	value := c.Default
	if value == "" || strings.Contains(value, "@") || value == "-1" && c.Type.IsID() {
		return ""
	}
	if literal(value) {
		return value
	}
	if quotes(c) {
		// The ERP puts quotes around it and leaves those inside alone, so they
		// are doubled in the dictionary; one that is not would end the literal.
		if strings.Contains(strings.ReplaceAll(value, "''", ""), "'") {
			return sqlquote.Text(value)
		}
		return "'" + value + "'"
	}
	if dialect == dict.PostgreSQL && strings.EqualFold(value, "SYSDATE") {
		return "getDate()"
	}
	if !plain(value) {
		return ""
	}
	return value
}

// literal reports whether the text is one complete SQL literal.
func literal(s string) bool {
	return len(s) >= 2 && s[0] == '\'' && s[len(s)-1] == '\'' && !strings.Contains(strings.ReplaceAll(s[1:len(s)-1], "''", ""), "'")
}

// plain reports whether the text may stand in a statement as it is: a number, or
// a name, with empty brackets or without. Everything else the ERP would send and
// the database would refuse, or worse.
func plain(s string) bool {
	digits := strings.TrimLeft(s, "+-")
	if _, err := strconv.ParseFloat(digits, 64); err == nil && len(s)-len(digits) <= 1 {
		return !strings.ContainsFunc(digits, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	}
	name := strings.TrimSuffix(s, "()")
	if strings.HasPrefix(name, "_") { // a function may begin so, other than a column
		name = "x" + name[1:]
	}
	return identifier(name)
}

// identifier reports whether the text is a name that needs no quotes.
func identifier(s string) bool { return adid.IsIdentifier(s) && len(s) <= maxName }

// quotes reports whether the default is a text.
func quotes(c dict.PhysicalColumn) bool {
	switch {
	case c.Name == "EntityType", c.Name == "AD_Language":
		return true
	case c.Type == dict.TypeButton:
		return !strings.HasSuffix(c.Name, "_ID")
	}
	return c.Type.IsText() || c.Type.IsList() || c.Type == dict.TypeYesNo || c.Type == dict.TypeTextLong
}

// Name is a column's name as it stands in statements. PostgreSQL has a few words
// that the ERP uses as column names and writes in quotes and small letters.
func Name(column string, dialect dict.Dialect) string {
	if dialect == dict.PostgreSQL {
		switch lower := strings.ToLower(column); lower {
		case "action", "limit", "old", "new":
			return sqlquote.Name(lower)
		}
	}
	return column
}
