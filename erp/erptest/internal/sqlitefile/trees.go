package sqlitefile

import "encoding/binary"

// tree writes the rows of a table, which are in the order of their numbers, as a
// tree with the given root, or a new one for 0. It answers the root.
func (w *Writer) tree(rows []record, root uint32) uint32 {
	type child struct {
		page uint32
		last int64 // the highest number below it
	}
	var level []child
	leaf := newBuilder(tableLeaf, root)
	cells := make([][]byte, len(rows))
	fits := true
	for i, r := range rows {
		if i > 0 && r.rowid <= rows[i-1].rowid {
			w.fail("row %d comes after row %d", r.rowid, rows[i-1].rowid)
			return 0
		}
		cell := appendVarint(nil, uint64(len(r.data)))
		cell = appendVarint(cell, uint64(r.rowid))
		cells[i] = w.payload(cell, r.data, pageSize-35)
		fits = fits && leaf.put(cells[i])
	}
	if fits {
		if root == 0 {
			root = w.page()
		}
		w.write(root, leaf, 0)
		return root
	}
	leaf = newBuilder(tableLeaf, 0)
	flush := func(last int64) {
		n := w.page()
		w.write(n, leaf, 0)
		level = append(level, child{n, last})
		leaf = newBuilder(tableLeaf, 0)
	}
	for i, cell := range cells {
		if !leaf.put(cell) {
			flush(rows[i-1].rowid)
			leaf.put(cell)
		}
	}
	flush(rows[len(rows)-1].rowid)
	for {
		top := newBuilder(tableInterior, root)
		for _, c := range level[:len(level)-1] {
			if top == nil || !top.put(tableCell(c.page, c.last)) {
				top = nil
			}
		}
		if top != nil {
			if root == 0 {
				root = w.page()
			}
			w.write(root, top, level[len(level)-1].page)
			return root
		}
		var next []child
		for len(level) > 0 {
			b := newBuilder(tableInterior, 0)
			n := 0
			for n < len(level)-1 && b.put(tableCell(level[n].page, level[n].last)) {
				n++
			}
			if len(level)-n == 2 { // the page after this one would have a single child
				n--
				b.cells = b.cells[:n]
			}
			at := w.page()
			w.write(at, b, level[n].page)
			next = append(next, child{at, level[n].last})
			level = level[n+1:]
		}
		level = next
	}
}

func tableCell(page uint32, last int64) []byte {
	return appendVarint(binary.BigEndian.AppendUint32(nil, page), uint64(last))
}

// indexTree writes the entries of an index, which are in their order, and answers
// the root. An entry that is on an inner page is on no leaf.
func (w *Writer) indexTree(entries [][]byte) uint32 {
	const most = (pageSize-12)*64/255 - 23
	cell := func(data []byte) []byte {
		return w.payload(appendVarint(nil, uint64(len(data))), data, most)
	}
	var pages []uint32
	var between [][]byte // cells that go between pages, one less than pages
	leaf := newBuilder(indexLeaf, 0)
	for i, e := range entries {
		c := cell(e)
		if leaf.put(c) {
			continue
		}
		if i == len(entries)-1 { // the last one must not be left between a page and none
			last := leaf.cells[len(leaf.cells)-1]
			leaf.cells = leaf.cells[:len(leaf.cells)-1]
			between = append(between, last)
		} else {
			between = append(between, c)
			c = nil
		}
		n := w.page()
		w.write(n, leaf, 0)
		pages = append(pages, n)
		leaf = newBuilder(indexLeaf, 0)
		if c != nil {
			leaf.put(c)
		}
	}
	n := w.page()
	w.write(n, leaf, 0)
	pages = append(pages, n)
	for len(pages) > 1 {
		var nextPages []uint32
		var nextBetween [][]byte
		for len(pages) > 0 {
			b := newBuilder(indexInterior, 0)
			n := 0
			for n < len(pages)-1 && b.put(append(binary.BigEndian.AppendUint32(nil, pages[n]), between[n]...)) {
				n++
			}
			if len(pages)-n == 2 {
				n--
				b.cells = b.cells[:n]
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
