package erptest

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// call is one request under way.
type call struct {
	srv    *Server
	w      http.ResponseWriter
	r      *http.Request
	params map[string]string // decoded path parameters
	// produced is the media type of a response that names none; the server's JSON
	// objects go out with it, too, on routes that send files.
	produced string
	query    params
	session  *engine.Session // nil on public routes
	tx       *store.Tx       // the open transaction of a transactional batch, else nil
	fresh    freshRecords    // of the transaction; a batch shares it among its calls
}

// freshRecords are the records a transaction has made so far, by table and key. The
// real server looks up what to display outside of the transaction, where they are
// not there yet.
type freshRecords map[string]bool

func (f freshRecords) add(r *engine.Record) {
	f[strings.ToUpper(r.Table.Name)+"/"+engine.FormatID(r.ID())] = true
}

func (f freshRecords) has(table, key string) bool {
	return len(f) > 0 && f[strings.ToUpper(table)+"/"+key]
}

// settle is called before the response to a change is made up: what a transaction
// of its own has made can be seen then.
func (c *call) settle() {
	if c.tx == nil {
		clear(c.fresh)
	}
}

func (c *call) ctx() context.Context { return c.r.Context() }

// param is a path parameter.
func (c *call) param(name string) string { return c.params[name] }

// params are the query parameters. Unlike net/url they are split at & only,
// because real clients send raw semicolons inside $expand.
type params map[string][]string

func parseParams(raw string) params {
	p := params{}
	for part := range strings.SplitSeq(raw, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		name, err1 := url.QueryUnescape(name)
		value, err2 := url.QueryUnescape(value)
		if err1 != nil || err2 != nil {
			continue
		}
		p[name] = append(p[name], value)
	}
	return p
}

// get is the first value of a parameter.
func (p params) get(name string) string {
	if v := p[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// has reports whether the parameter is there, if only with an empty value.
func (p params) has(name string) bool { return len(p[name]) > 0 }

// bodies are buffers for JSON documents on their way out.
var bodies = sync.Pool{New: func() any { return new([]byte) }}

// maxBody bounds a buffer that is used again.
const maxBody = 1 << 20

func newBody() []byte { return (*bodies.Get().(*[]byte))[:0] }

// dropBody has the buffer of a document that nobody needs any more be used again.
func dropBody(body []byte) {
	if cap(body) <= maxBody {
		bodies.Put(&body)
	}
}

// json responds with a JSON document, as the media type of the route.
func (c *call) json(status int, v any) {
	body, err := wire.Append(newBody(), v)
	defer dropBody(body)
	if err != nil {
		c.srv.log.Error("encoding a response", "path", c.r.URL.Path, "error", err)
		c.srv.containerPage(c.w, c.r, http.StatusInternalServerError, "Server Error")
		return
	}
	c.bytes(status, c.produced, body)
}

// bytes responds with a body as it is.
func (c *call) bytes(status int, contentType string, body []byte) {
	if contentType != "" {
		c.w.Header().Set("Content-Type", contentType)
	}
	c.w.WriteHeader(status)
	if c.r.Method != http.MethodHead {
		_, _ = c.w.Write(body) // the client may be gone; nothing is left to do then
	}
}

// empty responds without a body.
func (c *call) empty(status int) { c.w.WriteHeader(status) }

// body reads the request's body, at most what the server allows.
func (c *call) body() ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, c.srv.opts.MaxBodyBytes))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return nil, page(http.StatusRequestEntityTooLarge)
	}
	if err != nil {
		return nil, badBody(err)
	}
	return body, nil
}

// badBody is the response to a body that did not come whole.
func badBody(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return page(http.StatusRequestTimeout)
	}
	return page(http.StatusBadRequest)
}

func acceptsJSON(r *http.Request) bool { return acceptsType(r, "application/json", false) }

// acceptsType reports whether the Accept header lets the media type through;
// wildcards count when wild is true, and no header at all counts as */*.
func acceptsType(r *http.Request, want string, wild bool) bool {
	accept := r.Header.Values("Accept")
	if len(accept) == 0 {
		return wild
	}
	for _, line := range accept {
		for part := range strings.SplitSeq(line, ",") {
			mt, p, err := mime.ParseMediaType(strings.TrimSpace(part))
			if err != nil || p["q"] == "0" || p["q"] == "0.0" {
				continue
			}
			if mt == want || wild && (mt == "*/*" || strings.HasSuffix(mt, "/*") && strings.HasPrefix(want, strings.TrimSuffix(mt, "*"))) {
				return true
			}
		}
	}
	return false
}
