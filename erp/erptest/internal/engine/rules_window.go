package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/internal/sqlquote"
)

// beforeField takes the terms of a centrally maintained field from the
// element of its column.
func beforeField(ctx context.Context, _ *Session, tx *store.Tx, r *Record) error {
	column, err := OneRow(ctx, tx, "AD_Column", r.Row.Int("AD_Column_ID"))
	if err != nil {
		return err
	}
	if r.Row.Bool("IsCentrallyMaintained") && (r.IsNew() || r.changed("AD_Column_ID")) {
		element, err := OneRow(ctx, tx, "AD_Element", column.Int("AD_Element_ID"))
		if err != nil {
			return err
		}
		if element == nil {
			return saveError("the column of a centrally maintained field must have an element; give AD_Column_ID")
		}
		r.take(element, "Name", "Description", "Help")
	}
	if err := fieldCopying(ctx, tx, r, column); err != nil {
		return err
	}
	if strings.HasPrefix(column.String("ColumnSQL"), "@SQLFIND=") && r.Row.Bool("IsDisplayed") {
		r.Set("IsDisplayed", "N")
		r.Set("IsDisplayedGrid", "N")
	}
	if !r.Has("AD_Reference_ID") {
		r.Set("AD_Reference_Value_ID", nil)
		r.Set("AD_Val_Rule_ID", nil)
		r.Set("IsToolbarButton", nil)
	}
	return checkLogic(r, "DisplayLogic", "ReadOnlyLogic", "MandatoryLogic")
}

// fieldCopying settles whether copying a record copies the field: never keys and
// stamps, always the organization.
func fieldCopying(ctx context.Context, tx *store.Tx, r *Record, column store.Row) error {
	name := column.String("ColumnName")
	if r.Has("IsAllowCopy") {
		table, err := OneRow(ctx, tx, "AD_Table", column.Int("AD_Table_ID"))
		if err != nil {
			return err
		}
		if column.Bool("IsKey") || column.String("ColumnSQL") != "" || isOwnUUID(column, table) ||
			StandardColumns[strings.ToUpper(name)] && name != "AD_Org_ID" {
			r.Set("IsAllowCopy", nil)
		}
	}
	if !r.Has("IsAllowCopy") && name == "AD_Org_ID" {
		r.Set("IsAllowCopy", "Y")
	}
	return nil
}

func beforeTab(ctx context.Context, _ *Session, tx *store.Tx, r *Record) error {
	if !r.IsNew() && r.changed("AD_Table_ID") {
		fields, err := RowsWhere(ctx, tx, "AD_Field", "", "AD_Tab_ID=?", r.ID())
		if err != nil {
			return err
		}
		if len(fields) > 0 {
			return saveError("Cannot change table if there are related fields")
		}
	}
	if r.Row.Bool("IsReadOnly") {
		r.Set("IsInsertRecord", "N")
	}
	if _, ok := r.Table.Column("AD_TabType"); ok && (r.IsNew() || r.changed("AD_TabType")) {
		r.Set("IsSortTab", YesNo(r.Row.String("AD_TabType") == "SORT"))
	}
	if r.Row.Bool("IsSortTab") && !r.Has("AD_ColumnSortOrder_ID") {
		return saveError(MsgFillMandatory + " Order Column")
	}
	return checkLogic(r, "DisplayLogic", "ReadOnlyLogic")
}

// afterWindow grants a new window to the roles that get access by themselves,
// and carries a new name or state over to the menu.
func afterWindow(ctx context.Context, s *Session, tx *store.Tx, r *Record) error {
	if r.IsNew() {
		return s.GrantAll(ctx, tx, "AD_Window_Access", "AD_Window_ID", r.ID())
	}
	return s.renameMenus(ctx, tx, r)
}

// renameMenus passes a changed name, description or state of a window or process
// on to its menu entries and workflow nodes.
func (s *Session) renameMenus(ctx context.Context, tx *store.Tx, r *Record) error {
	if !slices.ContainsFunc([]string{"IsActive", "Name", "Description", "Help"}, r.changed) {
		return nil
	}
	key := r.Table.Name + "_ID"
	rows, err := RowsWhere(ctx, tx, "AD_Menu", "AD_Menu_ID", sqlquote.Name(key)+"=?", r.ID())
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := s.ChangeRow(ctx, tx, "AD_Menu", row, store.Row{
			"Name": r.Row["Name"], "Description": r.Row["Description"], "IsActive": r.Row["IsActive"],
		}); err != nil {
			return err
		}
	}
	nodes, err := tx.Table(ctx, "AD_WF_Node")
	if err != nil {
		return nil //nolint:nilerr // an ERP without workflows
	}
	if rows, err = RowsWhere(ctx, tx, nodes.Name, "AD_WF_Node_ID", sqlquote.Name(key)+"=?", r.ID()); err != nil {
		return err
	}
	for _, row := range rows {
		change := store.Row{"IsActive": r.Row["IsActive"]}
		if row.Bool("IsCentrallyMaintained") {
			copyColumns(change, r.Row, "Name", "Description", "Help")
		}
		if err := s.ChangeRow(ctx, tx, nodes.Name, row, change); err != nil {
			return err
		}
	}
	return nil
}

