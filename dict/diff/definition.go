package diff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/adid"
)

// Definition is the definition of a table that the ERP has, as short as it can
// be said: templates whose columns are as they make them stand for those
// columns, and what has its default is left out. Comparing it with the ERP it
// came from finds nothing. The notes tell people what a definition
// cannot have. The error matches [registry.ErrNotFound] when there is no such table.
func Definition(ctx context.Context, reg registry.Registry, name string) (t dict.Table, notes []string, err error) {
	info, err := reg.Table(ctx, name)
	if err != nil {
		return t, nil, err
	}
	t = dict.Table{
		Name: info.Name, Label: info.Label, Description: info.Description, Help: info.Help,
		EntityType: info.EntityType, ChangeLog: info.ChangeLog, HighVolume: info.HighVolume,
		NotDeleteable: !info.Deletable && !info.View, Security: info.Security, View: info.View, Partition: info.Partition, Drill: info.Drill,
	}
	if info.EntityType == dict.DefaultEntityType {
		t.EntityType = ""
	}
	if info.AccessLevel != dict.AccessClientOrg {
		t.AccessLevel = info.AccessLevel
	}
	if cmp.Or(info.Replication, dict.ReplicationLocal) != dict.ReplicationLocal {
		t.Replication = info.Replication
	}
	if info.Label == defaultLabel(info.Name) {
		t.Label = ""
	}
	d := &describer{reg: reg, info: info}
	for _, has := range info.Columns {
		c, err := d.column(ctx, t, has)
		if err != nil {
			return t, nil, fmt.Errorf("describing %s.%s: %w", info.Name, has.Name, err)
		}
		d.columns = append(d.columns, c)
	}
	d.indexes(&t)
	t = d.withTemplates(t)
	d.shortenNames(&t)
	if err := d.window(ctx, &t); err != nil {
		return t, nil, fmt.Errorf("describing the window of %s: %w", info.Name, err)
	}
	return t, d.remarks(t), nil
}

// describer makes the definition of one table.
type describer struct {
	reg     registry.Registry
	info    registry.Table
	columns []dict.Column // all of them as own columns, in the ERP's order
	notes   []string
}

func (d *describer) note(format string, args ...any) {
	d.notes = append(d.notes, fmt.Sprintf(format, args...))
}

// defaultLabel is the label a table gets from its name.
func defaultLabel(table string) string {
	return dict.NewTable(table).With(dict.Standard).AllColumns()[0].Label
}

// column is a column as an own one, without what has its default.
func (d *describer) column(ctx context.Context, t dict.Table, has registry.Column) (dict.Column, error) {
	c := spelledOut(has)
	if has.Identifier {
		c.SeqNo = has.SeqNo
	}
	if !has.Standard() {
		c.ForeignKey = has.ForeignKey
	}
	var err error
	if c.Reference, err = d.reference(ctx, t, has); err != nil {
		return c, err
	}
	c = shortest(t, c)
	element, err := d.reg.Element(ctx, has.Name)
	if err != nil && !errors.Is(err, registry.ErrNotFound) {
		return c, err
	}
	isOfficial := err == nil && strings.EqualFold(element.Name, has.Name) && adid.Official(element.ID)
	c.Placeholder = has.Placeholder
	switch {
	case !isOfficial:
		c.Label, c.Description, c.Help = has.Label, has.Description, has.Help
		if has.Label == expandAlone(t, c, "").Label {
			c.Label = ""
		}
	default: // every installation has the element, with these texts
		c.Label, c.Description, c.Help = unless(has.Label, element.Label), unless(has.Description, element.Description), unless(has.Help, element.Help)
		c.Placeholder = unless(has.Placeholder, element.Placeholder)
	}
	return c, nil
}

func unless(text, standard string) string {
	if text == standard {
		return ""
	}
	return text
}

// expandAlone is the column with all defaults filled in, apart from what hangs
// on the other columns.
func expandAlone(t dict.Table, c dict.Column, label string) dict.Column {
	c.Label = label
	alone := dict.Table{Name: t.Name, Label: t.Label, EntityType: t.EntityType, Columns: []dict.Column{c}}
	out := alone.AllColumns()[0]
	out.Identifier, out.SeqNo, out.ForeignKeyName = c.Identifier, c.SeqNo, c.ForeignKeyName
	return out
}

// shortest leaves out every attribute of a column that comes out the same
// without it.
func shortest(t dict.Table, c dict.Column) dict.Column {
	full := expandAlone(t, c, "")
	v := reflect.ValueOf(&c).Elem()
	for i := range v.NumField() {
		switch v.Type().Field(i).Name {
		case "Name", "Type", "Reference", "Identifier", "SeqNo", "ForeignKeyName":
			continue
		}
		f := v.Field(i)
		if f.IsZero() {
			continue
		}
		before := reflect.ValueOf(f.Interface())
		f.SetZero()
		if !reflect.DeepEqual(expandAlone(t, c, ""), full) {
			f.Set(before)
		}
	}
	if c.Type == dict.TypePayment {
		c.Reference = nil // every column of the type has it
	}
	return c
}

