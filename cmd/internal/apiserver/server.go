package apiserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/httpapi"
	"github.com/erphub/erphub/cmd/internal/board"
	"github.com/erphub/erphub/cmd/internal/services"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/cmd/internal/startpage"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/generator/delivery"

	"github.com/erphub/erphub/cmd/internal/redisstate"
	genapi "github.com/erphub/erphub/generator/httpapi"
	"github.com/erphub/erphub/internal/httpserver"
)

// aiConcurrent bounds the requests worked on at a time where the AI API is
// served, which has a smaller bound of its own.
const aiConcurrent = 2 * httpapi.DefaultMaxConcurrent

// apiDrain is how long requests may take to finish when the server ends: longer
// than a statement may run by default, and within the half minute that
// orchestrators grant.
const apiDrain = 25 * time.Second

func (a *app) serverAPICommand() *cli.Command {
	return &cli.Command{
		Name: "api", Usage: "serve the AI API on the ERP's database, the generator, and the deployment board",
		Description: "With a database it serves governed SQL for assistants at /api/ai: each caller sends a token of the ERP " +
			"and queries with one of the user's roles; what that role may not see does not exist for it, and each query is " +
			"audited in the table " + aiquery.AuditTableName + ", without which it does not start. The database should be named with a " +
			"login that can select and nothing else, and --audit-database with one that can write that table.\n\n" +
			"With an ERP (ERP_URL) it serves a page at /deployments that shows what runs where and follows every run\n" +
			"live, with JSON at /api/deployments. It reads with the login of this program and does not authenticate " +
			"viewers: whoever reaches it sees what that login may read.\n\n" +
			"Its address lists in a browser what it serves. It generates plugins at /api/generate/plugin for tokens of the ERP, and serves the download links below " +
			"/api/artifacts, as far as the settings say where plugins go (`erphub config list`); tables and windows are " +
			"looked up where a database is named.\n\n" +
			"/healthz, /readyz and /metrics are served beside. /readyz says what is away of the ERP, the database, the audit and " +
			"Redis; it is 200 as long as anything can be served. /readyz/board, /readyz/generator and /readyz/ai are about one part. Times and sizes, which tell callers how much data others have, are among " +
			"the metrics of --metrics-listen alone. It listens on loopback (127.0.0.1) by default, and accepts the host names localhost, " +
			"IP addresses and the names given with --host.\n\n" +
			"SIGTERM and SIGINT end it: it stops listening and finishes requests, for 25 seconds at most. Settings are read at " +
			"the start; SIGHUP changes nothing, unless the server is at a terminal, with which it ends.",
		Flags:  serverFlags(),
		Action: shell.Takes(a.serverAPI),
	}
}

// serverFlags are all flags of the command.
func serverFlags() []cli.Flag {
	flags := append(shell.ListenFlags("127.0.0.1:8090"), shell.LogFlags()...)
	flags = append(flags, []cli.Flag{
		&cli.StringSliceFlag{Name: "host", Usage: "further host name under which clients reach the server, such as board.example.com; repeatable"},
		&cli.StringFlag{Name: "ready-file", Usage: `file to write {"url","pid"} to once the server is ready`, TakesFile: true},
		shell.MetricsFlag(), shell.AccessLogFlag(), shell.DrainFlag(),
		&cli.DurationFlag{Name: "database-wait", Value: time.Minute, Usage: "how long to wait at the start for a database that cannot be reached; 0: not at all"},
		&cli.StringSliceFlag{Name: "email-recipient", Usage: "address that plugins may be mailed to, domain such as example.com, or * for everybody; repeatable (ERPHUB_EMAIL_RECIPIENTS; default: the sender's domain)"},
	}...)
	flags = append(flags, shell.RedisFlags("limits, Idempotency-Keys and published contexts")...)
	return append(flags, aiFlags()...)
}

// apiParts are the services behind one address.
type apiParts struct {
	ai    *services.AI // nil: none
	board *board.Board // nil: none
	erp   string       // the address the board reads
	gen   *services.Generator
	ruled string // what became of the rule about the audit's rows

	shared  *redisstate.Store // what replicas share; nil: nothing
	asksERP bool              // it checks the tokens of callers
}

