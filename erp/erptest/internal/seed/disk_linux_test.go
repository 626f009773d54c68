package seed

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mount mounts a small disk for the test.
func mount(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skip("SKIPPED: no permission to mount a small disk:", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil && !errors.Is(err, syscall.EINVAL) {
			t.Error("unmounting:", err)
		}
	})
	return dir
}

// A disk that is too small for the demo data is said to be full, at whatever point
// it is, and nothing is left on it.
func TestDiskTooSmallForTheDemoData(t *testing.T) {
	t.Parallel()
	for _, size := range []string{"8k", "64k", "1m", "4m"} {
		t.Run(size, func(t *testing.T) {
			t.Parallel()
			dir := mount(t, size)
			path := filepath.Join(dir, "data", "erp.db")
			_, err := Open(t.Context(), path, Options{})
			require.Error(t, err)
			assert.ErrorContains(t, err, "the disk is full; make room")
			assert.ErrorContains(t, err, path)
			entries, err := os.ReadDir(filepath.Dir(path))
			require.NoError(t, err)
			assert.Empty(t, entries)
		})
	}
}

// A database that cannot be written is refused at the start, not at the first
// write.
func TestReadOnlyDisk(t *testing.T) {
	t.Parallel()
	dir := mount(t, "64m")
	path := filepath.Join(dir, "erp.db")
	s, err := Open(t.Context(), path, Options{})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	s, err = Open(t.Context(), path, Options{})
	if err == nil {
		require.NoError(t, s.Close())
	}
	require.ErrorContains(t, err, "must be writable")
	_, err = Open(t.Context(), filepath.Join(dir, "new.db"), Options{})
	require.ErrorContains(t, err, "must be writable")
}
