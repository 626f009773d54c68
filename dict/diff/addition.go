package diff

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/adid"
	"github.com/erphub/erphub/internal/text"
)

// Addition is a column for a table that the ERP has.
type Addition struct {
	Table  string
	Column dict.Column // without an EntityType it gets [dict.DefaultEntityType]
	// Fields shows the column in the windows of the table: each of its tabs gets a
	// field after its last one.
	Fields bool
	// NoSync leaves the database alone.
	NoSync bool
}

// AdditionError says why a column cannot be added, and what to do.
type AdditionError struct{ Problem, Advice string }

// Error is the problem and the advice.
func (e *AdditionError) Error() string {
	if e.Advice == "" {
		return e.Problem
	}
	return e.Problem + "; " + e.Advice
}

func impossible(advice, format string, args ...any) error {
	return &AdditionError{fmt.Sprintf(format, args...), advice}
}

// Scope is the part of a dictionary that [Addition.Plan] asks about, once the table is
// known.
func (a *Addition) Scope() registry.Scope {
	s := DefinitionScope(a.Table)
	s.Elements = []string{a.Column.Name}
	if table, ok := strings.CutSuffix(a.Column.Name, "_ID"); ok && a.Column.Reference == nil && a.Column.Type.IsLookup() {
		s.Tables = append(s.Tables, table)
	}
	if r := a.Column.Reference; r != nil && r.Lookup != nil {
		s.Tables = append(s.Tables, r.Lookup.Table)
	}
	return s
}

// Plan is the plan that adds the column, and nothing else; one without steps when the
// table has it. It fails with an [*AdditionError] for a view, for a name that an update
// of the ERP could bring, for a mandatory column that the rows there are would not
// have, and when adding it would change anything else.
func (a *Addition) Plan(ctx context.Context, reg registry.Registry) (*dict.Plan, error) {
	t, err := reg.Table(ctx, a.Table)
	if err != nil {
		return nil, err
	}
	if t.View {
		return nil, impossible("add the column to the table behind it", "%s is a view: its columns come from its statement in the database", t.Name)
	}
	if _, has := t.Column(a.Column.Name); has {
		return dict.Assemble(t.Name)
	}
	if err := a.check(&t); err != nil {
		return nil, err
	}
	plan, err := a.plan(ctx, reg, t.Name)
	if err != nil || !a.Fields {
		return plan, err
	}
	return a.withFields(ctx, reg, &t, plan)
}

// check refuses names and entity types that belong to the ERP: an update of it could
// bring a column of the same name.
func (a *Addition) check(t *registry.Table) error {
	name, entityType := a.Column.Name, a.Column.EntityType
	if entityType == "D" || entityType == "C" {
		return impossible("leave the entity type out, or give that of your plugin", "the entity type %s is the ERP's own", entityType)
	}
	prefixes := []string{dict.CustomPrefix}
	if entityType != "" && entityType != dict.DefaultEntityType {
		prefixes = append(prefixes, entityType+"_")
	}
	own := t.Custom() || slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) && len(name) > len(p) })
	switch {
	case !own:
		return impossible("a prefix keeps it apart from columns that updates of the ERP bring; a reference under another name has the type Table and names its table",
			"%s is a table of the ERP: the name of a column added to it begins with %s, and %s does not", t.Name, strings.Join(prefixes, " or "), text.Quote(name))
	case a.Column.Mandatory && a.Column.Default == "":
		return impossible("give a default, or leave mandatory out", "the column %s is mandatory without a default, and the rows there are would have no value", name)
	}
	return nil
}

// plan compares the table with the column to the table there is.
func (a *Addition) plan(ctx context.Context, reg registry.Registry, table string) (*dict.Plan, error) {
	col, err := a.column(ctx, reg, table)
	if err != nil {
		return nil, err
	}
	definition, _, err := Definition(ctx, reg, table)
	if err != nil {
		return nil, err
	}
	definition = definition.Column(col)
	definition.Window = nil
	result, err := Compare(ctx, reg, &dict.Options{NoSync: a.NoSync, AnyPrefix: true, Known: Known(ctx, reg)}, definition)
	if err != nil {
		return nil, err
	}
	for _, change := range result.Changes {
		if change.Action != Create {
			return nil, impossible("let an administrator add it in the window Table and Column", "adding %s would change more than that: %s of %s", col.Name, change.Action, text.Shorten(change.Name, 120))
		}
	}
	return NewPlan(result, nil)
}

