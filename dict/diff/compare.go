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
	"github.com/erphub/erphub/internal/adid"
)

// comparer compares definitions with a registry.
type comparer struct {
	reg  registry.Registry
	plan *dict.Plan
	// steps are those of the plan, and of fields that extensions add: taking them from
	// the plan copies them.
	steps []dict.Step
	out   *Result
	seen  map[string]bool // references that were compared
	made  []string        // tables that the definitions have whole
	// elements are the texts that the plan gives to elements it makes, by
	// lower-case name: columns of several tables share them.
	elements map[string]dict.Column
	infos    map[string]registry.Table // by lower-case table name
	extended map[string]extension      // by lower-case table name
}

// Compare compares tables with what the ERP has. The options are those of the
// plan of everything, [Result.Wanted]; Element may be nil, the registry is read
// then. The error is a [*dict.ValidationError] when a definition cannot be
// used, and matches [registry.ErrNotFound] for an extension of a table that the ERP
// does not have, or for a new column that refers to one.
func Compare(ctx context.Context, reg registry.Registry, opts *dict.Options, tables ...dict.Table) (*Result, error) {
	var o dict.Options
	if opts != nil {
		o = *opts
	}
	renames, err := findRenames(ctx, reg, tables)
	var invalid *dict.ValidationError
	switch {
	case errors.As(err, &invalid):
		if own := dict.Validate(opts, tables...); own != nil {
			return nil, own // what is wrong without the ERP comes first
		}
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("comparing tables: %w", err)
	}
	reg = &renamed{reg, renames}
	failed := askRegistry(ctx, reg, &o)
	c := &comparer{reg: reg, seen: map[string]bool{}, elements: map[string]dict.Column{}, infos: map[string]registry.Table{}, extended: map[string]extension{}}
	for _, t := range tables {
		if t.Extends == nil && !t.Removed {
			c.made = append(c.made, t.Name)
		}
	}
	if tables, err = c.complete(ctx, tables); err != nil {
		return nil, fmt.Errorf("comparing tables: %w", err)
	}
	plan, err := wantedPlan(&o, tables)
	if err := failed(); err != nil {
		return nil, fmt.Errorf("comparing tables: %w", err)
	}
	if err != nil {
		return nil, err
	}
	c.plan, c.steps = plan, plan.Steps()
	c.out = &Result{Changes: []Change{}, Wanted: plan, Found: map[dict.Key]dict.Existing{}, renames: renames, taken: map[dict.Key]bool{}}
	for _, t := range tables {
		if err := c.table(ctx, t); err != nil {
			return nil, fmt.Errorf("comparing table %s: %w", t.Name, err)
		}
	}
	if len(c.steps) > plan.Len() {
		if c.out.Wanted, err = dict.Assemble(plan.Name(), c.steps...); err != nil {
			return nil, fmt.Errorf("comparing tables: %w", err)
		}
	}
	return c.out, nil
}

// askRegistry gives options what they do not know from the registry. The function that
// it returns gives the first failure where only "unknown" could be said.
func askRegistry(ctx context.Context, reg registry.Registry, o *dict.Options) (failed func() error) {
	var first error
	note := func(err error) {
		if first == nil && err != nil && !errors.Is(err, registry.ErrNotFound) {
			first = err
		}
	}
	if o.Element == nil {
		o.Element = func(column string) (int, bool) {
			e, err := reg.Element(ctx, column)
			note(err)
			return e.ID, err == nil && strings.EqualFold(e.Name, column) && adid.Official(e.ID)
		}
	}
	if o.Known == nil {
		o.Known = func(table string) (dict.Table, bool) {
			t, ok, err := known(ctx, reg, table)
			note(err)
			return t, ok
		}
	}
	return func() error { return first }
}

// wantedPlan is the plan that makes the tables that are not removed.
func wantedPlan(o *dict.Options, tables []dict.Table) (*dict.Plan, error) {
	wanted := slices.DeleteFunc(slices.Clone(tables), func(t dict.Table) bool { return t.Removed })
	if len(wanted) == len(tables) {
		return dict.NewPlan(o, tables...)
	}
	if err := dict.Validate(o, tables...); err != nil {
		return nil, err
	}
	if len(wanted) == 0 {
		return dict.Assemble(tables[0].Name)
	}
	return dict.NewPlan(o, wanted...)
}

// Known is [dict.Options].Known for a registry.
func Known(ctx context.Context, reg registry.Registry) func(table string) (dict.Table, bool) {
	return func(table string) (dict.Table, bool) {
		t, ok, _ := known(ctx, reg, table)
		return t, ok
	}
}

func known(ctx context.Context, reg registry.Registry, table string) (dict.Table, bool, error) {
	t, _, err := Definition(ctx, reg, table)
	return t, err == nil && strings.EqualFold(t.Name, table), err
}

