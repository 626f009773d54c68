package shell

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// JSON escapes some of what a terminal would obey, and a terminal gets the rest
// of it replaced; files and pipes get the text as it is.
func TestJSONOnATerminal(t *testing.T) {
	t.Parallel()
	const hostile = "a\u009b2Jb\u202ec"
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("SKIPPED: no pseudo-terminals here: %v", err)
	}
	defer screen.Close()
	require.NoError(t, unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	device, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	defer device.Close()
	sh := &Shell{Streams: Streams{Out: device}}
	require.NoError(t, sh.PrintJSON(hostile))
	shown := make([]byte, 200)
	n, err := screen.Read(shown)
	require.NoError(t, err)
	assert.Equal(t, "\"a\uFFFD2Jb\uFFFDc\"\r\n", string(shown[:n]))

	name := t.TempDir() + "/out"
	file, err := os.Create(name)
	require.NoError(t, err)
	defer file.Close()
	sh.Streams.Out = file
	require.NoError(t, sh.PrintJSON(hostile))
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "\""+hostile+"\"\n", string(text))
}
