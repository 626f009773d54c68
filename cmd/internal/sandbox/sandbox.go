package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/gofrs/flock"
	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/demo"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/erptest/twin"
	"github.com/erphub/erphub/internal/atomicfile"
	"github.com/erphub/erphub/internal/config"
)

// readyFile is what a sandbox writes once it is ready.
type readyFile struct {
	URL string `json:"url"`
	PID int    `json:"pid"`
	SQL string `json:"sql"` // what runs the statements of the AI API: embedded or postgresql
}

func (a *app) sandboxCommand() *cli.Command {
	return &cli.Command{
		Name:  "sandbox",
		Usage: "serve an embedded ERP with demo data",
		Description: "The sandbox is a real server on a real dictionary: log in as SuperUser / System (tenant 0, role 0) " +
			"or as GardenAdmin / GardenAdmin (tenant 11, role 102). It ends with the program; with --data it keeps " +
			"what it holds, also when it is killed. A power failure can undo the last writes; with --durable each one " +
			"waits for the disk, and none. Beside the ERP's API it serves the AI API at /api/ai and the generator at " +
			"/api/generate/plugin, for tokens of its own. Its users and passwords are known to everyone: it listens on\n" +
			"loopback (127.0.0.1) by default. What goes wrong inside goes to standard error; --debug logs each request.\n\n" +
			"With --detach the command returns when the sandbox is ready, which goes on by itself: `erphub sandbox status` lists " +
			"those that run, `erphub sandbox stop` ends one.\n\n" +
			"--write-profiles stores two logins in the configuration, for --profile or ERPHUB_PROFILE: garden is GardenAdmin, who " +
			"sees the business data of the tenant GardenWorld; system is SuperUser, who keeps the dictionary. garden is used " +
			"from then on where no other profile was.\n\n" +
			"--postgres has the SQL of the AI API, and so of the tool server, run by PostgreSQL in all of its dialect; the " +
			"embedded database knows a part of it. The ERP stays where it is: PostgreSQL holds a copy of its tables, which has " +
			"whatever was written before a statement came. `auto` starts a server of the PostgreSQL that is installed, for this " +
			"sandbox alone and as long as it runs. An address names a database of a server, with a login that may create a " +
			"schema there (GRANT CREATE ON DATABASE); its schema adempiere is created by the sandbox, stays afterwards, and is " +
			"replaced by the next one, which makes its own in adempiere_new first and removes the former one as adempiere_old. A schema of that name which no sandbox has made is refused and left alone, and one " +
			"database serves one sandbox at a time. A password belongs into a file (--postgres-file) or into PGPASSFILE.\n\n" +
			"`erphub sandbox clone` makes a twin of your own ERP in a folder; --data with that folder serves it, and " +
			"`erphub sandbox diff` tells what in the ERP's dictionary changed since; `refresh` brings it up to date.",
		Subcommands: []*cli.Command{a.statusCommand(), a.stopCommand(), a.cloneCommand(), a.refreshCommand(), a.twinDiffCommand()},
		Flags: append(sandboxFlags(),
			&cli.BoolFlag{Name: "detach", Usage: "return when the sandbox is ready, which goes on by itself until `erphub sandbox stop`"}),
		Action: shell.Takes(func(c *cli.Context) error {
			if c.Bool("detach") && a.Getenv(config.DetachedVariable) == "" {
				return a.detach(c)
			}
			return a.sandboxAction(c)
		}),
	}
}

// sandboxFlags are all flags of the command.
func sandboxFlags() []cli.Flag {
	flags := append(shell.ListenFlags("127.0.0.1:8080"), shell.LogFlags()...)
	flags = append(flags, []cli.Flag{
		&cli.StringSliceFlag{Name: "host", Usage: "further host name under which clients reach a sandbox that listens on loopback; one that other machines reach takes every name; repeatable"},
		&cli.StringFlag{Name: "data", Usage: "`FOLDER` that keeps the data; without it they are in memory", TakesFile: true},
		&cli.BoolFlag{Name: "durable", Usage: "with --data: have each write wait for the disk, so that a power failure undoes nothing"},
		&cli.StringFlag{Name: "ready-file", Usage: `file to write {"url","pid","sql"} to once the server is ready`, TakesFile: true},
		&cli.BoolFlag{Name: "write-profiles", Usage: "store the sandbox's logins as profiles system and garden of the configuration"},
		&cli.BoolFlag{Name: "fixed-dates", Usage: "give a new sandbox demo data that are the same every day, of January 2024 to March 2025; otherwise they end today"},
		&cli.BoolFlag{Name: "strict", Usage: "accept only what the real server accepts: no PATCH, and no numbers for processes"},
	}...)
	return append(flags, sandboxPostgresFlags()...)
}

