package diff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/adid"
	"github.com/erphub/erphub/internal/text"
)

// targets are the tables that the columns of a definition say they refer to.
func targets(t dict.Table) []string {
	var list []string
	for _, c := range t.Columns {
		if table := targetOf(c); table != "" {
			list = append(list, table)
		}
	}
	return list
}

// targetOf is the table that a column says it refers to, by its name or its lookup;
// empty: it says none.
func targetOf(c dict.Column) string {
	switch r := c.Reference; {
	case r != nil && r.Lookup != nil:
		return r.Lookup.Table
	case r == nil && c.Type.IsLookup() && (strings.HasSuffix(c.Name, "_ID") || strings.HasSuffix(c.Name, "_UU")):
		table, _ := c.TargetTable()
		return table
	}
	return ""
}

// extension is a definition that adds columns to a table of the ERP.
type extension struct {
	columns []dict.Column
	fields  bool
}

// complete puts what the ERP has around the columns of extensions, so that they are
// compared as the definitions of whole tables are.
func (c *comparer) complete(ctx context.Context, tables []dict.Table) ([]dict.Table, error) {
	out := slices.Clone(tables)
	for i, t := range out {
		if t.Extends == nil {
			continue
		}
		if err := dict.Validate(nil, t); err != nil {
			return nil, err
		}
		definition, _, err := Definition(ctx, c.reg, t.Name)
		if err != nil {
			return nil, err
		}
		if definition.View {
			return nil, impossible(t.Name, "extension.view", definition.Name+" is a view: its columns come from its statement in the database", "add the column to the table behind it")
		}
		definition.Window = nil
		definition.Columns = slices.Clone(definition.Columns)
		added := extension{fields: t.Extends.Fields}
		for _, col := range t.Columns {
			if col, err = c.addedColumn(ctx, t, col); err != nil {
				return nil, err
			}
			added.columns = append(added.columns, col)
			if at := slices.IndexFunc(definition.Columns, func(has dict.Column) bool { return strings.EqualFold(has.Name, col.Name) }); at >= 0 {
				definition.Columns[at] = col
			} else {
				definition.Columns = append(definition.Columns, col)
			}
		}
		out[i], c.extended[strings.ToLower(definition.Name)] = definition, added
	}
	return out, nil
}

// addedColumn is a column with the entity type it gets, and with the tables that it
// refers to as the dictionary spells them.
func (c *comparer) addedColumn(ctx context.Context, t dict.Table, col dict.Column) (dict.Column, error) {
	for _, owner := range []string{t.EntityType, dict.DefaultEntityType} {
		col.EntityType = cmp.Or(col.EntityType, owner)
	}
	target, err := c.target(ctx, col)
	if err != nil || col.Reference == nil {
		return col, err
	}
	r := *col.Reference
	r.EntityType = cmp.Or(r.EntityType, col.EntityType)
	col.Reference = &r
	if r.Lookup != nil {
		l := *r.Lookup
		l.Table, r.Lookup = target, &l
	}
	return col, nil
}

// target is [targetOf] as the dictionary spells it. It fails if neither the dictionary
// nor the definitions have the table.
func (c *comparer) target(ctx context.Context, col dict.Column) (string, error) {
	name := targetOf(col)
	if name == "" || slices.ContainsFunc(c.made, func(made string) bool { return strings.EqualFold(made, name) }) {
		return name, nil
	}
	t, err := c.reg.Table(ctx, name)
	if err != nil {
		return "", fmt.Errorf("the column %s refers to the table %s: %w", col.Name, name, err)
	}
	return t.Name, nil
}

// onlyAdded fails when the changes of a table that is extended reach what the ERP has.
func (c *comparer) onlyAdded(e *extension, changes []Change) error {
	columns, lists := map[string]bool{}, true
	for _, col := range e.columns {
		columns[strings.ToLower(col.Name)] = true
		if r := col.Reference; r != nil && (len(r.Values) > 0 || r.Lookup != nil) && c.out.Found[dict.Key("AD_Reference."+r.Name)].ID != 0 {
			lists = false // the ERP's own
		}
	}
	for _, change := range changes {
		_, column, _ := strings.Cut(change.Name, ".")
		own := false
		switch change.Kind {
		case KindColumn:
			own = columns[strings.ToLower(column)]
		case KindReference, KindListValue, KindLookup:
			own = lists
		case KindField, KindIndex, KindIndexColumn:
			own = true
		}
		if !own || change.Action == Remove && change.Kind != KindListValue {
			return impossible(change.Table, "extension.more", fmt.Sprintf("adding to it would change what it has: %s of %s %s", change.Action, change.Kind, text.Shorten(change.Name, 120)),
				"let an administrator make that change first, in the ERP's windows")
		}
	}
	return nil
}

