package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/erphub/erphub/internal/baseurl"
	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/tokens"
)

// DefaultPort is the port that the tool server listens on.
const DefaultPort = 8765

// How many sessions there may be where nobody says.
const (
	DefaultMaxSessions     = 2000
	DefaultMaxUserSessions = 100
)

// Verifier decides whether a bearer token was issued for this service and is
// still good; *tokens.Verifier is one. An error that is no
// tokens.ErrInvalidToken means that it could not find out: the request is
// refused, too, as one to retry.
type Verifier interface {
	Verify(ctx context.Context, token string) (tokens.Claims, error)
}

// Login lets users in with their browser, and turns the tokens that their clients got
// for it into the ERP's.
type Login interface {
	// ServeHTTP serves /oauth/ and /.well-known/oauth-authorization-server.
	http.Handler
	// Verify is as in [Verifier], for tokens of the login and of the ERP. It returns
	// the token of the ERP, too.
	Verify(ctx context.Context, token string) (claims tokens.Claims, erp string, err error)
}

// Provider lets in tokens of an OpenID provider, about which the ERP decides.
type Provider interface {
	// Issued reports whether a token says that it is one of the provider.
	Issued(token string) bool
	// Verify is as in [Verifier], for a token and what its client says about whom it
	// works for. The claims have the numbers of the ERP's records; Subject tells the
	// logins of a user apart. It refuses a token that the ERP takes, but that must not be
	// let in, with an [mcp.Error].
	Verify(ctx context.Context, token string, identity mcp.Identity) (tokens.Claims, error)
}

// ConfirmBy is the way to get a user's agreement before a tool changes something
// (mcp.Tool.Confirms).
type ConfirmBy string

// The ways to confirm.
const (
	// ConfirmUser: the user agrees. The client asks them, by elicitation in
	// sessions, else by an input request; if the client cannot ask, the
	// tool is refused.
	ConfirmUser ConfirmBy = "user"
	// ConfirmClient: the call itself counts as agreed to. Only for clients that
	// have their users approve calls, and where nobody else can call.
	ConfirmClient ConfirmBy = "client"
)

// Check refuses any other value. Empty is [ConfirmUser].
func (b ConfirmBy) Check() error {
	if b == "" || b == ConfirmUser || b == ConfirmClient {
		return nil
	}
	return fmt.Errorf("changes cannot be confirmed by %q; choose %s or %s", string(b), ConfirmUser, ConfirmClient)
}

// Options make a [Server].
type Options struct {
	// Catalog is the catalog to serve. Tools that Boundary forbids a caller are neither
	// listed nor called.
	Catalog mcp.Catalog
	// Boundary stands in front of every tool; needed.
	Boundary *mcp.Boundary
	// Verifier checks the bearer token of every request over HTTP. With nil
	// callers are not authenticated and all act as Local: for standard input and
	// output, and for a server that only its own user can reach.
	Verifier Verifier
	// Login checks tokens in place of Verifier, and is named in the protected-resource
	// metadata.
	Login Login
	// Provider checks the tokens that it has issued, in place of Verifier and Login; nil:
	// they are not let in.
	Provider Provider
	// Local is the caller where callers are not authenticated.
	Local mcp.Caller
	// LocalCaller is called instead of using Local for every request, where it becomes
	// known later who calls. It must not wait. nil: Local.
	LocalCaller func() mcp.Caller
	// Name, Title and Version are what the server tells clients about itself.
	// Empty: "erphub", Name, "0".
	Name, Title, Version string
	// URL is the address at which clients reach the server, such as https://tools.example.com,
	// if that is not the Host they request.
	URL string
	// AuthorizationServers are named in the protected-resource metadata.
	AuthorizationServers []string
	// Hosts are names in Host headers that the server serves, beside localhost and
	// IP addresses; one that begins with a dot stands for all below it, "*" for all
	// there are.
	Hosts []string
	// Origins are web pages whose scripts may call, such as
	// https://app.example.com.
	Origins []string
	// Confirm is who agrees to changes; empty: ConfirmUser.
	Confirm ConfirmBy
	// Stateless keeps no sessions.
	Stateless bool
	// Sessions shares the sessions of /mcp with other servers, each of which can
	// serve them while [Server.Serve] runs: questions to the user may then be
	// responded to at another server than the one that asks. The others must have
	// the same options, and a boundary whose store they share. nil: sessions end
	// with the server. Connections of /mcp/sse always do.
	Sessions SessionStore
	// SessionTimeout ends sessions nobody used for so long; 0: 30 minutes.
	SessionTimeout time.Duration
	// MaxSessions bounds sessions altogether, MaxUserSessions those of one user, role
	// and organization; 0: [DefaultMaxSessions] and [DefaultMaxUserSessions]. Both
	// count connections of /mcp/sse apart. With Sessions the first is of those that
	// one server has in memory, the second of all servers.
	MaxSessions, MaxUserSessions int
	// SessionIdle is the time without use after which a session ends for a new one
	// that would be too many; where none is that old, the new one is refused.
	// 0: 5 minutes.
	SessionIdle time.Duration
	// MaxConcurrent bounds the requests worked on at a time, each message of a
	// batch counted; 0: 256.
	MaxConcurrent int
	// MaxBody bounds the body of a request in bytes; 0: 4 MiB.
	MaxBody int64
	// BodyTimeout is the time a client may take to send a request, WriteTimeout
	// to take in a piece of a response; 0: 30 s each.
	BodyTimeout, WriteTimeout time.Duration
	// KeepAlive is the time between signs of life on streams; 0: 25 s.
	KeepAlive time.Duration
	// Question is the time the user may take to answer; 0: 10 minutes.
	Question time.Duration
	// Drain is the time calls may take to finish when the server ends, before they are
	// cancelled; 0: 10 s.
	Drain time.Duration
	// DrainDelay is the time for which the ending server is not ready but still takes
	// requests, so that clients and proxies go elsewhere; 0: not at all.
	DrainDelay time.Duration
	// AccessLog logs each HTTP request at level info, instead of debug.
	AccessLog bool
	// Dependencies are the services the server works with; nil: the part tools needs the limits.
	Dependencies []Dependency
	// Parts are the parts that Dependencies name, and that can be requested at /readyz/PART.
	Parts []string
	// Metrics are shown at /metrics, without times and sizes, for which there is
	// [Metrics.Serve]; nil: an own set.
	Metrics *Metrics
	// Tracer makes spans of requests; nil: none are made.
	Tracer trace.TracerProvider
	// Logger logs internal errors, start and shutdown; nil is silent.
	Logger *slog.Logger
}

