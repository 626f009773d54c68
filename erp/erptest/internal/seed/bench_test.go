package seed

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func BenchmarkBuild(b *testing.B) {
	for b.Loop() {
		_, err := buildImage()
		require.NoError(b, err)
	}
}

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		s, err := Open(b.Context(), "")
		require.NoError(b, err)
		require.NoError(b, s.Close())
	}
}

// BenchmarkWhole is Open of an ERP that is then looked at from outside.
func BenchmarkWhole(b *testing.B) {
	for b.Loop() {
		s, err := Open(b.Context(), "")
		require.NoError(b, err)
		db := s.Reader()
		require.NoError(b, db.PingContext(b.Context()))
		require.NoError(b, db.Close())
		require.NoError(b, s.Close())
	}
}
