package registry

import "github.com/erphub/erphub/dict"

// ReferenceKind is the kind of a reference (AD_Reference.ValidationType).
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

func referenceKind() rowKind {
	type row = Reference
	return &kind[row]{
		table: "AD_Reference", key: "AD_Reference_ID", optional: true,
		rows:    func(c *content) *[]row { return &c.references },
		updated: func(t *times) *[]int64 { return &t.references },
		attributes: []attribute[row]{
			needed(intColumn("AD_Reference_ID", func(r *row) *int { return &r.ID })),
			textColumn("AD_Reference_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(textColumn("Name", func(r *row) *string { return &r.Name })),
			textColumn("Description", func(r *row) *string { return &r.Description }),
			textColumn("Help", func(r *row) *string { return &r.Help }),
			needed(textColumn("ValidationType", func(r *row) *string { return (*string)(&r.Kind) })),
			textColumn("VFormat", func(r *row) *string { return &r.VFormat }),
			textColumn("EntityType", func(r *row) *string { return &r.EntityType }),
			flagColumn("IsActive", func(r *row) *bool { return &r.Active }),
		},
	}
}

func entryKind() rowKind {
	type row = ListValue
	return &kind[row]{
		table: "AD_Ref_List", key: "AD_Ref_List_ID", optional: true,
		rows:    func(c *content) *[]row { return &c.entries },
		updated: func(t *times) *[]int64 { return &t.entries },
		attributes: []attribute[row]{
			needed(intColumn("AD_Ref_List_ID", func(r *row) *int { return &r.ID })),
			textColumn("AD_Ref_List_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(intColumn("AD_Reference_ID", func(r *row) *int { return &r.ReferenceID })),
			needed(textColumn("Value", func(r *row) *string { return &r.Value })),
			textColumn("Name", func(r *row) *string { return &r.Name }),
			textColumn("Description", func(r *row) *string { return &r.Description }),
			textColumn("EntityType", func(r *row) *string { return &r.EntityType }),
			flagColumn("IsActive", func(r *row) *bool { return &r.Active }),
		},
	}
}

func lookupKind() rowKind {
	type row = Lookup
	return &kind[row]{
		table: "AD_Ref_Table", key: "AD_Reference_ID", optional: true,
		rows:    func(c *content) *[]row { return &c.lookups },
		updated: func(t *times) *[]int64 { return &t.lookups },
		attributes: []attribute[row]{
			needed(intColumn("AD_Reference_ID", func(r *row) *int { return &r.ReferenceID })),
			textColumn("AD_Ref_Table_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(intColumn("AD_Table_ID", func(r *row) *int { return &r.TableID })),
			intColumn("AD_Key", func(r *row) *int { return &r.KeyID }),
			intColumn("AD_Display", func(r *row) *int { return &r.DisplayID }),
			flagColumn("IsValueDisplayed", func(r *row) *bool { return &r.ShowValue }),
			textColumn("WhereClause", func(r *row) *string { return &r.Where }),
			textColumn("OrderByClause", func(r *row) *string { return &r.OrderBy }),
			textColumn("EntityType", func(r *row) *string { return &r.EntityType }),
			flagColumn("IsActive", func(r *row) *bool { return &r.Active }),
		},
	}
}

func ruleKind() rowKind {
	type row = ValRule
	return &kind[row]{
		table: "AD_Val_Rule", key: "AD_Val_Rule_ID", optional: true,
		rows:    func(c *content) *[]row { return &c.rules },
		updated: func(t *times) *[]int64 { return &t.rules },
		attributes: []attribute[row]{
			needed(intColumn("AD_Val_Rule_ID", func(r *row) *int { return &r.ID })),
			textColumn("AD_Val_Rule_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(textColumn("Name", func(r *row) *string { return &r.Name })),
			textColumn("Type", func(r *row) *string { return &r.Type }),
			textColumn("Code", func(r *row) *string { return &r.Code }),
			textColumn("EntityType", func(r *row) *string { return &r.EntityType }),
			flagColumn("IsActive", func(r *row) *bool { return &r.Active }),
		},
	}
}
