package toolserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"go.yaml.in/yaml/v3"

	"github.com/erphub/erphub/aiquery/metrics"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/generator/delivery"
	"github.com/erphub/erphub/internal/redisstore"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/mcp/tools"
	"github.com/erphub/erphub/tokens"
)

// What flags say, the environment says, too.
const (
	backendVariable  = "BACKEND"
	aiURLVariable    = "AI_API_URL"
	aiTokenVariable  = "AI_API_TOKEN"
	aiRoleVariable   = "AI_ROLE_ID"
	redisVariable    = "ERPHUB_REDIS_URL"
	toolsetsVariable = "ERPHUB_TOOLSETS"
)

// defaultCallsPerMinute is more than an assistant at work needs, and less than
// one that went wild makes.
const defaultCallsPerMinute = 300

// toolFlags are about the tools, their backends and their limits, the same for
// every command that uses them.
func toolFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "backend", Usage: "backend to try first: rest, ai, db or cli (" + backendVariable + "); the others follow in that order"},
		&cli.StringFlag{Name: "toolsets", Usage: "tool sets to enable, separated by commas, or all (" + toolsetsVariable + "); default: all, of which a client that selects none gets what suits its role"},
		&cli.StringFlag{Name: "default-toolsets", Usage: "those of them for clients that select none with the header X-MCP-Toolsets or ?toolsets=; default: those that --toolsets names"},
		&cli.BoolFlag{Name: "read-only", Usage: "disable every tool that changes something"},
		&cli.StringSliceFlag{Name: "allow-tool", Usage: "allow these tools only: a name, part of one with *, or set:NAME; repeatable"},
		&cli.StringSliceFlag{Name: "deny-tool", Usage: "forbid these tools; repeatable"},
		&cli.StringFlag{Name: "rules", Usage: "YAML file of rules: which callers and roles may use which tools", TakesFile: true},
		&cli.IntFlag{Name: "calls-per-minute", Value: defaultCallsPerMinute, Usage: "how many tool calls each caller may make a minute; 0: no limit"},
		&cli.IntFlag{Name: "session-tokens", Usage: "tokens of arguments and results a session, and all sessions of a caller without a break of an hour, may use; 0: no limit"},
		&cli.IntFlag{Name: "session-api-calls", Usage: "requests to the ERP a session, and all sessions of a caller without a break of an hour, may use; 0: no limit"},
		&cli.IntFlag{Name: "day-tokens", Usage: "tokens each caller may use a day (UTC); 0: no limit"},
		&cli.IntFlag{Name: "day-api-calls", Usage: "requests to the ERP each caller may use a day; 0: no limit"},
		&cli.StringFlag{Name: "ai-api-url", Usage: "address of an AI API (" + aiURLVariable + ")"},
		&cli.StringFlag{Name: "ai-api-token", Usage: "token for the AI API; it shows in process lists, which " + aiTokenVariable + " and --ai-api-token-file do not"},
		&cli.StringFlag{Name: "ai-api-token-file", Usage: "file with the token for the AI API", TakesFile: true},
		&cli.IntFlag{Name: "ai-role-id", Usage: "role to query the AI API with (" + aiRoleVariable + ")"},
		&cli.StringSliceFlag{Name: "knowledge", Usage: "directory of Markdown documents for searchKnowledge; repeatable", TakesFile: true},
		&cli.StringSliceFlag{Name: "queries", Usage: "YAML file of queries that become tools of their own (tool set own); repeatable", TakesFile: true},
		&cli.StringFlag{Name: "metrics", Usage: "folder of YAML files with metrics of your own for listMetrics and queryMetric", TakesFile: true},
		&cli.StringFlag{Name: "audit", Usage: "file to append lines of JSON to, one before each change and one for each call that ended; SIGHUP opens it again (default: standard error)", TakesFile: true},
		&cli.StringFlag{Name: "database-file", Usage: "file that holds the address of the ERP's database", TakesFile: true},
		&cli.StringFlag{Name: "audit-database", Usage: "the same database with a login that writes the audit of queries alone; default: the one above"},
		&cli.StringFlag{Name: "audit-database-file", Usage: "file that holds that address", TakesFile: true},
	}, append(shell.RedisFlags("limits and sessions"), shell.DatabaseFlags()...)...)
}

