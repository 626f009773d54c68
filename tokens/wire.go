package tokens

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/erphub/erphub/internal/baseurl"
	"github.com/erphub/erphub/internal/retry"
	"github.com/erphub/erphub/internal/text"
	"github.com/erphub/erphub/internal/waiting"
)

// maxResponse bounds how much of a response is read.
const maxResponse = 1 << 20

// wire makes the calls about tokens. Those about a login under way carry the
// token of its first step; the others are public and carry none.
type wire struct {
	base  string // without /api/v1 and trailing slash
	http  *http.Client
	again retry.Policy // for requests that may be sent twice
}

// retries are those of a reading of the ERP's client.
func retries() retry.Policy {
	return retry.Policy{Max: 3, MinWait: 200 * time.Millisecond, MaxWait: 5 * time.Second, MaxRetryAfter: 30 * time.Second}
}

// cleanBase checks an ERP address and brings it into the form it is compared
// and stored in.
func cleanBase(address string) (string, error) {
	if address == "" {
		return "", errors.New("the address of the ERP is missing; set ERP_URL, for example to https://erp.example.com")
	}
	u, err := baseurl.Parse(address, "/api/v1")
	if err != nil {
		return "", fmt.Errorf("the address of the ERP (ERP_URL) %w", err)
	}
	return u.String(), nil
}

func newHTTPClient() *http.Client {
	return &http.Client{
		Timeout: 40 * time.Second,
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
			TLSHandshakeTimeout:   5 * time.Second,
			ResponseHeaderTimeout: 30 * time.Second,
			ForceAttemptHTTP2:     true,
			// A connection that was idle may be dead, which looks like a
			// request that got lost on the way: each call takes its own.
			DisableKeepAlives: true,
		},
	}
}

// setClient takes a copy of c that follows no redirect: one would carry the
// password or refresh token to another address.
func (w *wire) setClient(c *http.Client) {
	own := *c
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	w.http = &own
}

// response is what the ERP sends back, in either spelling. Everything but the
// tokens is decoded later and on its own, so that an oddity there does not
// cost a pair that cannot be had twice.
type response struct {
	Token    string          `json:"token"`
	Snake    string          `json:"refresh_token"`
	Camel    string          `json:"refreshToken"`
	ClientID json.RawMessage `json:"clientId"`
	UserID   json.RawMessage `json:"userId"`
	Clients  json.RawMessage `json:"clients"`

	// The lists of a login under way.
	Roles         json.RawMessage `json:"roles"`
	Organizations json.RawMessage `json:"organizations"`
	Warehouses    json.RawMessage `json:"warehouses"`

	// date is the server's clock when it responded, zero when it did not say.
	date time.Time
}

func (a response) access() Secret { return NewSecret(a.Token) }

func (a response) refresh() Secret {
	if a.Snake != "" {
		return NewSecret(a.Snake)
	}
	return NewSecret(a.Camel)
}

// choices lists the tenants an unfinished login may choose from.
func (a response) choices() string {
	var clients []struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	if json.Unmarshal(a.Clients, &clients) != nil {
		return ""
	}
	var b strings.Builder
	for i, c := range clients[:min(len(clients), 20)] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%d (%s)", c.ID, clean(c.Name, Secret{}))
	}
	return b.String()
}

// outcome says what is known about a request that did not succeed.
type outcome int

const (
	// unknown: the server may have acted on the request.
	unknown outcome = iota
	// untouched: the server has certainly not acted on it.
	untouched
	// refused: the server looked at it and said no.
	refused
)

// login may be sent again: it only opens another session.
func (w *wire) login(ctx context.Context, log *slog.Logger, l Login) (response, outcome, *Error) {
	return w.repeated(ctx, log, request{"log in", http.MethodPost, "/api/v1/auth/tokens", Secret{}, l.body(), l.Password})
}

