package erptest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWebhooks(t *testing.T) {
	t.Parallel()
	o := operate(t, asSystem)
	o.token = ""
	want(t, o.post("/webhooks/shop", `{"event":"order.paid"}`), http.StatusNotFound, `{"error":"Unknown endpoint"}`)
	setConfig(t, o.srv, "REST_WEBHOOK_INBOUND_ENABLED", "N")
	want(t, o.post("/webhooks/shop", `{"event":"order.paid"}`), http.StatusServiceUnavailable, `{"error":"Inbound webhooks disabled"}`)
	assert.Equal(t, http.StatusMethodNotAllowed, o.get("/webhooks/shop").status)
}
