package tools

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/erphub/erphub/internal/doctor"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
)

// Doctor examines what surrounds the tools: the machine they run on, the
// configuration, and the ERP's database if one is configured. It is safe for
// concurrent use, and no finding holds a secret.
type Doctor interface {
	Environment(ctx context.Context) []Finding
	Configuration(ctx context.Context) ([]Finding, []Setting)
	Database(ctx context.Context) []Finding
}

// Finding is the result of one check.
type Finding struct {
	Area   string `json:"area"`
	Name   string `json:"name"`
	Status string `json:"status" jsonschema:"ok, warning, failed or skipped"`
	Found  string `json:"found"`
	Fix    string `json:"fix,omitempty"`
}

// Setting is a key of the configuration and what it is set to.
type Setting struct {
	Name   string `json:"name"`
	Env    string `json:"env,omitempty" jsonschema:"variable that sets it"`
	From   string `json:"from,omitempty"`
	Set    bool   `json:"set"`
	Value  string `json:"value,omitempty" jsonschema:"never of secrets"`
	Secret bool   `json:"secret,omitempty"`
}

func (b *Toolbox) doctorTools() mcp.Set {
	return mcp.Set{b.checkEnvironment(), b.checkAPI(), b.checkDatabase(), b.getConfigStatus()}
}

type findingsOut struct {
	Status   string    `json:"status" jsonschema:"the worst"`
	Findings []Finding `json:"findings"`
}

// findings are the result of a check.
func findings(list []Finding) *findingsOut {
	out := &findingsOut{Status: string(doctor.OK), Findings: make([]Finding, 0, len(list))}
	for _, f := range list {
		f.Found, f.Fix = clip(f.Found, 500), clip(f.Fix, 500)
		out.Findings = append(out.Findings, f)
		if f.Status == string(doctor.Failed) || f.Status == string(doctor.Warning) && out.Status == string(doctor.OK) {
			out.Status = f.Status
		}
	}
	out.Findings = fitting(out.Findings)
	return out
}

// skipped says that nothing was examined, and why.
func skipped(area doctor.Area, name, why string) Finding {
	return Finding{Area: string(area), Name: name, Status: string(doctor.Skipped), Found: why}
}

func (b *Toolbox) checkEnvironment() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "checkEnvironment", Title: "Check the environment", Sets: []string{SetDoctor}, Hints: readOnly,
		Description: "Examines the machine this server runs on: program, variables, folders, and which ways to the ERP are in use.",
	}, func(ctx context.Context, _ *mcp.Call, _ struct{}) (*findingsOut, error) {
		list := []Finding{{Area: string(doctor.AreaEnvironment), Name: "runtime", Status: string(doctor.OK), Found: runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH}}
		if b.doctor != nil {
			list = append(list, b.doctor.Environment(ctx)...)
		}
		for _, k := range b.pool.Backends() {
			list = append(list, Finding{
				Area: "backend", Name: string(k.Name()), Status: string(doctor.OK), Found: "in use for " + strings.Join(backend.Abilities(k), ", "),
			})
		}
		return findings(list), nil
	})
}

func (b *Toolbox) checkAPI() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "checkApi", Title: "Check the ERP's API", Sets: []string{SetDoctor}, Hints: readOnly, Timeout: time.Minute,
		Description: "Checks whether the ERP responds, accepts your token, shows the dictionary to your role and has the processes that change it. Call it when other tools fail.",
	}, func(ctx context.Context, c *mcp.Call, _ struct{}) (*findingsOut, error) {
		var list []Finding
		asks, client, err := b.connect(ctx, c, "reach the ERP's REST API")
		if err != nil {
			list = append(list, skipped(doctor.AreaAPI, "server responds", err.Error()))
		} else {
			list = append(list, mapped(doctor.API(asks, client, doctor.Options{Now: b.now}), ofCheck)...)
		}
		for _, k := range b.pool.Backends() {
			if k.Name() != backend.DB { // checkDatabase examines that
				list = append(list, checkBackend(ctx, k, c.Caller))
			}
		}
		return findings(list), ctx.Err()
	})
}

func ofCheck(c *doctor.Check) Finding {
	return Finding{Area: string(c.Area), Name: c.Name, Status: string(c.Status), Found: c.Found, Fix: c.Fix}
}

func checkBackend(ctx context.Context, k backend.Backend, caller mcp.Caller) Finding {
	f := Finding{Area: "backend", Name: string(k.Name()), Status: string(doctor.OK)}
	var err error
	if f.Found, err = k.Check(ctx, caller); err != nil {
		e := mcp.ErrorOf(err)
		f.Status, f.Found, f.Fix = string(doctor.Failed), e.Message, e.Hint
	}
	return f
}

func (b *Toolbox) checkDatabase() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "checkDatabase", Title: "Check the ERP's database", Sets: []string{SetDoctor}, Hints: readOnly, Timeout: time.Minute,
		Description: "Examines the ERP's database, where one is configured: whether it lets this server in and shows the dictionary.",
	}, func(ctx context.Context, c *mcp.Call, _ struct{}) (*findingsOut, error) {
		var list []Finding
		if b.doctor != nil {
			list = append(list, b.doctor.Database(ctx)...)
		}
		for _, k := range b.pool.Backends() {
			if k.Name() == backend.DB {
				list = append(list, checkBackend(ctx, k, c.Caller))
			}
		}
		if len(list) == 0 {
			list = append(list, skipped(doctor.AreaDatabase, "database responds", "no database is configured, and none is needed for the REST API"))
		}
		return findings(list), ctx.Err()
	})
}

type getConfigStatusIn struct {
	Cursor string `json:"cursor,omitempty" jsonschema:"nextCursor of the previous page of settings"`
}

type getConfigStatusOut struct {
	Status   string    `json:"status" jsonschema:"the worst"`
	Findings []Finding `json:"findings"`
	Settings []Setting `json:"settings" jsonschema:"what is set"`
	paged
}

func (b *Toolbox) getConfigStatus() mcp.Tool {
	return mcp.New(mcp.Tool{
		Name: "getConfigStatus", Title: "Show the configuration", Sets: []string{SetDoctor}, Hints: readOnly,
		Description: "Examines the configuration of this server: what is set and where it comes from, and what is wrong with it. Secrets are never shown.",
	}, func(ctx context.Context, c *mcp.Call, in getConfigStatusIn) (*getConfigStatusOut, error) {
		p, err := pagerFor(c, in.Cursor, struct{}{})
		if err != nil {
			return nil, err
		}
		found := []Finding{skipped(doctor.AreaConfiguration, "configuration", "this program keeps no configuration")}
		var settings []Setting
		if b.doctor != nil {
			found, settings = b.doctor.Configuration(ctx)
		}
		checked := findings(found)
		out := &getConfigStatusOut{Status: checked.Status, Findings: checked.Findings}
		out.Settings, out.paged = part(p, settings, func(s *Setting) Setting {
			line := *s
			if line.Value = clip(s.Value, 200); s.Secret {
				line.Value = "" // whatever was handed in
			}
			return line
		})
		if p.offset > 0 {
			out.Findings = []Finding{{Area: string(doctor.AreaConfiguration), Name: "configuration", Status: checked.Status, Found: fmt.Sprintf("%d findings are on the first page", len(checked.Findings))}}
		}
		return out, nil
	})
}
