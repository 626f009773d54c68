package registry

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"io"
	"os"

	"github.com/erphub/erphub/internal/atomicfile"
)

// A snapshot is a catalog in a file: a header, then the payload.
//
//	8 bytes  magic
//	4 bytes  which columns it has (layout)
//	4 bytes  CRC-32C of the payload
//	8 bytes  length of the payload
//
// The payload holds origin, stamps and numbers of rows, then each text once,
// then the rows: texts by number, numbers as varints, times as the difference to
// that of the row before, flags of a row as bits.
// It is not compressed, because reading it is what takes time at a start.
const (
	// snapshotVersion is the number of the format, the last byte of the magic. A
	// snapshot is a copy: one of another number is read from the ERP again.
	snapshotVersion = 1
	snapshotMagic   = "ERPDICT"
	snapshotHeader  = 24
	// maxSnapshot bounds what is read into memory; a real one has 6 MB.
	maxSnapshot = 512 << 20
)

// errSnapshot is in the error of a snapshot that cannot be used.
var errSnapshot = errors.New("not a usable snapshot")

var castagnoli = crc32.MakeTable(crc32.Castagnoli) // read only

// magic begins a snapshot.
func magic() string { return snapshotMagic + string(rune('0'+snapshotVersion)) }

// layout sums up which columns rows have. It changes with them, so that a
// snapshot of another version is not misread.
func layout(kinds []rowKind) uint32 {
	h := fnv.New32a()
	for _, k := range kinds {
		t := k.source()
		fmt.Fprintf(h, "%s\n", t.Name)
		for _, c := range t.Columns {
			fmt.Fprintf(h, "%s %d\n", c.Name, c.Type)
		}
	}
	return h.Sum32()
}

// saveSnapshot replaces the file at path by one of the catalog.
func saveSnapshot(path string, c *Catalog) error {
	return atomicfile.Write(path, encodeSnapshot(c), 0o600)
}

// loadSnapshot reads the file at path. It was last found to be right at its
// time of change.
func loadSnapshot(path, origin string) (*Catalog, error) {
	c, err := readSnapshot(path, origin)
	if err != nil {
		return nil, fmt.Errorf("read the dictionary snapshot %s: %w", path, err)
	}
	return c, nil
}

func readSnapshot(path, origin string) (*Catalog, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > maxSnapshot {
		return nil, fmt.Errorf("%w: it is not a regular file of at most %d MiB", errSnapshot, maxSnapshot>>20)
	}
	data := make([]byte, st.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, err
	}
	payload, err := checkSnapshot(data)
	if err != nil {
		return nil, err
	}
	return decodeSnapshot(payload, origin, st.ModTime())
}

// checkSnapshot checks the header and returns the payload.
func checkSnapshot(data []byte) ([]byte, error) {
	if len(data) < snapshotHeader || string(data[:8]) != magic() {
		return nil, fmt.Errorf("%w: it has another format", errSnapshot)
	}
	if binary.LittleEndian.Uint32(data[8:]) != layout(rowKinds()) {
		return nil, fmt.Errorf("%w: it was written by another version", errSnapshot)
	}
	payload := data[snapshotHeader:]
	if uint64(len(payload)) != binary.LittleEndian.Uint64(data[16:]) {
		return nil, fmt.Errorf("%w: it is %d bytes long instead of %d", errSnapshot, len(data),
			binary.LittleEndian.Uint64(data[16:])+snapshotHeader)
	}
	if crc32.Checksum(payload, castagnoli) != binary.LittleEndian.Uint32(data[12:]) {
		return nil, fmt.Errorf("%w: its checksum is wrong", errSnapshot)
	}
	return payload, nil
}
