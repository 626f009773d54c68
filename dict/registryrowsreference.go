package dict

func referenceKind() rowKind {
	type row = ReferenceInfo
	return &kind[row]{
		table: "AD_Reference", key: "AD_Reference_ID", optional: true,
		rows: func(c *content) *[]row { return &c.references },
		attributes: []attribute[row]{
			needed(num("AD_Reference_ID", func(r *row) *int { return &r.ID })),
			text("AD_Reference_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(text("Name", func(r *row) *string { return &r.Name })),
			text("Description", func(r *row) *string { return &r.Description }),
			text("Help", func(r *row) *string { return &r.Help }),
			needed(text("ValidationType", func(r *row) *string { return (*string)(&r.Kind) })),
			text("VFormat", func(r *row) *string { return &r.VFormat }),
			text("EntityType", func(r *row) *string { return &r.EntityType }),
			flag("IsActive", func(r *row) *bool { return &r.Active }),
		},
	}
}

func entryKind() rowKind {
	type row = ListEntry
	return &kind[row]{
		table: "AD_Ref_List", key: "AD_Ref_List_ID", optional: true,
		rows: func(c *content) *[]row { return &c.entries },
		attributes: []attribute[row]{
			needed(num("AD_Ref_List_ID", func(r *row) *int { return &r.ID })),
			text("AD_Ref_List_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(num("AD_Reference_ID", func(r *row) *int { return &r.ReferenceID })),
			needed(text("Value", func(r *row) *string { return &r.Value })),
			text("Name", func(r *row) *string { return &r.Name }),
			text("Description", func(r *row) *string { return &r.Description }),
			text("EntityType", func(r *row) *string { return &r.EntityType }),
			flag("IsActive", func(r *row) *bool { return &r.Active }),
		},
	}
}

func lookupKind() rowKind {
	type row = LookupInfo
	return &kind[row]{
		table: "AD_Ref_Table", key: "AD_Reference_ID", optional: true,
		rows: func(c *content) *[]row { return &c.lookups },
		attributes: []attribute[row]{
			needed(num("AD_Reference_ID", func(r *row) *int { return &r.ReferenceID })),
			text("AD_Ref_Table_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(num("AD_Table_ID", func(r *row) *int { return &r.TableID })),
			num("AD_Key", func(r *row) *int { return &r.KeyID }),
			num("AD_Display", func(r *row) *int { return &r.DisplayID }),
			flag("IsValueDisplayed", func(r *row) *bool { return &r.ShowValue }),
			text("WhereClause", func(r *row) *string { return &r.Where }),
			text("OrderByClause", func(r *row) *string { return &r.OrderBy }),
			text("EntityType", func(r *row) *string { return &r.EntityType }),
			flag("IsActive", func(r *row) *bool { return &r.Active }),
		},
	}
}

func ruleKind() rowKind {
	type row = ValRuleInfo
	return &kind[row]{
		table: "AD_Val_Rule", key: "AD_Val_Rule_ID", optional: true,
		rows: func(c *content) *[]row { return &c.rules },
		attributes: []attribute[row]{
			needed(num("AD_Val_Rule_ID", func(r *row) *int { return &r.ID })),
			text("AD_Val_Rule_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(text("Name", func(r *row) *string { return &r.Name })),
			text("Type", func(r *row) *string { return &r.Type }),
			text("Code", func(r *row) *string { return &r.Code }),
			text("EntityType", func(r *row) *string { return &r.EntityType }),
			flag("IsActive", func(r *row) *bool { return &r.Active }),
		},
	}
}
