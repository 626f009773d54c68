package erp

import (
	"context"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"time"
	"unicode"
)

// Defaults of New.
const (
	DefaultConnectTimeout   = 5 * time.Second
	DefaultResponseTimeout  = 30 * time.Second
	DefaultMaxResponseBytes = 64 << 20
	defaultUserAgent        = "erphub"
	defaultExpandSeparator  = ";"
)

// Option changes a setting of New. An option that refuses its value makes New
// fail.
type Option func(*settings) error

type settings struct {
	tokens    TokenSource
	locale    string
	userAgent string
	identity  http.Header
	connect   time.Duration
	response  time.Duration
	retry     RetryPolicy
	transport http.RoundTripper
	logger    *slog.Logger
	maxBody   int64
	separator string
}

// WithTokenSource sets where bearer tokens come from. Without it, or with nil,
// requests carry no authorization. The token is sent to the host of the base
// URL only.
func WithTokenSource(source TokenSource) Option {
	return func(s *settings) error {
		if static, ok := source.(*staticToken); ok {
			if _, err := static.Token(context.Background()); err != nil {
				return err
			}
		}
		s.tokens = source
		return nil
	}
}

// WithLocale requests texts in that language, such as es_CO,
// instead of the language of the token. The server ignores languages it does
// not know.
func WithLocale(locale string) Option {
	return func(s *settings) error {
		for _, c := range locale {
			if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-') {
				return invalid("locale %s is not a language code such as en_US", quote(locale))
			}
		}
		s.locale = locale
		return nil
	}
}

// Identity says for whom a token of an identity provider (OpenID Connect) works, where
// neither the token nor the ERP decides it: a user with several roles, say. The ERP
// ignores it with tokens of its own. What is empty is not sent.
type Identity struct {
	Role         string // its name
	Organization string // its search key
	Warehouse    string // its name
	Language     string // such as es_CO
	IDToken      string // of the provider, where the access token does not name the user
}

// Header is the identity as headers of a request, for programs whose callers have
// identities of their own. An error does not show the value.
func (i Identity) Header() (http.Header, error) {
	h := http.Header{}
	for name, value := range map[string]string{"X-Id-Role": i.Role, "X-Id-Organization": i.Organization,
		"X-Id-Warehouse": i.Warehouse, "X-Id-Language": i.Language, "X-Id-Idtoken": i.IDToken} {
		if strings.ContainsFunc(value, unicode.IsControl) {
			return nil, invalid("the identity holds characters that may not stand in a header (%s)", name)
		}
		if value != "" {
			h[name] = []string{value}
		}
	}
	return h, nil
}

// WithIdentity sends the identity along with each token.
func WithIdentity(identity Identity) Option {
	return func(s *settings) (err error) {
		s.identity, err = identity.Header()
		return err
	}
}

// WithUserAgent sets the header User-Agent; the default is "erphub".
func WithUserAgent(agent string) Option {
	return func(s *settings) error {
		if strings.ContainsFunc(agent, func(r rune) bool { return unicode.IsControl(r) || r > 0x7e }) {
			return invalid("user agent %s holds characters that may not stand in a header", quote(agent))
		}
		s.userAgent = agent
		return nil
	}
}

// WithTimeouts bounds how long connecting may take (5 seconds by default, TLS
// included each time), and how long the server may be silent: before its
// response starts, and between two pieces of the response or of what it reads of
// the request (30 seconds by default). Zero means no limit, which leaves it to
// the caller's context. With WithTransport the first one has no effect.
func WithTimeouts(connect, response time.Duration) Option {
	return func(s *settings) error {
		if connect < 0 || response < 0 {
			return invalid("time-outs must not be negative, these are %v and %v", connect, response)
		}
		s.connect, s.response = connect, response
		return nil
	}
}

// WithRetryPolicy sets how failed requests are retried. RetryPolicy{} turns
// retrying off.
func WithRetryPolicy(policy RetryPolicy) Option {
	return func(s *settings) error {
		if policy.Max < 0 || policy.MinWait < 0 || policy.MaxWait < 0 || policy.MaxRetryAfter < 0 {
			return invalid("a retry policy must not hold negative values: %+v", policy)
		}
		s.retry = policy
		return nil
	}
}

// WithTransport replaces the connection below tokens, retries and time-outs,
// for tests, proxies and certificates of one's own.
func WithTransport(transport http.RoundTripper) Option {
	return func(s *settings) error {
		if transport == nil {
			return invalid("the transport is nil; leave the option out for the default")
		}
		s.transport = transport
		return nil
	}
}

// WithLogger logs each attempt at level debug: method, path without query,
// status, duration. nil is silent, which is the default. Tokens, queries and
// bodies are never logged.
func WithLogger(logger *slog.Logger) Option {
	return func(s *settings) error {
		s.logger = logger
		return nil
	}
}

// WithMaxResponseBytes bounds the size of a response that is read into memory;
// the default is 64 MiB. Downloads that are streamed are not bounded.
func WithMaxResponseBytes(limit int64) Option {
	return func(s *settings) error {
		if limit <= 0 || limit > math.MaxInt32 {
			return invalid("the limit for responses must be between 1 byte and 2 GiB, not %d", limit)
		}
		s.maxBody = limit
		return nil
	}
}

// WithExpandSeparator sets the character between the options of an expand,
// for servers that are configured (REST_EXPAND_SEPARATOR) to use another one
// than the semicolon.
func WithExpandSeparator(separator string) Option {
	return func(s *settings) error {
		if len(separator) != 1 || separator[0] <= 0x20 || separator[0] >= 0x7f || strings.Contains("(),'=$_", separator) ||
			separator[0] >= '0' && separator[0] <= '9' || separator[0] >= 'A' && separator[0] <= 'Z' || separator[0] >= 'a' && separator[0] <= 'z' {
			return invalid("%s cannot separate the options of an expand", quote(separator))
		}
		s.separator = separator
		return nil
	}
}
