package diff

import (
	"reflect"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict"
)

// Plan is the plan that makes the ERP what the definitions say: records that
// are missing, then updates, then the synchronisation of the tables that need
// it, then windows, and what is removed at the end. Records that are there are
// referred to by what they are found by. A result without changes gives a plan
// without steps.
func (r *Result) Plan() (*dict.Plan, error) {
	clone := *r // takes notes that are the plan's
	r = &clone
	kept := r.kept()
	restored := r.restore()
	before := slices.Clone(restored)
	var after []dict.Step // from the first process on
	processes := false
	for _, step := range r.full.Steps() {
		if !kept[step.StepKey()] {
			continue
		}
		_, process := step.(*dict.RunStep)
		processes = processes || process
		if processes {
			after = append(after, r.substitute(step, kept))
		} else {
			before = append(before, r.substitute(step, kept))
		}
	}
	changed := map[string][]dict.Key{} // by lower-case table name
	for _, step := range restored {
		for name := range r.synced {
			changed[name] = append(changed[name], step.StepKey())
		}
	}
	update := func(into *[]dict.Step, key dict.Key, c *Change, values ...dict.ColumnValue) {
		for i := range values {
			values[i].Value = r.value(values[i].Value, kept)
		}
		step := &dict.RecordStep{Key: key, Action: dict.Update, Table: c.record.Table, Name: c.Name,
			Match: r.matches(c.record.Match, kept), Values: values}
		if ref, ok := r.value(c.record, kept).(dict.Ref); ok {
			step.Of, step.Match = dict.Key(ref), nil
		}
		*into = append(*into, step)
		changed[strings.ToLower(c.Table)] = append(changed[strings.ToLower(c.Table)], key)
	}
	var removals []dict.Step
	for i := range r.Changes {
		c := &r.Changes[i]
		path := dict.Key(c.record.Table + "." + c.Name)
		switch {
		case c.Action == Update && c.key == "":
			var values []dict.ColumnValue
			for _, a := range c.Attributes {
				if a.Column != "IsActive" {
					values = append(values, dict.ColumnValue{Column: a.Column, Value: a.value})
				}
			}
			if len(values) == 0 {
				continue // switching it on was all
			}
			update(&before, "update."+path, c, values...)
		case c.Action == Create && len(r.texts[c.key]) > 0:
			key := "texts." + c.key
			before = append(before, &dict.RecordStep{Key: key, Action: dict.Update, Table: "AD_Column", Name: c.Name, Of: c.key,
				Values: slices.Clone(r.texts[c.key])})
		case c.Action == Remove:
			if c.relax {
				update(&before, "relax."+path, c, dict.ColumnValue{Column: "IsMandatory", Value: dict.YesNo(false)})
			}
			removals = append(removals, &dict.RecordStep{Key: "remove." + path, Action: dict.Update, Table: c.record.Table, Name: c.Name,
				Match: r.matches(c.record.Match, kept), Values: []dict.ColumnValue{{Column: "IsActive", Value: dict.YesNo(false)}}})
		}
	}
	for _, step := range after {
		if p, ok := step.(*dict.RunStep); ok && p.Purpose == dict.SyncTable {
			p.After = append(p.After, changed[strings.ToLower(p.Name)]...)
		}
	}
	return dict.Assemble(r.full.Name(), slices.Concat(before, after, removals)...)
}

// restore are the steps that switch records on which are there but switched off.
// They come first, because the rest finds only what is on; it refers to those
// records by these steps.
func (r *Result) restore() []dict.Step {
	r.restored = nil
	var steps []dict.Step
	for _, c := range r.Changes {
		if c.Action != Update || !slices.ContainsFunc(c.Attributes, func(a Attribute) bool { return a.Column == "IsActive" }) {
			continue
		}
		key := dict.Key("restore." + c.record.Table + "." + c.Name)
		steps = append(steps, &dict.RecordStep{Key: key, Action: dict.Update, Table: c.record.Table, Name: c.Name,
			Match: r.matches(c.record.Match, nil), Values: []dict.ColumnValue{{Column: "IsActive", Value: dict.YesNo(true)}}})
		r.restored = append(r.restored, restoredRecord{c.record, key})
	}
	return steps
}

