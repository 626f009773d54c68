package httpapi

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/internal/httpserver/access"
	"github.com/erphub/erphub/tokens"
)

// Where the API is mounted.
const (
	GeneratePrefix  = "/api/generate"
	ArtifactsPrefix = "/api/artifacts"
)

// Version is the version of the API that the OpenAPI document describes.
const Version = "1.0.0"

// The defaults of [Options].
const (
	DefaultMaxBody       = 256 << 10
	DefaultBodyTimeout   = 10 * time.Second
	DefaultTimeout       = 5 * time.Minute
	DefaultPerMinute     = 60
	DefaultBurst         = 30
	DefaultMaxConcurrent = 8
	DefaultMaxDownloads  = 1024
	DefaultKeyLife       = time.Hour
)

const docPath = GeneratePrefix + "/openapi.yaml"

// Verifier decides whether a bearer token is genuine and still good, and tells
// whose it is. A token that is not is a [tokens.ErrInvalidToken]; any other
// error means that it could not be found out, and lets nobody in either.
// [*tokens.Verifier] is one, as are those of package aiquery/httpapi.
type Verifier interface {
	Verify(ctx context.Context, token string) (tokens.Claims, error)
}

// Limits counts requests for several servers together. It is safe for concurrent use.
type Limits interface {
	// Take takes one request under a key: perMinute in the long run, burst at once.
	// When no request is left it takes none and returns how long to wait.
	Take(ctx context.Context, key string, perMinute, burst int) (wait time.Duration, err error)
}

// Options change a [Handler]. Nil and the zero value are the defaults.
type Options struct {
	// Registry is the dictionary that tables, windows and the like are looked up
	// in; nil: options that need it are refused.
	Registry registry.Registry
	// Artifacts serves the downloads; nil: no downloads.
	Artifacts generator.ArtifactStore
	// Logger gets faults of the service, of deliveries that failed and of
	// tokens that could not be checked; nil is silent. No token and no link is
	// logged.
	Logger *slog.Logger
	// PerMinute is the number of plugins a user may request in a minute, in the long
	// run; Burst the number at once. 0: 60 and 30.
	PerMinute, Burst int
	// MaxConcurrent bounds the plugins worked on at a time, MaxDownloads the
	// downloads, of all users; more are refused with 503. 0: 8 and 1024.
	MaxConcurrent, MaxDownloads int
	// MaxPerUser bounds the plugins worked on at a time for one user; more are
	// refused with 429. 0: half of MaxConcurrent, rounded up.
	MaxPerUser int
	// MaxBody bounds a body in bytes, 0: 256 KiB; BodyTimeout the time it may
	// take to arrive, 0: 10 s; Timeout the work on one plugin, 0: five minutes.
	MaxBody              int64
	BodyTimeout, Timeout time.Duration
	// KeyLife is the time a response is kept under its Idempotency-Key when it
	// does not expire itself; 0: what the method TTL of the deliveries says, if
	// they have one, else one hour.
	KeyLife time.Duration
	// Keys shares Idempotency-Keys with other servers; nil: they are this server's
	// alone, and end with it.
	Keys KeyStore
	// Limits counts the plugins of a user for several servers together; nil: each
	// server counts for itself, as it does while the counts cannot be reached.
	Limits Limits
	// Observe is called after each request with its operation, such as
	// "generate", the code of the error or "ok", and the time it took; nil:
	// nobody. It must not block. The number of different values is small.
	Observe func(operation, code string, took time.Duration)
	// Clock tells the time; nil is time.Now.
	Clock func() time.Time
}

// Handler is the API. It is safe for concurrent use.
type Handler struct {
	deliveries Deliveries
	verifier   Verifier
	opts       Options
	log        *slog.Logger
	bounds     httpserver.BodyLimit
	limit      *access.Limiter
	slots      httpserver.Slots
	downloads  httpserver.Slots
	jobs       *jobs
	mux        *http.ServeMux
}

