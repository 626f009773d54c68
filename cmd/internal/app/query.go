package app

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/aiquery/aiclient"
)

// maxStatement bounds what is read as a statement from standard input.
const maxStatement = 1 << 20

func (a *app) queryCommand() *cli.Command {
	return &cli.Command{
		Name: "query", Usage: "ask a SELECT with the rights of one of your roles", ArgsUsage: `"SELECT ..." [VALUE...]`,
		Description: "Asks the AI integration API, which is where the ERP is unless --ai-api-url or AI_API_URL says otherwise\n" +
			"(`erphub server api` and `erphub sandbox` serve one). Tables, columns and rows that the role may not see do\n" +
			"not exist for it, secrets are masked, and each query is audited. A statement of - is read from standard\n" +
			"input. Each VALUE stands for $1, $2 and so on: text as it is, or JSON behind :=, such as :=12.50 or :=null.\n" +
			"The token is AI_API_TOKEN, else the one for the ERP. Cells of a CSV file are not changed: one that begins\n" +
			"with = is a formula to a spreadsheet.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "role", Usage: "number of the role to ask with (" + aiclient.EnvRole + ")"},
			&cli.IntFlag{Name: "max-rows", Usage: "how many rows at most; the service gives 100 unless asked, and 1000 at most"},
			&cli.BoolFlag{Name: "explain", Usage: "show how it would be run, and do not run it"},
			&cli.BoolFlag{Name: "csv", Usage: "print CSV with the names of the columns in the first line"},
			&cli.BoolFlag{Name: "roles", Usage: "list the roles you may ask with, and do not ask anything"},
			&cli.StringFlag{Name: "ai-api-url", Usage: "address of the AI API, with or without /api/ai (" + aiclient.EnvURL + ")"},
		},
		Action: a.query,
	}
}

func (a *app) query(c *cli.Context) error {
	switch {
	case c.Bool("json") && c.Bool("csv"):
		return usagef("--json and --csv contradict each other")
	case c.Bool("roles") && (c.NArg() > 0 || c.Bool("explain") || c.Bool("csv")):
		return usagef("--roles stands alone, or with --json")
	case c.Bool("explain") && c.Bool("csv"):
		return usagef("--explain and --csv contradict each other; a plan is no table")
	case !c.Bool("roles") && c.NArg() == 0:
		return usagef("query takes a statement such as \"SELECT name FROM c_bpartner\", and values for its parameters")
	case c.IsSet("max-rows") && c.Int("max-rows") < 1:
		return usagef("--max-rows must be 1 or more")
	}
	if c.Bool("roles") {
		client, err := a.aiClient(c)
		if err != nil {
			return err
		}
		return a.queryRoles(c, client)
	}
	q, err := a.statement(c)
	if err != nil {
		return err
	}
	client, err := a.aiClient(c)
	if err != nil {
		return err
	}
	if _, ok := client.Role(); !ok {
		return usagef("which role? give --role or set %s; `erphub query --roles` lists yours", aiclient.EnvRole)
	}
	if c.Bool("explain") {
		plan, err := client.Explain(c.Context, q)
		if err != nil {
			return pointed(aiInput(err), q.SQL)
		}
		return a.printExplanation(c, plan)
	}
	result, err := client.Query(c.Context, q)
	if err != nil {
		return pointed(aiInput(err), q.SQL)
	}
	return a.printResult(c, result)
}

// statement reads the statement and the values for its parameters.
func (a *app) statement(c *cli.Context) (aiclient.Query, error) {
	q := aiclient.Query{SQL: c.Args().First(), MaxRows: c.Int("max-rows")}
	if q.SQL == "-" {
		text, err := io.ReadAll(io.LimitReader(a.streams.In, maxStatement+1))
		if err != nil {
			return q, fmt.Errorf("reading the statement: %w", err)
		}
		if len(text) > maxStatement {
			return q, usagef("the statement is longer than %d bytes", maxStatement)
		}
		q.SQL = string(text)
	}
	for i, arg := range c.Args().Tail() {
		raw, isJSON := strings.CutPrefix(arg, ":=")
		if !isJSON {
			q.Params = append(q.Params, arg)
			continue
		}
		if !json.Valid([]byte(raw)) {
			return q, usagef("the value for $%d, behind :=, is not JSON", i+1)
		}
		q.Params = append(q.Params, json.RawMessage(raw))
	}
	return q, nil
}

