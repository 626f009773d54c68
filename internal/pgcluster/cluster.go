//go:build unix

package pgcluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	startTimeout = 60 * time.Second // of a slow machine
	stopTimeout  = 10 * time.Second // until a server that does not end is made to
	portTries    = 3
	maxFolder    = 80 // bytes: addresses of sockets have 104 on some systems
	socketPort   = 5432
)

// Cluster is a running server.
type Cluster struct {
	opts     Options
	bin, dir string
	password string // "" when nobody is asked for one
	port     int
	owner    *syscall.Credential // whom the server runs as; nil: ourselves

	server *exec.Cmd
	exited chan struct{} // closed once the server has ended
	keeper *keeper
	close  func() error
}

// Start makes a cluster and waits until it takes connections. The error wraps
// [ErrNotInstalled] when there is nothing to start.
func Start(ctx context.Context, opts *Options) (_ *Cluster, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("starting a private PostgreSQL server: %w", err)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	c := &Cluster{}
	if opts != nil {
		c.opts = *opts
	}
	c.opts.User = cmp.Or(c.opts.User, "erphub")
	if c.bin, err = find(); err != nil {
		return nil, err
	}
	if c.dir, err = folder(); err != nil {
		return nil, err
	}
	c.close = sync.OnceValue(c.stop)
	// From here on the folder goes, whatever happens to this process.
	if c.keeper, err = keep(c.dir); err != nil {
		return nil, errors.Join(err, os.RemoveAll(c.dir))
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	if c.owner, err = unprivileged(c.dir); err != nil {
		return nil, err
	}
	if err := c.initialize(ctx); err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		// Somebody may have taken the port between finding and using it.
		if err = c.run(ctx); err == nil || !c.opts.Trust || try == portTries || ctx.Err() != nil {
			return c, err
		}
	}
}

// URL is the address of a database for the superuser. It holds the password.
func (c *Cluster) URL(database string) string { return c.As(c.opts.User, c.password, database) }

