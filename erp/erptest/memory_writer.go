package erptest

import (
	"bytes"
	"cmp"
	"maps"
	"net/http"
)

// memoryWriter keeps a response instead of sending it.
type memoryWriter struct {
	header http.Header
	status int // 0 until something was written
	body   bytes.Buffer
}

func newMemoryWriter() *memoryWriter { return &memoryWriter{header: http.Header{}} }

func (w *memoryWriter) Header() http.Header { return w.header }

func (w *memoryWriter) WriteHeader(status int) {
	w.status = cmp.Or(w.status, status)
}

func (w *memoryWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

// WriteString writes text as part of the body.
func (w *memoryWriter) WriteString(text string) (int, error) { return w.Write([]byte(text)) }

// sendHeader copies status and headers to a real response.
func (w *memoryWriter) sendHeader(to http.ResponseWriter) {
	maps.Copy(to.Header(), w.header)
	if w.status != 0 {
		to.WriteHeader(w.status)
	}
}
