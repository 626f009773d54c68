package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/internal/baseurl"
	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/internal/httpserver/access"
	"github.com/erphub/erphub/tokens"
)

// Prefix is the path that the API is mounted below, whatever stands before it.
const Prefix = "/api/ai"

// Version is the version of the API that the OpenAPI document describes. Every
// response names it in the header X-Api-Version.
const Version = "1.0.0"

// versionPrefix is where the paths of this version of the API are, beside those
// below [Prefix]: they stay as they are when there is another version.
const versionPrefix = Prefix + "/v1"

// The defaults of [Options].
const (
	DefaultMaxBody       = 1 << 20
	DefaultBodyTimeout   = 10 * time.Second
	DefaultPerMinute     = 6000
	DefaultBurst         = 500
	DefaultMaxConcurrent = 128
	DefaultContextTTL    = time.Minute
	MaxContextTTL        = time.Hour

	DefaultStatementsPerMinute = 240
	DefaultStatementBurst      = 60
)

// Engine runs the queries. [*aiquery.Engine] is one.
type Engine interface {
	Query(ctx context.Context, who aiquery.Caller, q aiquery.Request) (*api.Result, error)
	Explain(ctx context.Context, who aiquery.Caller, q aiquery.Request) (*api.Explanation, error)
	// Refused puts a query on record that is refused before the engine runs it,
	// and returns why with the request's id. What is not known of the query is ""
	// and, for the role, -1.
	Refused(ctx context.Context, who aiquery.Caller, q aiquery.Request, why *api.Error) *api.Error
	Roles(ctx context.Context, who aiquery.Caller) ([]api.RoleInfo, error)
	TableMetadata(ctx context.Context, who aiquery.Caller, roleID int, name string) (*api.TableMetadata, error)
	WindowMetadata(ctx context.Context, who aiquery.Caller, roleID, windowID int) (*api.WindowMetadata, error)
	// Redacts reports whether queries mask a column; an empty table is any.
	Redacts(ctx context.Context, table, column string) (bool, error)
	Health(ctx context.Context) aiquery.Health
}

// Limits counts requests for several servers together. It is safe for concurrent use.
type Limits interface {
	// Take takes one request under a key: perMinute in the long run, burst at once.
	// When no request is left it takes none and returns how long to wait.
	Take(ctx context.Context, key string, perMinute, burst int) (wait time.Duration, err error)
}

// Options change a [Handler]. Nil and the zero value are the defaults.
type Options struct {
	// Logger gets faults of the service and of tokens that could not be
	// checked; nil is silent. No token and no statement is logged.
	Logger *slog.Logger
	// PerMinute is the number of requests a user may make in a minute, in the long
	// run; Burst the number at once. 0: 6000 and 500.
	PerMinute, Burst int
	// StatementsPerMinute is the number of these that may be statements to be run or
	// explained, in the long run; StatementBurst the number at once. 0: 240 and 60, or
	// StatementsPerMinute where that is less.
	StatementsPerMinute, StatementBurst int
	// MaxConcurrent bounds the requests worked on at a time, of all users; more
	// are refused with 503. 0: 128. What runs in the database is bounded by the
	// engine.
	MaxConcurrent int
	// MaxBody bounds a body in bytes, 0: 1 MiB; BodyTimeout the time it may take
	// to arrive, 0: 10 s.
	MaxBody     int64
	BodyTimeout time.Duration
	// Origins are the web origins, such as https://erp.example.com, whose pages
	// may call the API. None: no page may, and no CORS headers are sent.
	Origins []string
	// Contexts keeps what user interfaces publish; nil: a [MemoryStore].
	Contexts ContextStore
	// ContextTTL is the life of a published context that does not name one; 0:
	// one minute. It is at most [MaxContextTTL].
	ContextTTL time.Duration
	// ProviderID is the AIG_Provider_ID of the audit, AIUserID the AD_User_ID
	// that it names as the AI user; 0: none, and the caller.
	ProviderID, AIUserID int
	// Limits counts the requests and statements of a user for several servers
	// together; nil: each server counts for itself, as it does while the counts cannot
	// be reached.
	Limits Limits
	// Observe is called after each request with its operation, such as "query",
	// the code of the error or "ok", and the time it took; nil: nobody. It must
	// not block. The number of different values is small.
	Observe func(operation, code string, took time.Duration)
	// Clock tells the time; nil is time.Now.
	Clock func() time.Time
}