// As is the address of a database for another login.
func (c *Cluster) As(user, password, database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(user), Path: "/" + database}
	if password != "" {
		u.User = url.UserPassword(user, password)
	}
	q := url.Values{"sslmode": {"disable"}}
	if c.opts.Trust {
		u.Host = net.JoinHostPort("127.0.0.1", strconv.Itoa(c.port))
	} else {
		q.Set("host", c.dir)
		q.Set("port", strconv.Itoa(c.port))
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// Reader makes a login that may connect to the database postgres and nothing else,
// and returns its address for that, which holds a password. Whose tables it is to
// read grants that. Temporary files of its statements are limited to 1 GB.
func (c *Cluster) Reader(ctx context.Context, name string) (address string, err error) {
	conn, err := pgx.Connect(ctx, c.URL("postgres"))
	if err != nil {
		return "", fmt.Errorf("connecting to the private PostgreSQL server: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	password := rand.Text() // letters and digits
	login := pgx.Identifier{name}.Sanitize()
	if _, err := conn.PgConn().Exec(ctx, "CREATE ROLE "+login+" LOGIN NOINHERIT PASSWORD '"+password+"'; ALTER ROLE "+login+" SET temp_file_limit = '1GB';\n"+
		"REVOKE ALL ON DATABASE postgres FROM PUBLIC; GRANT CONNECT ON DATABASE postgres TO "+login+"; REVOKE ALL ON SCHEMA public FROM PUBLIC").ReadAll(); err != nil {
		return "", fmt.Errorf("making a login on the private PostgreSQL server: %w", err)
	}
	return c.As(name, password, "postgres"), nil
}

// Close stops the server, cutting off who is connected, and removes its files.
func (c *Cluster) Close() error { return c.close() }

func (c *Cluster) stop() error {
	c.end()
	err := os.RemoveAll(c.dir)
	c.keeper.release() // which tries it again
	if _, gone := os.Lstat(c.dir); !errors.Is(gone, fs.ErrNotExist) {
		return fmt.Errorf("removing the files of the private PostgreSQL server: %w", errors.Join(err, gone))
	}
	return nil
}

// end stops the server, if it runs.
func (c *Cluster) end() {
	if c.server == nil {
		return
	}
	// SIGINT ends it in order; SIGQUIT at once, and its children with it.
	for _, signal := range []os.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGKILL} {
		_ = c.server.Process.Signal(signal) // it may have ended by itself
		select {
		case <-c.exited:
			c.server = nil
			return
		case <-time.After(stopTimeout):
		}
	}
}

// rootTemp is where everybody may get.
var rootTemp = "/tmp"

// folder makes the folder of a cluster, which nobody else can enter.
func folder() (string, error) {
	parent := os.TempDir()
	// The user that the server runs as instead of root may not get into root's.
	if os.Geteuid() == 0 || len(parent) > maxFolder-len("/erphub-pg-1234567890") {
		parent = rootTemp
	}
	dir, err := os.MkdirTemp(parent, "erphub-pg-") // with mode 0700
	if err != nil {
		return "", fmt.Errorf("making a folder for its files: %w", err)
	}
	return dir, nil
}

// command is a program of PostgreSQL, with nothing of our environment. It has a
// session of its own, so that Ctrl-C at a terminal does not reach it.
func (c *Cluster) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(c.bin, program), args...)
	cmd.Dir = c.dir
	cmd.Env = []string{"LC_ALL=C", "TZ=UTC", "PATH=" + c.bin + ":/usr/bin:/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: c.owner}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // with what it has started
	return cmd
}

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

// initialize makes the server's files.
func (c *Cluster) initialize(ctx context.Context) error {
	args := []string{"-D", c.data(), "-U", c.opts.User, "-E", "UTF8", "--no-sync"}
	if c.opts.Trust {
		args = append(args, "-A", "trust")
	} else {
		c.password = rand.Text()
		file := filepath.Join(c.dir, "password")
		if err := os.WriteFile(file, []byte(c.password+"\n"), 0o600); err != nil {
			return err
		}
		defer os.Remove(file) //nolint:errcheck // the folder is removed with what is in it
		if c.owner != nil {
			if err := os.Chown(file, int(c.owner.Uid), int(c.owner.Gid)); err != nil {
				return err
			}
		}
		args = append(args, "-A", "scram-sha-256", "--pwfile="+file)
	}
	// Texts are compared by their bytes; letters are those of Unicode where the
	// system knows such a locale.
	var said []byte
	var err error
	for _, locale := range []string{"--locale=C.UTF-8", "--locale=C"} {
		if said, err = c.command(ctx, "initdb", append(args, locale)...).CombinedOutput(); err == nil {
			return nil
		}
		if ctx.Err() != nil {
			break
		}
		if err := os.RemoveAll(c.data()); err != nil {
			return err
		}
	}
	return errors.Join(ctx.Err(), fmt.Errorf("initdb: %w\n%s", err, said))
}

// settings are those of a server that keeps nothing and serves one program.
var settings = []string{
	"fsync=off", "synchronous_commit=off", "full_page_writes=off", "wal_level=minimal", "max_wal_senders=0", "max_wal_size=128MB",
	"shared_buffers=64MB", "max_connections=40", "max_locks_per_transaction=512", "autovacuum_naptime=30s", "timezone=UTC", "log_min_messages=fatal", "log_min_error_statement=panic",
}

// run starts the server and waits until it takes connections.
func (c *Cluster) run(ctx context.Context) error {
	listen := ""
	c.port = socketPort
	if c.opts.Trust {
		listen = "127.0.0.1"
		var err error
		if c.port, err = freePort(); err != nil {
			return err
		}
	}
	args := []string{"-D", c.data(), "-k", c.dir, "-p", strconv.Itoa(c.port), "-c", "listen_addresses=" + listen, "-c", "unix_socket_permissions=0700"}
	for _, s := range append(settings, c.opts.Settings...) {
		args = append(args, "-c", s)
	}
	output, err := os.Create(filepath.Join(c.dir, "log"))
	if err != nil {
		return err
	}
	defer output.Close()
	cmd := c.command(context.WithoutCancel(ctx), "postgres", args...)
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting postgres: %w", err)
	}
	c.server, c.exited = cmd, make(chan struct{})
	exited := c.exited
	go func() {
		_ = cmd.Wait() // what it says is in the log
		close(exited)
	}()
	if err := c.ready(ctx); err != nil {
		c.end()
		said, _ := os.ReadFile(output.Name()) // there may be nothing
		return fmt.Errorf("it does not respond: %w\n%s", err, strings.TrimSpace(string(said)))
	}
	return nil
}

// ready waits until the server takes connections.
func (c *Cluster) ready(ctx context.Context) error {
	config, err := pgx.ParseConfig(c.URL("postgres"))
	if err != nil {
		return errors.New("its address cannot be read") // the driver's message contains it
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, last := pgx.ConnectConfig(ctx, config)
		if last == nil {
			return conn.Close(ctx)
		}
		select {
		case <-c.exited:
			return errors.New("it ended")
		case <-ctx.Done():
			return fmt.Errorf("%w: %s", ctx.Err(), strings.TrimSpace(last.Error()))
		case <-tick.C:
		}
	}
}

func freePort() (int, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return ln.Addr().(*net.TCPAddr).Port, ln.Close()
}
