package run

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"slices"
)

// Reader runs a statement of our own and returns its cells as text.
type Reader func(ctx context.Context, query string) ([]Cells, error)

// Cells are the values of a row.
type Cells []sql.NullString

// Fingerprint is what a policy was made of: statements, and a digest of what
// they returned.
type Fingerprint struct {
	Queries []string // as they were added

	sums [][sha256.Size]byte
}

// Add notes a statement with its result.
func (f *Fingerprint) Add(query string, rows []Cells) {
	f.Queries = append(f.Queries, query)
	f.sums = append(f.sums, digest(rows))
}

// Same compares the result of the i-th statement. The order of rows does not
// count.
func (f *Fingerprint) Same(i int, rows []Cells) bool { return digest(rows) == f.sums[i] }

// Check runs the statements again. The error is ErrPermissionsChanged when one of
// them returns something else. A nil fingerprint is of nothing.
func (f *Fingerprint) Check(ctx context.Context, read Reader) error {
	if f == nil {
		return nil
	}
	for i, q := range f.Queries {
		rows, err := read(ctx, q)
		if err != nil {
			return err
		}
		if !f.Same(i, rows) {
			return ErrPermissionsChanged
		}
	}
	return nil
}

// digest does not depend on the order of the rows.
func digest(rows []Cells) [sha256.Size]byte {
	each := make([]string, 0, len(rows))
	var buf []byte
	for _, row := range rows {
		buf = buf[:0]
		for _, c := range row {
			if !c.Valid {
				buf = append(buf, 0)
				continue
			}
			buf = append(buf, 1)
			buf = binary.AppendUvarint(buf, uint64(len(c.String)))
			buf = append(buf, c.String...)
		}
		each = append(each, string(buf))
	}
	slices.Sort(each)
	h := sha256.New()
	for _, e := range each {
		h.Write(binary.AppendUvarint(nil, uint64(len(e))))
		h.Write([]byte(e))
	}
	return [sha256.Size]byte(h.Sum(nil))
}
