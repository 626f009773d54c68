package layer

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"
)

// FaultyImage is an image whose file cannot be read while broken is set.
func FaultyImage(content []byte, broken *atomic.Bool) (*Image, error) {
	i, err := ImageOf(bytes.NewReader(content), int64(len(content)))
	if err == nil {
		i.data = faulty{bytes.NewReader(content), broken}
	}
	return i, err
}

type faulty struct {
	io.ReaderAt
	broken *atomic.Bool
}

func (f faulty) ReadAt(p []byte, offset int64) (int, error) {
	if f.broken.Load() {
		return 0, errors.New("the disk is broken")
	}
	return f.ReaderAt.ReadAt(p, offset)
}
