package aiclient

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/internal/apiclient"
	"github.com/erphub/erphub/internal/baseurl"
)

// prefix is where the API is below the address of its server.
const prefix = "/api/ai"

// The variables that [FromEnv] reads.
const (
	EnvURL   = "AI_API_URL"
	EnvToken = "AI_API_TOKEN"
	EnvRole  = "AI_ROLE_ID"
)

// TokenSource gives the bearer token for a request. Token is called for every
// attempt by many goroutines at once. An empty token sends none.
type TokenSource interface {
	Token(ctx context.Context) (string, error)
}

// TokenInvalidator may be implemented by a TokenSource. When the service responds
// 401, the client calls Invalidate with the token it had sent, requests a token
// again and, if that differs, sends the request once more.
type TokenInvalidator interface {
	Invalidate(ctx context.Context, token string) error
}

// Client calls an AI integration API. It is safe for concurrent use and does not
// change; [Client.As] makes one for another role.
type Client struct {
	base string // with prefix
	api  *apiclient.Client
	role *int
}

// Option configures a [Client].
type Option func(*settings) error

type settings struct {
	api  *apiclient.Client
	role *int
}

// WithToken sends a token with each request, an access token of the ERP. It is
// refused when it cannot stand in a header.
func WithToken(token string) Option {
	return func(c *settings) error {
		if token == "" {
			return invalid("the token is empty")
		}
		if err := apiclient.CheckToken(token); err != nil {
			return invalid("%w", err)
		}
		c.api.Tokens = &secret{token}
		return nil
	}
}

// WithTokenSource takes tokens from a source, such as tokens.Manager.
func WithTokenSource(s TokenSource) Option {
	return func(c *settings) error {
		if s == nil {
			return invalid("the token source is nil")
		}
		c.api.Tokens = s
		return nil
	}
}

// WithRole sets the role that queries run with, AD_Role_ID. Queries need one; for
// metadata the service takes the token's without.
func WithRole(role int) Option {
	return func(c *settings) error {
		if role < 0 || role > 1<<31-1 {
			return invalid("the role must be a number from 0 to %d, not %d", 1<<31-1, role)
		}
		c.role = &role
		return nil
	}
}

// WithHTTPClient sets the client that makes the requests, for a proxy or a
// private certificate authority. It is copied; redirects are never followed,
// because the token would go along. Its time-outs are in the place of the
// default: 5 s to connect, and 30 s in which the service may be silent.
func WithHTTPClient(h *http.Client) Option {
	return func(c *settings) error {
		if h == nil {
			return invalid("the HTTP client is nil")
		}
		copied := *h
		copied.CheckRedirect = noRedirect
		c.api.HTTP, c.api.Silence = &copied, 0
		return nil
	}
}

// WithUserAgent sets the header User-Agent.
func WithUserAgent(agent string) Option {
	return func(c *settings) error {
		if strings.ContainsFunc(agent, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return invalid("the user agent holds a control character")
		}
		c.api.UserAgent = []string{agent}
		return nil
	}
}

// WithLogger logs requests and retries at level debug, without bodies and
// tokens; nil is silent.
func WithLogger(l *slog.Logger) Option {
	return func(c *settings) error {
		if l != nil {
			c.api.Logger = l
		}
		return nil
	}
}

// WithRetries sets how often a request is retried when that does no harm, and
// how long a service may demand to wait before; 2 and 10 s without the option.
func WithRetries(most int, longest time.Duration) Option {
	return func(c *settings) error {
		if most < 0 || most > 10 || longest < 0 {
			return invalid("there can be 0 to 10 retries, and the wait cannot be negative")
		}
		c.api.Retry.Max, c.api.Retry.MaxRetryAfter = most, longest
		return nil
	}
}

// New makes a client for the service at address: that of its server, with or
// without /api/ai, such as https://erp.example.com. It does not connect.
func New(address string, opts ...Option) (*Client, error) {
	base, err := baseurl.Parse(address, prefix)
	if err != nil {
		return nil, invalid("the address of the AI API %w", err)
	}
	c := settings{api: &apiclient.Client{
		Server: base, UserAgent: []string{"erphub-aiclient"}, MaxBody: maxBody, Silence: 30 * time.Second,
		Logger: slog.New(slog.DiscardHandler),
		Retry: apiclient.Policy{
			Max: 2, MinWait: 200 * time.Millisecond, MaxWait: 5 * time.Second, MaxRetryAfter: 10 * time.Second, WithinDeadline: true,
		},
		HTTP: &http.Client{
			Transport: &http.Transport{
				Proxy:               http.ProxyFromEnvironment,
				DialContext:         (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
				TLSHandshakeTimeout: 5 * time.Second,
				IdleConnTimeout:     90 * time.Second,
				MaxIdleConnsPerHost: 8,
				ForceAttemptHTTP2:   true,
			},
			CheckRedirect: noRedirect,
		},
	}}
	for _, o := range opts {
		if err := o(&c); err != nil {
			return nil, fmt.Errorf("setting up the AI API's client: %w", err)
		}
	}
	return &Client{base: base.String() + prefix, api: c.api, role: c.role}, nil
}

// FromEnv makes a client of AI_API_URL, AI_API_TOKEN and AI_ROLE_ID, which
// getenv gives ("" for one that is not set). Options are applied after them and
// may stand in for the token and the role.
func FromEnv(getenv func(string) string, opts ...Option) (*Client, error) {
	address := getenv(EnvURL)
	if address == "" {
		return nil, invalid("the address of the AI API is not set: set %s, such as https://erp.example.com", EnvURL)
	}
	var all []Option
	if token := getenv(EnvToken); token != "" {
		all = append(all, WithToken(token))
	}
	if text := getenv(EnvRole); text != "" {
		role, err := strconv.ParseUint(text, 10, 31)
		if err != nil {
			return nil, invalid("%s must be the number of a role (AD_Role_ID), not %q", EnvRole, text)
		}
		all = append(all, WithRole(int(role)))
	}
	return New(address, append(all, opts...)...)
}

// As returns a client that uses another role and shares everything else.
// With a negative role the client sets none.
func (c *Client) As(role int) *Client {
	copied := *c
	copied.role = &role
	if role < 0 {
		copied.role = nil
	}
	return &copied
}

// Role is the role of the client's queries; false when none is set.
func (c *Client) Role() (int, bool) {
	if c.role == nil {
		return 0, false
	}
	return *c.role, true
}

// Address is the address of the API, with /api/ai.
func (c *Client) Address() string { return c.base }

// Format writes the address whatever the verb, and never a token.
func (c Client) Format(f fmt.State, _ rune) { _, _ = fmt.Fprintf(f, "aiclient.Client(%s)", c.base) }

func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// secret is a token that is not printed: what prints a struct shows a pointer in
// it as an address.
type secret struct{ token string }

func (s *secret) Token(context.Context) (string, error) { return s.token, nil }

// invalid makes an error that matches ErrInvalid.
func invalid(format string, args ...any) error {
	return &inputError{fmt.Errorf(format, args...)}
}