func (c *comparer) table(ctx context.Context, t dict.Table) error {
	info, err := c.reg.Table(ctx, t.Name, registry.WithInactive)
	isNew := errors.Is(err, registry.ErrNotFound) || err == nil && !strings.EqualFold(info.Name, t.Name)
	if err != nil && !isNew {
		return err
	}
	if t.Removed {
		if isNew {
			return nil
		}
		return c.removeTable(ctx, &info)
	}
	key, first := dict.Key(t.Name), len(c.out.Changes)
	if was, ok := c.out.renames.tables[strings.ToLower(t.Name)]; ok {
		c.add(Change{Table: t.Name, Kind: KindTable, Name: t.Name, Action: Rename, Was: was.from})
	}
	expanded := expandedFor(t, info)
	if isNew {
		info = registry.Table{}
		if err := c.findTaken(ctx, key); err != nil {
			return err
		}
		c.add(Change{Table: t.Name, Kind: KindTable, Name: t.Name, Action: Create, Step: key,
			Detail: fmt.Sprintf("access %s, %d columns", c.accessOf(key), len(expanded))})
	} else {
		c.out.Found[key] = existingTable(info.Name, info.ID)
		c.update(Change{Table: t.Name, Kind: KindTable, Name: t.Name, Step: key, Record: existingTable(info.Name, info.ID),
			Attributes: c.tableAttributes(key, info)})
	}
	if err := c.columns(ctx, t, expanded, info, isNew); err != nil {
		return err
	}
	c.indexes(t, info)
	e, extended := c.extended[strings.ToLower(t.Name)]
	if !extended {
		return c.window(ctx, t, info)
	}
	if e.fields {
		if err := c.fields(ctx, &e, &info); err != nil {
			return err
		}
	}
	return c.onlyAdded(&e, c.out.Changes[first:])
}

func (c *comparer) add(change Change) { c.out.Changes = append(c.out.Changes, change) }

// update adds a change of attributes, if there are any.
func (c *comparer) update(change Change) {
	if len(change.Attributes) == 0 {
		return
	}
	change.Action = Update
	for _, a := range change.Attributes {
		if a.Destructive != "" {
			change.Destructive = cmp.Or(change.Destructive, a.Destructive)
		}
	}
	c.add(change)
}

// stepRecord is the record step of the full plan with that key.
func (c *comparer) stepRecord(key dict.Key) *dict.RecordStep {
	step, _ := c.plan.Step(key)
	r, _ := step.(*dict.RecordStep)
	return r
}

func (c *comparer) accessOf(key dict.Key) string {
	return dict.AccessLevel(c.stepRecord(key).Text("AccessLevel")).String()
}

// tableAttributes compares the table's own record with the step that would
// make it.
func (c *comparer) tableAttributes(key dict.Key, info registry.Table) []Attribute {
	flag := yesNo
	has := []struct{ column, value string }{
		{"TableName", info.Name}, {"Name", info.Label}, {"Description", info.Description}, {"Help", info.Help},
		{"AccessLevel", string(info.AccessLevel)}, {"EntityType", info.EntityType},
		{"IsChangeLog", flag(info.ChangeLog)}, {"IsDeleteable", flag(info.Deletable && !info.View)}, {"IsHighVolume", flag(info.HighVolume)},
		{"IsSecurityEnabled", flag(info.Security)}, {"IsView", flag(info.View)}, {"IsPartition", flag(info.Partition)},
		{"IsShowInDrillOptions", flag(info.Drill)}, {"ReplicationType", cmp.Or(string(info.Replication), "L")},
	}
	var list []Attribute
	if !info.Active {
		list = append(list, activate())
	}
	step := c.stepRecord(key)
	for _, h := range has {
		wanted := step.Text(h.column)
		if wanted == h.value || h.column == "TableName" && strings.EqualFold(wanted, h.value) {
			continue
		}
		value, ok := step.Value(h.column)
		if !ok {
			value = dict.Text("")
		}
		a := Attribute{Column: h.column, Has: h.value, Wanted: wanted, Value: value}
		switch h.column {
		case "AccessLevel":
			a.Has, a.Wanted = dict.AccessLevel(h.value).String(), dict.AccessLevel(wanted).String()
		case "IsView":
			a.Destructive = "a table and a view are different things in the database"
		}
		list = append(list, a)
	}
	return list
}

// activate is the change of a record that is there but deactivated.
func activate() Attribute {
	return Attribute{Column: "IsActive", Has: "N", Wanted: "Y", Value: dict.YesNo(true)}
}

func yesNo(b bool) string {
	if b {
		return "Y"
	}
	return "N"
}

// official is the id when it is the same in every installation, else 0.
func official(id int) int {
	if adid.Official(id) {
		return id
	}
	return 0
}

func existingTable(name string, id int) dict.Existing {
	return dict.Existing{Table: "AD_Table", ID: official(id),
		Match: []dict.Match{{Column: "TableName", Value: dict.Text(name), Fold: true}}}
}

func existingColumn(table dict.Value, name string, id int) dict.Existing {
	return dict.Existing{Table: "AD_Column", ID: official(id), Match: []dict.Match{
		{Column: "AD_Table_ID", Value: table}, {Column: "ColumnName", Value: dict.Text(name), Fold: true}}}
}

func existingReference(name string, id int) dict.Existing {
	return dict.Existing{Table: "AD_Reference", ID: official(id), Match: []dict.Match{{Column: "Name", Value: dict.Text(name)}}}
}
