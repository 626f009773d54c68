package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
)

// stopTime is how long a sandbox may take to end: a request that runs ends first.
const stopTime = 30 * time.Second

func (a *app) statusCommand() *cli.Command {
	return &cli.Command{
		Name:        "status",
		Usage:       "list the sandboxes that were started with --detach and run",
		Description: "The exit code is 1 when none runs.",
		Flags:       shell.OutputFlags(),
		Action: shell.Takes(func(c *cli.Context) error {
			list, err := a.running()
			if err != nil {
				return err
			}
			if choice, err := a.Choice(c, ""); err != nil || len(list) == 0 && choice.ForPeople() {
				return cmp.Or(err, errNoneRuns)
			}
			var rows [][]string
			for _, d := range list {
				rows = append(rows, []string{d.URL, strconv.Itoa(d.PID), shell.OrDash(d.Data), d.Started.Local().Format(time.DateTime), d.Log})
			}
			if list == nil {
				list = []*detached{}
			}
			err = a.Print(c, map[string]any{"sandboxes": list}, output.Table{
				Columns: output.Columns("address=url", ">process=pid", "data", "started", "log"), Rows: rows, List: "sandboxes",
			})
			if err == nil && len(list) == 0 {
				err = errNoneRuns
			}
			return err
		}),
	}
}

var errNoneRuns = errors.New("no sandbox runs that was started with --detach")

func (a *app) stopCommand() *cli.Command {
	return &cli.Command{
		Name:      "stop",
		Usage:     "end a sandbox that was started with --detach",
		ArgsUsage: "[ADDRESS | PORT]...",
		Description: "Without an argument, the only one there is. It returns when the process has ended. Data in memory are gone then; " +
			"those in a folder (--data) stay.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "all", Usage: "all of them"}},
		Action: shell.TextOnly(func(c *cli.Context) error {
			list, err := a.running()
			if err != nil {
				return err
			}
			if list, err = chosen(list, c.Args().Slice(), c.Bool("all")); err != nil {
				return err
			}
			for _, d := range list {
				if err := d.stop(c.Context); err != nil {
					return fmt.Errorf("stopping the sandbox at %s (process %d): %w", d.URL, d.PID, err)
				}
				a.Note("the sandbox at %s has ended", d.URL)
			}
			return nil
		}),
	}
}

// chosen are those of the sandboxes that are meant.
func chosen(list []*detached, which []string, all bool) ([]*detached, error) {
	var names []string
	for _, d := range list {
		names = append(names, d.URL)
	}
	switch {
	case len(list) == 0:
		return nil, errNoneRuns
	case all && len(which) > 0:
		return nil, shell.Usagef("--all ends all sandboxes; name none beside it")
	case all, len(which) == 0 && len(list) == 1:
		return list, nil
	case len(which) == 0:
		return nil, shell.Usagef("which sandbox? Name its address or port, or give --all: %s", strings.Join(names, ", "))
	}
	var meant []*detached
	for _, name := range which {
		found := false
		for _, d := range list {
			u, err := url.Parse(d.URL)
			if err == nil && (name == d.URL || name == u.Host || name == u.Port()) {
				meant, found = append(meant, d), true
			}
		}
		if !found {
			return nil, shell.Usagef("no sandbox runs at %q; there are: %s", name, strings.Join(names, ", "))
		}
	}
	return meant, nil
}

// stop ends the process and waits for its end.
func (d *detached) stop(ctx context.Context) error {
	process, err := os.FindProcess(d.PID)
	if err != nil {
		return err
	}
	if err := askToEnd(process); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, stopTime, fmt.Errorf("it has not ended after %s; its log is %s", stopTime, d.Log))
	defer cancel()
	lock := d.lock()
	if _, err := lock.TryLockContext(ctx, waitTick); err != nil {
		return context.Cause(ctx)
	}
	return errors.Join(lock.Unlock(), d.remove())
}
