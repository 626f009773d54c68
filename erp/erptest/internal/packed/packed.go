// Package packed keeps the content of a file compressed in pieces, so that any of
// them is read without the others. A program carries such a file with it, and nothing
// is unpacked that nobody reads.
package packed

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

// pieceSize is how many bytes of the content are compressed together. Larger pieces
// save little space: 64 KiB take 3 % more than the whole at once.
const pieceSize = 64 << 10

// magic begins a packed file. Behind it are the size of the content (8 bytes), the
// sizes of the compressed pieces (4 bytes each), and the pieces.
const magic = "packed1\n"

const headerSize = len(magic) + 8

// Pack compresses content. The same content gives the same bytes.
func Pack(content []byte) ([]byte, error) {
	header := binary.BigEndian.AppendUint64([]byte(magic), uint64(len(content)))
	var pieces bytes.Buffer
	w, err := flate.NewWriter(nil, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	for len(content) > 0 {
		n := min(len(content), pieceSize)
		before := pieces.Len()
		w.Reset(&pieces)
		if _, err := w.Write(content[:n]); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
		header = binary.BigEndian.AppendUint32(header, uint32(pieces.Len()-before))
		content = content[n:]
	}
	return append(header, pieces.Bytes()...), nil
}

// File is the content of a packed file. Pieces are unpacked when they are first read,
// and kept. It is safe for concurrent use.
type File struct {
	size   int64
	pieces []piece
}

type piece struct {
	packed string
	once   sync.Once
	plain  []byte
	err    error
}

// Open opens a packed file, which must not be changed.
func Open(content string) (*File, error) {
	if !strings.HasPrefix(content, magic) || len(content) < headerSize {
		return nil, errors.New("it is no packed file")
	}
	f := &File{size: int64(binary.BigEndian.Uint64([]byte(content[len(magic):headerSize])))}
	sizes := content[headerSize:]
	if f.size < 0 || f.size > int64(len(sizes)/4)*pieceSize {
		return nil, errors.New("the packed file is cut short")
	}
	count := (f.size + pieceSize - 1) / pieceSize
	sizes, rest := sizes[:4*count], sizes[4*count:]
	f.pieces = make([]piece, count)
	for i := range f.pieces {
		n := int64(binary.BigEndian.Uint32([]byte(sizes[4*i : 4*i+4])))
		if n > int64(len(rest)) {
			return nil, errors.New("the packed file is cut short")
		}
		f.pieces[i].packed, rest = rest[:n], rest[n:]
	}
	return f, nil
}

// Size is the size of the content.
func (f *File) Size() int64 { return f.size }

// ReadAt implements [io.ReaderAt].
func (f *File) ReadAt(p []byte, offset int64) (n int, err error) {
	if offset < 0 {
		return 0, errors.New("reading a packed file: the offset is negative")
	}
	for n < len(p) && offset < f.size {
		i := offset / pieceSize
		plain, err := f.pieces[i].unpack(min(pieceSize, f.size-i*pieceSize))
		if err != nil {
			return n, fmt.Errorf("reading a packed file: piece %d: %w", i, err)
		}
		read := copy(p[n:], plain[offset-i*pieceSize:])
		n, offset = n+read, offset+int64(read)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (p *piece) unpack(size int64) ([]byte, error) {
	p.once.Do(func() {
		r := flate.NewReader(strings.NewReader(p.packed))
		p.plain = make([]byte, size)
		if _, p.err = io.ReadFull(r, p.plain); p.err == nil {
			p.err = r.Close()
		}
		p.packed = ""
	})
	return p.plain, p.err
}
