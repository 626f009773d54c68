// Package jsonbody writes JSON request bodies that carry files, without holding
// the file in memory.
package jsonbody

import (
	"encoding/base64"
	"fmt"
	"io"
	"strings"
)

// chunk is read from the file at once; a multiple of 3, so that the pieces of
// base64 fit together.
const chunk = 3 * 16 << 10

// Base64 is a JSON text around a file in base64.
type Base64 struct {
	Head, Tail string
	Data       io.ReaderAt
	Size       int64
}

// Length returns the number of bytes Open will give.
func (b Base64) Length() int64 {
	return int64(len(b.Head)) + (b.Size+2)/3*4 + int64(len(b.Tail))
}

// Open starts reading from the beginning. Several readers may be open at once.
func (b Base64) Open() (io.ReadCloser, error) {
	return io.NopCloser(io.MultiReader(
		strings.NewReader(b.Head),
		&encoder{data: b.Data, size: b.Size},
		strings.NewReader(b.Tail),
	)), nil
}

// encoder reads a file as base64.
type encoder struct {
	data   io.ReaderAt
	size   int64
	offset int64
	in     []byte
	out    []byte
	ready  []byte // the part of out not handed over yet
}

func (e *encoder) Read(p []byte) (int, error) {
	if len(e.ready) == 0 {
		if err := e.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, e.ready)
	e.ready = e.ready[n:]
	return n, nil
}

func (e *encoder) fill() error {
	left := e.size - e.offset
	if left <= 0 {
		return io.EOF
	}
	if e.in == nil {
		e.in = make([]byte, min(chunk, left))
		e.out = make([]byte, base64.StdEncoding.EncodedLen(len(e.in)))
	}
	piece := e.in[:min(int64(len(e.in)), left)]
	n, err := e.data.ReadAt(piece, e.offset)
	if n < len(piece) {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("the file has fewer bytes than the %d announced: %w", e.size, err)
	}
	e.offset += int64(n)
	e.ready = e.out[:base64.StdEncoding.EncodedLen(n)]
	base64.StdEncoding.Encode(e.ready, piece)
	return nil
}