func (a *app) serverAPI(c *cli.Context) (err error) {
	s, err := a.Setup(c)
	if err != nil {
		return err
	}
	if err := a.FillFlags(c, s, "api", serverFlags()); err != nil {
		return err
	}
	log, err := a.ServerLog(c)
	if err != nil {
		return err
	}
	defer a.OnHangup(log, nil)()
	settings, err := a.aiSettings(c, s, log)
	if err != nil {
		return err
	}
	ready := httpserver.ReadyFile(c.String("ready-file"))
	if err := ready.Clear(); err != nil {
		return err
	}
	metrics := httpserver.NewMetrics()
	metrics.Build(shell.Version(), runtime.Version())
	a.TokenMetrics(metrics)
	parts, err := a.openParts(c, s, settings, metrics, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, parts.close(c.Context)) }()
	ctx, cancel := context.WithCancel(c.Context)
	defer cancel()
	ln, err := a.Listen(ctx, c, log)
	if err != nil {
		return err
	}
	if parts.gen, err = a.openGenerator(c, s, settings, parts, ln.URL, metrics, log); err != nil {
		return errors.Join(err, ln.Close())
	}
	srv := httpserver.New(parts.handler(ln.URL), parts.options(&httpserver.Options{Logger: log, Hosts: c.StringSlice("host"), Metrics: metrics,
		DrainDelay: c.Duration("drain-delay"), AccessLog: c.Bool("access-log")}))
	shown, err := a.ServeMetrics(ctx, c, metrics.Serve)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	var behind sync.WaitGroup
	behind.Go(func() { parts.run(ctx) })
	err = a.ServeUntil(ctx, cancel, log, func() error { return srv.Serve(ctx, ln) }, func() error {
		if err := a.announceAPI(c, parts, ln); err != nil {
			return err
		}
		return ready.Write(ln.URL)
	})
	behind.Wait()
	return errors.Join(err, shown(), ready.Clear())
}

// openParts opens what flags and settings say is to be served.
func (a *app) openParts(c *cli.Context, s *shell.Setup, settings *aiSettings, metrics *httpserver.Metrics, log *slog.Logger) (_ *apiParts, err error) {
	parts := &apiParts{asksERP: settings.asksERP}
	defer func() {
		if err != nil {
			err = errors.Join(err, parts.close(c.Context))
		}
	}()
	if parts.shared, err = a.openShared(c, s, log); err != nil {
		return nil, err
	}
	var client *erp.Client
	if s.Resolver.Lookup("url") != "" {
		if client, err = a.ClientFor(c, s); err != nil {
			return nil, err
		}
		parts.board, parts.erp = board.New(client, &board.Options{Logger: log}), client.BaseURL()
		metrics.GaugeFunc("board_listeners", "Pages that follow the deployment log.", func() float64 { return float64(parts.board.Listeners()) })
	}
	if settings.database == "" {
		return parts, nil
	}
	err = a.awaitDatabase(c.Context, c.Duration("database-wait"), func() (err error) {
		parts.ai, err = a.openAI(c, settings, parts.shared, metrics, log)
		return err
	})
	if err != nil {
		return nil, err
	}
	if c.Bool("install") {
		parts.ruled = ruleInForce(c.Context, client)
	}
	shell.DictionaryMetric(metrics, parts.ai.DictionaryChecked)
	return parts, nil
}

// close closes what is open.
func (p *apiParts) close(ctx context.Context) error {
	var ai, shared error
	if p.ai != nil {
		ai = p.ai.Close(ctx)
	}
	if p.shared != nil {
		shared = p.shared.Close()
	}
	return errors.Join(ai, shared)
}

// openGenerator opens the generator, which looks names up in the dictionary of the AI API.
func (a *app) openGenerator(c *cli.Context, s *shell.Setup, settings *aiSettings, parts *apiParts, url string, metrics *httpserver.Metrics, log *slog.Logger) (*services.Generator, error) {
	var reg registry.Registry
	if parts.ai != nil {
		reg = parts.ai.Cache
	}
	deliveries := delivery.Options{Setting: s.Resolver.Lookup, Getenv: a.Getenv, BaseURL: url}
	if to := c.StringSlice("email-recipient"); len(to) > 0 {
		deliveries.Getenv = func(name string) string { // which is used first
			if name == "ERPHUB_EMAIL_RECIPIENTS" {
				return strings.Join(to, ",")
			}
			return a.Getenv(name)
		}
	}
	return services.OpenGenerator(deliveries, settings.verifier, reg, log, parts.generatorOptions(metrics))
}

// startPage lists what is served. It names no users: who reaches it need not know any.
func (p *apiParts) startPage(url string) startpage.Page {
	page := startpage.Page{Title: "erphub", URL: url, About: "Programs and assistants call these APIs; the pages are for people."}
	add := func(path, about string) { page.Links = append(page.Links, startpage.Link{Path: path, About: about}) }
	if p.board != nil {
		add("/deployments", "the deployment board: what runs where")
		add("/api/deployments", "the same as JSON")
	}
	if p.ai != nil {
		add(httpapi.Prefix+"/openapi.yaml", "the contract of the AI API: SELECT statements under a role, and what tables are")
		add(httpapi.Prefix+"/health", "what the AI API works on, and whether it can")
	}
	add(genapi.GeneratePrefix+"/openapi.yaml", "the contract of the generator of plugins")
	add("/metrics", "figures for Prometheus")
	add("/readyz", "whether it can serve, and what is away")
	return page
}

