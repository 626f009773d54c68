package generator

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// snapshot is what is below a folder: contents and permissions by name.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			found[strings.TrimPrefix(path, dir)+"/"] = ""
			return err
		}
		st, err := e.Info()
		if err != nil {
			return err
		}
		if e.Type()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(path)
			found[strings.TrimPrefix(path, dir)] = "to " + to
			return err
		}
		text, err := os.ReadFile(path)
		found[strings.TrimPrefix(path, dir)] = fmt.Sprintf("%v %s", st.Mode().Perm(), text)
		return err
	}))
	return found
}

func demo(t *testing.T) *Artifact {
	t.Helper()
	a, err := Generate(t.Context(), nil, "process", map[string]any{"artifactId": "com.example.demo", "class": "ImportOrders"})
	require.NoError(t, err)
	return a
}

// edited is a delivered plugin in which somebody has worked, and an artifact
// that wants to change several of its files and add others.
func edited(t *testing.T) (dir string, more *Artifact) {
	t.Helper()
	parent := t.TempDir()
	_, err := (&Filesystem{Dir: parent}).Deliver(t.Context(), demo(t), nil)
	require.NoError(t, err)
	dir = filepath.Join(parent, "com.example.demo")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mine.txt"), []byte("mine"), 0o600))
	require.NoError(t, os.Chmod(filepath.Join(dir, "META-INF", "MANIFEST.MF"), 0o640))
	more, err = Add(t.Context(), nil, os.DirFS(dir), "form", map[string]any{"class": "Board"})
	require.NoError(t, err)
	require.Greater(t, more.Tree.Len(), 3)
	return dir, more
}

// at calls do when a delivery is at its file number n.
func at(n int, do func()) Progress {
	return func(done, _ int, _ string) {
		if done == n {
			do()
		}
	}
}

// What goes wrong while files are written leaves everything as it was.
func TestFilesystemPutsThingsBack(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		meddle func(t *testing.T, dir string)
		says   string
	}{
		"changed by somebody": {func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "META-INF", "MANIFEST.MF"), []byte("theirs\n"), 0o644))
		}, "META-INF/MANIFEST.MF was changed by somebody else"},
		"removed by somebody": {func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(filepath.Join(dir, "META-INF", "MANIFEST.MF")))
		}, "META-INF/MANIFEST.MF was changed by somebody else"},
		"a file where a folder has to be": {func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "src", "com", "example", "demo", "form"), nil, 0o644))
		}, "form"},
		"a folder where a file has to be": {func(t *testing.T, dir string) {
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "src", "com", "example", "demo", "DemoFormFactory.java", "x"), 0o755))
		}, "DemoFormFactory.java exists and is not a regular file"},
		"a link where a file has to be": {func(t *testing.T, dir string) {
			require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, "src", "com", "example", "demo", "DemoFormFactory.java")))
		}, "DemoFormFactory.java exists and is not a regular file"},
		"a link where a folder has to be": {func(t *testing.T, dir string) {
			require.NoError(t, os.Symlink(os.TempDir(), filepath.Join(dir, "src", "com", "example", "demo", "form")))
		}, "form"},
		"the file is made by somebody": {func(t *testing.T, dir string) {
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "src", "com", "example", "demo", "form"), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "src", "com", "example", "demo", "form", "Board.java"), []byte("theirs"), 0o644))
		}, "Board.java was changed by somebody else"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, more := edited(t)
			var before map[string]string
			_, err := (&Filesystem{Dir: dir}).Deliver(t.Context(), more, at(more.Tree.Len(), func() {
				tt.meddle(t, dir)
				before = snapshot(t, dir)
			}))
			require.ErrorContains(t, err, tt.says)
			require.ErrorContains(t, err, "nothing was changed")
			for name := range before {
				if strings.Contains(name, stagePrefix) {
					delete(before, name)
				}
			}
			assert.Equal(t, before, snapshot(t, dir))
		})
	}
}

func TestFilesystemIsCanceled(t *testing.T) {
	t.Parallel()
	dir, more := edited(t)
	before := snapshot(t, dir)
	for n := range more.Tree.Len() + 1 {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := (&Filesystem{Dir: dir}).Deliver(ctx, more, at(n, cancel))
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, before, snapshot(t, dir), "canceled at file %d", n)
	}
	parent := filepath.Join(t.TempDir(), "made", "for", "it")
	for n := range demo(t).Tree.Len() {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := (&Filesystem{Dir: parent}).Deliver(ctx, demo(t), at(n, cancel))
		require.ErrorIs(t, err, context.Canceled)
		require.NoDirExists(t, filepath.Dir(filepath.Dir(parent)), "folders made for it are left")
	}
}

