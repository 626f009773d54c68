package config_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/config"
)

// TestMain lets the test binary be the other process of the lock tests.
func TestMain(m *testing.M) {
	if path := os.Getenv("CONFIG_TEST_HOLD"); path != "" {
		_, err := config.NewFile(path).Lock(context.Background())
		fmt.Println("held", err)
		select {} // until killed
	}
	os.Exit(m.Run())
}

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	st, err := os.Stat(path)
	require.NoError(t, err)
	return st.Mode().Perm()
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "folder", "config.yaml")
	f := config.NewFile(path)
	set := func(v string) func(*config.Document) error {
		return func(d *config.Document) error { return d.Set("", "url", v) }
	}
	require.NoError(t, f.Update(t.Context(), set("http://a")))
	if runtime.GOOS != "windows" {
		assert.Equal(t, fs.FileMode(0o600), mode(t, path))
		assert.Equal(t, fs.FileMode(0o700), mode(t, filepath.Dir(path)))
		assert.Equal(t, fs.FileMode(0o600), mode(t, path+".lock"))
	}
	// A change that fails, and one that changes nothing, leave the file alone.
	before, err := os.Stat(path)
	require.NoError(t, err)
	wrong := errors.New("no")
	require.ErrorIs(t, f.Update(t.Context(), func(d *config.Document) error { return errors.Join(d.Set("", "url", "x"), wrong) }), wrong)
	require.NoError(t, f.Update(t.Context(), set("http://a")))
	after, err := os.Stat(path)
	require.NoError(t, err)
	assert.True(t, os.SameFile(before, after), "the file was replaced without need")
}

func TestUpdateConcurrently(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "config.yaml")
	link := filepath.Join(dir, "link.yaml")
	require.NoError(t, config.NewFile(path).Update(t.Context(), func(d *config.Document) error { return d.Set("", "n", "0") }))
	require.NoError(t, os.Symlink("config.yaml", link))
	var wg sync.WaitGroup
	for i := range 8 {
		f := config.NewFile(path)
		if i%2 == 0 {
			f = config.NewFile(link) // another name of the same file: the same lock
		}
		wg.Go(func() {
			for range 5 {
				assert.NoError(t, f.Update(t.Context(), func(d *config.Document) error {
					text, _ := d.Get("", "n")
					n, err := strconv.Atoi(text)
					return errors.Join(err, d.Set("", "n", strconv.Itoa(n+1)))
				}))
			}
		})
	}
	wg.Wait()
	d, err := config.NewFile(link).Read()
	require.NoError(t, err)
	got, _ := d.Get("", "n")
	assert.Equal(t, "40", got)
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	const canary = "CANARYsecret"
	tests := []struct {
		name  string
		make  func(path string) error
		want  string
		is    error
		posix bool
	}{
		{"readable by others", func(p string) error { return os.WriteFile(p, []byte("token: "+canary), 0o644) }, "chmod 600", config.ErrTooOpen, true},
		{"readable by the group", func(p string) error { return os.WriteFile(p, []byte("token: "+canary), 0o640) }, "mode 0640", config.ErrTooOpen, true},
		{"garbage", func(p string) error { return os.WriteFile(p, []byte("\x00\xff"+canary), 0o600) }, "not valid YAML", nil, false},
		{"a folder", func(p string) error { return os.Mkdir(p, 0o700) }, "not a regular file", nil, false},
		{"unreadable", func(p string) error {
			if os.Geteuid() == 0 {
				return errors.ErrUnsupported // root reads everything
			}
			return os.WriteFile(p, []byte(canary), 0)
		}, "permission denied", fs.ErrPermission, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.posix && runtime.GOOS == "windows" {
				t.Skip("no such modes here")
			}
			path := filepath.Join(t.TempDir(), "config.yaml")
			if err := tt.make(path); errors.Is(err, errors.ErrUnsupported) {
				t.Skip("cannot be made here")
			} else if err == nil {
				_, err = config.NewFile(path).Read()
				require.ErrorContains(t, err, tt.want)
				assert.ErrorContains(t, err, path)
				assert.NotContains(t, err.Error(), canary)
				if tt.is != nil {
					assert.ErrorIs(t, err, tt.is)
				}
				// Nothing is overwritten either.
				require.Error(t, config.NewFile(path).Update(t.Context(), func(d *config.Document) error { return d.Set("", "url", "x") }))
			} else {
				require.NoError(t, err)
			}
		})
	}
}

