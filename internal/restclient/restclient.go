// Package restclient joins the generated client of the ERP's REST API to a
// connection of package erp, such that both fail alike: a refusal by the server
// is an [*erp.Error], no answer an [*erp.ConnError].
package restclient

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/rest"
)

const (
	maxBody      = 64 << 20 // of an answer
	maxErrorBody = 64 << 10 // of a refusal
	maxErrorText = 600
)

// New returns the generated client over the connection of client. Answers with
// a status of 300 and above are errors of the call. locale asks for texts in
// that language; empty leaves it to the token.
func New(client *erp.Client, locale string) (*rest.ClientWithResponses, error) {
	var opts []rest.ClientOption
	if locale != "" {
		opts = append(opts, rest.WithRequestEditorFn(func(_ context.Context, req *http.Request) error {
			q := req.URL.Query()
			q.Set("locale", locale)
			req.URL.RawQuery = q.Encode()
			return nil
		}))
	}
	return rest.New(client.BaseURL(), doer{client.HTTPClient()}, opts...)
}

// Answer is the decoded answer of a call, for the pair that calls of the
// generated client return: decoded is nil when the answer was no JSON.
func Answer[T any](what string, decoded *T) (*T, error) {
	if decoded == nil {
		return nil, fmt.Errorf("%s: the answer holds no JSON; is this the ERP's REST API? %w", what, erp.ErrBadResponse)
	}
	return decoded, nil
}

// Stream lifts the bound of 64 MiB from answers to calls with the context it
// returns, for downloads that are read piece by piece.
func Stream(ctx context.Context) context.Context {
	return context.WithValue(ctx, streamKey{}, true)
}

type streamKey struct{}

// doer turns refusals into errors and bounds answers.
type doer struct{ http *http.Client }

// Do performs a request of the generated client.
func (d doer) Do(req *http.Request) (*http.Response, error) {
	resp, err := d.http.Do(req)
	if err != nil {
		return nil, noAnswer(req, err)
	}
	if resp.StatusCode < 300 {
		if req.Context().Value(streamKey{}) == nil {
			resp.Body = &bounded{body: resp.Body, left: maxBody}
		}
		return resp, nil
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // what arrived is enough to tell the reason
	return nil, refusal(req, resp, body)
}

// noAnswer names the request for which no answer came; its query, which may hold
// a key, stays out of the text. Failures before the network, such as those to
// get a token, stay what they are.
func noAnswer(req *http.Request, err error) error {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	var network net.Error
	var certificate *tls.CertificateVerificationError
	switch {
	case req.Context().Err() != nil:
		return fmt.Errorf("%s %s: stopped: %w", req.Method, req.URL.Path, req.Context().Err())
	case errors.Is(err, erp.ErrUnauthorized), errors.Is(err, erp.ErrInvalid), errors.Is(err, erp.ErrBadResponse):
	case errors.As(err, &network), errors.As(err, &certificate), errors.Is(err, erp.ErrTimeout),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return &erp.ConnError{Method: req.Method, Path: req.URL.Path, Host: req.URL.Host, Sent: sent(err), Err: err}
	}
	return fmt.Errorf("%s %s: %w", req.Method, req.URL.Path, err)
}

// sent tells whether the request may have reached the server: not when the
// connection to it could not even be made.
func sent(err error) bool {
	var op *net.OpError
	return !errors.As(err, &op) || op.Op != "dial"
}

// bounded is a body that fails when it is longer than allowed.
type bounded struct {
	body io.ReadCloser
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("the answer is larger than %d MiB: %w", maxBody>>20, erp.ErrBadResponse)
	}
	n, err := b.body.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

func (b *bounded) Close() error { return b.body.Close() }

var pageTitle = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// refusal reads the reason of a refusal: JSON of the REST plugin, or a page of
// the servlet container.
func refusal(req *http.Request, resp *http.Response, body []byte) *erp.Error {
	// An answer that echoes the request must not carry the token into logs.
	hide := strings.NewReplacer()
	if resp.Request != nil { // the request as it was sent, with its token
		if token := strings.TrimPrefix(resp.Request.Header.Get("Authorization"), "Bearer "); len(token) > 7 {
			hide = strings.NewReplacer(token, "[token]")
			body = []byte(hide.Replace(string(body)))
		}
	}
	e := &erp.Error{
		Status: resp.StatusCode, Method: req.Method, Path: req.URL.Path,
		RequestID: oneLine(hide.Replace(resp.Header.Get("X-Request-Id"))), Page: true,
	}
	if after, err := time.ParseDuration(resp.Header.Get("Retry-After") + "s"); err == nil && after > 0 {
		e.RetryAfter = after
	}
	body = bytes.TrimSpace(body)
	if rec, err := erp.ParseRecord(body); err == nil {
		text := func(names ...string) string {
			for _, name := range names {
				if s, ok := rec.Text(name); ok && s != "" {
					return oneLine(s)
				}
			}
			return ""
		}
		e.Title, e.Detail, e.Page = text("title"), text("detail", "message", "error"), !rec.Has("title")
	} else if m := pageTitle.FindSubmatch(body); m != nil {
		e.Detail = fmt.Sprintf("an HTML page saying %q", oneLine(string(m[1])))
	} else if !bytes.HasPrefix(body, []byte("<")) {
		e.Detail = oneLine(string(body))
	}
	if e.Title == "" {
		e.Title = http.StatusText(e.Status)
	}
	e.Title, e.Detail = hide.Replace(e.Title), hide.Replace(e.Detail)
	return e
}

// oneLine is text of a server fit for one line of a message.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(s, "\ufffd"))
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxErrorText {
		s = strings.ToValidUTF8(s[:maxErrorText], "") + "…"
	}
	return s
}
