package sandbox

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/erptest/twin"
)

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
