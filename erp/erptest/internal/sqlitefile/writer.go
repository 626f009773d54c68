package sqlitefile

import (
	"encoding/binary"
	"fmt"
	"slices"
)

const (
	pageSize   = 4096
	headerSize = 100 // of the file, on the first page

	tableInterior = 5
	tableLeaf     = 13
	indexInterior = 2
	indexLeaf     = 10
)

// Writer collects a database. Its methods belong to one goroutine.
type Writer struct {
	buf    []byte   // all pages
	schema [][]byte // records, in the file's form
	err    error    // the first one
}

// New begins a database that will have about so many bytes; more are no error.
func New(size int) *Writer {
	w := &Writer{buf: make([]byte, 0, size)}
	w.page() // the schema's root
	return w
}

func (w *Writer) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// page adds an empty page and answers its number, from 1.
func (w *Writer) page() uint32 {
	if len(w.buf)+pageSize > cap(w.buf) {
		w.buf = slices.Grow(w.buf, 1<<20+len(w.buf)/2)
	}
	w.buf = w.buf[:len(w.buf)+pageSize] // what was grown is zero
	return uint32(len(w.buf) / pageSize)
}

// at is the content of a page.
func (w *Writer) at(n uint32) []byte { return w.buf[(int(n)-1)*pageSize:][:pageSize] }

// add puts an object into the schema.
func (w *Writer) add(kind, name, table string, root uint32, sql any) {
	data, err := encode(nil, []any{kind, name, table, int64(root), sql})
	if err != nil {
		w.fail("%s %s: %v", kind, name, err)
	}
	w.schema = append(w.schema, data)
}

// View adds a view by the statement that creates it.
func (w *Writer) View(name, sql string) { w.add("view", name, name, 0, sql) }

// Bytes ends the database. The result belongs to the caller.
func (w *Writer) Bytes() ([]byte, error) {
	w.tree(len(w.schema), func(i int) (int64, []byte) { return int64(i + 1), w.schema[i] }, 1)
	if w.err != nil {
		return nil, w.err
	}
	h := w.buf
	copy(h, "SQLite format 3\x00")
	binary.BigEndian.PutUint16(h[16:], pageSize)
	h[18], h[19] = 1, 1                   // written and read with a rollback journal
	h[21], h[22], h[23] = 64, 32, 32      // fixed by the format
	binary.BigEndian.PutUint32(h[24:], 1) // changes
	binary.BigEndian.PutUint32(h[28:], uint32(len(w.buf)/pageSize))
	binary.BigEndian.PutUint32(h[40:], 1) // version of the schema
	binary.BigEndian.PutUint32(h[44:], 4) // form of the schema
	binary.BigEndian.PutUint32(h[56:], 1) // UTF-8
	binary.BigEndian.PutUint32(h[92:], 1) // the page count belongs to this number of changes
	binary.BigEndian.PutUint32(h[96:], 3_045_000)
	return slices.Clip(w.buf), nil
}

// builder fills one page with cells.
type builder struct {
	kind byte
	free int // bytes left
	page [pageSize]byte
	ends []int // where cells begin, from the end of the page on
}

func newBuilder(kind byte) *builder {
	b := &builder{kind: kind}
	b.reset(0)
	return b
}

// reset begins a page, which is the given one or, for 0, not the first.
func (b *builder) reset(root uint32) {
	b.ends, b.free = b.ends[:0], pageSize-8
	if b.kind == tableInterior || b.kind == indexInterior {
		b.free -= 4
	}
	if root == 1 {
		b.free -= headerSize
	}
}

// end is where the last cell begins.
func (b *builder) end() int {
	if len(b.ends) == 0 {
		return pageSize
	}
	return b.ends[len(b.ends)-1]
}

// put adds a cell, which it copies, and tells whether there was room for it.
func (b *builder) put(cell []byte) bool {
	if len(cell)+2 > b.free {
		return false
	}
	at := b.end() - len(cell)
	copy(b.page[at:], cell)
	b.ends = append(b.ends, at)
	b.free -= len(cell) + 2
	return true
}

// pop takes the last cell away.
func (b *builder) pop() []byte {
	at := b.end()
	b.ends = b.ends[:len(b.ends)-1]
	cell := slices.Clone(b.page[at:b.end()])
	b.free += len(cell) + 2
	return cell
}

// write puts the cells onto a page; right is the last child of an inner one.
func (w *Writer) write(n uint32, b *builder, right uint32) {
	p := w.at(n)
	h := p
	if n == 1 {
		h = p[headerSize:]
	}
	h[0] = b.kind
	binary.BigEndian.PutUint16(h[3:], uint16(len(b.ends)))
	binary.BigEndian.PutUint16(h[5:], uint16(b.end()))
	pointers := h[8:]
	if right != 0 {
		binary.BigEndian.PutUint32(h[8:], right)
		pointers = h[12:]
	}
	for i, at := range b.ends {
		binary.BigEndian.PutUint16(pointers[2*i:], uint16(at))
	}
	copy(p[b.end():], b.page[b.end():])
}

// payload appends a record to a cell: what has room on the page, the rest on pages
// of its own.
func (w *Writer) payload(cell, data []byte, most int) []byte {
	if len(data) <= most {
		return append(cell, data...)
	}
	least := (pageSize-12)*32/255 - 23
	local := least + (len(data)-least)%(pageSize-4)
	if local > most {
		local = least
	}
	cell = append(cell, data[:local]...)
	data = data[local:]
	next := w.page()
	cell = binary.BigEndian.AppendUint32(cell, next)
	for {
		n := min(len(data), pageSize-4)
		copy(w.at(next)[4:], data[:n])
		data = data[n:]
		if len(data) == 0 {
			return cell
		}
		this := next
		next = w.page()
		binary.BigEndian.PutUint32(w.at(this), next)
	}
}
