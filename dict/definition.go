package dict

import "slices"

// Table describes a table of the dictionary. The zero value of every field but
// Name is usable; what is left out is filled in as the package comment says.
// A Table is a value: its methods return changed copies and never change what
// they are called on.
type Table struct {
	Name        string // TableName, at most 60 characters, for own tables with the prefix XX_
	Was         string // name the table had before; an ERP that has it under that name renames it
	Label       string // what people read; empty: made from Name
	Description string
	Help        string

	AccessLevel AccessLevel // empty: ClientOrg
	EntityType  string      // empty: U
	Replication Replication // empty: Local

	ChangeLog     bool // changes are kept in the audit trail
	HighVolume    bool // searched instead of picked from a list
	NotDeleteable bool
	Security      bool // records can be secured by role
	View          bool // a database view: no id sequence, never synchronised
	Partition     bool
	Drill         bool // offered when drilling through reports

	Templates []Template
	Columns   []Column // own columns, after those of the templates
	Indexes   []Index
	Target    *ImportTarget // for tables with the Import template
	Window    *Window       // nil: no window

	Extends *Extension // the table is there: Columns are added to it; nil: all of it is defined here
	Removed bool       // nobody wants it any more: it is deactivated with its window, and keeps its rows
}

// Column describes a column. Name and Type are needed, the rest has defaults.
type Column struct {
	Name        string // ColumnName, at most 63 characters
	Was         string // name the column had before; an ERP that has it under that name renames it
	Label       string // empty: made from Name
	Description string
	Help        string
	Placeholder string

	Type      DisplayType
	Length    int        // FieldLength; 0: what is usual for the type
	Reference *Reference // the list or table to choose from
	ValRule   string     // name of an AD_Val_Rule that narrows the choice
	Process   string     // Value of the AD_Process that a button starts

	Mandatory        bool
	NotUpdateable    bool // set once, never changed
	AlwaysUpdateable bool // even when the record is processed
	Key              bool // the table's id; at most one per table
	Parent           bool // link to the table this one belongs to
	Unique           bool // no two records share a value
	Identifier       bool // part of how a record is shown
	Selection        bool // offered when searching
	Translated       bool
	Secure           bool // content hidden in logs and API responses
	NotCopied        bool // left out when a record is copied
	NotLogged        bool // left out of the audit trail
	Autocomplete     bool
	SeqNo            int // place among the identifiers; 0: as they come
	Default          string
	ReadOnlyLogic    string
	MandatoryLogic   string
	Callout          string
	VFormat          string
	FormatPattern    string
	Min, Max         string
	SQL              string // ColumnSQL; not empty: a virtual column
	ForeignKey       FKRule // empty: NoAction
	ForeignKeyName   string // empty: made from column and table
	EntityType       string // empty: the table's
	ElementID        int    // official AD_Element_ID when known
}

// Reference is the source that the values of a column are chosen from. Exactly one form is
// filled: Values for a list that is created, Lookup for a table reference that
// is created, neither for one that is already in the ERP, found by name, or by
// its official id.
type Reference struct {
	Name        string // AD_Reference.Name, unique in the ERP
	Was         string // name it had before, of a list or lookup that is created
	ID          int    // official AD_Reference_ID; 0: found by name
	Description string
	Values      []ListValue
	Lookup      *TableLookup
	Target      string // table an existing table reference leads to, for foreign keys; may be empty
	EntityType  string // empty: the table's
}

// ListValue is one value of a list.
type ListValue struct {
	Value       string // what is stored
	Name        string // what people read
	Description string
}

// TableLookup tells a reference which table its values come from.
type TableLookup struct {
	Table     string
	Key       string // column stored; empty: <Table>_ID
	Display   string // column shown; empty: the key
	ShowValue bool   // show the search key before the name
	Where     string
	OrderBy   string
}

// Index is a declared index or constraint.
type Index struct {
	Name       string   `json:"name"` // unique in the database, at most 63 characters
	Columns    []string `json:"columns"`
	Unique     bool     `json:"unique,omitempty"`
	Constraint bool     `json:"constraint,omitempty"` // made as a constraint, which must be unique
}

// ImportTarget names the table that an import table feeds, with its columns as
// read from a registry.
type ImportTarget struct {
	Table   string
	Columns []Column
}

// Window adds a window with one tab and one field per column. Those for keys
// and for when and by whom a record was written are not displayed.
type Window struct {
	Name        string // empty: the table's label
	Was         string // name it had before; empty: the default one of the table's former name
	Description string
	Type        WindowType // empty: Maintain
	Purchase    bool       // IsSOTrx off
	NoMenu      bool       // no menu entry
	MenuParent  string     // name of the menu folder; empty: the root
	Roles       []int      // AD_Role_IDs that get access besides the automatic ones
}

