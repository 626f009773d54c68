package erp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

// firstBuffer bounds how much is set aside because of a Content-Length alone.
const firstBuffer = 8 << 20

// answer is a response whose body has been read.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// badResponseError is an answer that cannot be understood.
type badResponseError struct {
	text      string
	cause     error
	truncated bool
}

func (e *badResponseError) Error() string        { return e.text }
func (e *badResponseError) Unwrap() error        { return e.cause }
func (e *badResponseError) Is(target error) bool { return target == ErrBadResponse }

// do performs a request and reads its answer into memory. Answers with a status
// of 400 and above become *Error, together with the answer; those in accept are handed
// over without error.
func (c *Client) do(ctx context.Context, r *request, accept ...int) (*answer, error) {
	req, info, err := c.newRequest(ctx, r)
	if err != nil {
		return nil, err
	}
	var body []byte
	done := false
	if info.repeat == repeatAlways {
		// Reading the body is part of the attempt, so that an answer that
		// breaks off is fetched again.
		req.SetResponseHandler(func(resp *http.Response) error {
			data, err := c.readBody(req.Request, resp)
			if err != nil && resp.StatusCode < http.StatusBadRequest {
				return err
			}
			body, done = data, true
			return nil
		})
	}
	resp, err := c.conn.retry.Do(req)
	if err != nil {
		if resp != nil {
			resp.Body.Close()
		}
		return nil, c.connError(ctx, req.Request, info, err)
	}
	if !done {
		if body, err = c.readBody(req.Request, resp); err != nil && resp.StatusCode < http.StatusBadRequest {
			return nil, c.connError(ctx, req.Request, info, err)
		}
	}
	a := &answer{status: resp.StatusCode, header: resp.Header, body: body}
	return a, c.checkStatus(req.Request, resp, info, body, accept)
}

// stream performs a request whose answer the caller reads. Errors are read and
// decoded here.
func (c *Client) stream(ctx context.Context, r *request) (*http.Response, error) {
	req, info, err := c.newRequest(ctx, r)
	if err != nil {
		return nil, err
	}
	resp, err := c.conn.retry.Do(req)
	if err != nil {
		if resp != nil {
			resp.Body.Close()
		}
		return nil, c.connError(ctx, req.Request, info, err)
	}
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return resp, nil
	}
	body, _ := c.readBody(req.Request, resp)
	return nil, c.checkStatus(req.Request, resp, info, body, nil)
}

// checkStatus makes errors of answers that are none of success.
func (c *Client) checkStatus(req *http.Request, resp *http.Response, info *call, body []byte, accept []int) error {
	status := resp.StatusCode
	if status >= 200 && status < 300 {
		return nil
	}
	for _, a := range accept {
		if a == status {
			return nil
		}
	}
	if status < http.StatusBadRequest && status != http.StatusNotModified {
		return &badResponseError{text: fmt.Sprintf("%s %s: the server answered with status %d, which it never does; check the base URL",
			req.Method, req.URL.Path, status)}
	}
	// An answer that echoes the request must not carry the token into logs:
	// not whole, and not its beginning where a long text is cut off.
	if len(info.token) > 7 {
		body = bytes.ReplaceAll(body, []byte(info.token), []byte("[token]"))
	}
	e := newError(req, resp, body, c.conn.now())
	e.repeated = info.unsure
	if info.token != "" {
		for _, text := range []*string{&e.Title, &e.Detail, &e.RequestID} {
			*text = strings.ReplaceAll(*text, info.token, "[token]")
		}
	}
	return e
}

