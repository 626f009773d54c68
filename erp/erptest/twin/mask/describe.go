package mask

// Table describes a table of the ERP, as far as masking needs it.
type Table struct {
	Name        string // TableName
	AccessLevel string // AD_Table.AccessLevel
	EntityType  string
	Columns     []Column // those that are stored
}

// Column describes a column of the ERP, as far as masking needs it.
type Column struct {
	Name        string // ColumnName
	ElementName string // what people read (AD_Element.Name); may be empty
	DisplayType int    // AD_Reference_ID
	Length      int    // FieldLength in characters; 0: no limit
	RefTable    string // table that the values are keys of; empty: none
	// Codes are the values of the column's list. Another value is treated as free
	// text, for somebody wrote it. nil: the column has no list.
	Codes []string

	Secure     bool // IsSecure
	Encrypted  bool // IsEncrypted
	Identifier bool // IsIdentifier
	Unique     bool // a unique index is on this column alone
	Mandatory  bool
	Key        bool
}

// Display types whose values are written by people or programs, in contrast
// to references, lists, numbers, dates and flags.
const (
	typeString   = 10
	typeInteger  = 11
	typeAmount   = 12
	typeText     = 14
	typeDate     = 15
	typeDateTime = 16
	typeNumber   = 22
	typeBinary   = 23
	typeQuantity = 29
	typeMemo     = 34
	typeTextLong = 36
	typeCost     = 37
	typeFilePath = 38
	typeFileName = 39
	typeURL      = 40
	typePrinter  = 42
	typeJSON     = 200267
	typeImageURL = 200271

	maxOfficialType = 999_999 // an installation's own display types are above
)

// textual reports whether the column holds text that people wrote.
func (c *Column) textual() bool {
	if c.RefTable != "" {
		return false
	}
	switch c.DisplayType {
	case 0, typeString, typeText, typeMemo, typeTextLong, typeFilePath, typeFileName, typeURL, typePrinter, typeJSON, typeImageURL:
		return true
	}
	return c.DisplayType > maxOfficialType
}

func (c *Column) numeric() bool {
	switch c.DisplayType {
	case typeInteger, typeAmount, typeNumber, typeQuantity, typeCost:
		return true
	}
	return false
}

func (c *Column) dated() bool { return c.DisplayType == typeDate || c.DisplayType == typeDateTime }
