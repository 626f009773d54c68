package diff

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
)

// allTaken stands in Result.taken for every step: a table is to be made under the
// former name of a renamed one, whose columns have the UUIDs of all its steps.
const allTaken dict.Key = "*"

// findTaken checks whether the UUID of a table to be made belongs to one that was renamed.
func (c *comparer) findTaken(ctx context.Context, key dict.Key) error {
	_, err := c.reg.Table(ctx, string(c.stepRecord(key).UUID), registry.WithInactive, registry.WithoutColumns)
	if errors.Is(err, registry.ErrNotFound) {
		return nil
	}
	c.out.taken[allTaken] = true
	return err
}

// renames are the steps that rename, which come before all others: tables, then
// columns with the terms they take their new names from, then what only the
// dictionary knows.
func (p *planner) renames() []dict.Step {
	var steps []dict.Step
	for _, step := range p.Wanted.Steps() {
		if p.renaming[step.StepKey()] {
			steps = append(steps, p.substitute(step))
		}
	}
	for _, kind := range []Kind{KindTable, KindColumn, KindReference, KindWindow} {
		for i := range p.Changes {
			if c := &p.Changes[i]; c.Action == Rename && c.Kind == kind {
				steps = append(steps, p.rename(c))
			}
		}
	}
	return steps
}

func (p *planner) rename(c *Change) dict.Step {
	switch c.Kind {
	case KindTable:
		t := p.Result.renames.tables[strings.ToLower(c.Name)]
		key := dict.Key("rename.AD_Table." + c.Name)
		p.changed = append(p.changed, changedRecord{"", key}) // keys of other tables are renamed with it
		return &dict.RunStep{Key: key, Purpose: dict.RenameTable, Name: c.Name, Table: "AD_Table",
			Record: byUUID("AD_Table", t.uuid), Rename: &dict.Rename{UUID: t.uuid, From: t.from, To: t.to}}
	case KindColumn:
		name := c.Name[len(c.Table)+1:]
		uuid := p.Result.renames.uuids[strings.ToLower(c.Table)][strings.ToLower(name)]
		element := elementOf(p.Wanted, c.Step)
		rename := &dict.Rename{UUID: uuid, Table: c.Table, From: c.Was, To: name, Element: element}
		key := dict.Key("rename.AD_Column." + c.Name)
		p.changed = append(p.changed, changedRecord{strings.ToLower(c.Table), key})
		step, _ := p.Wanted.Step(c.Step)
		if column, ok := step.(*dict.RecordStep); ok && column.Text("ColumnSQL") != "" { // the database does not know it
			return &dict.RecordStep{Key: key, Action: dict.Update, Table: "AD_Column", Name: c.Name,
				Match:  byUUID("AD_Column", uuid).Match,
				Values: []dict.ColumnValue{{Column: "AD_Element_ID", Value: dict.Ref(element)}}}
		}
		return &dict.RunStep{Key: key, Purpose: dict.RenameColumn, Name: c.Name, Table: "AD_Column",
			Record: byUUID("AD_Column", uuid), Rename: rename}
	}
	return &dict.RecordStep{Key: "rename." + c.path(), Action: dict.Update, Table: c.Record.Table, Name: c.Name,
		Match:  p.renamedRecord(c.Record).Match,
		Values: []dict.ColumnValue{{Column: "Name", Value: dict.Text(c.Name)}}}
}

// elementOf is the step of the term that a column step refers to.
func elementOf(plan *dict.Plan, column dict.Key) dict.Key {
	step, _ := plan.Step(column)
	if r, ok := step.(*dict.RecordStep); ok {
		v, _ := r.Value("AD_Element_ID")
		if ref, ok := v.(dict.Ref); ok {
			return dict.Key(ref)
		}
	}
	return ""
}

// renamedElements are the steps of the terms that renamed columns take.
func (p *planner) renamedElements() map[dict.Key]bool {
	out := map[dict.Key]bool{}
	for _, c := range p.Changes {
		if c.Action == Rename && c.Kind == KindColumn {
			out[elementOf(p.Wanted, c.Step)] = true
		}
	}
	return out
}

// byUUID is a record of the ERP by its UUID, which stays when it is renamed.
func byUUID(table string, uuid dict.UUID) dict.Existing {
	return dict.Existing{Table: table, Match: []dict.Match{{Column: table + "_UU", Value: dict.Text(uuid)}}}
}

// renamedRecord is a record by what it is found by before and after it is renamed.
func (p *planner) renamedRecord(e dict.Existing) dict.Existing {
	r := p.Result.renames
	if r == nil {
		return e
	}
	switch e.Table {
	case "AD_Reference":
		if f, ok := r.references[textOf(e.Match, "Name")]; ok {
			return byUUID(e.Table, f.uuid)
		}
	case "AD_Window":
		if f, ok := r.windows[textOf(e.Match, "Name")]; ok {
			return byUUID(e.Table, f.uuid)
		}
	case "AD_Table":
		if t, ok := r.tables[strings.ToLower(textOf(e.Match, "TableName"))]; ok {
			return byUUID(e.Table, t.uuid)
		}
	case "AD_Column":
		for _, m := range e.Match {
			table, ok := m.Value.(dict.Existing)
			if !ok || table.Table != "AD_Table" {
				continue
			}
			owner, name := strings.ToLower(textOf(table.Match, "TableName")), strings.ToLower(textOf(e.Match, "ColumnName"))
			if uuid := cmp.Or(r.uuids[owner][name], r.keyUUIDs[owner][name]); uuid != "" {
				return byUUID(e.Table, uuid)
			}
		}
	}
	return e
}

func textOf(matches []dict.Match, column string) string {
	for _, m := range matches {
		if text, ok := m.Value.(dict.Text); ok && m.Column == column {
			return string(text)
		}
	}
	return ""
}
