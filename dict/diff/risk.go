package diff

import (
	"fmt"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
)

// risk says what a change of a column's attribute may lose, "" for nothing.
func risk(attribute string, want dict.Column, has registry.Column) string {
	switch attribute {
	case "AD_Reference_ID":
		return typeRisk(want, has)
	case "FieldLength":
		if want.Type != has.Type {
			return "" // said with the type
		}
		return lengthRisk(want, has)
	case "ColumnSQL":
		if has.SQL == "" {
			return "the column becomes virtual, and what it holds is no longer reachable"
		}
	case "IsKey":
		return "records are told apart by another column"
	}
	return ""
}

// typeRisk says what another display type loses: nothing when the database
// keeps the column the same way or in a larger one.
func typeRisk(want dict.Column, has registry.Column) string {
	if has.SQL != "" || want.SQL != "" {
		return "" // nothing is stored
	}
	from := has.Type.SQLType(dict.PostgreSQL, want.Name, has.Length)
	to := want.Type.SQLType(dict.PostgreSQL, want.Name, want.Length)
	wholeNumber, text := "NUMERIC(10)", isCharacter(from) && isCharacter(to)
	switch {
	case from == to:
		return ""
	case from == wholeNumber && to == "NUMERIC":
		return ""
	case from == "NUMERIC" && to == wholeNumber:
		return "decimals are lost"
	case text:
		return lengthRisk(want, has)
	}
	return fmt.Sprintf("the database has to turn %s into %s", from, to)
}

func lengthRisk(want dict.Column, has registry.Column) string {
	if has.SQL != "" {
		return ""
	}
	from, to := characters(has.Type, want.Name, has.Length), characters(want.Type, want.Name, want.Length)
	if from == 0 && to == 0 { // both without limit, or no text
		return ""
	}
	if from == 0 && isCharacter(has.Type.SQLType(dict.PostgreSQL, want.Name, has.Length)) || to != 0 && to < from {
		return fmt.Sprintf("texts longer than %d characters do not fit any more", to)
	}
	return ""
}

// isCharacter reports whether a database type holds text.
func isCharacter(sqlType string) bool {
	return sqlType == "TEXT" || len(sqlType) > 4 && (sqlType[:4] == "VARC" || sqlType[:4] == "CHAR")
}

// characters is how many characters the database keeps; 0: no limit, or no
// text.
func characters(t dict.DisplayType, column string, length int) int {
	sqlType := t.SQLType(dict.PostgreSQL, column, length)
	if sqlType == "TEXT" || !isCharacter(sqlType) {
		return 0
	}
	if sqlType == "CHAR(1)" {
		return 1
	}
	return length
}
