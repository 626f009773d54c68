//go:build unix

package systemd

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func environment(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

func TestNotify(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "notify")
	ln, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	require.NoError(t, err)
	t.Cleanup(func() { ln.Close() })
	require.NoError(t, Notify(environment(map[string]string{"NOTIFY_SOCKET": path}), Ready))
	buffer := make([]byte, 100)
	require.NoError(t, ln.SetReadDeadline(time.Now().Add(10*time.Second)))
	n, err := ln.Read(buffer)
	require.NoError(t, err)
	assert.Equal(t, Ready, string(buffer[:n]))

	assert.NoError(t, Notify(environment(nil), Ready), "nobody wants to know")
	assert.ErrorContains(t, Notify(environment(map[string]string{"NOTIFY_SOCKET": "here"}), Ready), "NOTIFY_SOCKET")
	assert.ErrorContains(t, Notify(environment(map[string]string{"NOTIFY_SOCKET": path + "x"}), Ready), Ready)
}

func TestWatchdog(t *testing.T) {
	t.Parallel()
	own := strconv.Itoa(os.Getpid())
	for _, tt := range []struct {
		name, micros, pid string
		want              time.Duration
	}{
		{"none", "", "", 0},
		{"any process", "3000000", "", 3 * time.Second},
		{"this process", "3000000", own, 3 * time.Second},
		{"another process", "3000000", "1", 0},
		{"no number", "3s", own, 0},
		{"below zero", "-1", own, 0},
		{"beyond a day", "9223372036854775807", own, 0},
	} {
		assert.Equal(t, tt.want, Watchdog(environment(map[string]string{"WATCHDOG_USEC": tt.micros, "WATCHDOG_PID": tt.pid})), tt.name)
	}
}

func TestListenerRefuses(t *testing.T) {
	t.Parallel()
	own := strconv.Itoa(os.Getpid())
	for _, tt := range []struct{ name, fds, pid, says string }{
		{"none", "", "", ""},
		{"of another process", "1", "1", ""},
		{"no sockets", "0", own, ""},
		{"no number", "one", own, "LISTEN_FDS"},
		{"two", "2", own, "passes 2"},
	} {
		ln, err := Listener(environment(map[string]string{"LISTEN_FDS": tt.fds, "LISTEN_PID": tt.pid}))
		assert.Nil(t, ln, tt.name)
		if tt.says == "" {
			assert.NoError(t, err, tt.name)
		} else {
			assert.ErrorContains(t, err, tt.says, tt.name)
		}
	}
}
