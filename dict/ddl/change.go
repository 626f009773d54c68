package ddl

import (
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/internal/sqlquote"
)

// Change says what of a column is to be made as the dictionary has it.
type Change struct {
	Type     bool
	Default  bool
	Nullable bool // whether it may be empty
}

// ChangeColumn is the statements that change a column of a table that is in the
// database, in the order that works with rows in it: type and default, then the
// default for rows that have nothing if the column becomes mandatory, then
// whether it may be empty.
//
// On PostgreSQL the change is a row for t_alter_column, which the ERP's database
// turns into the change: it rebuilds the views that stand in the way.
func ChangeColumn(table string, c dict.PhysicalColumn, change Change, dialect dict.Dialect) []string {
	var list []string
	name := Name(c.Name, dialect)
	def := Default(c, dialect)
	if change.Type || change.Default {
		if dialect == dict.PostgreSQL {
			list = append(list, alterColumn(table, c, typeArgument(c, change), "null", defaultArgument(c, def, change)))
		} else {
			list = append(list, "ALTER TABLE "+table+" MODIFY "+name+oracleType(c, change)+oracleDefault(def, change))
		}
	}
	if !change.Nullable {
		return list
	}
	if c.Mandatory && def != "" && !strings.EqualFold(def, "NULL") {
		list = append(list, "UPDATE "+table+" SET "+name+"="+def+" WHERE "+name+" IS NULL")
	}
	null := "NULL"
	if c.Mandatory {
		null = "NOT NULL"
	}
	if dialect == dict.PostgreSQL {
		return append(list, alterColumn(table, c, "null", sqlquote.Text(null), "null"))
	}
	return append(list, "ALTER TABLE "+table+" MODIFY "+name+" "+null)
}

// alterColumn is the row that makes the ERP's database change a column. The
// names are values here: the function folds them itself.
func alterColumn(table string, c dict.PhysicalColumn, sqlType, null, def string) string {
	return "INSERT INTO t_alter_column values(" + sqlquote.Text(strings.ToLower(table)) + "," + sqlquote.Text(c.Name) + "," + sqlType + "," + null + "," + def + ")"
}

func typeArgument(c dict.PhysicalColumn, change Change) string {
	if !change.Type {
		return "null"
	}
	return sqlquote.Text(c.Type.SQLType(dict.PostgreSQL, c.Name, c.Length))
}

// defaultArgument is the default as altercolumn wants it: it puts quotes around
// everything without brackets itself, so a literal comes without its own.
func defaultArgument(c dict.PhysicalColumn, def string, change Change) string {
	switch {
	case !change.Default:
		return "null"
	case def == "" || strings.EqualFold(def, "NULL"):
		return sqlquote.Text("NULL")
	case literal(def) && strings.Contains(def, "(") && strings.Contains(def, ")"):
		return sqlquote.Text(def) // it goes into the statement as it is
	case literal(def):
		// The function doubles nothing, so quotes inside stay doubled.
		return sqlquote.Text(def[1 : len(def)-1])
	}
	return sqlquote.Text(def)
}

func oracleType(c dict.PhysicalColumn, change Change) string {
	if !change.Type {
		return ""
	}
	return " " + c.Type.SQLType(dict.Oracle, c.Name, c.Length)
}

func oracleDefault(def string, change Change) string {
	switch {
	case !change.Default:
		return ""
	case def == "":
		return " DEFAULT NULL"
	}
	return " DEFAULT " + def
}
