package erp

import (
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/erphub/erphub/internal/baseurl"
)

// apiPath is where the REST plugin is mounted below the server's address.
const apiPath = "/api/v1"

// Client talks to one ERP. It does not change after New and is safe for
// concurrent use.
type Client struct {
	conn *connection
	// resource is the group that record calls go to: models or views.
	resource string
}

// connection is what all views of a client share.
type connection struct {
	base      url.URL // scheme, host and path including /api/v1
	baseText  string
	locale    string // encoded query parameter, or empty
	maxBody   int64
	separator string
	transport *transport
	retry     *retryablehttp.Client // for this package's own requests
	http      *http.Client          // for everyone else
	accept    map[string][]string   // header values made once
	now       func() time.Time
}

// New makes a client for the server at baseURL: scheme://host[:port][/prefix].
// "/api/v1" is appended unless it is there already. New does not connect; a
// wrong address shows at the first call, or with Health.
func New(baseURL string, opts ...Option) (*Client, error) {
	s := settings{
		userAgent: defaultUserAgent,
		connect:   DefaultConnectTimeout,
		response:  DefaultResponseTimeout,
		retry:     DefaultRetryPolicy(),
		maxBody:   DefaultMaxResponseBytes,
		separator: defaultExpandSeparator,
	}
	for _, opt := range opts {
		if opt == nil {
			continue
		}
		if err := opt(&s); err != nil {
			return nil, err
		}
	}
	base, err := baseurl.Parse(baseURL, apiPath)
	if err != nil {
		return nil, invalid("the base URL %v", err)
	}
	base.Path += apiPath
	if s.transport == nil {
		s.transport = defaultTransport(s.connect)
	}
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	t := &transport{
		base: s.transport, tokens: s.tokens, scheme: base.Scheme, host: base.Host,
		agent: []string{s.userAgent}, response: s.response, logger: s.logger,
	}
	retry := newRetryClient(s.retry, t)
	conn := &connection{
		base: *base, baseText: base.String(), maxBody: s.maxBody, separator: s.separator,
		transport: t, retry: retry, now: time.Now,
		http: &http.Client{Transport: &retryTransport{client: retry, transport: t}},
		accept: map[string][]string{
			acceptJSON: {acceptJSON}, acceptYAML: {acceptYAML}, acceptAny: {acceptAny},
		},
	}
	if s.locale != "" {
		conn.locale = "locale=" + url.QueryEscape(s.locale)
	}
	return &Client{conn: conn, resource: "models"}, nil
}

// defaultTransport is net/http's with the given time to connect and enough
// idle connections for a service that talks to one server.
func defaultTransport(connect time.Duration) *http.Transport {
	dialer := &net.Dialer{Timeout: connect, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   connect,
		MaxIdleConns:          100,
		MaxIdleConnsPerHost:   64,
		IdleConnTimeout:       90 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
}

// BaseURL returns the address all paths are relative to, ending in /api/v1.
func (c *Client) BaseURL() string { return c.conn.baseText }

// HTTPClient returns the connection of this client for other callers, such as
// the generated client: it adds the token and the user agent, repeats failed
// requests as this client does, renews a token that was refused, and has the
// same time-outs. It must not be changed. Requests to other hosts get no token.
func (c *Client) HTTPClient() *http.Client { return c.conn.http }

// Views returns a client whose record calls address REST views (/views)
// instead of tables (/models): the table argument of Get, Query, Create and so
// on is then the name of a view. Both share one connection.
func (c *Client) Views() *Client { return &Client{conn: c.conn, resource: "views"} }

// CloseIdleConnections closes connections that are not in use.
func (c *Client) CloseIdleConnections() { c.conn.transport.CloseIdleConnections() }

// String names the server and shows nothing secret.
func (c *Client) String() string { return "erp.Client(" + c.conn.baseText + ")" }

// GoString is String, so that %#v shows nothing secret either.
func (c *Client) GoString() string { return c.String() }
