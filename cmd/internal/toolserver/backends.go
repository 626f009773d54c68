package toolserver

import (
	"context"
	"fmt"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/aiquery/postgres"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/config"
	"github.com/erphub/erphub/internal/doctor"
	"github.com/erphub/erphub/internal/secretfile"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/mcp/tools"
	"github.com/erphub/erphub/tokens"
)

// addBackends makes the backends the settings name: rest with an address of
// the ERP, ai with one of an AI API, db with one of the database, cli where it
// is chosen.
func (a *app) addBackends(c *cli.Context, s *shell.Setup, box *toolbox, own bool) error {
	chosen := c.String("backend")
	if chosen == "" {
		chosen = a.Getenv(backendVariable)
	}
	var first backend.Name
	if chosen != "" {
		var err error
		if first, err = backend.ParseName(chosen); err != nil {
			return a.wrongValue(backendVariable, chosen, err)
		}
	}
	var login tokens.Source // of this program, for callers without a token
	if own && s.Resolver.Lookup("url") != "" {
		var err error
		if login, err = a.Source(s); err != nil {
			return err
		}
	}
	box.login = login
	box.own = &ownCaller{login: login, log: box.log, known: box.local, learned: make(chan struct{})}
	api, err := a.aiAPI(c, s, first, box.calls)
	if err != nil {
		return err
	}
	var use []backend.Backend
	for _, add := range []func() (backend.Backend, error){
		func() (backend.Backend, error) { return a.restBackend(s, box, login) },
		func() (backend.Backend, error) { return a.aiBackend(api, box, login, own) },
		func() (backend.Backend, error) { return a.dbBackend(c, s, box, login) },
		func() (backend.Backend, error) { return a.cliBackend(s, api, login, first) },
	} {
		b, err := add()
		if err != nil {
			return err
		}
		if b != nil {
			use = append(use, b)
		}
	}
	if len(use) == 0 && chosen == "" && !box.calls {
		return nil // what the tools are can be told without an ERP
	}
	if box.pool, err = backend.NewPool(first, use...); err != nil {
		return shell.Usage(err)
	}
	return nil
}

// wrongValue is the error about the value of a flag. It names the variable that the
// value comes from, if it does.
func (a *app) wrongValue(variable, value string, err error) error {
	if a.Getenv(variable) == value {
		return shell.Usagef("%s: %w", variable, err)
	}
	return shell.Usage(err)
}

func (a *app) restBackend(s *shell.Setup, box *toolbox, login tokens.Source) (backend.Backend, error) {
	address := s.Resolver.Lookup("url")
	if address == "" {
		return nil, nil
	}
	o := &backend.RESTOptions{Logger: a.Log, Client: []erp.Option{erp.WithUserAgent("erphub-mcp/" + shell.Version())}}
	if login != nil {
		o.Own = login
	}
	o.Registry.Wait = box.wait
	if box.shared != nil {
		o.Registry.Shared = box.shared
	}
	o.Registry.Snapshot = func() string { return a.DictionarySnapshot(box.rest.Address(), box.own.loggedIn()) }
	rest, err := backend.NewREST(address, o)
	if err != nil {
		return nil, shell.Usage(err)
	}
	box.closers = append(box.closers, func() error { rest.Close(); return nil })
	box.rest = rest
	return rest, nil
}

func (a *app) aiBackend(api aiAPI, box *toolbox, login tokens.Source, own bool) (backend.Backend, error) {
	if api.url == "" {
		return nil, nil
	}
	o := &backend.AIOptions{Role: api.role, OwnRole: api.loginRole, Optional: api.optional, Logger: a.Log}
	switch {
	case own && !api.token.IsZero():
		source, err := tokens.Static(api.token)
		if err != nil {
			return nil, shell.Usage(fmt.Errorf("the token for the AI API: %w", err))
		}
		o.Own = source
	case login != nil:
		o.Own = login
	}
	b, err := backend.NewAI(api.url, o)
	if err != nil {
		return nil, shell.Usage(err)
	}
	box.ai = b
	return b, nil
}

// dbBackend opens the ERP's database, with the permissions of the caller's role.
func (a *app) dbBackend(c *cli.Context, s *shell.Setup, box *toolbox, login tokens.Source) (backend.Backend, error) {
	if !box.calls {
		return nil, nil
	}
	address, err := a.Address(c, s, "database", "database.url")
	if err != nil || address == "" {
		return nil, err
	}
	audit, err := a.Address(c, s, "audit-database", "database.audit-url")
	if err != nil {
		return nil, err
	}
	db, err := backend.OpenDB(c.Context, address, &backend.DBOptions{
		Postgres: postgres.Options{Schema: a.Schema(c), AuditURL: audit}, Logger: box.log,
	})
	if err != nil {
		return nil, err
	}
	box.closers = append(box.closers, func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Context), shell.LateRecords)
		defer cancel()
		return db.Close(ctx)
	})
	box.own.named = true
	box.db = db
	return db, nil
}

