package mask

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math/bits"
	"math/rand/v2"
	"sync"
)

// source makes the values of one purpose. It is safe for concurrent use.
type source struct{ pool sync.Pool }

func newSource(key []byte) *source {
	return &source{pool: sync.Pool{New: func() any { return hmac.New(sha256.New, key) }}}
}

// sum is the HMAC-SHA-256 of a value; attempts of one value differ.
func (s *source) sum(value string, attempt int) (sum [32]byte) {
	h := s.pool.Get().(hash.Hash)
	h.Reset()
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(attempt))
	h.Write(n[:])
	h.Write([]byte(value))
	h.Sum(sum[:0])
	s.pool.Put(h)
	return sum
}

// draw is a stream of choices that a value determines.
func (s *source) draw(value string, attempt int) *draw {
	return &draw{rand.NewChaCha8(s.sum(value, attempt))}
}

type draw struct{ stream *rand.ChaCha8 }

// n is a number from 0 to below limit.
func (d *draw) n(limit int) int {
	hi, _ := bits.Mul64(d.stream.Uint64(), uint64(limit))
	return int(hi)
}

func (d *draw) of(words []string) string { return words[d.n(len(words))] }
