package registry

import "github.com/erphub/erphub/dict"

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

func processKind() rowKind {
	type row = Process
	return &kind[row]{
		table: "AD_Process", key: "AD_Process_ID", optional: true,
		rows:    func(c *content) *[]row { return &c.processes },
		updated: func(t *times) *[]int64 { return &t.processes },
		attributes: []attribute[row]{
			needed(intColumn("AD_Process_ID", func(r *row) *int { return &r.ID })),
			textColumn("AD_Process_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(textColumn("Value", func(r *row) *string { return &r.Value })),
			textColumn("Name", func(r *row) *string { return &r.Name }),
			textColumn("Description", func(r *row) *string { return &r.Description }),
			textColumn("Help", func(r *row) *string { return &r.Help }),
			textColumn("EntityType", func(r *row) *string { return &r.EntityType }),
			textColumn("AccessLevel", func(r *row) *string { return (*string)(&r.AccessLevel) }),
			textColumn("Classname", func(r *row) *string { return &r.Class }),
			textColumn("ProcedureName", func(r *row) *string { return &r.Procedure }),
			textColumn("JasperReport", func(r *row) *string { return &r.Jasper }),
			intColumn("AD_Workflow_ID", func(r *row) *int { return &r.WorkflowID }),
			intColumn("AD_Form_ID", func(r *row) *int { return &r.FormID }),
			flagColumn("IsActive", func(r *row) *bool { return &r.Active }),
			flagColumn("IsReport", func(r *row) *bool { return &r.Report }),
		},
	}
}

func parameterKind() rowKind {
	type row = Parameter
	return &kind[row]{
		table: "AD_Process_Para", key: "AD_Process_Para_ID", optional: true,
		rows:    func(c *content) *[]row { return &c.parameters },
		updated: func(t *times) *[]int64 { return &t.parameters },
		attributes: []attribute[row]{
			needed(intColumn("AD_Process_Para_ID", func(r *row) *int { return &r.ID })),
			textColumn("AD_Process_Para_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(intColumn("AD_Process_ID", func(r *row) *int { return &r.ProcessID })),
			needed(textColumn("ColumnName", func(r *row) *string { return &r.Column })),
			textColumn("Name", func(r *row) *string { return &r.Name }),
			textColumn("Description", func(r *row) *string { return &r.Description }),
			textColumn("Help", func(r *row) *string { return &r.Help }),
			textColumn("EntityType", func(r *row) *string { return &r.EntityType }),
			intColumn("SeqNo", func(r *row) *int { return &r.SeqNo }),
			intColumn("AD_Element_ID", func(r *row) *int { return &r.ElementID }),
			intColumn("AD_Reference_ID", func(r *row) *int { return (*int)(&r.Type) }),
			intColumn("AD_Reference_Value_ID", func(r *row) *int { return &r.ReferenceID }),
			intColumn("AD_Val_Rule_ID", func(r *row) *int { return &r.ValRuleID }),
			intColumn("FieldLength", func(r *row) *int { return &r.Length }),
			textColumn("DefaultValue", func(r *row) *string { return &r.Default }),
			textColumn("DefaultValue2", func(r *row) *string { return &r.DefaultTo }),
			textColumn("ValueMin", func(r *row) *string { return &r.Min }),
			textColumn("ValueMax", func(r *row) *string { return &r.Max }),
			textColumn("DisplayLogic", func(r *row) *string { return &r.DisplayLogic }),
			flagColumn("IsActive", func(r *row) *bool { return &r.Active }),
			flagColumn("IsMandatory", func(r *row) *bool { return &r.Mandatory }),
			flagColumn("IsRange", func(r *row) *bool { return &r.Range }),
			flagColumn("IsEncrypted", func(r *row) *bool { return &r.Encrypted }),
		},
	}
}
