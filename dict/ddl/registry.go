package ddl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
)

// ViewError is a table that is a view, which has no DDL here.
type ViewError struct{ Table string }

// Error says what to do instead.
func (e *ViewError) Error() string {
	return fmt.Sprintf("%s is a view: the ERP creates it from its view components; it is not synchronised", e.Table)
}

// FromRegistry is a table of the dictionary as it has to be in the database: its
// active columns that are not virtual. The error matches [registry.ErrNotFound] when
// there is no such table, and is a [*ViewError] for a view.
func FromRegistry(ctx context.Context, reg registry.Registry, table string) (*dict.Physical, error) {
	info, err := reg.Table(ctx, table)
	if err != nil {
		return nil, err
	}
	if info.View {
		return nil, &ViewError{Table: info.Name}
	}
	if !identifier(info.Name) {
		return nil, fmt.Errorf("the dictionary calls a table %q, which is not a name in the database", info.Name)
	}
	p := &dict.Physical{Table: info.Name}
	taken := map[string]bool{}
	for _, c := range info.Columns {
		taken[strings.ToLower(c.ForeignKeyName)] = true
	}
	for _, c := range info.Columns {
		if !c.Active || c.Virtual() {
			continue
		}
		if !identifier(c.Name) {
			return nil, fmt.Errorf("the dictionary calls a column of %s %q, which is not a name in the database", info.Name, c.Name)
		}
		pc := dict.PhysicalColumn{
			Name: c.Name, Type: c.Type, Length: c.Length, Mandatory: c.Mandatory, Default: c.Default,
			Key: c.Key, UUID: c.Type == dict.TypeUUID && strings.EqualFold(c.Name, info.Name+"_UU"),
		}
		if pc.Foreign, err = foreignOf(ctx, reg, info, c, taken); err != nil {
			return nil, err
		}
		p.Columns = append(p.Columns, pc)
	}
	if len(p.Columns) == 0 {
		return nil, fmt.Errorf("the table %s has no column for the database; add columns first", info.Name)
	}
	slices.SortStableFunc(p.Columns, func(a, b dict.PhysicalColumn) int {
		return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return p, nil
}

// foreignOf is the foreign key that the ERP makes for a column, or nil.
func foreignOf(ctx context.Context, reg registry.Registry, table registry.Table, c registry.Column, taken map[string]bool) (*dict.ForeignKey, error) {
	if c.Key || c.Type == dict.TypeUUID || c.Type.IsList() || c.Type.IsMultiple() || c.ForeignTable == "" || !identifier(c.ForeignTable) {
		return nil, nil
	}
	target, err := reg.Table(ctx, c.ForeignTable, registry.WithoutColumns)
	switch {
	case errors.Is(err, registry.ErrNotFound) || err == nil && target.View:
		return nil, nil // no table behind it, so there is nothing to point at
	case err != nil:
		return nil, err
	}
	fk := &dict.ForeignKey{Name: c.ForeignKeyName, Table: target.Name, Column: target.Name + "_ID", Rule: cmp.Or(c.ForeignKey, dict.FKNoAction)}
	if c.Type.IsUUID() {
		fk.Column = target.Name + "_UU"
	}
	if fk.Name == "" {
		fk.Name = foreignKeyName(table.Name, c.Name, taken)
		taken[strings.ToLower(fk.Name)] = true
	}
	if !identifier(fk.Name) {
		return nil, fmt.Errorf("the dictionary calls a foreign key of %s %q, which is not a name in the database", table.Name, fk.Name)
	}
	return fk, nil
}

// Resolver finds what references lead to in a registry, for [Options].Resolve.
func Resolver(ctx context.Context, reg registry.Registry) func(reference string) (table, column string, ok bool) {
	return func(reference string) (string, string, bool) {
		ref, err := reg.Reference(ctx, reference)
		if err != nil || ref.Lookup == nil || !identifier(ref.Lookup.Table) {
			return "", "", false
		}
		info, err := reg.Table(ctx, ref.Lookup.Table, registry.WithoutColumns)
		if err != nil || info.View {
			return "", "", false
		}
		return info.Name, info.Name + "_ID", true
	}
}
