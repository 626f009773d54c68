package deploy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/text"
)

func (a *app) deployWatchCommand() *cli.Command {
	return &cli.Command{
		Name: "watch", Usage: "follow the runs as they change", ArgsUsage: "[ENVIRONMENT]",
		Description: "Shows one progress bar per environment on a terminal, else one line per change; with --json one JSON " +
			"object per line. Ends with Ctrl-C, or with --until-done when nothing is in progress any more.",
		Flags: []cli.Flag{
			clientFlag(),
			&cli.DurationFlag{Name: "every", Value: time.Second, Usage: "time between two looks while something happens"},
			&cli.BoolFlag{Name: "until-done", Usage: "end when no run is in progress"},
		},
		Action: a.deployWatch,
	}
}

// watchView shows changes.
type watchView interface {
	show(change deploylog.Change) error
}

func (a *app) deployWatch(c *cli.Context) error {
	env, err := environmentArgument(c)
	if err != nil {
		return err
	}
	client, err := clientID(c)
	if err != nil {
		return err
	}
	if c.Duration("every") <= 0 {
		return shell.Usagef("--every is a length of time such as 2s")
	}
	log, err := a.deployLog(c)
	if err != nil {
		return err
	}
	if c.Bool("until-done") {
		done, err := nothingInProgress(c.Context, log, deploylog.StatusQuery{Environment: env, Client: client})
		if err != nil {
			return deployError(err)
		}
		if done {
			a.Note("no run is in progress")
			return nil
		}
	}
	return a.followRuns(c, log, env, client)
}

// followRuns shows changes until nothing is in progress, or for ever.
func (a *app) followRuns(c *cli.Context, log *deploylog.Log, env deploylog.Environment, client erp.ID) error {
	view := a.watchView(c)
	open := map[string]bool{}
	for change, err := range log.Watch(c.Context, deploylog.WatchQuery{Environment: env, Client: client, Every: c.Duration("every"), Patience: 10 * time.Minute}) {
		if errors.Is(err, context.Canceled) && c.Context.Err() != nil {
			return errors.Join(shell.ErrReported, err) // Ctrl-C is how one leaves, but nothing is done
		}
		if err != nil {
			return deployError(err)
		}
		if err := view.show(change); err != nil {
			return err
		}
		if id := change.Run.ID.String(); change.Run.Status.InProgress() {
			open[id] = true
		} else {
			delete(open, id)
		}
		if c.Bool("until-done") && !change.More && len(open) == 0 {
			return nil
		}
	}
	return nil
}

// watchView is how changes are shown: as JSON, as bars on a terminal, else as lines.
func (a *app) watchView(c *cli.Context) watchView {
	switch {
	case c.Bool("json"):
		return jsonView{json.NewEncoder(a.Streams.Out)}
	case shell.Terminal(a.Streams.Out):
		return newBarView(a.Streams.Out)
	}
	return lineView{a.Streams.Out}
}

func nothingInProgress(ctx context.Context, log *deploylog.Log, q deploylog.StatusQuery) (bool, error) {
	status, err := log.Status(ctx, q)
	return !slices.ContainsFunc(status, func(s deploylog.EnvironmentStatus) bool { return s.InProgress > 0 }), err
}

// lineView writes a line per change.
type lineView struct{ out io.Writer }

func (v lineView) show(change deploylog.Change) error {
	r := change.Run
	_, err := fmt.Fprintf(v.out, "%s %s run %s %s: %s\n", r.Updated.UTC().Format(time.RFC3339), r.Environment, r.ID, shell.Printable(shell.OrDash(r.Version)), shell.Printable(describeProgress(&r)))
	return err
}

// jsonView writes a JSON object per change.
type jsonView struct{ enc *json.Encoder }

func (v jsonView) show(change deploylog.Change) error {
	return v.enc.Encode(map[string]any{"run": change.Run, "previous": change.Previous, "first": change.First})
}

// barView keeps one line with a progress bar per environment on a terminal.
type barView struct {
	out   io.Writer
	width func() int
	lines int // drawn so far
	runs  map[deploylog.Environment]deploylog.Run
}

func newBarView(out io.Writer) *barView {
	return &barView{out: out, runs: map[deploylog.Environment]deploylog.Run{}, width: func() int {
		if f, ok := shell.FileOf(out); ok {
			if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 20 {
				return w
			}
		}
		return 80
	}}
}

func (v *barView) show(change deploylog.Change) error {
	env := change.Run.Environment
	if before, ok := v.runs[env]; ok && before.ID != change.Run.ID && before.Status.InProgress() &&
		(!change.Run.Status.InProgress() || before.DateStarted.After(change.Run.DateStarted)) {
		return nil // an older run than the one on show
	}
	v.runs[env] = change.Run
	return v.draw(time.Now())
}

// draw writes all lines anew over those that are there.
func (v *barView) draw(now time.Time) error {
	var text strings.Builder
	if v.lines > 0 {
		fmt.Fprintf(&text, "\x1b[%dA", v.lines)
	}
	v.lines = 0
	for _, env := range slices.SortedFunc(maps.Keys(v.runs), deploylog.Environment.Compare) {
		run := v.runs[env]
		text.WriteString("\r\x1b[2K" + barLine(&run, now, v.width()) + "\n")
		v.lines++
	}
	_, err := io.WriteString(v.out, text.String())
	return err
}

const barWidth = 20

// barLine is one environment in one line of at most width characters.
func barLine(r *deploylog.Run, now time.Time, width int) string {
	filled := r.Progress * barWidth / 100
	line := fmt.Sprintf("%-8s[%s%s] %3d %%  %s  %s  %s", r.Environment, strings.Repeat("#", filled), strings.Repeat(".", barWidth-filled),
		r.Progress, shell.OrDash(r.Version), describeState(r), r.Elapsed(now).Round(time.Second))
	line = strings.Map(func(c rune) rune {
		if c == '\n' || c == '\t' {
			return ' '
		}
		return c
	}, shell.Printable(line))
	return text.Shorten(line, width-1)
}

func describeState(r *deploylog.Run) string {
	text := string(r.Status)
	if r.Status.InProgress() && r.CurrentStep != "" {
		text += ": " + firstLine(r.CurrentStep)
	}
	if r.Status == deploylog.Failed {
		text += ": " + firstLine(r.ErrorMessage)
	}
	return text
}
