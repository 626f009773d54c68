package records

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/rest"
	"github.com/urfave/cli/v2"
)

// adminCommand administers the ERP's server.
func (a *app) adminCommand() *cli.Command {
	return &cli.Command{
		Name: "admin", Usage: "administer the ERP's server: nodes, jobs, logs, health",
		Subcommands: a.adminCommands(),
	}
}

func (a *app) adminCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "nodes", Usage: "list the nodes of the cluster, or show the state of one (administrators)", ArgsUsage: "[ID]",
			Description: "A server that is not part of a cluster has one node, local.",
			Flags:       shell.OutputFlags(), Action: a.serverNodes,
		},
		{Name: "jobs", Usage: "list the server's jobs and whether they are started (administrators)", Flags: shell.OutputFlags(), Action: a.serverJobs},
		a.serverJobCommand(),
		{
			Name: "health", Usage: "check whether server and database are up; needs no login",
			Flags: append(shell.OutputFlags(), &cli.StringFlag{Name: "key", Usage: "the monitoring key, where the server requires one"},
				&cli.BoolFlag{Name: "ready", Usage: "check whether `erphub server api` or `server mcp` at --url is ready (/readyz), for health checks of containers"}),
			Action: a.serverHealth,
		},
		{
			Name: "logs", Usage: "list the log files of a node, or print one (administrators)", ArgsUsage: "[FILE]",
			Flags:  append(shell.OutputFlags(), &cli.StringFlag{Name: "node", Value: "local", Usage: "id of the node"}),
			Action: a.serverLogs,
		},
	}
}

// serverCommand serves: what other families bring. The commands of admin are in
// it, too, under the names that they had.
func (a *app) serverCommand(serving []*cli.Command) *cli.Command {
	former := a.adminCommands()
	for _, c := range former {
		c.Hidden = true
	}
	return &cli.Command{
		Name: "server", Usage: "serve the APIs and the deployment board, or the tools for assistants",
		Subcommands: append(serving[:len(serving):len(serving)], former...),
	}
}

func (a *app) serverHealth(c *cli.Context) error {
	if err := shell.Arguments(c); err != nil {
		return err
	}
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

// serverReady asks a server of ours.
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
		return shell.Usagef("--url is no address of a server such as http://127.0.0.1:8090")
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
		return fmt.Errorf("what responds at %s is no server of erphub (HTTP status %d)", address, resp.StatusCode)
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

// node is a node of the cluster, or the server that is none.
type node struct {
	ID       string `json:"id"`
	HostName string `json:"hostName"`
	Port     *int   `json:"port"`
}

func (a *app) serverNodes(c *cli.Context) error {
	if c.NArg() > 1 {
		return shell.Usagef("%s takes one node at most, got %s", shell.CommandPath(c), shell.Count(c.NArg(), "argument", "arguments"))
	}
	client, err := a.rest(c)
	if err != nil {
		return err
	}
	if c.NArg() == 1 {
		return a.serverNode(c, client, c.Args().First())
	}
	resp, err := client.ListNodesWithResponse(c.Context, nil)
	if err != nil {
		return err
	}
	response, err := rest.Decoded("list nodes", resp.JSON200)
	if err != nil {
		return err
	}
	nodes, err := readNodes(response)
	if err != nil {
		return err
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

// readNodes reads the two forms of the list: of a cluster, and the bare object
// of a server that is none.
func readNodes(response *rest.Nodes) ([]node, error) {
	raw, err := response.MarshalJSON()
	if err != nil {
		return nil, err
	}
	rec, err := erp.ParseRecord(raw)
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	if !rec.Has("nodes") {
		var n node
		n.ID, _ = rec.Text("id")
		n.HostName, _ = rec.Text("name")
		return []node{n}, nil
	}
	nodes := []node{}
	if err := rec.Value("nodes", &nodes); err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	return nodes, nil
}

// segment marks an argument that can be no part of a path as wrong usage.
func segment(arg string) (rest.Segment, error) {
	s := rest.Segment(arg)
	if err := s.Check(); err != nil {
		return "", shell.Usage(err)
	}
	return s, nil
}

func (a *app) serverNode(c *cli.Context, client *rest.ClientWithResponses, given string) error {
	id, err := segment(given)
	if err != nil {
		return err
	}
	resp, err := client.GetNodeWithResponse(c.Context, id, nil)
	if err != nil {
		return err
	}
	if _, err := rest.Decoded("show node", resp.JSON200); err != nil {
		return err
	}
	rec, err := erp.ParseRecord(resp.Body)
	if err != nil {
		return err
	}
	return a.printRecord(c, rec, nil)
}

func (a *app) serverLogs(c *cli.Context) error {
	if c.NArg() > 1 {
		return shell.Usagef("%s takes one file at most, got %s", shell.CommandPath(c), shell.Count(c.NArg(), "argument", "arguments"))
	}
	node, err := segment(c.String("node"))
	if err != nil {
		return err
	}
	client, err := a.rest(c)
	if err != nil {
		return err
	}
	if c.NArg() == 1 {
		return a.printLog(c, client, node, c.Args().First())
	}
	resp, err := client.ListNodeLogsWithResponse(c.Context, node, nil)
	if err != nil {
		return err
	}
	list, err := rest.Decoded("list logs", resp.JSON200)
	if err != nil {
		return err
	}
	rows := make([][]string, len(list.Logs))
	for i, l := range list.Logs {
		size := ""
		if l.FileSize != nil {
			size = strings.Trim(string(*l.FileSize), `"`)
		}
		rows[i] = []string{l.FileName, size}
	}
	return a.Print(c, append([]rest.LogFile{}, list.Logs...), output.Table{Columns: output.Columns("file=fileName", ">size=fileSize"), Rows: rows})
}

// printLog copies a log file to standard output.
func (a *app) printLog(c *cli.Context, client *rest.ClientWithResponses, node rest.Segment, file string) error {
	if choice, err := a.Choice(c, ""); err != nil || choice.Format != output.FormatTable || choice.File != "" || choice.Filtered() {
		return shell.Usagef("a log file is printed as it is: leave out --json, --output, --jq, --template and --columns")
	}
	resp, err := client.DownloadNodeLog(erp.StreamResponse(c.Context), node, &rest.DownloadNodeLogParams{FileName: file})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(a.Data(), resp.Body); err != nil {
		return fmt.Errorf("reading the log file %s: %w", file, err)
	}
	return nil
}
