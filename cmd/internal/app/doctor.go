package app

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/internal/doctor"
)

func (a *app) doctorCommand() *cli.Command {
	return &cli.Command{
		Name: "doctor", Usage: "examine the ERP and say how to mend what is wrong",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "api", Usage: "examine the REST API (the only examination so far, and the default)"},
			&cli.StringFlag{Name: "sync-process", Usage: "slug or number of the process that synchronises tables"},
			&cli.StringFlag{Name: "import-process", Usage: "slug or number of the process that imports packages"},
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usagef("doctor takes no arguments, got %q", c.Args().First())
			}
			return a.runDoctor(c, doctor.Options{SyncProcess: c.String("sync-process"), ImportProcess: c.String("import-process")})
		},
	}
}

// runDoctor examines the API and prints the findings. Warnings are no failure.
func (a *app) runDoctor(c *cli.Context, opts doctor.Options) error {
	client, err := a.client(c)
	if err != nil {
		return err
	}
	checks := doctor.API(c.Context, client, opts)
	if c.Bool("json") {
		if err := a.printJSON(map[string]any{"status": doctor.Worst(checks), "checks": checks}); err != nil {
			return err
		}
	} else {
		var rows [][]string
		for _, check := range checks {
			rows = append(rows, []string{check.Name, string(check.Status), check.Found})
		}
		a.printTable([]string{"check", "status", "found"}, rows)
		for _, check := range checks {
			if check.Mend != "" {
				fmt.Fprintf(a.streams.Out, "\n%s: %s\n", check.Name, check.Mend)
			}
		}
	}
	for _, check := range checks {
		if check.Err != nil {
			return errors.Join(errReported, check.Err)
		}
	}
	return nil
}
