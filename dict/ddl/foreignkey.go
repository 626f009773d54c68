package ddl

import (
	"strconv"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/internal/text"
)

// AddForeignKey is the statement that makes a foreign key. It reports false when
// the column has none, or when its target is not known.
func AddForeignKey(table string, c dict.PhysicalColumn, dialect dict.Dialect) (string, bool) {
	fk := c.Foreign
	if fk == nil || fk.Rule == dict.FKNone || fk.Table == "" {
		return "", false
	}
	return foreignKeyStart(table, c, dialect) + strings.ToLower(fk.Table) + "(" + strings.ToLower(targetColumn(fk)) + ")" + ForeignKeyRule(fk.Rule), true
}

// DropForeignKey is the statement that removes a foreign key. On PostgreSQL it
// does nothing when no key has the name.
func DropForeignKey(table, name string, dialect dict.Dialect) string {
	if dialect == dict.PostgreSQL {
		return "ALTER TABLE " + table + " DROP CONSTRAINT IF EXISTS " + name
	}
	return "ALTER TABLE " + table + " DROP CONSTRAINT " + name
}

func foreignKeyStart(table string, c dict.PhysicalColumn, dialect dict.Dialect) string {
	return "ALTER TABLE " + table + " ADD CONSTRAINT " + c.Foreign.Name + " FOREIGN KEY (" + Name(c.Name, dialect) + ") REFERENCES "
}

// ForeignKeyRule is the end of a foreign key: what happens when the record it
// points at goes, and that it is checked at the end of the transaction.
func ForeignKeyRule(rule dict.FKRule) string {
	const deferred = " DEFERRABLE INITIALLY DEFERRED"
	switch rule {
	case dict.FKCascade:
		return " ON DELETE CASCADE" + deferred
	case dict.FKSetNull:
		return " ON DELETE SET NULL" + deferred
	}
	return deferred
}

// targetColumn is the column a foreign key points at. Two tables of the ERP are
// pointed at by their code instead of their id.
func targetColumn(fk *dict.ForeignKey) string {
	switch {
	case strings.EqualFold(fk.Table, "AD_Language") && strings.EqualFold(fk.Column, "AD_Language_ID"):
		return "AD_Language"
	case strings.EqualFold(fk.Table, "AD_EntityType") && strings.EqualFold(fk.Column, "AD_EntityType_ID"):
		return "EntityType"
	}
	return fk.Column
}

// foreignKeyName is the name the ERP gives to a foreign key that has none: the
// column without _ID, an underscore, the table, both without underscores; with a
// number when the name is taken.
func foreignKeyName(table, column string, taken map[string]bool) string {
	stem := strings.ReplaceAll(strings.TrimSuffix(column, "_ID"), "_", "") + "_" + strings.ReplaceAll(table, "_", "")
	name := text.FirstBytes(stem, maxName)
	for n := 1; taken[strings.ToLower(name)]; n++ {
		digits := strconv.Itoa(n)
		name = text.FirstBytes(stem, maxName-len(digits)) + digits
	}
	return name
}