// toolbox is everything tools need to be called.
type toolbox struct {
	catalog  mcp.Catalog
	boundary *mcp.Boundary
	local    mcp.Caller // the caller where clients are not authenticated and nobody is logged in

	sets     []string
	defaults func(mcp.Caller) []string // of sets, for clients that select none; nil: all
	pool     *backend.Pool
	login    tokens.Source // of this program, for callers without a token; nil: none
	own      *ownCaller
	rest     *backend.RESTBackend // nil, like the next two: not configured
	ai       *backend.AIBackend
	db       *backend.DBBackend
	shared   *redisstore.Store // keeps limits and sessions in Redis; nil: in memory
	audit    *mcp.Audit
	warmed   chan struct{} // closed when the dictionary was read, or could not be, after the start
	closers  []func() error
	log      *slog.Logger
	readOnly bool
	calls    bool          // tools will be called
	wait     time.Duration // how long a call waits for a dictionary that is read for the first time; 0: the default
}

// close frees what the tools hold.
func (b *toolbox) close() {
	for _, c := range slices.Backward(b.closers) {
		if err := c(); err != nil {
			b.log.Warn("closing what the tools used", "error", err)
		}
	}
}

// toolbox makes the tools of flags and settings. own says that calls without a
// token of their own use the login of this program, calls that there will be
// any.
func (a *app) toolbox(c *cli.Context, s *shell.Setup, log *slog.Logger, counters mcp.BoundaryMetrics, own, calls bool) (_ *toolbox, err error) {
	box := &toolbox{warmed: make(chan struct{}), local: localCaller(), log: log, calls: calls, readOnly: c.Bool("read-only")}
	if c.Command.Name == "call" { // nobody can call again: the reading ends with the program
		box.wait = firstReading
	}
	defer func() {
		if err != nil {
			box.close()
		}
	}()
	if err := a.openShared(c, s, box); err != nil {
		return nil, err
	}
	if err := a.addBackends(c, s, box, own); err != nil {
		return nil, err
	}
	if err := a.addCatalog(c, s, box); err != nil {
		return nil, err
	}
	if err := a.addBoundary(c, box, counters); err != nil {
		return nil, err
	}
	return box, nil
}

// addCatalog makes the tools and chooses the sets.
func (a *app) addCatalog(c *cli.Context, s *shell.Setup, box *toolbox) error {
	o := tools.Options{Pool: box.pool, Log: box.log, Doctor: &toolsDoctor{a: a, c: c, s: s}}
	var err error
	if o.Generator, o.FileTime, err = a.generatorOutputs(s, box); err != nil {
		return err
	}
	if folders := c.StringSlice("knowledge"); len(folders) > 0 {
		library, err := tools.OpenDocuments(c.Context, folders, box.log)
		if err != nil {
			return fmt.Errorf("reading the documents: %w", err)
		}
		box.closers = append(box.closers, library.Close)
		o.Knowledge = library
	}
	if box.shared != nil {
		o.Files = box.shared
	}
	if o.OwnQueries, err = ownQueries(c.StringSlice("queries")); err != nil {
		return err
	}
	if folder := c.String("metrics"); folder != "" {
		if o.Metrics, err = ownMetrics(c.Context, folder); err != nil {
			return err
		}
	}
	box.catalog = *tools.New(o).Catalog()
	if err := box.catalog.Tools.Check(); err != nil {
		return shell.Usage(err)
	}
	return a.chooseSets(c, box, len(o.OwnQueries) > 0)
}

// chooseSets chooses the sets that are enabled, and those that are offered first: where
// nobody names any, what suits the caller.
func (a *app) chooseSets(c *cli.Context, box *toolbox, ownQueries bool) (err error) {
	if box.sets, err = a.toolsets(c, box.catalog.Tools); err != nil {
		return err
	}
	defaults := setNames(c.String("default-toolsets"))
	if err := box.catalog.Tools.CheckSets(defaults); err != nil {
		return shell.Usage(err)
	}
	switch {
	case len(defaults) > 0:
		box.defaults = func(mcp.Caller) []string { return defaults }
	case len(box.sets) == 0 && c.Command.Name != "call" && c.Command.Name != "list": // people name what they want
		box.defaults = tools.DefaultSets
	}
	if len(box.sets) == 0 {
		box.sets = []string{mcp.AllSets}
	}
	all := slices.Contains(box.sets, mcp.AllSets)
	if ownQueries && !all && !slices.Contains(box.sets, tools.SetOwn) {
		box.sets = append(box.sets, tools.SetOwn) // nobody names the file who does not want them
	}
	for _, name := range defaults {
		if !all && !slices.Contains(box.sets, name) {
			return shell.Usagef("--default-toolsets names %s, which --toolsets does not enable", name)
		}
	}
	return nil
}

