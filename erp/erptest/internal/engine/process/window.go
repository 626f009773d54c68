package process

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/displaytype"
)

// createWindow makes a window, or a tab of an existing one, for a table, with
// its fields and, for a new window, a menu entry if asked for.
func createWindow(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run) (Result, error) {
	if err := mustWriteDictionary(ctx, s, tx, "AD_Window"); err != nil {
		return Result{}, err
	}
	t, row, err := tableOf(ctx, s, tx, run)
	if err != nil {
		return Result{}, err
	}
	for _, name := range []string{"AD_Client_ID", "AD_Org_ID", "IsActive", "Created", "CreatedBy", "Updated", "UpdatedBy"} {
		if _, ok := t.Column(name); !ok {
			return Failed("The table is not valid to create a new window, please verify that it has these columns: " +
				"AD_Client_ID, AD_Org_ID, Created, CreatedBy, IsActive, Updated, UpdatedBy"), nil
		}
	}
	isNew := run.flag("IsNewWindow", true)
	var window store.Row
	if isNew {
		if window, err = newWindow(ctx, s, tx, run, t, row); err != nil {
			return Result{}, err
		}
	} else if window, err = engine.OneRow(ctx, tx, "AD_Window", run.id("AD_Window_ID")); err != nil {
		return Result{}, err
	} else if window == nil {
		return Failed("%sWindow", engine.MsgFillMandatory), nil
	}
	tab, err := newTab(ctx, s, tx, run, t, window, isNew)
	if err != nil {
		return Result{}, err
	}
	if _, err := fieldsFor(ctx, s, tx, tab, t, "", ""); err != nil {
		return Result{}, err
	}
	result := Result{Summary: "OK"}
	if isNew {
		result.log("Window: " + window.String("Name"))
	}
	result.log("Tab: " + tab.String("Name"))
	if isNew && run.flag("IsCreateMenu", false) {
		if _, err := s.InsertRow(ctx, tx, "AD_Menu", store.Row{
			"Name": window.String("Name"), "Action": "W", "AD_Window_ID": window.Int("AD_Window_ID"), "IsSummary": "N",
			"IsSOTrx": window.String("IsSOTrx"), "IsReadOnly": "N", "EntityType": t.EntityType, "AD_Client_ID": int64(0), "AD_Org_ID": int64(0),
		}); err != nil {
			return Result{}, err
		}
		result.log("Menu: " + window.String("Name"))
	}
	if row.Int("AD_Window_ID") == 0 {
		if err := s.ChangeRow(ctx, tx, "AD_Table", row, store.Row{"AD_Window_ID": window.Int("AD_Window_ID")}); err != nil {
			return Result{}, err
		}
	}
	return result, nil
}

func newWindow(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run, t *store.Table, row store.Row) (store.Row, error) {
	kind := cmp.Or(run.Text("WindowType"), "M")
	if kind == "T" {
		if col, ok := t.Column("Processed"); !ok || col.IsVirtual() {
			return nil, engine.PublicError("Transaction windows require to have a Processed column. Please create the column and try again.")
		}
	}
	same, err := engine.RowsWhere(ctx, tx, "AD_Window", "", "Name=?", t.Label)
	if err != nil {
		return nil, err
	}
	if len(same) > 0 {
		return nil, engine.PublicError("There is already a window with the name " + t.Label)
	}
	flag := "N"
	if run.flag("IsSOTrx", true) {
		flag = "Y"
	}
	values := store.Row{
		"Name": t.Label, "WindowType": kind, "IsSOTrx": flag, "EntityType": row.String("EntityType"), "IsDefault": "N",
		"IsBetaFunctionality": "N", "AD_Client_ID": int64(0), "AD_Org_ID": int64(0),
	}
	if text := row.String("Description"); text != "" {
		values["Description"] = text
	}
	r, err := s.InsertRow(ctx, tx, "AD_Window", values)
	if err != nil {
		return nil, err
	}
	return r.Row, nil
}

