package restdict

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/adid"
)

// ReadColumns reads the columns of a table from the ERP, in the order they were
// made: for import tables ([dict.Table.ImportInto]) and for comparing. Inactive
// columns are left out. References are existing ones, by name and id; their
// target table is filled in for those that lead to a table. The error matches
// [erp.ErrNotFound] when there is no such table.
func ReadColumns(ctx context.Context, c *erp.Client, table string) ([]dict.Column, error) {
	page, err := c.Query(ctx, "AD_Table", &erp.Query{
		Filter: condition("TableName", scalar{text: table, kind: 't'}, true), Select: []string{"TableName"}, Top: 1})
	if err != nil {
		return nil, fmt.Errorf("looking for table %s: %w", quote(table), err)
	}
	if len(page.Records) == 0 {
		return nil, fmt.Errorf("the ERP has no table %s, or the role does not see it: %w", quote(table), erp.ErrNotFound)
	}
	id, _ := page.Records[0].ID().Int()
	var columns []dict.Column
	var lookups []int64
	for rec, err := range c.Records(ctx, "AD_Column", &erp.Query{Filter: erp.Eq("AD_Table_ID", id)}) {
		if err != nil {
			return nil, fmt.Errorf("reading the columns of %s: %w", quote(table), err)
		}
		column := columnOf(rec)
		columns = append(columns, column)
		if ref := column.Reference; ref != nil && !column.Type.IsList() && column.Type != dict.TypeButton {
			lookups = append(lookups, int64(ref.ID))
		}
	}
	targets, err := targetsOf(ctx, c, lookups)
	if err != nil {
		return nil, fmt.Errorf("reading the references of %s: %w", quote(table), err)
	}
	for _, column := range columns {
		if column.Reference != nil {
			column.Reference.Target = targets[int64(column.Reference.ID)]
		}
	}
	return columns, nil
}

func columnOf(rec erp.Record) dict.Column {
	text := func(column string) string {
		s, _ := rec.Text(column)
		return s
	}
	flag := func(column string) bool {
		b, _ := rec.Bool(column)
		return b
	}
	number := func(column string) int {
		n, _ := rec.Int(column)
		return int(n)
	}
	id := func(column string) (int, string) {
		ref, _ := rec.Ref(column)
		n, _ := ref.ID.Int()
		return int(n), ref.Identifier
	}
	code := func(column string) string {
		s, _ := rec.Code(column)
		return s
	}
	typ, _ := id("AD_Reference_ID")
	element, _ := id("AD_Element_ID")
	c := dict.Column{
		Name: text("ColumnName"), Label: text("Name"), Description: text("Description"), Help: text("Help"),
		Placeholder: text("Placeholder"), Type: dict.DisplayType(typ), Length: number("FieldLength"),
		Mandatory: flag("IsMandatory"), NotUpdateable: !flag("IsUpdateable"), AlwaysUpdateable: flag("IsAlwaysUpdateable"),
		Key: flag("IsKey"), Parent: flag("IsParent"), Identifier: flag("IsIdentifier"), Selection: flag("IsSelectionColumn"),
		Translated: flag("IsTranslated"), Secure: flag("IsSecure"), NotCopied: !flag("IsAllowCopy"), NotLogged: !flag("IsAllowLogging"),
		Autocomplete: flag("IsAutocomplete"), SeqNo: number("SeqNo"), Default: text("DefaultValue"),
		ReadOnlyLogic: text("ReadOnlyLogic"), MandatoryLogic: text("MandatoryLogic"), Callout: text("Callout"),
		VFormat: text("VFormat"), FormatPattern: text("FormatPattern"), Min: text("ValueMin"), Max: text("ValueMax"),
		SQL: text("ColumnSQL"), ForeignKey: dict.FKRule(code("FKConstraintType")), ForeignKeyName: text("FKConstraintName"),
		EntityType: code("EntityType"),
	}
	if !c.Identifier {
		c.SeqNo = 0
	}
	if element <= adid.MaxOfficial {
		c.ElementID = element
	}
	if ref, name := id("AD_Reference_Value_ID"); ref != 0 {
		c.Reference = dict.ExistingReference(name, ref, "")
	}
	_, c.ValRule = id("AD_Val_Rule_ID")
	return c
}

// targetsOf finds the tables that table references lead to.
func targetsOf(ctx context.Context, c *erp.Client, references []int64) (map[int64]string, error) {
	targets := map[int64]string{}
	tables := map[int64][]int64{} // table to references
	slices.Sort(references)
	for chunk := range slices.Chunk(slices.Compact(references), lookupChunk) {
		q := &erp.Query{Filter: erp.In("AD_Reference_ID", chunk...), Select: []string{"AD_Reference_ID", "AD_Table_ID"}}
		for rec, err := range c.Records(ctx, "AD_Ref_Table", q) {
			if err != nil {
				return nil, err
			}
			ref, _ := rec.Ref("AD_Reference_ID")
			table, _ := rec.Ref("AD_Table_ID")
			refID, _ := ref.ID.Int()
			tableID, _ := table.ID.Int()
			tables[tableID] = append(tables[tableID], refID)
		}
	}
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(tables)), lookupChunk) {
		q := &erp.Query{Filter: erp.In("AD_Table_ID", ids...), Select: []string{"TableName"}}
		for rec, err := range c.Records(ctx, "AD_Table", q) {
			if err != nil {
				return nil, err
			}
			id, _ := rec.ID().Int()
			name, _ := rec.Text("TableName")
			for _, ref := range tables[id] {
				targets[ref] = name
			}
		}
	}
	return targets, nil
}
