package browserlogin

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/erphub/erphub/internal/httpserver"
	"github.com/erphub/erphub/tokens"
)

// How long things live, and how often they may be tried.
const (
	codeLife    = time.Minute
	replayTime  = 10 * time.Minute // a code that comes again so much later ends its grant
	accessLife  = time.Hour
	refreshLife = 8 * 24 * time.Hour // the ERP ends logins after 7 days, of its own accord
	visitLife   = 10 * time.Minute
	bodyTime    = 30 * time.Second
	erpTime     = time.Minute

	loginsPerAddress   = 60 // a minute; a proxy in front is one address
	loginsPerUser      = 5
	loginsAtOnce       = 10
	documentsPerMinute = 10
)

// Paths of the server.
const (
	pathMetadata  = "/.well-known/oauth-authorization-server"
	pathAuthorize = "/oauth/authorize"
	pathLogin     = "/oauth/login"
	pathChoose    = "/oauth/choose"
	pathConsent   = "/oauth/consent"
	pathGrants    = "/oauth/grants"
	pathToken     = "/oauth/token"
	pathRegister  = "/oauth/register"
	pathRevoke    = "/oauth/revoke"
	pathResource  = "/mcp"
)

var grantTypes = []string{"authorization_code", "refresh_token"}

// Verifier decides whether a token of the ERP is good.
type Verifier interface {
	Verify(ctx context.Context, token string) (tokens.Claims, error)
}

// Options make a [Server]. ERP, Verifier and Store are needed.
type Options struct {
	// ERP is the address of the ERP.
	ERP string
	// PublicURL is where clients reach the server; empty: at the Host they request, if
	// that is this machine.
	PublicURL string
	Verifier  Verifier
	Store     Store
	// Documents reads the documents of clients; nil: public addresses alone.
	Documents *http.Client
	Clock     func() time.Time // nil: time.Now
	Logger    *slog.Logger     // nil: silent
}

// Server lets users of the ERP log in with their browser, for a client. It is safe for
// concurrent use.
type Server struct {
	erp, public, prefix string
	verifier            Verifier
	store               Store
	documents           *documents
	now                 func() time.Time
	log                 *slog.Logger
	forms               *http.CrossOriginProtection
	mux                 *http.ServeMux
	once                chan tokens.Stored // takes the one login of Once; nil elsewhere

	mu   sync.Mutex // guards live
	live map[string]*live
}

// New makes a server.
func New(o Options) (*Server, error) {
	if err := CheckURL(o.PublicURL); err != nil {
		return nil, err
	}
	if _, err := tokens.NewManager(o.ERP); err != nil {
		return nil, err
	}
	s := &Server{
		erp: o.ERP, public: strings.TrimRight(o.PublicURL, "/"), verifier: o.Verifier, store: o.Store,
		documents: newDocuments(o.Documents), now: o.Clock, log: o.Logger, forms: http.NewCrossOriginProtection(), live: map[string]*live{},
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	// A grant is good at servers of one address and one ERP alone.
	sum := sha256.Sum256([]byte(s.public + "\n" + strings.TrimRight(o.ERP, "/")))
	s.prefix = encode(sum[:12]) + ":"
	s.mux = http.NewServeMux()
	for pattern, handler := range map[string]http.HandlerFunc{
		"GET " + pathMetadata:                s.metadata,
		"GET " + pathMetadata + pathResource: s.metadata, // where some clients look first
		"GET " + pathAuthorize:               s.authorize,
		"POST " + pathLogin:                  s.form(s.login),
		"POST " + pathChoose:                 s.form(s.choose),
		"POST " + pathConsent:                s.form(s.consent),
		"GET " + pathGrants:                  s.grants,
		"POST " + pathGrants:                 s.form(s.changeGrants),
		"POST " + pathRegister:               s.register,
		"POST " + pathToken:                  s.token,
		"POST " + pathRevoke:                 s.revoke,
	} {
		s.mux.Handle(pattern, handler)
	}
	return s, nil
}

// CheckURL refuses a public address at which passwords and tokens would travel in the
// clear. Empty is this machine.
func CheckURL(public string) error {
	u, err := url.Parse(public)
	if public == "" || err == nil && (u.Scheme == "https" && u.Host != "" || u.Scheme == "http" && loopbackHost(u.Hostname())) {
		return nil
	}
	return errors.New("passwords and tokens must not travel in the clear: the public URL must begin with https://, unless it is one of this machine")
}

// ServeHTTP serves the login pages and what clients of OAuth call.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.public == "" && !loopbackHost(hostname(r.Host)) {
		httpserver.Problem(w, http.StatusForbidden, "the login works at the public URL of the server, which its operator has to name")
		return
	}
	s.mux.ServeHTTP(w, r)
}

func hostname(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		hostport = host
	}
	return strings.Trim(hostport, "[]")
}

// base is where the request's client reaches the server, which is the issuer.
func (s *Server) base(r *http.Request) string { return httpserver.BaseURL(r, s.public) }

// address is where a request comes from, as far as limits go.
func address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return "unknown"
	}
	return host
}

// metadata says what the server can do (RFC 8414).
func (s *Server) metadata(w http.ResponseWriter, r *http.Request) {
	base := s.base(r)
	w.Header().Set("Access-Control-Allow-Origin", "*") // it is the same for everybody
	httpserver.JSON(w, http.StatusOK, map[string]any{
		"issuer": base, "authorization_endpoint": base + pathAuthorize, "token_endpoint": base + pathToken,
		"registration_endpoint": base + pathRegister, "revocation_endpoint": base + pathRevoke,
		"response_types_supported": []string{"code"}, "response_modes_supported": []string{"query"}, "grant_types_supported": grantTypes,
		"code_challenge_methods_supported":      []string{"S256"},
		"token_endpoint_auth_methods_supported": []string{"none"}, "revocation_endpoint_auth_methods_supported": []string{"none"},
		"authorization_response_iss_parameter_supported": true, "client_id_metadata_document_supported": true,
	})
}

// refuse responds to a client of OAuth with an error.
func refuse(w http.ResponseWriter, status int, code, description string) {
	noStore(w)
	httpserver.JSON(w, status, map[string]string{"error": code, "error_description": description})
}

func noStore(w http.ResponseWriter) { w.Header().Set("Cache-Control", "no-store") }