func newTab(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run, t *store.Table, window store.Row, isNew bool) (store.Row, error) {
	values := store.Row{
		"AD_Window_ID": window.Int("AD_Window_ID"), "AD_Table_ID": t.ID, "Name": t.Label, "SeqNo": int64(10), "TabLevel": int64(0),
		"IsSingleRow": "Y", "EntityType": t.EntityType, "IsReadOnly": "N", "HasTree": "N", "IsTranslationTab": "N", "IsSortTab": "N",
		"IsInfoTab": "N", "IsAdvancedTab": "N", "IsInsertRecord": "Y", "AD_Client_ID": int64(0), "AD_Org_ID": int64(0),
	}
	if !isNew {
		tabs, err := engine.RowsWhere(ctx, tx, "AD_Tab", "SeqNo", "AD_Window_ID=?", window.Int("AD_Window_ID"))
		if err != nil {
			return nil, err
		}
		level, deepest, last := run.id("TabLevel"), int64(-1), int64(0)
		for _, tab := range tabs {
			deepest, last = max(deepest, tab.Int("TabLevel")), max(last, tab.Int("SeqNo"))
		}
		switch {
		case level > 0 && run.id("AD_Column_ID") == 0:
			return nil, engine.PublicError("No column is defined as Parent Link, therefore, the table cannot be a detail tab.")
		case level == 0 && deepest == 0, level > deepest+1:
			return nil, engine.PublicError(fmt.Sprintf("The maximum tab level for this window can be %d.", deepest+1))
		}
		values["SeqNo"], values["TabLevel"] = last+10, level
		if level > 0 {
			values["AD_Column_ID"] = run.id("AD_Column_ID")
		}
	}
	for _, order := range []struct{ column, suffix string }{{"Value", ""}, {"Name", ""}, {"Created", " DESC"}} {
		if col, ok := t.Column(order.column); ok && !col.IsVirtual() {
			values["OrderByClause"] = t.Name + "." + order.column + order.suffix
			break
		}
	}
	if strings.HasSuffix(strings.ToUpper(t.Name), "_TRL") {
		values["IsTranslationTab"], values["IsInsertRecord"], values["OrderByClause"] = "Y", "N", t.Name+".AD_Language"
	}
	r, err := s.InsertRow(ctx, tx, "AD_Tab", values)
	if err != nil {
		return nil, err
	}
	return r.Row, nil
}

// createFields makes fields for the columns of a tab's table that have none.
func createFields(ctx context.Context, s *engine.Session, tx *store.Tx, run *Run) (Result, error) {
	if err := mustWriteDictionary(ctx, s, tx, "AD_Field"); err != nil {
		return Result{}, err
	}
	tab, err := engine.OneRow(ctx, tx, "AD_Tab", run.RecordID)
	if err != nil {
		return Result{}, err
	}
	if tab == nil || run.RecordID == 0 {
		return Failed("No tab: give its AD_Tab_ID as record-id"), nil
	}
	t, err := tx.TableByID(ctx, tab.Int("AD_Table_ID"))
	if err != nil {
		return Result{}, err
	}
	names, err := fieldsFor(ctx, s, tx, tab, t, run.Text("EntityType"), run.Text("CreatedSince"))
	result := Result{Summary: fmt.Sprintf("Created #%d", len(names))}
	for _, name := range names {
		result.log(name)
	}
	return result, err
}

// fieldRank orders the columns of a tab: who and where first, the search key
// and names next, the active flag last.
func fieldRank(col *store.Column) int {
	if rank := fieldRanks[col.Name]; rank > 0 {
		return rank
	}
	if col.Parent {
		return 3
	}
	return 8
}

var fieldRanks = map[string]int{"AD_Client_ID": 1, "AD_Org_ID": 2, "Value": 4, "Name": 5, "Description": 6, "Help": 7, "IsActive": 9}

