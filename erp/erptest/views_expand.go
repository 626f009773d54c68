package erptest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/filter"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// viewExpansion is an item of a $expand on a view: the records of a related
// view, or the record a column references, through that column's reference view
// if it has one.
type viewExpansion struct {
	name  string // of the property, or of the relation
	work  *viewWork
	depth int        // how many expansions it is inside of
	link  *expansion // for relations: which children, and in which order

	column *store.Column // for references
	look   *lookup
	plain  *expansion // a reference without a view
}

// parentColumns are the columns of a record its expansions start from.
func (w *viewWork) parentColumns() []string {
	var names []string
	for _, x := range w.expansions {
		if x.column != nil {
			names = append(names, x.column.Name)
		} else {
			names = append(names, x.link.parent.Name)
		}
	}
	return names
}

func (rd *reader) viewExpansions(ctx context.Context, v *viewDef, items []filter.Expansion, depth int) ([]*viewExpansion, error) {
	var out []*viewExpansion
	for _, item := range items {
		var x *viewExpansion
		var err error
		if col, ok := v.named(item.Name); ok {
			x, err = rd.referenceExpansion(ctx, v, col, item, depth)
		} else {
			x, err = rd.relatedExpansion(ctx, v, item, depth)
		}
		if err != nil {
			return nil, err
		}
		if x != nil {
			out = append(out, x)
		}
	}
	return out, nil
}

// relatedExpansion brings the records of a related view. It is nil for names the
// view does not have, which the ERP passes over. What is filtered and sorted by are
// columns of the table, and the related view's own condition does not count.
func (rd *reader) relatedExpansion(ctx context.Context, v *viewDef, item filter.Expansion, depth int) (*viewExpansion, error) {
	related, err := rd.relation(ctx, v, item.Name)
	if err != nil || related == nil || depth > maxRecursion {
		return nil, err
	}
	if err := rd.checkView(ctx, related, false); err != nil {
		return nil, err
	}
	link := &expansion{name: related.table.Name, table: related.table, item: item}
	if err := rd.findLink(ctx, link, v.table); err != nil {
		return nil, err
	}
	if err := rd.childCondition(ctx, link); err != nil {
		return nil, err
	}
	x := &viewExpansion{name: item.Name, link: link, depth: depth}
	if x.work, err = rd.resolveView(ctx, related, item.Select, item.Expand, false, depth+1); err != nil {
		return nil, err
	}
	x.work.properties = slices.DeleteFunc(slices.Clone(x.work.properties), func(p viewProperty) bool { return p.field.col == link.link })
	link.properties = x.work.fields()
	return x, nil
}

// referenceExpansion replaces a reference by the record it leads to.
func (rd *reader) referenceExpansion(ctx context.Context, v *viewDef, col viewColumn, item filter.Expansion, depth int) (*viewExpansion, error) {
	ref, err := rd.viewByID(ctx, col.row.Int("REST_ReferenceView_ID"))
	if err != nil {
		return nil, err
	}
	if ref == nil {
		plain, err := rd.masterExpansion(ctx, v.table, col.col, item)
		if err != nil || plain == nil {
			return nil, err
		}
		return &viewExpansion{name: col.name(), column: col.col, plain: plain, depth: depth}, nil
	}
	look, err := rd.lookupOf(ctx, col.col)
	if err != nil {
		return nil, err
	}
	if look == nil || look.key == "" {
		return nil, expandError("Column %s cannot be expanded", item.Name)
	}
	if !item.OnlySelect() {
		return nil, expandError("Expanding a master only support the $select query operator")
	}
	if !rd.c.session.Role.CanSeeColumn(v.table, col.col) {
		return nil, nil
	}
	if !strings.EqualFold(look.table, ref.table.Name) {
		return nil, expandError("Column %s does not reference the table of the view %s", item.Name, ref.name())
	}
	if err := rd.checkView(ctx, ref, false); err != nil {
		return nil, err
	}
	x := &viewExpansion{name: col.name(), column: col.col, look: look, depth: depth}
	x.work, err = rd.resolveView(ctx, ref, item.Select, nil, false, depth+1)
	return x, err
}

