package apiclient

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync"
)

const (
	// firstBuffer bounds how much is set aside because of a Content-Length alone.
	firstBuffer = 8 << 20
	// maxRefusal bounds what is read of a 401.
	maxRefusal = 64 << 10
	// maxDiscard bounds what is read so that a connection can be used again.
	maxDiscard = 4 << 10
	// maxScratch bounds a buffer that is used again.
	maxScratch = 1 << 20
)

// readBody reads a response of bounded size and closes it. After an error it
// returns what came.
func readBody(resp *http.Response, limit int64) ([]byte, error) {
	defer resp.Body.Close()
	if resp.Request != nil && resp.Request.Method == http.MethodHead {
		return nil, nil // its Content-Length is that of a GET
	}
	if resp.ContentLength > limit {
		return nil, &BodyError{Limit: limit}
	}
	if size := resp.ContentLength; size >= 0 && size <= firstBuffer {
		data := make([]byte, size)
		n, err := io.ReadFull(resp.Body, data)
		if size > 0 && err != nil {
			return data[:n], breaksOff(n, err)
		}
		return data, nil
	}
	return readUnknown(resp.Body, limit)
}

// scratch are buffers for bodies whose size is not known before: one grows several
// times over, and what is kept of a small body is a copy of the right size.
var scratch = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func readUnknown(body io.Reader, limit int64) ([]byte, error) {
	buf := scratch.Get().(*bytes.Buffer)
	buf.Reset()
	_, err := buf.ReadFrom(io.LimitReader(body, limit+1))
	data := buf.Bytes()
	if buf.Cap() <= maxScratch {
		data = bytes.Clone(data)
		scratch.Put(buf)
	}
	switch {
	case int64(len(data)) > limit:
		return data[:limit], &BodyError{Limit: limit}
	case err != nil:
		return data, breaksOff(len(data), err)
	}
	return data, nil
}

func breaksOff(n int, err error) error {
	if errors.Is(err, ErrTimeout) {
		return err
	}
	return &BodyError{Read: n, Err: err}
}

// discard closes a response that nobody reads, after the little that lets its
// connection be used again.
func discard(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, maxDiscard)
	resp.Body.Close()
}
