//go:build unix

package systemd

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
)

// firstFD is the descriptor of the first socket that is passed.
const firstFD = 3

// Listener takes over the socket that the service manager listens on for this
// process (LISTEN_FDS, LISTEN_PID); nil: there is none. It can be taken once. More
// than one is an error: nothing says what the others are for.
func Listener(getenv func(string) string) (net.Listener, error) {
	if getenv("LISTEN_PID") != strconv.Itoa(os.Getpid()) {
		return nil, nil
	}
	n, err := strconv.Atoi(getenv("LISTEN_FDS"))
	if err != nil || n < 0 {
		return nil, errors.New("taking over the socket of the service manager: LISTEN_FDS is not a number")
	}
	if n == 0 {
		return nil, nil
	}
	if n > 1 {
		return nil, fmt.Errorf("taking over the socket of the service manager: it passes %d, and the server needs one; leave one ListenStream in the socket unit", n)
	}
	syscall.CloseOnExec(firstFD)
	file := os.NewFile(firstFD, "socket of the service manager")
	defer file.Close() // the listener has a copy
	ln, err := net.FileListener(file)
	if err != nil {
		return nil, fmt.Errorf("taking over the socket of the service manager: %w", err)
	}
	return ln, nil
}
