package process

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
)

func sortedNames(names map[int64]string) []string { return slices.Sorted(maps.Values(names)) }

// columnPlan is a column a process makes.
type columnPlan struct {
	name        string
	label       string
	ref         int
	refValue    int64
	length      int64
	def         string
	flags       string // M mandatory, U updateable, K key, I identifier, S selection
	flag        string // the parameter that asks for it, "" for always
	readOnly    string
	onByDefault bool
}

// tableColumns are the columns the process "create table" knows, in its order.
func tableColumns(table string) []columnPlan {
	return []columnPlan{
		{name: table + "_ID", label: table, ref: displaytype.ID, length: 22, flags: "MK", flag: "IsCreateKeyColumn", onByDefault: true},
		{name: "AD_Client_ID", ref: displaytype.Search, def: "@#AD_Client_ID@", flags: "M", readOnly: "1=1"},
		{name: "AD_Org_ID", ref: displaytype.TableDir, def: "@AD_Org_ID@", flags: "M"},
		{name: "Created", ref: displaytype.DateTime, flags: "M"},
		{name: "CreatedBy", ref: displaytype.Search, refValue: 110, flags: "M"},
		{name: "IsActive", ref: displaytype.YesNo, length: 1, def: "Y", flags: "MU"},
		{name: "Updated", ref: displaytype.DateTime, flags: "M"},
		{name: "UpdatedBy", ref: displaytype.Search, refValue: 110, flags: "M"},
		{name: table + "_UU", label: table + "_UU", ref: displaytype.UUID, length: 36, flags: "U"},
		{name: "Value", ref: displaytype.String, length: 40, flags: "US", flag: "IsCreateColValue"},
		{name: "Name", ref: displaytype.String, length: 60, flags: "MUIS", flag: "IsCreateColName"},
		{name: "Description", ref: displaytype.String, length: 255, flags: "U", flag: "IsCreateColDescription"},
		{name: "Help", ref: displaytype.String, length: 2000, flags: "U", flag: "IsCreateColHelp"},
		{name: "DocumentNo", ref: displaytype.String, length: 30, flags: "US", flag: "IsCreateColDocumentNo"},
		{name: "DateTrx", ref: displaytype.Date, length: 7, def: "@#Date@", flags: "MU", flag: "IsCreateColDateTrx"},
		{name: "DateAcct", ref: displaytype.Date, length: 7, def: "@#Date@", flags: "MU", flag: "IsCreateColDateAcct"},
		{name: "C_Currency_ID", ref: displaytype.TableDir, length: 22, def: "@C_Currency_ID@", flags: "MU", flag: "IsCreateColC_Currency_ID"},
		{name: "C_DocType_ID", ref: displaytype.TableDir, length: 22, flags: "MU", flag: "IsCreateColC_DocType_ID"},
		{name: "C_DocTypeTarget_ID", ref: displaytype.Table, refValue: 170, length: 22, flags: "MU", flag: "IsCreateColC_DocTypeTarget_ID"},
		{name: "DocStatus", ref: displaytype.List, refValue: 131, length: 2, def: "DR", flags: "MU", flag: "IsCreateColDocStatus"},
		{name: "DocAction", ref: displaytype.Button, refValue: 135, length: 2, def: "CO", flags: "MU", flag: "IsCreateColDocAction"},
		{name: "Processed", ref: displaytype.YesNo, length: 1, def: "N", flags: "MU", flag: "IsCreateColProcessed"},
		{name: "Processing", ref: displaytype.YesNo, length: 1, def: "N", flags: "MU", flag: "IsCreateColProcessing"},
		{name: "IsApproved", ref: displaytype.YesNo, length: 1, def: "N", flags: "MU", flag: "IsCreateColIsApproved"},
		{name: "ProcessedOn", ref: displaytype.Number, length: 20, flags: "U", flag: "IsCreateColProcessedOn"},
		{name: "Posted", ref: displaytype.Button, refValue: 234, length: 1, def: "N", flags: "MU", flag: "IsCreateColPosted"},
		{name: "AD_User_ID", ref: displaytype.Search, refValue: 110, flags: "MU", flag: "IsCreateColAD_User_ID"},
		{name: "SalesRep_ID", ref: displaytype.Search, refValue: 190, flags: "MU", flag: "IsCreateColSalesRep_ID"},
	}
}

