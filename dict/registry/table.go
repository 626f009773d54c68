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

// KeyColumns are the columns that tell records apart: the key column,
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
	Secure           bool // content hidden in logs and API responses
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

// customName reports whether a name has the prefix of custom tables.
func customName(name string) bool {
	return len(name) >= len(dict.CustomPrefix) && strings.EqualFold(name[:len(dict.CustomPrefix)], dict.CustomPrefix)
}

func tableKind() rowKind {
	type row = Table
	return &kind[row]{
		table: "AD_Table", key: "AD_Table_ID",
		rows:    func(c *content) *[]row { return &c.tables },
		updated: func(t *times) *[]int64 { return &t.tables },
		attributes: []attribute[row]{
			needed(intColumn("AD_Table_ID", func(r *row) *int { return &r.ID })),
			textColumn("AD_Table_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(textColumn("TableName", func(r *row) *string { return &r.Name })),
			textColumn("Name", func(r *row) *string { return &r.Label }),
			textColumn("Description", func(r *row) *string { return &r.Description }),
			textColumn("Help", func(r *row) *string { return &r.Help }),
			textColumn("AccessLevel", func(r *row) *string { return (*string)(&r.AccessLevel) }),
			textColumn("EntityType", func(r *row) *string { return &r.EntityType }),
			textColumn("ReplicationType", func(r *row) *string { return (*string)(&r.Replication) }),
			intColumn("AD_Window_ID", func(r *row) *int { return &r.WindowID }),
			intColumn("PO_Window_ID", func(r *row) *int { return &r.POWindowID }),
			intColumn("LoadSeq", func(r *row) *int { return &r.LoadSeq }),
			flagColumn("IsActive", func(r *row) *bool { return &r.Active }),
			flagColumn("IsView", func(r *row) *bool { return &r.View }),
			flagColumn("IsDeleteable", func(r *row) *bool { return &r.Deletable }),
			flagColumn("IsHighVolume", func(r *row) *bool { return &r.HighVolume }),
			flagColumn("IsChangeLog", func(r *row) *bool { return &r.ChangeLog }),
			flagColumn("IsSecurityEnabled", func(r *row) *bool { return &r.Security }),
			flagColumn("IsPartition", func(r *row) *bool { return &r.Partition }),
			flagColumn("IsShowInDrillOptions", func(r *row) *bool { return &r.Drill }),
			flagColumn("IsCentrallyMaintained", func(r *row) *bool { return &r.CentrallyMaintained }),
		},
	}
}

func columnKind() rowKind {
	type row = Column
	return &kind[row]{
		table: "AD_Column", key: "AD_Column_ID",
		rows:    func(c *content) *[]row { return &c.columns },
		updated: func(t *times) *[]int64 { return &t.columns },
		attributes: []attribute[row]{
			needed(intColumn("AD_Column_ID", func(r *row) *int { return &r.ID })),
			textColumn("AD_Column_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(intColumn("AD_Table_ID", func(r *row) *int { return &r.TableID })),
			needed(textColumn("ColumnName", func(r *row) *string { return &r.Name })),
			textColumn("Name", func(r *row) *string { return &r.Label }),
			textColumn("Description", func(r *row) *string { return &r.Description }),
			textColumn("Help", func(r *row) *string { return &r.Help }),
			textColumn("Placeholder", func(r *row) *string { return &r.Placeholder }),
			intColumn("AD_Element_ID", func(r *row) *int { return &r.ElementID }),
			needed(intColumn("AD_Reference_ID", func(r *row) *int { return (*int)(&r.Type) })),
			intColumn("AD_Reference_Value_ID", func(r *row) *int { return &r.ReferenceID }),
			intColumn("AD_Val_Rule_ID", func(r *row) *int { return &r.ValRuleID }),
			intColumn("AD_Process_ID", func(r *row) *int { return &r.ProcessID }),
			intColumn("FieldLength", func(r *row) *int { return &r.Length }),
			intColumn("SeqNo", func(r *row) *int { return &r.SeqNo }),
			intColumn("SeqNoSelection", func(r *row) *int { return &r.SeqNoSelection }),
			textColumn("DefaultValue", func(r *row) *string { return &r.Default }),
			textColumn("ValueMin", func(r *row) *string { return &r.Min }),
			textColumn("ValueMax", func(r *row) *string { return &r.Max }),
			textColumn("VFormat", func(r *row) *string { return &r.VFormat }),
			textColumn("FormatPattern", func(r *row) *string { return &r.FormatPattern }),
			textColumn("Callout", func(r *row) *string { return &r.Callout }),
			textColumn("ColumnSQL", func(r *row) *string { return &r.SQL }),
			textColumn("ReadOnlyLogic", func(r *row) *string { return &r.ReadOnlyLogic }),
			textColumn("MandatoryLogic", func(r *row) *string { return &r.MandatoryLogic }),
			textColumn("AlwaysUpdatableLogic", func(r *row) *string { return &r.UpdatableLogic }),
			textColumn("FKConstraintType", func(r *row) *string { return (*string)(&r.ForeignKey) }),
			textColumn("FKConstraintName", func(r *row) *string { return &r.ForeignKeyName }),
			textColumn("EntityType", func(r *row) *string { return &r.EntityType }),
			textColumn("IsToolbarButton", func(r *row) *string { return &r.Toolbar }),
			flagColumn("IsActive", func(r *row) *bool { return &r.Active }),
			flagColumn("IsKey", func(r *row) *bool { return &r.Key }),
			flagColumn("IsParent", func(r *row) *bool { return &r.Parent }),
			flagColumn("IsMandatory", func(r *row) *bool { return &r.Mandatory }),
			flagColumn("IsUpdateable", func(r *row) *bool { return &r.Updateable }),
			flagColumn("IsAlwaysUpdateable", func(r *row) *bool { return &r.AlwaysUpdateable }),
			flagColumn("IsIdentifier", func(r *row) *bool { return &r.Identifier }),
			flagColumn("IsSelectionColumn", func(r *row) *bool { return &r.Selection }),
			flagColumn("IsTranslated", func(r *row) *bool { return &r.Translated }),
			flagColumn("IsEncrypted", func(r *row) *bool { return &r.Encrypted }),
			flagColumn("IsSecure", func(r *row) *bool { return &r.Secure }),
			flagColumn("IsAllowLogging", func(r *row) *bool { return &r.Logged }),
			flagColumn("IsAllowCopy", func(r *row) *bool { return &r.Copied }),
			flagColumn("IsAutocomplete", func(r *row) *bool { return &r.Autocomplete }),
			flagColumn("IsHtml", func(r *row) *bool { return &r.HTML }),
			flagColumn("IsPartitionKey", func(r *row) *bool { return &r.PartitionKey }),
		},
	}
}

func elementKind() rowKind {
	type row = Element
	return &kind[row]{
		table: "AD_Element", key: "AD_Element_ID", optional: true,
		rows:    func(c *content) *[]row { return &c.elements },
		updated: func(t *times) *[]int64 { return &t.elements },
		attributes: []attribute[row]{
			needed(intColumn("AD_Element_ID", func(r *row) *int { return &r.ID })),
			textColumn("AD_Element_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(textColumn("ColumnName", func(r *row) *string { return &r.Name })),
			textColumn("Name", func(r *row) *string { return &r.Label }),
			textColumn("PrintName", func(r *row) *string { return &r.PrintName }),
			textColumn("Description", func(r *row) *string { return &r.Description }),
			textColumn("Help", func(r *row) *string { return &r.Help }),
			textColumn("Placeholder", func(r *row) *string { return &r.Placeholder }),
			textColumn("EntityType", func(r *row) *string { return &r.EntityType }),
			flagColumn("IsActive", func(r *row) *bool { return &r.Active }),
		},
	}
}

func indexKind() rowKind {
	type row = Index
	return &kind[row]{
		table: "AD_TableIndex", key: "AD_TableIndex_ID", optional: true,
		rows:    func(c *content) *[]row { return &c.indexes },
		updated: func(t *times) *[]int64 { return &t.indexes },
		attributes: []attribute[row]{
			needed(intColumn("AD_TableIndex_ID", func(r *row) *int { return &r.ID })),
			textColumn("AD_TableIndex_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(intColumn("AD_Table_ID", func(r *row) *int { return &r.TableID })),
			needed(textColumn("Name", func(r *row) *string { return &r.Name })),
			textColumn("EntityType", func(r *row) *string { return &r.EntityType }),
			flagColumn("IsActive", func(r *row) *bool { return &r.Active }),
			flagColumn("IsUnique", func(r *row) *bool { return &r.Unique }),
			flagColumn("IsCreateConstraint", func(r *row) *bool { return &r.Constraint }),
			flagColumn("IsKey", func(r *row) *bool { return &r.Key }),
		},
	}
}

func indexColumnKind() rowKind {
	type row = IndexColumn
	return &kind[row]{
		table: "AD_IndexColumn", key: "AD_IndexColumn_ID", optional: true,
		rows:    func(c *content) *[]row { return &c.indexColumns },
		updated: func(t *times) *[]int64 { return &t.indexColumns },
		attributes: []attribute[row]{
			needed(intColumn("AD_IndexColumn_ID", func(r *row) *int { return &r.ID })),
			textColumn("AD_IndexColumn_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(intColumn("AD_TableIndex_ID", func(r *row) *int { return &r.IndexID })),
			intColumn("AD_Column_ID", func(r *row) *int { return &r.ColumnID }),
			textColumn("ColumnSQL", func(r *row) *string { return &r.SQL }),
			intColumn("SeqNo", func(r *row) *int { return &r.SeqNo }),
			flagColumn("IsActive", func(r *row) *bool { return &r.Active }),
		},
	}
}