// Handler is the API. It is safe for concurrent use.
type Handler struct {
	engine   Engine
	verifier Verifier
	opts     Options
	log      *slog.Logger
	limit    *access.Limiter // of requests
	asking   *access.Limiter // of statements among them
	bounds   httpserver.BodyLimit
	slots    httpserver.Slots
	mux      *http.ServeMux

	healthTurn turn // guards what follows; held while health is checked
	health     aiquery.Health
	healthAt   time.Time
}

// New makes the API of an engine for callers whose tokens the verifier accepts.
func New(engine Engine, verifier Verifier, opts *Options) (*Handler, error) {
	if engine == nil || verifier == nil {
		return nil, errors.New("setting up the AI API: it needs an engine and a verifier of tokens")
	}
	h := &Handler{engine: engine, verifier: verifier, log: slog.New(slog.DiscardHandler), mux: http.NewServeMux(), healthTurn: make(turn, 1)}
	if opts != nil {
		h.opts = *opts
	}
	o := &h.opts
	if min(o.PerMinute, o.Burst, o.StatementsPerMinute, o.StatementBurst, o.MaxConcurrent) < 0 || o.MaxBody < 0 || min(o.BodyTimeout, o.ContextTTL) < 0 || o.ContextTTL > MaxContextTTL {
		return nil, errors.New("setting up the AI API: a limit is negative, or the life of contexts above an hour")
	}
	for _, origin := range o.Origins {
		if !baseurl.IsOrigin(origin) {
			return nil, fmt.Errorf("setting up the AI API: %q is not a web origin such as https://erp.example.com", origin)
		}
	}
	o.Origins = slices.Clone(o.Origins)
	o.PerMinute = cmp.Or(o.PerMinute, DefaultPerMinute)
	o.Burst = cmp.Or(o.Burst, DefaultBurst)
	o.StatementsPerMinute = cmp.Or(o.StatementsPerMinute, DefaultStatementsPerMinute)
	o.StatementBurst = cmp.Or(o.StatementBurst, min(DefaultStatementBurst, o.StatementsPerMinute))
	o.MaxConcurrent = cmp.Or(o.MaxConcurrent, DefaultMaxConcurrent)
	o.MaxBody = cmp.Or(o.MaxBody, DefaultMaxBody)
	o.BodyTimeout = cmp.Or(o.BodyTimeout, DefaultBodyTimeout)
	o.ContextTTL = cmp.Or(o.ContextTTL, DefaultContextTTL)
	if o.Contexts == nil {
		o.Contexts = NewMemoryStore()
	}
	if o.Logger != nil {
		h.log = o.Logger
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	h.bounds = httpserver.BodyLimit{Max: o.MaxBody, Timeout: o.BodyTimeout, Doc: Prefix + "/openapi.yaml"}
	h.limit = access.NewLimiter(o.PerMinute, o.Burst, o.Clock)
	h.asking = access.NewLimiter(o.StatementsPerMinute, o.StatementBurst, o.Clock)
	h.limit.Share("ai", o.Limits)
	h.asking.Share("statements", o.Limits)
	h.slots = httpserver.NewSlots(o.MaxConcurrent)
	h.route()
	return h, nil
}

// route sets up the paths, without and with the version. A path takes all
// methods, so that a wrong one is refused in the form of this API.
func (h *Handler) route() {
	for _, op := range h.operations() {
		h.mux.Handle(Prefix+op.path, op)
		h.mux.Handle(versionPrefix+op.path, op)
	}
	h.mux.HandleFunc(Prefix+"/", func(w http.ResponseWriter, r *http.Request) {
		httpserver.RespondError(w, r, httpserver.NotFound("there is no such path in this API", "the description of all paths is at "+Prefix+"/openapi.yaml"), h.log)
	})
}

// ServeHTTP handles one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	outer := r
	r = httpserver.WithRequestID(w, r)
	w.Header().Set("X-Api-Version", Version)
	if h.cors(w, r) {
		return
	}
	h.mux.ServeHTTP(w, r)
	outer.Pattern = r.Pattern // for a server that counts by pattern
}

// operation is one path with what it does for each method.
type operation struct {
	h    *Handler
	name string
	path string
	get  call
	post call
	open bool // needs no token
	asks bool // takes a statement, which is on record whatever becomes of it
}

// call does the work of an operation and returns the value to respond with.
type call func(w http.ResponseWriter, r *http.Request, who tokens.Claims) (any, error)

