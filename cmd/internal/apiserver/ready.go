package apiserver

import (
	"context"
	"errors"
	"fmt"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/tokens"
)

// The parts as /readyz names them.
const (
	partBoard     = "board"
	partGenerator = "generator"
	partAI        = "ai"
)

// names are the parts that are served.
func (p *apiParts) names() []string {
	names := []string{partGenerator}
	if p.board != nil {
		names = append(names, partBoard)
	}
	if p.ai != nil {
		names = append(names, partAI)
	}
	return names
}

// dependencies are what the parts work with. All of it is shared by the replicas.
func (p *apiParts) dependencies() []httpserver.Dependency {
	var on []httpserver.Dependency
	if p.shared != nil {
		on = append(on, httpserver.Dependency{
			Name: "redis", Check: p.shared.Ping, Used: []string{partGenerator, partAI},
			Missing: "Redis does not respond: each process counts limits alone, and requests with an Idempotency-Key or for published context are refused",
		})
	}
	if p.board != nil {
		away := httpserver.Dependency{Name: "erp", Missing: "the ERP does not respond", Needed: []string{partBoard}, Check: func(ctx context.Context) error {
			if err := p.board.Ready(ctx); erpAway(err) {
				return err
			}
			return nil
		}}
		if p.asksERP {
			away.Missing, away.Used = "the ERP does not respond, so tokens of new clients cannot be checked", []string{partGenerator, partAI}
		}
		on = append(on, away, httpserver.Dependency{
			Name: "deployment_log", Needed: []string{partBoard}, Missing: "the ERP does not show the deployment log; the board says why",
			Check: func(ctx context.Context) error {
				if err := p.board.Ready(ctx); err != nil && !erpAway(err) {
					return fmt.Errorf("reading the deployment log of %s: %w", p.erp, err)
				}
				return nil
			},
		})
	}
	if p.ai != nil {
		on = append(on, httpserver.Dependency{
			Name: "database", Needed: []string{partAI}, Missing: "the database does not respond",
			Check: func(ctx context.Context) error {
				h, err := p.ai.Handler.Health(ctx)
				if err == nil && h.Database != "up" {
					err = errors.New(h.Database)
				}
				return err
			},
		}, httpserver.Dependency{
			Name: "audit", Needed: []string{partAI}, Missing: "queries cannot be audited, so they are refused",
			Check: func(ctx context.Context) error {
				h, err := p.ai.Handler.Health(ctx)
				if err == nil && h.Database == "up" && !h.OK {
					err = errors.New(h.Audit)
				}
				return err
			},
		})
	}
	return on
}

// erpAway reports whether the ERP did not respond, or said that it cannot.
func erpAway(err error) bool {
	for _, away := range []error{erp.ErrUnreachable, erp.ErrUnavailable, erp.ErrTimeout, tokens.ErrUnreachable, context.DeadlineExceeded} {
		if errors.Is(err, away) {
			return true
		}
	}
	return false
}
