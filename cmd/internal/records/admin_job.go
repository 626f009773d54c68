package records

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
)

func (a *app) serverJobCommand() *cli.Command {
	one := func(do func(*cli.Context, *erp.Client, *erp.ServerJob) error) cli.ActionFunc {
		return func(c *cli.Context) error {
			if err := shell.Arguments(c, "the id of a job"); err != nil {
				return err
			}
			client, err := a.Client(c)
			if err != nil {
				return err
			}
			job, err := client.FindServerJob(c.Context, c.Args().First())
			if err != nil {
				return err
			}
			return do(c, client, job)
		}
	}
	return &cli.Command{
		Name: "job", Usage: "show, start and stop one job of the server",
		Description: "ID is the id or the name of a job, as `erphub admin jobs` shows them.",
		Subcommands: []*cli.Command{
			{
				Name: "show", Usage: "show a job", ArgsUsage: "ID", Flags: shell.OutputFlags(),
				Action: one(func(c *cli.Context, _ *erp.Client, job *erp.ServerJob) error {
					return a.printServerJob(c, job)
				}),
			},
			{Name: "run", Usage: "run a job now", ArgsUsage: "ID", Flags: shell.ValueFlags(), Action: one(a.runServerJob)},
			{
				Name: "enable", Usage: "start a job, unless it is started", ArgsUsage: "ID", Flags: shell.ValueFlags(),
				Action: one(func(c *cli.Context, client *erp.Client, job *erp.ServerJob) error {
					return a.setServerJob(c, job, true, client.StartServerJob)
				}),
			},
			{
				Name: "disable", Usage: "stop a job, unless it is stopped", ArgsUsage: "ID", Flags: shell.ValueFlags(),
				Action: one(func(c *cli.Context, client *erp.Client, job *erp.ServerJob) error {
					return a.setServerJob(c, job, false, client.StopServerJob)
				}),
			},
			{Name: "logs", Usage: "show what a job logged", ArgsUsage: "ID", Flags: shell.OutputFlags(), Action: one(a.serverJobLogs)},
			{Name: "reload", Usage: "build all jobs anew from their definitions", Flags: shell.ValueFlags(), Action: a.reloadServerJobs},
		},
	}
}

func (a *app) serverJobs(c *cli.Context) error {
	if err := shell.Arguments(c); err != nil {
		return err
	}
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	jobs, err := client.ServerJobs(c.Context)
	if err != nil {
		return err
	}
	return a.printServerJobs(c, jobs)
}

func (a *app) reloadServerJobs(c *cli.Context) error {
	if err := shell.Arguments(c); err != nil {
		return err
	}
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	jobs, err := client.ReloadServerJobs(c.Context)
	if err != nil {
		return err
	}
	return a.printServerJobs(c, jobs)
}

func (a *app) printServerJobs(c *cli.Context, jobs []erp.ServerJob) error {
	rows := make([][]string, len(jobs))
	for i, j := range jobs {
		rows[i] = []string{j.ID, j.Name, shell.YesNo(j.Started), j.HostName}
	}
	columns := output.Columns("job=id", "name", "started", "host=hostName")
	columns[1].Max = 60
	return a.Print(c, jobs, output.Table{Columns: columns, Rows: rows})
}

func (a *app) runServerJob(c *cli.Context, client *erp.Client, job *erp.ServerJob) error {
	now, err := client.RunServerJob(c.Context, job.ID)
	if err != nil {
		return err
	}
	return a.printServerJob(c, now)
}

// setServerJob starts or stops a job. A job whose state is another one afterwards
// is shown, too.
func (a *app) setServerJob(c *cli.Context, job *erp.ServerJob, started bool, set func(context.Context, string) (*erp.ServerJob, error)) error {
	if job.Started == started {
		a.Note("job %s was %s already", job.ID, job.State())
	}
	now, failure := set(c.Context, job.ID)
	if now == nil {
		return failure
	}
	if err := a.printServerJob(c, now); err != nil {
		return err
	}
	return failure
}

func (a *app) printServerJob(c *cli.Context, job *erp.ServerJob) error {
	t := output.Table{
		Single:  &[2]string{"job", job.ID},
		Columns: output.Columns("name", "state", "sleeping", "interrupted", "last run=lastRun", "next run=nextRun", "statistics", "info", "description"),
		Rows: [][]string{{
			job.Name, job.State(), shell.YesNo(job.Sleeping), shell.YesNo(job.Interrupted), job.LastRun, job.NextRun, job.Statistics, job.Info, job.Description,
		}},
	}
	for i := range t.Columns {
		t.Columns[i].Max = 200
	}
	return a.Print(c, job, t)
}

func (a *app) serverJobLogs(c *cli.Context, client *erp.Client, job *erp.ServerJob) error {
	logs, err := client.ServerJobLogs(c.Context, job.ID)
	if err != nil {
		return err
	}
	rows := make([][]string, len(logs))
	for i, l := range logs {
		result := "ok"
		if l.Failed {
			result = "failed"
		}
		about := strings.Join([]string{l.Summary, l.Description, l.Reference, l.TextMessage}, " ")
		rows[i] = []string{l.Created, result, about}
	}
	columns := output.Styled(output.Columns("time=created", "result", "about"), "result", output.State)
	columns[2].Max = 120
	return a.Print(c, logs, output.Table{Columns: columns, Rows: rows})
}
