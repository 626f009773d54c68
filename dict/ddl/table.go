package ddl

import (
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/internal/text"
)

// CreateTable is the statement that makes a table with its key and its UUID
// constraint, without foreign keys.
func CreateTable(t *dict.Physical, dialect dict.Dialect, style Style) string {
	var parts, constraints []string
	for _, c := range t.Columns {
		parts = append(parts, clause(c, dialect, style))
		constraints = append(constraints, columnConstraints(t.Table, c, dialect)...)
	}
	return "CREATE TABLE " + t.Table + " (" + strings.Join(append(parts, constraints...), ", ") + ")"
}

// AddColumn is the statements that add a column to a table.
func AddColumn(table string, c dict.PhysicalColumn, dialect dict.Dialect, style Style) []string {
	add := "ALTER TABLE " + table + " ADD "
	column := add
	if dialect == dict.PostgreSQL {
		column += "COLUMN "
	}
	statements := []string{column + clause(c, dialect, style)}
	for _, constraint := range columnConstraints(table, c, dialect) {
		statements = append(statements, add+constraint)
	}
	return statements
}

// columnConstraints are the constraints of the table that a column brings.
func columnConstraints(table string, c dict.PhysicalColumn, dialect dict.Dialect) []string {
	name := Name(c.Name, dialect)
	var list []string
	if c.Key {
		list = append(list, "CONSTRAINT "+text.FirstBytes(table, 59)+"_Key PRIMARY KEY ("+name+")")
	}
	if c.UUID {
		list = append(list, "CONSTRAINT "+uuidConstraint(c.Name)+" UNIQUE ("+name+")")
	}
	if c.Type == dict.TypeJSON && dialect == dict.Oracle {
		list = append(list, "CONSTRAINT "+text.FirstBytes(table+"_"+c.Name, maxName-len("_isjson"))+"_isjson CHECK ("+name+" IS JSON)")
	}
	return list
}

// maxName is the longest name both databases take.
const maxName = 63

func uuidConstraint(column string) string {
	name := column + "_idx"
	if len(name) > maxName {
		return text.FirstBytes(column, 58) + "uuidx"
	}
	return name
}

// addIndex is the statement that makes a declared index.
func addIndex(table string, index dict.Index, dialect dict.Dialect) string {
	columns := make([]string, len(index.Columns))
	for i, c := range index.Columns {
		columns[i] = Name(c, dialect)
	}
	list := " (" + strings.Join(columns, ",") + ")"
	if index.Constraint {
		return "ALTER TABLE " + table + " ADD CONSTRAINT " + index.Name + " UNIQUE" + list
	}
	unique := ""
	if index.Unique {
		unique = "UNIQUE "
	}
	return "CREATE " + unique + "INDEX " + index.Name + " ON " + table + list
}
