package diff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
)

// renaming is what the definitions say was called otherwise, and is so in the ERP.
// Keys are in lower case unless they say otherwise.
type renaming struct {
	tables     map[string]tableRename          // by new name
	columns    map[string]map[string]string    // new names by new name of the table, then old name of the column
	uuids      map[string]map[string]dict.UUID // of renamed columns, by new name of the table, then of the column
	keyUUIDs   map[string]map[string]dict.UUID // likewise, of columns that are renamed with a table
	keys       map[string]string               // new names of <Table>_ID and <Table>_UU by old ones
	references map[string]former               // by new name, in the case it has
	windows    map[string]former               // likewise
}

// former is a record that the ERP has under a former name.
type former struct {
	name string
	uuid dict.UUID
}

// tableRename is a table that the ERP has under its former name.
type tableRename struct {
	from, to string
	uuid     dict.UUID
}

func newRenaming() *renaming {
	return &renaming{tables: map[string]tableRename{}, columns: map[string]map[string]string{}, uuids: map[string]map[string]dict.UUID{},
		keyUUIDs: map[string]map[string]dict.UUID{}, keys: map[string]string{}, references: map[string]former{}, windows: map[string]former{}}
}

// findRenames compares the former names that definitions give with the ERP. What
// cannot be renamed is a [*dict.ValidationError].
func findRenames(ctx context.Context, reg registry.Registry, tables []dict.Table) (*renaming, error) {
	r := newRenaming()
	var wrong []dict.Finding
	for _, t := range tables {
		if t.Was == "" {
			continue
		}
		found, err := r.table(ctx, reg, t)
		if err != nil {
			return nil, err
		}
		wrong = append(wrong, found...)
	}
	for _, t := range tables {
		found, err := r.parts(ctx, reg, t)
		if err != nil {
			return nil, err
		}
		wrong = append(wrong, found...)
	}
	if len(wrong) > 0 {
		return nil, &dict.ValidationError{Findings: wrong}
	}
	return r, nil
}

// tableNamed is a table of exactly that name, inactive ones among them.
func tableNamed(ctx context.Context, reg registry.Registry, name string) (registry.Table, bool, error) {
	if name == "" {
		return registry.Table{}, false, nil
	}
	t, err := reg.Table(ctx, name, registry.WithInactive)
	if errors.Is(err, registry.ErrNotFound) {
		return t, false, nil
	}
	return t, err == nil && strings.EqualFold(t.Name, name), err
}

func (r *renaming) table(ctx context.Context, reg registry.Registry, t dict.Table) ([]dict.Finding, error) {
	_, isThere, err := tableNamed(ctx, reg, t.Name)
	if err != nil {
		return nil, err
	}
	old, wasThere, err := tableNamed(ctx, reg, t.Was)
	switch {
	case err != nil || !wasThere:
		return nil, err
	case isThere:
		return []dict.Finding{conflict(t.Name, "table", t.Was, t.Name, true)}, nil
	case official(old.ID) != 0:
		return []dict.Finding{belongsToERP(t.Name, "table "+old.Name)}, nil
	case old.UUID == "":
		return []dict.Finding{withoutUUID(t.Name, "table "+old.Name)}, nil
	}
	r.tables[strings.ToLower(t.Name)] = tableRename{old.Name, t.Name, old.UUID}
	for _, suffix := range []string{"_ID", "_UU"} {
		r.keys[strings.ToLower(old.Name+suffix)] = t.Name + suffix
	}
	return nil, nil
}

// parts finds what was renamed of a table: columns, references, its window.
func (r *renaming) parts(ctx context.Context, reg registry.Registry, t dict.Table) ([]dict.Finding, error) {
	info, there, err := tableNamed(ctx, &renamed{reg, r}, t.Name)
	if err != nil {
		return nil, err
	}
	var wrong []dict.Finding
	if there {
		wrong = r.columnsOf(t, info)
	}
	for _, c := range t.Columns {
		if ref := c.Reference; ref != nil && ref.Was != "" {
			found, err := r.reference(ctx, reg, t.Name+"."+c.Name, ref)
			if err != nil {
				return nil, err
			}
			wrong = append(wrong, found...)
		}
	}
	return wrong, r.window(ctx, reg, t, info)
}

