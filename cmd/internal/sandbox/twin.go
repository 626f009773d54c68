package sandbox

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/erptest/twin"
)

// twinIn describes the twin in a folder, nil when there is none.
func twinIn(ctx context.Context, dir string) (*twin.Info, error) {
	path := twin.InFolder(dir)
	if _, err := os.Stat(path); err != nil {
		return nil, nil // opening it says what is wrong
	}
	info, err := twin.Inspect(ctx, path)
	if errors.Is(err, twin.ErrVersion) {
		return nil, err
	}
	if err != nil {
		return nil, nil
	}
	return info, nil
}

// talkToTwin says whose twin is served and who logs in to it.
func talkToTwin(url string, info *twin.Info) string {
	var b strings.Builder
	masked := "masked"
	if !info.Masked {
		masked = "not masked"
	}
	fmt.Fprintf(&b, "a twin of %s of %s, %s; its users log in with the password that sandbox clone printed:\n",
		shell.Printable(info.Origin), info.Made.Local().Format(time.DateTime), masked)
	for _, l := range info.Report.Logins {
		fmt.Fprintf(&b, "  ERP_URL=%s ERP_CLIENT_ID=%d ERP_ROLE_ID=%d ERP_USERNAME='%s'\n", url, l.Client, l.Role, shell.Printable(l.User))
	}
	return b.String()
}

func (a *app) refreshCommand() *cli.Command {
	return &cli.Command{
		Name:  "refresh",
		Usage: "bring a twin up to date with its ERP",
		Description: "Clones the ERP again with the options that the twin was made with. Rows of tables that have as many rows and the " +
			"same newest change as then are taken from the twin and not read again. What was written into the twin is gone " +
			"afterwards, and its users get a new password, which is printed once.",
		Flags: append(append(shell.ValueFlags(),
			&cli.StringFlag{Name: "data", Usage: "`FOLDER` of the twin", TakesFile: true},
			&cli.BoolFlag{Name: "resume", Usage: "go on with a refresh that was interrupted"},
		), append(maskFlags(), sourceFlags()...)...),
		Action: shell.Takes(a.refresh),
	}
}

func (a *app) refresh(c *cli.Context) error {
	return a.makeTwin(c, twin.Refresh, func(opts *twin.Options) error {
		opts.Resume = c.Bool("resume")
		return nil
	})
}

// makeTwin runs what makes a twin, and shows what it made.
func (a *app) makeTwin(c *cli.Context, do twinMaker, set func(*twin.Options) error) (err error) {
	dir := c.String("data")
	if dir == "" {
		return shell.Usagef("name the folder of the twin with --data")
	}
	opts := twin.Options{Logger: a.warnings()}
	if opts.Masking, err = maskingOptions(c); err != nil {
		return err
	}
	if err := set(&opts); err != nil {
		return err
	}
	src, done, err := a.twinSource(c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	bar := a.Progress(-1, "cloning")
	opts.Progress = func(p twin.Progress) {
		bar.Describe(fmt.Sprintf("%s %d rows; %d in all", p.Table, p.Rows, p.Total))
		bar.Add()
	}
	report, err := do(c.Context, src, dir, opts)
	bar.Done()
	if err != nil {
		return err
	}
	return a.printClone(c, dir, report)
}

func (a *app) twinDiffCommand() *cli.Command {
	return &cli.Command{
		Name:  "diff",
		Usage: "show what in the dictionary of the ERP changed since its twin was made",
		Description: "Compares the records of the Application Dictionary, the roles and their access with those of the twin in a folder. " +
			"Tables with as many rows and the same newest change as then are taken as unchanged and not read. Exit code 5 says " +
			"that there are differences.",
		Flags: append(append(shell.OutputFlags(),
			&cli.StringFlag{Name: "data", Usage: "`FOLDER` of the twin", TakesFile: true},
		), sourceFlags()...),
		Action: shell.Takes(a.twinDiff),
	}
}

func (a *app) twinDiff(c *cli.Context) (err error) {
	dir := c.String("data")
	if dir == "" {
		return shell.Usagef("name the folder of the twin with --data")
	}
	src, done, err := a.twinSource(c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	d, err := twin.Diff(c.Context, src, dir, twin.Options{Logger: a.warnings()})
	if err != nil {
		return err
	}
	if d.Changes == nil {
		d.Changes = []twin.Change{}
	}
	choice, err := a.Choice(c, "")
	if err != nil {
		return err
	}
	rows := make([][]string, len(d.Changes))
	for i, change := range d.Changes {
		rows[i] = []string{change.Action, change.Table, change.Key, shell.OrDash(change.Name), strings.Join(change.Columns, ", ")}
	}
	if err := a.PrintAs(c, choice, d, output.Table{
		Columns: output.Styled(output.Columns("change=action", "table", "record=key", "name", "columns"), "change", changeStyle),
		Rows:    rows, List: "changes", Empty: "the dictionary is as it was when the twin was made",
	}); err != nil {
		return err
	}
	if choice.Format != output.FormatJSON && choice.Format != output.FormatYAML { // which have them
		for _, table := range slices.Sorted(maps.Keys(d.Unreadable)) {
			a.Note("%s was not compared: %s", table, d.Unreadable[table])
		}
	}
	if len(d.Changes) > 0 {
		return shell.ErrDrift
	}
	return nil
}

var changeStyle = output.ByText(map[string]output.Style{"added": output.Added, "removed": output.Removed, "changed": output.Changed})
