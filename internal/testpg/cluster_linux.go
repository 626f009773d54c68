package testpg

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	startTimeout = 30 * time.Second
	portTries    = 3
)

// cluster is a running server.
type cluster struct {
	port  int
	alive *os.File // tells the cleaner, by being closed with this process, that it is over
}

func (c *cluster) url(database string) string {
	return fmt.Sprintf("postgres://test@127.0.0.1:%d/%s?sslmode=disable", c.port, database)
}

// start makes and starts a cluster. It ends with this process: the server is
// sent SIGQUIT by the kernel, and its folder is removed by a shell that waits
// for it, because nobody tells a library when a test binary ends.
func start(ctx context.Context) (_ *cluster, err error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	// Socket paths are limited to 107 bytes, so the folder is not below the
	// test's own, which can be long.
	dir, err := os.MkdirTemp("/tmp", "testpg")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	credential, err := unprivileged(dir)
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	if err := initdb(ctx, bin, dir, data, credential); err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		c, err := run(ctx, bin, dir, data, credential)
		// Somebody may have taken the port between finding and using it.
		if err == nil || try == portTries || ctx.Err() != nil {
			return c, err
		}
	}
}

// run starts the server on a free port and waits until it answers.
func run(ctx context.Context, bin, dir, data string, credential *syscall.Credential) (*cluster, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	c := &cluster{port: port}
	exited, output, err := c.serve(bin, dir, data, credential)
	if err != nil {
		return nil, err
	}
	if err := c.ready(ctx, exited); err != nil {
		return nil, fmt.Errorf("PostgreSQL does not answer: %w\n%s", err, output)
	}
	// Nothing tells a library when the test binary ends.
	if c.alive, err = cleaner(dir); err != nil {
		return nil, err
	}
	return c, nil
}

// binaries finds the folder of the newest PostgreSQL.
func binaries() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil {
		return "", err
	}
	best, newest := "", -1.0
	for _, path := range found {
		dir := filepath.Dir(path)
		version, err := strconv.ParseFloat(filepath.Base(filepath.Dir(dir)), 64)
		if _, missing := os.Stat(filepath.Join(dir, "initdb")); err == nil && missing == nil && version > newest {
			best, newest = dir, version
		}
	}
	if best != "" {
		return best, nil
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path), nil
		}
	}
	return "", errMissing
}

// unprivileged is whom the server runs as, because it refuses to run as root;
// nil means ourselves. The folder becomes that user's.
func unprivileged(dir string) (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		if u, err = user.Lookup("nobody"); err != nil {
			return nil, fmt.Errorf("find a user to run PostgreSQL as: %w", err)
		}
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	if err := os.Chown(dir, int(uid), int(gid)); err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

func command(ctx context.Context, dir string, credential *syscall.Credential, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = []string{"LC_ALL=C.UTF-8", "PATH=" + filepath.Dir(name) + ":/usr/bin:/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT, Credential: credential}
	return cmd
}

func initdb(ctx context.Context, bin, dir, data string, credential *syscall.Credential) error {
	// Pdeathsig follows the thread that starts the process.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := command(ctx, dir, credential, filepath.Join(bin, "initdb"),
		"-D", data, "-U", "test", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return nil
}

func freePort() (int, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return ln.Addr().(*net.TCPAddr).Port, ln.Close()
}

// serve starts the server. Its error comes when it ends.
func (c *cluster) serve(bin, dir, data string, credential *syscall.Credential) (<-chan error, *bytes.Buffer, error) {
	output := new(bytes.Buffer)
	started, exited := make(chan error), make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread has to live as long as the server
		cmd := command(context.Background(), dir, credential, filepath.Join(bin, "postgres"), "-D", data, "-k", dir,
			"-p", strconv.Itoa(c.port), "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off",
			"-c", "synchronous_commit=off", "-c", "full_page_writes=off", "-c", "max_connections=100")
		cmd.Stderr, cmd.Stdout = output, output
		err := cmd.Start()
		started <- err
		if err == nil {
			exited <- cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return nil, nil, fmt.Errorf("start postgres: %w", err)
	}
	return exited, output, nil
}

// cleaner starts the shell that removes the folder. Its input ends when this
// process does, which is when the file it returns is closed.
func cleaner(dir string) (*os.File, error) {
	input, output, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer input.Close()
	cmd := exec.Command("/bin/sh", "-c", `cat >/dev/null; n=0
while [ -e "$1/data/postmaster.pid" ] && [ $n -lt 50 ]; do sleep 0.1; n=$((n+1)); done
rm -rf -- "$1"`, "sh", dir)
	cmd.Stdin = input
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, output.Close())
	}
	return output, cmd.Process.Release()
}

// ready waits until the server takes connections.
func (c *cluster) ready(ctx context.Context, exited <-chan error) error {
	db, err := sql.Open("pgx", c.url("postgres"))
	if err != nil {
		return err
	}
	defer db.Close()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		last := db.PingContext(ctx)
		if last == nil {
			return nil
		}
		select {
		case err := <-exited:
			return fmt.Errorf("it ended: %w", errors.Join(err, last))
		case <-ctx.Done():
			return fmt.Errorf("%w: %s", ctx.Err(), strings.TrimSpace(last.Error()))
		case <-tick.C:
		}
	}
}