// connError names the request that got no answer. The query stays out of the
// text: it may hold a key.
func (c *Client) connError(ctx context.Context, req *http.Request, info *call, err error) error {
	method, path := req.Method, req.URL.Path
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	var (
		token    *tokenError
		redirect *redirectError
		bad      *badResponseError
	)
	source := info.source.Load()
	switch {
	case source != nil:
		return fmt.Errorf("%s %s: %w", method, path, source)
	case ctx.Err() != nil:
		after := ""
		if info.status >= http.StatusBadRequest {
			after = fmt.Sprintf(" (attempt %d was answered with status %d)", info.attempts, info.status)
		}
		return fmt.Errorf("%s %s: stopped%s: %w", method, path, after, ctx.Err())
	case errors.As(err, &token), errors.As(err, &redirect), errors.As(err, &bad), errors.Is(err, ErrInvalid):
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return &ConnError{Method: method, Path: path, Host: c.conn.base.Host, Sent: info.unsure, Err: err}
}

// readBody reads an answer of bounded size and closes it.
func (c *Client) readBody(req *http.Request, resp *http.Response) ([]byte, error) {
	defer resp.Body.Close()
	limit := c.conn.maxBody
	if resp.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	var data []byte
	var err error
	if size := resp.ContentLength; size >= 0 && size <= firstBuffer {
		data = make([]byte, size)
		var n int
		n, err = io.ReadFull(resp.Body, data)
		data = data[:n]
		if size == 0 {
			err = nil
		}
	} else {
		var buf bytes.Buffer
		if size > 0 {
			buf.Grow(firstBuffer)
		}
		_, err = buf.ReadFrom(io.LimitReader(resp.Body, limit+1))
		data = buf.Bytes()
		if int64(len(data)) > limit {
			return nil, tooLarge(limit)
		}
	}
	switch {
	case err == nil:
		return data, nil
	case req.Context().Err() != nil:
		return data, req.Context().Err()
	case errors.Is(err, ErrTimeout):
		return data, err
	}
	text := fmt.Sprintf("the answer breaks off after %d bytes", len(data))
	if !safe(req.Method) {
		text += "; the request was probably carried out"
	}
	return data, &badResponseError{text: text, cause: err, truncated: true}
}

func tooLarge(limit int64) error {
	return &badResponseError{text: fmt.Sprintf("the answer is larger than %d bytes; ask for less, or raise WithMaxResponseBytes", limit)}
}

// json performs a request whose answer must be JSON.
func (c *Client) json(ctx context.Context, r *request, accept ...int) (*answer, error) {
	a, err := c.do(ctx, r, accept...)
	if err != nil {
		return a, err
	}
	if err := a.checkJSON(); err != nil {
		return a, fmt.Errorf("%s %s: %w", r.method, c.describe(r), err)
	}
	return a, nil
}

// into performs a request and decodes its JSON answer.
func (c *Client) into(ctx context.Context, r *request, dst any, accept ...int) error {
	a, err := c.json(ctx, r, accept...)
	if err != nil {
		return err
	}
	return c.badAnswer(r, decodeObject(a.body, dst))
}

// record performs a request whose answer is one record.
func (c *Client) record(ctx context.Context, r *request) (Record, error) {
	a, err := c.json(ctx, r)
	if err != nil {
		return Record{}, err
	}
	record, err := ParseRecord(a.body)
	return record, c.badAnswer(r, err)
}

// badAnswer names the request whose answer could not be decoded.
func (c *Client) badAnswer(r *request, err error) error {
	if err == nil {
		return nil
	}
	return &badResponseError{text: fmt.Sprintf("%s %s: %v", r.method, c.describe(r), err), cause: err}
}

func (c *Client) describe(r *request) string {
	return c.conn.base.Path + "/" + strings.Join(r.path, "/")
}

// checkJSON refuses answers that are not labelled and shaped as JSON.
func (a *answer) checkJSON() error {
	body := bytes.TrimLeft(a.body, " \t\r\n")
	if len(body) == 0 {
		return &badResponseError{text: fmt.Sprintf("the server answered %d with an empty body where JSON was expected", a.status)}
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
	return &badResponseError{text: fmt.Sprintf("the server answered with content type %s where JSON was expected", clip(media))}
}

func errHTML() error {
	return &badResponseError{text: "the server answered with an HTML page where JSON was expected; the base URL probably leads to something else than the ERP's REST API"}
}
