package aiclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/erphub/erphub/aiquery/answer"
)

// maxAnswer bounds an answer: the service's own bound is 4 MiB of values.
const maxAnswer = 32 << 20

// maxSimilar bounds the names that a refusal suggests.
const maxSimilar = 10

// retryPolicy says how often a request is repeated and how long a service may
// ask to wait.
type retryPolicy struct {
	most    int
	longest time.Duration
}

// request is what is sent.
type request struct {
	method, path string // path below the prefix, escaped
	query        url.Values
	body         any  // nil: none
	again        bool // it means the same when done twice and leaves nothing behind
	// isAnswer tells answers of another status than 2xx that are no refusals.
	isAnswer func(status int, body []byte) bool
}

// do sends a request, repeats it where that does no harm, and decodes the
// answer.
func (c *Client) do(ctx context.Context, r request, answer any) error {
	var text []byte
	if r.body != nil {
		var err error
		if text, err = json.Marshal(r.body); err != nil {
			return &inputError{fmt.Errorf("%s %s: the values cannot be written as JSON: %w", r.method, prefix+r.path, err)}
		}
	}
	for attempt := 0; ; attempt++ {
		err := c.once(ctx, r, text, answer)
		if err == nil || attempt >= c.retry.most {
			return err
		}
		wait, ok := c.repeat(r, err, attempt)
		if !ok {
			return err
		}
		if end, has := ctx.Deadline(); has && time.Until(end) < wait {
			return err // there is no time left for another answer
		}
		c.log.DebugContext(ctx, "a request to the AI API is repeated", "path", r.path, "wait", wait, "error", err)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
	}
}

// repeat says whether a failed request is sent again, and when.
func (c *Client) repeat(r request, err error, attempt int) (time.Duration, bool) {
	wait := time.Duration(200<<attempt) * time.Millisecond
	wait -= rand.N(wait / 2)
	var conn *ConnError
	if errors.As(err, &conn) {
		return wait, !conn.Timeout && (!conn.Sent || r.again) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
	}
	var e *refusal
	if !errors.As(err, &e) {
		return 0, false
	}
	switch e.status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		// Turned away before it was worked on; a database that has run out of
		// something says "resources", and may have tried.
		return max(wait, e.why.RetryAfter), e.why.RetryAfter <= c.retry.longest && (r.again || e.why.RetryAfter > 0 && e.why.Code != answer.CodeResources)
	case http.StatusBadGateway:
		return wait, r.again
	}
	return 0, false
}

// once makes one attempt, or two when the token had to be renewed.
func (c *Client) once(ctx context.Context, r request, text []byte, answer any) error {
	token, err := c.token(ctx)
	if err != nil {
		return err
	}
	err = c.send(ctx, r, text, token, answer)
	source, ok := c.tokens.(TokenInvalidator)
	if !ok || token == "" || !errors.Is(err, ErrUnauthorized) {
		return err
	}
	if ierr := source.Invalidate(ctx, token); ierr != nil {
		return fmt.Errorf("%w; another token could not be had: %w", err, ierr)
	}
	newer, terr := c.token(ctx)
	switch {
	case terr != nil:
		return fmt.Errorf("%w; another token could not be had: %w", err, terr)
	case newer == token || newer == "":
		return err
	}
	return c.send(ctx, r, text, newer, answer)
}

func (c *Client) token(ctx context.Context) (string, error) {
	if c.tokens == nil {
		return "", nil
	}
	token, err := c.tokens.Token(ctx)
	if err != nil {
		return "", fmt.Errorf("getting a token for the AI API: %w", err)
	}
	return token, checkToken(token)
}

// send makes a request and decodes its answer.
func (c *Client) send(ctx context.Context, r request, text []byte, token string, answer any) error {
	address := c.base + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	var body io.Reader
	if text != nil {
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, address, body)
	if err != nil {
		return invalid("%s %s: the address cannot be used", r.method, prefix+r.path)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.agent)
	if text != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return c.noAnswer(ctx, r, req, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return c.noAnswer(ctx, r, req, err)
	case len(data) > maxAnswer:
		return fmt.Errorf("%s %s: %w: it is larger than %d bytes", r.method, prefix+r.path, ErrBadResponse, maxAnswer)
	}
	isJSON := false
	if media, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err == nil {
		isJSON = media == "application/json"
	}
	if resp.StatusCode/100 != 2 && (r.isAnswer == nil || !isJSON || !r.isAnswer(resp.StatusCode, data)) {
		return c.refusal(r, resp, data, isJSON, token)
	}
	if !isJSON {
		return fmt.Errorf("%s %s: %w: it is no JSON; check the address %s", r.method, prefix+r.path, ErrBadResponse, c.base)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(answer); err != nil {
		return fmt.Errorf("%s %s: %w: %s", r.method, prefix+r.path, ErrBadResponse, hide(err.Error(), token))
	}
	return nil
}

// noAnswer is the error of a request that got none.
func (c *Client) noAnswer(ctx context.Context, r request, req *http.Request, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s %s: %w", r.method, prefix+r.path, context.Cause(ctx))
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err // without the address, which has its place
	}
	conn := &ConnError{Method: r.method, Path: prefix + r.path, Host: req.URL.Host, Sent: true, Err: err}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		conn.Sent = false
	}
	var timeout net.Error
	conn.Timeout = errors.As(err, &timeout) && timeout.Timeout() && conn.Sent
	return conn
}

// refusal is the error of an answer that is one.
func (c *Client) refusal(r request, resp *http.Response, data []byte, isJSON bool, token string) error {
	var body struct {
		Error     *Error
		RequestID string
	}
	wait := retryAfter(resp.Header.Get("Retry-After"))
	if isJSON && json.Unmarshal(data, &body) == nil && body.Error != nil && body.Error.Message != "" {
		e := body.Error
		e.RetryAfter, e.RequestID = wait, hide(body.RequestID, token)
		e.Message, e.Hint, e.Object.Name = hide(e.Message, token), hide(e.Hint, token), hide(e.Object.Name, token)
		e.Object.Kind = answer.ObjectKind(hide(string(e.Object.Kind), token))
		e.Object.Similar = e.Object.Similar[:min(len(e.Object.Similar), maxSimilar)]
		for i, name := range e.Object.Similar {
			e.Object.Similar[i] = hide(name, token)
		}
		if e.Code.Status() == 0 {
			e.Code = answer.CodeOf(resp.StatusCode) // one of another version, or of what stands before the engine
		}
		return &refusal{r.method, prefix + r.path, resp.StatusCode, false, e}
	}
	// Not the service itself: a proxy, or another server at that address.
	e := &Error{Code: answer.CodeOf(resp.StatusCode), Message: http.StatusText(resp.StatusCode), RetryAfter: wait}
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
func hide(text, token string) string {
	if token != "" {
		text = strings.ReplaceAll(text, token, "[token]")
	}
	if runes := []rune(text); len(runes) > 2000 {
		text = string(runes[:1999]) + "…"
	}
	return text
}

// retryAfter reads the header in seconds, which is all this API sends; a date
// counts from now.
func retryAfter(text string) time.Duration {
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// isHealth tells the answer of a service that is down from one that cannot
// answer at all.
func isHealth(status int, body []byte) bool {
	var h Health
	return status == http.StatusServiceUnavailable && json.Unmarshal(body, &h) == nil && h.Status != ""
}
