package diff

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict"
)

// PlanOptions are the options of [NewPlan]; nil means none of them.
type PlanOptions struct {
	// SynchroniseAll synchronises every table and builds every index of the
	// definitions, also those without changes: for when the dictionary is right
	// and the database may not be, as after a run that was broken off.
	SynchroniseAll bool
}

// NewPlan is the plan that makes the ERP what the definitions say: records that
// are missing, then updates, then the synchronisation of the tables that need
// it, then windows, and what is removed at the end. Records that are there are
// referred to by what they are found by. A result without changes gives a plan
// without steps.
func NewPlan(r *Result, opts *PlanOptions) (*dict.Plan, error) {
	if r.Wanted == nil {
		return nil, errors.New("planning changes: the result has no Wanted side; use one that Compare returned")
	}
	p := &planner{Result: r, synced: map[string]bool{}, rebuilt: map[string]bool{}, numbers: map[dict.Key]dict.Value{}}
	if opts != nil {
		p.all = opts.SynchroniseAll
	}
	for i := range r.Changes {
		p.note(&r.Changes[i])
	}
	p.keep()
	return p.plan()
}

// planner makes one plan from a result, which it does not change.
type planner struct {
	*Result
	all bool // synchronise all

	// What the changes call for, before any step is made.
	synced  map[string]bool         // lower-case names of tables to synchronise
	rebuilt map[string]bool         // lower-case names of indexes to build
	numbers map[dict.Key]dict.Value // SeqNo of created columns that get another
	kept    map[dict.Key]bool       // steps of Wanted that are needed

	renaming map[dict.Key]bool // elements of renamed columns, which come first
	restored []restoredRecord  // records that steps of the plan activate
	changed  []changedRecord
}

// restoredRecord is a record that a step of the plan activates.
type restoredRecord struct {
	record dict.Existing
	step   dict.Key
}

// changedRecord is a step that a table's synchronisation has to come after.
type changedRecord struct {
	table string // lower-case; empty: every table
	step  dict.Key
}

// note collects what a change calls for besides its own record.
func (p *planner) note(c *Change) {
	switch c.Kind {
	case KindDatabase:
		p.synced[strings.ToLower(c.Table)] = true
	case KindTable:
		if c.Action == Create {
			p.synced[strings.ToLower(c.Table)] = true
		}
	case KindColumn:
		if p.physical(c) {
			p.synced[strings.ToLower(c.Table)] = true
		}
		for _, v := range c.Values {
			if v.Column == "SeqNo" {
				p.numbers[c.Step] = v.Value
			}
		}
	case KindIndex:
		if c.Action != Remove {
			p.rebuilt[strings.ToLower(c.Name)] = true
		}
	case KindIndexColumn:
		if dot := strings.LastIndexByte(c.Name, '.'); dot >= 0 { // index.column
			p.rebuilt[strings.ToLower(c.Name[:dot])] = true
		}
	}
}

// physical reports whether a change of a column reaches the database.
func (p *planner) physical(c *Change) bool {
	if c.Action == Remove {
		return c.MakeOptional
	}
	step, _ := p.Wanted.Step(c.Step)
	if column, ok := step.(*dict.RecordStep); ok && column.Text("ColumnSQL") != "" {
		return false
	}
	return c.Action == Create || slices.ContainsFunc(c.Attributes, func(a Attribute) bool { return physicalAttribute(a.Column) })
}

// physicalAttribute reports whether a change of the attribute reaches the
// database.
func physicalAttribute(column string) bool {
	switch column {
	case "AD_Reference_ID", "FieldLength", "IsMandatory", "DefaultValue", "FKConstraintType", "FKConstraintName",
		"AD_Reference_Value_ID", "ColumnSQL", "IsActive", "IsKey":
		return true
	}
	return false
}