// TestLockOfADeadProcess: a killed holder keeps nobody waiting, a living one
// keeps others until their context ends.
func TestLockOfADeadProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.yaml")
	holder := exec.Command(os.Args[0])
	holder.Env = append(os.Environ(), "CONFIG_TEST_HOLD="+path)
	out, err := holder.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, holder.Start())
	var word string
	_, err = fmt.Fscan(out, &word)
	require.NoError(t, err)
	require.Equal(t, "held", word)

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = config.NewFile(path).Lock(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)

	// A waiting process is told, and does not wait forever.
	var told []string
	f := config.NewFile(path, config.OnWait(func(lock string) { told = append(told, lock) }), config.LockTimes(5*time.Millisecond, 60*time.Millisecond))
	err = f.Update(t.Context(), func(*config.Document) error { t.Error("changed without the lock"); return nil })
	require.ErrorIs(t, err, config.ErrLocked)
	assert.ErrorContains(t, err, path+".lock")
	assert.ErrorContains(t, err, "for 60ms; it may be stopped or hang: end it, or try again later")
	assert.Equal(t, []string{path + ".lock"}, told)

	require.NoError(t, holder.Process.Kill())
	_ = holder.Wait()
	release, err := config.NewFile(path).Lock(t.Context())
	require.NoError(t, err)
	release()
}

func TestWriteToAFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := mountSmall(dir); err != nil {
		t.Skip("cannot mount a tmpfs:", err)
	}
	t.Cleanup(func() { assert.NoError(t, unmount(dir)) })
	path := filepath.Join(dir, "config.yaml")
	f := config.NewFile(path)
	require.NoError(t, f.Update(t.Context(), func(d *config.Document) error { return d.Set("", "url", "http://a") }))
	err := f.Update(t.Context(), func(d *config.Document) error { return d.Set("", "big", string(make([]byte, 1<<18))) })
	require.Error(t, err)
	require.True(t, errors.Is(err, syscall.ENOSPC), "%v", err)
	d, err := f.Read()
	require.NoError(t, err)
	got, _ := d.Get("", "url")
	assert.Equal(t, "http://a", got)
}

func TestDefaultPath(t *testing.T) {
	t.Parallel()
	got, err := config.DefaultPath(func(k string) string { return map[string]string{"ERPHUB_CONFIG": "/x/y.yaml"}[k] })
	require.NoError(t, err)
	assert.Equal(t, "/x/y.yaml", got)
	dir, err := os.UserConfigDir()
	if err != nil {
		t.Skip("no configuration folder here:", err)
	}
	got, err = config.DefaultPath(func(string) string { return "" })
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, "erphub", "config.yaml"), got)
}

// What is written carries the number of its form, and what has another stays as it is.
func TestVersionOnDisk(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.yaml")
	f := config.NewFile(path)
	set := func(d *config.Document) error { return d.Set("", "url", "http://a") }
	require.NoError(t, f.Update(t.Context(), set))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "url: http://a\nversion: 1\n", string(text))

	const newer = "url: http://b\nversion: 2\n"
	require.NoError(t, os.WriteFile(path, []byte(newer), 0o600))
	require.ErrorIs(t, f.Update(t.Context(), set), config.ErrVersion)
	_, err = f.Read()
	require.ErrorIs(t, err, config.ErrVersion)
	assert.ErrorContains(t, err, path)
	text, err = os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, newer, string(text))
}
