package seed

import (
	"testing"
	"github.com/stretchr/testify/require"
)

func TestOpen(t *testing.T) {
	s, err := Open(t.Context(), "")
	require.NoError(t, err)
	require.NoError(t, s.Close())
}
