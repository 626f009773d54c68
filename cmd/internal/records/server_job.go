package records

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/rest"
	"github.com/erphub/erphub/internal/serverjob"
)

func (a *app) serverJobCommand() *cli.Command {
	one := func(do func(*cli.Context, *rest.ClientWithResponses, *rest.ServerJob) error) cli.ActionFunc {
		return func(c *cli.Context) error {
			if err := shell.Arguments(c, "the id of a job"); err != nil {
				return err
			}
			client, err := a.rest(c)
			if err != nil {
				return err
			}
			job, err := serverjob.Find(c.Context, client, c.Args().First())
			if err != nil {
				return err
			}
			return do(c, client, job)
		}
	}
	return &cli.Command{
		Name: "job", Usage: "look at, start and stop one job of the server",
		Description: "ID is the id or the name of a job, as server jobs shows them.",
		Subcommands: []*cli.Command{
			{
				Name: "show", Usage: "show a job", ArgsUsage: "ID",
				Action: one(func(c *cli.Context, _ *rest.ClientWithResponses, job *rest.ServerJob) error {
					return a.printServerJob(c, job)
				}),
			},
			{Name: "run", Usage: "run a job now", ArgsUsage: "ID", Action: one(a.runServerJob)},
			{
				Name: "enable", Usage: "start a job, unless it is started", ArgsUsage: "ID",
				Action: one(func(c *cli.Context, client *rest.ClientWithResponses, job *rest.ServerJob) error {
					return a.setServerJob(c, client, job, true)
				}),
			},
			{
				Name: "disable", Usage: "stop a job, unless it is stopped", ArgsUsage: "ID",
				Action: one(func(c *cli.Context, client *rest.ClientWithResponses, job *rest.ServerJob) error {
					return a.setServerJob(c, client, job, false)
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
	client, err := a.rest(c)
	if err != nil {
		return err
	}
	jobs, err := serverjob.List(c.Context, client)
	if err != nil {
		return err
	}
	return a.printServerJobs(c, jobs)
}

func (a *app) reloadServerJobs(c *cli.Context) error {
	if err := shell.Arguments(c); err != nil {
		return err
	}
	client, err := a.rest(c)
	if err != nil {
		return err
	}
	resp, err := client.ReloadServerJobsWithResponse(c.Context, nil)
	if err != nil {
		return err
	}
	list, err := rest.Decoded("reload jobs", resp.JSON200)
	if err != nil {
		return err
	}
	return a.printServerJobs(c, list.Servers)
}

func (a *app) printServerJobs(c *cli.Context, jobs []rest.ServerJobSummary) error {
	if c.Bool("json") {
		return a.PrintJSON(append([]rest.ServerJobSummary{}, jobs...))
	}
	rows := make([][]string, len(jobs))
	for i, j := range jobs {
		rows[i] = []string{j.Id, shell.Short(j.Name, 60), shell.YesNo(j.Started), orEmpty(j.HostName)}
	}
	a.PrintTable([]string{"job", "name", "started", "host"}, rows)
	return nil
}

func (a *app) runServerJob(c *cli.Context, client *rest.ClientWithResponses, job *rest.ServerJob) error {
	resp, err := client.RunServerJobWithResponse(c.Context, rest.Segment(job.Id), nil)
	if err != nil {
		return err
	}
	now, err := rest.Decoded("run job", resp.JSON200)
	if err != nil {
		return err
	}
	return a.printServerJob(c, now)
}

// setServerJob starts or stops a job. The server only knows how to change the
// state to the other one, so the state is looked at before and after: somebody
// else may have changed it in between.
func (a *app) setServerJob(c *cli.Context, client *rest.ClientWithResponses, job *rest.ServerJob, started bool) error {
	if job.Started == started {
		a.Note("job %s was %s already", job.Id, serverjob.State(started))
	}
	now, failure := serverjob.Set(c.Context, client, job, started)
	if now == nil {
		return failure
	}
	if err := a.printServerJob(c, now); err != nil {
		return err
	}
	return failure
}

func (a *app) printServerJob(c *cli.Context, job *rest.ServerJob) error {
	if c.Bool("json") {
		return a.PrintJSON(job)
	}
	flag := func(b *bool) string { return shell.YesNo(b != nil && *b) }
	a.PrintTable([]string{"job", job.Id}, [][]string{
		{"name", shell.Short(job.Name, 100)}, {"state", serverjob.State(job.Started)}, {"sleeping", flag(job.Sleeping)}, {"interrupted", flag(job.Interruptd)},
		{"last run", orEmpty(job.LastRun)}, {"next run", orEmpty(job.NextRun)}, {"statistics", orEmpty(job.Statistics)},
		{"info", shell.Short(orEmpty(job.Info), 200)}, {"description", shell.Short(orEmpty(job.Description), 200)},
	})
	return nil
}

func (a *app) serverJobLogs(c *cli.Context, client *rest.ClientWithResponses, job *rest.ServerJob) error {
	resp, err := client.ListServerJobLogsWithResponse(c.Context, rest.Segment(job.Id), nil)
	if err != nil {
		return err
	}
	list, err := rest.Decoded("list the logs of the job", resp.JSON200)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return a.PrintJSON(append([]rest.ServerJobLog{}, list.Logs...))
	}
	rows := make([][]string, len(list.Logs))
	for i, l := range list.Logs {
		result := "ok"
		if l.Error {
			result = "failed"
		}
		about := strings.Join([]string{orEmpty(l.Summary), orEmpty(l.Description), orEmpty(l.Reference), orEmpty(l.TextMessage)}, " ")
		rows[i] = []string{l.Created, result, shell.Short(about, 120)}
	}
	a.PrintTable([]string{"time", "result", "about"}, rows)
	return nil
}