// fieldsFor makes fields for the columns of a tab's table that have none, and
// returns the columns' names.
func fieldsFor(ctx context.Context, s *engine.Session, tx *store.Tx, tab store.Row, t *store.Table, entityType, since string) ([]string, error) {
	existing, err := engine.RowsWhere(ctx, tx, "AD_Field", "", "AD_Tab_ID=?", tab.Int("AD_Tab_ID"))
	if err != nil {
		return nil, err
	}
	has := map[int64]bool{}
	var seq, seqGrid int64
	for _, f := range existing {
		has[f.Int("AD_Column_ID")] = true
		seq, seqGrid = max(seq, f.Int("SeqNo")), max(seqGrid, f.Int("SeqNoGrid"))
	}
	columns := slices.Clone(t.Columns)
	slices.SortStableFunc(columns, func(a, b *store.Column) int {
		return cmp.Or(cmp.Compare(fieldRank(a), fieldRank(b)), cmp.Compare(a.ID, b.ID))
	})
	var made []string
	for _, col := range columns {
		row, err := engine.OneRow(ctx, tx, "AD_Column", col.ID)
		if err != nil {
			return made, err
		}
		switch {
		case has[col.ID], strings.HasPrefix(row.String("Name"), "Created"), strings.HasPrefix(row.String("Name"), "Updated"),
			entityType != "" && row.String("EntityType") != entityType, since != "" && row.String("Created") < since:
			continue
		}
		values := fieldValues(tab, t, col, row)
		if values["IsDisplayed"] == "Y" {
			seq += 10
			values["SeqNo"] = seq
		}
		if values["IsDisplayedGrid"] == "Y" {
			seqGrid += 10
			values["SeqNoGrid"] = seqGrid
		}
		if _, err := s.InsertRow(ctx, tx, "AD_Field", values); err != nil {
			return made, err
		}
		made = append(made, row.String("Name"))
	}
	return made, nil
}

// dimensionLogic are the columns shown only where the accounting of the tenant has
// their dimension.
var dimensionLogic = map[string]string{
	"AD_ORGTRX_ID": "OT", "C_CAMPAIGN_ID": "MC", "C_ACTIVITY_ID": "AY", "C_PROJECT_ID": "PJ",
	"USER1_ID": "U1", "USER2_ID": "U2", "C_COSTCENTER_ID": "CC", "C_DEPARTMENT_ID": "DP",
}

func fieldValues(tab store.Row, t *store.Table, col *store.Column, row store.Row) store.Row {
	entityType := row.String("EntityType")
	if entityType == "D" {
		entityType = tab.String("EntityType")
	}
	values := store.Row{
		"AD_Tab_ID": tab.Int("AD_Tab_ID"), "AD_Column_ID": col.ID, "Name": row.String("Name"), "EntityType": entityType,
		"IsCentrallyMaintained": "Y", "IsDisplayed": "Y", "IsDisplayedGrid": "Y", "SeqNo": nil, "SeqNoGrid": nil,
		"DisplayLength": int64(col.Length), "IsReadOnly": "N", "IsSameLine": "N", "IsHeading": "N", "IsFieldOnly": "N",
		"IsEncrypted": "N", "XPosition": int64(1), "ColumnSpan": int64(2), "NumLines": int64(1), "SortNo": "0",
		"AD_Client_ID": int64(0), "AD_Org_ID": int64(0),
	}
	if logic := dimensionLogic[strings.ToUpper(col.Name)]; logic != "" {
		values["DisplayLogic"] = "@$Element_" + logic + "@=Y"
	}
	uu := t.UUColumn()
	if col.Key || uu != nil && uu.Name == col.Name {
		values["IsDisplayed"], values["IsDisplayedGrid"] = "N", "N"
	}
	if col.Length >= 60 {
		values["ColumnSpan"] = int64(5)
	}
	switch col.Ref {
	case displaytype.Button, displaytype.YesNo:
		values["XPosition"] = int64(2)
	case displaytype.Text, displaytype.TextLong, displaytype.JSON, displaytype.Memo:
		values["NumLines"] = map[int]int64{displaytype.Text: 3, displaytype.TextLong: 5, displaytype.JSON: 5, displaytype.Memo: 8}[col.Ref]
	}
	switch col.Name {
	case "AD_Org_ID":
		values["XPosition"] = int64(4)
		if strings.Contains("246", t.AccessLevel) {
			values["IsDisplayedGrid"] = "N"
		}
	case "AD_Client_ID":
		if t.AccessLevel != "6" && t.AccessLevel != "7" {
			values["IsDisplayedGrid"] = "N"
		}
	case "IsApproved", "DocStatus", "Processed", "ProcessedOn", "Processing":
		values["IsReadOnly"] = "Y"
	}
	return values
}
