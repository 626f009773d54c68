package apiserver

import (
	"log/slog"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/redisstate"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/internal/httpserver"

	genapi "github.com/erphub/erphub/generator/httpapi"
)

// openShared opens the Redis that replicas share; nil: none is named.
func (a *app) openShared(c *cli.Context, s *shell.Setup, log *slog.Logger) (*redisstate.Store, error) {
	address, err := a.RedisURL(c, s)
	if err != nil || address == "" {
		return nil, err
	}
	store, err := redisstate.Open(address, log)
	return store, shell.Usage(err)
}

// generatorOptions are those of the generator: what it shares, and its metrics.
func (p *apiParts) generatorOptions(metrics *httpserver.Metrics) *genapi.Options {
	requests := metrics.Counter("generator_requests_total", "Requests of the generator.", "operation", "code")
	seconds := metrics.Histogram("generator_request_duration_seconds", "Time to respond to requests of the generator.", "operation")
	o := &genapi.Options{Observe: func(operation, code string, took time.Duration) {
		requests.Add(1, operation, code)
		seconds.Observe(took.Seconds(), operation)
	}}
	if p.shared != nil {
		o.Keys, o.Limits = p.shared, p.shared
	}
	return o
}

// keeps says what state is this process's own, and so how many of it may run.
func (p *apiParts) keeps() string {
	own := "the bounds of what runs at a time"
	if p.ai != nil {
		own += " and the bytes of audit records of a user in a day"
	}
	if p.shared != nil {
		return "Limits, Idempotency-Keys and published contexts are in Redis: any number of it may run side by side. This process alone keeps " + own + ".\n"
	}
	if p.ai != nil {
		own = "what user interfaces publish about their windows, " + own
	}
	return "This process alone keeps Idempotency-Keys, the counts for request limits, " + own +
		":\na retry after a restart, or one that reaches another process, delivers again. Give several of it a Redis (ERPHUB_REDIS_URL).\n"
}
