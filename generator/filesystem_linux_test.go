package generator

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// smallDisk is a file system with little room, for who may mount one.
func smallDisk(t *testing.T, kilobytes int) string {
	t.Helper()
	dir := t.TempDir()
	err := unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dk", kilobytes))
	if err != nil {
		t.Skipf("SKIPPED: no file system can be mounted here: %v", err)
	}
	// What another test starts may hold a file open until it is another program.
	t.Cleanup(func() { assert.NoError(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	return dir
}

func TestFilesystemDiskIsFull(t *testing.T) {
	t.Parallel()
	for _, kilobytes := range []int{4, 16, 32} {
		t.Run(fmt.Sprint(kilobytes, "k new"), func(t *testing.T) {
			t.Parallel()
			parent := smallDisk(t, kilobytes)
			_, err := (&Filesystem{Dir: parent}).Deliver(t.Context(), demo(t), nil)
			require.ErrorIs(t, err, syscall.ENOSPC)
			require.ErrorContains(t, err, "nothing was changed")
			require.Equal(t, map[string]string{"/": ""}, snapshot(t, parent))
		})
	}
	t.Run("added", func(t *testing.T) {
		t.Parallel()
		parent := smallDisk(t, 256)
		_, err := (&Filesystem{Dir: parent}).Deliver(t.Context(), demo(t), nil)
		require.NoError(t, err)
		dir := filepath.Join(parent, "com.example.demo")
		more, err := Add(t.Context(), nil, os.DirFS(dir), "form", map[string]any{"class": "Board"})
		require.NoError(t, err)
		fill(t, filepath.Join(parent, "ballast"))
		for n := 0; ; n++ { // a little more room each time, until there is enough
			before := snapshot(t, dir)
			_, err = (&Filesystem{Dir: dir}).Deliver(t.Context(), more, nil)
			if err == nil {
				require.Positive(t, n)
				break
			}
			require.ErrorIs(t, err, syscall.ENOSPC)
			require.Equal(t, before, snapshot(t, dir))
			st, err := os.Stat(filepath.Join(parent, "ballast"))
			require.NoError(t, err)
			require.NoError(t, os.Truncate(filepath.Join(parent, "ballast"), max(0, st.Size()-4096)))
		}
	})
}

// fill writes a file until there is no more room.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	require.NoError(t, err)
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.NoError(t, f.Close())
}

// Without a file system of its own: files may not grow beyond a size. The
// process runs under the limit of a shell.
func TestFilesystemFileCannotGrow(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("sh")
	require.NoError(t, err)
	parent := t.TempDir()
	cmd := exec.CommandContext(t.Context(), shell, "-c", `trap '' XFSZ; ulimit -f 2; exec "$0" -test.run='^TestDeliverInAnotherProcess$'`, os.Args[0])
	cmd.Env = append(os.Environ(), "GENERATOR_TEST_DIR="+parent, "GENERATOR_TEST_STOP=-1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "ended: writing com.example.demo to "+parent+"/com.example.demo, nothing was changed: ")
	require.Contains(t, string(out), "file too large")
	require.Equal(t, map[string]string{"/": ""}, snapshot(t, parent))
}

// asNobody runs do without the permissions of root over other people's files.
func asNobody(t *testing.T, do func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		do()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		if err := unix.Setfsuid(65534); err != nil {
			t.Error(err)
			return
		}
		do()
	}()
	<-done
}

func TestFilesystemReadOnly(t *testing.T) {
	t.Parallel()
	t.Run("new", func(t *testing.T) {
		t.Parallel()
		parent, a := t.TempDir(), demo(t)
		require.NoError(t, os.Chmod(filepath.Dir(parent), 0o755))
		require.NoError(t, os.Chmod(parent, 0o555))
		t.Cleanup(func() { _ = os.Chmod(parent, 0o755) })
		for _, dir := range []string{parent, filepath.Join(parent, "below", "that")} {
			asNobody(t, func() {
				_, err := (&Filesystem{Dir: dir}).Deliver(t.Context(), a, nil)
				assert.ErrorIs(t, err, fs.ErrPermission)
				assert.ErrorContains(t, err, "nothing was changed")
			})
		}
		require.Equal(t, map[string]string{"/": ""}, snapshot(t, parent))
	})
	t.Run("added", func(t *testing.T) {
		t.Parallel()
		dir, more := edited(t)
		for p := dir; p != os.TempDir() && p != "/"; p = filepath.Dir(p) {
			require.NoError(t, os.Chmod(p, 0o755))
		}
		require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if e.IsDir() || !strings.HasSuffix(path, "mine.txt") {
				return os.Chmod(path, 0o777)
			}
			return err
		}))
		locked := filepath.Join(dir, "src", "com", "example", "demo") // new files have to go there
		require.NoError(t, os.Chmod(locked, 0o555))
		t.Cleanup(func() { _ = os.Chmod(locked, 0o755) })
		before := snapshot(t, dir)
		asNobody(t, func() {
			_, err := (&Filesystem{Dir: dir}).Deliver(t.Context(), more, nil)
			assert.ErrorIs(t, err, fs.ErrPermission)
			assert.ErrorContains(t, err, "nothing was changed")
		})
		require.Equal(t, before, snapshot(t, dir))
	})
}
