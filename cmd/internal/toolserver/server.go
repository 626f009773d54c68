package toolserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"go.opentelemetry.io/otel/trace"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/server"
	"github.com/erphub/erphub/tokens"
)

// confirmVariable says what --confirm says.
const confirmVariable = "ERPHUB_CONFIRM"

// mcpProfile is the profile by whose name alone the tool server starts.
const mcpProfile = "mcp"

const aboutServerMCP = "Serves tools, prompts and resources by the Model Context Protocol: streamable HTTP at /mcp, server-sent " +
	"events at /mcp/sse, and /healthz, /readyz and /metrics. Each client sends its own token of the ERP as a " +
	"bearer header; it is checked, and the client's calls are made with that token and no other. " +
	"The server listens on loopback (127.0.0.1) by default. `erphub mcp config` prints what assistants need. " +
	"Traces are sent where OTEL_EXPORTER_OTLP_ENDPOINT says. `erphub --profile mcp` alone starts it, too."

func (a *app) serverMCPCommand() *cli.Command {
	return &cli.Command{
		Name: "mcp", Usage: "serve the tools for assistants (Model Context Protocol)",
		Description: aboutServerMCP, Flags: append(mcpServerFlags(), stdioFlag()), Action: shell.Takes(a.serve),
	}
}

func stdioFlag() cli.Flag {
	return &cli.BoolFlag{Name: "stdio", Usage: "serve one client over standard input and output, with the login of this program"}
}

// serve serves over HTTP, or with --stdio the client that started the program.
func (a *app) serve(c *cli.Context) error {
	if c.Bool("stdio") {
		return a.serverStdio(c)
	}
	return a.serverMCP(c)
}

// mcpServerFlags are about serving, beside those about the tools.
func mcpServerFlags() []cli.Flag {
	flags := append(shell.ListenFlags(fmt.Sprintf("127.0.0.1:%d", server.DefaultPort)), shell.LogFlags()...)
	flags = append(flags, []cli.Flag{
		&cli.StringFlag{Name: "ready-file", Usage: `file to write {"url","pid"} to once the server is ready`, TakesFile: true},
		&cli.StringSliceFlag{Name: "host", Usage: "further host name under which clients reach the server, such as tools.example.com; repeatable"},
		&cli.StringSliceFlag{Name: "origin", Usage: "web page whose scripts may call, such as https://app.example.com; repeatable"},
		&cli.StringFlag{Name: "public-url", Usage: "where clients reach the server, if that is behind a proxy"},
		&cli.StringSliceFlag{Name: "authorization-server", Usage: "where clients get tokens, named in the metadata of the server; a token of an OpenID provider that the ERP takes is let in where its issuer is one of these; repeatable"},
		browserLoginFlag(),
		&cli.StringFlag{Name: "confirm", Usage: "who confirms a change before it is made: user, whom the client asks (default; where it cannot, the tool is refused), " +
			"or client, whose call counts as confirmed (" + confirmVariable + ")"},
		&cli.BoolFlag{Name: "stateless", Usage: "keep no sessions, not even in Redis: clients that need them cannot ask their users, and there is no /mcp/sse"},
		&cli.IntFlag{Name: "max-user-sessions", Value: server.DefaultMaxUserSessions, Usage: "sessions that one user may have with one role and organization, of all replicas that share a Redis; connections of /mcp/sse count apart, for each replica"},
		&cli.IntFlag{Name: "max-sessions", Value: server.DefaultMaxSessions, Usage: "sessions altogether in one replica; connections of /mcp/sse count apart"},
		&cli.StringFlag{Name: "jwt-secret-file", Usage: "file with the ERP's token secret, to check tokens without calling the ERP (" + shell.TokenSecretVariable + " holds one, too)", TakesFile: true},
		&cli.StringFlag{Name: "jwt-issuer", Value: tokens.DefaultIssuer, Usage: "issuer that tokens must name"},
		&cli.BoolFlag{Name: "jwt-key", Usage: "check tokens with the key the ERP publishes, without calling the ERP for each"},
		&cli.DurationFlag{Name: "verify-grace", Usage: "how long a token that the ERP accepted counts while the ERP cannot be reached, never beyond its end; 0: not at all (" + keyVerifyGrace + ", 10m)"},
		shell.MetricsFlag(), shell.AccessLogFlag(), shell.DrainFlag(),
		&cli.BoolFlag{Name: "own-login", Usage: "do not authenticate clients: whoever reaches the server acts with the login of this program; on loopback only"},
	}...)
	return append(append(flags, startFlags()...), toolFlags()...)
}

// Root is what erphub does without a command: serve tools where the profile is the
// tool server's, explain itself otherwise.
func Root(sh *shell.Shell) cli.ActionFunc { return (&app{sh}).root }

func (a *app) root(c *cli.Context) error {
	if c.Args().Present() || a.profileAsked(c) != mcpProfile {
		return a.Group(c)
	}
	return c.App.RunContext(c.Context, serverMCPArguments(c))
}

