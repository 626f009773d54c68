package records

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

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
				Name: "show", Usage: "show a job", ArgsUsage: "ID",
				Action: one(func(c *cli.Context, _ *erp.Client, job *erp.ServerJob) error {
					return a.printServerJob(c, job)
				}),
			},
			{Name: "run", Usage: "run a job now", ArgsUsage: "ID", Action: one(a.runServerJob)},
			{
				Name: "enable", Usage: "start a job, unless it is started", ArgsUsage: "ID",
				Action: one(func(c *cli.Context, client *erp.Client, job *erp.ServerJob) error {
					return a.setServerJob(c, job, true, client.StartServerJob)
				}),
			},
			{
				Name: "disable", Usage: "stop a job, unless it is stopped", ArgsUsage: "ID",
				Action: one(func(c *cli.Context, client *erp.Client, job *erp.ServerJob) error {
					return a.setServerJob(c, job, false, client.StopServerJob)
				}),
			},
			{Name: "logs", Usage: "show what a job logged", ArgsUsage: "ID", Action: one(a.serverJobLogs)},
			{Name: "reload", Usage: "build all jobs anew from their definitions", Action: a.reloadServerJobs},
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
	if c.Bool("json") {
		return a.PrintJSON(jobs)
	}
	rows := make([][]string, len(jobs))
	for i, j := range jobs {
		rows[i] = []string{j.ID, shell.Short(j.Name, 60), shell.YesNo(j.Started), j.HostName}
	}
	a.PrintTable([]string{"job", "name", "started", "host"}, rows)
	return nil
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
	if c.Bool("json") {
		return a.PrintJSON(job)
	}
	a.PrintTable([]string{"job", job.ID}, [][]string{
		{"name", shell.Short(job.Name, 100)}, {"state", job.State()}, {"sleeping", shell.YesNo(job.Sleeping)}, {"interrupted", shell.YesNo(job.Interrupted)},
		{"last run", job.LastRun}, {"next run", job.NextRun}, {"statistics", job.Statistics},
		{"info", shell.Short(job.Info, 200)}, {"description", shell.Short(job.Description, 200)},
	})
	return nil
}

func (a *app) serverJobLogs(c *cli.Context, client *erp.Client, job *erp.ServerJob) error {
	logs, err := client.ServerJobLogs(c.Context, job.ID)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return a.PrintJSON(logs)
	}
	rows := make([][]string, len(logs))
	for i, l := range logs {
		result := "ok"
		if l.Failed {
			result = "failed"
		}
		about := strings.Join([]string{l.Summary, l.Description, l.Reference, l.TextMessage}, " ")
		rows[i] = []string{l.Created, result, shell.Short(about, 120)}
	}
	a.PrintTable([]string{"time", "result", "about"}, rows)
	return nil
}
