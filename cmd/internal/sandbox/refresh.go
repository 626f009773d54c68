package sandbox

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/erptest/twin"
)

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
