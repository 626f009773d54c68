package values

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/nearest"
	"github.com/erphub/erphub/internal/text"
)

// Columns finds the columns of a table by what people call them.
type Columns struct {
	table  *registry.Table
	labels map[string][]*registry.Column
}

// NewColumns are the columns of a table.
func NewColumns(t *registry.Table) *Columns {
	c := &Columns{table: t, labels: map[string][]*registry.Column{}}
	for i := range t.Columns {
		col := &t.Columns[i]
		label := strings.ToLower(strings.TrimSpace(col.Label))
		c.labels[label] = append(c.labels[label], col)
	}
	return c
}

// Target is the column of a name or a label, in any case, or of Column:By, which
// names the column of the other table that the values are of. The error is about
// the name.
func (c *Columns) Target(name string) (*registry.Column, Target, error) {
	col, err := c.named(name)
	by := ""
	if err != nil {
		base, after, ok := strings.Cut(name, ":")
		if !ok {
			return nil, Target{}, err
		}
		if col, err = c.named(strings.TrimSpace(base)); err != nil {
			return nil, Target{}, err
		}
		by = strings.TrimSpace(after)
		if col.ForeignTable == "" || col.Type.IsList() {
			return nil, Target{}, wrong("%s refers to no other table, so there is nothing to find by %s; write %s alone", col.Name, text.Quote(by), col.Name)
		}
	}
	t := OfColumn(col)
	t.By = by
	return col, t, nil
}

// named is the column of a name or a label.
func (c *Columns) named(name string) (*registry.Column, error) {
	for i := range c.table.Columns {
		if col := &c.table.Columns[i]; strings.EqualFold(col.Name, name) {
			return col, nil
		}
	}
	found := c.labels[strings.ToLower(name)]
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
	default:
		names := make([]string, len(found))
		for i, col := range found {
			names[i] = col.Name
		}
		return nil, wrong("%d columns are called %s: %s; use the name of the column", len(found), text.Quote(name), strings.Join(names, ", "))
	}
	base, _, _ := strings.Cut(name, ":")
	var known []string
	for _, col := range c.table.Columns {
		known = append(known, col.Name, col.Label)
	}
	hint := ""
	if near := nearest.Name(base, known); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return nil, wrong("%s has no column %s%s", c.table.Name, text.Quote(name), hint)
}

// ReadOnly says why nobody but the ERP writes a column of a table, "" when others may.
func ReadOnly(t *registry.Table, c *registry.Column) string {
	switch strings.ToLower(c.Name) {
	case "created", "createdby", "updated", "updatedby":
		return "is written by the ERP itself"
	case "docstatus":
		if _, document := t.Column("DocAction"); document {
			return "is changed by processing the document, never by writing it"
		}
	}
	switch {
	case c.Virtual():
		return "is computed by the ERP"
	case c.Type == dict.TypeButton && !strings.HasSuffix(c.Name, "_ID"):
		return "is a button, which the API does not write"
	case c.Type == dict.TypeImage:
		return "is an image, which the API does not write"
	case c.Type == dict.TypeRowID, c.Type == dict.TypeDashboardContent:
		return "is of a type that the API does not write"
	}
	return ""
}

// Written is a value for a column of a record.
type Written struct {
	Column *registry.Column
	Value
}

// Record reads the values of one record, which are given by what [Columns.Target]
// takes. They come back in the order of their columns' names. The problems are all
// that is wrong with them; any other error is that of the dictionary or the ERP.
func (r *Reader) Record(ctx context.Context, t *registry.Table, given map[string]json.RawMessage) (all []Written, problems []error, err error) {
	columns := NewColumns(t)
	used := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		w, err := r.member(ctx, columns, name, CellOf(given[name]))
		var wrong *Error
		switch {
		case errors.As(err, &wrong):
			problems = append(problems, err)
			continue
		case err != nil:
			return nil, nil, err
		case used[w.Column.Name]:
			problems = append(problems, fmt.Errorf("%s is given twice", w.Column.Name))
			continue
		}
		used[w.Column.Name] = true
		all = append(all, w)
	}
	err = r.Lookup(ctx, pointers(all), func(v *Value, err error) {
		problems = append(problems, fmt.Errorf("%s: %w", v.target.Name, err))
	})
	slices.SortFunc(all, func(a, b Written) int { return strings.Compare(a.Column.Name, b.Column.Name) })
	return all, problems, err
}

// member reads one value of a record.
func (r *Reader) member(ctx context.Context, columns *Columns, name string, cell Cell) (w Written, err error) {
	col, target, err := columns.Target(name)
	if err != nil {
		return w, err
	}
	w.Column = col
	if why := ReadOnly(columns.table, col); why != "" {
		return w, wrong("%s %s", col.Name, why)
	}
	if col.Key {
		return w, wrong("%s is the key, which the ERP gives", col.Name)
	}
	if target.By != "" {
		if err := r.Check(ctx, target); err != nil {
			return w, err
		}
	}
	if w.Value, err = r.Read(ctx, target, cell); err != nil {
		return w, fmt.Errorf("%s: %w", col.Name, err)
	}
	if w.Empty && col.Mandatory {
		return w, wrong("%s is mandatory, so it cannot be cleared; leave it out to keep what it has, or its default in a new record", col.Name)
	}
	return w, nil
}

func pointers(all []Written) []*Value {
	out := make([]*Value, len(all))
	for i := range all {
		out[i] = &all[i].Value
	}
	return out
}
