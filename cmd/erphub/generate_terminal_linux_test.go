package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/erphub/erphub/cmd/internal/shell"
)

// typing is a terminal on which somebody types.
func typing(t *testing.T, text string) *os.File {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("SKIPPED: no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { _ = keys.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	device, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = device.Close() })
	_, err = keys.WriteString(text)
	require.NoError(t, err)
	return device
}

// On a terminal what is missing is asked for, again when the input cannot be
// used; with --json, for a program, it is not.
func TestGenerateAsksOnATerminal(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		typed  string
		args   []string
		code   int
		stderr string
	}{
		"asked":   {"class\nImportOrders\ncom.example.demo\n", nil, shell.ExitDone, `"class" is a reserved word`},
		"json":    {"ImportOrders\n", []string{"--json"}, shell.ExitUsage, "needs --class"},
		"no use":  {"a b\n\n1\n", nil, shell.ExitUsage, "no usable class was given"},
		"the end": {"\x04", nil, shell.ExitFailed, "asking for class: EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var out, errs bytes.Buffer
			args := append([]string{"erphub", "generate", "process", "--dir", dir}, tt.args...)
			code := execute(t.Context(), args, []string{"HOME=" + dir}, shell.Streams{In: typing(t, tt.typed), Out: &out, Err: &errs})
			require.Equal(t, tt.code, code, errs.String())
			assert.Contains(t, errs.String(), tt.stderr)
			_, err := os.Stat(filepath.Join(dir, "com.example.demo", "src", "com", "example", "demo", "process", "ImportOrders.java"))
			assert.Equal(t, tt.code == shell.ExitDone, err == nil)
		})
	}
}
