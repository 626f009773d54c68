package sandbox

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/internal/atomicfile"
	"github.com/erphub/erphub/internal/config"
)

// recordVersion is the number of the records' form; others are refused.
const recordVersion = 1

// waitTick is how often somebody who waits for another process looks.
const waitTick = 10 * time.Millisecond

// detached is a sandbox that runs by itself. Its process holds the lock of the record
// as long as it lives, so a record without a holder is of one that was killed.
type detached struct {
	Version int `json:"version"`
	readyFile
	Data    string    `json:"data,omitempty"` // folder; empty: in memory
	Log     string    `json:"log"`            // file that has what the process prints
	Started time.Time `json:"started"`

	path string       // of the record
	held *flock.Flock // of this process; one that nobody keeps is closed
}

func (d *detached) lock() *flock.Flock { return flock.New(d.path + ".lock") }

// remove removes what a sandbox that has ended leaves.
func (d *detached) remove() error {
	var all error
	for _, path := range []string{d.path, d.Log, d.path + ".lock"} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			all = errors.Join(all, err)
		}
	}
	return all
}

// hold makes this process the holder of the record that it was started with; nil when
// it runs in front.
func (a *app) hold() (*detached, error) {
	path := a.Getenv(config.DetachedVariable)
	if path == "" {
		return nil, nil
	}
	d := &detached{path: path, Log: path + ".log", Started: time.Now().UTC().Truncate(time.Second)}
	d.held = d.lock()
	held, err := d.held.TryLock() // the system frees it with the process
	if err == nil && !held {
		err = errors.New("another process holds it")
	}
	if err != nil {
		return nil, fmt.Errorf("locking %s.lock: %w", path, err)
	}
	return d, nil
}

// write tells the process that waits, and those that come later, that it is ready.
func (d *detached) write(ready readyFile, data string) error {
	d.Version, d.readyFile = recordVersion, ready
	if data != "" {
		full, err := filepath.Abs(data)
		if err != nil {
			return err
		}
		d.Data = full
	}
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	return atomicfile.Write(d.path, append(text, '\n'), 0o600)
}

func readDetached(path string) (*detached, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d := &detached{path: path}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if d.Version != recordVersion {
		return nil, fmt.Errorf("%s has form %d, and this erphub reads form %d alone: stop the sandbox with the erphub that started it", path, d.Version, recordVersion)
	}
	return d, nil
}

// folder is where the records of detached sandboxes are.
func (a *app) folder() (string, error) {
	dir := a.StateFile("sandboxes")
	if dir == "" {
		return "", shell.Usagef("a sandbox that runs by itself needs a place to say where it is: set HOME, or XDG_STATE_HOME")
	}
	return dir, nil
}

// detach starts a sandbox as a process of its own and returns when it is ready.
func (a *app) detach(c *cli.Context) error {
	dir, err := a.folder()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making the folder for detached sandboxes: %w", err)
	}
	d := &detached{path: filepath.Join(dir, strings.ToLower(rand.Text())+".json")}
	d.Log = d.path + ".log"
	log, err := os.OpenFile(d.Log, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("starting the sandbox: %w", err)
	}
	defer log.Close()
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("starting the sandbox: %w", err)
	}
	cmd := exec.Command(program, a.Args[1:]...) // it outlives this process and its context
	cmd.Args[0] = a.Args[0]
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = log, log, ownSession()
	for name, value := range a.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Env = append(cmd.Env, config.DetachedVariable+"="+d.path)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting the sandbox: %w", errors.Join(err, d.remove()))
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(waitTick)
	defer tick.Stop()
	for {
		select {
		case <-c.Context.Done():
			return errors.Join(context.Cause(c.Context), cmd.Process.Kill(), <-ended, d.remove())
		case <-ended:
			return errors.Join(a.sayLog(d), d.remove(), shell.Exited(cmd.ProcessState.ExitCode()))
		case <-tick.C:
			ready, err := readDetached(d.path)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				continue
			case err != nil:
				return err
			case c.Bool("json"):
				return a.PrintJSON(ready.readyFile)
			}
			return a.sayLog(d)
		}
	}
}

// sayLog prints what the process has printed so far.
func (a *app) sayLog(d *detached) error {
	text, err := os.ReadFile(d.Log)
	if err == nil {
		_, err = a.Streams.Err.Write(text)
	}
	return err
}

// running are the detached sandboxes that run, the oldest first. What is left of
// those that were killed is removed.
func (a *app) running() ([]*detached, error) {
	dir, err := a.folder()
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var list []*detached
	for _, path := range files {
		d, err := readDetached(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it ended just now
		}
		if err != nil {
			return nil, fmt.Errorf("reading the record of a sandbox: %w; remove the file if no sandbox runs", err)
		}
		lock := d.lock()
		held, err := lock.TryLock()
		if err != nil {
			return nil, fmt.Errorf("checking whether a sandbox runs: %w", err)
		}
		if held { // nobody else does
			if err := errors.Join(lock.Unlock(), d.remove()); err != nil {
				return nil, err
			}
			continue
		}
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b *detached) int { return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.PID, b.PID)) })
	return list, nil
}
