package erptest

import (
	"net/http"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

func webhooksRoutes() []route {
	return []route{{method: http.MethodPost, pattern: "v1/webhooks/{endpointKey}", handle: receiveWebhook, public: true}}
}

// receiveWebhook handles POST /webhooks/{endpointKey}. The sandbox has no
// inbound endpoints, so it knows none of the keys.
func receiveWebhook(c *call) error {
	if _, err := c.body(); err != nil {
		return err
	}
	enabled := "Y"
	err := c.view(c.ctx(), func(tx *store.Tx) error {
		enabled = c.srv.erp.Sysconfig(c.ctx(), tx, "REST_WEBHOOK_INBOUND_ENABLED", "Y", 0, 0)
		return nil
	})
	if err != nil {
		return orTitled("Server error", err)
	}
	if enabled != "Y" {
		c.json(http.StatusServiceUnavailable, wire.NewObject("error", "Inbound webhooks disabled"))
		return nil
	}
	c.json(http.StatusNotFound, wire.NewObject("error", "Unknown endpoint"))
	return nil
}
