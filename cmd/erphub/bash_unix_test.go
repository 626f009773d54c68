//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// runScript runs a program of bash and shows what it wrote when it fails.
func runScript(t *testing.T, dir, text string, env ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	log, err := os.Create(filepath.Join(t.TempDir(), "log")) // not a pipe, which servers would keep open
	require.NoError(t, err)
	defer log.Close()
	cmd := exec.CommandContext(ctx, "bash", "-c", text)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if err := cmd.Run(); err != nil {
		wrote, _ := os.ReadFile(log.Name()) // the error is shown either way
		const most = 4000
		t.Fatalf("%v\n%s", err, wrote[max(0, len(wrote)-most):])
	}
}
