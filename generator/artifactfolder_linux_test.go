package generator_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/internal/failure"
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
	d, err := generator.OpenArtifactFolder(dir, generator.ArtifactFolderOptions{})
	require.NoError(t, err)
	content := make([]byte, 64<<10)
	for i := range content {
		content[i] = byte(rand.IntN(256))
	}
	signal.Ignore(syscall.SIGXFSZ)
	var before syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before))
	for name, limit := range map[string]uint64{"in the content": 4096, "in the record": 64} {
		size := 64 << 10
		if limit < 4096 {
			size = 32 // the content fits, the record does not
		}
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: before.Max}))
		_, _, err := d.Put(t.Context(), "x.zip", content[:size], time.Hour)
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before))
		require.ErrorIs(t, err, failure.Full, name)
		require.ErrorContains(t, err, "the disk is full; make room")
		assert.Empty(t, files(t, dir), name)
	}
	_, _, err = d.Put(t.Context(), "x.zip", content, time.Hour)
	require.NoError(t, err, "it goes on when there is room")
}
