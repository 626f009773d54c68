package erptest

import (
	"context"
	"crypto/subtle"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// healthAge is how long an answer about health is given again.
const healthAge = 20 * time.Second

// healthCache keeps the last answers, with and without the database.
type healthCache struct {
	mu      sync.Mutex // guards the fields below, and one check at a time
	answers [2]struct {
		up bool
		at time.Time
	}
}

func healthRoutes() []route {
	return []route{{method: http.MethodGet, pattern: "v1/health", handle: health, public: true}}
}

// health answers GET /health.
func health(c *call) error {
	var key string
	_ = c.view(c.ctx(), func(tx *store.Tx) error { // without a database there is no key to ask for
		key = c.sysconfig(c.ctx(), tx, "REST_HEALTH_MONITORING_KEY", "")
		return nil
	})
	if key != "" && subtle.ConstantTimeCompare([]byte(key), []byte(c.query.get("key"))) != 1 {
		return page(http.StatusUnauthorized)
	}
	withDB := strings.EqualFold(c.query.get("db"), "true")
	up := c.srv.healthy(c.ctx(), withDB)
	status, word, database := http.StatusOK, "UP", "connected"
	if !up {
		status, word, database = http.StatusServiceUnavailable, "DOWN", "disconnected"
	}
	o := wire.NewObject("status", word)
	if withDB {
		o.Set("database", database)
	}
	c.json(status, o)
	return nil
}

// healthy tells whether the server, and with db its database, can do its work;
// for 20 s it says the same again.
func (s *Server) healthy(ctx context.Context, db bool) bool {
	s.health.mu.Lock()
	defer s.health.mu.Unlock()
	i := 0
	if db {
		i = 1
	}
	last := &s.health.answers[i]
	now := s.now()
	if age := now.Sub(last.at); !last.at.IsZero() && age >= 0 && age < healthAge {
		return last.up
	}
	last.up, last.at = true, now
	if db {
		last.up = s.db.View(ctx, func(tx *store.Tx) error {
			var n int
			return tx.QueryRow(ctx, `SELECT 1`).Scan(&n)
		}) == nil
	}
	return last.up
}
