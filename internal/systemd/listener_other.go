//go:build !unix

package systemd

import "net"

// Listener is nil: sockets are not passed on this system.
func Listener(func(string) string) (net.Listener, error) { return nil, nil }