// serverMCPArguments is the command line of the tool server with the global
// flags of this one.
func serverMCPArguments(c *cli.Context) []string {
	args := []string{c.App.Name}
	for _, f := range c.App.Flags {
		name := f.Names()[0]
		if c.IsSet(name) {
			args = append(args, fmt.Sprintf("--%s=%v", name, c.Value(name)))
		}
	}
	return append(args, "server", "mcp")
}

func (a *app) profileAsked(c *cli.Context) string {
	if p := c.String("profile"); p != "" {
		return p
	}
	return a.Getenv("ERPHUB_PROFILE")
}

// mcpSetup is [shell.Shell.Setup]; the tool server's profile need not exist.
func (a *app) mcpSetup(c *cli.Context) (*shell.Setup, error) {
	return a.SetupFor(c, a.profileAsked(c) == mcpProfile)
}

func (a *app) serverMCP(c *cli.Context) error {
	s, err := a.mcpSetup(c)
	if err != nil {
		return err
	}
	if err := a.fillServerFlags(c, s); err != nil {
		return err
	}
	log, err := a.ServerLog(c)
	if err != nil {
		return err
	}
	ready := httpserver.ReadyFile(c.String("ready-file"))
	if err := ready.Clear(); err != nil {
		return err
	}
	verifier, checked, err := a.verifier(c, s, log)
	if err != nil {
		return err
	}
	metrics := server.NewMetrics()
	metrics.Build(shell.Version(), runtime.Version())
	box, err := a.toolbox(c, s, log, metrics.Boundary(), verifier == nil, true)
	if err != nil {
		return err
	}
	defer box.close()
	a.TokenMetrics(metrics)
	if dictionary := box.dictionary(); dictionary != nil {
		shell.DictionaryMetric(metrics, dictionary.Checked)
	}
	tracer, flush, err := tracing(c.Context, a.Getenv, log)
	if err != nil {
		return err
	}
	defer flush()
	if err := a.prepareMCP(c, s, box, verifier == nil); err != nil {
		return err
	}
	srv, err := a.newToolServer(c, s, box, verifier, metrics, tracer, log)
	if err != nil {
		return err
	}
	defer a.OnHangup(log, box.reopen)()
	ctx, cancel := context.WithCancel(c.Context)
	defer cancel()
	ln, err := a.Listen(ctx, c, log)
	if err != nil {
		return err
	}
	if err := checkReach(c, ln); err != nil {
		return errors.Join(err, ln.Close())
	}
	shown, err := a.ServeMetrics(ctx, c, metrics.Serve)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	watched := make(chan struct{})
	go func() { defer close(watched); box.watch(ctx, srv, log) }()
	defer func() { cancel(); <-watched }()
	err = a.ServeUntil(ctx, cancel, log, func() error { return srv.Serve(ctx, ln) }, func() error {
		if err := a.announceMCP(c, ln, checked, box); err != nil {
			return err
		}
		return ready.Write(ln.URL)
	})
	return errors.Join(err, shown(), ready.Clear())
}

// fillServerFlags sets flags from the configuration, and checks them.
func (a *app) fillServerFlags(c *cli.Context, s *shell.Setup) error {
	if err := a.FillFlags(c, s, "mcp", mcpServerFlags()); err != nil {
		return err
	}
	for _, name := range []string{"max-sessions", "max-user-sessions"} {
		if c.Int(name) < 1 {
			return shell.Usagef("--%s must be at least 1, not %d; --stateless keeps no sessions", name, c.Int(name))
		}
	}
	return nil
}

// newToolServer is the server of the tools in a box.
func (a *app) newToolServer(c *cli.Context, s *shell.Setup, box *toolbox, verifier *tokens.Verifier, metrics *server.Metrics, tracer trace.TracerProvider, log *slog.Logger) (*server.Server, error) {
	opts := server.Options{
		Catalog: box.catalog, Boundary: box.boundary, LocalCaller: box.own.caller, Name: "erphub", Title: "ERP hub", Version: shell.Version(),
		URL: c.String("public-url"), AuthorizationServers: c.StringSlice("authorization-server"),
		Confirm: a.confirmBy(c), Hosts: c.StringSlice("host"), Origins: c.StringSlice("origin"), Stateless: c.Bool("stateless"),
		MaxSessions: c.Int("max-sessions"), MaxUserSessions: c.Int("max-user-sessions"),
		Metrics: metrics, Tracer: tracer, Logger: log, Parts: box.parts(), Dependencies: box.dependencies(a.asksERP(c)),
		DrainDelay: c.Duration("drain-delay"), AccessLog: c.Bool("access-log"),
	}
	if verifier != nil {
		opts.Verifier = verifier
	}
	if box.shared != nil {
		opts.Sessions = box.shared
	}
	provider, err := a.openIDProvider(c, s, verifier, log)
	if err != nil {
		return nil, err
	}
	if provider != nil {
		opts.Provider = provider
	}
	login, err := a.browserLogin(c, s, box, verifier, log)
	if err != nil {
		return nil, err
	}
	if login != nil {
		opts.Login = login
	}
	srv, err := server.New(opts)
	return srv, shell.Usage(err)
}