// sandboxAction serves as flags and settings say.
func (a *app) sandboxAction(c *cli.Context) error {
	s, err := a.SetupFor(c, true)
	if err != nil {
		return err
	}
	if err := a.FillFlags(c, s, "sandbox", sandboxFlags()); err != nil {
		return err
	}
	log, err := a.sandboxLog(c)
	if err != nil {
		return err
	}
	if c.Bool("durable") && c.String("data") == "" {
		return shell.Usagef("--durable needs data on disk: name their folder with --data")
	}
	o := sandboxOptions{
		durable: c.Bool("durable"),
		log:     log, hosts: c.StringSlice("host"), listen: func(ctx context.Context) (*shell.Listener, error) { return a.Listen(ctx, c, log) }, data: c.String("data"), readyFile: c.String("ready-file"), strict: c.Bool("strict"), fixedDates: c.Bool("fixed-dates"), json: c.Bool("json"),
	}
	if o.postgres, err = a.postgresOptions(c); err != nil {
		return err
	}
	if c.Bool("write-profiles") {
		o.profiles = func(ctx context.Context, url string) error { return a.writeSandboxProfiles(ctx, c, url) }
	}
	return a.sandbox(c.Context, o)
}

// sandboxLog has warnings, unless more is requested.
func (a *app) sandboxLog(c *cli.Context) (*slog.Logger, error) {
	if !c.IsSet("log-level") {
		if err := c.Set("log-level", "warn"); err != nil {
			return nil, err
		}
	}
	return a.ServerLog(c)
}

type sandboxOptions struct {
	listen                func(context.Context) (*shell.Listener, error)
	hosts                 []string // further names of a sandbox on loopback
	log                   *slog.Logger
	data, readyFile       string
	strict, json, durable bool
	fixedDates            bool // of the demo data
	postgres              postgresOptions
	profiles              func(ctx context.Context, url string) error // stores logins; nil: none
	twin                  *twin.Info                                  // what is served, if it is a twin
	detached              *detached                                   // nil: it runs in front
}

func (a *app) sandbox(ctx context.Context, o sandboxOptions) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if o.detached, err = a.hold(); err != nil {
		return err
	}
	opts := erptest.Options{Logger: o.log, Strict: o.strict, Durable: o.durable, Recent: !o.fixedDates}
	if o.data != "" {
		unlock, err := lockData(o.data)
		if err != nil {
			return err
		}
		defer unlock()
		opts.Path = filepath.Join(o.data, "erp.db")
		if o.twin, err = twinIn(ctx, o.data); err != nil {
			return err
		}
		if o.twin != nil && o.profiles != nil {
			return shell.Usagef("--write-profiles stores the logins of the demo data, and %s has a twin with users of its own: log in with erphub auth login", o.data)
		}
	}
	if o.readyFile != "" { // one of an earlier run would mislead whoever waits for it
		if err := os.Remove(o.readyFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing the ready file of an earlier run: %w", err)
		}
	}
	defer a.OnHangup(opts.Logger, nil)()
	sandbox, served, err := startSandbox(ctx, opts, o)
	if err != nil {
		return err
	}
	if o.profiles != nil {
		err = o.profiles(ctx, sandbox.url)
	}
	if err == nil {
		err = a.announce(sandbox, o)
	}
	if err != nil {
		cancel() // the server still ends in order
		return errors.Join(err, <-served)
	}
	if o.readyFile != "" {
		defer os.Remove(o.readyFile) //nolint:errcheck // the server is gone either way
	}
	told := a.Started(ctx, o.log)
	err = <-served
	cancel()
	told()
	runtime.KeepAlive(o.detached)
	return err
}