// expandView adds to the object of a row what its expansions bring.
func (rd *reader) expandView(ctx context.Context, w *viewWork, row store.Row, o *wire.Object) error {
	for _, x := range w.expansions {
		var err error
		switch {
		case x.plain != nil:
			err = rd.expandPlain(ctx, row, o, x)
		case x.column != nil:
			err = rd.expandReference(ctx, row, o, x)
		default:
			err = rd.expandRelated(ctx, row, o, x, 0)
		}
		if err != nil {
			return fmt.Errorf("expanding %s: %w", x.name, err)
		}
	}
	return nil
}

// expandPlain expands a reference as on tables, under the view's name.
func (rd *reader) expandPlain(ctx context.Context, row store.Row, o *wire.Object, x *viewExpansion) error {
	inner := wire.NewObject()
	if err := rd.expandMaster(ctx, row, inner, x.plain, x.depth); err != nil {
		return err
	}
	if v, ok := inner.Get(rd.propertyName(x.column.Name)); ok {
		setPath(o, x.name, v)
	}
	return nil
}

func (rd *reader) expandReference(ctx context.Context, row store.Row, o *wire.Object, x *viewExpansion) error {
	value := row[x.column.Name]
	if value == nil {
		return nil
	}
	t := x.work.view.table
	key, _ := t.Column(x.look.key)
	where, args := store.Expr(t, key)+"=?", []any{value}
	access, more, err := rd.c.session.RowFilter(ctx, rd.tx, t)
	if err != nil {
		return err
	}
	if access != "" {
		where, args = where+" AND ("+access+")", append(args, more...)
	}
	rows, err := rd.tx.Select(ctx, t, store.Selection{Columns: sources(t, x.work.fields()), Where: where, Args: args, Limit: 1})
	if err != nil || len(rows) == 0 {
		return err
	}
	objects, err := rd.viewObjects(ctx, x.work, rows, false)
	if err != nil {
		return err
	}
	setPath(o, x.name, objects[0])
	return rd.labelExpanded(ctx, t, rows[0], objects[0], x.depth)
}

func (rd *reader) expandRelated(ctx context.Context, row store.Row, o *wire.Object, x *viewExpansion, level int) error {
	value := row[x.link.parent.Name]
	if value == nil || level > maxRecursion {
		return nil
	}
	t := x.work.view.table
	sel, err := rd.childSelection(ctx, x.link)
	if err != nil {
		return err
	}
	sel.Args = append([]any{value}, sel.Args...)
	sel.Columns = sources(t, x.link.properties, append(x.work.parentColumns(), x.link.link.Name, x.link.parent.Name)...)
	rows, err := rd.tx.Select(ctx, t, sel)
	if err != nil || len(rows) == 0 {
		return err
	}
	objects, err := rd.viewObjects(ctx, x.work, rows, true)
	if err != nil {
		return err
	}
	for i, child := range objects {
		if err := rd.expandView(ctx, x.work, rows[i], child); err != nil {
			return err
		}
		if x.link.recursive {
			if err := rd.expandRelated(ctx, rows[i], child, x, level+1); err != nil {
				return err
			}
		}
		if err := rd.labelExpanded(ctx, t, rows[i], child, level+x.depth); err != nil {
			return err
		}
	}
	o.Set(x.name, objects)
	return nil
}

// addStatement adds the statement the expansion runs.
func (x *viewExpansion) addStatement(o *wire.Object) {
	switch {
	case o == nil:
	case x.plain != nil:
		x.plain.addStatement(o)
	case x.link != nil:
		x.link.addStatement(o)
	default:
		(&expansion{table: x.work.view.table, column: x.column, look: x.look, properties: x.work.fields()}).addStatement(o)
	}
}