func (r *renaming) columnsOf(t dict.Table, info registry.Table) []dict.Finding {
	var wrong []dict.Finding
	table := strings.ToLower(t.Name)
	for _, c := range t.Columns {
		if c.Was == "" {
			continue
		}
		where := t.Name + "." + c.Name
		old, wasThere := info.Column(c.Was)
		switch _, isThere := info.Column(c.Name); {
		case wasThere && isThere:
			wrong = append(wrong, conflict(where, "column", c.Was, c.Name, old.Active))
		case isThere:
		case !wasThere:
			if orphan, ok := orphanOf(t, info); ok {
				wrong = append(wrong, dict.Finding{Where: where, Rule: "was.unknown",
					What: fmt.Sprintf("table %s of the ERP has neither %s, its former name, nor %s", t.Name, c.Was, c.Name),
					Do:   fmt.Sprintf("correct was; the ERP has %s, which no definition has", orphan)})
			}
		case official(old.ID) != 0:
			wrong = append(wrong, belongsToERP(where, "column "+old.Name))
		case old.UUID == "":
			wrong = append(wrong, withoutUUID(where, "column "+old.Name))
		case old.Key || old.Parent && old.Name == info.Name+"_ID":
			wrong = append(wrong, dict.Finding{Where: where, Rule: "was.key", What: "the key of a table is renamed with its table", Do: "give the table's former name, and remove this was"})
		default:
			if r.columns[table] == nil {
				r.columns[table], r.uuids[table] = map[string]string{}, map[string]dict.UUID{}
			}
			r.columns[table][strings.ToLower(old.Name)] = c.Name
			r.uuids[table][strings.ToLower(c.Name)] = old.UUID
		}
	}
	return wrong
}

// orphanOf is an active column of the ERP that the definition knows under no name.
func orphanOf(t dict.Table, info registry.Table) (string, bool) {
	for _, has := range info.Columns {
		known := slices.ContainsFunc(t.AllColumns(), func(c dict.Column) bool {
			return strings.EqualFold(c.Name, has.Name) || strings.EqualFold(c.Was, has.Name)
		})
		if has.Active && !known {
			return has.Name, true
		}
	}
	return "", false
}

func (r *renaming) reference(ctx context.Context, reg registry.Registry, where string, ref *dict.Reference) ([]dict.Finding, error) {
	named := func(name string) (registry.Reference, bool, error) {
		info, err := reg.Reference(ctx, name, registry.WithInactive)
		if errors.Is(err, registry.ErrNotFound) {
			return info, false, nil
		}
		return info, err == nil && info.Name == name, err
	}
	_, isThere, err := named(ref.Name)
	if err != nil {
		return nil, err
	}
	old, wasThere, err := named(ref.Was)
	switch {
	case err != nil || !wasThere:
		return nil, err
	case isThere:
		return []dict.Finding{conflict(where, "reference", ref.Was, ref.Name, old.Active)}, nil
	case official(old.ID) != 0:
		return []dict.Finding{belongsToERP(where, "reference "+old.Name)}, nil
	case old.UUID == "":
		return []dict.Finding{withoutUUID(where, "reference "+old.Name)}, nil
	}
	r.references[ref.Name] = former{old.Name, old.UUID}
	return nil, nil
}

// window finds a window under its former name; of a renamed table its own window
// under the default one.
func (r *renaming) window(ctx context.Context, reg registry.Registry, t dict.Table, info registry.Table) error {
	if t.Window == nil {
		return nil
	}
	name := cmp.Or(t.Window.Name, t.Label, defaultLabel(t.Name))
	was := t.Window.Was
	if tr, ok := r.tables[strings.ToLower(t.Name)]; ok && was == "" && t.Window.Name == "" && t.Label == "" {
		was = defaultLabel(tr.from)
	}
	if was == "" || was == name {
		return nil
	}
	if has, err := reg.Window(ctx, name, registry.WithInactive); err == nil && has.Name == name || err != nil && !errors.Is(err, registry.ErrNotFound) {
		return err
	}
	has, err := reg.Window(ctx, was, registry.WithInactive)
	switch {
	case errors.Is(err, registry.ErrNotFound):
		return nil
	case err != nil:
		return err
	case t.Window.Was == "" && has.ID != info.WindowID: // somebody else's
	case has.Name == was && official(has.ID) == 0 && has.UUID != "":
		r.windows[name] = former{has.Name, has.UUID}
	}
	return nil
}

func conflict(where, what, was, is string, active bool) dict.Finding {
	state := ""
	if !active {
		state = ", which is deactivated"
	}
	return dict.Finding{Where: where, Rule: "was.both",
		What: fmt.Sprintf("the ERP has both the %s %s, its former name%s, and %s, so nothing can be renamed", what, was, state, is),
		Do: fmt.Sprintf("copy what is to be kept from %s to %s and remove was, or remove %s from the ERP and rename then",
			was, is, is)}
}