// choices requests what a login under way may choose from.
func (w *wire) choices(ctx context.Context, log *slog.Logger, path string, query url.Values, step Secret) (response, *Error) {
	a, _, fail := w.repeated(ctx, log, request{"log in", http.MethodGet, "/api/v1" + path + "?" + query.Encode(), step, nil, step})
	return a, fail
}

// complete is the second step of a login.
func (w *wire) complete(ctx context.Context, log *slog.Logger, l Login, step Secret) (response, *Error) {
	a, _, fail := w.repeated(ctx, log, request{"log in", http.MethodPut, "/api/v1/auth/tokens", step, l.parameters(), step})
	return a, fail
}

// refresh spends a refresh token. The real server reads refresh_token and
// refuses with 400 any member it does not know.
func (w *wire) refresh(ctx context.Context, log *slog.Logger, refresh Secret, clientID, userID int) (response, outcome, *Error) {
	body := struct {
		RefreshToken string `json:"refresh_token"`
		ClientID     int    `json:"clientId"`
		UserID       int    `json:"userId"`
	}{refresh.Reveal(), clientID, userID}
	return w.post(ctx, log, "refresh the token", "/api/v1/auth/refresh", body, refresh)
}

func (w *wire) logout(ctx context.Context, log *slog.Logger, access Secret) (outcome, *Error) {
	body := struct {
		Token string `json:"token"`
	}{access.Reveal()}
	_, out, err := w.post(ctx, log, "log out", "/api/v1/auth/logout", body, access)
	return out, err
}

func (w *wire) post(ctx context.Context, log *slog.Logger, op, path string, body any, secret Secret) (response, outcome, *Error) {
	a, _, out, fail := w.call(ctx, log, request{op, http.MethodPost, path, Secret{}, body, secret})
	return a, out, fail
}

// wait is how long to wait after a request that failed, if it may be sent again.
// res is nil when there was no response.
func (w *wire) wait(retries int, res *http.Response, err error) (wait time.Duration, again bool) {
	wait = w.again.Backoff(retries)
	if res == nil {
		var timeout net.Error
		silent := errors.As(err, &timeout) && timeout.Timeout() && !dialling(err)
		return wait, !silent && retry.Network(err)
	}
	if asked, ok := retry.After(res, time.Now()); ok && retry.TurnedAway(res.StatusCode) {
		wait = asked + retry.Jitter(w.again.MinWait)
	}
	return wait, retry.Busy(res.StatusCode) && wait <= w.again.MaxRetryAfter
}

// repeated makes a request that may be sent again, and does so when the network
// failed on the way, or the server is busy for the moment.
func (w *wire) repeated(ctx context.Context, log *slog.Logger, r request) (response, outcome, *Error) {
	for retries := 0; ; retries++ {
		a, res, out, fail := w.call(ctx, log, r)
		if fail == nil || retries >= w.again.Max || ctx.Err() != nil {
			return a, out, fail
		}
		wait, ok := w.wait(retries, res, fail.Err)
		if !ok {
			return a, out, fail
		}
		if end, ok := ctx.Deadline(); ok && time.Until(end) < wait {
			return a, out, fail
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return a, out, fail
		}
	}
}

// request is a call to make.
type request struct {
	op, method, path string
	bearer           Secret // zero: none is sent
	body             any    // nil: none
	// secret is what the server must not be able to place into an error text
	// by echoing it.
	secret Secret
}

