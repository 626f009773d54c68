package registry

import (
	"encoding/binary"
	"hash/crc32"
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
	copy(out, snapshotMagic)
	binary.LittleEndian.PutUint32(out[8:], layout(kinds))
	binary.LittleEndian.PutUint32(out[12:], crc32.Checksum(payload, castagnoli))
	binary.LittleEndian.PutUint64(out[16:], uint64(len(payload)))
	return out
}

func appendRows(out []byte, k rowKind, c *content, texts *textNumbers) []byte {
	columns := k.source().Columns
	values := make([]SourceValue, len(columns))
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
