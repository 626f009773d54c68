package registry

func tableKind() rowKind {
	type row = Table
	return &kind[row]{
		table: "AD_Table", key: "AD_Table_ID",
		rows: func(c *content) *[]row { return &c.tables },
		attributes: []attribute[row]{
			needed(intColumn("AD_Table_ID", func(r *row) *int { return &r.ID })),
			textColumn("AD_Table_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(textColumn("TableName", func(r *row) *string { return &r.Name })),
			textColumn("Name", func(r *row) *string { return &r.Label }),
			textColumn("Description", func(r *row) *string { return &r.Description }),
			textColumn("Help", func(r *row) *string { return &r.Help }),
			textColumn("AccessLevel", func(r *row) *string { return (*string)(&r.AccessLevel) }),
			textColumn("EntityType", func(r *row) *string { return &r.EntityType }),
			textColumn("ReplicationType", func(r *row) *string { return (*string)(&r.Replication) }),
			intColumn("AD_Window_ID", func(r *row) *int { return &r.WindowID }),
			intColumn("PO_Window_ID", func(r *row) *int { return &r.POWindowID }),
			intColumn("LoadSeq", func(r *row) *int { return &r.LoadSeq }),
			flagColumn("IsActive", func(r *row) *bool { return &r.Active }),
			flagColumn("IsView", func(r *row) *bool { return &r.View }),
			flagColumn("IsDeleteable", func(r *row) *bool { return &r.Deletable }),
			flagColumn("IsHighVolume", func(r *row) *bool { return &r.HighVolume }),
			flagColumn("IsChangeLog", func(r *row) *bool { return &r.ChangeLog }),
			flagColumn("IsSecurityEnabled", func(r *row) *bool { return &r.Security }),
			flagColumn("IsPartition", func(r *row) *bool { return &r.Partition }),
			flagColumn("IsShowInDrillOptions", func(r *row) *bool { return &r.Drill }),
			flagColumn("IsCentrallyMaintained", func(r *row) *bool { return &r.CentrallyMaintained }),
		},
	}
}

func columnKind() rowKind {
	type row = Column
	return &kind[row]{
		table: "AD_Column", key: "AD_Column_ID",
		rows: func(c *content) *[]row { return &c.columns },
		attributes: []attribute[row]{
			needed(intColumn("AD_Column_ID", func(r *row) *int { return &r.ID })),
			textColumn("AD_Column_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(intColumn("AD_Table_ID", func(r *row) *int { return &r.TableID })),
			needed(textColumn("ColumnName", func(r *row) *string { return &r.Name })),
			textColumn("Name", func(r *row) *string { return &r.Label }),
			textColumn("Description", func(r *row) *string { return &r.Description }),
			textColumn("Help", func(r *row) *string { return &r.Help }),
			textColumn("Placeholder", func(r *row) *string { return &r.Placeholder }),
			intColumn("AD_Element_ID", func(r *row) *int { return &r.ElementID }),
			needed(intColumn("AD_Reference_ID", func(r *row) *int { return (*int)(&r.Type) })),
			intColumn("AD_Reference_Value_ID", func(r *row) *int { return &r.ReferenceID }),
			intColumn("AD_Val_Rule_ID", func(r *row) *int { return &r.ValRuleID }),
			intColumn("AD_Process_ID", func(r *row) *int { return &r.ProcessID }),
			intColumn("FieldLength", func(r *row) *int { return &r.Length }),
			intColumn("SeqNo", func(r *row) *int { return &r.SeqNo }),
			intColumn("SeqNoSelection", func(r *row) *int { return &r.SeqNoSelection }),
			textColumn("DefaultValue", func(r *row) *string { return &r.Default }),
			textColumn("ValueMin", func(r *row) *string { return &r.Min }),
			textColumn("ValueMax", func(r *row) *string { return &r.Max }),
			textColumn("VFormat", func(r *row) *string { return &r.VFormat }),
			textColumn("FormatPattern", func(r *row) *string { return &r.FormatPattern }),
			textColumn("Callout", func(r *row) *string { return &r.Callout }),
			textColumn("ColumnSQL", func(r *row) *string { return &r.SQL }),
			textColumn("ReadOnlyLogic", func(r *row) *string { return &r.ReadOnlyLogic }),
			textColumn("MandatoryLogic", func(r *row) *string { return &r.MandatoryLogic }),
			textColumn("AlwaysUpdatableLogic", func(r *row) *string { return &r.UpdatableLogic }),
			textColumn("FKConstraintType", func(r *row) *string { return (*string)(&r.ForeignKey) }),
			textColumn("FKConstraintName", func(r *row) *string { return &r.ForeignKeyName }),
			textColumn("EntityType", func(r *row) *string { return &r.EntityType }),
			textColumn("IsToolbarButton", func(r *row) *string { return &r.Toolbar }),
			flagColumn("IsActive", func(r *row) *bool { return &r.Active }),
			flagColumn("IsKey", func(r *row) *bool { return &r.Key }),
			flagColumn("IsParent", func(r *row) *bool { return &r.Parent }),
			flagColumn("IsMandatory", func(r *row) *bool { return &r.Mandatory }),
			flagColumn("IsUpdateable", func(r *row) *bool { return &r.Updateable }),
			flagColumn("IsAlwaysUpdateable", func(r *row) *bool { return &r.AlwaysUpdateable }),
			flagColumn("IsIdentifier", func(r *row) *bool { return &r.Identifier }),
			flagColumn("IsSelectionColumn", func(r *row) *bool { return &r.Selection }),
			flagColumn("IsTranslated", func(r *row) *bool { return &r.Translated }),
			flagColumn("IsEncrypted", func(r *row) *bool { return &r.Encrypted }),
			flagColumn("IsSecure", func(r *row) *bool { return &r.Secure }),
			flagColumn("IsAllowLogging", func(r *row) *bool { return &r.Logged }),
			flagColumn("IsAllowCopy", func(r *row) *bool { return &r.Copied }),
			flagColumn("IsAutocomplete", func(r *row) *bool { return &r.Autocomplete }),
			flagColumn("IsHtml", func(r *row) *bool { return &r.HTML }),
			flagColumn("IsPartitionKey", func(r *row) *bool { return &r.PartitionKey }),
		},
	}
}

func elementKind() rowKind {
	type row = Element
	return &kind[row]{
		table: "AD_Element", key: "AD_Element_ID", optional: true,
		rows: func(c *content) *[]row { return &c.elements },
		attributes: []attribute[row]{
			needed(intColumn("AD_Element_ID", func(r *row) *int { return &r.ID })),
			textColumn("AD_Element_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(textColumn("ColumnName", func(r *row) *string { return &r.Name })),
			textColumn("Name", func(r *row) *string { return &r.Label }),
			textColumn("PrintName", func(r *row) *string { return &r.PrintName }),
			textColumn("Description", func(r *row) *string { return &r.Description }),
			textColumn("Help", func(r *row) *string { return &r.Help }),
			textColumn("Placeholder", func(r *row) *string { return &r.Placeholder }),
			textColumn("EntityType", func(r *row) *string { return &r.EntityType }),
			flagColumn("IsActive", func(r *row) *bool { return &r.Active }),
		},
	}
}

func indexKind() rowKind {
	type row = Index
	return &kind[row]{
		table: "AD_TableIndex", key: "AD_TableIndex_ID", optional: true,
		rows: func(c *content) *[]row { return &c.indexes },
		attributes: []attribute[row]{
			needed(intColumn("AD_TableIndex_ID", func(r *row) *int { return &r.ID })),
			textColumn("AD_TableIndex_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(intColumn("AD_Table_ID", func(r *row) *int { return &r.TableID })),
			needed(textColumn("Name", func(r *row) *string { return &r.Name })),
			textColumn("EntityType", func(r *row) *string { return &r.EntityType }),
			flagColumn("IsActive", func(r *row) *bool { return &r.Active }),
			flagColumn("IsUnique", func(r *row) *bool { return &r.Unique }),
			flagColumn("IsCreateConstraint", func(r *row) *bool { return &r.Constraint }),
			flagColumn("IsKey", func(r *row) *bool { return &r.Key }),
		},
	}
}

func indexColumnKind() rowKind {
	type row = IndexColumn
	return &kind[row]{
		table: "AD_IndexColumn", key: "AD_IndexColumn_ID", optional: true,
		rows: func(c *content) *[]row { return &c.indexColumns },
		attributes: []attribute[row]{
			needed(intColumn("AD_IndexColumn_ID", func(r *row) *int { return &r.ID })),
			textColumn("AD_IndexColumn_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(intColumn("AD_TableIndex_ID", func(r *row) *int { return &r.IndexID })),
			intColumn("AD_Column_ID", func(r *row) *int { return &r.ColumnID }),
			textColumn("ColumnSQL", func(r *row) *string { return &r.SQL }),
			intColumn("SeqNo", func(r *row) *int { return &r.SeqNo }),
			flagColumn("IsActive", func(r *row) *bool { return &r.Active }),
		},
	}
}
