package records

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
)

// serverCommand serves what other families bring, and looks after the ERP's own
// server.
func (a *app) serverCommand(serving []*cli.Command) *cli.Command {
	return &cli.Command{
		Name: "server", Usage: "serve the APIs, the deployment board or the tools for assistants; look after the ERP's server",
		Subcommands: append(serving[:len(serving):len(serving)],
			&cli.Command{
				Name: "health", Usage: "check whether the ERP's server and database are up; needs no login",
				Flags: append(shell.OutputFlags(), &cli.StringFlag{Name: "key", Usage: "the monitoring key, where the server requires one"},
					&cli.BoolFlag{Name: "ready", Usage: "check whether `erphub server api` or `server mcp` at --url is ready (/readyz), for health checks of containers"}),
				Action: shell.Takes(a.serverHealth),
			},
			&cli.Command{
				Name: "nodes", Usage: "list the nodes of the ERP's cluster, or show the state of one (administrators)", ArgsUsage: "[ID]",
				Description: "A server that is not part of a cluster has one node, local.",
				Flags:       shell.OutputFlags(), Action: a.serverNodes,
			},
			&cli.Command{
				Name: "jobs", Usage: "list the jobs of the ERP's server, or show, start, stop or run one (administrators)", ArgsUsage: "[JOB]",
				Description: "JOB is the id or the name of a job, as the list shows them.",
				Flags: append(shell.OutputFlags(),
					&cli.BoolFlag{Name: "start", Usage: "start the job, unless it is started"},
					&cli.BoolFlag{Name: "stop", Usage: "stop the job, unless it is stopped"},
					&cli.BoolFlag{Name: "run", Usage: "run the job now"},
					&cli.BoolFlag{Name: "log", Usage: "show what the job logged"},
				),
				Action: a.serverJobs,
			},
		),
	}
}

func (a *app) serverHealth(c *cli.Context) error {
	if c.Bool("ready") {
		return a.serverReady(c)
	}
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	h, err := client.Health(c.Context, &erp.HealthOptions{Database: true, Key: c.String("key")})
	if err != nil {
		return err
	}
	err = a.Print(c, map[string]any{"url": client.BaseURL(), "status": h.Status, "database": h.Database}, output.Table{
		Columns: output.Styled(output.Styled(output.Columns("server=url", "status", "database"), "status", output.State), "database", output.State),
		Rows:    [][]string{{client.BaseURL(), h.Status, h.Database}},
	})
	if err != nil {
		return err
	}
	if !h.Up() {
		return fmt.Errorf("%s is %s, its database %s", client.BaseURL(), h.Status, h.Database)
	}
	return nil
}

