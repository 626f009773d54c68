package erptest

import (
	"context"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// healthAge is how long a response about health is given again.
const healthAge = 20 * time.Second

// healthCache keeps the last results, with and without the database.
type healthCache struct {
	mu   sync.Mutex // guards the fields below, and one check at a time
	last [2]struct {
		reason string // why it is not up, "" when it is
		at     time.Time
	}

	keyMu    sync.Mutex // guards the fields below; not held while waiting for the database
	key      string     // REST_HEALTH_MONITORING_KEY
	keyKnown bool
	keySince uint64 // the commit that last changed what it is read from
}

// changed gets the tables that a commit wrote to.
func (h *healthCache) changed(commit uint64, tables map[string]bool) {
	if tables["AD_SYSCONFIG"] || tables["*"] {
		h.keyMu.Lock()
		defer h.keyMu.Unlock()
		h.keyKnown, h.keySince = false, commit
	}
}

// monitoringKey is what ?key= must be, "" for anything. It is remembered, so
// that asking for health does not wait for a long write.
func (c *call) monitoringKey() string {
	h := &c.srv.health
	h.keyMu.Lock()
	key, known := h.key, h.keyKnown
	h.keyMu.Unlock()
	if known {
		return key
	}
	err := c.view(c.ctx(), func(tx *store.Tx) error {
		v, err := engine.Sysconfig(c.ctx(), tx, "REST_HEALTH_MONITORING_KEY", "", 0, 0)
		if err != nil {
			return err
		}
		h.keyMu.Lock()
		defer h.keyMu.Unlock()
		if tx.Commit() >= h.keySince {
			h.key, h.keyKnown = v, true
		}
		key = v
		return nil
	})
	if err != nil { // without its database the server still tells that it is down
		c.srv.log.Warn("reading the health monitoring key", "error", err)
	}
	return key
}

func healthRoutes() []route {
	return []route{{method: http.MethodGet, pattern: "v1/health", handle: health, public: true}}
}

// health handles GET /health.
func health(c *call) error {
	key := c.monitoringKey()
	if key != "" && subtle.ConstantTimeCompare([]byte(key), []byte(c.query.get("key"))) != 1 {
		return page(http.StatusUnauthorized)
	}
	withDB := strings.EqualFold(c.query.get("db"), "true")
	status, word, database := http.StatusOK, "UP", "connected"
	if reason := c.srv.unhealthy(c.ctx(), withDB); reason != "" {
		status, word, database = http.StatusServiceUnavailable, "DOWN", "disconnected"
		c.w.Header().Set("X-Health-Reason", reason)
	}
	o := wire.NewObject("status", word)
	if withDB {
		o.Set("database", database)
	}
	c.json(status, o)
	return nil
}

// unhealthy tells why the server, or with db its database, cannot do its work, ""
// when it can; for 20 s it says the same again. A server that could not write is
// not up until it can, nor is one that found its data damaged.
func (s *Server) unhealthy(ctx context.Context, db bool) string {
	s.health.mu.Lock()
	defer s.health.mu.Unlock()
	i := 0
	if db {
		i = 1
	}
	last := &s.health.last[i]
	now := s.now()
	if age := now.Sub(last.at); !last.at.IsZero() && age >= 0 && age < healthAge {
		return last.reason
	}
	last.reason, last.at = "", now
	err := s.erp.DB.Usable(ctx)
	if err == nil && db {
		err = s.erp.DB.View(ctx, func(tx *store.Tx) error {
			var n int
			return tx.QueryRow(ctx, `SELECT 1`).Scan(&n)
		})
	}
	if err == nil {
		return ""
	}
	s.log.Warn("the server is not healthy", "error", err)
	if cond := store.Condition(err); cond != nil {
		err = cond
	}
	last.reason = "the database cannot be used"
	for _, cond := range []error{store.ErrDiskFull, store.ErrReadOnly, store.ErrDamaged, store.ErrDisk, store.ErrIncomplete} {
		if errors.Is(err, cond) {
			last.reason = cond.Error()
		}
	}
	return last.reason
}
