package aiquery

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/guard"
	"github.com/erphub/erphub/aiquery/internal/run"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/text"
)

// TableMetadata describes a table of the dictionary as far as a role may know
// it. Tables that the role excludes are not found, in the same words as those
// that are not there; tables that only queries may not read, such as those of
// the System level, are described with the reason. The error is an [*api.Error].
func (e *Engine) TableMetadata(ctx context.Context, who Caller, roleID int, name string) (*api.TableMetadata, error) {
	p, err := e.policies.get(ctx, who.UserID, roleID)
	if err != nil {
		return nil, e.refused(err, who.RequestID)
	}
	m, err := e.tableMetadata(ctx, p, name)
	if err != nil {
		return nil, e.dictionaryError(err, who, "table", name)
	}
	return m, nil
}

func (e *Engine) dictionaryError(err error, who Caller, kind, name string) *api.Error {
	if errors.Is(err, registry.ErrNotFound) {
		err = run.Fail(api.CodeNotFound, nil, "there is no %s %s for this role", kind, text.Quote(name))
	}
	return e.refused(err, who.RequestID)
}

// known finds a table that the role may know of.
func (p *Policy) known(name string) (*dictTable, bool) {
	t := p.dict.tables[strings.ToLower(name)]
	if t == nil || strings.EqualFold(name, AuditTableName) || p.made.excluded(t) != "" {
		return nil, false
	}
	if base := p.dict.tables[t.base]; base != nil && p.made.excluded(base) != "" {
		return nil, false
	}
	return t, true
}

// runs reports whether the role may run a process. As with windows, the rows
// decide; for a role that has none, because the ERP makes none, everything
// goes unless it is kept by hand.
func (p *Policy) runs(process int) bool {
	grant, ok := p.permissions.processes[int64(process)]
	return grant.read || !ok && !p.permissions.manual && len(p.permissions.processes) == 0
}

// visible reports whether a column of a table that is known may be known, too,
// and whether it is masked.
func (p *Policy) visible(t *dictTable, c *registry.Column) (ok, redacted bool) {
	if p.made.columnRules(t)(int64(c.ID)) {
		return false, false
	}
	if c.Virtual() {
		return true, c.Secure || c.Encrypted || p.permissions.secured.ids[int64(c.ID)]
	}
	name := strings.ToLower(c.Name)
	i := slices.IndexFunc(t.columns, func(have guard.Column) bool { return have.Name == name })
	if i < 0 || p.made.deniedColumns(t)[name] {
		return false, false
	}
	return true, p.made.masked(t)[i].Redacted
}

func (e *Engine) tableMetadata(ctx context.Context, p *Policy, name string) (*api.TableMetadata, error) {
	t, ok := p.known(name)
	if !ok {
		return nil, &registry.NotFoundError{Kind: "table", Name: name}
	}
	info, err := e.reg.Table(ctx, t.info.Name)
	if err != nil {
		return nil, err
	}
	physical := t.physical()
	m := &api.TableMetadata{
		Name: info.Name, Label: info.Label, Description: info.Description, Help: info.Help, AccessLevel: string(info.AccessLevel),
		AccessLevelName: info.AccessLevel.String(), View: info.View, WindowID: info.WindowID,
		Columns: []api.ColumnMetadata{}, ForeignKeys: []api.ForeignKey{}, ReferencedBy: []api.ForeignKey{},
	}
	if m.Queryable = p.Guard.Tables[physical] != nil; !m.Queryable {
		_, m.WhyNot = p.made.table(t)
	}
	logic := e.displayLogic(ctx, p, &info)
	for _, c := range info.Columns {
		if !c.Active {
			continue
		}
		column, ok, err := e.columnMetadata(ctx, p, t, &c)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		column.DisplayLogic = logic[strings.ToLower(c.Name)]
		m.Columns = append(m.Columns, column)
		if c.ForeignTable != "" {
			if target, ok := p.known(c.ForeignTable); ok {
				m.ForeignKeys = append(m.ForeignKeys, e.foreignKey(ctx, &c, target))
			}
		}
	}
	return m, e.referencedBy(ctx, p, m)
}

