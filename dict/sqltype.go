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
	pick := func(postgres, oracle string) string {
		if dialect == Oracle {
			return oracle
		}
		return postgres
	}
	varchar := func() string {
		return pick(fmt.Sprintf("VARCHAR(%d)", length), fmt.Sprintf("VARCHAR2(%d CHAR)", length))
	}
	if column == "EntityType" || column == "AD_Language" {
		return varchar()
	}
	f, ok := factsOf(d)
	if !ok {
		return varchar()
	}
	number := func() string { return pick("NUMERIC(10)", "NUMBER(10)") }
	id := func() string {
		switch {
		case isIDName(column):
			return number()
		case length < 4:
			return fmt.Sprintf("CHAR(%d)", length)
		}
		return varchar()
	}
	switch f.Storage {
	case displaytype.StoreInteger:
		return number()
	case displaytype.StoreDecimal:
		return pick("NUMERIC", "NUMBER")
	case displaytype.StoreID:
		if d == TypeDashboardContent && !strings.HasSuffix(column, "_ID") {
			return varchar()
		}
		return id()
	case displaytype.StoreText:
		if length == 0 || length >= 4000 {
			return pick("TEXT", "CLOB")
		}
		return varchar()
	case displaytype.StoreDate, displaytype.StoreDateTime, displaytype.StoreTime:
		return pick("TIMESTAMP", "DATE")
	case displaytype.StoreInstant:
		return "TIMESTAMP WITH TIME ZONE"
	case displaytype.StoreList:
		if length == 1 {
			return "CHAR(1)"
		}
		return varchar()
	case displaytype.StoreYesNo:
		return "CHAR(1)"
	case displaytype.StoreBinary:
		return pick("BYTEA", "BLOB")
	case displaytype.StoreButton:
		if strings.HasSuffix(column, "_ID") {
			return number()
		}
		return fmt.Sprintf("CHAR(%d)", length)
	case displaytype.StoreImage:
		if column == "BinaryData" {
			return pick("BYTEA", "BLOB")
		}
		return id()
	case displaytype.StoreLongText:
		return pick("TEXT", "CLOB")
	case displaytype.StoreUUID:
		return pick("UUID", "VARCHAR2(36)")
	case displaytype.StoreJSON:
		return pick("JSONB", "CLOB")
	default: // StoreVarchar
		return varchar()
	}
}

// isIDName reports whether the ERP stores an id column of this name as a
// number.
func isIDName(column string) bool {
	return slices.ContainsFunc([]string{"_ID", "_ID_To", "tedBy", "_Acct"}, func(suffix string) bool { return strings.HasSuffix(column, suffix) })
}
