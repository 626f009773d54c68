package erp

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/url"

	"github.com/erphub/erphub/internal/apiclient"
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
	base      *url.URL // scheme, host and path including /api/v1
	baseText  string
	locale    string // encoded query parameter, or empty
	separator string
	api       *apiclient.Client   // for this package's own requests
	http      *http.Client        // for everyone else
	accept    map[string][]string // header values made once
}

// New makes a client for the server at baseURL: scheme://host[:port][/prefix].
// "/api/v1" is appended unless the address ends with it. New does not connect; a
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
	s.logger = cmp.Or(s.logger, slog.New(slog.DiscardHandler))
	api := &apiclient.Client{
		HTTP: &http.Client{Transport: s.transport, CheckRedirect: checkRedirect}, Tokens: s.tokens, Server: base,
		UserAgent: []string{s.userAgent}, Identity: s.identity, Trace: "X-External-Id", Silence: s.response, MaxBody: s.maxBody, Retry: s.retry.core(), Logger: s.logger,
	}
	conn := &connection{
		base: base, baseText: base.String(), separator: s.separator, api: api,
		http: &http.Client{Transport: roundTripper{api}},
		accept: map[string][]string{
			acceptJSON: {acceptJSON}, acceptYAML: {acceptYAML}, acceptAny: {acceptAny},
		},
	}
	if s.locale != "" {
		conn.locale = "locale=" + url.QueryEscape(s.locale)
	}
	return &Client{conn: conn, resource: "models"}, nil
}

// BaseURL returns the address all paths are relative to, ending in /api/v1.
func (c *Client) BaseURL() string { return c.conn.baseText }

// Views returns a client whose record calls address REST views (/views)
// instead of tables (/models): the table argument of Get, Query, Create and so
// on is then the name of a view. Both share one connection.
func (c *Client) Views() *Client { return &Client{conn: c.conn, resource: "views"} }

// CloseIdleConnections closes connections that are not in use.
func (c *Client) CloseIdleConnections() { c.conn.api.HTTP.CloseIdleConnections() }

// String names the server and shows nothing secret.
func (c *Client) String() string { return "erp.Client(" + c.conn.baseText + ")" }

// GoString is String, so that %#v shows nothing secret either.
func (c *Client) GoString() string { return c.String() }
