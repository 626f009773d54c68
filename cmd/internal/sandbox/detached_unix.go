//go:build unix

package sandbox

import (
	"os"
	"syscall"
)

// ownSession keeps a process from ending with the terminal it was started at.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// askToEnd has a sandbox end in order.
func askToEnd(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