// keep decides which steps of Wanted are needed: records that are not there,
// with the elements they refer to, and processes of what changes.
func (p *planner) keep() {
	p.kept = map[dict.Key]bool{}
	steps := p.Wanted.Steps()
	for _, step := range steps {
		key := step.StepKey()
		switch s := step.(type) {
		case *dict.RecordStep:
			_, there := p.Found[key]
			p.kept[key] = !there && s.Table != "AD_Element"
		case *dict.RunStep:
			switch s.Purpose {
			case dict.SyncTable:
				p.kept[key] = p.all || p.synced[strings.ToLower(s.Name)]
			case dict.ValidateIndex:
				p.kept[key] = p.all || p.rebuilt[strings.ToLower(s.Name)]
			}
		}
	}
	p.renaming = p.renamedElements()
	maps.Copy(p.kept, p.renaming)
	for _, step := range steps {
		rec, ok := step.(*dict.RecordStep)
		if !ok || !p.kept[rec.Key] {
			continue
		}
		for _, need := range rec.Needs() {
			step, _ := p.Wanted.Step(need)
			if element, ok := step.(*dict.RecordStep); ok && element.Table == "AD_Element" {
				p.kept[need] = true
			}
		}
	}
}

// waitForChanges has tables synchronised after the changes of their columns.
func (p *planner) waitForChanges(steps []dict.Step) {
	for _, step := range steps {
		run, ok := step.(*dict.RunStep)
		if !ok || run.Purpose != dict.SyncTable {
			continue
		}
		for _, c := range p.changed {
			if c.table == "" || c.table == strings.ToLower(run.Name) {
				run.After = append(run.After, c.step)
			}
		}
	}
}

// plan puts the steps in order.
func (p *planner) plan() (*dict.Plan, error) {
	first := p.renames()
	before := p.restore() // up to the first process
	var after []dict.Step // from it on
	for _, step := range p.Wanted.Steps() {
		if !p.kept[step.StepKey()] || p.renaming[step.StepKey()] {
			continue
		}
		if _, process := step.(*dict.RunStep); process || len(after) > 0 {
			after = append(after, p.substitute(step))
		} else {
			before = append(before, p.substitute(step))
		}
	}
	var removals []dict.Step
	for i := range p.Changes {
		c := &p.Changes[i]
		switch c.Action {
		case Create:
			before = append(before, p.texts(c)...)
		case Update:
			before = append(before, p.update(c)...)
		case Remove:
			relax, remove := p.remove(c)
			before, removals = append(before, relax...), append(removals, remove)
		}
	}
	p.waitForChanges(after)
	return dict.Assemble(p.Wanted.Name(), slices.Concat(first, before, after, removals)...)
}

// restore are the steps that activate records which are there but inactive.
// They come first, because the rest finds only what is active; it refers to
// those records by these steps.
func (p *planner) restore() []dict.Step {
	var steps []dict.Step
	for i := range p.Changes {
		c := &p.Changes[i]
		if c.Action != Update || !slices.ContainsFunc(c.Attributes, func(a Attribute) bool { return a.Column == "IsActive" }) {
			continue
		}
		key := "restore." + c.path()
		record := p.renamedRecord(c.Record)
		steps = append(steps, &dict.RecordStep{Key: key, Action: dict.Update, Table: c.Record.Table, Name: c.Name,
			Match: p.matches(record.Match), Values: []dict.ColumnValue{{Column: "IsActive", Value: dict.YesNo(true)}}})
		p.restored = append(p.restored, restoredRecord{record, key})
		p.changed = append(p.changed, changedRecord{"", key})
	}
	return steps
}

// path names the record of an update or removal in keys of steps.
func (c *Change) path() dict.Key { return dict.Key(c.Record.Table + "." + c.Name) }

// update are the steps of a change of attributes, apart from IsActive, which
// restore deals with.
func (p *planner) update(c *Change) []dict.Step {
	if _, found := p.Found[c.Step]; !found {
		return nil // the step of Wanted makes the change
	}
	var values []dict.ColumnValue
	for _, a := range c.Attributes {
		if a.Column != "IsActive" {
			values = append(values, dict.ColumnValue{Column: a.Column, Value: a.Value})
		}
	}
	if len(values) == 0 {
		return nil
	}
	return []dict.Step{p.change("update."+c.path(), c, values...)}
}

