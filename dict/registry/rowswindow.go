package registry

func windowKind() rowKind {
	type row = Window
	return &kind[row]{
		table: "AD_Window", key: "AD_Window_ID", optional: true,
		rows: func(c *content) *[]row { return &c.windows },
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
		rows: func(c *content) *[]row { return &c.tabs },
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
		rows: func(c *content) *[]row { return &c.fields },
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

func processKind() rowKind {
	type row = Process
	return &kind[row]{
		table: "AD_Process", key: "AD_Process_ID", optional: true,
		rows: func(c *content) *[]row { return &c.processes },
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
		rows: func(c *content) *[]row { return &c.parameters },
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
