package atomicfile_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/atomicfile"
)

// only fails unless dir holds exactly the named entries, so that a temporary
// file left behind is seen.
func only(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	assert.ElementsMatch(t, want, got)
}

func TestWrite(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		old  string // content before, "" for no file
		mode fs.FileMode
	}{
		{"new file", "", 0o600},
		{"replaces longer content", "something rather longer than the new", 0o600},
		{"mode is exact, beyond the umask", "", 0o666},
		{"mode of the old file is not kept", "old", 0o640},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "f.yaml")
			if tt.old != "" {
				require.NoError(t, os.WriteFile(path, []byte(tt.old), 0o644))
			}
			require.NoError(t, atomicfile.Write(path, []byte("new"), tt.mode))
			got, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, "new", string(got))
			if runtime.GOOS != "windows" {
				st, err := os.Stat(path)
				require.NoError(t, err)
				assert.Equal(t, tt.mode, st.Mode().Perm())
			}
			only(t, dir, "f.yaml")
		})
	}
}

func TestWriteThroughLinks(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, d := range []string{"real", "links"} {
		require.NoError(t, os.Mkdir(filepath.Join(root, d), 0o755))
	}
	real, links := filepath.Join(root, "real"), filepath.Join(root, "links")
	if err := os.Symlink(real, filepath.Join(root, "alias")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	require.NoError(t, os.Symlink(filepath.Join("..", "real", "f"), filepath.Join(links, "relative")))
	require.NoError(t, os.Symlink("relative", filepath.Join(links, "second")))
	require.NoError(t, os.Symlink("missing", filepath.Join(real, "dangling")))
	require.NoError(t, os.Symlink("b", filepath.Join(root, "a")))
	require.NoError(t, os.Symlink("a", filepath.Join(root, "b")))

	for _, p := range []string{filepath.Join(links, "relative"), filepath.Join(links, "second"), filepath.Join(root, "alias", "f")} {
		require.NoError(t, atomicfile.Write(p, []byte(p), 0o600))
		got, err := os.ReadFile(filepath.Join(real, "f"))
		require.NoError(t, err)
		assert.Equal(t, p, string(got))
	}
	require.NoError(t, atomicfile.Write(filepath.Join(root, "alias", "dangling"), []byte("x"), 0o600))
	only(t, real, "f", "dangling", "missing")
	only(t, links, "relative", "second")
	for _, l := range []string{filepath.Join(links, "relative"), filepath.Join(real, "dangling")} {
		st, err := os.Lstat(l)
		require.NoError(t, err)
		assert.NotZero(t, st.Mode()&fs.ModeSymlink, "%s is no longer a link", l)
	}

	err := atomicfile.Write(filepath.Join(root, "a"), []byte("x"), 0o600)
	require.ErrorContains(t, err, "too many symbolic links")
}

func TestWriteErrors(t *testing.T) {
	t.Parallel()
	t.Run("folder missing", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "no", "f")
		err := atomicfile.Write(path, nil, 0o600)
		require.ErrorIs(t, err, fs.ErrNotExist)
		assert.EqualError(t, err, "writing "+path+": "+syscall.ENOENT.Error())
	})
	t.Run("target is a folder", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(dir, "d"), 0o755))
		require.ErrorContains(t, atomicfile.Write(filepath.Join(dir, "d"), []byte("x"), 0o600), "not a regular file")
		only(t, dir, "d")
	})
	t.Run("folder not writable", func(t *testing.T) {
		t.Parallel()
		if runtime.GOOS == "windows" || os.Geteuid() == 0 {
			t.Skip("permissions do not bind this user")
		}
		dir := t.TempDir()
		path := filepath.Join(dir, "f")
		require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
		require.NoError(t, os.Chmod(dir, 0o500))
		t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
		require.ErrorIs(t, atomicfile.Write(path, []byte("new"), 0o600), fs.ErrPermission)
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, "old", string(got))
	})
}

// TestWriteConcurrently proves that readers see whole contents only.
func TestWriteConcurrently(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	content := func(i int) []byte { return bytes.Repeat([]byte{byte('a' + i)}, 1<<16) }
	require.NoError(t, atomicfile.Write(path, content(0), 0o600))

	var writers sync.WaitGroup
	done := make(chan struct{})
	for i := range 4 {
		writers.Go(func() {
			for range 10 {
				assert.NoError(t, atomicfile.Write(path, content(i), 0o600))
			}
		})
	}
	go func() { writers.Wait(); close(done) }()
	for reading := true; reading; {
		select {
		case <-done:
			reading = false
		default:
		}
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Len(t, got, 1<<16)
		require.Equal(t, len(got), bytes.Count(got, got[:1]), "mixed content")
	}
	only(t, dir, "f")
}

func TestRemoveLeftovers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	require.NoError(t, atomicfile.RemoveLeftovers(path))
	require.NoError(t, atomicfile.RemoveLeftovers(filepath.Join(dir, "no", "f")))
	require.NoError(t, atomicfile.Write(path, []byte("x"), 0o600))
	for _, name := range []string{".f.tmp-1", ".f.tmp-23", ".other.tmp-1", "f.tmp-1"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".f.tmp-dir"), 0o700))
	require.NoError(t, atomicfile.RemoveLeftovers(path))
	only(t, dir, "f", ".other.tmp-1", "f.tmp-1", ".f.tmp-dir")
}

// A write removes what killed writers of the same file left behind long ago.
func TestWriteRemovesOldLeftovers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	long := time.Now().Add(-2 * time.Hour)
	for _, name := range []string{".f.tmp-1", ".other.tmp-1", "f.tmp-1", ".f.tmp-new"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
		if !strings.HasSuffix(name, "new") {
			require.NoError(t, os.Chtimes(filepath.Join(dir, name), long, long))
		}
	}
	require.NoError(t, atomicfile.Write(filepath.Join(dir, "f"), []byte("x"), 0o600))
	only(t, dir, "f", ".other.tmp-1", "f.tmp-1", ".f.tmp-new")
}

// A file whose content breaks off is not there, and the old one stays.
func TestWriteFunc(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "f.csv")
	write := func(failure error) error {
		return atomicfile.WriteFunc(path, 0o644, func(w io.Writer) error {
			for range 1000 {
				if _, err := w.Write([]byte("a line\n")); err != nil {
					return err
				}
			}
			return failure
		})
	}
	broken := errors.New("connection broken")
	require.EqualError(t, write(broken), "connection broken")
	only(t, dir)
	require.NoError(t, write(nil))
	require.ErrorIs(t, write(broken), broken)
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, strings.Repeat("a line\n", 1000), string(got))
	only(t, dir, "f.csv")
}
