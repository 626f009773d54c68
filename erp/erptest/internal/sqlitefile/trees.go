package sqlitefile

import (
	"encoding/binary"
	"slices"
)

// child is a page of a table's tree and the highest number below it.
type child struct {
	page uint32
	last int64
}

// tree writes the n rows of a table, whose numbers grow, as a tree with the given
// root, or a new one for 0. It returns the root. A record is used before the next
// one is asked for.
func (w *Writer) tree(n int, row func(i int) (rowid int64, data []byte), root uint32) uint32 {
	var level []child
	leaf := newBuilder(tableLeaf)
	if root != 0 && w.fitsOne(n, row, root) {
		leaf.reset(root)
	}
	var cell []byte
	last := int64(-1 << 63)
	for i := range n {
		rowid, data := row(i)
		if i > 0 && rowid <= last {
			w.fail("row %d comes after row %d", rowid, last)
			return 0
		}
		cell = appendVarint(cell[:0], uint64(len(data)))
		cell = appendVarint(cell, uint64(rowid))
		cell = w.payload(cell, data, mostLocal)
		if !leaf.put(cell) {
			at := w.page()
			w.write(at, leaf, 0)
			level = append(level, child{at, last})
			leaf.reset(0)
			leaf.put(cell)
		}
		last = rowid
	}
	if len(level) == 0 && (root == 0 || w.fitsOne(n, row, root)) {
		if root == 0 {
			root = w.page()
		}
		w.write(root, leaf, 0)
		return root
	}
	at := w.page()
	w.write(at, leaf, 0)
	return w.above(append(level, child{at, last}), root)
}

// mostLocal is how many bytes of a record a table's leaf holds.
const mostLocal = pageSize - 35

// fitsOne tells whether all rows have room on the root itself.
func (w *Writer) fitsOne(n int, row func(i int) (int64, []byte), root uint32) bool {
	b := newBuilder(tableLeaf)
	b.reset(root)
	for i := range n {
		rowid, data := row(i)
		if len(data) > mostLocal {
			return false
		}
		cell := appendVarint(appendVarint(nil, uint64(len(data))), uint64(rowid))
		if !b.put(append(cell, data...)) {
			return false
		}
	}
	return true
}

// above writes the inner pages over a level of a table's tree and returns the root.
func (w *Writer) above(level []child, root uint32) uint32 {
	b := newBuilder(tableInterior)
	for {
		b.reset(root)
		top := true
		for _, c := range level[:len(level)-1] {
			if top = b.put(tableCell(c)); !top {
				break
			}
		}
		if top {
			if root == 0 {
				root = w.page()
			}
			w.write(root, b, level[len(level)-1].page)
			return root
		}
		var next []child
		for len(level) > 0 {
			b.reset(0)
			n := 0
			for n < len(level)-1 && b.put(tableCell(level[n])) {
				n++
			}
			if len(level)-n == 2 { // the page after this one would have a single child
				n--
				b.pop()
			}
			at := w.page()
			w.write(at, b, level[n].page)
			next = append(next, child{at, level[n].last})
			level = level[n+1:]
		}
		level = next
	}
}

func tableCell(c child) []byte {
	return appendVarint(binary.BigEndian.AppendUint32(nil, c.page), uint64(c.last))
}

// indexTree writes the n entries of an index, which are in their order, and returns
// the root. An entry that is on an inner page is on no leaf.
func (w *Writer) indexTree(n int, entry func(i int) []byte) uint32 {
	const most = (pageSize-12)*64/255 - 23
	var pages []uint32
	var between [][]byte // cells that go between pages, one less than pages
	leaf := newBuilder(indexLeaf)
	var cell []byte
	for i := range n {
		data := entry(i)
		cell = w.payload(appendVarint(cell[:0], uint64(len(data))), data, most)
		if leaf.put(cell) {
			continue
		}
		isLast := i == n-1 // it must not be left between a page and none
		if isLast {
			between = append(between, leaf.pop())
		} else {
			between = append(between, slices.Clone(cell))
		}
		at := w.page()
		w.write(at, leaf, 0)
		pages = append(pages, at)
		leaf.reset(0)
		if isLast {
			leaf.put(cell)
		}
	}
	at := w.page()
	w.write(at, leaf, 0)
	pages = append(pages, at)
	b := newBuilder(indexInterior)
	for len(pages) > 1 {
		var nextPages []uint32
		var nextBetween [][]byte
		for len(pages) > 0 {
			b.reset(0)
			n := 0
			for n < len(pages)-1 && b.put(append(binary.BigEndian.AppendUint32(nil, pages[n]), between[n]...)) {
				n++
			}
			if len(pages)-n == 2 {
				n--
				b.pop()
			}
			at := w.page()
			w.write(at, b, pages[n])
			nextPages = append(nextPages, at)
			if n < len(pages)-1 {
				nextBetween = append(nextBetween, between[n])
				between = between[n+1:]
			}
			pages = pages[n+1:]
		}
		pages, between = nextPages, nextBetween
	}
	return pages[0]
}