// Permissions of files that are changed stay.
func TestFilesystemKeepsPermissions(t *testing.T) {
	t.Parallel()
	dir, more := edited(t)
	_, err := (&Filesystem{Dir: dir}).Deliver(t.Context(), more, nil)
	require.NoError(t, err)
	st, err := os.Stat(filepath.Join(dir, "META-INF", "MANIFEST.MF"))
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o640), st.Mode().Perm())
	text, err := os.ReadFile(filepath.Join(dir, "META-INF", "MANIFEST.MF"))
	require.NoError(t, err)
	require.Contains(t, string(text), "zcommon")
}

// The folder appears while a new one is written.
func TestFilesystemNewFolderIsTaken(t *testing.T) {
	t.Parallel()
	parent, a := t.TempDir(), demo(t)
	target := filepath.Join(parent, "com.example.demo")
	_, err := (&Filesystem{Dir: parent}).Deliver(t.Context(), a, at(3, func() {
		require.NoError(t, os.Mkdir(target, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(target, "pom.xml"), []byte("theirs"), 0o644))
	}))
	require.ErrorContains(t, err, "was made by somebody else just now")
	require.ErrorIs(t, err, ErrExists)
	require.Equal(t, map[string]string{"/": "", "/com.example.demo/": "", "/com.example.demo/pom.xml": "-rw-r--r-- theirs"}, snapshot(t, parent))
}

// Of many who make the same at once, all say how it ended, and one plugin is
// there, whole.
func TestFilesystemManyAtOnce(t *testing.T) {
	t.Parallel()
	parent, a := t.TempDir(), demo(t)
	var wg sync.WaitGroup
	errs := make([]error, 16)
	for i := range errs {
		wg.Go(func() { _, errs[i] = (&Filesystem{Dir: parent}).Deliver(t.Context(), a, nil) })
	}
	wg.Wait()
	done := 0
	for _, err := range errs {
		if err == nil {
			done++
			continue
		}
		assert.ErrorContains(t, err, "by somebody else just now; try again")
		assert.ErrorIs(t, err, ErrExists)
	}
	assert.GreaterOrEqual(t, done, 1)
	assertWhole(t, parent, a)
}

// Many who add different things to one plugin at once: who is told that it
// worked has all files there.
func TestFilesystemManyAddAtOnce(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	_, err := (&Filesystem{Dir: parent}).Deliver(t.Context(), demo(t), nil)
	require.NoError(t, err)
	dir := filepath.Join(parent, "com.example.demo")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			class := fmt.Sprintf("Callout%d", i)
			for range 100 {
				more, err := Add(t.Context(), nil, os.DirFS(dir), "callout", map[string]any{"class": class, "columns": "C_Order.C_BPartner_ID"})
				if err == nil {
					_, err = (&Filesystem{Dir: dir}).Deliver(t.Context(), more, nil)
				}
				if err == nil {
					assert.FileExists(t, filepath.Join(dir, "src", "com", "example", "demo", "callout", class+".java"))
					return
				}
				if !assert.True(t, errors.Is(err, ErrExists) || strings.Contains(err.Error(), "try again") || strings.Contains(err.Error(), "no such file"), "%v", err) {
					return
				}
			}
			assert.Fail(t, "never got through")
		})
	}
	wg.Wait()
	for name := range snapshot(t, dir) {
		assert.NotContains(t, name, stagePrefix)
	}
}

// assertWhole checks that the artifact's files are there and nothing else.
func assertWhole(t *testing.T, parent string, a *Artifact) {
	t.Helper()
	entries, err := os.ReadDir(parent)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	var names []string
	for name := range snapshot(t, filepath.Join(parent, a.Name)) {
		if !strings.HasSuffix(name, "/") {
			names = append(names, strings.TrimPrefix(name, "/"))
		}
	}
	require.ElementsMatch(t, a.Tree.Names(), names)
}