// createTable makes an AD_Table record unless there is one, and the columns
// asked for. It does not touch the database.
func createTable(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run) (Result, error) {
	if err := mustWriteDictionary(ctx, s, tx, "AD_Table"); err != nil {
		return Result{}, err
	}
	if run.flag("IsCreateWorkflow", false) || run.flag("IsCreateTranslationTable", false) {
		return Failed("workflows and translation tables are not created by the embedded ERP"), nil
	}
	name := run.Text("TableName")
	if existing, err := engine.OneRow(ctx, tx, "AD_Table", run.RecordID); err != nil {
		return Result{}, err
	} else if existing != nil {
		name = existing.String("TableName")
	}
	if name == "" {
		return Failed("%sTableName", engine.MsgFillMandatory), nil
	}
	table, err := engine.FirstRow(ctx, tx, "AD_Table", "", "TableName=? COLLATE NOCASE", name)
	if err != nil {
		return Result{}, err
	}
	entityType := cmp.Or(run.Text("EntityType"), "U")
	result := Result{Summary: "ProcessOK"}
	if table == nil {
		values := store.Row{
			"TableName": name, "Name": cmp.Or(run.Text("Name"), name), "EntityType": entityType, "IsDeleteable": "Y", "IsChangeLog": "Y",
			"AD_Client_ID": int64(0), "AD_Org_ID": int64(0), "AccessLevel": run.Text("AccessLevel"), "Description": run.Text("Description"),
		}
		maps.DeleteFunc(values, func(_ string, v any) bool { return v == "" })
		r, err := s.InsertRow(ctx, tx, "AD_Table", values)
		if err != nil {
			return Result{}, err
		}
		table = r.Row
		result.Logs = []LogLine{{Message: table.String("TableName")}}
	}
	for _, plan := range tableColumns(table.String("TableName")) {
		if plan.flag != "" && !run.flag(plan.flag, plan.onByDefault) {
			continue
		}
		if _, err := addColumn(ctx, s, tx, table, plan, entityType); err != nil {
			return result, err
		}
	}
	return result, nil
}

// addColumn makes an AD_Column record unless the table has the column.
func addColumn(ctx context.Context, s *engine.Session, tx *store.Tx, table store.Row, plan columnPlan, entityType string) (bool, error) {
	columns, err := engine.RowsWhere(ctx, tx, "AD_Column", "", "AD_Table_ID=? AND ColumnName=? COLLATE NOCASE", table.Int("AD_Table_ID"), plan.name)
	if err != nil || len(columns) > 0 {
		return false, err
	}
	label := cmp.Or(plan.label, plan.name)
	element, err := s.ElementFor(ctx, tx, plan.name, store.Row{"Name": label, "EntityType": entityType})
	if err != nil {
		return false, err
	}
	yes := func(flag string) string {
		if strings.Contains(plan.flags, flag) {
			return "Y"
		}
		return "N"
	}
	values := store.Row{
		"AD_Table_ID": table.Int("AD_Table_ID"), "AD_Element_ID": element, "ColumnName": plan.name, "Name": label,
		"AD_Reference_ID": int64(plan.ref), "EntityType": entityType, "IsMandatory": yes("M"), "IsUpdateable": yes("U"),
		"IsKey": yes("K"), "IsIdentifier": yes("I"), "IsSelectionColumn": yes("S"), "FieldLength": plan.length,
		"Version": "0", "AD_Client_ID": int64(0), "AD_Org_ID": int64(0),
	}
	if yes("I") == "Y" {
		values["SeqNo"] = int64(1)
	}
	if plan.refValue != 0 {
		values["AD_Reference_Value_ID"] = plan.refValue
	}
	if plan.def != "" {
		values["DefaultValue"] = plan.def
	}
	if plan.readOnly != "" {
		values["ReadOnlyLogic"] = plan.readOnly
	}
	_, err = s.InsertRow(ctx, tx, "AD_Column", values)
	return err == nil, err
}