// call makes a request and decodes the response. res is nil when none came, or not
// whole; its body is closed.
func (w *wire) call(ctx context.Context, log *slog.Logger, r request) (a response, res *http.Response, out outcome, fail *Error) {
	fail = &Error{Op: r.op, Server: w.base, Kind: ErrUnreachable, Advice: adviceRetry}
	path, _, _ := strings.Cut(r.path, "?")
	var send io.Reader
	if r.body != nil {
		data, err := json.Marshal(r.body)
		if err != nil {
			fail.Err = errors.New("the request cannot be encoded")
			return response{}, nil, untouched, fail
		}
		send = bytes.NewReader(data)
	}

	var asked, connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { asked.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	req, err := http.NewRequestWithContext(ctx, r.method, w.base+r.path, send)
	if err != nil {
		fail.Err = errors.New("the address cannot be used")
		return response{}, nil, untouched, fail
	}
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	if !r.bearer.IsZero() {
		req.Header.Set("Authorization", "Bearer "+r.bearer.Reveal())
	}

	defer waiting.Begin(req)()
	start := time.Now()
	res, err = w.http.Do(req)
	if err != nil {
		fail.Err = bare(err)
		log.DebugContext(ctx, "token call failed", "path", path, "after", time.Since(start), "error", fail.Err)
		// Only a request that never had a connection is known not to have
		// reached the server. A transport that does not report connections
		// proves nothing, unless its error is about dialling.
		if !connected.Load() && (asked.Load() || dialling(err)) {
			return response{}, nil, untouched, fail
		}
		return response{}, nil, unknown, fail
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxResponse+1))
	log.DebugContext(ctx, "token call", "path", path, "status", res.StatusCode, "after", time.Since(start))
	switch {
	case err != nil:
		fail.Err = fmt.Errorf("reading the response: %w", bare(err))
		return response{}, nil, unknown, fail
	case len(text) > maxResponse:
		fail.Status = res.StatusCode
		fail.Err = fmt.Errorf("the response is longer than %d bytes", maxResponse)
		return response{}, res, unknown, fail
	case res.StatusCode != http.StatusOK:
		out := fail.fromResponse(res.StatusCode, text, r.secret)
		return response{}, res, out, fail
	}
	if err := json.Unmarshal(text, &a); err != nil {
		fail.Status = res.StatusCode
		fail.Err = errors.New("the response is not what the ERP's REST API sends")
		return response{}, res, unknown, fail
	}
	a.date, _ = http.ParseTime(res.Header.Get("Date"))
	return a, res, unknown, nil
}

// fromResponse fills e from a response other than 200.
func (e *Error) fromResponse(status int, text []byte, secret Secret) outcome {
	e.Status = status
	var body struct {
		Title  string `json:"title"`
		Detail string `json:"detail"`
	}
	// Only the ERP's own error format is quoted. Other texts (a parser's
	// message, a proxy's page) may contain pieces of the request.
	if json.Unmarshal(text, &body) == nil {
		e.Title, e.Detail = clean(body.Title, secret), clean(body.Detail, secret)
	}
	switch status {
	case http.StatusUnauthorized:
		e.Kind, e.Advice = ErrAuthentication, adviceLogin
		return refused
	case http.StatusBadRequest, http.StatusForbidden:
		e.Kind, e.Advice = ErrAuthentication, adviceLogin
		return untouched
	case http.StatusNotFound, http.StatusMethodNotAllowed,
		http.StatusNotAcceptable, http.StatusUnsupportedMediaType,
		http.StatusTooManyRequests, http.StatusServiceUnavailable:
		// Decided before the request was carried out.
		return untouched
	}
	if status >= 300 && status < 400 && status != http.StatusSeeOther {
		e.Err = errors.New("the address redirects elsewhere; redirects are not followed")
		return untouched
	}
	return unknown
}

// clean makes a text of the server fit for one line of an error.
func clean(s string, secret Secret) string {
	if v := secret.Reveal(); v != "" {
		s = strings.ReplaceAll(s, v, redacted)
		// The request was JSON, so that is how a server may quote it.
		if quoted, err := json.Marshal(v); err == nil {
			s = strings.ReplaceAll(s, string(quoted[1:len(quoted)-1]), redacted)
		}
	}
	return text.Shorten(text.OneLine(s), 300)
}

// bare takes the *url.Error off, which says the same as the Error.
func bare(err error) error {
	if ue := (*url.Error)(nil); errors.As(err, &ue) {
		return ue.Err
	}
	return err
}

func dialling(err error) bool {
	if oe := (*net.OpError)(nil); errors.As(err, &oe) {
		return oe.Op == "dial" || oe.Op == "proxyconnect"
	}
	return false
}
