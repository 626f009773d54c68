package aiquery

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/dict"
)

// TableMetadata describes a table of the dictionary as far as a role may know
// it. Tables that the role excludes are not found, in the same words as those
// that are not there; tables that only queries may not read, such as those of
// the System level, are described with the reason. The error is an [*Error].
func (e *Engine) TableMetadata(ctx context.Context, who Caller, roleID int, name string) (*TableMetadata, error) {
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

func (e *Engine) dictionaryError(err error, who Caller, kind, name string) *Error {
	if errors.Is(err, dict.ErrNotFound) {
		err = fail(CodeNotFound, nil, "there is no %s %s for this role", kind, strconv.Quote(shorten(name, 80)))
	}
	return e.refused(err, who.RequestID)
}

// known finds a table that the role may know of.
func (p *Policy) known(name string) (*dictTable, bool) {
	t := p.dict.tables[strings.ToLower(name)]
	if t == nil {
		return nil, false
	}
	b := policyBuilder{r: p.rights, d: p.dict, opts: &Options{}, tables: map[int64]tableRule{}, columns: map[int64][]columnRule{}, records: map[int64][]recordRule{}}
	b.sort()
	rule, ruled := b.tables[int64(t.info.ID)]
	if ruled && rule.exclude && !rule.readOnly || !ruled && b.included && !p.rights.readUnlisted || strings.EqualFold(name, AuditTableName) {
		return nil, false
	}
	return t, true
}

// visible tells whether a column may be known, and whether it is masked.
func (p *Policy) visible(table, column string) (ok, redacted bool) {
	name := strings.ToLower(column)
	if g := p.Guard.Tables[strings.ToLower(table)]; g != nil {
		for _, c := range g.Columns {
			if c.Name == name {
				return true, c.Redacted
			}
		}
		return false, false
	}
	t := p.dict.tables[strings.ToLower(table)]
	if t == nil {
		return false, false
	}
	for _, c := range t.columns {
		if c.Name == name {
			return true, c.Redacted
		}
	}
	return false, false
}

func (e *Engine) tableMetadata(ctx context.Context, p *Policy, name string) (*TableMetadata, error) {
	t, ok := p.known(name)
	if !ok {
		return nil, &dict.NotFoundError{Kind: "table", Name: name}
	}
	info, err := e.reg.Table(ctx, t.info.Name)
	if err != nil {
		return nil, err
	}
	physical := t.physical()
	m := &TableMetadata{
		Name: info.Name, Label: info.Label, Description: info.Description, Help: info.Help, AccessLevel: string(info.AccessLevel),
		AccessLevelName: info.AccessLevel.String(), View: info.View, WindowID: info.WindowID,
		Columns: []ColumnMetadata{}, ForeignKeys: []ForeignKey{}, ReferencedBy: []ForeignKey{},
	}
	if m.Queryable = p.Guard.Tables[physical] != nil; !m.Queryable {
		b := policyBuilder{r: p.rights, d: p.dict, opts: &e.opts, tables: map[int64]tableRule{}, columns: map[int64][]columnRule{}, records: map[int64][]recordRule{}}
		b.sort()
		_, m.WhyNot = b.table(t)
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

func (e *Engine) columnMetadata(ctx context.Context, p *Policy, t *dictTable, c *dict.ColumnInfo) (ColumnMetadata, bool, error) {
	visible, redacted := p.visible(t.physical(), c.Name)
	if !visible && !c.Virtual() {
		return ColumnMetadata{}, false, nil
	}
	m := ColumnMetadata{
		Name: c.Name, Label: c.Label, Description: c.Description, Help: c.Help, Type: c.TypeName, Length: c.Length, Key: c.Key, Parent: c.Parent,
		Identifier: c.Identifier, Mandatory: c.Mandatory, Updateable: c.Updateable, Translated: c.Translated, Virtual: c.Virtual(),
		Redacted: redacted, Default: c.Default, Min: c.Min, Max: c.Max, Reference: c.Reference, ValidationRule: c.ValRule, ValidationSQL: c.ValRuleCode,
		ReadOnlyLogic: c.ReadOnlyLogic, MandatoryLogic: c.MandatoryLogic, ProcessID: c.ProcessID, Callout: c.Callout, EntityType: c.EntityType,
		SelectionColumn: c.Selection, AlwaysUpdateable: c.AlwaysUpdateable,
	}
	if c.Identifier {
		m.IdentifierSeq = c.SeqNo
	}
	for _, physical := range t.rel.columns {
		if physical.name == strings.ToLower(c.Name) {
			m.SQLType = physical.kind
		}
	}
	if _, ok := p.known(c.ForeignTable); ok {
		m.References = c.ForeignTable
	}
	if c.Type.IsList() && c.ReferenceID != 0 {
		ref, err := e.reg.Reference(ctx, strconv.Itoa(c.ReferenceID))
		if err != nil && !errors.Is(err, dict.ErrNotFound) {
			return m, false, err
		}
		for _, v := range ref.Values {
			m.Values = append(m.Values, ListValue{Value: v.Value, Name: v.Name, Description: v.Description})
		}
	}
	return m, true, nil
}

// foreignKey says what the values of a column are keys of.
func (e *Engine) foreignKey(ctx context.Context, c *dict.ColumnInfo, target *dictTable) ForeignKey {
	fk := ForeignKey{Table: c.Table, Column: c.Name, References: target.info.Name, Key: target.info.Name + "_ID"}
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
func (e *Engine) referencedBy(ctx context.Context, p *Policy, m *TableMetadata) error {
	all, err := e.reg.Columns(ctx, "", dict.ListQuery{})
	if err != nil {
		return err
	}
	target := p.dict.tables[strings.ToLower(m.Name)]
	for i := range all.Items {
		c := &all.Items[i]
		if !c.Active || c.Virtual() || !strings.EqualFold(c.ForeignTable, m.Name) {
			continue
		}
		if g := p.Guard.Tables[strings.ToLower(c.Table)]; g == nil || strings.EqualFold(c.Table, m.Name) {
			continue
		}
		if ok, _ := p.visible(c.Table, c.Name); ok {
			m.ReferencedBy = append(m.ReferencedBy, e.foreignKey(ctx, c, target))
		}
	}
	slices.SortFunc(m.ReferencedBy, func(a, b ForeignKey) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Column, b.Column))
	})
	return nil
}

// displayLogic is that of the fields in the table's own windows, by column.
func (e *Engine) displayLogic(ctx context.Context, p *Policy, info *dict.TableInfo) map[string][]string {
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
