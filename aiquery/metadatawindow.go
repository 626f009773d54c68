package aiquery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/internal/run"
	"github.com/erphub/erphub/dict/registry"
)

// WindowMetadata describes a window that a role may open, with the tabs and
// fields it may see there. Other windows are not found. The error is an
// [*api.Error].
func (e *Engine) WindowMetadata(ctx context.Context, who Caller, roleID, windowID int) (*api.WindowMetadata, error) {
	p, err := e.policies.get(ctx, who.UserID, roleID)
	if err != nil {
		return nil, e.refused(err, who.RequestID)
	}
	name := strconv.Itoa(windowID)
	w, err := e.reg.Window(ctx, name)
	if err != nil {
		return nil, e.dictionaryError(err, who, "window", name)
	}
	grant := e.windowGrant(p, &w)
	if !w.Active || !grant.read {
		return nil, e.dictionaryError(&registry.NotFoundError{Kind: "window", Name: name}, who, "window", name)
	}
	m := &api.WindowMetadata{
		ID: w.ID, Name: w.Name, Description: w.Description, Help: w.Help, Type: string(w.Type), Sales: w.Sales, ReadOnly: !grant.write, Tabs: []api.TabMetadata{},
	}
	for i := range w.Tabs {
		tab, ok, err := e.tabMetadata(ctx, p, &w.Tabs[i])
		if err != nil {
			return nil, e.dictionaryError(err, who, "window", name)
		}
		if ok {
			m.Tabs = append(m.Tabs, tab)
		}
	}
	return m, nil
}

// levels are the access levels that objects of a user level have.
var levels = map[string]string{"S": "467", "C": "2367", "CO": "12367", "O": "137", "SC": "23467", "SCO": "123467", "SO": "13467"}

// windowGrant is what a role may do with a window. Roles that are not kept by
// hand have a row for every window that fits their level; for one that has no
// row at all, because the ERP makes none, the level counts.
func (e *Engine) windowGrant(p *Policy, w *registry.Window) windowGrant {
	if grant, ok := p.permissions.windows[int64(w.ID)]; ok {
		return grant
	}
	if p.permissions.manual || len(p.permissions.windows) > 0 || len(w.Tabs) == 0 {
		return windowGrant{}
	}
	t := p.dict.tables[strings.ToLower(w.Tabs[0].Table)]
	if t == nil || !strings.Contains(levels[p.permissions.level], string(t.info.AccessLevel)) {
		return windowGrant{}
	}
	return windowGrant{read: true, write: true}
}

func (e *Engine) tabMetadata(ctx context.Context, p *Policy, tab *registry.Tab) (api.TabMetadata, bool, error) {
	t, ok := p.known(tab.Table)
	if !ok || !tab.Active {
		return api.TabMetadata{}, false, nil
	}
	m := api.TabMetadata{
		ID: tab.ID, Name: tab.Name, Description: tab.Description, Help: tab.Help, Table: tab.Table, Queryable: p.Guard.Tables[t.physical()] != nil,
		SeqNo: tab.SeqNo, Level: tab.Level, LinkColumn: tab.LinkColumn, Where: tab.Where, OrderBy: tab.OrderBy, DisplayLogic: tab.DisplayLogic,
		ReadOnlyLogic: tab.ReadOnlyLogic, ReadOnly: tab.ReadOnly, Insert: tab.Insert, SingleRow: tab.SingleRow, Fields: []api.FieldMetadata{},
	}
	info, err := e.reg.Table(ctx, t.info.Name)
	if err != nil {
		return m, false, err
	}
	for _, f := range tab.Fields {
		c, ok := info.Column(f.Column)
		if !ok || !f.Active {
			continue
		}
		visible, redacted := p.visible(t, &c)
		if !visible {
			continue
		}
		field := api.FieldMetadata{
			Name: f.Name, Column: c.Name, Description: f.Description, Help: c.Help, Type: c.TypeName, Reference: c.Reference, SeqNo: f.SeqNo,
			Displayed: f.Displayed, ReadOnly: f.ReadOnly || tab.ReadOnly, Mandatory: override(f.Mandatory, c.Mandatory),
			Updateable: override(f.Updateable, c.Updateable), Redacted: redacted, Default: f.Default, DisplayLogic: f.DisplayLogic,
		}
		field.Description = cmp.Or(field.Description, c.Description)
		if field.Default == "" {
			field.Default = c.Default
		}
		if f.Type != 0 {
			field.Type = f.Type.String()
		}
		if _, ok := p.known(c.ForeignTable); ok {
			field.References = c.ForeignTable
		}
		m.Fields = append(m.Fields, field)
	}
	return m, true, nil
}

// override is the column's flag unless the field says otherwise.
func override(field string, column bool) bool {
	if field == "" {
		return column
	}
	return field == "Y"
}

// Roles lists the roles that a user may use, by name. The error is an [*api.Error].
func (e *Engine) Roles(ctx context.Context, who Caller) ([]api.RoleInfo, error) {
	roles := []api.RoleInfo{}
	d, err := e.policies.shared(ctx, e.opts.Clock())
	if err == nil {
		err = e.db.Snapshot(ctx, func(read run.Reader) error {
			l := &permissionsLoader{ctx: ctx, read: read, cat: d.catalog, schema: e.db.Schema(), userID: int64(who.UserID), now: e.opts.Clock(), into: &permissions{}}
			roles, err = l.held()
			return err
		})
	}
	if err != nil {
		return nil, e.refused(unreadable(err), who.RequestID)
	}
	return roles, nil
}

// held are the roles a user may use.
func (l *permissionsLoader) held() ([]api.RoleInfo, error) {
	roles := []api.RoleInfo{}
	held, err := l.rows("AD_User_Roles", "AD_Role_ID", fmt.Sprintf("ad_user_id = %d AND isactive = 'Y'", l.userID))
	if err != nil {
		return nil, err
	}
	for _, h := range held {
		id := h.int("ad_role_id")
		switch err := l.bind(id); {
		case errors.Is(err, errNotHeld):
			continue
		case err != nil:
			return nil, err
		}
		role, err := l.rows("AD_Role", "Name UserLevel AD_Client_ID", fmt.Sprintf("ad_role_id = %d", id))
		if err != nil {
			return nil, err
		}
		client, err := l.rows("AD_Client", "Name", fmt.Sprintf("ad_client_id = %d", role[0].int("ad_client_id")))
		if err != nil {
			return nil, err
		}
		info := api.RoleInfo{ID: int(id), Name: role[0]["name"], ClientID: int(role[0].int("ad_client_id")), UserLevel: strings.ReplaceAll(role[0]["userlevel"], " ", "")}
		if len(client) == 1 {
			info.ClientName = client[0]["name"]
		}
		roles = append(roles, info)
	}
	return sortRoles(roles), nil
}

func sortRoles(roles []api.RoleInfo) []api.RoleInfo {
	slices.SortFunc(roles, func(a, b api.RoleInfo) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	return roles
}