// aiClient connects to the AI API that the settings name.
func (a *app) aiClient(c *cli.Context) (*aiclient.Client, error) {
	s, err := a.setup(c)
	if err != nil {
		return nil, err
	}
	address := c.String("ai-api-url")
	if address == "" {
		address = a.getenv(aiclient.EnvURL)
	}
	if address == "" {
		if address = s.resolver.Lookup("url"); address == "" {
			return nil, usagef("no address of an AI API: set %s or ERP_URL, or give --ai-api-url; `erphub sandbox` serves one to try", aiclient.EnvURL)
		}
	}
	opts := []aiclient.Option{aiclient.WithUserAgent("erphub/" + version()), aiclient.WithLogger(a.log)}
	if a.getenv(aiclient.EnvToken) == "" || c.String("token-file") != "" {
		source, err := a.source(s)
		if err != nil {
			return nil, err
		}
		if source != nil {
			opts = append(opts, aiclient.WithTokenSource(source))
		}
	}
	if c.IsSet("role") {
		opts = append(opts, aiclient.WithRole(c.Int("role")))
	}
	client, err := aiclient.FromEnv(func(name string) string {
		if name == aiclient.EnvURL {
			return address
		}
		return a.getenv(name)
	}, opts...)
	return client, aiInput(err)
}

// aiInput marks what was refused before anything was sent as wrong usage.
func aiInput(err error) error {
	if errors.Is(err, aiclient.ErrInvalid) {
		return usageErr{err}
	}
	return err
}

// pointed shows where in the statement something is wrong.
func pointed(err error, sql string) error {
	var e *aiclient.Error
	if !errors.As(err, &e) || e.Position < 1 {
		return err
	}
	runes := []rune(sql)
	at := min(e.Position, len(runes)+1) - 1
	begin, end := at, at
	for begin > 0 && runes[begin-1] != '\n' && at-begin < 60 {
		begin--
	}
	for end < len(runes) && runes[end] != '\n' && end-at < 20 {
		end++
	}
	line := strings.ReplaceAll(string(runes[begin:end]), "\t", " ")
	return fmt.Errorf("%w\n  %s\n  %s^", err, line, strings.Repeat(" ", at-begin))
}

func (a *app) queryRoles(c *cli.Context, client *aiclient.Client) error {
	roles, err := client.Roles(c.Context)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return a.printJSON(append([]aiclient.RoleInfo{}, roles...))
	}
	rows := make([][]string, len(roles))
	for i, r := range roles {
		rows[i] = []string{strconv.Itoa(r.ID), r.Name, strconv.Itoa(r.ClientID), r.ClientName, r.UserLevel}
	}
	a.printTable([]string{"role", "name", "client", "client name", "level"}, rows)
	return nil
}

// printResult shows the answer to a query.
func (a *app) printResult(c *cli.Context, r *aiclient.Result) error {
	for _, note := range r.Notes {
		a.note("%s", note)
	}
	switch {
	case c.Bool("json"):
		return a.printJSON(r)
	case c.Bool("csv"):
		if err := writeCSV(a.data(), r); err != nil {
			return err
		}
	default:
		headings, rows := make([]string, len(r.Columns)), make([][]string, len(r.Rows))
		for i, col := range r.Columns {
			headings[i] = printable(col.Name)
		}
		for i, row := range r.Rows {
			rows[i] = make([]string, len(row))
			for j, value := range row {
				rows[i][j] = short(valueText(value), 60)
			}
		}
		if len(rows) == 0 {
			a.note("no rows")
		} else {
			a.printTable(headings, rows)
		}
	}
	if r.Truncated {
		a.note("there is more than these %d rows: narrow the statement, aggregate, or ask for more with --max-rows (at most 1000)", r.RowCount)
	}
	return nil
}

// writeCSV writes the answer to a query for programs.
func writeCSV(to io.Writer, r *aiclient.Result) error {
	w := csv.NewWriter(to)
	line := make([]string, len(r.Columns))
	for i, col := range r.Columns {
		line[i] = col.Name
	}
	if err := w.Write(line); err != nil {
		return err
	}
	for _, row := range r.Rows {
		for i, value := range row {
			line[i] = valueText(value)
		}
		if err := w.Write(line); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// valueText is a value of a result in one piece of text.
func valueText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return v.String()
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// printExplanation shows how a statement would be run.
func (a *app) printExplanation(c *cli.Context, e *aiclient.Explanation) error {
	if c.Bool("json") {
		return a.printJSON(e)
	}
	var b strings.Builder
	var show func(n aiclient.PlanNode, depth int)
	show = func(n aiclient.PlanNode, depth int) {
		fmt.Fprintf(&b, "%s%s  (cost %.2f..%.2f)\n", strings.Repeat("  ", depth), printable(n.Node), n.StartupCost, n.TotalCost)
		for _, inner := range n.Plans {
			show(inner, depth+1)
		}
	}
	show(e.Plan, 0)
	fmt.Fprintf(&b, "reads: %s\n", printable(strings.Join(e.Tables, ", ")))
	_, err := io.WriteString(a.streams.Out, b.String())
	return err
}
