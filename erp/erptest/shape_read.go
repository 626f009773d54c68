package erptest

import (
	"context"
	"net/http"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/filter"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// shown are the properties that records of a shape have with a $select.
func (rd *reader) shown(ctx context.Context, s *shape, selects string) ([]property, error) {
	names := filter.Select(selects)
	if s.view != nil {
		columns, err := rd.viewSelection(ctx, s, names)
		if err != nil {
			return nil, err
		}
		return rd.viewProperties(ctx, s, columns)
	}
	columns, err := rd.selected(ctx, s.table, names)
	if err != nil {
		return nil, err
	}
	return rd.properties(ctx, s.table, columns)
}

// oneProperty is the property of that name; none for a column that the table has and
// the view has not.
func (rd *reader) oneProperty(ctx context.Context, s *shape, name string) ([]property, error) {
	col, ok := s.table.Column(name)
	if s.view == nil && ok {
		return rd.properties(ctx, s.table, []*store.Column{col})
	}
	if inView, found := s.column(name); found {
		return rd.viewProperties(ctx, s, []viewColumn{inView})
	}
	if !ok {
		return nil, fail(http.StatusNotFound, "Invalid property name", "No match found for column name: "+name)
	}
	return nil, nil
}

// expandItems are the items of a $expand. Without one the relations of a view that
// expand by themselves are brought.
func (rd *reader) expandItems(ctx context.Context, s *shape, text string) ([]filter.Expansion, error) {
	if s.view != nil && strings.TrimSpace(text) == "" {
		return rd.autoExpand(ctx, s, 0)
	}
	return filter.Expand(text, rd.expandSeparator(ctx))
}

// autoExpand are the relations of a view that expand by themselves, with those of
// their views.
func (rd *reader) autoExpand(ctx context.Context, s *shape, depth int) ([]filter.Expansion, error) {
	var items []filter.Expansion
	for _, r := range s.related {
		if !r.row.Bool("IsRestAutoExpand") || depth > maxRecursion {
			continue
		}
		item := filter.Expansion{Name: r.name()}
		if id := r.row.Int("REST_RelatedRestView_ID"); id != s.view.Int("REST_View_ID") {
			below, err := rd.viewByID(ctx, id)
			if err != nil {
				return nil, err
			}
			if below != nil {
				if item.Expand, err = rd.autoExpand(ctx, below, depth+1); err != nil {
					return nil, err
				}
			}
		}
		items = append(items, item)
	}
	return items, nil
}

// viewSelection are the columns a $select names, by the view's names or the
// table's; nil, which means all, without one. Columns of the table which are
// not in the view are accepted and bring nothing.
func (rd *reader) viewSelection(ctx context.Context, s *shape, names []string) ([]viewColumn, error) {
	if len(names) == 0 {
		return s.columns, nil
	}
	out := []viewColumn{}
	hiddenOnly := true
	for _, name := range names {
		col, ok := s.column(name)
		if !ok {
			if _, inTable := s.table.Column(name); !inTable {
				return nil, failf(http.StatusBadRequest, "", "%s is not a valid column of table %s", name, s.table.Name)
			}
			hiddenOnly = false
			continue
		}
		if rd.c.session.Role.CanSeeColumn(s.table, col.col) {
			out, hiddenOnly = append(out, col), false
		}
	}
	if hiddenOnly {
		return s.columns, nil
	}
	return out, nil
}

// viewProperties are columns of a view as they are shown.
func (rd *reader) viewProperties(ctx context.Context, s *shape, columns []viewColumn) ([]property, error) {
	var out []property
	for _, c := range columns {
		fields, err := rd.properties(ctx, s.table, []*store.Column{c.col})
		if err != nil {
			return nil, err
		}
		if len(fields) == 0 {
			continue
		}
		p := fields[0]
		p.name = c.name()
		if id := c.row.Int("REST_ReferenceView_ID"); id != 0 && p.look != nil {
			ref, err := rd.viewByID(ctx, id)
			if err != nil {
				return nil, err
			}
			if ref != nil {
				p.view = ref.name()
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// shaped renders rows as [reader.objects] does, under the names of the shape.
func (rd *reader) shaped(ctx context.Context, s *shape, properties []property, rows *store.Sheet) ([]*wire.Object, error) {
	objects, err := rd.objects(ctx, s.table, properties, rows)
	if err != nil || s.view == nil {
		return objects, err
	}
	for i, o := range objects {
		nested := wire.NewObject()
		for _, name := range []string{"id", "uid"} {
			if v, ok := o.Get(name); ok {
				nested.Set(name, v)
			}
		}
		for _, p := range properties {
			v, ok := o.Get(p.name)
			if _, key := nested.Get(p.name); !ok || key && (p.name == "id" || p.name == "uid") {
				continue
			}
			if look, isObject := v.(*wire.Object); isObject && p.view != "" {
				v = viewLookup(look, p.view)
			}
			setPath(nested, p.name, v)
		}
		objects[i] = nested
	}
	return objects, nil
}

// finishShaped adds what ends the properties of a record that stands by itself.
func (rd *reader) finishShaped(o *wire.Object, s *shape) {
	rd.finish(o, s.table)
	if s.view != nil {
		o.Set("view-name", s.name())
	}
}

// viewLookup is a lookup that leads to another view.
func viewLookup(look *wire.Object, view string) *wire.Object {
	out := wire.NewObject()
	for _, name := range look.Names() {
		if name != "propertyLabel" && name != "model-name" {
			v, _ := look.Get(name)
			out.Set(name, v)
		}
	}
	out.Set("view-name", view)
	return out
}

// setPath sets a member; dots in the name lead into nested objects.
func setPath(o *wire.Object, path string, v any) {
	for {
		name, rest, dotted := strings.Cut(path, ".")
		if !dotted || name == "" || rest == "" {
			o.Set(path, v)
			return
		}
		inner, _ := o.Get(name)
		object, ok := inner.(*wire.Object)
		if !ok {
			object = wire.NewObject()
			o.Set(name, object)
		}
		o, path = object, rest
	}
}

// getPath is the member setPath set.
func getPath(o *wire.Object, path string) (any, bool) {
	for {
		if v, ok := o.Get(path); ok {
			return v, true
		}
		name, rest, dotted := strings.Cut(path, ".")
		if !dotted {
			return nil, false
		}
		inner, _ := o.Get(name)
		object, ok := inner.(*wire.Object)
		if !ok {
			return nil, false
		}
		o, path = object, rest
	}
}

// wholeRecords are rows with all their properties.
func (rd *reader) wholeRecords(ctx context.Context, s *shape, rows ...store.Row) ([]*wire.Object, error) {
	properties, err := rd.shown(ctx, s, "")
	if err != nil {
		return nil, err
	}
	objects, err := rd.shaped(ctx, s, properties, store.SheetOf(sources(s.table, properties), rows))
	for _, o := range objects {
		rd.finishShaped(o, s)
	}
	return objects, err
}
