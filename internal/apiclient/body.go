package apiclient

import (
	"bytes"
	"errors"
	"io"
	"net/http"
)

const (
	// firstBuffer bounds how much is set aside because of a Content-Length alone.
	firstBuffer = 8 << 20
	// maxRefusal bounds what is read of a 401.
	maxRefusal = 64 << 10
	// maxDiscard bounds what is read so that a connection can be used again.
	maxDiscard = 4 << 10
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
	var buf bytes.Buffer
	if resp.ContentLength > 0 {
		buf.Grow(firstBuffer)
	}
	_, err := buf.ReadFrom(io.LimitReader(resp.Body, limit+1))
	switch {
	case int64(buf.Len()) > limit:
		return buf.Bytes()[:limit], &BodyError{Limit: limit}
	case err != nil:
		return buf.Bytes(), breaksOff(buf.Len(), err)
	}
	return buf.Bytes(), nil
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
