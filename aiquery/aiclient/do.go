package aiclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/internal/apiclient"
	"github.com/erphub/erphub/internal/retry"
	"github.com/erphub/erphub/internal/text"
)

// maxBody bounds a response: the service's own bound is 4 MiB of values.
const maxBody = 32 << 20

// maxSimilar bounds the names that a refusal suggests.
const maxSimilar = 10

// request is what is sent.
type request struct {
	method, path string // path below the prefix, escaped
	query        url.Values
	body         any  // nil: none
	again        bool // it means the same when done twice and leaves nothing behind
	// accepts reports responses of another status than 2xx that are not refusals.
	accepts func(status int, body []byte) bool
}

// do sends a request, retries it where that does no harm, and decodes the
// response into value.
func (c *Client) do(ctx context.Context, r request, value any) error {
	call, err := c.newCall(ctx, r)
	if err != nil {
		return err
	}
	resp, data, err := c.api.Do(call)
	switch {
	case err != nil:
		return c.connError(r, call, err)
	case !r.succeeded(resp, data):
		return c.refusal(r, resp, data, call.Token)
	case !isJSON(resp):
		return fmt.Errorf("%s %s: %w: it is no JSON; check the address %s", r.method, prefix+r.path, ErrBadResponse, c.base)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(value); err != nil {
		return fmt.Errorf("%s %s: %w: %s", r.method, prefix+r.path, ErrBadResponse, hide(err.Error(), call.Token))
	}
	return nil
}

// newCall makes the HTTP request and says when it may be sent again.
func (c *Client) newCall(ctx context.Context, r request) (*apiclient.Call, error) {
	address := c.base + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	var body io.Reader
	if r.body != nil {
		text, err := json.Marshal(r.body)
		if err != nil {
			return nil, invalid("%s %s: the values cannot be written as JSON: %w", r.method, prefix+r.path, err)
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, address, body)
	if err != nil {
		return nil, invalid("%s %s: the address cannot be used", r.method, prefix+r.path)
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	call := &apiclient.Call{Request: req, RetryResponse: r.retry}
	if r.again {
		call.Retry = apiclient.RetryAlways
	}
	return call, nil
}

// succeeded reports whether a response is what was requested.
func (r request) succeeded(resp *http.Response, data []byte) bool {
	return resp.StatusCode/100 == 2 || r.accepts != nil && isJSON(resp) && r.accepts(resp.StatusCode, data)
}

// retry reports whether a request that was refused may be sent again, after the
// time that the service requests.
func (r request) retry(resp *http.Response, data []byte) bool {
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		if r.again {
			return !r.succeeded(resp, data)
		}
		// Turned away before it was worked on; a database that has run out of
		// something says "resources", and may have tried.
		var body struct{ Error struct{ Code api.Code } }
		wait, _ := retry.After(resp, time.Now())
		return wait > 0 && (json.Unmarshal(data, &body) != nil || body.Error.Code != api.CodeResources)
	case http.StatusBadGateway:
		return r.again
	}
	return false
}

func isJSON(resp *http.Response) bool {
	media, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return err == nil && media == "application/json"
}

// connError is the error of a request that got no whole response.
func (c *Client) connError(r request, call *apiclient.Call, err error) error {
	var token *apiclient.TokenError
	if errors.As(err, &token) {
		return c.tokenError(r, token, call.Token)
	}
	if ctx := call.Request.Context(); ctx.Err() != nil {
		return fmt.Errorf("%s %s: %w", r.method, prefix+r.path, context.Cause(ctx))
	}
	var body *apiclient.BodyError
	if errors.As(err, &body) {
		if body.Err == nil {
			return fmt.Errorf("%s %s: %w: it is larger than %d bytes", r.method, prefix+r.path, ErrBadResponse, body.Limit)
		}
		err = body.Err
	}
	var timeout net.Error
	return &ConnError{
		Method: r.method, Path: prefix + r.path, Host: call.Request.URL.Host, Sent: call.Lost, Err: err,
		Timeout: call.Lost && errors.As(err, &timeout) && timeout.Timeout(),
	}
}

// tokenError is the error of a request for which there was no token.
func (c *Client) tokenError(r request, e *apiclient.TokenError, refused string) error {
	err := e.Err
	if input, ok := err.(*apiclient.InputError); ok { //nolint:errorlint // of the core itself, not of a token source
		err = invalid("%s", input.Text)
	}
	if e.Response != nil {
		return fmt.Errorf("%w; another token could not be had: %w", c.refusal(r, e.Response, e.Body, refused), err)
	}
	return fmt.Errorf("getting a token for the AI API: %w", err)
}

// refusal is the error of a response that is one.
func (c *Client) refusal(r request, resp *http.Response, data []byte, token string) error {
	var body struct {
		Error     *api.Error
		RequestID string
	}
	wait, _ := retry.After(resp, time.Now())
	if isJSON(resp) && json.Unmarshal(data, &body) == nil && body.Error != nil && body.Error.Message != "" {
		e := body.Error
		e.RetryAfter, e.RequestID = wait, hide(body.RequestID, token)
		e.Message, e.Hint, e.Object.Name = hide(e.Message, token), hide(e.Hint, token), hide(e.Object.Name, token)
		e.Object.Kind = api.ObjectKind(hide(string(e.Object.Kind), token))
		e.Object.Similar = e.Object.Similar[:min(len(e.Object.Similar), maxSimilar)]
		for i, name := range e.Object.Similar {
			e.Object.Similar[i] = hide(name, token)
		}
		if e.Code.Status() == 0 {
			e.Code = api.CodeOf(resp.StatusCode) // one of another version, or of what stands before the engine
		}
		return &refusal{r.method, prefix + r.path, resp.StatusCode, false, e}
	}
	// Not the service itself: a proxy, or another server at that address.
	e := &api.Error{Code: api.CodeOf(resp.StatusCode), Message: http.StatusText(resp.StatusCode), RetryAfter: wait}
	switch {
	case resp.StatusCode/100 == 3:
		return fmt.Errorf("%s %s: %w: a redirect (%d), which is not followed because the token would go along; check the address %s", r.method, prefix+r.path, ErrBadResponse, resp.StatusCode, c.base)
	case resp.StatusCode == http.StatusNotFound:
		e.Hint = "there may be no AI API at " + c.base
	case resp.StatusCode < 300:
		return fmt.Errorf("%s %s: %w: status %d", r.method, prefix+r.path, ErrBadResponse, resp.StatusCode)
	}
	return &refusal{r.method, prefix + r.path, resp.StatusCode, true, e}
}

// hide takes the token out of somebody else's text and bounds it.
func hide(said, token string) string { return text.Shorten(apiclient.Redact(said, token), 2000) }

// isHealth tells the response of a service that is down from one that cannot
// respond at all.
func isHealth(status int, body []byte) bool {
	var h api.Health
	return status == http.StatusServiceUnavailable && json.Unmarshal(body, &h) == nil && h.Status != ""
}
