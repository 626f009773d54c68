package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/testkit/testproc"
)

// BenchmarkStart is how long the program takes, as a process of its own: to start,
// to explain itself, and to complete. nothing is a program that does nothing, to
// compare with; names are completed from the cache, which the first run fills.
func BenchmarkStart(b *testing.B) {
	program := testproc.Program(b, "erphub")
	nothing := testproc.Find(b, "it is a part of every system", "true")
	home := b.TempDir()
	environment := []string{"HOME=" + home, "ERPHUB_CONFIG=" + filepath.Join(home, "config.yaml"), "XDG_CACHE_HOME=" + filepath.Join(home, "cache"),
		"PATH=" + os.Getenv("PATH"), "ERPHUB_PROFILE=garden"}
	serve(b, environment, "sandbox", "--write-profiles")
	for name, args := range map[string][]string{
		"nothing":         {nothing},
		"version":         {program, "version"},
		"help":            {program, "--help"},
		"help of command": {program, "record", "list", "--help"},
		"complete flags":  {program, "__complete", "zsh", "--", "record", "list", "--"},
		"complete tables": {program, "__complete", "zsh", "--", "record", "list", "c_order"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				cmd := exec.CommandContext(b.Context(), args[0], args[1:]...)
				cmd.Env = environment
				require.NoError(b, cmd.Run())
			}
		})
	}
}
