package tools

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
)

// checkTimeout bounds the look at one backend.
const checkTimeout = 10 * time.Second

type healthLine struct {
	Name    string `json:"name" jsonschema:"backend rest, ai, db or cli; dictionary; knowledge"`
	OK      bool   `json:"ok"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Millis  int64  `json:"milliseconds" jsonschema:"how long the look took"`
}

type checkHealthOut struct {
	Status string       `json:"status" jsonschema:"up: everything works; degraded: something does; down: nothing does"`
	Checks []healthLine `json:"checks"`
}

func (b *Toolbox) checkHealth() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "checkHealth", Title: "Check health", Sets: []string{SetChat}, Hints: readOnly,
		Description: "Checks whether the ERP and the services in use respond to you now.", Cost: mcp.Cost{APICalls: 2},
	}, func(ctx context.Context, c *mcp.Call, _ struct{}) (*checkHealthOut, error) {
		checks := b.checks(ctx, c)
		checks = append(checks, look(ctx, "dictionary", func(ctx context.Context) (string, error) {
			reg, err := b.registry(ctx, c)
			if err != nil {
				return "", err
			}
			s, err := reg.Statistics(ctx)
			if err != nil {
				return "", err
			}
			return fmt.Sprintf("%d tables, %d columns", s.Tables, s.Columns), nil
		}))
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		works := 0
		for _, line := range checks {
			if line.OK {
				works++
			}
		}
		out := &checkHealthOut{Status: "degraded", Checks: checks}
		switch works {
		case len(checks):
			out.Status = "up"
		case 0:
			out.Status = "down"
		}
		return out, nil
	})
}

// checks looks at all backends at the same time, in the order in which they are
// tried.
func (b *Toolbox) checks(ctx context.Context, c *mcp.Call) []healthLine {
	backends := b.pool.Backends()
	lines := make([]healthLine, len(backends))
	var wg sync.WaitGroup
	for i, k := range backends {
		wg.Go(func() {
			lines[i] = look(ctx, string(k.Name()), func(ctx context.Context) (string, error) { return k.Check(ctx, c.Caller) })
		})
	}
	wg.Wait()
	return lines
}

func look(ctx context.Context, name string, check func(context.Context) (string, error)) healthLine {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	begun := time.Now()
	text, err := check(ctx)
	line := healthLine{Name: name, OK: err == nil, Message: clip(text, 500), Millis: time.Since(begun).Milliseconds()}
	if err != nil {
		e := mcp.ErrorOf(err)
		line.Message, line.Hint = clip(e.Message, 500), clip(e.Hint, 300)
	}
	return line
}

type backendLine struct {
	Name    string   `json:"name"`
	OK      bool     `json:"ok"`
	Message string   `json:"message"`
	Hint    string   `json:"hint,omitempty"`
	Serves  []string `json:"serves" jsonschema:"what it serves first"`
	StandBy []string `json:"standsBy" jsonschema:"what it serves when those before it cannot be reached"`
}

type getBackendStatusOut struct {
	Backends []backendLine `json:"backends" jsonschema:"in the order in which they are tried"`
	Missing  []string      `json:"missing,omitempty" jsonschema:"what no backend in use can do"`
}

func (b *Toolbox) getBackendStatus() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "getBackendStatus", Title: "Backends in use", Sets: []string{SetChat}, Hints: readOnly,
		Description: "Tells through which backends the ERP is reached, whether each responds, and which serves what: dictionary, query, records, processes, jobs.",
		Cost:        mcp.Cost{APICalls: 1},
	}, func(ctx context.Context, c *mcp.Call, _ struct{}) (*getBackendStatusOut, error) {
		checks := b.checks(ctx, c)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out := &getBackendStatusOut{}
		served := map[string]bool{}
		for i, k := range b.pool.Backends() {
			line := backendLine{Name: string(k.Name()), OK: checks[i].OK, Message: checks[i].Message, Hint: checks[i].Hint, Serves: []string{}, StandBy: []string{}}
			for _, ability := range backend.Abilities(k) {
				if served[ability] {
					line.StandBy = append(line.StandBy, ability)
					continue
				}
				served[ability] = true
				line.Serves = append(line.Serves, ability)
			}
			out.Backends = append(out.Backends, line)
		}
		for _, ability := range backend.AllAbilities() {
			if !served[ability] {
				out.Missing = append(out.Missing, ability)
			}
		}
		return out, nil
	})
}
