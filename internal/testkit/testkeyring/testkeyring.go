//go:build linux

// Package testkeyring runs the keyring of a Linux desktop for a test: a session
// bus of its own, and the Secret Service of GNOME on it.
package testkeyring

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/godbus/dbus/v5"

	"github.com/erphub/erphub/internal/testkit/testproc"
)

// busConfig is a bus on which no program is started when somebody calls it, so
// that nothing asks a person for a password.
const busConfig = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=%s</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`

// Service is a running Secret Service with an unlocked keyring.
type Service struct {
	// Env is the environment of programs that shall find it.
	Env []string
	// Dir is where the keyring is on disk.
	Dir string

	program string
	daemon  *testproc.Process
}

// Start starts bus and service, which end with the test. Where they are not
// installed the test is skipped, and with CI=true it fails.
func Start(t testing.TB) *Service {
	t.Helper()
	bus := testproc.Find(t, "install the package dbus", "dbus-daemon")
	program := testproc.Find(t, "install the package gnome-keyring", "gnome-keyring-daemon")
	dir, err := os.MkdirTemp("", "keyring") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket, config := filepath.Join(dir, "bus"), filepath.Join(dir, "bus.conf")
	if err := os.WriteFile(config, fmt.Appendf(nil, busConfig, socket), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &Service{program: program, Dir: filepath.Join(dir, "keyrings"), Env: []string{
		"DBUS_SESSION_BUS_ADDRESS=unix:path=" + socket, "XDG_RUNTIME_DIR=" + dir, "XDG_DATA_HOME=" + dir, "HOME=" + dir,
	}}
	testproc.Start(t, testproc.Command{
		Path: bus, Args: []string{"--config-file=" + config, "--nofork", "--nopidfile"}, Dir: dir, Env: s.Env,
		Ready: func(ctx context.Context) error {
			conn, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
			if err == nil {
				err = conn.Close()
			}
			return err
		},
	})
	s.start(t, "--unlock")
	return s
}

// start starts the service on the bus. With --unlock its standard input is the
// password of the keyring.
func (s *Service) start(t testing.TB, flags string) {
	t.Helper()
	s.daemon = testproc.Start(t, testproc.Command{
		Path: "/bin/sh",
		Args: []string{"-c", fmt.Sprintf("exec %s --foreground --components=secrets %s <<E\npassword\nE", s.program, flags)},
		Dir:  filepath.Dir(s.Dir), Env: s.Env,
		Ready: s.responds,
	})
}

// responds asks the bus whether the service is on it.
func (s *Service) responds(ctx context.Context) error {
	_, address, _ := strings.Cut(s.Env[0], "=")
	conn, err := dbus.Connect(address, dbus.WithContext(ctx))
	if err != nil {
		return err
	}
	defer conn.Close()
	var owned bool
	err = conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, "org.freedesktop.secrets").Store(&owned)
	if err == nil && !owned {
		err = errors.New("the service is not on the bus")
	}
	return err
}

// Lock locks the keyring, as after a login without its password: nobody is there
// to unlock it.
func (s *Service) Lock(t testing.TB) {
	t.Helper()
	s.Stop()
	s.start(t, "")
}

// Hang has the service respond no more, until the test ends.
func (s *Service) Hang(t testing.TB) {
	t.Helper()
	if err := s.daemon.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.daemon.Signal(syscall.SIGKILL) }) // it hears no other
}

// Stop ends the service; the bus stays.
func (s *Service) Stop() { s.daemon.Stop() }
