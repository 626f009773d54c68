package generator

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/adid"
)

// definitions puts the definitions of tables into the archive.
func (b *bundle) definitions(ctx context.Context, v values, names []string) error {
	if b.reg == nil {
		return errors.New("definitions of tables are read from the dictionary, and there is none; connect to an ERP first")
	}
	var tables []dict.Table
	for _, name := range names {
		t, notes, err := diff.Definition(ctx, b.reg, name)
		if err != nil {
			return fmt.Errorf("the definition of %s: %w", quote(name), err)
		}
		if !strings.HasPrefix(strings.ToLower(t.Name), strings.ToLower(dict.CustomPrefix)) {
			v.bad("archiveTables", t.Name, "is not one of your own: their names begin with "+dict.CustomPrefix)
			return nil
		}
		if entity := v.text("entityType"); entity != dict.DefaultEntityType {
			t.EntityType = entity
			b.ownEntity(entity)
		}
		for _, n := range notes {
			b.note("%s: %s", t.Name, n)
		}
		tables = append(tables, t)
	}
	plan, err := dict.NewPlan(&dict.Options{Element: func(column string) (int, bool) {
		e, err := b.reg.Element(ctx, column)
		return e.ID, err == nil && adid.Official(e.ID)
	}}, tables...)
	if err != nil {
		return fmt.Errorf("the definitions of %s: %w", strings.Join(names, ", "), err)
	}
	b.steps = append(b.steps, plan.Steps()...)
	b.resolve = func(e dict.Existing) (int, dict.UUID, error) { return lookUp(ctx, b.reg, e) }
	return nil
}

// lookUp finds the official id or UUID of a dictionary record by its name.
func lookUp(ctx context.Context, reg registry.Registry, e dict.Existing) (id int, uuid dict.UUID, err error) {
	name := ""
	for _, m := range e.Match {
		if t, ok := m.Value.(dict.Text); ok {
			name = string(t)
		}
	}
	if name == "" {
		return 0, "", nil
	}
	switch e.Table {
	case "AD_Table":
		var t registry.Table
		t, err = reg.Table(ctx, name)
		id, uuid = t.ID, t.UUID
	case "AD_Reference":
		var r registry.Reference
		r, err = reg.Reference(ctx, name)
		id, uuid = r.ID, r.UUID
	case "AD_Element":
		var el registry.Element
		el, err = reg.Element(ctx, name)
		id, uuid = el.ID, el.UUID
	case "AD_Process":
		var p registry.Process
		p, err = reg.Process(ctx, name)
		id, uuid = p.ID, p.UUID
	}
	if errors.Is(err, registry.ErrNotFound) {
		return 0, "", nil
	}
	return id, uuid, err
}
