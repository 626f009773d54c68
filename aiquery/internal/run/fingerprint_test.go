package run

import (
	"context"
	"crypto/sha256"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFingerprint(t *testing.T) {
	t.Parallel()
	cell := func(texts ...string) Cells {
		var row Cells
		for _, s := range texts {
			c := Cells{{}}[0]
			if c.Valid = s != "-"; c.Valid {
				c.String = s
			}
			row = append(row, c)
		}
		return row
	}
	sum := func(rows ...Cells) [sha256.Size]byte { return digest(rows) }
	assert.Equal(t, sum(cell("a"), cell("b")), sum(cell("b"), cell("a")), "the order of rows does not count")
	different := [][sha256.Size]byte{
		sum(), sum(cell("a")), sum(cell("a"), cell("a")), sum(cell("-")), sum(cell("")), sum(cell("a", "b")), sum(cell("b", "a")), sum(cell("ab", "")),
		sum(cell("a"), cell("b")), sum(cell("\x01a")), sum(cell("a\x01\x01b")),
	}
	for i := range different {
		for j := range i {
			assert.NotEqual(t, different[i], different[j], "%d and %d", i, j)
		}
	}
	errBroken := errors.New("broken")
	var f Fingerprint
	f.Add("SELECT 1", []Cells{cell("1")})
	read := func(rows []Cells, err error) Reader {
		return func(context.Context, string) ([]Cells, error) { return rows, err }
	}
	require.NoError(t, f.Check(t.Context(), read([]Cells{cell("1")}, nil)))
	require.ErrorIs(t, f.Check(t.Context(), read([]Cells{cell("2")}, nil)), ErrPermissionsChanged)
	require.ErrorIs(t, f.Check(t.Context(), read(nil, errBroken)), errBroken)
	require.NoError(t, (*Fingerprint)(nil).Check(t.Context(), nil))
}