// confirmBy is who agrees to changes, as the flag or the environment says.
func (a *app) confirmBy(c *cli.Context) server.ConfirmBy {
	return server.ConfirmBy(cmp.Or(c.String("confirm"), a.Getenv(confirmVariable)))
}

// checkConfirm finds a wrong [app.confirmBy].
func (a *app) checkConfirm(c *cli.Context) error {
	by := a.confirmBy(c)
	if err := by.Check(); err != nil {
		return a.wrongValue(confirmVariable, string(by), err)
	}
	return nil
}

// announceMCP says where the server is, whom it lets in and what it keeps.
func (a *app) announceMCP(c *cli.Context, ln *shell.Listener, checked string, box *toolbox) error {
	url := ln.URL
	sse := ", or by server-sent events at " + url + "/mcp/sse"
	if c.Bool("stateless") {
		sse = ""
	}
	reach := ln.Reach("name a certificate with --tls-cert and --tls-key, or put it behind something that has one.")
	_, err := fmt.Fprintf(a.Streams.Err, "the tool server is ready at %s/mcp%s (stop with Ctrl-C)\n%s\n%s %s\n%s\n",
		url, sse, box.about(), checked+aboutBrowserLogin(c, box, url), reach, box.keeps(c.Bool("stateless")))
	if err == nil && shell.Piped(a.Streams.In) {
		_, err = fmt.Fprintln(a.Streams.Err, "Standard input is a pipe and is not read: an assistant that starts its tool server itself needs --stdio.")
	}
	if err == nil && c.Bool("json") {
		said := map[string]any{"url": url, "mcp": url + "/mcp"}
		if sse != "" {
			said["sse"] = url + "/mcp/sse"
		}
		err = a.PrintJSON(said)
	}
	return err
}

// Program is the command line of erphub-mcp: the tool server alone, over HTTP or,
// with --stdio, over standard input and output.
func Program(sh *shell.Shell) *cli.App {
	a := &app{sh}
	c := a.Program(a.VersionCommand(), sh.HelpCommand())
	c.Name, c.Usage = "erphub-mcp", "serve the tools for assistants (Model Context Protocol)"
	c.Description = aboutServerMCP
	c.Flags = append(append(c.Flags, mcpServerFlags()...), stdioFlag())
	c.Action = shell.Takes(a.serve)
	return c
}

// httpOnly are flags that mean nothing over standard input and output.
var httpOnly = []string{
	"listen", "ready-file", "host", "origin", "public-url", "authorization-server", "browser-login", "stateless", "max-sessions", "max-user-sessions", "jwt-secret-file", "jwt-issuer", "jwt-key", "verify-grace", "metrics-listen", "json",
	"tls-cert", "tls-key", "access-log", "drain-delay",
}

// stdioFlags are those that mean something over standard input and output.
func stdioFlags() []cli.Flag {
	return slices.DeleteFunc(mcpServerFlags(), func(f cli.Flag) bool { return slices.Contains(httpOnly, f.Names()[0]) })
}

func (a *app) serverStdio(c *cli.Context) error {
	var wrong []string
	for _, name := range httpOnly {
		if c.IsSet(name) {
			wrong = append(wrong, "--"+name)
		}
	}
	if len(wrong) > 0 {
		return shell.Usagef("with --stdio there is no HTTP; leave out %s", strings.Join(wrong, " and "))
	}
	s, err := a.mcpSetup(c)
	if err != nil {
		return err
	}
	if err := a.FillFlags(c, s, "mcp", stdioFlags()); err != nil {
		return err
	}
	log, err := a.ServerLog(c)
	if err != nil {
		return err
	}
	box, err := a.toolbox(c, s, log, server.NewMetrics().Boundary(), true, true)
	if err != nil {
		return err
	}
	defer box.close()
	tracer, flush, err := tracing(c.Context, a.Getenv, log)
	if err != nil {
		return err
	}
	defer flush()
	if err := a.prepareMCP(c, s, box, true); err != nil {
		return err
	}
	srv, err := server.New(server.Options{
		Catalog: box.catalog, Boundary: box.boundary, LocalCaller: box.own.caller, Name: "erphub", Title: "ERP hub", Version: shell.Version(),
		Confirm: a.confirmBy(c), Tracer: tracer, Logger: log,
	})
	if err != nil {
		return shell.Usage(err)
	}
	ctx, cancel := context.WithCancel(c.Context)
	watched := make(chan struct{})
	go func() { defer close(watched); box.watch(ctx, srv, log) }()
	defer func() { cancel(); <-watched }()
	log.Info("serving standard input and output", "tools", len(srv.Tools(box.own.caller())), "keeps", "nothing beyond this process")
	in := a.Streams.In
	if in == nil {
		in = os.Stdin
	}
	return srv.ServeStdio(c.Context, in, a.Streams.Out)
}

// local is the caller where clients are not authenticated.
func localCaller() mcp.Caller { return mcp.Caller{ID: "local", Session: "local"} }
