package restdict

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
)

// lookupChunk is how many names go into one question: the address of a request
// stays well below the 8 KB that servers take.
const lookupChunk = 40

// inventory finds out which of the records already exist and marks them
// done. Children are requested only when their parent is there, so that a plan
// for a new table costs a handful of questions.
func (r *runner) inventory(ctx context.Context, states []*state) error {
	for {
		groups, order, settled := r.groups(states)
		for _, name := range order {
			if err := r.askGroup(ctx, groups[name]); err != nil {
				return err
			}
		}
		if len(order) == 0 && !settled {
			return nil
		}
	}
}

// group is records of one table that one query can find: all children of
// one record, or all records with one of a list of names.
type group struct {
	table  string
	column string // requested by
	value  scalar // of the parent; kind t: by name
	fold   bool
	states []*state
}

// groups sorts the records that are not looked for yet. settled tells that some
// turned out to be absent without a question, because what they belong to is
// absent.
func (r *runner) groups(states []*state) (groups map[string]*group, order []string, settled bool) {
	groups = map[string]*group{}
	for _, st := range states {
		rec, ok := st.step.(*dict.RecordStep)
		if !ok || rec.Action == dict.Update || st.status == Done || st.looked || len(rec.Match) == 0 {
			continue
		}
		absent, unknown := r.parents(rec)
		if absent {
			st.looked, settled = true, true
			continue
		}
		if unknown {
			continue
		}
		g := &group{table: rec.Table}
		for _, m := range rec.Match {
			s, _ := r.scalarOf(m.Value)
			if g.column == "" || s.kind == 'n' && g.value.kind == 't' {
				g.column, g.value, g.fold = m.Column, s, m.Fold
			}
		}
		name := g.table + "\x00" + g.column
		if g.value.kind != 't' {
			name += "\x00" + identity(g.value, false)
		}
		if groups[name] == nil {
			groups[name] = g
			order = append(order, name)
		}
		groups[name].states = append(groups[name].states, st)
	}
	return groups, order, settled
}

// parents says whether a record that this one is found by is absent, or not
// looked for yet.
func (r *runner) parents(rec *dict.RecordStep) (absent, unknown bool) {
	for _, m := range rec.Match {
		ref, ok := m.Value.(dict.Ref)
		if !ok {
			continue
		}
		switch parent := r.byKey[dict.Key(ref)]; {
		case parent.status == Done && parent.id != 0:
		case parent.looked, parent.status == Failed, parent.status == Done:
			absent = true
		default:
			unknown = true
		}
	}
	return absent, unknown
}

