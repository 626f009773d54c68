package main

import (
	"bytes"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/erptest"
)

// fullDisk takes some bytes and then fails, as a file on a full disk.
type fullDisk struct {
	room   int
	failed int // writes that failed
}

func (d *fullDisk) Write(p []byte) (int, error) {
	if n := d.room; n < len(p) {
		d.room = 0
		d.failed++
		return n, syscall.ENOSPC
	}
	d.room -= len(p)
	return len(p), nil
}

// A result that could not be written is a failure, whatever the command and the
// format, and nothing follows what is missing.
func TestOutputThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	url := erptest.New(t).URL()
	for _, command := range []string{
		"record get C_BPartner 118", "record list C_BPartner", "record list C_BPartner -o csv", "record list C_BPartner -o ndjson",
		"record list C_BPartner --json", "config list", "config list --json", "config get url", "process list", "tools list",
		"workflow list", "server health", "server health --json",
		"dict diagram C_BPartner", "metrics list", "mcp config --client codex", "auth status", "doctor", "version", "help", "record --help",
		"completion bash",
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"erphub"}, strings.Fields(command)...)
			env := append(gardenAdmin(url), "HOME="+t.TempDir())
			var whole, errOut bytes.Buffer
			execute(t.Context(), args, env, shell.Streams{In: strings.NewReader(""), Out: &whole, Err: &errOut})
			if !assert.NotEmpty(t, whole.String(), errOut.String()) {
				return
			}
			for name, room := range map[string]int{"nothing fits": 0, "the end does not fit": whole.Len() / 2} {
				errOut.Reset()
				disk := &fullDisk{room: room}
				assert.Equal(t, shell.ExitFailed, execute(t.Context(), args, env, shell.Streams{In: strings.NewReader(""), Out: disk, Err: &errOut}), name)
				assert.Contains(t, errOut.String(), "no space left on device", name)
				assert.Equal(t, 1, strings.Count(errOut.String(), "no space left on device"), "%s: %s", name, errOut.String())
				assert.Equal(t, 1, disk.failed, "%s: nothing is written behind a gap", name)
			}
		})
	}
}
