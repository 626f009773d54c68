package erptest

import (
	"context"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

func batchRoutes() []route { return nil }

// update runs fn in a writing transaction: the batch's when the call is part
// of a transactional one, else its own. When fn fails, what it changed is
// undone in both cases. The answer must be written after update returned.
func (c *call) update(ctx context.Context, fn func(*store.Tx) error) error {
	if c.tx != nil {
		return c.tx.Savepoint(ctx, func() error { return fn(c.tx) })
	}
	return c.srv.db.Update(ctx, fn)
}

// view runs fn in a reading transaction, or in the batch's.
func (c *call) view(ctx context.Context, fn func(*store.Tx) error) error {
	if c.tx != nil {
		return fn(c.tx)
	}
	return c.srv.db.View(ctx, fn)
}
