package registry

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"time"

	"github.com/erphub/erphub/internal/text"
)

// encodeSnapshot is the file of a catalog.
func encodeSnapshot(c *Catalog) []byte {
	kinds := rowKinds()
	texts := &textNumbers{numbers: map[string]uint64{"": 0}, all: []string{""}}
	var rows []byte
	for _, k := range kinds {
		rows = appendRows(rows, k, &c.content, texts)
	}

	out := make([]byte, snapshotHeader, snapshotHeader+len(rows)+texts.size+8*len(texts.all)+4096)
	out = appendText(out, c.origin)
	out = binary.AppendUvarint(out, uint64(len(kinds)))
	for i, k := range kinds {
		s := c.stamps[i]
		out = binary.AppendUvarint(out, uint64(s.Rows))
		out = appendText(out, s.Mark)
		whole := time.Time{}
		if len(c.whole) > 0 {
			whole = c.whole[i]
		}
		out = binary.AppendVarint(out, whole.Unix())
		out = binary.AppendUvarint(out, bit(s.Unsettled, 0)|bit(s.Missing, 1))
		out = binary.AppendUvarint(out, uint64(k.count(&c.content)))
	}
	out = binary.AppendUvarint(out, uint64(len(texts.all)))
	for _, text := range texts.all {
		out = binary.AppendUvarint(out, uint64(len(text)))
	}
	for _, text := range texts.all {
		out = append(out, text...)
	}
	out = append(out, rows...)

	payload := out[snapshotHeader:]
	copy(out, magic())
	binary.LittleEndian.PutUint32(out[8:], layout(kinds))
	binary.LittleEndian.PutUint32(out[12:], crc32.Checksum(payload, castagnoli))
	binary.LittleEndian.PutUint64(out[16:], uint64(len(payload)))
	return out
}

func appendRows(out []byte, k rowKind, c *content, texts *textNumbers) []byte {
	columns := k.source().Columns
	values := make([]SourceValue, len(columns))
	last := int64(0)
	for i := range k.count(c) {
		k.values(c, i, values)
		flags, n := uint64(0), 0
		for j := range columns {
			switch columns[j].Type {
			case SourceText:
				out = binary.AppendUvarint(out, texts.number(values[j].Text))
			case SourceInt:
				out = binary.AppendVarint(out, values[j].Int)
			case SourceFlag:
				flags |= bit(values[j].Int == 1, n)
				n++
			case SourceTime:
				out = binary.AppendVarint(out, values[j].Int-last)
				last = values[j].Int
			}
		}
		out = binary.AppendUvarint(out, flags)
	}
	return out
}

func appendText(out []byte, text string) []byte {
	return append(binary.AppendUvarint(out, uint64(len(text))), text...)
}

func bit(set bool, n int) uint64 {
	if set {
		return 1 << n
	}
	return 0
}

// textNumbers gives each text a number.
type textNumbers struct {
	numbers map[string]uint64
	all     []string
	size    int
}

func (t *textNumbers) number(text string) uint64 {
	n, ok := t.numbers[text]
	if !ok {
		n = uint64(len(t.all))
		t.numbers[text] = n
		t.all = append(t.all, text)
		t.size += len(text)
	}
	return n
}