// ownMetrics are the built-in metrics with those of a folder, which has to be right:
// an assistant cannot tell a wrong definition from a wrong question.
func ownMetrics(ctx context.Context, folder string) (*metrics.Set, error) {
	set, err := metrics.Load(os.DirFS(folder))
	if err != nil {
		return nil, shell.Usage(err)
	}
	problems, err := set.Own().Check(ctx, nil)
	if err == nil && len(problems) > 0 {
		err = shell.Usagef("%s; `erphub metrics check %s` lists all problems", problems[0], folder)
	}
	return set, err
}

// generatorOutputs are the ways to deliver plugins that the settings make
// possible, and how long links live. A folder of this machine is one only where it is
// configured.
func (a *app) generatorOutputs(s *shell.Setup, box *toolbox) (tools.GeneratorOptions, time.Duration, error) {
	d, err := delivery.New(delivery.Options{Setting: s.Resolver.Lookup, Getenv: a.Getenv, Logger: box.log})
	if err != nil {
		return tools.GeneratorOptions{}, 0, shell.DeliveryError(err)
	}
	o := tools.GeneratorOptions{Deliveries: d, Modes: []generator.Mode{
		generator.ModeURL, generator.ModeObjectStore, generator.ModeRepository, generator.ModeEmail,
	}}
	if cmp.Or(a.Getenv("ERPHUB_GENERATOR_DIRECTORY"), s.Resolver.Lookup(delivery.KeyDirectory)) != "" {
		o.Modes = append(o.Modes, generator.ModeFilesystem)
	}
	return o, d.TTL(), nil
}

// toolsets are the names of the requested sets, none where nobody requests any.
func (a *app) toolsets(c *cli.Context, all mcp.Set) ([]string, error) {
	asked := c.String("toolsets")
	if asked == "" {
		asked = a.Getenv(toolsetsVariable)
	}
	sets := setNames(asked)
	if err := all.CheckSets(sets); err != nil {
		return nil, a.wrongValue(toolsetsVariable, asked, err)
	}
	return sets, nil
}

// ownQueries are the queries of files.
func ownQueries(paths []string) ([]tools.OwnQuery, error) {
	var all []tools.OwnQuery
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("reading the queries: %w", err)
		}
		queries, err := tools.ReadOwnQueries(f)
		f.Close()
		if err != nil {
			return nil, shell.Usage(fmt.Errorf("reading the queries in %s: %w", path, err))
		}
		all = append(all, queries...)
	}
	return all, nil
}

func setNames(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

// openShared opens the Redis that replicas share, where one is named.
func (a *app) openShared(c *cli.Context, s *shell.Setup, box *toolbox) error {
	address, err := a.RedisURL(c, s)
	if err != nil || address == "" {
		return err
	}
	store, err := redisstore.Open(address, "")
	if err != nil {
		return shell.Usage(err)
	}
	box.closers, box.shared = append(box.closers, store.Close), store
	return nil
}

// addBoundary puts permission, limits and audit in front of the tools.
func (a *app) addBoundary(c *cli.Context, box *toolbox, counters mcp.BoundaryMetrics) error {
	rules, err := toolRules(c)
	if err != nil {
		return err
	}
	o := &mcp.BoundaryOptions{
		Toolsets: box.sets, DefaultToolsets: box.defaults, ReadOnly: box.readOnly, Rules: rules, Metrics: counters, Logger: box.log,
		Limits: mcp.Limits{
			CallsPerMinute: c.Int("calls-per-minute"),
			Session:        mcp.Cost{Tokens: c.Int("session-tokens"), APICalls: c.Int("session-api-calls")},
			Day:            mcp.Cost{Tokens: c.Int("day-tokens"), APICalls: c.Int("day-api-calls")},
		},
	}
	if box.shared != nil {
		o.Store = box.shared
	}
	if box.rest != nil {
		o.Admit = box.rest.Admit
	}
	stream := a.Streams.Err
	if c.Command.Name == "call" && shell.Terminal(stream) {
		stream = io.Discard // who calls it sees it
	}
	o.Audit = mcp.AuditTo(stream)
	if path := c.String("audit"); path != "" {
		if o.Audit, err = mcp.OpenAudit(path); err != nil {
			return err
		}
	}
	box.audit = o.Audit
	box.closers = append(box.closers, o.Audit.Close)
	if box.boundary, err = mcp.NewBoundary(o); err != nil {
		return shell.Usage(err)
	}
	box.closers = append(box.closers, func() error { // the last records come before the audit is closed
		ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Context), lastCalls)
		defer cancel()
		return box.boundary.Close(ctx)
	})
	return nil
}