func (o *Options) check() error {
	if o.Boundary == nil {
		return errors.New("a tool server needs a boundary: who may do what, and how often")
	}
	if err := o.Catalog.Tools.Check(); err != nil {
		return fmt.Errorf("the tools cannot be served: %w", err)
	}
	if min(o.MaxSessions, o.MaxUserSessions, o.MaxConcurrent) < 0 || o.MaxBody < 0 ||
		min(o.SessionTimeout, o.SessionIdle, o.BodyTimeout, o.WriteTimeout, o.KeepAlive, o.Question, o.Drain, o.DrainDelay) < 0 {
		return errors.New("a bound of the server is negative; leave it out for the default")
	}
	if err := o.Confirm.Check(); err != nil {
		return err
	}
	for _, origin := range o.Origins {
		if !baseurl.IsOrigin(origin) {
			return fmt.Errorf("the origin %q cannot be used; write it as https://app.example.com", origin)
		}
	}
	if o.URL != "" {
		if u, err := url.Parse(o.URL); err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
			return errors.New("the server's own URL cannot be used; write it as https://tools.example.com")
		}
	}
	return nil
}

// authenticates reports whether callers need a token.
func (o *Options) authenticates() bool {
	return o.Verifier != nil || o.Login != nil || o.Provider != nil
}

func (o *Options) fill() {
	o.Name = cmp.Or(o.Name, "erphub")
	o.Title = cmp.Or(o.Title, o.Name)
	o.Version = cmp.Or(o.Version, "0")
	o.URL = strings.TrimRight(o.URL, "/")
	o.Hosts, o.Origins = slices.Clone(o.Hosts), slices.Clone(o.Origins)
	o.SessionTimeout = cmp.Or(o.SessionTimeout, 30*time.Minute)
	o.MaxSessions = cmp.Or(o.MaxSessions, DefaultMaxSessions)
	o.MaxUserSessions = cmp.Or(o.MaxUserSessions, DefaultMaxUserSessions)
	o.SessionIdle = cmp.Or(o.SessionIdle, 5*time.Minute)
	o.MaxConcurrent = cmp.Or(o.MaxConcurrent, 256)
	o.MaxBody = cmp.Or(o.MaxBody, 4<<20)
	o.BodyTimeout = cmp.Or(o.BodyTimeout, 30*time.Second)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, 30*time.Second)
	o.KeepAlive = cmp.Or(o.KeepAlive, 25*time.Second)
	o.Question = cmp.Or(o.Question, 10*time.Minute)
	o.Drain = cmp.Or(o.Drain, 10*time.Second)
	if o.LocalCaller == nil {
		local := o.Local
		o.LocalCaller = func() mcp.Caller { return local }
	}
	if o.Dependencies == nil {
		o.Parts = []string{"tools"}
		o.Dependencies = []Dependency{{Name: "limits", Missing: "limits cannot be counted, so tools are refused", Check: o.Boundary.Ready, Needed: o.Parts}}
	}
	if o.Metrics == nil {
		o.Metrics = NewMetrics()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
}