// serverReady asks a server of erphub.
func (a *app) serverReady(c *cli.Context) error {
	s, err := a.Setup(c)
	if err != nil {
		return err
	}
	address := strings.TrimRight(s.Resolver.Lookup("url"), "/")
	if address == "" {
		return shell.Usagef("--ready needs the address of the server: give --url")
	}
	req, err := http.NewRequestWithContext(c.Context, http.MethodGet, address+"/readyz", nil)
	if err != nil {
		return shell.Usagef("--url is not an address of a server such as http://127.0.0.1:8090")
	}
	resp, err := shell.AskingClient().Do(req)
	if err != nil {
		return fmt.Errorf("asking whether the server is ready: %w: %w", erp.ErrUnreachable, err)
	}
	defer resp.Body.Close()
	var said struct {
		Status  string   `json:"status"`
		Missing []string `json:"missing"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<16)).Decode(&said); err != nil || said.Status == "" {
		return fmt.Errorf("what responds at %s is not a server of erphub (HTTP status %d)", address, resp.StatusCode)
	}
	missing := shell.Printable(strings.Join(said.Missing, "; "))
	err = a.Print(c, map[string]any{"url": address, "status": said.Status, "missing": said.Missing}, output.Table{
		Columns: output.Columns("server=url", "status", "missing"), Rows: [][]string{{address, shell.Printable(said.Status), missing}},
	})
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s is %s: %s", address, shell.Printable(said.Status), missing)
	}
	return err
}

// node is a node of the cluster, or a server without a cluster.
type node struct {
	ID       string `json:"id"`
	HostName string `json:"hostName"`
	Port     *int   `json:"port"`
}

// oneAtMost is the only argument of a command, empty without one.
func oneAtMost(c *cli.Context, what string) (string, error) {
	if c.NArg() > 1 {
		return "", shell.Usagef("%s takes one %s at most, got %s", shell.CommandPath(c), what, shell.Count(c.NArg(), "argument", "arguments"))
	}
	return c.Args().First(), nil
}

func (a *app) serverNodes(c *cli.Context) error {
	id, err := oneAtMost(c, "node")
	if err != nil {
		return err
	}
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	path := []string{"nodes"}
	if id != "" {
		path = append(path, id)
	}
	response, err := client.Call(c.Context, http.MethodGet, path, nil, nil)
	if err != nil {
		return shell.Input(err)
	}
	rec, err := erp.ParseRecord(response)
	if err != nil {
		return fmt.Errorf("reading the nodes of the server: %w", err)
	}
	if id != "" {
		return a.printRecord(c, rec, nil, nil)
	}
	nodes, err := nodesOf(rec)
	if err != nil {
		return fmt.Errorf("reading the nodes of the server: %w", err)
	}
	rows := make([][]string, len(nodes))
	for i, n := range nodes {
		port := "-"
		if n.Port != nil {
			port = strconv.Itoa(*n.Port)
		}
		rows[i] = []string{n.ID, n.HostName, port}
	}
	return a.Print(c, nodes, output.Table{Columns: output.Columns("node=id", "host=hostName", ">port"), Rows: rows})
}

// nodesOf reads the two forms of the list: of a cluster, and the bare object of a
// server without a cluster.
func nodesOf(rec erp.Record) ([]node, error) {
	if !rec.Has("nodes") {
		var n node
		n.ID, _ = rec.Text("id")
		n.HostName, _ = rec.Text("name")
		return []node{n}, nil
	}
	nodes := []node{}
	return nodes, rec.Value("nodes", &nodes)
}

// jobActions are the flags that do something with a job.
var jobActions = []string{"start", "stop", "run", "log"}

func (a *app) serverJobs(c *cli.Context) error {
	given, err := oneAtMost(c, "job")
	if err != nil {
		return err
	}
	action := ""
	for _, flag := range jobActions {
		switch {
		case !c.Bool(flag):
		case given == "":
			return shell.Usagef("--%s needs the id or the name of a job; `erphub server jobs` lists them", flag)
		case action != "":
			return shell.Usagef("--%s and --%s contradict each other: give one", action, flag)
		default:
			action = flag
		}
	}
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	if given == "" {
		return a.listJobs(c, client)
	}
	job, err := client.FindServerJob(c.Context, given)
	if err != nil {
		return err
	}
	switch action {
	case "start":
		return a.setJob(c, job, true, client.StartServerJob)
	case "stop":
		return a.setJob(c, job, false, client.StopServerJob)
	case "log":
		return a.jobLog(c, client, job)
	case "run":
		if job, err = client.RunServerJob(c.Context, job.ID); err != nil {
			return err
		}
	}
	return a.printJob(c, job)
}

func (a *app) listJobs(c *cli.Context, client *erp.Client) error {
	jobs, err := client.ServerJobs(c.Context)
	if err != nil {
		return err
	}
	rows := make([][]string, len(jobs))
	for i, j := range jobs {
		rows[i] = []string{j.ID, j.Name, shell.YesNo(j.Started), j.HostName}
	}
	columns := output.Columns("job=id", "name", "started", "host=hostName")
	columns[1].Max = 60
	return a.Print(c, jobs, output.Table{Columns: columns, Rows: rows})
}

// setJob starts or stops a job. A job whose state is another one afterwards is
// shown, too.
func (a *app) setJob(c *cli.Context, job *erp.ServerJob, started bool, set func(context.Context, string) (*erp.ServerJob, error)) error {
	if job.Started == started {
		a.Note("job %s was %s already", job.ID, job.State())
	}
	now, failure := set(c.Context, job.ID)
	if now == nil {
		return failure
	}
	if err := a.printJob(c, now); err != nil {
		return err
	}
	return failure
}

func (a *app) printJob(c *cli.Context, job *erp.ServerJob) error {
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

func (a *app) jobLog(c *cli.Context, client *erp.Client, job *erp.ServerJob) error {
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
