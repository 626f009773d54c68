package tablefile

// The structures below are the format: the reader, the writer and the schema
// are all made from them. Tags: yaml is the key, doc what the schema says about
// it, enum names a set of words, is names a kind of text ("table", "column",
// "name", "text", "any" for a scalar of any kind), need marks a key that must be given.

// document is one table, or the columns that are added to one.
type document struct {
	Table       string     `yaml:"table" is:"table" doc:"Name of the table (AD_Table.TableName); custom tables start with XX_. A document has table or extend."`
	Extend      string     `yaml:"extend" is:"table" doc:"Name of a table that the ERP has: the columns are added to it, the rest of it stays as it is."`
	Fields      bool       `yaml:"fields" doc:"With extend: the windows of the table show the columns, after their other fields."`
	Removed     bool       `yaml:"removed" doc:"Nobody wants the table any more: it is deactivated with its window, and keeps its rows. Nothing else is said of it."`
	Was         string     `yaml:"was" is:"table" doc:"Name the table had before. An ERP that has it under that name renames it, with all it holds."`
	Label       string     `yaml:"label" doc:"Name that people read. Default: made from the table's name."`
	Description string     `yaml:"description" doc:"What the table holds, in one line."`
	Help        string     `yaml:"help" doc:"Longer explanation."`
	Access      string     `yaml:"access" enum:"access" doc:"Whose rows the table holds. Default: client+organization."`
	EntityType  string     `yaml:"entityType" is:"name" doc:"Owner of the dictionary records. Default: U."`
	Replication string     `yaml:"replication" enum:"replication" doc:"How rows reach other servers. Default: local."`
	ChangeLog   bool       `yaml:"changeLog" doc:"Changes are kept in the audit trail."`
	HighVolume  bool       `yaml:"highVolume" doc:"Records are searched instead of picked from a list."`
	NoDelete    bool       `yaml:"noDelete" doc:"Records cannot be deleted."`
	Security    bool       `yaml:"security" doc:"Records can be secured by role."`
	View        bool       `yaml:"view" doc:"It is a view of the database."`
	Partition   bool       `yaml:"partition" doc:"The table is partitioned."`
	Drill       bool       `yaml:"drill" doc:"Offered when drilling through reports."`
	Templates   []string   `yaml:"templates" enum:"template" doc:"Groups of columns the table gets before its own."`
	Import      *importing `yaml:"import" doc:"Table that this import table feeds; needs the template IMPORT."`
	Columns     []column   `yaml:"columns" doc:"The table's own columns."`
	Indexes     []index    `yaml:"indexes" doc:"Declared indexes and constraints."`
	Window      *window    `yaml:"window" doc:"Window with one tab and one field per column. {} takes all defaults."`
}

type column struct {
	Name        string    `yaml:"name" need:"true" is:"column" doc:"AD_Column.ColumnName."`
	Was         string    `yaml:"was" is:"column" doc:"Name the column had before. An ERP that has it under that name renames it, with all it holds."`
	Label       string    `yaml:"label" doc:"Name that people read. Default: the element's, or made from the name."`
	Description string    `yaml:"description" doc:"What the column holds, in one line. Default: the element's."`
	Help        string    `yaml:"help" doc:"Longer explanation. Default: the element's."`
	Placeholder string    `yaml:"placeholder" doc:"Text shown in the empty field."`
	Type        typeName  `yaml:"type" need:"true" doc:"Display type by its name in the dictionary, or the number of a plug-in's own."`
	Length      int       `yaml:"length" doc:"FieldLength. Default: what is usual for the type."`
	Reference   *existing `yaml:"reference" doc:"Reference of the ERP that values are chosen from: its name, or an object."`
	List        *list     `yaml:"list" doc:"New list of values to choose from."`
	Lookup      *lookup   `yaml:"lookup" doc:"New table reference to choose from."`
	ValRule     string    `yaml:"valRule" doc:"Name of the AD_Val_Rule that narrows the choice."`
	Process     string    `yaml:"process" doc:"Value of the AD_Process that the button starts."`
	Mandatory   bool      `yaml:"mandatory" doc:"A value is needed. Always so for Yes-No."`
	NoUpdate    bool      `yaml:"noUpdate" doc:"Set once and never changed. Always so for key and parent."`
	AlwaysWrite bool      `yaml:"alwaysUpdateable" doc:"May be changed when the record is processed, too."`
	Key         bool      `yaml:"key" doc:"The table's id."`
	Parent      bool      `yaml:"parent" doc:"Link to the table this one belongs to."`
	Unique      bool      `yaml:"unique" doc:"No two records share a value; makes a unique constraint."`
	Identifier  bool      `yaml:"identifier" doc:"Part of how a record is shown."`
	SeqNo       int       `yaml:"seqNo" doc:"Place among the identifiers. Default: as they come."`
	Selection   bool      `yaml:"selection" doc:"Offered when searching."`
	Translated  bool      `yaml:"translated" doc:"The text is translated."`
	Secure      bool      `yaml:"secure" doc:"Content is hidden in logs and in responses of the API."`
	NoCopy      bool      `yaml:"noCopy" doc:"Left out when a record is copied."`
	NoLog       bool      `yaml:"noLog" doc:"Left out of the audit trail."`
	Autocompl   bool      `yaml:"autocomplete" doc:"Values in use are offered while typing."`
	Default     string    `yaml:"default" is:"any" doc:"Default value, as the dictionary writes it."`
	ReadOnly    string    `yaml:"readOnlyLogic" doc:"Condition under which the field cannot be changed."`
	MandatoryIf string    `yaml:"mandatoryLogic" doc:"Condition under which a value is needed."`
	Callout     string    `yaml:"callout" doc:"Program that runs after a change in a window."`
	VFormat     string    `yaml:"vFormat" is:"any" doc:"Input mask."`
	Pattern     string    `yaml:"formatPattern" is:"any" doc:"How numbers and dates are shown."`
	Min         string    `yaml:"min" is:"any" doc:"Least value."`
	Max         string    `yaml:"max" is:"any" doc:"Greatest value."`
	SQL         string    `yaml:"sql" doc:"Expression of a virtual column (ColumnSQL)."`
	ForeignKey  string    `yaml:"foreignKey" enum:"foreignKey" doc:"What happens when the record pointed at is deleted. Default: no-action."`
	FKName      string    `yaml:"foreignKeyName" is:"name" doc:"Name of the foreign key. Default: made from column and table."`
	EntityType  string    `yaml:"entityType" is:"name" doc:"Owner of the dictionary record. Default: the table's."`
	ElementID   int       `yaml:"elementId" doc:"Official AD_Element_ID, when the ERP is not at hand to look it up."`
}