// column is the column with the entity type it gets, and with the tables that it
// refers to as the dictionary spells them.
func (a *Addition) column(ctx context.Context, reg registry.Registry, table string) (dict.Column, error) {
	col := a.Column
	if col.EntityType == "" {
		col.EntityType = dict.DefaultEntityType
	}
	if target, ok := strings.CutSuffix(col.Name, "_ID"); ok && col.Reference == nil && col.Type.IsLookup() {
		_, err := reg.Table(ctx, target) // its name says what it refers to
		return col, err
	}
	if col.Reference == nil {
		return col, nil
	}
	r := *col.Reference
	r.EntityType, col.Reference = col.EntityType, &r
	if r.Lookup == nil || strings.EqualFold(r.Lookup.Table, table) {
		return col, nil
	}
	t, err := reg.Table(ctx, r.Lookup.Table)
	l := *r.Lookup
	l.Table, r.Lookup = t.Name, &l
	return col, err
}

// withFields adds a field to each tab of the table's windows.
func (a *Addition) withFields(ctx context.Context, reg registry.Registry, t *registry.Table, plan *dict.Plan) (*dict.Plan, error) {
	steps := plan.Steps()
	column := slices.IndexFunc(steps, func(s dict.Step) bool {
		r, ok := s.(*dict.RecordStep)
		return ok && r.Table == "AD_Column" && r.Action == dict.Create
	})
	if column < 0 {
		return plan, nil
	}
	made := steps[column].(*dict.RecordStep)
	shown := 0
	for _, id := range slices.Compact([]int{t.WindowID, t.POWindowID}) {
		if id == 0 {
			continue
		}
		w, err := reg.Window(ctx, strconv.Itoa(id))
		if err != nil {
			return nil, err
		}
		for i := range w.Tabs {
			if tab := &w.Tabs[i]; tab.TableID == t.ID && !tab.Sort {
				steps = append(steps, a.field(&w, tab, made))
				shown++
			}
		}
	}
	if shown == 0 {
		return nil, impossible("leave the field out, or make a window for the table first", "no window of %s has a tab for it", t.Name)
	}
	return dict.Assemble(plan.Name(), steps...)
}

// field shows a new column in a tab, behind its other fields.
func (a *Addition) field(w *registry.Window, tab *registry.Tab, column *dict.RecordStep) *dict.RecordStep {
	last, lastInGrid := 0, 0
	for _, f := range tab.Fields {
		last, lastInGrid = max(last, f.SeqNo), max(lastInGrid, f.SeqNoGrid)
	}
	of := dict.Existing{Table: "AD_Tab", ID: tab.ID}
	if !adid.Official(tab.ID) {
		of = dict.Existing{Table: "AD_Tab", Match: []dict.Match{{Column: "AD_Tab_UU", Value: dict.Text(tab.UUID)}}}
	}
	values := []dict.ColumnValue{
		{Column: "AD_Tab_ID", Value: of}, {Column: "AD_Column_ID", Value: dict.Ref(column.Key)},
		{Column: "Name", Value: dict.Text(valueOf(column, "Name"))}, {Column: "IsCentrallyMaintained", Value: dict.YesNo(true)},
		{Column: "IsDisplayed", Value: dict.YesNo(true)}, {Column: "IsDisplayedGrid", Value: dict.YesNo(true)},
		{Column: "SeqNo", Value: dict.Int(last + 10)}, {Column: "SeqNoGrid", Value: dict.Int(lastInGrid + 10)},
		{Column: "EntityType", Value: dict.Text(valueOf(column, "EntityType"))},
	}
	return &dict.RecordStep{
		Key: dict.Key(fmt.Sprintf("AD_Field.%s.%s.%s", w.Name, tab.Name, a.Column.Name)), Action: dict.Create, Table: "AD_Field",
		Name: w.Name + "." + tab.Name + "." + a.Column.Name, Values: values,
		Match: []dict.Match{{Column: "AD_Tab_ID", Value: of}, {Column: "AD_Column_ID", Value: dict.Ref(column.Key)}},
	}
}

// valueOf is a text that a step writes.
func valueOf(step *dict.RecordStep, column string) string {
	for _, v := range step.Values {
		if text, ok := v.Value.(dict.Text); ok && v.Column == column {
			return string(text)
		}
	}
	return ""
}
