package erp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/erphub/erphub/internal/apiclient"
)

// HTTPClient returns the connection of this client for other callers: it adds
// the token and the user agent, retries failed requests as this client does,
// refreshes a token that was refused, and has the same time-outs. Responses are
// as the server sent them, whatever their status and size; use Doer for those
// of this package. It must not be changed. Requests to other hosts get no
// token.
func (c *Client) HTTPClient() *http.Client { return c.conn.http }

// roundTripper sends the requests of other callers. It never reads a body into
// memory: a request is retried only if it can give its body again.
type roundTripper struct{ api *apiclient.Client }

// RoundTrip performs the request, retried as the policy says.
func (t roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, _, err := t.api.Do(&apiclient.Call{Request: req, Body: apiclient.StreamAlways, Retry: retryForeign(req)})
	return resp, err
}

// CloseIdleConnections makes http.Client's method of that name work.
func (t roundTripper) CloseIdleConnections() { t.api.HTTP.CloseIdleConnections() }

// Doer sends the requests of another client of the same API, such as the
// generated one of package erp/rest, and returns the errors of this
// package. It is safe for concurrent use.
type Doer struct{ client *Client }

// Doer returns what package rest needs to make its calls over this connection:
//
//	api, err := rest.New(client.BaseURL(), client.Doer())
//
// Like HTTPClient it adds the token and the user agent, retries and refreshes,
// and it requests texts in the language of WithLocale unless the request names
// one. Beyond that a call fails as those of this package do: a status of 300
// and above is an *Error, no response a *ConnError, and a response that breaks
// off or is larger than WithMaxResponseBytes allows is ErrBadResponse.
// Responses are read into memory, as part of the attempt, unless the context is
// one of StreamResponse.
func (c *Client) Doer() *Doer { return &Doer{c} }

// Do sends a request. The error says what was tried; there is a response only
// without one.
func (d *Doer) Do(req *http.Request) (*http.Response, error) {
	conn := d.client.conn
	if conn.locale != "" && !req.URL.Query().Has("locale") {
		localized := *req.URL
		localized.RawQuery = strings.TrimPrefix(localized.RawQuery+"&"+conn.locale, "&")
		req = req.WithContext(req.Context())
		req.URL = &localized
	}
	call := &apiclient.Call{Request: req, Retry: retryForeign(req)}
	if req.Context().Value(streamKey{}) != nil {
		call.Body = apiclient.StreamSuccess
	}
	resp, body, err := conn.api.Do(call)
	if err != nil {
		return nil, connError(call, err)
	}
	if err := checkStatus(call, resp, body); err != nil {
		return nil, err
	}
	if call.Body == apiclient.ReadBody {
		resp.Body = io.NopCloser(bytes.NewReader(body))
	}
	return resp, nil
}

type streamKey struct{}

// StreamResponse returns a context for calls through a Doer whose response is
// large and read piece by piece, such as a download: it is not read into memory
// and its size has no limit. The caller closes it.
func StreamResponse(ctx context.Context) context.Context {
	return context.WithValue(ctx, streamKey{}, true)
}

// retryForeign judges a request that was not built by this package.
func retryForeign(req *http.Request) apiclient.Retry {
	switch {
	case req.Body != nil && req.Body != http.NoBody && req.GetBody == nil:
		return apiclient.RetryNever
	case safe(req.Method), req.Method == "", req.Method == http.MethodDelete:
		return apiclient.RetryAlways
	case req.Method == http.MethodPut && strings.Contains(req.URL.Path, apiPath+"/uploads/"):
		// Chunks of an upload may be sent again. Records may carry child rows
		// and actions, which is not looked into here; the rest of the groups
		// have PUT for actions.
		return apiclient.RetryAlways
	}
	return apiclient.RetryUnsent
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

// checkRedirect follows redirects of reading requests within the server only.
// Elsewhere the token has no business, and a redirected write may turn into a
// read without anybody noticing.
func checkRedirect(req *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case req.URL.Scheme != first.URL.Scheme || req.URL.Host != first.URL.Host:
		return &apiclient.RedirectError{Text: fmt.Sprintf("the server redirects to %s://%s; if that is right, use it as the base URL",
			cleanText(req.URL.Scheme, 10), cleanText(req.URL.Host, 100))}
	case !safe(first.Method):
		return &apiclient.RedirectError{Text: "the server redirects a " + first.Method + ", which is not followed; check the base URL"}
	case len(via) >= 5:
		return &apiclient.RedirectError{Text: "the server redirects in circles; check the base URL"}
	}
	return nil
}
