package generator

import (
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
)

// javaOfType is the Java type of a display type by itself: the ERP's classes use
// primitive types where a column cannot be null.
func javaOfType(t dict.DisplayType) string {
	switch java := t.JavaType(); java {
	case "Integer":
		return "int"
	case "Boolean":
		return "boolean"
	default:
		return java
	}
}

// javaOfColumn is the Java type of a column; key is the display type of the key
// that the column's table reference leads to, 0 for none.
func javaOfColumn(c *registry.Column, key dict.DisplayType) string {
	switch {
	case strings.EqualFold(c.Name, "Posted"), strings.EqualFold(c.Name, "Processed"), strings.EqualFold(c.Name, "Processing"):
		return "boolean"
	case c.Name == "Record_ID":
		return "int"
	case (c.Type == dict.TypeTable || c.Type == dict.TypeSearch) && c.ReferenceID > 0 && key > 0:
		return javaOfType(key)
	case c.Type == dict.TypeButton && strings.HasSuffix(c.Name, "_ID"):
		return "int"
	}
	return javaOfType(c.Type)
}

// zeroFrom0 are the columns whose id 0 is a value of its own.
func zeroFrom0(column string) bool {
	switch column {
	case "AD_Client_ID", "AD_Org_ID", "Record_ID", "C_DocType_ID", "Node_ID", "AD_Role_ID", "M_AttributeSet_ID", "M_AttributeSetInstance_ID":
		return true
	}
	return false
}

// getterOf is the name of the method that reads a column.
func getterOf(column, java string) string {
	if java != "boolean" {
		return "get" + column
	}
	if len(column) > 2 && strings.EqualFold(column[:2], "is") {
		column = column[2:]
	}
	return "is" + column
}

// constantOf makes the name of a list value's constant of its English name, ""
// when nothing is left of it.
func constantOf(name string) string {
	greater, less := strings.Contains(name, ">"), strings.Contains(name, "<")
	var b strings.Builder
	upper := true
	word := func(s string) { b.WriteString(s); upper = true }
	for _, r := range name {
		switch {
		case letter(r), digit(r), r == '_', r == '$':
			if upper && r >= 'a' && r <= 'z' {
				r -= 'a' - 'A'
			}
			b.WriteRune(r)
			upper = false
		case r == '+':
			word("Plus")
		case r == '-':
			word("_")
		case r == '!':
			word("Not")
		case r == '=':
			word("Eq")
		case r == '~':
			word("Like")
		case r == '>' && !less:
			word("Gt")
		case r == '<' && !greater:
			word("Le")
		default:
			upper = true
		}
	}
	return b.String()
}

// memberClash reports whether methods for a column would collide with those that
// every record has.
func memberClash(column, java string) bool {
	switch getterOf(column, java) {
	case "getClass", "getCtx", "getAttachment", "getDoc", "isActive", "isReplication", "isCrossTenantSafe", "isLogSQLScript",
		"isMandatoryOK", "isPdfAttachment", "getUUIDColumnName":
		return column != "IsActive"
	}
	return false
}