// announce tells people and programs that the server responds.
func (a *app) announce(s *sandboxServices, o sandboxOptions) error {
	ready := readyFile{URL: s.url, PID: os.Getpid(), SQL: s.postgres.kind()}
	if o.readyFile != "" {
		text, err := json.Marshal(ready)
		if err != nil {
			return err
		}
		if err := atomicfile.Write(o.readyFile, append(text, '\n'), 0o644); err != nil {
			return fmt.Errorf("writing the ready file: %w", err)
		}
	}
	if o.json && o.detached == nil {
		return a.PrintJSON(ready)
	}
	next := talkToIt(s.url)
	if o.profiles != nil {
		next = talkByProfile()
	}
	if o.twin != nil {
		next = talkToTwin(s.url, o.twin)
	}
	if s.postgres != nil && s.postgres.note != "" {
		a.Note("%s", s.postgres.note)
	}
	end := "stop with Ctrl-C"
	if o.detached != nil {
		end = fmt.Sprintf("process %d; erphub sandbox stop ends it", ready.PID)
	}
	_, err := fmt.Fprintf(a.Streams.Err, "the embedded ERP is ready at %s (%s)\nSQL of its AI API is run by %s\n%s", s.url, end, s.postgres.about(), next)
	if err == nil && o.detached != nil {
		err = o.detached.write(ready, o.data) // the last: who waits for it prints what was printed
	}
	return err
}

// talkByProfile shows what the profiles of a sandbox are for.
func talkByProfile() string {
	var b strings.Builder
	for _, l := range sandboxLogins {
		fmt.Fprintf(&b, "  erphub --profile %-7s %s: %s\n", l.profile, l.username, l.about)
	}
	return b.String()
}

// talkToIt shows how to reach a sandbox with curl and erphub.
func talkToIt(url string) string {
	return demo.TalkToIt(url) + fmt.Sprintf(`  query:    ERP_URL=%[1]s ERP_USERNAME=GardenAdmin ERP_PASSWORD=GardenAdmin ERP_CLIENT_ID=11 ERP_ROLE_ID=102 \
              erphub query 'SELECT name FROM c_bpartner'

`, url)
}

// lockData makes the data directory and keeps other processes out of it.
func lockData(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the data directory: %w", err)
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	got, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("locking the data directory %s: %w", dir, err)
	}
	if !got {
		return nil, fmt.Errorf("the data directory %s is in use by another sandbox: stop that one, or choose another --data", dir)
	}
	return func() { _ = lock.Unlock() }, nil // the system frees it with the process at the latest
}

// startSandbox serves an embedded ERP until ctx ends; served then tells how
// that went.
func startSandbox(ctx context.Context, opts erptest.Options, o sandboxOptions) (_ *sandboxServices, served <-chan error, err error) {
	srv, err := erptest.Open(ctx, opts)
	if err != nil {
		return nil, nil, err
	}
	ln, err := o.listen(ctx)
	if errors.Is(err, syscall.EADDRINUSE) {
		err = fmt.Errorf("%w; a sandbox that was detached ends with erphub sandbox stop", err)
	}
	if err != nil {
		return nil, nil, errors.Join(err, srv.Close())
	}
	beside := &sandboxServices{erp: srv, url: ln.URL, log: opts.Logger, hosts: o.hosts, page: startPage(ln.URL, o.twin)}
	if !ln.Loopback {
		beside.hosts = []string{"*"} // containers and machines have names that nobody lists
	}
	if opts.Path != "" {
		beside.data = filepath.Dir(opts.Path)
	}
	if beside.postgres, err = openSandboxPostgres(ctx, srv, o.postgres, opts.Logger); err != nil {
		return nil, nil, errors.Join(err, ln.Close(), srv.Close())
	}
	done := make(chan error, 1)
	go func() { done <- errors.Join(serveSandbox(ctx, ln, srv, beside), beside.postgres.close(), srv.Close()) }()
	return beside, done, nil
}
