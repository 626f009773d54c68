// Package systemd is the part of systemd's protocols that a server needs: it takes
// over a socket that systemd listens on (sd_listen_fds) and tells how the server is
// (sd_notify). Both are a few lines over the environment and work with any program
// that follows the protocol. Elsewhere than under systemd everything here does
// nothing.
package systemd

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"time"
)

// The states of [Notify].
const (
	Ready    = "READY=1"
	Stopping = "STOPPING=1"
	Alive    = "WATCHDOG=1"
)

// Notify tells the service manager a state, where one wants to know (NOTIFY_SOCKET).
func Notify(getenv func(string) string, state string) error {
	path := getenv("NOTIFY_SOCKET")
	if path == "" {
		return nil
	}
	if path[0] != '/' && path[0] != '@' { // @ is an abstract socket
		return fmt.Errorf("telling the service manager %s: NOTIFY_SOCKET is not a path of a socket", state)
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("telling the service manager %s: %w", state, err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(state)); err != nil {
		return fmt.Errorf("telling the service manager %s: %w", state, err)
	}
	return nil
}

// Watchdog is the longest time the service manager waits for [Alive]; 0: forever.
func Watchdog(getenv func(string) string) time.Duration {
	if pid := getenv("WATCHDOG_PID"); pid != "" && pid != strconv.Itoa(os.Getpid()) {
		return 0
	}
	micros, err := strconv.ParseInt(getenv("WATCHDOG_USEC"), 10, 64)
	if err != nil || micros <= 0 || micros > int64(24*time.Hour/time.Microsecond) {
		return 0
	}
	return time.Duration(micros) * time.Microsecond
}
