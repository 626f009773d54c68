package dict

// WindowInfo is a window (AD_Window).
type WindowInfo struct {
	ID          int
	UUID        UUID
	Name        string
	Description string
	Help        string
	Type        WindowType
	EntityType  string
	Active      bool
	Sales       bool      // IsSOTrx
	Tabs        []TabInfo // by SeqNo; only in descriptions
}

// TabInfo is a tab of a window (AD_Tab).
type TabInfo struct {
	ID            int
	UUID          UUID
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
	Fields        []FieldInfo // by SeqNo, those without at the end
}

// FieldInfo is a field of a tab (AD_Field). Type and ReferenceID are 0 unless
// the field overrides its column's.
type FieldInfo struct {
	ID            int
	UUID          UUID
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
	Type          DisplayType
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

// ProcessInfo is a process or report (AD_Process).
type ProcessInfo struct {
	ID          int
	UUID        UUID
	Value       string // search key
	Name        string
	Description string
	Help        string
	EntityType  string
	AccessLevel AccessLevel
	Class       string // Classname
	Procedure   string // ProcedureName
	Jasper      string // JasperReport
	WorkflowID  int
	FormID      int
	Active      bool
	Report      bool
	Parameters  []ParameterInfo // by SeqNo; only in descriptions
}

// ParameterInfo is a parameter of a process (AD_Process_Para).
type ParameterInfo struct {
	ID           int
	UUID         UUID
	ProcessID    int
	Column       string // ColumnName, the parameter's key
	Name         string
	Description  string
	Help         string
	EntityType   string
	SeqNo        int
	ElementID    int
	Type         DisplayType
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

// ReferenceInfo is a reference (AD_Reference).
type ReferenceInfo struct {
	ID          int
	UUID        UUID
	Name        string
	Description string
	Help        string
	Kind        ReferenceKind
	VFormat     string
	EntityType  string
	Active      bool
	Values      []ListEntry // of a list, by value; only in descriptions
	Lookup      *LookupInfo // of a table lookup; only in descriptions
}

// ListEntry is one value of a list (AD_Ref_List).
type ListEntry struct {
	ID          int
	UUID        UUID
	ReferenceID int
	Value       string // what is stored
	Name        string // what people read
	Description string
	EntityType  string
	Active      bool
}

// LookupInfo is the table behind a reference (AD_Ref_Table).
type LookupInfo struct {
	ReferenceID int
	UUID        UUID
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
