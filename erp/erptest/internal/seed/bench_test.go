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