// AccessLevel says to whom the rows of a table belong.
type AccessLevel string

// The access levels; 0 and 5 do not exist.
const (
	AccessOrg          AccessLevel = "1"
	AccessClient       AccessLevel = "2"
	AccessClientOrg    AccessLevel = "3"
	AccessSystem       AccessLevel = "4"
	AccessSystemClient AccessLevel = "6"
	AccessAll          AccessLevel = "7"
)

// String is the level's name: "Client+Organization".
func (a AccessLevel) String() string {
	if name, ok := accessLevels[a]; ok {
		return name
	}
	return string(a)
}

// valid reports whether a is one of the six levels.
func (a AccessLevel) valid() bool { return accessLevels[a] != "" }

var accessLevels = map[AccessLevel]string{
	AccessOrg: "Organization", AccessClient: "Client only", AccessClientOrg: "Client+Organization",
	AccessSystem: "System only", AccessSystemClient: "System+Client", AccessAll: "All",
}

// Replication says how rows reach other servers.
type Replication string

// The replication types of custom tables.
const (
	ReplicationLocal     Replication = "L"
	ReplicationMerge     Replication = "M"
	ReplicationReference Replication = "R"
)

// FKRule says what a foreign key does when the record it points at goes.
type FKRule string

// The foreign key rules. The model rules are carried out by the ERP's program
// instead of the database.
const (
	FKNoAction      FKRule = "N"
	FKCascade       FKRule = "C"
	FKSetNull       FKRule = "S"
	FKNone          FKRule = "D" // no constraint is made
	FKModelCascade  FKRule = "M"
	FKModelNoAction FKRule = "O"
	FKModelSetNull  FKRule = "T"
)

// WindowType is the kind of a window.
type WindowType string

// The kinds of window.
const (
	WindowMaintain    WindowType = "M"
	WindowTransaction WindowType = "T"
	WindowQueryOnly   WindowType = "Q"
	WindowSingle      WindowType = "S"
)

// DefaultEntityType owns the dictionary records of customers.
const DefaultEntityType = "U"

// NewTable starts the definition of a table without columns; add those every
// table has with [Table.With] and [Standard].
func NewTable(name string) Table { return Table{Name: name} }

// WithLabel sets the name that people read.
func (t Table) WithLabel(label string) Table { t.Label = label; return t }

// WithDescription sets the one-line description.
func (t Table) WithDescription(text string) Table { t.Description = text; return t }

// WithHelp sets the help text.
func (t Table) WithHelp(text string) Table { t.Help = text; return t }

// WithAccessLevel sets to whom the rows belong.
func (t Table) WithAccessLevel(level AccessLevel) Table { t.AccessLevel = level; return t }

// WithEntityType sets the owner of the dictionary records.
func (t Table) WithEntityType(code string) Table { t.EntityType = code; return t }

// With adds templates. A template that already exists is not added again.
func (t Table) With(templates ...Template) Table {
	t.Templates = slices.Clone(t.Templates)
	for _, tpl := range templates {
		if !slices.Contains(t.Templates, tpl) {
			t.Templates = append(t.Templates, tpl)
		}
	}
	return t
}

// Column adds own columns after those that are there.
func (t Table) Column(columns ...Column) Table {
	t.Columns = append(slices.Clip(t.Columns), columns...)
	return t
}

// Index adds an index over columns of the table.
func (t Table) Index(indexes ...Index) Table {
	t.Indexes = append(slices.Clip(t.Indexes), indexes...)
	return t
}

// ImportInto makes the table an import table for target: it gets the [Import]
// template and a copy of the target's own columns, all optional. The columns
// come from a registry; columns every table has, buttons, virtual columns and
// those the templates bring are not copied.
func (t Table) ImportInto(target string, columns []Column) Table {
	t = t.With(Import)
	t.Target = &ImportTarget{Table: target, Columns: slices.Clone(columns)}
	return t
}

// WithWindow adds a window on the table.
func (t Table) WithWindow(w Window) Table {
	w.Roles = slices.Clone(w.Roles)
	t.Window = &w
	return t
}

// List is a new list reference with its values.
func List(name string, values ...ListValue) *Reference {
	return &Reference{Name: name, Values: values}
}

// Lookup is a new table reference.
func Lookup(name string, lookup TableLookup) *Reference {
	return &Reference{Name: name, Lookup: &lookup}
}

// ExistingReference is a reference that is already in the ERP. The id is its
// official one, or 0 when it has to be found by name; target is the table it
// leads to, or empty for a list.
func ExistingReference(name string, id int, target string) *Reference {
	return &Reference{Name: name, ID: id, Target: target}
}