func impossible(where, rule, what, advice string) error {
	return &dict.ValidationError{Findings: []dict.Finding{{Where: where, Rule: rule, What: what, Do: advice}}}
}

// fields compares the fields of the columns that are added with those that the tabs of
// the table's windows have.
func (c *comparer) fields(ctx context.Context, e *extension, t *registry.Table) error {
	shown := false
	for _, id := range slices.Compact([]int{t.WindowID, t.POWindowID}) {
		w, err := c.reg.Window(ctx, strconv.Itoa(id))
		switch {
		case id == 0 || errors.Is(err, registry.ErrNotFound):
			continue
		case err != nil:
			return err
		}
		for i := range w.Tabs {
			if tab := &w.Tabs[i]; tab.TableID == t.ID && !tab.Sort {
				shown = true
				c.fieldsOf(e, t, &w, tab)
			}
		}
	}
	if !shown {
		return impossible(t.Name, "extension.fields", "no window has a tab for the table", "leave the fields out, or make a window for the table first")
	}
	return nil
}

// fieldsOf adds a field for each column that a tab does not have.
func (c *comparer) fieldsOf(e *extension, t *registry.Table, w *registry.Window, tab *registry.Tab) {
	last, lastInGrid := 0, 0
	has := map[string]bool{}
	for _, f := range tab.Fields {
		last, lastInGrid = max(last, f.SeqNo), max(lastInGrid, f.SeqNoGrid)
		has[strings.ToLower(f.Column)] = true
	}
	for _, col := range e.columns {
		if has[strings.ToLower(col.Name)] {
			continue
		}
		last, lastInGrid = last+10, lastInGrid+10
		step := fieldStep(w, tab, c.stepRecord(dict.Key("AD_Column."+t.Name+"."+col.Name)), last, lastInGrid)
		c.steps = append(c.steps, step)
		c.add(Change{Table: t.Name, Kind: KindField, Name: step.Name, Action: Create, Step: step.Key})
	}
}

// fieldStep shows a column in a tab.
func fieldStep(w *registry.Window, tab *registry.Tab, column *dict.RecordStep, seqNo, seqNoGrid int) *dict.RecordStep {
	of, known := dict.Existing{Table: "AD_Tab", ID: tab.ID}, strconv.Itoa(tab.ID)
	if !adid.Official(tab.ID) { // of a tab of the ERP's own, the embedded ERP does not know the UUID
		of, known = byUUID("AD_Tab", tab.UUID), string(tab.UUID)
	}
	name := w.Name + "." + tab.Name + "." + column.Text("ColumnName")
	return &dict.RecordStep{
		Key: dict.Key("AD_Field." + name), Action: dict.Create, Table: "AD_Field", Name: name,
		UUID: dict.UUIDv5(column.UUID, "AD_Field "+known),
		Values: []dict.ColumnValue{
			{Column: "AD_Tab_ID", Value: of}, {Column: "AD_Column_ID", Value: dict.Ref(column.Key)},
			{Column: "Name", Value: dict.Text(column.Text("Name"))}, {Column: "IsCentrallyMaintained", Value: dict.YesNo(true)},
			{Column: "IsDisplayed", Value: dict.YesNo(true)}, {Column: "IsDisplayedGrid", Value: dict.YesNo(true)},
			{Column: "SeqNo", Value: dict.Int(seqNo)}, {Column: "SeqNoGrid", Value: dict.Int(seqNoGrid)},
			{Column: "EntityType", Value: dict.Text(column.Text("EntityType"))},
		},
		Match: []dict.Match{{Column: "AD_Tab_ID", Value: of}, {Column: "AD_Column_ID", Value: dict.Ref(column.Key)}},
	}
}
