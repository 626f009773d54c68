package registry

import (
	"strings"

	"github.com/erphub/erphub/dict"
)

// Table is a table as the dictionary has it (AD_Table).
type Table struct {
	ID          int // AD_Table_ID
	UUID        dict.UUID
	Name        string // TableName
	Label       string // what people read (AD_Table.Name)
	Description string
	Help        string
	AccessLevel dict.AccessLevel
	EntityType  string
	Replication dict.Replication
	WindowID    int // window that shows its records, 0 none
	POWindowID  int // window for purchases, 0 none
	LoadSeq     int

	Active              bool
	View                bool
	Deletable           bool
	HighVolume          bool
	ChangeLog           bool
	Security            bool // IsSecurityEnabled
	Partition           bool
	Drill               bool // IsShowInDrillOptions
	CentrallyMaintained bool

	ColumnCount int      // active columns
	Columns     []Column // in the order they were made; only in descriptions
	Indexes     []Index  // declared ones; only in descriptions
}

// Custom reports whether the table has the prefix of custom tables.
func (t *Table) Custom() bool { return customName(t.Name) }

// Column finds a column by name, ignoring case.
func (t *Table) Column(name string) (Column, bool) {
	for i := range t.Columns {
		if strings.EqualFold(t.Columns[i].Name, name) {
			return t.Columns[i], true
		}
	}
	return Column{}, false
}

// KeyColumns are the columns that records are told apart by: the key column,
// else the parent columns, else the UUID column.
func (t *Table) KeyColumns() []Column {
	var parents, uuids []Column
	for _, c := range t.Columns {
		switch {
		case !c.Active:
		case c.Key:
			return []Column{c}
		case c.Parent:
			parents = append(parents, c)
		case strings.EqualFold(c.Name, t.Name+"_UU"):
			uuids = append(uuids, c)
		}
	}
	if len(parents) > 0 {
		return parents
	}
	return uuids
}

// Column is a column as the dictionary has it (AD_Column), together with
// what it points at.
type Column struct {
	ID          int // AD_Column_ID
	UUID        dict.UUID
	TableID     int
	Table       string // TableName
	Name        string // ColumnName
	Label       string // AD_Column.Name
	Description string // the element's when the column has none
	Help        string // likewise
	Placeholder string

	ElementID   int    // AD_Element_ID
	ElementName string // the element's label
	PrintName   string // the element's label on documents

	Type         dict.DisplayType // AD_Reference_ID
	TypeName     string           // name of the display type, also of an installation's own
	ReferenceID  int              // AD_Reference_Value_ID, 0 none
	Reference    string           // its name
	ForeignTable string           // table the values are ids (or UUIDs) of; empty: none
	ValRuleID    int              // AD_Val_Rule_ID, 0 none
	ValRule      string           // its name
	ValRuleCode  string           // its text
	ProcessID    int              // of a button, 0 none
	Process      string           // its Value

	Length         int // FieldLength
	SeqNo          int // place among the identifiers
	SeqNoSelection int
	Default        string // DefaultValue
	Min, Max       string
	VFormat        string
	FormatPattern  string
	Callout        string
	SQL            string // ColumnSQL; not empty: a virtual column
	ReadOnlyLogic  string
	MandatoryLogic string
	UpdatableLogic string      // AlwaysUpdatableLogic
	ForeignKey     dict.FKRule // FKConstraintType
	ForeignKeyName string      // FKConstraintName
	EntityType     string
	Toolbar        string // IsToolbarButton: B, N or Y

	Active           bool
	Key              bool
	Parent           bool
	Mandatory        bool
	Updateable       bool
	AlwaysUpdateable bool
	Identifier       bool
	Selection        bool
	Translated       bool
	Encrypted        bool // kept encrypted in the database
	Secure           bool // content hidden in logs and API answers
	Logged           bool // IsAllowLogging
	Copied           bool // IsAllowCopy
	Autocomplete     bool
	HTML             bool
	PartitionKey     bool
}

// Virtual reports whether the column is computed instead of stored.
func (c *Column) Virtual() bool { return c.SQL != "" }

// Standard reports whether it is one of the seven columns every table has.
func (c *Column) Standard() bool {
	switch strings.ToLower(c.Name) {
	case "ad_client_id", "ad_org_id", "isactive", "created", "createdby", "updated", "updatedby":
		return true
	}
	return false
}

// Element is a term of the dictionary (AD_Element).
type Element struct {
	ID          int
	UUID        dict.UUID
	Name        string // ColumnName
	Label       string // AD_Element.Name
	PrintName   string
	Description string
	Help        string
	Placeholder string
	EntityType  string
	Active      bool
}

// Index is a declared index or constraint (AD_TableIndex).
type Index struct {
	ID         int
	UUID       dict.UUID
	TableID    int
	Name       string
	EntityType string
	Active     bool
	Unique     bool
	Constraint bool // IsCreateConstraint
	Key        bool // the primary key
	Columns    []IndexColumn
}

// IndexColumn is one column of an index (AD_IndexColumn).
type IndexColumn struct {
	ID       int
	UUID     dict.UUID
	IndexID  int
	ColumnID int
	Column   string // ColumnName
	SQL      string // expression indexed instead of the column
	SeqNo    int
	Active   bool
}

// ValRule is a rule that narrows what a lookup offers (AD_Val_Rule).
type ValRule struct {
	ID         int
	UUID       dict.UUID
	Name       string
	Type       string // S SQL, J Java, E script
	Code       string
	EntityType string
	Active     bool
}

// customName reports whether a name has the prefix of custom tables.
func customName(name string) bool {
	return len(name) >= len(dict.CustomPrefix) && strings.EqualFold(name[:len(dict.CustomPrefix)], dict.CustomPrefix)
}