// texts is the step that gives a created column its own texts. The ERP takes
// those of the element when it makes the record, so they are written after it.
func (p *planner) texts(c *Change) []dict.Step {
	var values []dict.ColumnValue
	for _, v := range c.Values {
		if v.Column != "SeqNo" {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return nil
	}
	return []dict.Step{&dict.RecordStep{Key: "texts." + c.Step, Action: dict.Update, Table: "AD_Column", Name: c.Name, Of: c.Step, Values: values}}
}

// remove are the steps of a removal: what makes a column optional comes before
// its table is synchronised, and the removal itself at the end of the plan.
func (p *planner) remove(c *Change) (relax []dict.Step, remove dict.Step) {
	if c.MakeOptional {
		relax = append(relax, p.change("relax."+c.path(), c, dict.ColumnValue{Column: "IsMandatory", Value: dict.YesNo(false)}))
	}
	return relax, &dict.RecordStep{Key: "remove." + c.path(), Action: dict.Update, Table: c.Record.Table, Name: c.Name,
		Match: p.matches(c.Record.Match), Values: []dict.ColumnValue{{Column: "IsActive", Value: dict.YesNo(false)}}}
}

// change is a step that writes values to a change's record, and that comes
// before the synchronisation of the change's table.
func (p *planner) change(key dict.Key, c *Change, values ...dict.ColumnValue) dict.Step {
	for i := range values {
		values[i].Value = p.value(values[i].Value)
	}
	step := &dict.RecordStep{Key: key, Action: dict.Update, Table: c.Record.Table, Name: c.Name, Values: values}
	p.locate(step, c.Record)
	p.changed = append(p.changed, changedRecord{strings.ToLower(c.Table), key})
	return step
}

// locate says which record a step is about: one that the ERP has, or that an
// earlier step activates.
func (p *planner) locate(step *dict.RecordStep, record dict.Existing) {
	switch v := p.value(record).(type) {
	case dict.Ref:
		step.Of, step.Match = dict.Key(v), nil
	case dict.Existing:
		step.Of, step.Match = "", v.Match
	}
}

// substitute is a step of Wanted whose references to steps that are not kept
// lead to the records in the ERP.
func (p *planner) substitute(step dict.Step) dict.Step {
	switch s := step.(type) {
	case *dict.RecordStep:
		out := *s
		if p.taken[s.Key] || p.taken[allTaken] && s.UUID != "" {
			out.UUID = dict.UUIDv5(s.UUID, "after a rename")
		}
		out.Values = slices.Clone(s.Values)
		for i := range out.Values {
			out.Values[i].Value = p.value(out.Values[i].Value)
			if n, ok := p.numbers[s.Key]; ok && out.Values[i].Column == "SeqNo" {
				out.Values[i].Value = n
			}
		}
		out.Match = p.matches(s.Match)
		if record, found := p.Found[s.Of]; found && !p.kept[s.Of] {
			p.locate(&out, record)
		}
		return &out
	case *dict.RunStep:
		out := *s
		out.Record = p.value(s.Record)
		out.After = slices.DeleteFunc(slices.Clone(s.After), func(key dict.Key) bool { return !p.kept[key] })
		return &out
	}
	return step
}

// value is a value of a step as the plan has it: references to what is not made
// lead to the ERP's record, or to the step that activates it.
func (p *planner) value(v dict.Value) dict.Value {
	switch v := v.(type) {
	case dict.Ref:
		if record, found := p.Found[dict.Key(v)]; found && !p.kept[dict.Key(v)] {
			return p.value(record)
		}
	case dict.Existing:
		v = p.renamedRecord(v)
		for _, r := range p.restored {
			if reflect.DeepEqual(r.record, v) {
				return dict.Ref(r.step)
			}
		}
		v.Match = p.matches(v.Match)
		return v
	}
	return v
}

func (p *planner) matches(list []dict.Match) []dict.Match {
	out := slices.Clone(list)
	for i := range out {
		out[i].Value = p.value(out[i].Value)
	}
	return out
}