func (r *runner) askGroup(ctx context.Context, g *group) error {
	if g.value.kind != 't' {
		return r.ask(ctx, g.table, condition(g.column, g.value, false), g.states)
	}
	// Names that a list cannot hold are requested one by one, those the language
	// has no words for not at all.
	var listed []*state
	for _, st := range g.states {
		text := r.matchText(st, g.column)
		column, text := erp.Column(g.column), text
		if g.fold {
			column, text = erp.ToLower(g.column), strings.ToLower(text)
		}
		if ok, err := sayable(erp.In(column, text)); err != nil {
			return err
		} else if ok {
			listed = append(listed, st)
			continue
		}
		single := erp.Eq(column, text)
		if ok, err := sayable(single); err != nil {
			return err
		} else if !ok {
			st.looked = true
			continue
		}
		if err := r.ask(ctx, g.table, single, []*state{st}); err != nil {
			return err
		}
	}
	for chunk := range slices.Chunk(listed, lookupChunk) {
		names := make([]string, len(chunk))
		for i, st := range chunk {
			names[i] = r.matchText(st, g.column)
			if g.fold {
				names[i] = strings.ToLower(names[i])
			}
		}
		filter := erp.In(g.column, names...)
		if g.fold {
			filter = erp.In(erp.ToLower(g.column), names...)
		}
		if err := r.ask(ctx, g.table, filter, chunk); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) matchText(st *state, column string) string {
	for _, m := range st.step.(*dict.RecordStep).Match {
		if m.Column == column {
			s, _ := r.scalarOf(m.Value)
			return s.text
		}
	}
	return ""
}

// ask reads the records that meet the filter and recognises those of the
// states among them, by their names first, then by their UUIDs, which also
// finds what was renamed.
func (r *runner) ask(ctx context.Context, table string, filter erp.Filter, states []*state) error {
	byName, byUUID := map[string]erp.Record{}, map[string]erp.Record{}
	match := states[0].step.(*dict.RecordStep).Match
	q := &erp.Query{Filter: erp.ActiveOrNot(filter), Select: selection(table, match)}
	for rec, err := range r.client.Records(ctx, table, q) {
		if err != nil {
			return fmt.Errorf("looking for what is there: %w", err)
		}
		name := recordIdentity(rec, match)
		if _, ok := byName[name]; !ok {
			byName[name] = rec
		}
		if uuid := rec.UUID(); uuid != "" {
			byUUID[strings.ToLower(uuid)] = rec
		}
	}
	for _, st := range states {
		step := st.step.(*dict.RecordStep)
		rec, ok := byName[r.identityOf(step)]
		if !ok {
			rec, ok = byUUID[string(step.UUID)]
		}
		st.looked = true
		if ok {
			r.found(st, step, rec)
		}
	}
	return nil
}

// identityOf is the text by which the step's record is recognised.
func (r *runner) identityOf(step *dict.RecordStep) string {
	parts := make([]string, len(step.Match))
	for i, m := range step.Match {
		s, _ := r.scalarOf(m.Value)
		parts[i] = identity(s, m.Fold)
	}
	return strings.Join(parts, "\x00")
}

// selection keeps the responses small for elements, of which there may be many;
// of other records all columns are compared with the plan.
func selection(table string, match []dict.Match) []string {
	if table != "AD_Element" {
		return nil
	}
	columns := []string{"IsActive", "Created"}
	for _, m := range match {
		if !slices.Contains(columns, m.Column) {
			columns = append(columns, m.Column)
		}
	}
	return columns
}

// found marks a step whose record is there.
func (r *runner) found(st *state, step *dict.RecordStep, rec erp.Record) {
	st.take(rec)
	if active, ok := rec.Bool("IsActive"); ok && !active && step.Action == dict.Create {
		st.err = fmt.Errorf("%s %s is in the ERP but deactivated; activate it or remove it: %w", step.Table, quote(step.Name), ErrInactive)
		return
	}
	st.status, st.outcome, st.err = Done, Found, nil
	if step.Action == dict.Create {
		st.diffs = r.differences(step, rec)
	}
}

// differences compares a record that was found with what the plan would have
// written.
func (r *runner) differences(step *dict.RecordStep, rec erp.Record) []Difference {
	var diffs []Difference
	for _, f := range step.Values {
		if unwritable(step.Table, f.Column) || ownedByElement(step.Table, f.Column) {
			continue
		}
		s, ok := r.scalarOf(f.Value)
		if !ok || isRef(f.Value) {
			continue // what it refers to is made or found by its own step
		}
		has, wanted := columnText(rec, f.Column), identity(s, false)
		if has == "" && (wanted == "0" || wanted == "N" || wanted == "") {
			continue // the server leaves out what is empty
		}
		if has != wanted {
			diffs = append(diffs, Difference{Column: f.Column, Has: has, Wanted: wanted})
		}
	}
	return diffs
}

func isRef(v dict.Value) bool {
	_, ok := v.(dict.Ref)
	return ok
}

// ownedByElement reports whether the ERP takes the column from the element,
// whatever is written.
func ownedByElement(table, column string) bool {
	if table != "AD_Column" && table != "AD_Field" {
		return false
	}
	switch column {
	case "ColumnName", "Name", "Description", "Help", "Placeholder":
		return true
	}
	return false
}
