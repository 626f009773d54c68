package main

import (
	"database/sql"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// isolatedProgram is a program of this test binary that prepares an empty network
// namespace and runs a command in it.
const isolatedProgram = "isolated-shell"

func init() { testPrograms[isolatedProgram] = isolated }

// isolated is called with the socket of a database and a command: it makes the
// loopback device ready, has the database respond on PostgreSQL's usual port there,
// and ends with the exit code of the command.
func isolated() {
	fail := func(err error) {
		if err != nil {
			os.Stderr.WriteString("isolated: " + err.Error() + "\n")
			os.Exit(125)
		}
	}
	fail(loopbackUp())
	ln, err := net.Listen("tcp", "127.0.0.1:5432") //nolint:noctx // as long as the process lives
	fail(err)
	go forward(ln, "unix", os.Args[1])
	cmd := exec.Command(os.Args[2], os.Args[3:]...) //nolint:noctx // it ends with the namespace
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		os.Exit(ended.ExitCode())
	}
	fail(err)
}

// loopbackUp brings the loopback device of the namespace up.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request)
}

// forward hands connections on until the listener is closed.
func forward(ln net.Listener, network, address string) {
	for {
		from, err := ln.Accept()
		if err != nil {
			return
		}
		go func() {
			defer from.Close()
			to, err := net.Dial(network, address) //nolint:noctx // as long as the process lives
			if err != nil {
				return
			}
			defer to.Close()
			go func() {
				_, _ = io.Copy(to, from)
				_ = to.Close()
			}()
			_, _ = io.Copy(from, to)
		}()
	}
}

// forwardFromSocket makes a TCP address reachable by a socket in the file system, which
// processes in other networks reach, too.
func forwardFromSocket(t *testing.T, address string) (path string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "s") // the path of a socket is short
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	path = filepath.Join(dir, "s")
	ln, err := net.Listen("unix", path) //nolint:noctx // closed below
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	go forward(ln, "tcp", address)
	return path
}

// copyDatabase makes a database of the server a copy of another.
func copyDatabase(t *testing.T, address, from, to string) {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	u.Path = "/postgres"
	db, err := sql.Open("pgx", u.String())
	require.NoError(t, err)
	defer db.Close()
	_, err = db.ExecContext(t.Context(), "CREATE DATABASE "+to+" TEMPLATE "+from+" OWNER adempiere")
	require.NoError(t, err)
}
