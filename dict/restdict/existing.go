package restdict

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
)

// wanted is a record outside the plan that a step refers to.
type wanted struct {
	existing dict.Existing
	step     dict.Key
	number   int // records found
}

// resolveExisting finds every record outside the plan that the steps left to do
// refer to. What is missing is reported all at once.
func (r *runner) resolveExisting(ctx context.Context) error {
	var order []*wanted
	known := map[string]*wanted{}
	var want func(v dict.Value, step dict.Key)
	want = func(v dict.Value, step dict.Key) {
		e, ok := v.(dict.Existing)
		if !ok || len(e.Match) == 0 {
			return
		}
		name := existingName(e)
		if known[name] != nil {
			return
		}
		for _, m := range e.Match {
			want(m.Value, step) // what it is found by comes first
		}
		w := &wanted{existing: e, step: step}
		known[name] = w
		order = append(order, w)
	}
	for _, st := range r.states {
		if st.status == Done {
			continue
		}
		switch step := st.step.(type) {
		case *dict.RecordStep:
			for _, m := range step.Match {
				want(m.Value, step.Key)
			}
			for _, f := range step.Values {
				want(f.Value, step.Key)
			}
		case *dict.RunStep:
			want(step.Record, step.Key)
			r.wantTargets(step, want)
		}
	}
	if err := r.findWanted(ctx, order); err != nil {
		return err
	}
	var missing []Missing
	for _, w := range order {
		if _, ok := r.existing[existingName(w.existing)]; !ok {
			missing = append(missing, Missing{Table: w.existing.Table, What: existingText(w.existing), For: w.step, Number: w.number})
		}
	}
	if len(missing) > 0 {
		return &MissingError{Missing: missing}
	}
	return nil
}

// wantTargets requests the tables that foreign keys will point at: without them
// the synchronisation would fail after everything else was made.
func (r *runner) wantTargets(step *dict.RunStep, want func(dict.Value, dict.Key)) {
	if step.Physical == nil {
		return
	}
	for _, c := range step.Physical.Columns {
		if c.Foreign == nil || c.Foreign.Table == "" || r.byKey[dict.Key(c.Foreign.Table)] != nil || r.renames(c.Foreign.Table) {
			continue
		}
		want(dict.Existing{Table: "AD_Table", Match: []dict.Match{{Column: "TableName", Value: dict.Text(c.Foreign.Table), Fold: true}}},
			dict.Key("AD_Column."+step.Name+"."+c.Name))
	}
}

// findWanted requests the records: those found by a name together, the others
// one by one, because they hang on each other.
func (r *runner) findWanted(ctx context.Context, order []*wanted) error {
	type names struct {
		table, column string
		fold          bool
	}
	byName := map[names][]*wanted{}
	var tables []names
	for _, w := range order {
		if m := w.existing.Match[0]; len(w.existing.Match) == 1 {
			if text, ok := m.Value.(dict.Text); ok && m.Column != w.existing.Table+"_UU" {
				if listable, err := sayable(erp.In(m.Column, string(text))); err == nil && listable {
					n := names{w.existing.Table, m.Column, m.Fold}
					if byName[n] == nil {
						tables = append(tables, n)
					}
					byName[n] = append(byName[n], w)
				}
			}
		}
	}
	for _, n := range tables {
		for chunk := range slices.Chunk(byName[n], lookupChunk) {
			if err := r.findNamed(ctx, n.table, n.column, n.fold, chunk); err != nil {
				return err
			}
		}
	}
	for _, w := range order {
		if _, ok := r.existing[existingName(w.existing)]; ok || w.number > 1 {
			continue
		}
		if err := r.findOne(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// findNamed finds records of one table by name.
func (r *runner) findNamed(ctx context.Context, table, column string, fold bool, list []*wanted) error {
	texts := make([]string, len(list))
	byText := map[string]*wanted{}
	for i, w := range list {
		s, _ := r.scalarOf(w.existing.Match[0].Value)
		texts[i] = identity(s, fold)
		byText[texts[i]] = w
	}
	filter := erp.In(column, texts...)
	if fold {
		filter = erp.In(erp.ToLower(column), texts...)
	}
	match := []dict.Match{{Column: column, Fold: fold}}
	for rec, err := range r.client.Records(ctx, table, &erp.Query{Filter: filter, Select: []string{column}}) {
		if err != nil {
			return fmt.Errorf("looking for what the plan refers to: %w", err)
		}
		if w := byText[recordIdentity(rec, match)]; w != nil {
			r.noteWanted(w, rec)
		}
	}
	return nil
}

// noteWanted takes a record that was found. When there are several the one with
// the id the plan names is meant, if it names one.
func (r *runner) noteWanted(w *wanted, rec erp.Record) {
	id, ok := rec.ID().Int()
	if !ok {
		return
	}
	name := existingName(w.existing)
	w.number++
	switch {
	case w.number == 1, w.existing.ID != 0 && id == int64(w.existing.ID):
		r.existing[name] = id
	}
	if w.number > 1 && (w.existing.ID == 0 || r.existing[name] != int64(w.existing.ID)) {
		delete(r.existing, name)
	}
}

// findOne finds a record by all its conditions, or by the id the plan names.
func (r *runner) findOne(ctx context.Context, w *wanted) error {
	e := w.existing
	var conditions []erp.Filter
	for _, m := range e.Match {
		s, ok := r.scalarOf(m.Value)
		if !ok {
			return nil // what it is found by is missing itself
		}
		conditions = append(conditions, condition(m.Column, s, m.Fold))
	}
	filter := erp.And(conditions...)
	ok, err := sayable(filter)
	if err != nil {
		return err
	}
	if uuid, one := uuidOf(e); one {
		return r.getWanted(ctx, w, erp.UUID(uuid), e.Table+"_UU")
	}
	if ok && w.number == 0 {
		page, err := r.client.Query(ctx, e.Table, &erp.Query{Filter: filter, Top: 10, Select: []string{e.Match[0].Column}})
		if err != nil {
			return fmt.Errorf("looking for what the plan refers to: %w", err)
		}
		for _, rec := range page.Records {
			r.noteWanted(w, rec)
		}
	}
	if _, found := r.existing[existingName(e)]; found || e.ID == 0 || w.number > 1 {
		return nil
	}
	return r.getWanted(ctx, w, erp.IntID(int64(e.ID)), e.Match[0].Column)
}

func (r *runner) getWanted(ctx context.Context, w *wanted, id erp.ID, column string) error {
	rec, err := r.client.Get(ctx, w.existing.Table, id, &erp.GetOptions{Select: []string{column}})
	if err == nil {
		r.noteWanted(w, rec)
	} else if !errors.Is(err, erp.ErrNotFound) {
		return fmt.Errorf("looking for what the plan refers to: %w", err)
	}
	return nil
}