// lastCalls is how long calls that are cancelled at the end may take to end.
const lastCalls = 3 * time.Second

// reopen opens the audit again, which log rotation has renamed.
func (b *toolbox) reopen() {
	if err := b.audit.Reopen(); err != nil {
		b.log.Error("SIGHUP: the audit could not be opened again, and goes on where it was", "error", err)
		return
	}
	b.log.Info("SIGHUP: the audit was opened again; settings are read when the server starts")
}

// maxRules bounds a file of rules.
const maxRules = 1 << 20

// toolRules are the rules of the flags and of the file.
func toolRules(c *cli.Context) ([]mcp.Rule, error) {
	var rules []mcp.Rule
	if allow, deny := c.StringSlice("allow-tool"), c.StringSlice("deny-tool"); len(allow)+len(deny) > 0 {
		rules = append(rules, mcp.Rule{Allow: allow, Deny: deny})
	}
	path := c.String("rules")
	if path == "" {
		return rules, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the rules: %w", err)
	}
	defer f.Close()
	d := yaml.NewDecoder(io.LimitReader(f, maxRules))
	d.KnownFields(true) // a misspelt rule would forbid nothing
	var file struct {
		Rules []mcp.Rule `yaml:"rules"`
	}
	if err := d.Decode(&file); err != nil {
		return nil, shell.Usage(fmt.Errorf("reading the rules in %s: %w; they stand in a list below rules:", path, err))
	}
	if err := d.Decode(new(any)); !errors.Is(err, io.EOF) {
		return nil, shell.Usagef("reading the rules in %s: there is more than one YAML document", path)
	}
	if len(file.Rules) == 0 {
		return nil, shell.Usagef("reading the rules in %s: there are none below rules:", path)
	}
	return append(rules, file.Rules...), nil
}

// about says what can be done.
func (b *toolbox) about() string {
	visible := b.visible()
	var names []string
	for _, k := range b.pool.Backends() {
		names = append(names, string(k.Name()))
	}
	text := fmt.Sprintf("It offers %d of %d tools (tool sets: %s; all: %s) over %s.", len(visible), len(b.catalog.Tools),
		strings.Join(b.sets, ", "), strings.Join(b.catalog.Tools.SetNames(), ", "), strings.Join(names, ", then "))
	if b.defaults != nil {
		text += " A client that selects no tool sets gets a part first: the operator's choice, or what suits the role of its login."
	}
	if b.readOnly {
		text += " It only reads."
	}
	if b.ai != nil && !b.ai.Present() {
		text += " No AI API responds at the ERP's address, so there are no queries in SQL until one does:  `erphub server api` serves one, " + aiURLVariable + " names one elsewhere."
	}
	return text
}

// keeps says what state the server has, and so how many of it may run.
func (b *toolbox) keeps(stateless bool) string {
	switch {
	case stateless && b.shared != nil:
		return "It keeps no sessions, and limits and files that tools made in Redis: any number of it may run side by side."
	case stateless:
		return "It keeps no sessions, but counts limits and knows confirmations in memory: give several of it a Redis (" + redisVariable + ")."
	case b.shared != nil:
		return "It keeps sessions, limits and files that tools made in Redis: any number of it may run side by side. Only /mcp/sse needs a proxy that sends a client to where it connected."
	}
	return "It keeps sessions, limits and confirmations in memory, which end with it: run one of it, or several with a Redis (" + redisVariable + ")."
}
