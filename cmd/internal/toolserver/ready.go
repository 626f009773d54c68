package toolserver

import (
	"context"
	"errors"

	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/mcp/server"
)

// The parts as /readyz names them: tools are all that can be called, records those
// that cannot work without the ERP.
const (
	partTools   = "tools"
	partRecords = "records"
)

// parts are the parts that are served.
func (b *toolbox) parts() []string {
	if b.rest == nil {
		return []string{partTools}
	}
	return []string{partTools, partRecords}
}

// dependencies are what the tools work with. asksERP says that the ERP checks the
// tokens of clients.
func (b *toolbox) dependencies(asksERP bool) []server.Dependency {
	on := []server.Dependency{{
		Name: "audit", Needed: b.parts(), Own: true, Missing: "the audit cannot be written, so nothing can be changed",
		Check: func(context.Context) error { return b.boundary.Audited() },
	}, {
		Name: "dictionary", Used: b.parts(), Own: true, Missing: "the ERP's dictionary is being read",
		Check: func(context.Context) error {
			select {
			case <-b.warmed:
				return nil // where it could not be read, the ERP is what is missing
			default:
				return errors.New("the first reading goes on")
			}
		},
	}}
	if b.shared != nil {
		on = append(on, server.Dependency{
			Name: "redis", Needed: b.parts(), Missing: "Redis does not respond: limits cannot be counted, so tools are refused", Check: b.boundary.Ready,
		})
	}
	for _, k := range b.pool.Backends() {
		p, ok := k.(backend.Pinger)
		if !ok {
			continue
		}
		d := server.Dependency{Check: p.Ping, Used: []string{partTools}}
		switch k.Name() {
		case backend.REST:
			d.Name, d.Missing, d.Needed = "erp", "the ERP does not respond", []string{partRecords}
			if asksERP {
				d.Missing += ", so tokens of new clients cannot be checked"
			}
		case backend.AI:
			d.Name, d.Missing = "ai_api", "the AI API does not respond"
		case backend.DB:
			d.Name, d.Missing = "database", "the database does not respond"
		default:
			continue
		}
		on = append(on, d)
	}
	return on
}
