package packed_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/internal/packed"
)

// content is text that is compressed well, and noise that is not.
func content(size int) []byte {
	r := rand.New(rand.NewPCG(1, uint64(size)))
	b := make([]byte, size)
	for i := range b {
		if i%1000 < 500 {
			b[i] = byte(r.IntN(256))
		}
	}
	return b
}

func TestAnyPartIsTheContent(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 4096, 64 << 10, 64<<10 + 1, 300_000} {
		want := content(size)
		file, err := packed.Pack(want)
		require.NoError(t, err)
		again, err := packed.Pack(want)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(file, again), "two are equal")
		f, err := packed.Open(string(file))
		require.NoError(t, err)
		require.EqualValues(t, size, f.Size())
		var readers sync.WaitGroup
		for seed := range uint64(4) {
			readers.Go(func() {
				r := rand.New(rand.NewPCG(seed, uint64(size)))
				for range 50 {
					from, n := r.Int64N(int64(size)+10), r.IntN(100_000)
					got := make([]byte, n)
					read, err := f.ReadAt(got, from)
					part := want[min(from, int64(size)):min(from+int64(n), int64(size))]
					if assert.Len(t, part, read); n > read {
						assert.ErrorIs(t, err, io.EOF)
					} else {
						assert.NoError(t, err)
					}
					assert.True(t, bytes.Equal(part, got[:read]), "%d bytes from %d", n, from)
				}
			})
		}
		readers.Wait()
	}
}

func FuzzOpen(f *testing.F) {
	file, err := packed.Pack(content(70_000))
	require.NoError(f, err)
	f.Add(string(file), int64(66_000))
	f.Add(string(file[:len(file)/2]), int64(0))
	f.Fuzz(func(t *testing.T, content string, offset int64) {
		file, err := packed.Open(content)
		if err != nil {
			return
		}
		n, err := file.ReadAt(make([]byte, 100), offset)
		if err == nil && n != 100 {
			t.Errorf("%d bytes", n)
		}
	})
}
