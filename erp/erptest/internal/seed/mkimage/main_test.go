package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The file in the repository is what the generator makes of the files here.
func TestFileIsUpToDate(t *testing.T) {
	t.Parallel()
	made := filepath.Join(t.TempDir(), "demo.db.packed")
	require.NoError(t, run(t.Context(), []string{made}))
	want, err := os.ReadFile(made)
	require.NoError(t, err)
	have, err := os.ReadFile(filepath.Join("..", "demo.db.packed"))
	require.NoError(t, err)
	assert.True(t, bytes.Equal(want, have), "run go generate ./erp/erptest/internal/seed")
}

func TestUsage(t *testing.T) {
	t.Parallel()
	require.ErrorContains(t, run(t.Context(), nil), "usage: mkimage")
}
