package registry

import (
	"github.com/erphub/erphub/dict"
)

// Window is a window (AD_Window).
type Window struct {
	ID          int
	UUID        dict.UUID
	Name        string
	Description string
	Help        string
	Type        dict.WindowType
	EntityType  string
	Active      bool
	Sales       bool  // IsSOTrx
	Tabs        []Tab // by SeqNo; only in descriptions
}

// Tab is a tab of a window (AD_Tab).
type Tab struct {
	ID            int
	UUID          dict.UUID
	WindowID      int
	TableID       int
	Table         string // TableName
	Name          string
	Description   string
	Help          string
	EntityType    string
	SeqNo         int
	Level         int // TabLevel, 0 for the header
	LinkColumnID  int // AD_Column_ID, 0 none
	LinkColumn    string
	ParentColumn  int // Parent_Column_ID, 0 none
	Where         string
	OrderBy       string
	DisplayLogic  string
	ReadOnlyLogic string
	Active        bool
	ReadOnly      bool
	SingleRow     bool
	Insert        bool
	Sort          bool
	Translation   bool
	HasTree       bool
	Fields        []Field // by SeqNo, those without at the end
}

// Field is a field of a tab (AD_Field). Type and ReferenceID are 0 unless
// the field overrides its column's.
type Field struct {
	ID            int
	UUID          dict.UUID
	TabID         int
	ColumnID      int
	Table         string // TableName of the column
	Column        string // ColumnName
	Name          string
	Description   string
	EntityType    string
	SeqNo         int
	SeqNoGrid     int
	DisplayLength int
	Type          dict.DisplayType
	ReferenceID   int
	Default       string
	DisplayLogic  string
	Mandatory     string // Y or N overrides the column, empty does not
	Updateable    string // likewise
	Active        bool
	Displayed     bool
	DisplayedGrid bool
	ReadOnly      bool
	SameLine      bool
	Heading       bool
	FieldOnly     bool
}

// Process is a process or report (AD_Process).
type Process struct {
	ID          int
	UUID        dict.UUID
	Value       string // search key
	Name        string
	Description string
	Help        string
	EntityType  string
	AccessLevel dict.AccessLevel
	Class       string // Classname
	Procedure   string // ProcedureName
	Jasper      string // JasperReport
	WorkflowID  int
	FormID      int
	Active      bool
	Report      bool
	Parameters  []Parameter // by SeqNo; only in descriptions
}

// Parameter is a parameter of a process (AD_Process_Para).
type Parameter struct {
	ID           int
	UUID         dict.UUID
	ProcessID    int
	Column       string // ColumnName, the parameter's key
	Name         string
	Description  string
	Help         string
	EntityType   string
	SeqNo        int
	ElementID    int
	Type         dict.DisplayType
	TypeName     string
	ReferenceID  int
	Reference    string // its name
	ForeignTable string // table the values are ids of; empty: none
	ValRuleID    int
	Length       int
	Default      string
	DefaultTo    string // DefaultValue2, of the upper bound
	Min, Max     string
	DisplayLogic string
	Active       bool
	Mandatory    bool
	Range        bool // has an upper bound as well
	Encrypted    bool
}

// ReferenceKind is what a reference is (AD_Reference.ValidationType).
type ReferenceKind string

// The kinds of reference.
const (
	ReferenceType  ReferenceKind = "D" // a display type
	ReferenceList  ReferenceKind = "L" // a list of values
	ReferenceTable ReferenceKind = "T" // a lookup in a table
)

// Reference is a reference (AD_Reference).
type Reference struct {
	ID          int
	UUID        dict.UUID
	Name        string
	Description string
	Help        string
	Kind        ReferenceKind
	VFormat     string
	EntityType  string
	Active      bool
	Values      []ListValue // of a list, by value; only in descriptions
	Lookup      *Lookup     // of a table lookup; only in descriptions
}

// ListValue is one value of a list (AD_Ref_List).
type ListValue struct {
	ID          int
	UUID        dict.UUID
	ReferenceID int
	Value       string // what is stored
	Name        string // what people read
	Description string
	EntityType  string
	Active      bool
}

// Lookup is the table behind a reference (AD_Ref_Table).
type Lookup struct {
	ReferenceID int
	UUID        dict.UUID
	TableID     int
	Table       string // TableName
	KeyID       int    // AD_Column_ID of the column stored
	Key         string // its ColumnName
	DisplayID   int    // AD_Column_ID of the column shown
	Display     string // its ColumnName
	ShowValue   bool
	Where       string
	OrderBy     string
	EntityType  string
	Active      bool
}