// restoredRecord is a record that a step of the plan switches on.
type restoredRecord struct {
	record dict.Existing
	key    dict.Key
}

// kept are the steps of the full plan that are needed: records that are not
// there, with the elements they refer to, and processes of what changes.
func (r *Result) kept() map[dict.Key]bool {
	kept := map[dict.Key]bool{}
	steps := r.full.Steps()
	for _, step := range steps {
		key := step.StepKey()
		switch s := step.(type) {
		case *dict.RecordStep:
			_, there := r.found[key]
			kept[key] = !there && s.Table != "AD_Element"
		case *dict.RunStep:
			switch s.Purpose {
			case dict.SyncTable:
				kept[key] = r.synced[strings.ToLower(s.Name)]
			case dict.ValidateIndex:
				kept[key] = r.rebuilt[s.Name]
			}
		}
	}
	for _, step := range steps {
		rec, ok := step.(*dict.RecordStep)
		if !ok || !kept[rec.Key] {
			continue
		}
		for _, need := range rec.Needs() {
			if e, ok := r.full.Step(need); ok {
				if element, ok := e.(*dict.RecordStep); ok && element.Table == "AD_Element" {
					kept[need] = true
				}
			}
		}
	}
	return kept
}

// substitute is a step whose references to steps that are not kept lead to the
// records in the ERP.
func (r *Result) substitute(step dict.Step, kept map[dict.Key]bool) dict.Step {
	switch s := step.(type) {
	case *dict.RecordStep:
		out := *s
		out.Values = slices.Clone(s.Values)
		for i := range out.Values {
			out.Values[i].Value = r.value(out.Values[i].Value, kept)
			if n, ok := r.seqNo[s.Key]; ok && out.Values[i].Column == "SeqNo" {
				out.Values[i].Value = dict.Int(n)
			}
		}
		out.Match = r.matches(s.Match, kept)
		if out.Of != "" && !kept[out.Of] {
			if e, ok := r.found[out.Of].(dict.Existing); ok {
				out.Of, out.Match = "", r.matches(e.Match, kept)
				if ref, ok := r.value(e, kept).(dict.Ref); ok {
					out.Of, out.Match = dict.Key(ref), nil
				}
			}
		}
		return &out
	case *dict.RunStep:
		out := *s
		out.Record = r.value(s.Record, kept)
		out.After = nil
		for _, key := range s.After {
			if kept[key] {
				out.After = append(out.After, key)
			}
		}
		return &out
	}
	return step
}

func (r *Result) value(v dict.Value, kept map[dict.Key]bool) dict.Value {
	switch v := v.(type) {
	case dict.Ref:
		if there, ok := r.found[dict.Key(v)]; ok && !kept[dict.Key(v)] {
			return r.value(there, kept)
		}
	case dict.Existing:
		for _, s := range r.restored {
			if reflect.DeepEqual(s.record, v) {
				return dict.Ref(s.key)
			}
		}
		v.Match = r.matches(v.Match, kept)
		return v
	}
	return v
}

func (r *Result) matches(list []dict.Match, kept map[dict.Key]bool) []dict.Match {
	out := slices.Clone(list)
	for i := range out {
		out[i].Value = r.value(out[i].Value, kept)
	}
	return out
}

// SynchroniseAll makes the plan synchronise every table and build every index
// of the definitions, also those without changes: for when the dictionary is
// right and the database may not be, as after a run that was broken off.
func (r *Result) SynchroniseAll() {
	for _, step := range r.full.Steps() {
		p, ok := step.(*dict.RunStep)
		if !ok {
			continue
		}
		switch p.Purpose {
		case dict.SyncTable:
			r.synced[strings.ToLower(p.Name)] = true
		case dict.ValidateIndex:
			r.rebuilt[p.Name] = true
		}
	}
}