// reference is what the column's values are chosen from: written out when it
// belongs to the installation, else as one that is in every ERP.
func (d *describer) reference(ctx context.Context, t dict.Table, has registry.Column) (*dict.Reference, error) {
	if has.ReferenceID == 0 {
		return nil, nil
	}
	existing := func() *dict.Reference {
		target := ""
		if !has.Type.IsList() && has.Type != dict.TypeButton {
			target = has.ForeignTable
		}
		return dict.ExistingReference(has.Reference, official(has.ReferenceID), target)
	}
	if has.ReferenceID <= adid.MaxOfficial {
		return existing(), nil
	}
	info, err := d.reg.Reference(ctx, strconv.Itoa(has.ReferenceID))
	if err != nil {
		return nil, err
	}
	r := &dict.Reference{Name: info.Name, Description: info.Description}
	if entity := cmp.Or(t.EntityType, dict.DefaultEntityType); info.EntityType != entity {
		r.EntityType = info.EntityType
	}
	switch {
	case info.Kind == registry.ReferenceList && len(info.Values) > 0:
		for _, v := range info.Values {
			r.Values = append(r.Values, dict.ListValue{Value: v.Value, Name: v.Name, Description: v.Description})
		}
	case info.Kind == registry.ReferenceTable && info.Lookup != nil && info.Lookup.Table != "" && info.Lookup.Key != "":
		l := info.Lookup
		r.Lookup = &dict.TableLookup{Table: l.Table, Key: l.Key, Display: l.Display, ShowValue: l.ShowValue, Where: l.Where, OrderBy: l.OrderBy}
		if strings.EqualFold(l.Key, l.Table+"_ID") {
			r.Lookup.Key = ""
		}
	default:
		return existing(), nil
	}
	return r, nil
}

