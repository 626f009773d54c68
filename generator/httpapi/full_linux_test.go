package httpapi_test

import (
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/generator/delivery"
)

const fullEnv = "ERPHUB_TEST_FULL_DISK"

// TestFullDisk runs itself in a process that may not write large files, which
// the kernel behaves like a full disk: in the middle of a write.
func TestFullDisk(t *testing.T) {
	dir := os.Getenv(fullEnv)
	if dir == "" {
		t.Parallel()
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullDisk$", "-test.v")
		cmd.Env = append(os.Environ(), fullEnv+"="+t.TempDir())
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Contains(t, string(out), "--- PASS: TestFullDisk")
		return
	}
	a := start(t, setup{settings: map[string]string{delivery.KeyArtifacts: dir}})
	signal.Ignore(syscall.SIGXFSZ)
	var before syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before))
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 512, Max: before.Max}))
	defer func() { require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before)) }()
	for output, dir := range map[string]string{"url": dir, "filesystem": a.dir} {
		got := a.post(body+`,"output":"`+output+`"}`, key(output))
		require.Equal(t, http.StatusInsufficientStorage, got.status, string(got.body))
		r := got.refusal(t)
		assert.Equal(t, "no_room", r.Error.Code)
		assert.Contains(t, r.Error.Message, "the disk is full")
		assert.NotContains(t, string(got.body), dir)
		left, err := filepath.Glob(filepath.Join(dir, "*"))
		require.NoError(t, err)
		hidden, err := filepath.Glob(filepath.Join(dir, ".*"))
		require.NoError(t, err)
		assert.Empty(t, append(left, hidden...), output)
	}
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before))
	assert.Equal(t, http.StatusOK, a.post(body+`,"output":"url"}`, key("url")).status, "it goes on when there is room")
}