// decodeSnapshot reads a payload that passed checkSnapshot. It trusts nothing
// all the same: numbers are checked before memory is taken for them.
func decodeSnapshot(payload []byte, origin string, confirmed time.Time) (*Catalog, error) {
	d := &snapshotReader{data: payload}
	if own := string(d.bytes()); d.bad == "" && own != origin {
		return nil, fmt.Errorf("%w: it belongs to %s, not to %s", errSnapshot, text.Quote(own), text.Quote(origin))
	}
	kinds := rowKinds()
	if n := d.uvarint(); n != uint64(len(kinds)) {
		d.fail("the number of tables")
	}
	stamps, whole := make([]Stamp, len(kinds)), make([]time.Time, len(kinds))
	counts := make([]uint64, len(kinds))
	for i := range kinds {
		stamps[i].Rows = int(d.uvarint() & (1<<62 - 1))
		stamps[i].Mark = string(d.bytes())
		whole[i] = time.Unix(d.varint(), 0)
		flags := d.uvarint()
		stamps[i].Unsettled, stamps[i].Missing = flags&1 != 0, flags&2 != 0
		counts[i] = d.uvarint()
	}
	texts := d.texts()
	var c content
	for i, k := range kinds {
		d.rows(k, &c, counts[i], texts)
	}
	if d.bad == "" && len(d.data) > 0 {
		d.fail("what is behind the last row")
	}
	if d.bad != "" {
		return nil, fmt.Errorf("%w: %s makes no sense", errSnapshot, d.bad)
	}
	catalog := newCatalog(c, nil, origin, stamps, confirmed)
	catalog.whole = whole
	return catalog, nil
}

// snapshotReader takes a payload apart. After the first mistake it returns
// zeroes.
type snapshotReader struct {
	data []byte // what is left
	bad  string // the first thing that was wrong
}

func (d *snapshotReader) fail(what string) {
	if d.bad == "" {
		d.bad = what
	}
	d.data = nil
}

func (d *snapshotReader) uvarint() uint64 {
	if len(d.data) > 0 && d.data[0] < 0x80 { // nearly always
		n := uint64(d.data[0])
		d.data = d.data[1:]
		return n
	}
	n, size := binary.Uvarint(d.data)
	if size <= 0 {
		d.fail("a number")
		return 0
	}
	d.data = d.data[size:]
	return n
}

func (d *snapshotReader) varint() int64 {
	n := d.uvarint()
	return int64(n>>1) ^ -int64(n&1)
}

func (d *snapshotReader) bytes() []byte {
	n := d.uvarint()
	if n > uint64(len(d.data)) {
		d.fail("the length of a text")
		return nil
	}
	text := d.data[:n]
	d.data = d.data[n:]
	return text
}

// texts reads all texts; they share one piece of memory.
func (d *snapshotReader) texts() []string {
	n := d.uvarint()
	if n > uint64(len(d.data)) {
		d.fail("the number of texts")
		return nil
	}
	lengths := make([]uint64, n)
	total := uint64(0)
	for i := range lengths {
		lengths[i] = d.uvarint()
		if lengths[i] > maxSnapshot {
			d.fail("the length of a text")
			return nil
		}
		total += lengths[i]
	}
	if total > uint64(len(d.data)) {
		d.fail("the length of the texts")
		return nil
	}
	all := string(d.data[:total])
	d.data = d.data[total:]
	texts := make([]string, n)
	for i, length := range lengths {
		texts[i], all = all[:length], all[length:]
	}
	return texts
}

// rows reads the rows of one kind.
func (d *snapshotReader) rows(k rowKind, c *content, count uint64, texts []string) {
	columns := k.source().Columns
	least := uint64(1) // bytes of a row
	for _, column := range columns {
		if column.Type != SourceFlag {
			least++
		}
	}
	if count > uint64(len(d.data))/least {
		d.fail("the number of rows")
		return
	}
	k.reset(c, int(count))
	values := make([]SourceValue, len(columns))
	last := int64(0)
	for range count {
		for j := range columns {
			switch columns[j].Type {
			case SourceText:
				n := d.uvarint()
				if n >= uint64(len(texts)) {
					d.fail("the number of a text")
					return
				}
				values[j].Text = texts[n]
			case SourceInt:
				values[j].Int = d.varint()
			case SourceTime:
				last += d.varint()
				values[j].Int = last
			}
		}
		flags := d.uvarint()
		for j := range columns {
			if columns[j].Type == SourceFlag {
				values[j].Int = int64(flags & 1)
				flags >>= 1
			}
		}
		if d.bad != "" {
			return
		}
		k.add(c, values, keepText)
	}
}

// keepText stands in for interning: texts of a snapshot are there once already.
func keepText(s string) string { return s }
