package dict

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// mainMenuTree is the AD_Tree_ID of the main menu.
const mainMenuTree = 10

// window adds the window of a table: the window, one tab, one field per column,
// the menu entry, access for roles, and the table's own pointer to the window.
func (b *builder) window(t *built) {
	w := t.Window
	name := w.Name
	if name == "" {
		name = t.label()
	}
	entity := Text(t.entityType())
	window := Key("AD_Window." + name)
	var v fields
	v.set("Name", Text(name))
	v.text("Description", cmp.Or(w.Description, t.Description))
	v.set("WindowType", Text(t.windowType()))
	v.set("IsSOTrx", YesNo(!w.Purchase))
	v.set("IsDefault", YesNo(false))
	v.set("IsBetaFunctionality", YesNo(false))
	v.set("EntityType", entity)
	b.record(&RecordStep{Key: window, Action: Create, Table: "AD_Window", Name: name, Values: v,
		Match: []Match{{"Name", Text(name), false}}}, name)

	tab := Key("AD_Tab." + name + "." + t.Name)
	v = nil
	v.set("AD_Window_ID", Ref(window))
	v.set("AD_Table_ID", Ref(t.Name))
	v.set("Name", Text(t.label()))
	v.text("Description", t.Description)
	v.set("SeqNo", Int(10))
	v.set("TabLevel", Int(0))
	v.set("IsSingleRow", YesNo(true))
	v.set("HasTree", YesNo(false))
	v.set("IsReadOnly", YesNo(t.View))
	v.set("IsInsertRecord", YesNo(!t.View))
	v.set("IsSortTab", YesNo(false))
	v.set("IsTranslationTab", YesNo(false))
	v.set("IsInfoTab", YesNo(false))
	v.set("IsAdvancedTab", YesNo(false))
	v.set("TreeDisplayedOn", Text("B"))
	v.set("OrderByClause", Text(t.tabOrder()))
	v.set("EntityType", entity)
	b.record(&RecordStep{Key: tab, Action: Create, Table: "AD_Tab", Name: name + "." + t.label(), Values: v,
		Match: []Match{{"AD_Window_ID", Ref(window), false}, {"AD_Table_ID", Ref(t.Name), false}},
	}, name, strings.ToLower(t.Name))
	b.tabFields(t, name, tab)
	if !w.NoMenu {
		b.menu(t, name, window)
	}
	for _, role := range w.Roles {
		id := Existing{Table: "AD_Role", ID: role, Match: []Match{{"AD_Role_ID", Int(role), false}}}
		v = nil
		v.set("AD_Window_ID", Ref(window))
		v.set("AD_Role_ID", id)
		v.set("IsReadWrite", YesNo(true))
		b.record(&RecordStep{Key: Key("AD_Window_Access." + name + "." + strconv.Itoa(role)), Action: Ensure, Table: "AD_Window_Access",
			Name: name + " for role " + strconv.Itoa(role), Values: v,
			Match: []Match{{"AD_Window_ID", Ref(window), false}, {"AD_Role_ID", id, false}}}, name, strconv.Itoa(role))
	}
	b.record(&RecordStep{Key: Key("window." + t.Name), Action: Update, Table: "AD_Table", Name: t.Name, Of: Key(t.Name),
		Values: []ColumnValue{{"AD_Window_ID", Ref(window)}}})
}

// tabOrder is the order of the tab's records: by search key, else name, else
// newest first.
func (t *built) tabOrder() string {
	for _, name := range []string{"Value", "Name"} {
		for _, c := range t.columns {
			if c.Name == name && c.SQL == "" {
				return t.Name + "." + name
			}
		}
	}
	return t.Name + ".Created DESC"
}

func (b *builder) menu(t *built, name string, window Key) {
	menu := Key("AD_Menu." + name)
	var v fields
	v.set("Name", Text(name))
	v.text("Description", cmp.Or(t.Window.Description, t.Description))
	v.set("Action", Text("W"))
	v.set("AD_Window_ID", Ref(window))
	v.set("IsSummary", YesNo(false))
	v.set("IsReadOnly", YesNo(false))
	v.set("IsSOTrx", YesNo(!t.Window.Purchase))
	v.set("IsCentrallyMaintained", YesNo(true))
	v.set("EntityType", Text(t.entityType()))
	b.record(&RecordStep{Key: menu, Action: Create, Table: "AD_Menu", Name: name, Values: v,
		Match: []Match{{"Name", Text(name), false}, {"AD_Window_ID", Ref(window), false}}}, name)
	if t.Window.MenuParent == "" {
		return
	}
	folder := Existing{Table: "AD_Menu", Match: []Match{{"Name", Text(t.Window.MenuParent), false}, {"IsSummary", YesNo(true), false}}}
	b.record(&RecordStep{Key: Key("AD_TreeNodeMM." + name), Action: Update, Table: "AD_TreeNodeMM", Name: name,
		Match:  []Match{{"AD_Tree_ID", Int(mainMenuTree), false}, {"Node_ID", Ref(menu), false}},
		Values: []ColumnValue{{"Parent_ID", folder}}})
}

