package ddl

import (
	"strings"

	"github.com/erphub/erphub/dict"
)

// Style says in which order the parts of a column clause come.
type Style int

const (
	// Native is what the ERP's program sends: on PostgreSQL NOT NULL comes
	// before the default, on Oracle after it.
	Native Style = iota
	// Script is the order of migration scripts, the same for both databases:
	// type, default, check, NOT NULL.
	Script
)

// Clause is a column's part of CREATE TABLE and ALTER TABLE.
func Clause(c dict.PhysicalColumn, dialect dict.Dialect, style Style) string {
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
// ERP's program evaluates, or the -1 that stands for no id.
func Default(c dict.PhysicalColumn, dialect dict.Dialect) string {
	value := c.Default
	if value == "" || strings.Contains(value, "@") || value == "-1" && c.Type.IsID() {
		return ""
	}
	if quotes(c) {
		if strings.HasPrefix(value, "'") || strings.HasSuffix(value, "'") {
			return value
		}
		return "'" + value + "'"
	}
	if dialect == dict.PostgreSQL && strings.EqualFold(value, "SYSDATE") {
		return "getDate()"
	}
	return value
}

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
			return `"` + lower + `"`
		}
	}
	return column
}
