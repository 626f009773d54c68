package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/config"
)

// asNobody runs fn as a user who owns no files.
func asNobody(t *testing.T, fn func()) {
	t.Helper()
	if os.Getuid() != 0 {
		fn()
		return
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and the thread ends with the function
		err := errors.Join(syscall.Setfsgid(65534), syscall.Setfsuid(65534))
		fn()
		done <- err
	}()
	require.NoError(t, <-done)
}

// Orchestrators mount configuration as files that nobody writes and the service's
// group reads, in folders that nobody writes.
func TestMountedConfiguration(t *testing.T) {
	for name, tc := range map[string]struct {
		mode    os.FileMode
		refused bool
	}{
		"for the group":         {mode: 0o440},
		"for the owner":         {mode: 0o400},
		"for everybody":         {mode: 0o444, refused: true},
		"the group can read it": {mode: 0o640, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "erphub.yaml")
			require.NoError(t, os.WriteFile(path, []byte("url: https://erp.example.com\n"), 0o600))
			require.NoError(t, os.Chmod(path, tc.mode))
			assert.True(t, config.NewFile(path).Writable(), "its folder is")
			_, err := config.NewFile(path).Read()
			if tc.refused {
				require.ErrorIs(t, err, config.ErrTooOpen)
				return
			}
			require.NoError(t, err)
			if os.Getuid() == 0 {
				require.NoError(t, os.Remove(path+".lock"))
				require.NoError(t, os.Chown(dir, 65534, 65534))
			}
			require.NoError(t, os.Chmod(dir, 0o555))
			asNobody(t, func() { assert.False(t, config.NewFile(path).Writable()) })
		})
	}
	assert.True(t, config.NewFile(filepath.Join(t.TempDir(), "new", "erphub.yaml")).Writable(), "the folder can be made")
}
