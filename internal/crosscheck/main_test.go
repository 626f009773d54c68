package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What only one system refuses is found for that system.
func TestCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("go.mod", "module example.com/x\n\ngo 1.24\n")
	write("x.go", "package x\n\nimport \"syscall\"\n\nvar _ = kill\n\nvar _ = syscall.Getpid\n")
	write("x_unix.go", "//go:build unix\n\npackage x\n\nimport \"syscall\"\n\nfunc kill(pid int) error { return syscall.Kill(pid, syscall.SIGTERM) }\n")
	for system, want := range map[string]string{
		"linux/amd64": "", "darwin/arm64": "", "windows/amd64": "undefined: kill", "windows": "is no system",
	} {
		err := check(dir, system, "./...")
		if want == "" {
			assert.NoError(t, err, system)
		} else {
			assert.ErrorContains(t, err, want, system)
		}
	}
	assert.Error(t, check(dir, "linux/amd64", "./nothing"))
}
