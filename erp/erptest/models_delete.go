package erptest

import (
	"net/http"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// msgDeleted is what the installation says of something that was deleted.
const msgDeleted = "Deleted"

// deleteModel handles DELETE /models/{table}/{id}.
func deleteModel(c *call) error {
	err := c.update(c.ctx(), func(tx *store.Tx) error {
		t, row, err := c.pathRecord(c.ctx(), tx, true)
		if err != nil {
			return err
		}
		return c.session.Delete(c.ctx(), tx, t, row)
	})
	if err != nil {
		return orTitled("Delete error", err)
	}
	c.json(http.StatusOK, wire.NewObject("msg", msgDeleted))
	return nil
}
