package dict

func windowKind() rowKind {
	type row = WindowInfo
	return &kind[row]{
		table: "AD_Window", key: "AD_Window_ID", optional: true,
		rows: func(c *content) *[]row { return &c.windows },
		attributes: []attribute[row]{
			needed(num("AD_Window_ID", func(r *row) *int { return &r.ID })),
			text("AD_Window_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(text("Name", func(r *row) *string { return &r.Name })),
			text("Description", func(r *row) *string { return &r.Description }),
			text("Help", func(r *row) *string { return &r.Help }),
			text("WindowType", func(r *row) *string { return (*string)(&r.Type) }),
			text("EntityType", func(r *row) *string { return &r.EntityType }),
			flag("IsActive", func(r *row) *bool { return &r.Active }),
			flag("IsSOTrx", func(r *row) *bool { return &r.Sales }),
		},
	}
}

func tabKind() rowKind {
	type row = TabInfo
	return &kind[row]{
		table: "AD_Tab", key: "AD_Tab_ID", optional: true,
		rows: func(c *content) *[]row { return &c.tabs },
		attributes: []attribute[row]{
			needed(num("AD_Tab_ID", func(r *row) *int { return &r.ID })),
			text("AD_Tab_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(num("AD_Window_ID", func(r *row) *int { return &r.WindowID })),
			needed(num("AD_Table_ID", func(r *row) *int { return &r.TableID })),
			text("Name", func(r *row) *string { return &r.Name }),
			text("Description", func(r *row) *string { return &r.Description }),
			text("Help", func(r *row) *string { return &r.Help }),
			text("EntityType", func(r *row) *string { return &r.EntityType }),
			num("SeqNo", func(r *row) *int { return &r.SeqNo }),
			num("TabLevel", func(r *row) *int { return &r.Level }),
			num("AD_Column_ID", func(r *row) *int { return &r.LinkColumnID }),
			num("Parent_Column_ID", func(r *row) *int { return &r.ParentColumn }),
			text("WhereClause", func(r *row) *string { return &r.Where }),
			text("OrderByClause", func(r *row) *string { return &r.OrderBy }),
			text("DisplayLogic", func(r *row) *string { return &r.DisplayLogic }),
			text("ReadOnlyLogic", func(r *row) *string { return &r.ReadOnlyLogic }),
			flag("IsActive", func(r *row) *bool { return &r.Active }),
			flag("IsReadOnly", func(r *row) *bool { return &r.ReadOnly }),
			flag("IsSingleRow", func(r *row) *bool { return &r.SingleRow }),
			flag("IsInsertRecord", func(r *row) *bool { return &r.Insert }),
			flag("IsSortTab", func(r *row) *bool { return &r.Sort }),
			flag("IsTranslationTab", func(r *row) *bool { return &r.Translation }),
			flag("HasTree", func(r *row) *bool { return &r.HasTree }),
		},
	}
}

func fieldKind() rowKind {
	type row = FieldInfo
	return &kind[row]{
		table: "AD_Field", key: "AD_Field_ID", optional: true,
		rows: func(c *content) *[]row { return &c.fields },
		attributes: []attribute[row]{
			needed(num("AD_Field_ID", func(r *row) *int { return &r.ID })),
			text("AD_Field_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(num("AD_Tab_ID", func(r *row) *int { return &r.TabID })),
			needed(num("AD_Column_ID", func(r *row) *int { return &r.ColumnID })),
			text("Name", func(r *row) *string { return &r.Name }),
			text("Description", func(r *row) *string { return &r.Description }),
			text("EntityType", func(r *row) *string { return &r.EntityType }),
			num("SeqNo", func(r *row) *int { return &r.SeqNo }),
			num("SeqNoGrid", func(r *row) *int { return &r.SeqNoGrid }),
			num("DisplayLength", func(r *row) *int { return &r.DisplayLength }),
			num("AD_Reference_ID", func(r *row) *int { return (*int)(&r.Type) }),
			num("AD_Reference_Value_ID", func(r *row) *int { return &r.ReferenceID }),
			text("DefaultValue", func(r *row) *string { return &r.Default }),
			text("DisplayLogic", func(r *row) *string { return &r.DisplayLogic }),
			text("IsMandatory", func(r *row) *string { return &r.Mandatory }),
			text("IsUpdateable", func(r *row) *string { return &r.Updateable }),
			flag("IsActive", func(r *row) *bool { return &r.Active }),
			flag("IsDisplayed", func(r *row) *bool { return &r.Displayed }),
			flag("IsDisplayedGrid", func(r *row) *bool { return &r.DisplayedGrid }),
			flag("IsReadOnly", func(r *row) *bool { return &r.ReadOnly }),
			flag("IsSameLine", func(r *row) *bool { return &r.SameLine }),
			flag("IsHeading", func(r *row) *bool { return &r.Heading }),
			flag("IsFieldOnly", func(r *row) *bool { return &r.FieldOnly }),
		},
	}
}

func processKind() rowKind {
	type row = ProcessInfo
	return &kind[row]{
		table: "AD_Process", key: "AD_Process_ID", optional: true,
		rows: func(c *content) *[]row { return &c.processes },
		attributes: []attribute[row]{
			needed(num("AD_Process_ID", func(r *row) *int { return &r.ID })),
			text("AD_Process_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(text("Value", func(r *row) *string { return &r.Value })),
			text("Name", func(r *row) *string { return &r.Name }),
			text("Description", func(r *row) *string { return &r.Description }),
			text("Help", func(r *row) *string { return &r.Help }),
			text("EntityType", func(r *row) *string { return &r.EntityType }),
			text("AccessLevel", func(r *row) *string { return (*string)(&r.AccessLevel) }),
			text("Classname", func(r *row) *string { return &r.Class }),
			text("ProcedureName", func(r *row) *string { return &r.Procedure }),
			text("JasperReport", func(r *row) *string { return &r.Jasper }),
			num("AD_Workflow_ID", func(r *row) *int { return &r.WorkflowID }),
			num("AD_Form_ID", func(r *row) *int { return &r.FormID }),
			flag("IsActive", func(r *row) *bool { return &r.Active }),
			flag("IsReport", func(r *row) *bool { return &r.Report }),
		},
	}
}

func parameterKind() rowKind {
	type row = ParameterInfo
	return &kind[row]{
		table: "AD_Process_Para", key: "AD_Process_Para_ID", optional: true,
		rows: func(c *content) *[]row { return &c.parameters },
		attributes: []attribute[row]{
			needed(num("AD_Process_Para_ID", func(r *row) *int { return &r.ID })),
			text("AD_Process_Para_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(num("AD_Process_ID", func(r *row) *int { return &r.ProcessID })),
			needed(text("ColumnName", func(r *row) *string { return &r.Column })),
			text("Name", func(r *row) *string { return &r.Name }),
			text("Description", func(r *row) *string { return &r.Description }),
			text("Help", func(r *row) *string { return &r.Help }),
			text("EntityType", func(r *row) *string { return &r.EntityType }),
			num("SeqNo", func(r *row) *int { return &r.SeqNo }),
			num("AD_Element_ID", func(r *row) *int { return &r.ElementID }),
			num("AD_Reference_ID", func(r *row) *int { return (*int)(&r.Type) }),
			num("AD_Reference_Value_ID", func(r *row) *int { return &r.ReferenceID }),
			num("AD_Val_Rule_ID", func(r *row) *int { return &r.ValRuleID }),
			num("FieldLength", func(r *row) *int { return &r.Length }),
			text("DefaultValue", func(r *row) *string { return &r.Default }),
			text("DefaultValue2", func(r *row) *string { return &r.DefaultTo }),
			text("ValueMin", func(r *row) *string { return &r.Min }),
			text("ValueMax", func(r *row) *string { return &r.Max }),
			text("DisplayLogic", func(r *row) *string { return &r.DisplayLogic }),
			flag("IsActive", func(r *row) *bool { return &r.Active }),
			flag("IsMandatory", func(r *row) *bool { return &r.Mandatory }),
			flag("IsRange", func(r *row) *bool { return &r.Range }),
			flag("IsEncrypted", func(r *row) *bool { return &r.Encrypted }),
		},
	}
}
