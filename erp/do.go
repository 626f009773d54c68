package erp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/erphub/erphub/internal/apiclient"
)

// Every request goes the same way: newCall builds it; apiclient.Client.Do gets
// the token, sends it, retries and reads the response; checkStatus and connError
// make the errors of this package; the functions below them decode.

// response is a response whose body has been read.
type response struct {
	status int
	header http.Header
	body   []byte
}

// badResponseError is a response that cannot be understood.
type badResponseError struct {
	text  string
	cause error
}

func (e *badResponseError) Error() string        { return e.text }
func (e *badResponseError) Unwrap() error        { return e.cause }
func (e *badResponseError) Is(target error) bool { return target == ErrBadResponse }

// do performs a request and reads its response into memory. Responses with a
// status of 400 and above become *Error, together with the response; those in
// accept are handed over without error.
func (c *Client) do(ctx context.Context, r *request, accept ...int) (*response, error) {
	call, err := c.newCall(ctx, r)
	if err != nil {
		return nil, err
	}
	resp, body, err := c.conn.api.Do(call)
	if err != nil {
		return nil, connError(call, err)
	}
	return &response{resp.StatusCode, resp.Header, body}, checkStatus(call, resp, body, accept...)
}

// stream performs a request whose response the caller reads. Errors are read
// and decoded here.
func (c *Client) stream(ctx context.Context, r *request) (*http.Response, error) {
	call, err := c.newCall(ctx, r)
	if err != nil {
		return nil, err
	}
	call.Body = apiclient.StreamSuccess
	resp, body, err := c.conn.api.Do(call)
	if err != nil {
		return nil, connError(call, err)
	}
	if err := checkStatus(call, resp, body); err != nil {
		return nil, err
	}
	return resp, nil
}

// checkStatus returns an error for a response that is not a success.
func checkStatus(call *apiclient.Call, resp *http.Response, body []byte, accept ...int) error {
	status, req := resp.StatusCode, call.Request
	switch {
	case status >= 200 && status < 300, slices.Contains(accept, status):
		return nil
	case status < http.StatusBadRequest && status != http.StatusNotModified:
		return &badResponseError{text: fmt.Sprintf("%s %s: the server responded with status %d, which the ERP never does; check the base URL",
			req.Method, req.URL.Path, status)}
	}
	// A response that echoes the request must not carry the token into logs:
	// not whole, and not its beginning where a long text is cut off.
	e := newError(req, resp, apiclient.RedactBody(body, call.Token), time.Now())
	e.lost = call.Lost && !safe(req.Method)
	for _, text := range []*string{&e.Title, &e.Detail, &e.RequestID} {
		*text = apiclient.Redact(*text, call.Token)
	}
	return e
}

// connError names the request that got no whole response. The query stays out
// of the text: it may hold a key.
func connError(call *apiclient.Call, err error) error {
	method, path := call.Request.Method, call.Request.URL.Path
	var (
		token    *apiclient.TokenError
		source   *apiclient.SourceError
		redirect *apiclient.RedirectError
		body     *apiclient.BodyError
	)
	lost := func(err error) error {
		if !call.Lost {
			return err
		}
		return unreadable(method, err)
	}
	switch ctx := call.Request.Context(); {
	case errors.As(err, &source), errors.As(err, &redirect): // neither was carried out
		return fmt.Errorf("%s %s: %w", method, path, err)
	case ctx.Err() != nil:
		after := ""
		if call.Status >= http.StatusBadRequest {
			after = fmt.Sprintf(" (the response to attempt %d had status %d)", call.Attempts, call.Status)
		}
		return lost(fmt.Errorf("%s %s: stopped%s: %w", method, path, after, ctx.Err()))
	case errors.As(err, &body) && body.Err == nil:
		return lost(fmt.Errorf("%s %s: %w; request less, or raise WithMaxResponseBytes", method, path, err))
	case errors.As(err, &body), errors.As(err, &token), errors.Is(err, ErrInvalid):
	default:
		return &ConnError{Method: method, Path: path, Host: call.Request.URL.Host, Sent: call.Lost, Err: err}
	}
	return lost(fmt.Errorf("%s %s: %w", method, path, err))
}

// json performs a request whose response must be JSON.
func (c *Client) json(ctx context.Context, r *request, accept ...int) (*response, error) {
	a, err := c.do(ctx, r, accept...)
	if err != nil {
		return a, err
	}
	if err := a.checkJSON(); err != nil {
		return a, unreadable(r.method, fmt.Errorf("%s %s: %w", r.method, c.describe(r), err))
	}
	return a, nil
}

// into performs a request and decodes its JSON response.
func (c *Client) into(ctx context.Context, r *request, dst any, accept ...int) error {
	a, err := c.json(ctx, r, accept...)
	if err != nil {
		return err
	}
	return c.badResponse(r, decodeObject(a.body, dst))
}

// record performs a request whose response is one record.
func (c *Client) record(ctx context.Context, r *request) (Record, error) {
	a, err := c.json(ctx, r)
	if err != nil {
		return Record{}, err
	}
	record, err := ParseRecord(a.body)
	return record, c.badResponse(r, err)
}

// badResponse names the request whose response could not be decoded.
func (c *Client) badResponse(r *request, err error) error {
	if err == nil {
		return nil
	}
	return unreadable(r.method, &badResponseError{text: fmt.Sprintf("%s %s: %v", r.method, c.describe(r), err), cause: err})
}

func (c *Client) describe(r *request) string {
	return c.conn.base.Path + "/" + strings.Join(r.path, "/")
}

// checkJSON refuses responses that are not labelled and shaped as JSON.
func (a *response) checkJSON() error {
	body := bytes.TrimLeft(a.body, " \t\r\n")
	if len(body) == 0 {
		return &badResponseError{text: fmt.Sprintf("the server responded with status %d and an empty body where JSON was expected", a.status)}
	}
	if body[0] == '<' {
		return errHTML()
	}
	label := a.header.Get("Content-Type")
	var media string
	var err error
	if label == acceptJSON {
		media = label
	} else if media, _, err = mime.ParseMediaType(label); err != nil {
		media, _, _ = strings.Cut(label, ";")
	}
	switch {
	case media == acceptJSON || strings.HasSuffix(media, "+json"):
		return nil
	case media == "text/html":
		return errHTML()
	case media == "":
		return nil // unlabelled: the decoder has the last word
	}
	return &badResponseError{text: fmt.Sprintf("the server responded with content type %s where JSON was expected", quote(media))}
}

func errHTML() error {
	return &badResponseError{text: "the server responded with an HTML page where JSON was expected; the base URL probably leads to something else than the ERP's REST API"}
}
