package deploy

import (
	"fmt"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/cmd/internal/spool"
	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
)

func clientFlag() cli.Flag {
	return &cli.StringFlag{Name: "client", Usage: "tenant, by its AD_Client_ID (default: all that the role may see)"}
}

func clientID(c *cli.Context) (erp.ID, error) {
	text := c.String("client")
	if text == "" {
		return erp.ID{}, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return erp.ID{}, shell.Usagef("--client takes the number of a tenant (AD_Client_ID), not %q", text)
	}
	return erp.IntID(n), nil
}

// environmentArgument is the environment a command was given, empty for all.
func environmentArgument(c *cli.Context) (deploylog.Environment, error) {
	switch c.NArg() {
	case 0:
		return "", nil
	case 1:
		env, err := deploylog.ParseEnvironment(c.Args().First())
		return env, shell.Usage(err)
	}
	return "", shell.Usagef("%s takes at most one environment, got %s", c.Command.Name, shell.Count(c.NArg(), "argument", "arguments"))
}

func (a *app) deployStatusCommand() *cli.Command {
	return &cli.Command{
		Name: "status", Usage: "show the current run and the running version of each environment", ArgsUsage: "[ENVIRONMENT]",
		Description: "Calls that this machine keeps for the ERP are counted, too, with what is wrong with them.",
		Flags:       append(append(shell.OutputFlags(), clientFlag()), spoolFolderFlag()...),
		Action: func(c *cli.Context) error {
			env, err := environmentArgument(c)
			if err != nil {
				return err
			}
			client, err := clientID(c)
			if err != nil {
				return err
			}
			log, err := a.deployLog(c)
			if err != nil {
				return err
			}
			kept := a.keptStatus(c)
			status, err := log.Status(c.Context, deploylog.StatusQuery{Environment: env, Client: client})
			if err != nil {
				return deployError(err)
			}
			return a.printDeployStatus(c, status, kept)
		},
	}
}

func (a *app) printDeployStatus(c *cli.Context, status []deploylog.EnvironmentStatus, kept []spool.Kept) error {
	out := map[string]any{"environments": status}
	if len(kept) > 0 {
		out["spool"] = kept
	}
	rows := make([][]string, len(status))
	for i, s := range status {
		rows[i] = []string{string(s.Environment), shell.OrDash(s.Running), "-", "no run yet", "", "", "", "", ""}
		if r := s.Current; r != nil {
			rows[i] = []string{
				string(s.Environment), shell.OrDash(s.Running), r.ID.String(), string(r.Status), shell.OrDash(r.Version), strconv.Itoa(r.Progress) + " %",
				firstLine(r.CurrentStep), moment(r.DateStarted), r.By(),
			}
		}
	}
	t := output.Table{
		Columns: output.Styled(output.Columns("environment", "running", ">run", "status", "version", ">progress", "step", "started", "by"), "status", output.State),
		Rows:    rows, List: "environments",
	}
	if err := a.Print(c, out, t); err != nil {
		return err
	}
	for _, s := range status {
		if s.InProgress > 1 {
			a.Note("%d runs are in progress in %s; the newest is shown", s.InProgress, s.Environment)
		}
	}
	return nil
}

func (a *app) deployHistoryCommand() *cli.Command {
	return &cli.Command{
		Name: "history", Usage: "list past runs, newest first",
		Flags: append(shell.OutputFlags(),
			&cli.StringFlag{Name: "env", Usage: "PROD, STAGING, DEV or another one of the ERP's list (default: all)"},
			&cli.StringFlag{Name: "since", Usage: "runs that began then or later: 2026-03-09, a time in RFC 3339, or an age such as 7d or 12h"},
			&cli.StringFlag{Name: "status", Usage: "BUILDING, DEPLOYING, SUCCESS, FAILED or ROLLED_BACK"},
			&cli.StringFlag{Name: "search", Usage: "words that the version, components, changes, error, step, build number or user have"},
			&cli.IntFlag{Name: "limit", Value: 20, Usage: "how many runs at most; 0 for all"},
			clientFlag(),
		),
		Action: shell.Takes(a.deployHistory),
	}
}

func (a *app) deployHistory(c *cli.Context) error {
	q := deploylog.HistoryQuery{Limit: c.Int("limit"), Search: c.String("search")}
	var err error
	if q.Limit < 0 {
		return shell.Usagef("--limit is a number of runs, not %d", q.Limit)
	}
	if text := c.String("env"); text != "" {
		if q.Environment, err = deploylog.ParseEnvironment(text); err != nil {
			return shell.Usage(err)
		}
	}
	if text := c.String("status"); text != "" {
		if q.Status, err = deploylog.ParseState(text); err != nil {
			return shell.Usage(err)
		}
	}
	if text := c.String("since"); text != "" {
		if q.Since, err = shell.ParseMoment("--since", text, time.Now()); err != nil {
			return err
		}
	}
	if q.Client, err = clientID(c); err != nil {
		return err
	}
	log, err := a.deployLog(c)
	if err != nil {
		return err
	}
	runs := []deploylog.Run{}
	for run, err := range log.History(c.Context, q) {
		if err != nil {
			return deployError(err)
		}
		runs = append(runs, run)
	}
	rows := make([][]string, len(runs))
	for i, r := range runs {
		text := r.Changes
		if r.Status == deploylog.Failed {
			text = r.ErrorMessage
		}
		rows[i] = []string{moment(r.DateStarted), string(r.Environment), r.ID.String(), shell.OrDash(r.Version), string(r.Status), fmt.Sprint(r.Elapsed(time.Now()).Round(time.Second)), firstLine(text)}
	}
	columns := output.Styled(output.Columns("date=dateStarted", "environment", ">run=id", "version", "status", ">took=duration", "changes"), "status", output.State)
	columns[2].ID, columns[6].Wrap = true, true
	return a.Print(c, map[string]any{"runs": runs}, output.Table{Columns: columns, Rows: rows, List: "runs"})
}

// moment is a time as people read it.
func moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04:05")
}
