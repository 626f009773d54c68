package seed

import (
	"github.com/stretchr/testify/require"
	"testing"
)

func TestOpen(t *testing.T) {
	s, err := Open(t.Context(), "")
	require.NoError(t, err)
	require.NoError(t, s.Close())
}