// New makes the API for callers whose tokens the verifier accepts.
func New(deliveries Deliveries, verifier Verifier, opts *Options) (*Handler, error) {
	if deliveries == nil || verifier == nil {
		return nil, errors.New("setting up the generator API: it needs deliveries and a verifier of tokens")
	}
	h := &Handler{deliveries: deliveries, verifier: verifier, log: slog.New(slog.DiscardHandler), mux: http.NewServeMux()}
	if opts != nil {
		h.opts = *opts
	}
	o := &h.opts
	if min(o.PerMinute, o.Burst, o.MaxConcurrent, o.MaxDownloads, o.MaxPerUser) < 0 || o.MaxBody < 0 || min(o.BodyTimeout, o.Timeout, o.KeyLife) < 0 {
		return nil, errors.New("setting up the generator API: a limit is negative")
	}
	o.PerMinute = cmp.Or(o.PerMinute, DefaultPerMinute)
	o.Burst = cmp.Or(o.Burst, DefaultBurst)
	o.MaxConcurrent = cmp.Or(o.MaxConcurrent, DefaultMaxConcurrent)
	o.MaxPerUser = cmp.Or(o.MaxPerUser, (o.MaxConcurrent+1)/2)
	o.MaxDownloads = cmp.Or(o.MaxDownloads, DefaultMaxDownloads)
	o.MaxBody = cmp.Or(o.MaxBody, DefaultMaxBody)
	o.BodyTimeout = cmp.Or(o.BodyTimeout, DefaultBodyTimeout)
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	if d, ok := deliveries.(interface{ TTL() time.Duration }); ok {
		o.KeyLife = cmp.Or(o.KeyLife, d.TTL())
	}
	o.KeyLife = cmp.Or(o.KeyLife, DefaultKeyLife)
	if o.Logger != nil {
		h.log = o.Logger
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	h.bounds = httpserver.BodyLimit{Max: o.MaxBody, Timeout: o.BodyTimeout, Doc: docPath}
	h.limit = access.NewLimiter(o.PerMinute, o.Burst, o.Clock)
	h.limit.Share("generate", o.Limits)
	h.slots = httpserver.NewSlots(o.MaxConcurrent)
	h.downloads = httpserver.NewSlots(o.MaxDownloads)
	h.jobs = newJobs(o.KeyLife, o.MaxPerUser, o.Clock)
	h.route()
	return h, nil
}

// operation handles one path. It returns the code of the response.
type operation func(w http.ResponseWriter, r *http.Request) (code string)

// route sets up the paths. A path takes all methods, so that a wrong one is
// refused in the form of this API.
func (h *Handler) route() {
	handle := func(path, name, allow string, do operation) {
		h.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { h.serve(w, r, name, allow, do) })
	}
	handle(GeneratePrefix+"/plugin", "generate", "POST", h.generate)
	handle(docPath, "openapi", "GET, HEAD", h.document)
	handle(ArtifactsPrefix+"/{id}/download", "download", "GET, HEAD", h.download)
	h.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		h.refuse(w, r, httpserver.NotFound("there is no such path in this API", "the description of all paths is at "+docPath))
	})
}

// ServeHTTP handles one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	inner := httpserver.WithRequestID(w, r)
	h.mux.ServeHTTP(w, inner)
	r.Pattern = inner.Pattern // for a server that counts by pattern
}

// serve is around every operation.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, name, allow string, do operation) {
	start, code := time.Now(), "internal"
	defer func() {
		if httpserver.Recovered(r.Context(), recover(), h.log, panicked, "operation", name, "request", httpserver.RequestID(r.Context())) {
			h.refuse(w, r, httpserver.InternalError())
		}
		if h.opts.Observe != nil {
			h.opts.Observe(name, code, time.Since(start))
		}
	}()
	if !slices.Contains(strings.Split(allow, ", "), r.Method) {
		code = h.refuse(w, r, httpserver.MethodNotAllowed(allow))
		return
	}
	code = do(w, r)
}

// panicked is the log's message about a fault of ours.
const panicked = "a request of the generator API panicked"

// refuse responds with an error and returns its code.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, p *httpserver.APIError) string {
	httpserver.RespondError(w, r, p, h.log)
	return p.Code
}

// busy refuses what there is no room for now.
func busy(what string) *httpserver.APIError {
	return &httpserver.APIError{Status: http.StatusServiceUnavailable, Code: "unavailable", Message: what, Hint: "try again", RetryAfter: time.Second}
}

//go:embed openapi.yaml
var document []byte

// OpenAPI is the description of the API, in YAML: OpenAPI 3.0.0, version 1.0.0.
// The slice is the caller's.
func OpenAPI() []byte { return append([]byte(nil), document...) }

func (h *Handler) document(w http.ResponseWriter, _ *http.Request) string {
	head := w.Header()
	head.Set("Content-Type", "application/yaml")
	head.Set("Cache-Control", "public, max-age=300")
	_, _ = w.Write(document) // the client went away
	return "ok"
}

// Streams reports requests that may last as long as they take: those that
// want events, and downloads, whose number this package bounds itself. It is for
// servers that bound the time of all others. They end by themselves, so that a
// server that ends should let them finish.
func Streams(r *http.Request) bool {
	if strings.HasPrefix(r.URL.Path, ArtifactsPrefix+"/") {
		return r.Method == http.MethodGet
	}
	events, _ := wants(r)
	return r.Method == http.MethodPost && r.URL.Path == GeneratePrefix+"/plugin" && events
}