// indexes adds the declared indexes; a constraint named like that of a unique
// column becomes the column's attribute.
func (d *describer) indexes(t *dict.Table) {
	for _, has := range d.info.Indexes {
		if has.Key {
			continue
		}
		index := dict.Index{Name: has.Name, Unique: has.Unique, Constraint: has.Constraint}
		expression := false
		for _, part := range has.Columns {
			expression = expression || part.SQL != "" || part.Column == ""
			index.Columns = append(index.Columns, part.Column)
		}
		if expression {
			d.note("index %s indexes an expression, which a definition cannot have; it is left out, and comparing will say so", has.Name)
			continue
		}
		if i := d.uniqueColumn(t.Name, index); i >= 0 {
			d.columns[i].Unique = true
			continue
		}
		t.Indexes = append(t.Indexes, index)
	}
	slices.SortFunc(t.Indexes, func(a, b dict.Index) int { return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
}

// uniqueColumn is the place of the column whose attribute would make the index,
// -1 for none.
func (d *describer) uniqueColumn(table string, index dict.Index) int {
	if len(index.Columns) != 1 || !index.Unique || !index.Constraint {
		return -1
	}
	i := slices.IndexFunc(d.columns, func(c dict.Column) bool { return strings.EqualFold(c.Name, index.Columns[0]) })
	if i < 0 || d.columns[i].Key || d.columns[i].Type == dict.TypeUUID {
		return -1
	}
	name := table + "_" + d.columns[i].Name
	name = name[:min(len(name), dict.MaxColumnName-len("_key"))] + "_key"
	if !strings.EqualFold(name, index.Name) {
		return -1
	}
	return i
}

// withTemplates is the table with as many templates as fit: all columns of a
// template must be there and be what the template makes of them.
func (d *describer) withTemplates(t dict.Table) dict.Table {
	own := map[string]dict.Column{}
	for _, c := range d.columns {
		own[strings.ToLower(c.Name)] = c
	}
	var templates []dict.Template
	for _, tpl := range dict.Templates() {
		if !slices.ContainsFunc(tpl.Columns(t.Name), func(c dict.Column) bool { _, ok := own[strings.ToLower(c.Name)]; return !ok }) {
			templates = append(templates, tpl)
		}
	}
	for {
		candidate := t
		candidate.Templates = slices.Clone(templates)
		if len(templates) == 0 {
			candidate.Templates = nil
		}
		brought := map[string]bool{}
		for _, tpl := range templates {
			for _, c := range tpl.Columns(t.Name) {
				brought[strings.ToLower(c.Name)] = true
			}
		}
		for _, c := range d.columns {
			if !brought[strings.ToLower(c.Name)] {
				candidate.Columns = append(candidate.Columns, c)
			}
		}
		misfit := d.misfit(candidate, brought, own)
		if misfit == "" {
			return candidate
		}
		templates = slices.DeleteFunc(slices.Clone(templates), func(tpl dict.Template) bool {
			return slices.ContainsFunc(tpl.Columns(t.Name), func(c dict.Column) bool { return strings.EqualFold(c.Name, misfit) })
		})
	}
}

// misfit is the name of a column that the templates make another way than the
// ERP has it.
func (d *describer) misfit(t dict.Table, brought map[string]bool, own map[string]dict.Column) string {
	expanded := expandedFor(t, d.info)
	numbers := identifierNumbers(expanded, d.info)
	for _, want := range expanded {
		name := strings.ToLower(want.Name)
		if !brought[name] {
			continue
		}
		has, _ := d.info.Column(want.Name)
		spelled := own[name]
		if spelled.Label != "" && spelled.Label != want.Label || spelled.Description != "" || spelled.Help != "" || spelled.Placeholder != "" ||
			spelled.Unique != (want.Unique && want.Type != dict.TypeUUID) {
			return want.Name
		}
		if _, ok := numbers[name]; ok {
			return want.Name
		}
		for _, a := range columnAttributes(want, nil, has) {
			if a.Has != a.Wanted {
				return want.Name
			}
		}
		if r := want.Reference; r != nil && r.Lookup != nil && !sameLookup(t, r.Lookup, spelled.Reference) {
			return want.Name
		}
	}
	return ""
}

func sameLookup(t dict.Table, want *dict.TableLookup, has *dict.Reference) bool {
	if has == nil || has.Lookup == nil || has.Description != "" || has.EntityType != "" {
		return false
	}
	w, h := *want, *has.Lookup
	w.Key, h.Key = cmp.Or(w.Key, w.Table+"_ID"), cmp.Or(h.Key, h.Table+"_ID")
	if w.Display == "" {
		w.Display = w.Key
		number := 0
		for _, c := range t.AllColumns() {
			if strings.EqualFold(t.Name, w.Table) && c.Identifier && (number == 0 || c.SeqNo < number) {
				w.Display, number = c.Name, c.SeqNo
			}
		}
	}
	return w == h
}

// shortenNames leaves out numbers of identifiers that come by themselves, and
// keeps names of foreign keys that do not.
func (d *describer) shortenNames(t *dict.Table) {
	t.Columns = slices.Clone(t.Columns)
	numbered := slices.Clone(t.Columns)
	for i := range t.Columns {
		t.Columns[i].SeqNo = 0
	}
	if len(identifierNumbers(expandedFor(*t, d.info), d.info)) > 0 {
		t.Columns = numbered
	}
	expanded := expandedFor(*t, d.info)
	first := len(expanded) - len(t.Columns)
	for i := range t.Columns {
		has, _ := d.info.Column(t.Columns[i].Name)
		if name := expanded[first+i].ForeignKeyName; has.ForeignKeyName != "" && name != "" && !strings.EqualFold(name, has.ForeignKeyName) {
			t.Columns[i].ForeignKeyName = has.ForeignKeyName
		}
	}
}

// window adds the window of the table when it is one that a definition can have
// for: its only tab is the table's.
func (d *describer) window(ctx context.Context, t *dict.Table) error {
	name := registry.WindowName(ctx, d.reg, d.info.WindowID)
	if name == "" {
		return nil
	}
	w, err := d.reg.Window(ctx, name)
	if err != nil {
		return err
	}
	if !w.Active || w.ID != d.info.WindowID || len(w.Tabs) != 1 || w.Tabs[0].TableID != d.info.ID {
		return nil
	}
	label := cmp.Or(t.Label, defaultLabel(t.Name))
	t.Window = &dict.Window{Name: unless(w.Name, label), Description: unless(w.Description, t.Description), Purchase: !w.Sales}
	if w.Type != dict.WindowMaintain {
		t.Window.Type = w.Type
	}
	return nil
}

// remarks tells what the definition does not say: attributes it has no words
// for, and differences that would be found.
func (d *describer) remarks(t dict.Table) []string {
	expanded := expandedFor(t, d.info)
	for i, want := range expanded {
		has, ok := d.info.Column(want.Name)
		if !ok {
			continue
		}
		for _, f := range []struct {
			on   bool
			what string
		}{
			{has.Encrypted, "is kept encrypted"}, {has.HTML, "holds HTML"}, {has.PartitionKey, "is a partition key"},
			{has.UpdatableLogic != "", "has a condition for being updateable"},
			{has.Toolbar != "" && has.Type == dict.TypeButton && has.Toolbar != "Y", "is a button outside the toolbar"},
		} {
			if f.on {
				d.note("%s.%s %s, which a definition cannot have", t.Name, has.Name, f.what)
			}
		}
		for _, a := range columnAttributes(want, givenColumn(t, expanded, i), has) {
			if a.Has != a.Wanted {
				d.note("%s.%s has %s %s, and comparing will want %s", t.Name, has.Name, a.Column, value(a.Has), value(a.Wanted))
			}
		}
	}
	return d.notes
}