// existing is written as its name alone when nothing else is given.
type existing struct {
	Name        string `yaml:"name" need:"true" is:"any" doc:"AD_Reference.Name."`
	ID          int    `yaml:"id" doc:"Official AD_Reference_ID. Default: found by name."`
	Table       string `yaml:"table" is:"name" doc:"Table it leads to; left out for a list."`
	Description string `yaml:"description" doc:"For people; the ERP's own is not changed."`
	EntityType  string `yaml:"entityType" is:"name" doc:"Owner of the record; it is not changed."`
}

type list struct {
	Name        string  `yaml:"name" need:"true" is:"any" doc:"AD_Reference.Name, unique in the ERP."`
	Was         string  `yaml:"was" is:"any" doc:"Name it had before."`
	Description string  `yaml:"description" doc:"What the list is for."`
	EntityType  string  `yaml:"entityType" is:"name" doc:"Owner of the records. Default: the table's."`
	Values      []entry `yaml:"values" need:"true" doc:"The values to choose from."`
}

type entry struct {
	Value       string `yaml:"value" need:"true" is:"any" doc:"What is stored."`
	Name        string `yaml:"name" need:"true" is:"any" doc:"What people read."`
	Description string `yaml:"description" doc:"What it means."`
}

type lookup struct {
	Name        string `yaml:"name" need:"true" is:"any" doc:"AD_Reference.Name, unique in the ERP."`
	Was         string `yaml:"was" is:"any" doc:"Name it had before."`
	Description string `yaml:"description" doc:"What the reference is for."`
	EntityType  string `yaml:"entityType" is:"name" doc:"Owner of the records. Default: the table's."`
	Table       string `yaml:"table" need:"true" is:"name" doc:"Table the values come from."`
	Key         string `yaml:"key" is:"name" doc:"Column stored. Default: the table's id."`
	Display     string `yaml:"display" is:"name" doc:"Column shown. Default: the first identifier of a table in the same plan, else the key."`
	ShowValue   bool   `yaml:"showValue" doc:"Show the search key before the name."`
	Where       string `yaml:"where" doc:"SQL condition that narrows the choice."`
	OrderBy     string `yaml:"orderBy" doc:"SQL order of the choice."`
}

type index struct {
	Name       string   `yaml:"name" need:"true" is:"column" doc:"Name of the index, unique in the database."`
	Columns    []string `yaml:"columns" need:"true" is:"name" doc:"Columns of the index, in order."`
	Unique     bool     `yaml:"unique" doc:"No two records share the values."`
	Constraint bool     `yaml:"constraint" doc:"Made as a constraint, which has to be unique."`
}

type importing struct {
	Table   string   `yaml:"table" need:"true" is:"name" doc:"Table that is fed."`
	Columns []column `yaml:"columns" doc:"Its columns. Default: read from the ERP."`
}

type window struct {
	Name        string `yaml:"name" is:"any" doc:"Name of the window. Default: the table's label."`
	Was         string `yaml:"was" is:"any" doc:"Name it had before. Default: the one made from the table's former name."`
	Description string `yaml:"description" doc:"What the window is for. Default: the table's description."`
	Type        string `yaml:"type" enum:"window" doc:"Kind of window. Default: maintain."`
	Purchase    bool   `yaml:"purchase" doc:"It belongs to purchasing (IsSOTrx off)."`
	NoMenu      bool   `yaml:"noMenu" doc:"No entry in the menu."`
	Menu        string `yaml:"menu" is:"any" doc:"Name of the menu folder. Default: the root."`
	Roles       []int  `yaml:"roles" doc:"AD_Role_IDs that get access besides those that get it by themselves."`
}

// typeName is a display type: a word of the set "type", or a number.
type typeName string