// GrantAll gives every role that is not maintained by hand access to an
// object.
func (s *Session) GrantAll(ctx context.Context, tx *store.Tx, table, column string, id int64) error {
	roles, err := RowsWhere(ctx, tx, "AD_Role", "AD_Role_ID", "IsManual='N'")
	if err != nil {
		return err
	}
	for _, role := range roles {
		if err := s.grant(ctx, tx, table, column, role, id); err != nil {
			return err
		}
	}
	return nil
}

// grant writes one access row unless the role has one for the object.
func (s *Session) grant(ctx context.Context, tx *store.Tx, table, column string, role store.Row, id int64) error {
	t, err := tx.Table(ctx, table)
	if err != nil {
		return err
	}
	n, err := tx.Count(ctx, t, "AD_Role_ID=? AND "+sqlquote.Name(column)+"=?", role.Int("AD_Role_ID"), id)
	if err != nil || n > 0 {
		return err
	}
	row := store.Row{
		"AD_Role_ID": role.Int("AD_Role_ID"), column: id,
		"AD_Client_ID": role.Int("AD_Client_ID"), "AD_Org_ID": role.Int("AD_Org_ID"), "IsActive": "Y",
		"Created": s.StoredNow(), "CreatedBy": s.UserID, "Updated": s.StoredNow(), "UpdatedBy": s.UserID,
	}
	if _, ok := t.Column("IsReadWrite"); ok {
		row["IsReadWrite"] = "Y"
	}
	if uu := t.UUColumn(); uu != nil {
		row[uu.Name] = store.NewUUID()
	}
	if key := t.KeyColumn(); key != nil {
		if row[key.Name], err = tx.NextID(ctx, t.Name); err != nil {
			return err
		}
	}
	return tx.Insert(ctx, t, row)
}

// menuTargets are the references of a menu entry and the action that uses
// each.
var menuTargets = map[string]string{
	"AD_Window_ID": "W", "AD_Form_ID": "X", "AD_Workflow_ID": "F", "AD_Task_ID": "T", "AD_InfoWindow_ID": "I",
}

func beforeMenu(_ context.Context, _ *Session, _ *store.Tx, r *Record) error {
	if r.Row.Bool("IsSummary") {
		r.Set("Action", nil)
		r.Set("IsCentrallyMaintained", "N")
	}
	action := r.Row.String("Action")
	for column, fits := range menuTargets {
		if action != fits {
			r.Set(column, nil)
		}
	}
	if action != "P" && action != "R" {
		r.Set("AD_Process_ID", nil)
	}
	return nil
}

// afterMenu puts a new entry at the end of the tenant's menu trees.
func afterMenu(ctx context.Context, s *Session, tx *store.Tx, r *Record) error {
	if !r.IsNew() {
		return nil
	}
	trees, err := RowsWhere(ctx, tx, "AD_Tree", "AD_Tree_ID", "AD_Client_ID=? AND TreeType='MM' AND IsAllNodes='Y' AND IsActive='Y'",
		r.Row.Int("AD_Client_ID"))
	if err != nil {
		return err
	}
	for _, tree := range trees {
		if _, err := s.InsertRow(ctx, tx, "AD_TreeNodeMM", store.Row{
			"AD_Tree_ID": tree.Int("AD_Tree_ID"), "Node_ID": r.ID(), "Parent_ID": int64(0), "SeqNo": int64(999),
			"AD_Client_ID": r.Row.Int("AD_Client_ID"),
		}); err != nil {
			return err
		}
	}
	return nil
}

func afterMenuDelete(ctx context.Context, _ *Session, tx *store.Tx, r *Record) error {
	nodes, err := tx.Table(ctx, "AD_TreeNodeMM")
	if err != nil {
		return err
	}
	_, err = tx.Delete(ctx, nodes, "Node_ID=?", r.ID())
	return err
}

// SystemMaintained reports whether an entity type belongs to the ERP itself.
func SystemMaintained(r *Record) bool { return r.ID() > 0 && r.ID() < store.FirstCustomID }

// The entity types of the ERP itself, which nobody may change.
const (
	entityTypeDictionary = 10
	entityTypeAdempiere  = 20
)

func beforeEntityType(_ context.Context, _ *Session, _ *store.Tx, r *Record) error {
	if r.IsNew() {
		return nil
	}
	switch id := r.ID(); {
	case id == entityTypeDictionary, id == entityTypeAdempiere:
		return saveError("You cannot modify a System maintained entity")
	case r.changed("EntityType"):
		return saveError("You cannot modify EntityType")
	case SystemMaintained(r):
		for _, name := range []string{"Name", "Description", "Help", "IsActive"} {
			if r.changed(name) {
				return saveError("You cannot modify Name,Description,Help")
			}
		}
	}
	return nil
}