// cliBackend runs the program erphub, where that was chosen.
func (a *app) cliBackend(s *shell.Setup, api aiAPI, login tokens.Source, first backend.Name) (backend.Backend, error) {
	if first != backend.CLI {
		return nil, nil
	}
	o := &backend.CLIOptions{Role: api.role}
	if !api.optional {
		o.AIURL = api.url
	}
	if login != nil {
		for _, name := range []string{
			"ERP_TOKEN", "ERP_USERNAME", "ERP_PASSWORD", "ERP_CLIENT_ID", "ERP_ROLE_ID", "ERP_ORG_ID",
			"ERPHUB_PROFILE", "ERPHUB_CONFIG", "HOME", "XDG_CONFIG_HOME",
		} {
			if value := a.Getenv(name); value != "" {
				o.Own = append(o.Own, name+"="+value)
			}
		}
	}
	b, err := backend.NewCLI(s.Resolver.Lookup("url"), o)
	if err != nil {
		return nil, shell.Usage(err)
	}
	return b, nil
}

// aiAPI is what is needed to call an AI API; an empty url means that there is
// none.
type aiAPI struct {
	url       string
	optional  bool // there may be none: it is where the ERP is
	token     tokens.Secret
	role      *int // nil: the token's own
	loginRole *int // of logins, where somebody named it; nil: nobody did
}

// aiAPI is where flags and settings say, else where the ERP is, as for `erphub
// query`.
func (a *app) aiAPI(c *cli.Context, s *shell.Setup, first backend.Name, calls bool) (aiAPI, error) {
	api := aiAPI{url: c.String("ai-api-url")}
	if api.url == "" {
		api.url = a.Getenv(aiURLVariable)
	}
	if api.url == "" {
		api.url = s.Resolver.Lookup("url")
		api.optional = calls && first != backend.AI
	}
	if role, ok := shell.LoginRole(s); ok {
		api.loginRole = &role
	}
	token, file := c.String("ai-api-token"), c.String("ai-api-token-file")
	switch {
	case token != "" && file != "":
		return api, shell.Usagef("--ai-api-token and --ai-api-token-file both name a token; choose one")
	case file != "":
		var err error
		if token, err = secretfile.ReadFile(file); err != nil {
			return api, fmt.Errorf("reading the token for the AI API: %w", err)
		}
	case token == "":
		token = s.Resolver.Lookup("hub.ai-api.token") // or the variable
	}
	api.token = tokens.NewSecret(token)
	if c.IsSet("ai-role-id") {
		role := c.Int("ai-role-id")
		api.role = &role
	} else if text := a.Getenv(aiRoleVariable); text != "" {
		role, err := strconv.Atoi(text)
		if err != nil || role < 0 {
			return api, shell.Usagef("%s must be the number of a role", aiRoleVariable)
		}
		api.role = &role
	}
	return api, nil
}

// toolsDoctor examines for the tools what this machine and the settings are.
type toolsDoctor struct {
	a *app
	c *cli.Context
	s *shell.Setup
}

func (d *toolsDoctor) Environment(ctx context.Context) []tools.Finding {
	path, err := d.a.ConfigPath(d.c)
	return toolFindings(doctor.Environment(ctx, doctor.Host{
		Program: "erphub-mcp " + shell.Version(), Environ: d.a.Env, ConfigPath: path, ConfigErr: err,
	}))
}

func (d *toolsDoctor) Configuration(ctx context.Context) ([]tools.Finding, []tools.Setting) {
	var settings []tools.Setting
	for _, k := range config.Keys() {
		if k.State {
			continue
		}
		v := d.s.Resolver.Value(k.Name)
		setting := tools.Setting{Name: k.Name, Env: k.Env, Set: v.Text() != "", Secret: k.Secret}
		if setting.Set {
			setting.From = string(v.Origin)
			if !k.Secret {
				setting.Value = shell.Printable(v.String())
			}
		}
		settings = append(settings, setting)
	}
	return toolFindings(doctor.Configuration(ctx, d.a.DoctorSettings(d.c, d.s, nil, nil))), settings
}

func (d *toolsDoctor) Database(ctx context.Context) []tools.Finding {
	address, err := d.a.Address(d.c, d.s, "database", "database.url")
	if err != nil {
		return toolFindings([]doctor.Check{doctor.Skip(doctor.AreaDatabase, "database responds", err.Error())})
	}
	return toolFindings(doctor.Database(ctx, address, d.a.Schema(d.c)))
}

func toolFindings(checks []doctor.Check) []tools.Finding {
	out := make([]tools.Finding, len(checks))
	for i, c := range checks {
		out[i] = tools.Finding{Area: string(c.Area), Name: c.Name, Status: string(c.Status), Found: c.Found, Fix: c.Fix}
	}
	return out
}
