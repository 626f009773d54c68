package httpapi

import (
	"context"
	_ "embed"
	"net/http"
	"time"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/tokens"
)

// healthLife is how long a result about health is used again: nobody needs a
// token for that.
const healthLife = 2 * time.Second

func (h *Handler) healthCheck(_ http.ResponseWriter, r *http.Request, _ tokens.Claims) (any, error) {
	health, err := h.Health(r.Context())
	if err != nil {
		return nil, err
	}
	// Why something is down is in the service's log alone.
	body := api.Health{
		Status: upDown(health.OK), Database: upDown(health.Database == "up"), Audit: upDown(health.Audit == "up"),
		Version: Version, Checked: health.Checked.UTC(), Limits: health.Limits,
	}
	if !health.OK {
		return status{http.StatusServiceUnavailable, "unavailable", body}, nil
	}
	return body, nil
}

func upDown(up bool) string {
	if up {
		return "up"
	}
	return "down"
}

// Health checks the engine, at most every two seconds, for readiness probes and
// GET health. The error is that of a context which ended.
func (h *Handler) Health(ctx context.Context) (aiquery.Health, error) {
	if err := h.healthTurn.lock(ctx); err != nil {
		return aiquery.Health{}, err
	}
	defer h.healthTurn.unlock()
	now := h.opts.Clock()
	if age := now.Sub(h.healthAt); h.healthAt.IsZero() || age < 0 || age >= healthLife {
		// The result is for all who request it, also when this one goes away.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		h.health = h.engine.Health(ctx)
		h.healthAt = h.opts.Clock()
	}
	return h.health, nil
}

// turn is a lock that is not waited for longer than a context.
type turn chan struct{}

func (t turn) lock(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turn) unlock() { <-t }

//go:embed openapi.yaml
var document []byte

// OpenAPI is the description of the API, in YAML: OpenAPI 3.0.0, version 1.0.0.
// The slice is the caller's.
func OpenAPI() []byte { return append([]byte(nil), document...) }

func (h *Handler) document(w http.ResponseWriter, _ *http.Request, _ tokens.Claims) (any, error) {
	head := w.Header()
	head.Set("Content-Type", "application/yaml")
	head.Set("Cache-Control", "public, max-age=300")
	_, _ = w.Write(document) // the client went away
	return done{}, nil
}
