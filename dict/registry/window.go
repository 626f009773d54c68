package registry

import "github.com/erphub/erphub/dict"

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

func windowKind() rowKind {
	type row = Window
	return &kind[row]{
		table: "AD_Window", key: "AD_Window_ID", optional: true,
		rows:    func(c *content) *[]row { return &c.windows },
		updated: func(t *times) *[]int64 { return &t.windows },
		attributes: []attribute[row]{
			needed(intColumn("AD_Window_ID", func(r *row) *int { return &r.ID })),
			textColumn("AD_Window_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(textColumn("Name", func(r *row) *string { return &r.Name })),
			textColumn("Description", func(r *row) *string { return &r.Description }),
			textColumn("Help", func(r *row) *string { return &r.Help }),
			textColumn("WindowType", func(r *row) *string { return (*string)(&r.Type) }),
			textColumn("EntityType", func(r *row) *string { return &r.EntityType }),
			flagColumn("IsActive", func(r *row) *bool { return &r.Active }),
			flagColumn("IsSOTrx", func(r *row) *bool { return &r.Sales }),
		},
	}
}

func tabKind() rowKind {
	type row = Tab
	return &kind[row]{
		table: "AD_Tab", key: "AD_Tab_ID", optional: true,
		rows:    func(c *content) *[]row { return &c.tabs },
		updated: func(t *times) *[]int64 { return &t.tabs },
		attributes: []attribute[row]{
			needed(intColumn("AD_Tab_ID", func(r *row) *int { return &r.ID })),
			textColumn("AD_Tab_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(intColumn("AD_Window_ID", func(r *row) *int { return &r.WindowID })),
			needed(intColumn("AD_Table_ID", func(r *row) *int { return &r.TableID })),
			textColumn("Name", func(r *row) *string { return &r.Name }),
			textColumn("Description", func(r *row) *string { return &r.Description }),
			textColumn("Help", func(r *row) *string { return &r.Help }),
			textColumn("EntityType", func(r *row) *string { return &r.EntityType }),
			intColumn("SeqNo", func(r *row) *int { return &r.SeqNo }),
			intColumn("TabLevel", func(r *row) *int { return &r.Level }),
			intColumn("AD_Column_ID", func(r *row) *int { return &r.LinkColumnID }),
			intColumn("Parent_Column_ID", func(r *row) *int { return &r.ParentColumn }),
			textColumn("WhereClause", func(r *row) *string { return &r.Where }),
			textColumn("OrderByClause", func(r *row) *string { return &r.OrderBy }),
			textColumn("DisplayLogic", func(r *row) *string { return &r.DisplayLogic }),
			textColumn("ReadOnlyLogic", func(r *row) *string { return &r.ReadOnlyLogic }),
			flagColumn("IsActive", func(r *row) *bool { return &r.Active }),
			flagColumn("IsReadOnly", func(r *row) *bool { return &r.ReadOnly }),
			flagColumn("IsSingleRow", func(r *row) *bool { return &r.SingleRow }),
			flagColumn("IsInsertRecord", func(r *row) *bool { return &r.Insert }),
			flagColumn("IsSortTab", func(r *row) *bool { return &r.Sort }),
			flagColumn("IsTranslationTab", func(r *row) *bool { return &r.Translation }),
			flagColumn("HasTree", func(r *row) *bool { return &r.HasTree }),
		},
	}
}

func fieldKind() rowKind {
	type row = Field
	return &kind[row]{
		table: "AD_Field", key: "AD_Field_ID", optional: true,
		rows:    func(c *content) *[]row { return &c.fields },
		updated: func(t *times) *[]int64 { return &t.fields },
		attributes: []attribute[row]{
			needed(intColumn("AD_Field_ID", func(r *row) *int { return &r.ID })),
			textColumn("AD_Field_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(intColumn("AD_Tab_ID", func(r *row) *int { return &r.TabID })),
			needed(intColumn("AD_Column_ID", func(r *row) *int { return &r.ColumnID })),
			textColumn("Name", func(r *row) *string { return &r.Name }),
			textColumn("Description", func(r *row) *string { return &r.Description }),
			textColumn("EntityType", func(r *row) *string { return &r.EntityType }),
			intColumn("SeqNo", func(r *row) *int { return &r.SeqNo }),
			intColumn("SeqNoGrid", func(r *row) *int { return &r.SeqNoGrid }),
			intColumn("DisplayLength", func(r *row) *int { return &r.DisplayLength }),
			intColumn("AD_Reference_ID", func(r *row) *int { return (*int)(&r.Type) }),
			intColumn("AD_Reference_Value_ID", func(r *row) *int { return &r.ReferenceID }),
			textColumn("DefaultValue", func(r *row) *string { return &r.Default }),
			textColumn("DisplayLogic", func(r *row) *string { return &r.DisplayLogic }),
			textColumn("IsMandatory", func(r *row) *string { return &r.Mandatory }),
			textColumn("IsUpdateable", func(r *row) *string { return &r.Updateable }),
			flagColumn("IsActive", func(r *row) *bool { return &r.Active }),
			flagColumn("IsDisplayed", func(r *row) *bool { return &r.Displayed }),
			flagColumn("IsDisplayedGrid", func(r *row) *bool { return &r.DisplayedGrid }),
			flagColumn("IsReadOnly", func(r *row) *bool { return &r.ReadOnly }),
			flagColumn("IsSameLine", func(r *row) *bool { return &r.SameLine }),
			flagColumn("IsHeading", func(r *row) *bool { return &r.Heading }),
			flagColumn("IsFieldOnly", func(r *row) *bool { return &r.FieldOnly }),
		},
	}
}
