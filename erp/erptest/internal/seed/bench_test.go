package seed

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkFirst is what the first ERP of a process costs.
func BenchmarkFirst(b *testing.B) {
	for b.Loop() {
		t, err := openTemplate(b.Context(), demoFile)
		require.NoError(b, err)
		s, err := t.open(b.Context(), Options{})
		require.NoError(b, err)
		require.NoError(b, errors.Join(s.Close(), t.image.Close()))
	}
}

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		s, err := Open(b.Context(), "", Options{})
		require.NoError(b, err)
		require.NoError(b, s.Close())
	}
}

// BenchmarkWhole is Open of an ERP that is then looked at from outside.
func BenchmarkWhole(b *testing.B) {
	for b.Loop() {
		s, err := Open(b.Context(), "", Options{})
		require.NoError(b, err)
		db := s.Reader()
		require.NoError(b, db.PingContext(b.Context()))
		require.NoError(b, db.Close())
		require.NoError(b, s.Close())
	}
}
