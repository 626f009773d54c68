package atomicfile_test

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/atomicfile"
)

// TestWriteFullDisk needs the privilege to mount a small tmpfs and skips without.
func TestWriteFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("cannot mount a tmpfs:", err)
	}
	// What another test starts may hold a file open until it is another program.
	t.Cleanup(func() { assert.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	path := filepath.Join(dir, "f")
	require.NoError(t, atomicfile.Write(path, []byte("old"), 0o600))
	require.ErrorIs(t, atomicfile.Write(path, bytes.Repeat([]byte("x"), 1<<20), 0o600), syscall.ENOSPC)
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "old", string(got))
	only(t, dir, "f")
}
