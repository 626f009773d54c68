package testproc

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/erphub/erphub/internal/testkit/syncbuffer"
)

// Limits of starting and stopping.
const (
	startTimeout = 30 * time.Second
	stopTimeout  = 5 * time.Second
	poll         = 10 * time.Millisecond
)

// Find returns the path of the first program that is there. A name with a
// slash is a path, another one is looked for on the PATH. Without any
// the test is skipped with the hint, and with CI=true it fails: a build server
// must not skip tests.
func Find(t testing.TB, hint string, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			if abs, err := filepath.Abs(path); err == nil {
				return abs
			}
		}
	}
	message := fmt.Sprintf("none of %q is installed: %s", names, hint)
	if os.Getenv("CI") == "true" {
		t.Fatal(message)
	}
	t.Skip("SKIPPED: " + message)
	return ""
}

// FreePort returns a port of the loopback interface that nobody listens on.
func FreePort(t testing.TB) int {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("find a free port: %v", err)
	}
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port
}

// Command is a program to start.
type Command struct {
	Path string
	Args []string
	Dir  string
	Env  []string // the whole environment besides PATH and LC_ALL
	// Ready reports whether the server can be used. It is asked until it
	// returns nil, the program ends, or time is up.
	Ready func(ctx context.Context) error
}

// Process is a running program.
type Process struct {
	cmd    *exec.Cmd
	done   chan struct{} // closed when it ended
	output *syncbuffer.Buffer
	err    error // of its end, once done is closed
}

// Start starts a program and waits until it is ready. It is stopped when the
// test ends; what it wrote is then logged if the test failed.
func Start(t testing.TB, c Command) *Process {
	t.Helper()
	p := &Process{done: make(chan struct{}), output: new(syncbuffer.Buffer)}
	started := make(chan error)
	go func() {
		// The signal at the end of the parent follows the thread that started
		// the program, so the thread has to stay: it is never unlocked.
		runtime.LockOSThread()
		p.cmd = exec.Command(c.Path, c.Args...)
		p.cmd.Dir = c.Dir
		p.cmd.Env = append([]string{"LC_ALL=C.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"}, c.Env...)
		p.cmd.Stdout, p.cmd.Stderr = p.output, p.output
		p.cmd.SysProcAttr = dieWithParent()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.err = p.cmd.Wait()
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		t.Fatalf("start %s: %v", c.Path, err)
	}
	t.Cleanup(func() {
		p.Stop()
		if t.Failed() {
			t.Logf("%s wrote:\n%s", filepath.Base(c.Path), p.output)
		}
	})
	p.await(t, c)
	return p
}

func (p *Process) await(t testing.TB, c Command) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		err := c.Ready(ctx)
		if err == nil {
			return
		}
		select {
		case <-p.done:
			t.Fatalf("%s ended before it was ready: %v\n%s", c.Path, p.err, p.output)
		case <-ctx.Done():
			t.Fatalf("%s is not ready: %v\n%s", c.Path, err, p.output)
		case <-tick.C:
		}
	}
}

// Stop ends the program and waits for it. Stopping twice is fine.
func (p *Process) Stop() {
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		_ = p.cmd.Process.Kill() // where there are no signals
	}
	select {
	case <-p.done:
	case <-time.After(stopTimeout):
		_ = p.cmd.Process.Kill()
		<-p.done
	}
}

// Signal sends a signal to the program.
func (p *Process) Signal(sig os.Signal) error { return p.cmd.Process.Signal(sig) }

// Dial is a Ready that waits until something listens at an address.
func Dial(addr string) func(context.Context) error {
	return func(ctx context.Context) error {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
		if err != nil {
			return err
		}
		return conn.Close()
	}
}
