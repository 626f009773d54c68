package layer

// chunkBlocks is how many blocks a chunk has. A transaction copies the chunks that
// it writes to, not the whole list.
const chunkBlocks = 128

// chunk is a run of blocks; a missing one is as in the image.
type chunk [chunkBlocks]*block

// version is a state of a database. Once others see it, it is never changed.
type version struct {
	size   int64 // bytes
	image  int64 // bytes of the image that still count: a database that shrank and grew has zeros there
	chunks []*chunk
}

// read fills p from the database, with zeros behind its end, and reports whether all
// of p was in it.
func (v *version) read(image *Image, p []byte, offset int64) (whole bool, err error) {
	rest := p
	if end := v.size - offset; end < int64(len(rest)) {
		n := max(end, 0)
		clear(rest[n:])
		rest = rest[:n]
	}
	whole = len(rest) == len(p)
	for len(rest) > 0 {
		at := offset % blockSize
		n := min(int64(len(rest)), blockSize-at)
		if b := v.block(offset / blockSize); b != nil {
			copy(rest[:n], b[at:])
		} else if err := v.readImage(image, rest[:n], offset); err != nil {
			return false, err
		}
		rest, offset = rest[n:], offset+n
	}
	return whole, nil
}

func (v *version) readImage(image *Image, p []byte, offset int64) error {
	n := min(max(v.image-offset, 0), int64(len(p)))
	clear(p[n:])
	if n == 0 {
		return nil
	}
	return image.read(p[:n], offset)
}

// block is the block of a number, nil when it is as in the image.
func (v *version) block(number int64) *block {
	c := number / chunkBlocks
	if c >= int64(len(v.chunks)) || v.chunks[c] == nil {
		return nil
	}
	return v.chunks[c][number%chunkBlocks]
}

// draft is the version that a transaction writes.
type draft struct {
	version
	ownChunks map[int64]bool // the others belong to the version before, too
	ownBlocks map[int64]bool
}

func (v *version) draft() *draft {
	d := &draft{version: *v, ownChunks: map[int64]bool{}, ownBlocks: map[int64]bool{}}
	d.chunks = append([]*chunk(nil), v.chunks...)
	return d
}

// write puts p into the database, which grows where p ends behind its end.
func (d *draft) write(image *Image, p []byte, offset int64) error {
	for len(p) > 0 {
		at := offset % blockSize
		n := min(int64(len(p)), blockSize-at)
		b, err := d.own(image, offset/blockSize, n == blockSize)
		if err != nil {
			return err
		}
		copy(b[at:], p[:n])
		p, offset = p[n:], offset+n
	}
	d.size = max(d.size, offset)
	return nil
}

// own is the block of a number for writing; replaced says that all of it will be.
func (d *draft) own(image *Image, number int64, replaced bool) (*block, error) {
	c, at := number/chunkBlocks, number%chunkBlocks
	for int64(len(d.chunks)) <= c {
		d.chunks = append(d.chunks, nil)
	}
	if !d.ownChunks[c] {
		own := new(chunk)
		if d.chunks[c] != nil {
			*own = *d.chunks[c]
		}
		d.chunks[c], d.ownChunks[c] = own, true
	}
	old := d.chunks[c][at]
	if d.ownBlocks[number] {
		return old, nil
	}
	own := new(block)
	switch {
	case replaced:
	case old != nil:
		*own = *old
	default:
		if err := d.readImage(image, own[:], number*blockSize); err != nil {
			return nil, err
		}
	}
	d.chunks[c][at], d.ownBlocks[number] = own, true
	return own, nil
}

// truncate cuts the database off. What comes there again later begins as zeros.
func (d *draft) truncate(image *Image, size int64) error {
	d.size = min(d.size, size)
	d.image = min(d.image, size)
	first := (size + blockSize - 1) / blockSize
	for c := first / chunkBlocks; c < int64(len(d.chunks)); c++ {
		if d.chunks[c] == nil {
			continue
		}
		own := new(chunk)
		for i, b := range d.chunks[c] {
			if number := c*chunkBlocks + int64(i); number < first {
				own[i] = b
			} else {
				delete(d.ownBlocks, number)
			}
		}
		d.chunks[c], d.ownChunks[c] = own, true
	}
	if at := size % blockSize; at > 0 {
		b, err := d.own(image, size/blockSize, false)
		if err != nil {
			return err
		}
		clear(b[at:])
	}
	return nil
}
