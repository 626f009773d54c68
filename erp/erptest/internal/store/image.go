package store

import (
	"context"
	"io"

	"github.com/erphub/erphub/erp/erptest/internal/layer"
)

// Image is a database file that any number of stores in memory begin with. It is
// never written: each of them holds what it changed. It is safe for concurrent use.
type Image struct {
	layer  *layer.Image
	absent *absentTables
}

// OpenImage opens a database file as an image. Nobody may write to it before Close;
// when it is watched, nothing can be read any more after somebody has.
func OpenImage(path string, watched bool) (*Image, error) {
	l, err := layer.OpenImage(path, watched)
	if err != nil {
		return nil, err
	}
	return &Image{layer: l}, nil
}

// ImageOf is the image with the content of a database file, which must not be changed.
func ImageOf(content io.ReaderAt, size int64) (*Image, error) {
	l, err := layer.ImageOf(content, size)
	if err != nil {
		return nil, err
	}
	return &Image{layer: l}, nil
}

// CopyTo writes the content of the file; see [Options.Of] for opening the copy.
func (i *Image) CopyTo(w io.Writer) error { return i.layer.CopyTo(w) }

// Close closes the file. The stores must have been closed.
func (i *Image) Close() error { return i.layer.Close() }

// Open opens a store in memory that begins with what the image has, and ends with
// Close. Of the options it takes Cache.
func (i *Image) Open(ctx context.Context, opts Options) (*Store, error) {
	l := layer.New(i.layer)
	s, err := open(ctx, &Store{layer: l, uri: l.URI(), absent: i.absent}, opts)
	if err != nil {
		l.Close()
		return nil, err
	}
	return s, nil
}
