package store

import (
	"strings"

	"github.com/erphub/erphub/internal/displaytype"
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
	t, _ := displaytype.Of(c.Ref)
	switch t.Storage {
	case displaytype.StoreImage:
		if strings.EqualFold(c.Name, "BinaryData") {
			return KindBytes
		}
		return KindInteger
	case displaytype.StoreButton:
		if hasSuffixFold(c.Name, "_ID") {
			return KindInteger
		}
	case displaytype.StoreID:
		if c.Ref != displaytype.DashboardContent && idName(c.Name) {
			return KindInteger
		}
	}
	return kinds[t.Storage]
}

// kinds are those of the ways of storing, texts where nothing is said. It is read only.
var kinds = [displaytype.StoreJSON + 1]Kind{
	displaytype.StoreInteger: KindInteger, displaytype.StoreDecimal: KindDecimal, displaytype.StoreDate: KindDate,
	displaytype.StoreDateTime: KindDateTime, displaytype.StoreInstant: KindInstant, displaytype.StoreTime: KindTime,
	displaytype.StoreYesNo: KindBool, displaytype.StoreBinary: KindBytes, displaytype.StoreUUID: KindUUID, displaytype.StoreJSON: KindJSON,
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

// IsLookup reports whether the column points at another record (not a list).
func (c *Column) IsLookup() bool {
	t, _ := displaytype.Of(c.Ref)
	return (t.Picked == displaytype.FromTable || t.Picked == displaytype.FromFixedTable) && !t.Multiple
}

// IsList reports whether the column's values come from a value list.
func (c *Column) IsList() bool {
	t, _ := displaytype.Of(c.Ref)
	return t.Picked == displaytype.FromList && !t.Multiple
}

// IsMultiLookup reports whether the column holds several comma-separated keys.
func (c *Column) IsMultiLookup() bool {
	t, _ := displaytype.Of(c.Ref)
	return t.Picked == displaytype.FromTable && t.Multiple
}

// IsVirtual reports whether the column exists in the dictionary only, computed
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
