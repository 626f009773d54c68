package mask

import "github.com/erphub/erphub/internal/displaytype"

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

// maxOfficialType is the last number of the ERP's own display types; those of an
// installation are above.
const maxOfficialType = 999_999

// textual reports whether the column holds text that people wrote.
func (c *Column) textual() bool {
	if c.RefTable != "" {
		return false
	}
	switch c.DisplayType {
	case 0, displaytype.String, displaytype.Text, displaytype.Memo, displaytype.TextLong, displaytype.FilePath, displaytype.FileName, displaytype.URL, displaytype.PrinterName, displaytype.JSON, displaytype.ImageURL:
		return true
	}
	return c.DisplayType > maxOfficialType
}

func (c *Column) numeric() bool {
	switch c.DisplayType {
	case displaytype.Integer, displaytype.Amount, displaytype.Number, displaytype.Quantity, displaytype.CostPrice:
		return true
	}
	return false
}

func (c *Column) dated() bool {
	return c.DisplayType == displaytype.Date || c.DisplayType == displaytype.DateTime
}
