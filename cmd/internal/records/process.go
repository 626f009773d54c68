package records

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
)

func (a *app) processCommand() *cli.Command {
	return &cli.Command{
		Name: "process", Usage: "list, show and run processes and reports",
		Subcommands: []*cli.Command{
			{
				Name: "list", Usage: "list the processes and reports the role may run",
				Flags: append(shell.OutputFlags(),
					&cli.StringFlag{Name: "filter", Usage: "condition on columns of AD_Process, such as \"IsReport eq true\""},
					&cli.StringFlag{Name: "search", Usage: "only those with this text in search key, name or description"},
				),
				Action: shell.Takes(a.processList),
			},
			{
				Name: "info", Usage: "show a process and its parameters", ArgsUsage: "PROCESS",
				Description: "PROCESS is a slug, an AD_Process_ID, a UUID or a search key.",
				Flags:       shell.ValueFlags(), Action: shell.Takes(a.processInfo, "a process"),
			},
			{
				Name: "run", Usage: "run a process or report", ArgsUsage: "PROCESS [NAME=VALUE...]",
				Description: "PROCESS is a slug, an AD_Process_ID, a UUID or a search key. A process that reports failure is " +
					"exit code 1. The server ignores parameters it does not know and misses none; this command refuses " +
					"both before anything runs, unless --unchecked is given.",
				Flags: []cli.Flag{
					&cli.GenericFlag{Name: "param", Aliases: []string{"p"}, Value: &shell.Texts{}, Usage: "a parameter as NAME=VALUE or NAME:=JSON; repeatable; NAME_to is the end of a range"},
					&cli.StringFlag{Name: "data", Usage: "parameters as a JSON object, @FILE, or - for standard input", TakesFile: true},
					&cli.Int64Flag{Name: "record-id", Usage: "record the process works on; with --table"},
					&cli.StringFlag{Name: "table", Usage: "table of that record"},
					&cli.StringFlag{Name: "report-type", Usage: "format of a report: PDF, HTML, CSV, XLS or XLSX (default: by the name of --output, else PDF)"},
					&cli.BoolFlag{Name: "summary", Usage: "of a report, the summary only"},
					&cli.StringFlag{Name: "print-format", Usage: "id or UUID of the print format of a report"},
					&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "file or folder for what the process made; - is standard output", TakesFile: true},
					&cli.DurationFlag{Name: "timeout", Value: 10 * time.Minute, Usage: "how long it may run; 0 is without limit"},
					&cli.BoolFlag{Name: "background", Usage: "start it in the background of the server; see process jobs"},
					&cli.BoolFlag{Name: "unchecked", Usage: "send the parameters as they are given"},
				},
				Action: a.processRun,
			},
			{
				Name: "jobs", Usage: "list what runs in the background of the server, or show one", ArgsUsage: "[ID]",
				Flags: shell.OutputFlags(), Action: a.processJobs,
			},
		},
	}
}

func (a *app) processList(c *cli.Context) error {
	client, filter, err := a.clientFor(c, "AD_Process", nil)
	if err != nil {
		return err
	}
	list, err := client.Processes(c.Context, filter)
	if err != nil {
		return shell.Input(err)
	}
	found := make([]erp.Process, 0, len(list))
	search := strings.ToLower(c.String("search"))
	for _, p := range list {
		if strings.Contains(strings.ToLower(p.Value+"\n"+p.Name+"\n"+p.Description), search) {
			found = append(found, p)
		}
	}
	rows := make([][]string, len(found))
	for i, p := range found {
		kind := "process"
		if p.IsReport {
			kind = "report"
		}
		rows[i] = []string{strconv.FormatInt(p.ID, 10), p.Slug, kind, p.Name}
	}
	columns := output.Columns(">id", "process=slug", "kind=IsReport", "name")
	columns[3].Max = 60
	return a.Print(c, found, output.Table{Columns: columns, Rows: rows})
}

// findProcess finds the process that the first argument names.
func findProcess(c *cli.Context, client *erp.Client) (*erp.Process, error) {
	p, err := client.FindProcess(c.Context, c.Args().First())
	if errors.Is(err, erp.ErrNotFound) {
		err = fmt.Errorf("%w; `erphub process list` shows what your role may run", err)
	}
	return p, err
}

func (a *app) processInfo(c *cli.Context) error {
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	p, err := findProcess(c, client)
	if err != nil {
		return shell.Input(err)
	}
	about := output.Table{
		Single:  &[2]string{"process", p.Name},
		Columns: output.Columns("id", "slug", "search key", "report", "description", "help"),
		Rows:    [][]string{{strconv.FormatInt(p.ID, 10), p.Slug, p.Value, shell.YesNo(p.IsReport), p.Description, p.Help}},
		Below:   "\nit has no parameters\n",
	}
	about.Columns[4].Max, about.Columns[5].Max = 100, 300
	if len(p.Parameters) == 0 {
		return a.Print(c, p, about)
	}
	var rows [][]string
	for _, par := range p.Parameters {
		name := par.Parameter
		if par.IsRange {
			name += ", " + par.Parameter + "_to"
		}
		rows = append(rows, []string{name, par.Type.Identifier, shell.YesNo(par.IsMandatory), par.Default, par.Name})
	}
	parameters := output.Table{Columns: output.Columns("parameter", "type", "mandatory", "default", "name"), Rows: rows}
	parameters.Columns[3].Max, parameters.Columns[4].Max = 30, 60
	about.Below = "\n" + a.TableText(c, parameters)
	return a.Print(c, p, about)
}

func (a *app) processJobs(c *cli.Context) error {
	if c.NArg() > 1 {
		return shell.Usagef("process jobs takes one job at most, got %s", shell.Count(c.NArg(), "argument", "arguments"))
	}
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	if c.NArg() == 1 {
		id, err := strconv.ParseInt(c.Args().First(), 10, 64)
		if err != nil {
			return shell.Usagef("%q is not the number of a job", c.Args().First())
		}
		job, err := client.Job(c.Context, id)
		if err != nil {
			return err
		}
		return a.printJobs(c, job, []erp.Job{*job})
	}
	jobs, err := client.Jobs(c.Context)
	if err != nil {
		return err
	}
	return a.printJobs(c, jobs, jobs)
}

// printJobs shows background jobs; value is what --json prints of them.
func (a *app) printJobs(c *cli.Context, value any, jobs []erp.Job) error {
	rows := make([][]string, len(jobs))
	for i, j := range jobs {
		rows[i] = []string{strconv.FormatInt(j.ID, 10), j.Process, shell.YesNo(j.Processing), j.Since, j.User, j.Client}
	}
	return a.Print(c, value, output.Table{Columns: output.Columns("job=id", "process", "running=processing", "since", "user", "tenant=client"), Rows: rows})
}
