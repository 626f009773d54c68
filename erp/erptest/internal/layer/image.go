package layer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// blockSize is the unit in which changes are kept, and the usual size of a page.
const blockSize = 4096

// block is a piece of a database.
type block [blockSize]byte

// Image is a database file that nobody writes to. It is safe for concurrent use.
type Image struct {
	data  io.ReaderAt
	size  int64
	head  *block // in place of the first block of the file, when it is another one
	close func() error
	// changed reports whether somebody wrote to the file after all; nil is never.
	changed func() bool
	absent  []*absentTable
}

// OpenImage opens a database file. Nobody may write to it before Close: the layers
// over one that somebody else could write to are watched, and cannot be read any
// more as soon as somebody has.
func OpenImage(path string, watched bool) (*Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the image of a database: %w", err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	i := &Image{data: f, close: f.Close}
	if err == nil {
		i.size = info.Size()
		err = i.prepare()
	}
	if watched {
		i.changed = func() bool {
			now, err := os.Stat(path)
			return err != nil || !os.SameFile(info, now) || now.Size() != info.Size() || !now.ModTime().Equal(info.ModTime())
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the image of a database: %w", err), f.Close())
	}
	return i, nil
}

// ImageOf is the image with the content of a database file, which must not be
// changed.
func ImageOf(content io.ReaderAt, size int64) (*Image, error) {
	i := &Image{data: content, size: size, close: func() error { return nil }}
	if err := i.prepare(); err != nil {
		return nil, fmt.Errorf("opening the image of a database: %w", err)
	}
	return i, nil
}

// Offsets in the header of a database file, and what they hold where the changes
// to the database are in a file beside it.
const (
	offsetWriting = 18
	offsetReading = 19
	inJournal     = 2
	inPlace       = 1
)

// prepare has the database read as one whose changes are in its own file, whatever
// it was written as: a layer has no files beside it.
func (i *Image) prepare() error {
	if i.size == 0 {
		return nil
	}
	var head block
	if n, err := i.data.ReadAt(head[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	} else if n < offsetReading || !bytes.HasPrefix(head[:], []byte("SQLite format 3\x00")) {
		return errors.New("it is not a database")
	}
	if head[offsetWriting] == inJournal || head[offsetReading] == inJournal {
		head[offsetWriting], head[offsetReading] = inPlace, inPlace
		i.head = &head
	}
	return nil
}

// CopyTo writes the content of the file.
func (i *Image) CopyTo(w io.Writer) error {
	_, err := io.Copy(w, io.NewSectionReader(i.data, 0, i.size))
	return err
}

// Close closes the file. The layers over it must have been closed.
func (i *Image) Close() error {
	for _, t := range i.absent {
		t.forget()
	}
	return i.close()
}

// read fills p from the file. The caller asks for nothing behind its end.
func (i *Image) read(p []byte, offset int64) error {
	if offset < blockSize && i.head != nil {
		n := copy(p, i.head[offset:])
		p, offset = p[n:], offset+int64(n)
	}
	if len(p) == 0 {
		return nil
	}
	n, err := i.data.ReadAt(p, offset)
	switch {
	case n == len(p):
		return nil
	case errors.Is(err, io.EOF):
		return fmt.Errorf("the file of the image ends at %d bytes, and had %d: %w", offset+int64(n), i.size, io.ErrUnexpectedEOF)
	}
	return err
}