func (e *Engine) columnMetadata(ctx context.Context, p *Policy, t *dictTable, c *registry.Column) (api.ColumnMetadata, bool, error) {
	visible, redacted := p.visible(t, c)
	if !visible {
		return api.ColumnMetadata{}, false, nil
	}
	m := api.ColumnMetadata{
		Name: c.Name, Label: c.Label, Description: c.Description, Help: c.Help, Type: c.TypeName, Length: c.Length, Key: c.Key, Parent: c.Parent,
		Identifier: c.Identifier, Mandatory: c.Mandatory, Updateable: c.Updateable, Translated: c.Translated, Virtual: c.Virtual(),
		Redacted: redacted, Default: c.Default, Min: c.Min, Max: c.Max, Reference: c.Reference, ValidationRule: c.ValRule, ValidationSQL: c.ValRuleCode,
		ReadOnlyLogic: c.ReadOnlyLogic, MandatoryLogic: c.MandatoryLogic, ProcessID: c.ProcessID, Callout: c.Callout, EntityType: c.EntityType,
		SelectionColumn: c.Selection, AlwaysUpdateable: c.AlwaysUpdateable,
	}
	if !p.runs(c.ProcessID) {
		m.ProcessID = 0
	}
	if c.Identifier {
		m.IdentifierSeq = c.SeqNo
	}
	for _, physical := range t.rel.Columns {
		if physical.Name == strings.ToLower(c.Name) {
			m.SQLType = physical.Type
		}
	}
	if _, ok := p.known(c.ForeignTable); ok {
		m.References = c.ForeignTable
	}
	if c.Type.IsList() && c.ReferenceID != 0 {
		ref, err := e.reg.Reference(ctx, strconv.Itoa(c.ReferenceID))
		if err != nil && !errors.Is(err, registry.ErrNotFound) {
			return m, false, err
		}
		for _, v := range ref.Values {
			m.Values = append(m.Values, api.ListValue{Value: v.Value, Name: v.Name, Description: v.Description})
		}
	}
	return m, true, nil
}

// foreignKey says what the values of a column are keys of.
func (e *Engine) foreignKey(ctx context.Context, c *registry.Column, target *dictTable) api.ForeignKey {
	fk := api.ForeignKey{Table: c.Table, Column: c.Name, References: target.info.Name, Key: target.info.Name + "_ID"}
	if c.Type.IsUUID() {
		fk.Key = target.info.Name + "_UU"
	}
	if c.ReferenceID != 0 {
		if ref, err := e.reg.Reference(ctx, strconv.Itoa(c.ReferenceID)); err == nil && ref.Lookup != nil && ref.Lookup.Key != "" {
			fk.Key = ref.Lookup.Key
		}
	}
	return fk
}

// referencedBy lists the columns of readable tables that point at the table.
func (e *Engine) referencedBy(ctx context.Context, p *Policy, m *api.TableMetadata) error {
	all, err := e.reg.Columns(ctx, "", registry.ListQuery{})
	if err != nil {
		return err
	}
	target := p.dict.tables[strings.ToLower(m.Name)]
	for i := range all.Items {
		c := &all.Items[i]
		if !c.Active || c.Virtual() || !strings.EqualFold(c.ForeignTable, m.Name) {
			continue
		}
		if strings.EqualFold(c.Table, m.Name) || p.Guard.Tables[strings.ToLower(c.Table)] == nil {
			continue
		}
		if ok, _ := p.visible(p.dict.tables[strings.ToLower(c.Table)], c); ok {
			m.ReferencedBy = append(m.ReferencedBy, e.foreignKey(ctx, c, target))
		}
	}
	slices.SortFunc(m.ReferencedBy, func(a, b api.ForeignKey) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Column, b.Column))
	})
	return nil
}

// displayLogic is that of the fields in the table's own windows, by column.
func (e *Engine) displayLogic(ctx context.Context, p *Policy, info *registry.Table) map[string][]string {
	out := map[string][]string{}
	for _, id := range []int{info.WindowID, info.POWindowID} {
		if id == 0 {
			continue
		}
		w, err := e.reg.Window(ctx, strconv.Itoa(id))
		if err != nil || !e.windowGrant(p, &w).read {
			continue
		}
		for _, tab := range w.Tabs {
			if !strings.EqualFold(tab.Table, info.Name) {
				continue
			}
			for _, f := range tab.Fields {
				key := strings.ToLower(f.Column)
				if f.Active && f.DisplayLogic != "" && !slices.Contains(out[key], f.DisplayLogic) {
					out[key] = append(out[key], f.DisplayLogic)
				}
			}
		}
	}
	return out
}
