package sandbox

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/erptest/twin"
)

func (a *app) twinDiffCommand() *cli.Command {
	return &cli.Command{
		Name:  "diff",
		Usage: "show what in the dictionary of the ERP changed since its twin was made",
		Description: "Compares the records of the Application Dictionary, the roles and their access with those of the twin in a folder.\n" +
			"Tables with as many rows and the same newest change as then are taken as unchanged and not read. Exit code 5 says\n" +
			"that there are differences.\n\n" +
			"Examples:\n" +
			"  erphub sandbox diff --data twin\n" +
			"  erphub sandbox diff --data twin --database-file address --json",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "data", Usage: "folder of the twin", TakesFile: true},
		}, sourceFlags()...),
		Action: a.twinDiff,
	}
}

func (a *app) twinDiff(c *cli.Context) (err error) {
	if err := shell.Arguments(c); err != nil {
		return err
	}
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
	if c.Bool("json") {
		if d.Changes == nil {
			d.Changes = []twin.Change{}
		}
		if err := a.PrintJSON(d); err != nil {
			return err
		}
	} else {
		rows := make([][]string, len(d.Changes))
		for i, change := range d.Changes {
			rows[i] = []string{change.Action, change.Table, change.Key, shell.OrDash(change.Name), strings.Join(change.Columns, ", ")}
		}
		if len(rows) > 0 {
			a.PrintTable([]string{"change", "table", "record", "name", "columns"}, rows)
		} else {
			a.Note("the dictionary is as it was when the twin was made")
		}
		for _, table := range slices.Sorted(maps.Keys(d.Unreadable)) {
			a.Note("%s was not compared: %s", table, d.Unreadable[table])
		}
	}
	if len(d.Changes) > 0 {
		return shell.ErrDrift
	}
	return nil
}