// handler serves all parts.
func (p *apiParts) handler(url string) http.Handler {
	mux := http.NewServeMux()
	if p.board != nil {
		mux.Handle("/", p.board.Handler())
	}
	if p.ai != nil {
		mux.Handle(httpapi.Prefix+"/", p.ai.Handler)
	}
	p.gen.Mount(mux)
	mux.Handle("GET /{$}", startpage.Handler(p.startPage(url)))
	return mux
}

// options adds what the parts need of the server.
func (p *apiParts) options(o *httpserver.Options) *httpserver.Options {
	o.RequestTimeout = genapi.DefaultTimeout + 10*time.Second // each part has bounds of its own
	o.Drain = apiDrain
	o.Long = genapi.Streams
	o.Parts, o.Dependencies = p.names(), p.dependencies()
	if p.board != nil {
		o.Streams = board.Streams
	}
	if p.ai != nil {
		o.MaxConcurrent = aiConcurrent
	}
	return o
}

// run does what the parts do besides serving, until ctx ends.
func (p *apiParts) run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { p.gen.Run(ctx) })
	if p.board != nil {
		all.Go(func() { _ = p.board.Run(ctx) }) // it ends with the context, whose error says nothing new
	}
	if p.ai != nil {
		all.Go(func() { p.ai.Watch(ctx) })
	}
	all.Wait()
}

// announceAPI says what is served, on what it works and who can reach it.
func (a *app) announceAPI(c *cli.Context, p *apiParts, ln *shell.Listener) error {
	url := ln.URL
	var b strings.Builder
	addresses := map[string]any{"url": url}
	if p.ai != nil {
		addresses["ai"] = url + httpapi.Prefix
		fmt.Fprintf(&b, "the AI API is at %s%s (stop with Ctrl-C)\n", url, httpapi.Prefix)
		fmt.Fprintf(&b, "It queries %s, and writes a record of each query to %s; %s.\n", shell.Printable(p.ai.DB.String()), aiquery.AuditTableName, p.ai.Checks)
		if l := p.ai.Health.Limits; len(l) > 0 {
			fmt.Fprintf(&b, "The database gives a statement work_mem %s for each sort (%s times that for hashing) and temp_file_limit %s of temporary files; "+
				"it has no limit for the memory of a process.\n", l["work_mem"], l["hash_mem_multiplier"], l["temp_file_limit"])
		}
		b.WriteString(p.ruled)
		for _, w := range p.ai.Health.Warnings {
			fmt.Fprintf(&b, "warning: %s\n", shell.Printable(w))
		}
	}
	if p.board != nil {
		addresses["board"] = url + "/deployments"
		fmt.Fprintf(&b, "the deployment board is at %s/deployments (stop with Ctrl-C)\n", url)
		fmt.Fprintf(&b, "It reads %s. Warning: everyone who can reach it sees what its login (%s) may read.\n", shell.Printable(p.erp), a.loginName(c))
		if p.ai == nil {
			b.WriteString("The board keeps no state: any number of it may run side by side.\n")
		}
	}
	fmt.Fprintf(&b, "plugins are generated at %s%s/plugin, for tokens of the ERP\n", url, genapi.GeneratePrefix)
	b.WriteString(p.keeps())
	if !ln.Loopback && p.board != nil {
		b.WriteString("The board does not authenticate viewers: put it behind a proxy that does.\n")
	}
	b.WriteString(ln.Reach("name a certificate with --tls-cert and --tls-key, or put it behind a proxy that has one.") + "\n")
	if _, err := fmt.Fprint(a.Streams.Err, b.String()); err != nil {
		return err
	}
	if c.Bool("json") {
		return a.PrintJSON(addresses)
	}
	return nil
}

// loginName says where the login comes from, without saying what it is.
func (a *app) loginName(c *cli.Context) string {
	s, err := a.Setup(c)
	if err != nil {
		return "unknown" // the client was made from the same settings
	}
	settings, err := s.Settings()
	switch {
	case err != nil:
		return "unknown"
	case settings.Username != "":
		return "user " + shell.Printable(settings.Username)
	case !settings.Token.IsZero():
		return "a token that was given"
	case s.Profile != "":
		return "the stored token of profile " + shell.Printable(s.Profile)
	}
	return "none"
}
