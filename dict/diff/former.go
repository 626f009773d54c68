package diff

import (
	"context"
	"fmt"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
)

// Former are definitions of the tables that a result changes as the ERP has them
// before it is applied: comparing them afterwards gives the changes that take it back.
// Tables that are made are removed, and what is renamed gets its name back. The
// registry is the one that was compared with.
//
// Lists, elements, fields, and windows made for a table that was there stay.
func Former(ctx context.Context, reg registry.Registry, r *Result) ([]dict.Table, error) {
	var tables []dict.Table
	seen := map[string]bool{}
	for _, c := range r.Changes {
		if c.Kind == KindDatabase || seen[c.Table] {
			continue
		}
		seen[c.Table] = true
		t, err := r.former(ctx, reg, c.Table)
		if err != nil {
			return nil, fmt.Errorf("describing %s as it is: %w", c.Table, err)
		}
		tables = append(tables, t)
	}
	return tables, nil
}

func (r *Result) former(ctx context.Context, reg registry.Registry, table string) (dict.Table, error) {
	names := map[string]string{} // of the kind and the former name: the new one
	name := table
	for _, c := range r.Changes {
		switch {
		case c.Table != table:
		case c.Action == Create && c.Kind == KindTable:
			return dict.Table{Name: table, Removed: true}, nil
		case c.Action != Rename:
		case c.Kind == KindTable:
			name = c.Was
		default:
			names[string(c.Kind)+" "+c.Was] = strings.TrimPrefix(c.Name, table+".")
		}
	}
	t, _, err := Definition(ctx, reg, name)
	if err != nil {
		return t, err
	}
	if name != table {
		t.Was = table
	}
	giveBack(&t, names)
	return t, nil
}

// giveBack says of what is renamed how it is called by then.
func giveBack(t *dict.Table, names map[string]string) {
	for i := range t.Columns {
		col := &t.Columns[i]
		col.Was = names[string(KindColumn)+" "+col.Name]
		if col.Reference != nil {
			named := *col.Reference
			named.Was = names[string(KindReference)+" "+named.Name]
			col.Reference = &named
		}
	}
	for was, now := range names {
		if t.Window != nil && strings.HasPrefix(was, string(KindWindow)+" ") {
			w := *t.Window
			w.Was, t.Window = now, &w
		}
	}
}
