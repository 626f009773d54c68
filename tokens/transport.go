package tokens

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Transport puts a source's token on the requests of a plain [http.Client],
// for programs that call the ERP without the client of package erp:
//
//	client := &http.Client{Transport: transport}
//
// When the ERP responds 401, the transport tells the source, and retries the request
// once with another token if there is one, whatever the method: a request
// refused with 401 was not executed. A body that cannot be read again (no
// GetBody) is not retried. Requests to other servers than the ERP, such as
// followed redirects, go out without the token.
//
// It is safe for concurrent use and does not change the requests it is given.
type Transport struct {
	base   string // scheme and host
	source Source
	next   http.RoundTripper
}

// NewTransport returns a transport for the ERP at address. next does the
// work; nil is http.DefaultTransport. Do not give the resulting client to the
// manager itself with [WithHTTPClient].
func NewTransport(address string, source Source, next http.RoundTripper) (*Transport, error) {
	base, err := cleanBase(address)
	if err != nil {
		return nil, fmt.Errorf("setting up the token transport: %w", err)
	}
	if source == nil {
		return nil, fmt.Errorf("setting up the token transport for %s: there is no token source", base)
	}
	if next == nil {
		next = http.DefaultTransport
	}
	scheme, rest, _ := strings.Cut(base, "://")
	host, _, _ := strings.Cut(rest, "/")
	return &Transport{scheme + "://" + host, source, next}, nil
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if !strings.EqualFold(req.URL.Scheme+"://"+req.URL.Host, t.base) {
		return t.next.RoundTrip(req)
	}
	ctx := req.Context()
	token, err := t.source.Token(ctx)
	if err != nil {
		closeBody(req)
		return nil, fmt.Errorf("getting a token for the request: %w", err)
	}
	res, err := t.next.RoundTrip(withToken(req, token))
	if err != nil || res.StatusCode != http.StatusUnauthorized || token == "" {
		return res, err
	}

	source, ok := t.source.(interface {
		Invalidate(ctx context.Context, token string) error
	})
	if !ok || req.Body != nil && req.Body != http.NoBody && req.GetBody == nil {
		return res, nil
	}
	if err := source.Invalidate(ctx, token); err != nil {
		return res, nil
	}
	newer, err := t.source.Token(ctx)
	if err != nil {
		_ = res.Body.Close()
		return nil, fmt.Errorf("the server refused the token, and there is no other: %w", err)
	}
	if newer == token {
		return res, nil
	}
	again := withToken(req, newer)
	if req.GetBody != nil {
		if again.Body, err = req.GetBody(); err != nil {
			return res, nil
		}
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // so that the connection can be used again
	_ = res.Body.Close()
	return t.next.RoundTrip(again)
}

func withToken(req *http.Request, token string) *http.Request {
	out := req.Clone(req.Context())
	if token != "" {
		out.Header.Set("Authorization", "Bearer "+token)
	}
	return out
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
}
