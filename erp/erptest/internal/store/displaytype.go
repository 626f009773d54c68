package store

import "strings"

// Display types are the AD_Reference_ID values with validation type D.
const (
	TypeString          = 10
	TypeInteger         = 11
	TypeAmount          = 12
	TypeID              = 13
	TypeText            = 14
	TypeDate            = 15
	TypeDateTime        = 16
	TypeList            = 17
	TypeTable           = 18
	TypeTableDir        = 19
	TypeYesNo           = 20
	TypeLocation        = 21
	TypeNumber          = 22
	TypeBinary          = 23
	TypeTime            = 24
	TypeAccount         = 25
	TypeRowID           = 26
	TypeColor           = 27
	TypeButton          = 28
	TypeQuantity        = 29
	TypeSearch          = 30
	TypeLocator         = 31
	TypeImage           = 32
	TypeAssignment      = 33
	TypeMemo            = 34
	TypePAttribute      = 35
	TypeTextLong        = 36
	TypeCostPrice       = 37
	TypeFilePath        = 38
	TypeFileName        = 39
	TypeURL             = 40
	TypePrinterName     = 42
	TypeChart           = 53370
	TypePayment         = 200012
	TypeDashboard       = 200122
	TypeSingleSelGrid   = 200127
	TypeMultiSelGrid    = 200128
	TypeTimestampTZ     = 200133
	TypeTimeZone        = 200135
	TypeRadiogroup      = 200152
	TypeChosenMultiList = 200161
	TypeChosenMultiTab  = 200162
	TypeChosenMultiSrch = 200163
	TypeSchedulerState  = 200173
	TypeRecordID        = 200202
	TypeUUID            = 200231
	TypeTableUU         = 200233
	TypeTableDirUU      = 200234
	TypeSearchUU        = 200235
	TypeRecordUU        = 200240
	TypeJSON            = 200267
	TypeImageURL        = 200271
)

// Kind is how a column's values are stored and written on the wire.
type Kind int

// The kinds, one per storage form.
const (
	KindText     Kind = iota // string
	KindInteger              // int64
	KindDecimal              // exact decimal as text
	KindBool                 // 'Y' or 'N'
	KindDate                 // date without zone
	KindDateTime             // instant, second precision
	KindInstant              // instant with milliseconds (timestamp with time zone)
	KindTime                 // time of day
	KindBytes                // BLOB
	KindUUID                 // text
	KindJSON                 // JSON text
)

// Kind tells the storage form of the column by its display type and, for the
// id types, by its name (the ERP's id rule).
func (c *Column) Kind() Kind {
	if strings.EqualFold(c.Name, "EntityType") || strings.EqualFold(c.Name, "AD_Language") {
		return KindText
	}
	switch c.Ref {
	case TypeInteger:
		return KindInteger
	case TypeAmount, TypeNumber, TypeQuantity, TypeCostPrice:
		return KindDecimal
	case TypeDate:
		return KindDate
	case TypeDateTime:
		return KindDateTime
	case TypeTimestampTZ:
		return KindInstant
	case TypeTime:
		return KindTime
	case TypeYesNo:
		return KindBool
	case TypeBinary:
		return KindBytes
	case TypeUUID, TypeTableUU, TypeTableDirUU, TypeSearchUU, TypeRecordUU:
		return KindUUID
	case TypeJSON:
		return KindJSON
	case TypeImage:
		if strings.EqualFold(c.Name, "BinaryData") {
			return KindBytes
		}
		return KindInteger
	case TypeButton:
		if hasSuffixFold(c.Name, "_ID") {
			return KindInteger
		}
		return KindText
	case TypeID, TypeTable, TypeTableDir, TypeSearch, TypeLocation, TypeAccount, TypeLocator,
		TypeAssignment, TypePAttribute, TypeChart, TypeRecordID:
		if idName(c.Name) {
			return KindInteger
		}
		return KindText
	}
	return KindText
}

// idName is the ERP's rule for which names of id-typed columns hold numbers.
func idName(name string) bool {
	return hasSuffixFold(name, "_ID") || hasSuffixFold(name, "_ID_To") ||
		hasSuffixFold(name, "tedBy") || hasSuffixFold(name, "_Acct") || numericLookups[strings.ToUpper(name)]
}

// numericLookups are core lookup columns that hold ids although their names
// do not follow the rule.
var numericLookups = map[string]bool{
	"AD_KEY": true, "AD_DISPLAY": true,
}

func hasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}

// IsLookup tells whether the column points at another record (not a list).
func (c *Column) IsLookup() bool {
	switch c.Ref {
	case TypeTable, TypeTableDir, TypeSearch, TypeLocation, TypeAccount, TypeLocator, TypeAssignment,
		TypePAttribute, TypeImage, TypeChart, TypeTableUU, TypeTableDirUU, TypeSearchUU:
		return true
	}
	return false
}

// IsList tells whether the column's values come from a value list.
func (c *Column) IsList() bool {
	switch c.Ref {
	case TypeList, TypeRadiogroup, TypePayment:
		return true
	}
	return false
}

// IsMultiLookup tells whether the column holds several comma-separated keys.
func (c *Column) IsMultiLookup() bool {
	return c.Ref == TypeChosenMultiTab || c.Ref == TypeChosenMultiSrch
}

// IsVirtual tells whether the column exists in the dictionary only, computed
// by its ColumnSQL.
func (c *Column) IsVirtual() bool { return c.ColumnSQL != "" }

// SQLType is the type the column has in the embedded database.
func (c *Column) SQLType() string {
	switch c.Kind() {
	case KindInteger:
		return "INTEGER"
	case KindDecimal:
		return "DECIMALTEXT COLLATE DECIMAL"
	case KindBytes:
		return "BLOB"
	case KindDate, KindDateTime, KindInstant, KindTime:
		return "TIMESTAMPTEXT"
	default:
		return "TEXT"
	}
}