// tabFields adds one field per column, in the order and with the layout that
// the ERP's own field wizard makes. That leaves out when and by whom a record was
// written; these have fields, too, which are not displayed.
func (b *builder) tabFields(t *built, window string, tab Key) {
	columns := make([]Column, 0, len(t.columns))
	for _, c := range t.columns {
		columns = append(columns, c.Column)
	}
	slices.SortStableFunc(columns, func(a, b Column) int { return cmp.Compare(fieldRank(a), fieldRank(b)) })
	for i, c := range columns {
		seq := Int((i + 1) * 10)
		column := columnKey(t.Name, c.Name)
		var v fields
		v.set("AD_Tab_ID", Ref(tab))
		v.set("AD_Column_ID", Ref(column))
		v.set("Name", Text(c.Label))
		v.text("Description", c.Description)
		v.text("Help", c.Help)
		v.set("IsCentrallyMaintained", YesNo(true))
		hidden := c.Key || c.Type == TypeUUID || isStamp(c)
		v.set("IsDisplayed", YesNo(!hidden))
		v.set("IsDisplayedGrid", YesNo(!hidden && !t.hiddenInGrid(c)))
		v.set("SeqNo", seq)
		v.set("SeqNoGrid", seq)
		v.set("DisplayLength", Int(c.Length))
		v.set("XPosition", Int(fieldPosition(c)))
		v.set("ColumnSpan", Int(fieldSpan(c)))
		v.set("NumLines", Int(fieldLines(c)))
		v.set("IsSameLine", YesNo(c.Name == "AD_Org_ID"))
		v.set("IsReadOnly", YesNo(fieldReadOnly(c)))
		for _, flag := range []string{"IsHeading", "IsFieldOnly", "IsEncrypted", "IsQuickEntry", "IsQuickForm", "IsDefaultFocus", "IsAdvancedField"} {
			v.set(flag, YesNo(false))
		}
		if c.Name == "AD_Org_ID" {
			v.set("IsAllowCopy", Text("Y"))
		}
		v.set("EntityType", Text(c.EntityType))
		b.record(&RecordStep{Key: Key("AD_Field." + window + "." + t.Name + "." + c.Name), Action: Create, Table: "AD_Field",
			Name: window + "." + c.Name, Values: v,
			Match: []Match{{"AD_Tab_ID", Ref(tab), false}, {"AD_Column_ID", Ref(column), false}},
		}, window, strings.ToLower(t.Name), strings.ToLower(c.Name))
	}
}

// fieldRank orders fields: tenant, organization, parents, names, the rest as
// the columns come, the active flag, and last what is not for people.
func fieldRank(c Column) int {
	switch c.Name {
	case "AD_Client_ID":
		return 0
	case "AD_Org_ID":
		return 1
	case "IsActive":
		return 8
	}
	if isStamp(c) {
		return 9
	}
	if c.Parent {
		return 2
	}
	switch c.Name {
	case "Value":
		return 3
	case "Name":
		return 4
	case "Description":
		return 5
	case "Help":
		return 6
	}
	return 7
}

// isStamp reports whether a column says when or by whom a record was written.
func isStamp(c Column) bool {
	switch c.Name {
	case "Created", "CreatedBy", "Updated", "UpdatedBy":
		return true
	}
	return false
}

func (t *built) hiddenInGrid(c Column) bool {
	level := t.accessLevel()
	switch c.Name {
	case "AD_Org_ID":
		return level == AccessClient || level == AccessSystem || level == AccessSystemClient
	case "AD_Client_ID":
		return level != AccessAll && level != AccessSystemClient
	}
	return false
}

func fieldPosition(c Column) int {
	switch {
	case c.Name == "AD_Org_ID":
		return 4
	case c.Type == TypeYesNo, c.Type == TypeButton:
		return 2
	}
	return 1
}

func fieldSpan(c Column) int {
	if c.Length >= 60 || c.Type == TypeText && c.Length == 0 || c.Type == TypeTextLong || c.Type == TypeJSON {
		return 5
	}
	return 2
}

func fieldLines(c Column) int {
	switch c.Type {
	case TypeText:
		return 3
	case TypeTextLong, TypeJSON:
		return 5
	case TypeMemo:
		return 8
	}
	return 1
}

func fieldReadOnly(c Column) bool {
	switch c.Name {
	case "Created", "CreatedBy", "Updated", "UpdatedBy", "IsApproved", "DocStatus", "Processed", "ProcessedOn", "Processing":
		return true
	}
	return false
}
