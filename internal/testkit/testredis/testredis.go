// Package testredis starts a real Redis, or Valkey, for a test.
package testredis

import (
	"net"
	"strconv"
	"testing"

	"github.com/erphub/erphub/internal/testkit/testproc"
)

// Server is a running server without data on disk.
type Server struct {
	// Addr is where it listens, on loopback.
	Addr string

	proc *testproc.Process
}

// Start starts a server, which ends with the test. Where none is installed the
// test is skipped, and with CI=true it fails.
func Start(t testing.TB) *Server {
	t.Helper()
	program := testproc.Find(t, "install the package redis-server", "redis-server", "valkey-server")
	port := strconv.Itoa(testproc.FreePort(t))
	s := &Server{Addr: net.JoinHostPort("127.0.0.1", port)}
	s.proc = testproc.Start(t, testproc.Command{
		Path:  program,
		Args:  []string{"--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--daemonize", "no", "--logfile", ""},
		Dir:   t.TempDir(),
		Ready: testproc.Dial(s.Addr),
	})
	return s
}

// URL is the address as clients take it.
func (s *Server) URL() string { return "redis://" + s.Addr + "/0" }

// Stop ends the server before the test does.
func (s *Server) Stop() { s.proc.Stop() }
