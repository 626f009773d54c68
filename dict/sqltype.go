package dict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/internal/displaytype"
)

// Dialect is a database the ERP runs on.
type Dialect string

// The two databases the ERP supports.
const (
	PostgreSQL Dialect = "postgresql"
	Oracle     Dialect = "oracle"
)

// ParseDialect reads a dialect's name in any case; postgres and pg are taken
// for PostgreSQL.
func ParseDialect(name string) (Dialect, bool) {
	switch strings.ToLower(name) {
	case "postgresql", "postgres", "pg":
		return PostgreSQL, true
	case "oracle":
		return Oracle, true
	}
	return "", false
}

// SQLType is the database type the ERP gives to a column of this display type,
// name and FieldLength. The name matters: it decides whether an id is stored
// as a number, and EntityType and AD_Language are text whatever they are shown
// as. A display type the ERP does not know is stored as text.
func (d DisplayType) SQLType(dialect Dialect, column string, length int) string {
	f, ok := factsOf(d)
	if !ok || column == "EntityType" || column == "AD_Language" {
		return dialect.varchar(length)
	}
	if name, ok := storedAs[f.Storage]; ok {
		return name.in(dialect)
	}
	switch f.Storage {
	case displaytype.StoreID:
		return d.idType(dialect, column, length)
	case displaytype.StoreText:
		if length == 0 || length >= 4000 {
			return largeText.in(dialect)
		}
	case displaytype.StoreList:
		if length == 1 {
			return "CHAR(1)"
		}
	case displaytype.StoreButton:
		if strings.HasSuffix(column, "_ID") {
			return wholeNumber.in(dialect)
		}
		return fmt.Sprintf("CHAR(%d)", length)
	case displaytype.StoreImage:
		if column == "BinaryData" {
			return largeBinary.in(dialect)
		}
		return d.idType(dialect, column, length)
	}
	return dialect.varchar(length)
}

type typeName struct{ postgres, oracle string }

func (n typeName) in(dialect Dialect) string {
	if dialect == Oracle {
		return n.oracle
	}
	return n.postgres
}

var (
	wholeNumber = typeName{"NUMERIC(10)", "NUMBER(10)"}
	largeText   = typeName{"TEXT", "CLOB"}
	largeBinary = typeName{"BYTEA", "BLOB"}
	timestamp   = typeName{"TIMESTAMP", "DATE"}
)

// storedAs are the types that depend on neither name nor length.
var storedAs = map[displaytype.Storage]typeName{
	displaytype.StoreInteger: wholeNumber, displaytype.StoreDecimal: {"NUMERIC", "NUMBER"},
	displaytype.StoreDate: timestamp, displaytype.StoreDateTime: timestamp, displaytype.StoreTime: timestamp,
	displaytype.StoreInstant: {"TIMESTAMP WITH TIME ZONE", "TIMESTAMP WITH TIME ZONE"}, displaytype.StoreYesNo: {"CHAR(1)", "CHAR(1)"},
	displaytype.StoreBinary: largeBinary, displaytype.StoreLongText: largeText,
	displaytype.StoreUUID: {"UUID", "VARCHAR2(36)"}, displaytype.StoreJSON: {"JSONB", "CLOB"},
}

func (d Dialect) varchar(length int) string {
	if d == Oracle {
		return fmt.Sprintf("VARCHAR2(%d CHAR)", length)
	}
	return fmt.Sprintf("VARCHAR(%d)", length)
}

// idType is a text where the name is not that of an id.
func (d DisplayType) idType(dialect Dialect, column string, length int) string {
	switch {
	case d == TypeDashboardContent && !strings.HasSuffix(column, "_ID"):
		return dialect.varchar(length)
	case isIDName(column):
		return wholeNumber.in(dialect)
	case length < 4:
		return fmt.Sprintf("CHAR(%d)", length)
	}
	return dialect.varchar(length)
}

// isIDName reports whether the ERP stores an id column of this name as a
// number.
func isIDName(column string) bool {
	return slices.ContainsFunc([]string{"_ID", "_ID_To", "tedBy", "_Acct"}, func(suffix string) bool { return strings.HasSuffix(column, suffix) })
}
