package erptest

import (
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/erphub/erphub/erp/erptest/internal/engine"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// bodyValue parses the request's body, as leniently as the ERP does.
func (c *call) bodyValue() (any, error) {
	body, err := c.body()
	if err != nil {
		return nil, err
	}
	return parseBody(body)
}

// parseBody parses a body that was read.
func parseBody(body []byte) (any, error) {
	v, err := wire.Parse(body)
	var syntax *wire.SyntaxError
	if errors.As(err, &syntax) {
		return nil, engine.PublicError("Malformed JSON: " + syntax.Error())
	}
	return v, err
}

// slowestBody is how slow a body may come, in bytes a second, once the patience
// with it is over.
const slowestBody = 64 << 10

// pacedBody is a request's body that does not come slower than it may. A caller
// who sends nothing, or a byte now and then, would hold a connection otherwise.
type pacedBody struct {
	io.ReadCloser
	conn     *http.ResponseController
	patience time.Duration
	start    time.Time
	got      int64
}

// pace bounds how long the body of r may take. What the handler leaves unread is
// bounded, too.
func (s *Server) pace(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	b := &pacedBody{ReadCloser: r.Body, conn: http.NewResponseController(w), patience: s.opts.BodyTimeout, start: time.Now()}
	b.extend()
	r.Body = b
}

// extend lets the next bytes come as late as what came before allows. Writers
// that are not connections have no deadlines.
func (b *pacedBody) extend() {
	_ = b.conn.SetReadDeadline(b.start.Add(b.patience + time.Duration(b.got)*time.Second/slowestBody))
}

func (b *pacedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.got += int64(n)
	switch {
	case errors.Is(err, io.EOF):
		_ = b.conn.SetReadDeadline(time.Time{}) // or it would end the work on the request
	case n > 0:
		b.extend()
	}
	return n, err
}