// TestDeliverInAnotherProcess is not a test but the process that others start.
func TestDeliverInAnotherProcess(t *testing.T) {
	dir, stop := os.Getenv("GENERATOR_TEST_DIR"), os.Getenv("GENERATOR_TEST_STOP")
	if dir == "" {
		t.Skip("it is started by other tests")
	}
	n, err := strconv.Atoi(stop)
	require.NoError(t, err)
	a, d := demo(t), &Filesystem{Dir: dir}
	if os.Getenv("GENERATOR_TEST_ADD") != "" {
		a, err = Add(t.Context(), nil, os.DirFS(dir), "form", map[string]any{"class": "Board"})
		require.NoError(t, err)
	}
	_, err = d.Deliver(t.Context(), a, at(n, func() {
		fmt.Println("here")
		select {}
	}))
	fmt.Printf("ended: %v\n", err)
}

// child starts TestDeliverInAnotherProcess and waits until it says something.
func child(t *testing.T, dir string, stop int, env ...string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDeliverInAnotherProcess$")
	cmd.Env = append(os.Environ(), append(env, "GENERATOR_TEST_DIR="+dir, "GENERATOR_TEST_STOP="+strconv.Itoa(stop))...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return cmd, strings.TrimSpace(line)
}

// A process that is killed leaves no plugin that looks whole and is not, no
// file of a plugin changed, and nothing that keeps the next run from working.
func TestFilesystemIsKilled(t *testing.T) {
	t.Parallel()
	t.Run("new", func(t *testing.T) {
		t.Parallel()
		parent, a := t.TempDir(), demo(t)
		for _, stop := range []int{0, 5, a.Tree.Len()} {
			cmd, line := child(t, parent, stop)
			require.Equal(t, "here", line)
			require.NoError(t, cmd.Process.Kill())
			require.Error(t, cmd.Wait())
			require.NoDirExists(t, filepath.Join(parent, a.Name))
		}
		_, err := (&Filesystem{Dir: parent}).Deliver(t.Context(), a, nil)
		require.NoError(t, err)
	})
	t.Run("added", func(t *testing.T) {
		t.Parallel()
		dir, more := edited(t)
		before := snapshot(t, dir)
		for _, stop := range []int{0, 2, more.Tree.Len()} {
			cmd, line := child(t, dir, stop, "GENERATOR_TEST_ADD=yes")
			require.Equal(t, "here", line)
			require.NoError(t, cmd.Process.Kill())
			require.Error(t, cmd.Wait())
			after := snapshot(t, dir)
			for name := range after {
				if strings.HasPrefix(name, "/"+stagePrefix) {
					delete(after, name)
				}
			}
			require.Equal(t, before, after)
		}
		_, err := (&Filesystem{Dir: dir}).Deliver(t.Context(), more, nil)
		require.NoError(t, err)
	})
}

// What processes that were killed left behind is removed by the next that writes
// there, but not what somebody may be writing, nor what others named alike.
func TestFilesystemLeftovers(t *testing.T) {
	t.Parallel()
	dir, more := edited(t)
	parent := filepath.Dir(dir)
	long := time.Now().Add(-2 * abandoned)
	for _, in := range []string{parent, dir} {
		for _, name := range []string{".erphub-writing-17", ".erphub-writing-99", ".erphub-writing-mine", ".erphub-mine"} {
			require.NoError(t, os.MkdirAll(filepath.Join(in, name, "new"), 0o755))
			if !strings.HasSuffix(name, "99") {
				require.NoError(t, os.Chtimes(filepath.Join(in, name), long, long))
			}
		}
		require.NoError(t, os.WriteFile(filepath.Join(in, ".erphub-writing-18"), nil, 0o600))
		require.NoError(t, os.Chtimes(filepath.Join(in, ".erphub-writing-18"), long, long))
	}
	_, err := (&Filesystem{Dir: dir}).Deliver(t.Context(), more, nil)
	require.NoError(t, err)
	other, err := Generate(t.Context(), nil, "plugin", map[string]any{"artifactId": "com.example.other"})
	require.NoError(t, err)
	_, err = (&Filesystem{Dir: parent}).Deliver(t.Context(), other, nil)
	require.NoError(t, err)
	for _, in := range []string{parent, dir} {
		left, err := filepath.Glob(filepath.Join(in, ".erphub-*"))
		require.NoError(t, err)
		for i := range left {
			left[i] = filepath.Base(left[i])
		}
		assert.ElementsMatch(t, []string{".erphub-writing-18", ".erphub-writing-99", ".erphub-writing-mine", ".erphub-mine"}, left, in)
	}
}
