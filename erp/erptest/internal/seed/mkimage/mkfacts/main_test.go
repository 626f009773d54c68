package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The files in the repository are what the generator makes of the facts, where
// those are at hand.
func TestFilesAreUpToDate(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("ERPHUB_REFERENCE")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "..", "..", "..", "shared", "reference")
	}
	files, err := compile(filepath.Join(dir, "data"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the facts are not here: ", err)
	}
	require.NoError(t, err)
	assert.Len(t, files, 7)
	for name, data := range files {
		have, err := os.ReadFile(filepath.Join("..", "facts", name))
		require.NoError(t, err)
		assert.Equal(t, string(unpack(t, have)), string(unpack(t, data)), "%s: run the generator again", name)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	require.ErrorContains(t, run(nil, nil), "usage: mkfacts")
	require.ErrorIs(t, run([]string{t.TempDir(), t.TempDir()}, nil), fs.ErrNotExist)
}

func unpack(t *testing.T, data []byte) []byte {
	t.Helper()
	zr, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	text, err := io.ReadAll(zr)
	require.NoError(t, err)
	return text
}
