package erptest

import (
	"context"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// accept is a body in the names of a shape as one with the columns of its table. Of a
// view's arrays, which may be children, it has none, and new records get the view's
// defaults.
func (c *call) accept(ctx context.Context, tx *store.Tx, s *shape, old store.Row, body *wire.Object) (*wire.Object, error) {
	switch {
	case s.tab != nil:
		return c.tabBody(ctx, tx, s.tab, old, body)
	case s.view == nil:
		return body, nil
	}
	if c.session.Sysconfig(ctx, tx, "REST_ERROR_ON_NON_EXISTING_COLUMN", "Y") != "N" {
		if err := s.checkNames(body); err != nil {
			return nil, err
		}
	}
	out := wire.NewObject()
	for _, col := range s.columns {
		value, given := getPath(body, col.name())
		if given && bodyLogic(col.row.String("ReadOnlyLogic"), body) {
			if old != nil {
				return nil, engine.Invalidf("Cannot update column %s", col.name())
			}
			given = false
		}
		if given {
			out.Set(col.col.Name, value)
			continue
		}
		if text := col.row.String("DefaultValue"); text != "" && old == nil {
			if stored, ok, err := c.viewDefault(ctx, tx, s, col, text); err != nil {
				return nil, err
			} else if ok {
				out.Set(col.col.Name, stored)
			}
		}
	}
	if action, ok := body.Get("doc-action"); ok {
		out.Set("doc-action", action)
	}
	return out, nil
}

// viewDefault evaluates the default of a view's column to a value for a body.
func (c *call) viewDefault(ctx context.Context, tx *store.Tx, s *shape, col viewColumn, text string) (any, bool, error) {
	vars := engine.Variables{Session: c.session, Record: &engine.Record{Table: s.table, Row: store.Row{}}}
	value, ok, err := c.session.DefaultToken(ctx, tx, vars, text)
	if err != nil || !ok {
		return nil, false, err
	}
	if col.col.Kind() == store.KindBool {
		return value == "Y" || value == "true", true, nil
	}
	return value, true, nil
}

// checkMandatory refuses a record that lacks what the view's own logic
// demands.
func (c *call) checkMandatory(ctx context.Context, tx *store.Tx, s *shape, r *engine.Record) error {
	if s.view == nil {
		return nil
	}
	rd, err := c.newReader(ctx, tx)
	if err != nil {
		return err
	}
	for _, col := range s.columns {
		if r.Has(col.col.Name) {
			continue
		}
		if must, ok := rd.logic(ctx, s.table, r.Row, col.row.String("MandatoryLogic")); ok && must {
			return engine.Invalidf("%s%s", engine.MsgFillMandatory, col.name())
		}
	}
	return nil
}