// createColumnsFromDatabase makes AD_Column records for the columns the
// database has and the dictionary has not.
func createColumnsFromDatabase(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run) (Result, error) {
	if err := mustWriteDictionary(ctx, s, tx, "AD_Column"); err != nil {
		return Result{}, err
	}
	if run.flag("AllTables", false) {
		return Failed("run this for one table: give its AD_Table_ID as record-id"), nil
	}
	t, row, err := tableOf(ctx, s, tx, run)
	if err != nil {
		return Result{}, err
	}
	physical, err := tx.PhysicalColumns(ctx, t.Name)
	if err != nil {
		return Result{}, err
	}
	if len(physical) == 0 {
		return Failed("The database has no table %s", t.Name), nil
	}
	entityType := cmp.Or(run.Text("EntityType"), t.EntityType)
	result := Result{}
	for _, p := range physical {
		made, err := addColumn(ctx, s, tx, row, planFor(t.Name, p), entityType)
		if err != nil {
			return result, err
		}
		if made {
			result.Logs = append(result.Logs, LogLine{Message: t.Name + "." + p.Name})
		}
	}
	result.Summary = fmt.Sprintf("#%d", len(result.Logs))
	return result, nil
}

// planFor guesses the dictionary's column from the database's.
func planFor(table string, p store.PhysicalColumn) columnPlan {
	for _, known := range tableColumns(table) {
		if strings.EqualFold(known.name, p.Name) {
			return known
		}
	}
	plan := columnPlan{name: p.Name, flags: "U"}
	if p.NotNull {
		plan.flags += "M"
	}
	kind := strings.ToUpper(p.Type)
	switch {
	case strings.HasSuffix(strings.ToUpper(p.Name), "_ID"):
		plan.ref, plan.length = displaytype.TableDir, 22
	case strings.HasPrefix(kind, "INT"):
		plan.ref, plan.length = displaytype.Integer, 14
	case strings.Contains(kind, "DECIMAL"), strings.Contains(kind, "NUM"), strings.Contains(kind, "REAL"):
		plan.ref, plan.length = displaytype.Number, 14
	case strings.Contains(kind, "TIME"), strings.Contains(kind, "DATE"):
		plan.ref, plan.length = displaytype.DateTime, 7
	case strings.Contains(kind, "BLOB"):
		plan.ref = displaytype.Binary
	case strings.HasPrefix(p.Name, "Is"):
		plan.ref, plan.length = displaytype.YesNo, 1
	default:
		plan.ref, plan.length = displaytype.String, 255
	}
	return plan
}

// copyColumns gives a table without columns those of another one; key and
// UUID column take the name of their new table.
func copyColumns(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run) (Result, error) {
	if err := mustWriteDictionary(ctx, s, tx, "AD_Column"); err != nil {
		return Result{}, err
	}
	target, row, err := tableOf(ctx, s, tx, run)
	if err != nil {
		return Result{}, err
	}
	existing, err := engine.RowsWhere(ctx, tx, "AD_Column", "", "AD_Table_ID=?", target.ID)
	if err != nil {
		return Result{}, err
	}
	if len(existing) > 0 {
		return Failed("Target table must not have columns"), nil
	}
	source, err := engine.OneRow(ctx, tx, "AD_Table", run.id("AD_Table_ID"))
	if err != nil {
		return Result{}, err
	}
	if source == nil {
		return Failed("There is no table with AD_Table_ID %d", run.id("AD_Table_ID")), nil
	}
	columns, err := engine.RowsWhere(ctx, tx, "AD_Column", "AD_Column_ID", "AD_Table_ID=?", source.Int("AD_Table_ID"))
	if err != nil {
		return Result{}, err
	}
	for _, column := range columns {
		values := maps.Clone(column)
		for _, name := range []string{"AD_Column_ID", "AD_Column_UU", "Created", "CreatedBy", "Updated", "UpdatedBy", "FKConstraintName"} {
			delete(values, name)
		}
		values["AD_Table_ID"], values["EntityType"] = target.ID, row.String("EntityType")
		for _, suffix := range []string{"_ID", "_UU"} {
			if strings.EqualFold(column.String("ColumnName"), source.String("TableName")+suffix) {
				name := target.Name + suffix
				element, err := s.ElementFor(ctx, tx, name, store.Row{"Name": target.Label, "EntityType": row.String("EntityType")})
				if err != nil {
					return Result{}, err
				}
				values["ColumnName"], values["AD_Element_ID"] = name, element
			}
		}
		if _, err := s.InsertRow(ctx, tx, "AD_Column", values); err != nil {
			return Result{}, err
		}
	}
	return Result{Summary: fmt.Sprintf("#%d", len(columns))}, nil
}
