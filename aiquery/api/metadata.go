package api

// RoleInfo is a role that a user may use.
type RoleInfo struct {
	ID         int    `json:"id"` // AD_Role_ID
	Name       string `json:"name"`
	ClientID   int    `json:"clientId"`
	ClientName string `json:"clientName"`
	UserLevel  string `json:"userLevel"` // letters of S, C and O
}

// TableMetadata is what a role may know about a table of the dictionary.
type TableMetadata struct {
	Name            string           `json:"name"`
	Label           string           `json:"label"`
	Description     string           `json:"description,omitempty"`
	Help            string           `json:"help,omitempty"`
	AccessLevel     string           `json:"accessLevel"` // 1, 2, 3, 4, 6 or 7
	AccessLevelName string           `json:"accessLevelName"`
	View            bool             `json:"view"`
	Queryable       bool             `json:"queryable"` // whether POST query may read it
	WhyNot          string           `json:"whyNotQueryable,omitempty"`
	WindowID        int              `json:"windowId,omitempty"`
	Columns         []ColumnMetadata `json:"columns"`
	ForeignKeys     []ForeignKey     `json:"foreignKeys"`
	// ReferencedBy are columns of other tables the role may read that point here.
	ReferencedBy []ForeignKey `json:"referencedBy"`
}

// ColumnMetadata is what a role may know about a column.
type ColumnMetadata struct {
	Name             string      `json:"name"`
	Label            string      `json:"label"`
	Description      string      `json:"description,omitempty"`
	Help             string      `json:"help,omitempty"`
	Type             string      `json:"type"` // display type: "Table Direct"
	SQLType          string      `json:"sqlType,omitempty"`
	Length           int         `json:"length,omitempty"`
	Key              bool        `json:"key,omitempty"`
	Parent           bool        `json:"parent,omitempty"`
	Identifier       bool        `json:"identifier,omitempty"`
	Mandatory        bool        `json:"mandatory,omitempty"`
	Updateable       bool        `json:"updateable,omitempty"`
	Translated       bool        `json:"translated,omitempty"`
	Virtual          bool        `json:"virtual,omitempty"`  // computed by the ERP; not in the database
	Redacted         bool        `json:"redacted,omitempty"` // queries see a mask
	Default          string      `json:"default,omitempty"`
	Min              string      `json:"min,omitempty"`
	Max              string      `json:"max,omitempty"`
	Reference        string      `json:"reference,omitempty"` // name of the list or lookup
	References       string      `json:"references,omitempty"`
	Values           []ListValue `json:"values,omitempty"` // of a list
	ValidationRule   string      `json:"validationRule,omitempty"`
	ValidationSQL    string      `json:"validationSql,omitempty"`
	DisplayLogic     []string    `json:"displayLogic,omitempty"` // of its fields, each once
	ReadOnlyLogic    string      `json:"readOnlyLogic,omitempty"`
	MandatoryLogic   string      `json:"mandatoryLogic,omitempty"`
	ProcessID        int         `json:"processId,omitempty"` // of a button
	Callout          string      `json:"callout,omitempty"`
	IdentifierSeq    int         `json:"identifierSeq,omitempty"`
	EntityType       string      `json:"entityType,omitempty"`
	SelectionColumn  bool        `json:"selectionColumn,omitempty"`
	AlwaysUpdateable bool        `json:"alwaysUpdateable,omitempty"`
}

// ListValue is one value of a list.
type ListValue struct {
	Value       string `json:"value"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// ForeignKey is a column whose values are keys of a table.
type ForeignKey struct {
	Table      string `json:"table"`
	Column     string `json:"column"`
	References string `json:"references"` // table
	Key        string `json:"key"`        // its column
}

// WindowMetadata is what a role may know about a window.
type WindowMetadata struct {
	ID          int           `json:"id"`
	Name        string        `json:"name"`
	Description string        `json:"description,omitempty"`
	Help        string        `json:"help,omitempty"`
	Type        string        `json:"type"`
	Sales       bool          `json:"sales"`
	ReadOnly    bool          `json:"readOnly"` // the role may not change records here
	Tabs        []TabMetadata `json:"tabs"`
}

// TabMetadata is a tab of a window.
type TabMetadata struct {
	ID            int             `json:"id"`
	Name          string          `json:"name"`
	Description   string          `json:"description,omitempty"`
	Help          string          `json:"help,omitempty"`
	Table         string          `json:"table"`
	Queryable     bool            `json:"queryable"`
	SeqNo         int             `json:"seqNo"`
	Level         int             `json:"level"`
	LinkColumn    string          `json:"linkColumn,omitempty"`
	Where         string          `json:"where,omitempty"`
	OrderBy       string          `json:"orderBy,omitempty"`
	DisplayLogic  string          `json:"displayLogic,omitempty"`
	ReadOnlyLogic string          `json:"readOnlyLogic,omitempty"`
	ReadOnly      bool            `json:"readOnly,omitempty"`
	Insert        bool            `json:"insert,omitempty"`
	SingleRow     bool            `json:"singleRow,omitempty"`
	Fields        []FieldMetadata `json:"fields"`
}

// FieldMetadata is a field of a tab.
type FieldMetadata struct {
	Name         string `json:"name"`
	Column       string `json:"column"`
	Description  string `json:"description,omitempty"`
	Help         string `json:"help,omitempty"`
	Type         string `json:"type"`
	Reference    string `json:"reference,omitempty"`
	References   string `json:"references,omitempty"`
	SeqNo        int    `json:"seqNo,omitempty"`
	Displayed    bool   `json:"displayed"`
	ReadOnly     bool   `json:"readOnly,omitempty"`
	Mandatory    bool   `json:"mandatory,omitempty"`
	Updateable   bool   `json:"updateable,omitempty"`
	Redacted     bool   `json:"redacted,omitempty"`
	Default      string `json:"default,omitempty"`
	DisplayLogic string `json:"displayLogic,omitempty"`
}

// Metadata has an entry per requested table and window, in that order.
type Metadata struct {
	RequestID string        `json:"requestId"`
	Tables    []TableEntry  `json:"tables"`
	Windows   []WindowEntry `json:"windows"`
}

// TableEntry is the metadata of a table, or the error in its place.
type TableEntry struct {
	Name     string         `json:"name"` // as it was requested
	Metadata *TableMetadata `json:"metadata,omitempty"`
	Error    *Error         `json:"error,omitempty"`
}

// WindowEntry is the metadata of a window, or the error in its place.
type WindowEntry struct {
	ID       int             `json:"id"`
	Metadata *WindowMetadata `json:"metadata,omitempty"`
	Error    *Error          `json:"error,omitempty"`
}