func belongsToERP(where, what string) dict.Finding {
	return dict.Finding{Where: where, Rule: "was.official", What: "the " + what + " came with the ERP, which needs it by its name", Do: "remove was"}
}

func withoutUUID(where, what string) dict.Finding {
	return dict.Finding{Where: where, Rule: "was.uuid", What: "the " + what + " has no UUID in the ERP, and is known by its name only",
		Do: "run the ERP's process UUID Generator for its table"}
}

// renamed is a registry as it is once everything is renamed.
type renamed struct {
	registry.Registry
	r *renaming
}

// Table implements [registry.Registry].
func (n *renamed) Table(ctx context.Context, name string, with ...registry.Detail) (registry.Table, error) {
	if t, ok := n.r.tables[strings.ToLower(name)]; ok {
		name = t.from
	}
	t, err := n.Registry.Table(ctx, name, with...)
	if err != nil {
		return t, err
	}
	t.Name = n.r.tableName(t.Name)
	for i := range t.Columns {
		c := &t.Columns[i]
		if _, ok := n.r.keys[strings.ToLower(c.Name)]; ok {
			n.r.noteKey(t.Name, n.r.columnName(t.Name, c.Name), c.UUID)
		}
		c.Table, c.Name, c.ForeignTable = t.Name, n.r.columnName(t.Name, c.Name), n.r.tableName(c.ForeignTable)
		c.Reference = n.r.referenceName(c.Reference)
	}
	for i := range t.Indexes {
		for j := range t.Indexes[i].Columns {
			part := &t.Indexes[i].Columns[j]
			part.Column = n.r.columnName(t.Name, part.Column)
		}
	}
	return t, nil
}

// noteKey keeps the UUID of a column that is renamed with a table.
func (r *renaming) noteKey(table, column string, uuid dict.UUID) {
	table = strings.ToLower(table)
	if r.keyUUIDs[table] == nil {
		r.keyUUIDs[table] = map[string]dict.UUID{}
	}
	r.keyUUIDs[table][strings.ToLower(column)] = uuid
}

// Element implements [registry.Registry].
func (n *renamed) Element(ctx context.Context, name string) (registry.Element, error) {
	for from, to := range n.r.keys {
		if strings.EqualFold(to, name) {
			e, err := n.Registry.Element(ctx, from)
			e.Name = to
			return e, err
		}
	}
	return n.Registry.Element(ctx, name)
}

// Reference implements [registry.Registry].
func (n *renamed) Reference(ctx context.Context, name string, with ...registry.Detail) (registry.Reference, error) {
	if f, ok := n.r.references[name]; ok {
		name = f.name
	}
	ref, err := n.Registry.Reference(ctx, name, with...)
	if err != nil {
		return ref, err
	}
	ref.Name = n.r.referenceName(ref.Name)
	if l := ref.Lookup; l != nil {
		l.Table = n.r.tableName(l.Table)
		l.Key, l.Display = n.r.columnName(l.Table, l.Key), n.r.columnName(l.Table, l.Display)
	}
	return ref, nil
}

// Window implements [registry.Registry].
func (n *renamed) Window(ctx context.Context, name string, with ...registry.Detail) (registry.Window, error) {
	if f, ok := n.r.windows[name]; ok {
		w, err := n.Registry.Window(ctx, f.name, with...)
		if err == nil {
			w.Name = name
			n.r.tabs(w.Tabs)
		}
		return w, err
	}
	w, err := n.Registry.Window(ctx, name, with...)
	n.r.tabs(w.Tabs)
	return w, err
}

func (r *renaming) tabs(tabs []registry.Tab) {
	for i := range tabs {
		tabs[i].Table = r.tableName(tabs[i].Table)
		for j := range tabs[i].Fields {
			f := &tabs[i].Fields[j]
			f.Table = r.tableName(f.Table)
			f.Column = r.columnName(f.Table, f.Column)
		}
	}
}

func (r *renaming) tableName(name string) string {
	for _, t := range r.tables {
		if strings.EqualFold(t.from, name) {
			return t.to
		}
	}
	return name
}

// columnName is the new name of a column of a table that goes by its new name.
func (r *renaming) columnName(table, name string) string {
	if to, ok := r.keys[strings.ToLower(name)]; ok {
		name = to
	}
	if to, ok := r.columns[strings.ToLower(table)][strings.ToLower(name)]; ok {
		return to
	}
	return name
}

func (r *renaming) referenceName(name string) string {
	for is, f := range r.references {
		if f.name == name {
			return is
		}
	}
	return name
}
