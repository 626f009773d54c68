package contracttest

import (
	"io"
	"net/http"
)

// maxBody is the size up to which JSON bodies are kept for checking.
const maxBody = 16 << 20

// capture counts the bytes of a body and keeps them up to maxBody if asked to.
type capture struct {
	keep     bool
	complete bool // the end was seen
	size     int64
	data     []byte
}

func (c *capture) add(p []byte) {
	c.size += int64(len(p))
	if c.keep && c.size <= maxBody {
		c.data = append(c.data, p...)
	}
}

// usable reports whether the whole body is there and is JSON.
func (c *capture) usable(h http.Header) bool {
	return c.keep && c.complete && c.size > 0 && c.size <= maxBody && isJSON(h)
}

// bodyReader captures what is read through it.
type bodyReader struct {
	io.ReadCloser
	capture *capture
}

func (b bodyReader) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.capture.add(p[:n])
	b.capture.complete = b.capture.complete || err == io.EOF
	return n, err
}

// rest reads what the server left of a body that is kept.
func (b bodyReader) rest() {
	if b.capture.keep && !b.capture.complete {
		_, _ = io.Copy(io.Discard, io.LimitReader(b, maxBody))
	}
}

// responseWriter captures what is written through it. Unwrap keeps flushing and the
// other abilities of the wrapped writer reachable.
type responseWriter struct {
	http.ResponseWriter
	capture *capture
	status  int
	header  http.Header // as sent
}

func (w *responseWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *responseWriter) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status, w.header = status, w.Header().Clone()
		w.capture.keep = isJSON(w.header)
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *responseWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	n, err := w.ResponseWriter.Write(p)
	w.capture.add(p[:n])
	return n, err
}

// Flush sends what was written so far, if the wrapped writer can.
func (w *responseWriter) Flush() {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}
