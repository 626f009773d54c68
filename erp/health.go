package erp

import (
	"context"
	"net/http"

	"github.com/erphub/erphub/internal/apiclient"
)

// HealthOptions says what to check. nil checks the server alone.
type HealthOptions struct {
	// Database checks whether the database is connected too.
	Database bool
	// Key is the monitoring key, where the server has one configured.
	Key string
}

// Health is the state of the server, up to 20 seconds old.
type Health struct {
	Status   string `json:"status"`   // UP or DOWN
	Database string `json:"database"` // connected, disconnected, or empty if not checked
}

// Up reports whether the server, and the database if it was checked, works.
func (h *Health) Up() bool { return h.Status == "UP" && h.Database != "disconnected" }

// Health reads the state of the server. It needs no token and sends none. A
// server that says it is down is not an error; one that does not respond is. Servers
// built before September 2025 do not know the request: ErrNotFound.
func (c *Client) Health(ctx context.Context, opts *HealthOptions) (*Health, error) {
	unsent := apiclient.RetryUnsent // a server that is down is a result, not a reason to retry
	r := &request{method: http.MethodGet, path: []string{"health"}, public: true, retry: &unsent}
	if opts != nil {
		if opts.Database {
			r.query.add("db", "true")
		}
		r.query.addText("key", opts.Key)
	}
	a, err := c.do(ctx, r, http.StatusServiceUnavailable)
	if err != nil {
		return nil, err
	}
	var health Health
	if err := a.checkJSON(); err == nil {
		err = decodeJSON(a.body, &health)
		if err == nil && (health.Status == "UP" || health.Status == "DOWN") {
			return &health, nil
		}
	}
	if a.status == http.StatusServiceUnavailable {
		return nil, &Error{Status: a.status, Title: http.StatusText(a.status), Method: r.method, Path: c.describe(r), Page: true}
	}
	return nil, &badResponseError{text: r.method + " " + c.describe(r) + ": the response is not that of the ERP's health check; check the base URL"}
}
