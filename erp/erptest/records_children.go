package erptest

import (
	"context"
	"database/sql"
	"errors"
	"net/http"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// maxChildDepth bounds how deep children of views may bring children.
const maxChildDepth = 10

// saveChildren saves the records of the arrays in a body: below a new record they are
// new, with children of their own; below another one each is changed, deleted or
// created, one level deep. Children in tabs bring no children. What it returns are
// arrays under the same names, without what was deleted.
func (c *call) saveChildren(ctx context.Context, tx *store.Tx, s *shape, parent *engine.Record, body *wire.Object, at place) (*wire.Object, error) {
	out := wire.NewObject()
	if at.belowOld {
		return out, nil
	}
	names := engine.ChildArrays(s.table, body)
	if s.tab != nil {
		names = s.tab.childSlugs(body)
	}
	for _, name := range names {
		child, link, err := c.childShape(ctx, tx, s, parent, name, at.depth)
		if err != nil {
			return nil, err
		}
		if child == nil {
			continue
		}
		v, _ := body.Get(name)
		list, _ := v.([]any)
		records := []*wire.Object{}
		for _, item := range list {
			row, ok := item.(*wire.Object)
			if !ok {
				continue
			}
			o, err := c.saveChild(ctx, tx, child, parent, link, row, at.depth+1)
			if err != nil {
				return nil, err
			}
			if o != nil {
				records = append(records, o)
			}
		}
		if len(records) > 0 || s.tab != nil {
			out.Set(name, records)
		}
	}
	return out, nil
}

// saveChild saves one record below another. Whatever fails in a new one below a new
// one is a failure to save the parent.
func (c *call) saveChild(ctx context.Context, tx *store.Tx, s *shape, parent *engine.Record, link store.Row, body *wire.Object, depth int) (*wire.Object, error) {
	if s.tab != nil {
		return c.saveChildRow(ctx, tx, s, parent, body, place{depth, true})
	}
	if !parent.IsNew() {
		o, err := c.changeChild(ctx, tx, s, link, body, place{depth, true})
		if err != nil {
			return nil, orTitled("Save error", err)
		}
		return o, nil
	}
	o, err := c.create(ctx, tx, s, link, body, place{depth: depth})
	if err != nil {
		return nil, &errorTitle{title: "Save error", prefix: "Save error with exception: ", err: plainDetail(err)}
	}
	return o, nil
}

// childShape is the shape of the records in a child array, with their link to the
// parent: the table of that name, or the view that is related to the parent's under
// that name or has that table. It is nil for names a view does not have, which the
// ERP passes over.
func (c *call) childShape(ctx context.Context, tx *store.Tx, s *shape, parent *engine.Record, name string, depth int) (*shape, store.Row, error) {
	if s.tab != nil {
		child, err := c.childTab(ctx, tx, s.tab, name)
		return child, parent.Row, err
	}
	child := &shape{}
	table, doing := name, "create"
	if s.view != nil {
		rd, err := c.newReader(ctx, tx)
		if err != nil {
			return nil, nil, err
		}
		if child, err = rd.childView(ctx, s, name); err != nil || child == nil || depth > maxChildDepth {
			return nil, nil, err
		}
		table = child.table.Name
	} else if !parent.IsNew() {
		doing = "create/update"
	}
	key, value := parent.Table.Name+"_ID", any(parent.ID())
	if parent.Table.KeyColumn() == nil {
		key, value = parent.Table.Name+"_UU", parent.UUID()
	}
	t, err := tx.Table(ctx, table)
	if err == nil {
		if col, ok := t.Column(key); ok {
			child.table = t
			return child, store.Row{col.Name: value}, nil
		}
	} else if !errors.Is(err, store.ErrNoTable) {
		return nil, nil, err
	}
	return nil, nil, failf(http.StatusInternalServerError, "Wrong detail",
		"Cannot %s detail records for the table because it has no column that links to the parent table: %s", doing, table)
}

// childView is the view of the children that stand under the name of a relation, or
// of a related view's table.
func (rd *reader) childView(ctx context.Context, s *shape, name string) (*shape, error) {
	for _, r := range s.related {
		child, err := rd.viewByID(ctx, r.row.Int("REST_RelatedRestView_ID"))
		if err != nil {
			return nil, err
		}
		if child != nil && (r.name() == name || child.table.Name == name) {
			return child, nil
		}
	}
	return nil, nil
}

// changeChild updates, deletes or creates a record of a child array; deleted ones are
// nil.
func (c *call) changeChild(ctx context.Context, tx *store.Tx, s *shape, link store.Row, body *wire.Object, at place) (*wire.Object, error) {
	row, err := c.loadChild(ctx, tx, s.table, body)
	if err != nil {
		return nil, err
	}
	flag, _ := body.Get("(delete)")
	remove := engine.YesNo(flag) == "Y"
	if row == nil {
		if remove {
			return nil, fail(http.StatusNotFound, "Delete Error", "Cannot delete non-existing record")
		}
		return c.create(ctx, tx, s, link, body, at)
	}
	if err := c.mayChange(s.table, row); err != nil {
		return nil, err
	}
	if remove {
		return nil, c.session.Delete(ctx, tx, s.table, row)
	}
	return c.change(ctx, tx, s, row, body, at)
}

// loadChild is the existing record a child names by id or uid, nil for none.
func (c *call) loadChild(ctx context.Context, tx *store.Tx, t *store.Table, body *wire.Object) (store.Row, error) {
	var where string
	var arg any
	if v, ok := body.Get("id"); ok && t.KeyColumn() != nil {
		id, err := engine.Integer(engine.Field{Name: "id"}, v)
		if err != nil || id == nil {
			return nil, err
		}
		where, arg = store.Expr(t, t.KeyColumn())+"=?", id
	} else if v, ok := body.Get("uid"); ok && t.UUColumn() != nil {
		s, ok := v.(string)
		if !ok {
			return nil, nil
		}
		where, arg = store.Expr(t, t.UUColumn())+"=?", s
	} else {
		return nil, nil
	}
	access, args, err := c.session.RowFilter(ctx, tx, t)
	if err != nil {
		return nil, err
	}
	if access != "" {
		where += " AND (" + access + ")"
	}
	row, err := tx.One(ctx, t, where, append([]any{arg}, args...)...)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return row, err
}
