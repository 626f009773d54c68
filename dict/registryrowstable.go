package dict

func tableKind() rowKind {
	type row = TableInfo
	return &kind[row]{
		table: "AD_Table", key: "AD_Table_ID",
		rows: func(c *content) *[]row { return &c.tables },
		attributes: []attribute[row]{
			needed(num("AD_Table_ID", func(r *row) *int { return &r.ID })),
			text("AD_Table_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(text("TableName", func(r *row) *string { return &r.Name })),
			text("Name", func(r *row) *string { return &r.Label }),
			text("Description", func(r *row) *string { return &r.Description }),
			text("Help", func(r *row) *string { return &r.Help }),
			text("AccessLevel", func(r *row) *string { return (*string)(&r.AccessLevel) }),
			text("EntityType", func(r *row) *string { return &r.EntityType }),
			text("ReplicationType", func(r *row) *string { return (*string)(&r.Replication) }),
			num("AD_Window_ID", func(r *row) *int { return &r.WindowID }),
			num("PO_Window_ID", func(r *row) *int { return &r.POWindowID }),
			num("LoadSeq", func(r *row) *int { return &r.LoadSeq }),
			flag("IsActive", func(r *row) *bool { return &r.Active }),
			flag("IsView", func(r *row) *bool { return &r.View }),
			flag("IsDeleteable", func(r *row) *bool { return &r.Deletable }),
			flag("IsHighVolume", func(r *row) *bool { return &r.HighVolume }),
			flag("IsChangeLog", func(r *row) *bool { return &r.ChangeLog }),
			flag("IsSecurityEnabled", func(r *row) *bool { return &r.Security }),
			flag("IsPartition", func(r *row) *bool { return &r.Partition }),
			flag("IsShowInDrillOptions", func(r *row) *bool { return &r.Drill }),
			flag("IsCentrallyMaintained", func(r *row) *bool { return &r.CentrallyMaintained }),
		},
	}
}

func columnKind() rowKind {
	type row = ColumnInfo
	return &kind[row]{
		table: "AD_Column", key: "AD_Column_ID",
		rows: func(c *content) *[]row { return &c.columns },
		attributes: []attribute[row]{
			needed(num("AD_Column_ID", func(r *row) *int { return &r.ID })),
			text("AD_Column_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(num("AD_Table_ID", func(r *row) *int { return &r.TableID })),
			needed(text("ColumnName", func(r *row) *string { return &r.Name })),
			text("Name", func(r *row) *string { return &r.Label }),
			text("Description", func(r *row) *string { return &r.Description }),
			text("Help", func(r *row) *string { return &r.Help }),
			text("Placeholder", func(r *row) *string { return &r.Placeholder }),
			num("AD_Element_ID", func(r *row) *int { return &r.ElementID }),
			needed(num("AD_Reference_ID", func(r *row) *int { return (*int)(&r.Type) })),
			num("AD_Reference_Value_ID", func(r *row) *int { return &r.ReferenceID }),
			num("AD_Val_Rule_ID", func(r *row) *int { return &r.ValRuleID }),
			num("AD_Process_ID", func(r *row) *int { return &r.ProcessID }),
			num("FieldLength", func(r *row) *int { return &r.Length }),
			num("SeqNo", func(r *row) *int { return &r.SeqNo }),
			num("SeqNoSelection", func(r *row) *int { return &r.SeqNoSelection }),
			text("DefaultValue", func(r *row) *string { return &r.Default }),
			text("ValueMin", func(r *row) *string { return &r.Min }),
			text("ValueMax", func(r *row) *string { return &r.Max }),
			text("VFormat", func(r *row) *string { return &r.VFormat }),
			text("FormatPattern", func(r *row) *string { return &r.FormatPattern }),
			text("Callout", func(r *row) *string { return &r.Callout }),
			text("ColumnSQL", func(r *row) *string { return &r.SQL }),
			text("ReadOnlyLogic", func(r *row) *string { return &r.ReadOnlyLogic }),
			text("MandatoryLogic", func(r *row) *string { return &r.MandatoryLogic }),
			text("AlwaysUpdatableLogic", func(r *row) *string { return &r.UpdatableLogic }),
			text("FKConstraintType", func(r *row) *string { return (*string)(&r.ForeignKey) }),
			text("FKConstraintName", func(r *row) *string { return &r.ForeignKeyName }),
			text("EntityType", func(r *row) *string { return &r.EntityType }),
			text("IsToolbarButton", func(r *row) *string { return &r.Toolbar }),
			flag("IsActive", func(r *row) *bool { return &r.Active }),
			flag("IsKey", func(r *row) *bool { return &r.Key }),
			flag("IsParent", func(r *row) *bool { return &r.Parent }),
			flag("IsMandatory", func(r *row) *bool { return &r.Mandatory }),
			flag("IsUpdateable", func(r *row) *bool { return &r.Updateable }),
			flag("IsAlwaysUpdateable", func(r *row) *bool { return &r.AlwaysUpdateable }),
			flag("IsIdentifier", func(r *row) *bool { return &r.Identifier }),
			flag("IsSelectionColumn", func(r *row) *bool { return &r.Selection }),
			flag("IsTranslated", func(r *row) *bool { return &r.Translated }),
			flag("IsEncrypted", func(r *row) *bool { return &r.Encrypted }),
			flag("IsSecure", func(r *row) *bool { return &r.Secure }),
			flag("IsAllowLogging", func(r *row) *bool { return &r.Logged }),
			flag("IsAllowCopy", func(r *row) *bool { return &r.Copied }),
			flag("IsAutocomplete", func(r *row) *bool { return &r.Autocomplete }),
			flag("IsHtml", func(r *row) *bool { return &r.HTML }),
			flag("IsPartitionKey", func(r *row) *bool { return &r.PartitionKey }),
		},
	}
}

func elementKind() rowKind {
	type row = ElementInfo
	return &kind[row]{
		table: "AD_Element", key: "AD_Element_ID", optional: true,
		rows: func(c *content) *[]row { return &c.elements },
		attributes: []attribute[row]{
			needed(num("AD_Element_ID", func(r *row) *int { return &r.ID })),
			text("AD_Element_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(text("ColumnName", func(r *row) *string { return &r.Name })),
			text("Name", func(r *row) *string { return &r.Label }),
			text("PrintName", func(r *row) *string { return &r.PrintName }),
			text("Description", func(r *row) *string { return &r.Description }),
			text("Help", func(r *row) *string { return &r.Help }),
			text("Placeholder", func(r *row) *string { return &r.Placeholder }),
			text("EntityType", func(r *row) *string { return &r.EntityType }),
			flag("IsActive", func(r *row) *bool { return &r.Active }),
		},
	}
}

func indexKind() rowKind {
	type row = IndexInfo
	return &kind[row]{
		table: "AD_TableIndex", key: "AD_TableIndex_ID", optional: true,
		rows: func(c *content) *[]row { return &c.indexes },
		attributes: []attribute[row]{
			needed(num("AD_TableIndex_ID", func(r *row) *int { return &r.ID })),
			text("AD_TableIndex_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(num("AD_Table_ID", func(r *row) *int { return &r.TableID })),
			needed(text("Name", func(r *row) *string { return &r.Name })),
			text("EntityType", func(r *row) *string { return &r.EntityType }),
			flag("IsActive", func(r *row) *bool { return &r.Active }),
			flag("IsUnique", func(r *row) *bool { return &r.Unique }),
			flag("IsCreateConstraint", func(r *row) *bool { return &r.Constraint }),
			flag("IsKey", func(r *row) *bool { return &r.Key }),
		},
	}
}

func indexColumnKind() rowKind {
	type row = IndexColumnInfo
	return &kind[row]{
		table: "AD_IndexColumn", key: "AD_IndexColumn_ID", optional: true,
		rows: func(c *content) *[]row { return &c.indexColumns },
		attributes: []attribute[row]{
			needed(num("AD_IndexColumn_ID", func(r *row) *int { return &r.ID })),
			text("AD_IndexColumn_UU", func(r *row) *string { return (*string)(&r.UUID) }),
			needed(num("AD_TableIndex_ID", func(r *row) *int { return &r.IndexID })),
			num("AD_Column_ID", func(r *row) *int { return &r.ColumnID }),
			text("ColumnSQL", func(r *row) *string { return &r.SQL }),
			num("SeqNo", func(r *row) *int { return &r.SeqNo }),
			flag("IsActive", func(r *row) *bool { return &r.Active }),
		},
	}
}