func beforeEntityTypeDelete(_ context.Context, _ *Session, _ *store.Tx, r *Record) error {
	if SystemMaintained(r) {
		return PublicError("You cannot delete a System maintained entity")
	}
	return nil
}

// afterRole gives a new role, or one whose user level changed, the access that
// goes with its level, and a new one its creator.
func afterRole(ctx context.Context, s *Session, tx *store.Tx, r *Record) error {
	if r.IsNew() {
		if _, err := s.InsertRow(ctx, tx, "AD_User_Roles", store.Row{
			"AD_Client_ID": r.Row.Int("AD_Client_ID"), "AD_Role_ID": r.ID(), "AD_User_ID": s.UserID,
		}); err != nil {
			return err
		}
	}
	if r.Row.Bool("IsManual") || !r.IsNew() && !r.changed("UserLevel") {
		return nil
	}
	_, err := s.UpdateRoleAccess(ctx, tx, r.Row, false)
	return err
}

// levelFits reports whether an object of an access level is for roles of a user
// level.
func levelFits(userLevel, accessLevel string) bool {
	if len(accessLevel) != 1 {
		return false
	}
	switch strings.TrimSpace(userLevel) {
	case "S":
		return strings.Contains("467", accessLevel)
	case "C":
		return strings.Contains("2367", accessLevel)
	case "CO":
		return strings.Contains("12367", accessLevel)
	case "O":
		return strings.Contains("137", accessLevel)
	}
	return strings.Contains(userLevel, "S") && strings.Contains("1234567", accessLevel)
}

// UpdateRoleAccess grants a role the windows, processes, forms, workflows and
// info windows that fit its level, and counts them. With reset, what it had
// is taken away first.
func (s *Session) UpdateRoleAccess(ctx context.Context, tx *store.Tx, role store.Row, reset bool) (int, error) {
	type grantable struct{ access, key, query string }
	firstTab := `SELECT w.AD_Window_ID, t.AccessLevel, w.Name FROM AD_Window w
		JOIN AD_Tab b ON b.AD_Tab_ID=(SELECT AD_Tab_ID FROM AD_Tab x WHERE x.AD_Window_ID=w.AD_Window_ID AND x.IsActive='Y'
			ORDER BY x.SeqNo, x.AD_Tab_ID LIMIT 1)
		JOIN AD_Table t ON t.AD_Table_ID=b.AD_Table_ID WHERE w.IsActive='Y' ORDER BY 1`
	plain := func(table string) string {
		return `SELECT ` + table + `_ID, AccessLevel, Name FROM ` + table + ` WHERE IsActive='Y' ORDER BY 1`
	}
	granted := 0
	for _, g := range []grantable{
		{"AD_Window_Access", "AD_Window_ID", firstTab},
		{"AD_Process_Access", "AD_Process_ID", plain("AD_Process")},
		{"AD_Form_Access", "AD_Form_ID", plain("AD_Form")},
		{"AD_Workflow_Access", "AD_Workflow_ID", plain("AD_Workflow")},
		{"AD_InfoWindow_Access", "AD_InfoWindow_ID", `SELECT i.AD_InfoWindow_ID, t.AccessLevel, i.Name FROM AD_InfoWindow i
			JOIN AD_Table t ON t.AD_Table_ID=i.AD_Table_ID WHERE i.IsActive='Y' ORDER BY 1`},
	} {
		t, err := tx.Table(ctx, g.access)
		if err != nil {
			continue // an ERP without that part of the dictionary
		}
		if exists, err := tx.TableExists(ctx, strings.TrimSuffix(g.key, "_ID")); err != nil || !exists {
			if err != nil {
				return granted, err
			}
			continue
		}
		if reset {
			if _, err := tx.Delete(ctx, t, "AD_Role_ID=?", role.Int("AD_Role_ID")); err != nil {
				return granted, err
			}
		}
		ids, err := fittingObjects(ctx, tx, g.query, role.String("UserLevel"), g.access == "AD_Window_Access")
		if err != nil {
			return granted, err
		}
		for _, id := range ids {
			if err := s.grant(ctx, tx, g.access, g.key, role, id); err != nil {
				return granted, err
			}
		}
		granted += len(ids)
	}
	return granted, nil
}

func fittingObjects(ctx context.Context, tx *store.Tx, query, userLevel string, windows bool) ([]int64, error) {
	rows, err := tx.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		var id int64
		var level, name string
		if err := rows.Scan(&id, &level, &name); err != nil {
			return nil, err
		}
		organizationOnly := strings.TrimSpace(userLevel) == "O"
		if levelFits(userLevel, level) && !(windows && organizationOnly && strings.Contains(strings.ToLower(name), "(all)")) {
			ids = append(ids, id)
		}
	}
	return ids, rows.Err()
}