// Dependency is something that a server works with. /readyz responds with 200 as long
// as a part of the server can be served and nothing is missing that is Own.
type Dependency struct {
	// Name is its name in metrics, such as redis.
	Name string
	// Missing says what is missing while Check fails, in words that anybody may read.
	Missing string
	// Check reports whether it is there. It must return when its context ends. Its
	// error is logged.
	Check func(context.Context) error
	// Needed are the parts of the server that cannot be served without it, Used those
	// that can do less without it.
	Needed, Used []string
	// Own says that only this server lacks it, and not its replicas, too.
	Own bool
}

func dependencies(on []Dependency) []httpserver.Dependency {
	out := make([]httpserver.Dependency, len(on))
	for i, d := range on {
		out[i] = httpserver.Dependency(d)
	}
	return out
}

// Metrics are the numbers shown at /metrics. They are safe for concurrent use.
type Metrics struct {
	all      *httpserver.Metrics
	calls    *httpserver.Counter
	seconds  *httpserver.Histogram
	tokens   *httpserver.Counter
	erp      *httpserver.Counter
	audit    *httpserver.Counter
	refused  *httpserver.Counter
	requests *httpserver.Counter
	methods  *httpserver.Histogram
	http     *httpserver.Counter
	turned   *httpserver.Counter
	limited  *httpserver.Counter
}

// NewMetrics makes an empty set. Give [Metrics.Boundary] to the boundary.
func NewMetrics() *Metrics {
	m := httpserver.NewMetrics()
	m.Process()
	return &Metrics{
		all:      m,
		calls:    m.Counter("mcp_tool_calls_total", "Calls of tools by outcome: ok or the code of the error.", "tool", "outcome"),
		seconds:  m.Histogram("mcp_tool_seconds", "Time calls of tools took.", "tool"),
		tokens:   m.Counter("mcp_tool_tokens_total", "Tokens of arguments and results, as estimated.", "tool").OfSizes(),
		erp:      m.Counter("mcp_tool_api_calls_total", "Requests tools made to the ERP.", "tool"),
		audit:    m.Counter("mcp_audit_failures_total", "Records of the audit that could not be written. While they cannot, tools change nothing."),
		refused:  m.Counter("mcp_calls_refused_total", "Calls the boundary refused, by reason.", "reason"),
		requests: m.Counter("mcp_requests_total", "Requests of the protocol, by method and whether they failed.", "method", "failed"),
		methods:  m.Histogram("mcp_request_seconds", "Time requests of the protocol took.", "method"),
		http:     m.Counter("mcp_http_requests_total", "HTTP requests by path and status.", "path", "code"),
		turned:   m.Counter("mcp_http_refused_total", "HTTP requests refused before the protocol saw them, by reason.", "reason"),
		limited:  m.Counter("mcp_sessions_limited_total", "Sessions beyond a limit (of a user, of the server): idle ones that ended for a new one, and new ones that were refused.", "limit", "outcome"),
	}
}

// Build shows the version of the program, and of Go, as labels of a metric.
func (m *Metrics) Build(version, goVersion string) { m.all.Build(version, goVersion) }

// GaugeFunc shows what value returns whenever somebody looks, with the metrics of
// the server; a name that is there already panics. It is shown to everybody who
// reaches the server. value must not use the metrics.
func (m *Metrics) GaugeFunc(name, help string, value func() float64) {
	m.all.GaugeFunc(name, help, value)
}

// CounterFunc is [Metrics.GaugeFunc] for a number that only grows.
func (m *Metrics) CounterFunc(name, help string, value func() float64) {
	m.all.CounterFunc(name, help, value)
}

// Boundary returns the functions for a boundary, so that its numbers are shown, too.
func (m *Metrics) Boundary() mcp.BoundaryMetrics {
	return mcp.BoundaryMetrics{
		Called: func(tool, outcome string, took time.Duration, apiCalls, tokens int) {
			m.calls.Add(1, tool, outcome)
			m.seconds.Observe(took.Seconds(), tool)
			m.tokens.Add(float64(tokens), tool)
			m.erp.Add(float64(apiCalls), tool)
		},
		AuditFailed: func() { m.audit.Add(1) },
		Refused:     func(reason string) { m.refused.Add(1, reason) },
	}
}

// Text is all of them, as [Metrics.Serve] shows them.
func (m *Metrics) Text() []byte { return m.all.Text() }

// Serve shows all numbers at /metrics on ln, and nothing else, until ctx ends.
// Beside the tools /metrics leaves out times and sizes, which tell callers how
// much data there is that is not theirs; ln should be reachable for those who
// look after the server alone. It serves localhost, IP addresses and hosts,
// and closes ln.
func (m *Metrics) Serve(ctx context.Context, ln net.Listener, hosts ...string) error {
	return m.all.Serve(ctx, ln, hosts...)
}