func (h *Handler) operations() []*operation {
	return []*operation{
		{h: h, name: "query", path: "/query", post: h.query, asks: true},
		{h: h, name: "explain", path: "/explain", post: h.explain, asks: true},
		{h: h, name: "roles", path: "/roles", get: h.roles},
		{h: h, name: "metadata_table", path: "/metadata/table/{name}", get: h.tableMetadata},
		{h: h, name: "metadata_window", path: "/metadata/window/{id}", get: h.windowMetadata},
		{h: h, name: "metadata", path: "/metadata", post: h.metadata},
		{h: h, name: "context_window", path: "/context/window/{no}", get: h.contextOf(WindowContext, "no")},
		{h: h, name: "context_chart", path: "/context/chart/{id}", get: h.contextOf(ChartContext, "id")},
		{h: h, name: "context", path: "/context", post: h.publish},
		{h: h, name: "health", path: "/health", get: h.healthCheck, open: true},
		{h: h, name: "openapi", path: "/openapi.yaml", get: h.document, open: true},
	}
}

// done is the value of a call that has written its response itself.
type done struct{ code string }

// status is a value to be sent with a status that is not 200.
type status struct {
	status int
	code   string
	value  any
}

func (o *operation) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	code := "ok"
	defer func() {
		if httpserver.Recovered(r.Context(), recover(), o.h.log, "a request of the AI API panicked", "operation", o.name, "request", httpserver.RequestID(r.Context())) {
			code = "internal"
			httpserver.RespondError(w, r, httpserver.InternalError(), o.h.log)
		}
		if o.h.opts.Observe != nil {
			o.h.opts.Observe(o.name, code, time.Since(start))
		}
	}()
	value, err := o.serve(w, r)
	if err != nil {
		p := o.h.apiError(r.Context(), err)
		code = p.Code
		httpserver.RespondError(w, r, p, o.h.log)
		return
	}
	switch v := value.(type) {
	case done:
		code = cmp.Or(v.code, "ok")
	case status:
		code = v.code
		httpserver.Respond(w, r, v.status, v.value, o.h.log)
	default:
		httpserver.Respond(w, r, http.StatusOK, value, o.h.log)
	}
}

// serve lets a request in and does its work.
func (o *operation) serve(w http.ResponseWriter, r *http.Request) (any, error) {
	var do call
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		do = o.get
	case http.MethodPost:
		do = o.post
	}
	if do == nil {
		allow := "POST"
		if o.get != nil {
			allow = "GET, HEAD"
		}
		return nil, httpserver.MethodNotAllowed(allow)
	}
	if o.open {
		return do(w, r, tokens.Claims{})
	}
	claims, refused := access.Authenticate(r, o.h.verifier, "ai", o.h.log)
	if refused != nil {
		return nil, refused
	}
	if p := o.h.limited(r.Context(), claims, o.asks); p != nil {
		if o.asks {
			return nil, o.h.refused(r, claims, aiquery.Request{RoleID: -1}, p)
		}
		return nil, p
	}
	return do(w, r, claims)
}

// limited tells a user who sends too many requests when to come back, nil when it is not
// too often. A statement that is refused here does not count as a request.
func (h *Handler) limited(ctx context.Context, who tokens.Claims, asks bool) *httpserver.APIError {
	var wait time.Duration
	most, what := h.opts.StatementsPerMinute, "statements"
	if asks {
		wait = h.asking.Take(ctx, access.KeyOf(who))
	}
	if wait == 0 {
		wait, most, what = h.limit.Take(ctx, access.KeyOf(who)), h.opts.PerMinute, "requests"
	}
	if wait == 0 {
		return nil
	}
	return &httpserver.APIError{Status: http.StatusTooManyRequests, Code: string(api.CodeRateLimited),
		Message: fmt.Sprintf("this user has made more than %d %s in a minute", most, what), Hint: "wait as long as Retry-After says", RetryAfter: wait}
}

// slot takes one of the requests that may be handled at a time, without waiting,
// or returns an error if all are taken. The caller gives it back with free.
func (h *Handler) slot() (free func(), err error) {
	if !h.slots.TryAcquire(1) {
		return nil, &httpserver.APIError{Status: http.StatusServiceUnavailable, Code: "unavailable", Message: "too many requests are being worked on", Hint: "try again", RetryAfter: time.Second}
	}
	return func() { h.slots.Release(1) }, nil
}

// caller is the user of the request, for the engine.
func (h *Handler) caller(ctx context.Context, c tokens.Claims) aiquery.Caller {
	return aiquery.Caller{
		UserID: c.UserID, ClientID: c.ClientID, Name: c.Subject, RequestID: httpserver.RequestID(ctx), ProviderID: h.opts.ProviderID, AIUserID: h.opts.AIUserID,
	}
}
