package query

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/aiquery/aiclient"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/cmd/internal/auditlog"
	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/tokens"
)

// maxStatement bounds what is read as a statement from a file; the service takes
// less.
const maxStatement = 1 << 20

func (a *app) queryCommand() *cli.Command {
	return &cli.Command{
		Name: "query", Usage: "run a SELECT with the permissions of one of your roles", ArgsUsage: `["SELECT ..." | --audit [ID]]`,
		Description: "Sends the query to the AI integration API, which is at the ERP's address unless --ai-api-url or " + aiclient.EnvURL + " says " +
			"otherwise (`erphub server api` and `erphub sandbox` serve one). Tables, columns and rows that the role may " +
			"not see do not exist for it, secrets are masked, and each query is audited.\n\n" +
			"Without a statement, on a terminal, it is a shell: it reads statements as you type them, with a history and completion of tables and " +
			"columns, and commands of psql (\\? lists them, \\i runs the statements of a file). " +
			"The history is in the file sql_history of the state folder ($XDG_STATE_HOME/erphub, or ~/.local/state/erphub), which only you may read.\n\n" +
			"Each --param stands for $1, $2 and so on: text as it is, or JSON behind :=, such as :=12.50 or :=null. " +
			"The token is " + aiclient.EnvToken + ", else the one for the ERP. CSV is exact (for a spreadsheet give " +
			"--no-formulas): NULL is an empty cell, an empty text is \"\". -o ndjson prints an object per row.\n\n" +
			"--audit runs no query: it lists earlier queries and their users, newest first, or shows the record with the number " +
			"or UUID that is given. It reads the ERP's table " + auditlog.TableName + " with your login: the ERP shows it to tenant " +
			"administrators and to the System level, each the records of the own tenant. Times are UTC.",
		Flags: append([]cli.Flag{
			&cli.IntFlag{Name: "role", Aliases: []string{"ai-role-id"}, DefaultText: "that of the login", Usage: "number of the role to query with (" + aiclient.EnvRole + ")"},
			&cli.GenericFlag{Name: "param", Usage: "`VALUE` for the next of $1, $2, ...; repeatable", Value: &shell.Texts{}},
			&cli.StringFlag{Name: "file", Aliases: []string{"f"}, Usage: "read the statement from this file, - for standard input", TakesFile: true},
			&cli.IntFlag{Name: "max-rows", Usage: "how many rows to return at most; the service returns 100 by default, and 1000 at most"},
			&cli.BoolFlag{Name: "explain", Usage: "show what it reads and returns, and do not run it"},
			&cli.BoolFlag{Name: "roles", Usage: "list the roles you may query with, and run no query"},
			&cli.BoolFlag{Name: "no-history", Usage: "the shell reads and writes no history"},
			&cli.StringFlag{Name: "ai-api-url", Usage: "address of the AI API, with or without /api/ai (" + aiclient.EnvURL + ")"},
		}, append(auditFlags(), shell.OutputFlags()...)...),
		Action: a.query,
	}
}

// checkQuery refuses flags and arguments that do not go together.
func (a *app) checkQuery(c *cli.Context) error {
	choice, err := a.Choice(c, "")
	if err != nil {
		return err
	}
	explained := []output.Format{output.FormatTable, output.FormatJSON, output.FormatYAML, output.FormatNDJSON}
	if c.Bool("explain") && (len(choice.Columns) > 0 || !slices.Contains(explained, choice.Format)) {
		return shell.Usagef("--explain prints what a statement reads, which has no rows; use -o table, json, ndjson or yaml")
	}
	if c.Bool("roles") {
		if c.NArg() > 0 || c.Bool("explain") || c.IsSet("file") {
			return shell.Usagef("--roles lists roles and runs no query: leave out the statement, --file and --explain")
		}
		return nil
	}
	return a.checkStatement(c)
}

// statementOnly are flags that go with one statement.
var statementOnly = []string{"param", "explain"}

// checkStatement refuses a statement that is missing, or given twice.
func (a *app) checkStatement(c *cli.Context) error {
	switch {
	case c.NArg() > 1:
		return shell.Usagef("query takes one statement, got %d arguments; put it in quotes, and values for $1, $2, ... behind --param", c.NArg())
	case c.NArg() == 1 && c.IsSet("file"):
		return shell.Usagef("the statement is given twice: as an argument and with --file")
	case c.NArg() == 0 && !c.IsSet("file") && (!shell.Terminal(a.Streams.In) || !shell.Terminal(a.Streams.Out) || firstSet(c, statementOnly) != ""):
		return shell.Usagef("query takes a statement such as \"SELECT name FROM c_bpartner\", or --file; alone, on a terminal, it is a shell")
	case c.IsSet("max-rows") && c.Int("max-rows") < 1:
		return shell.Usagef("--max-rows must be 1 or more")
	}
	return nil
}

func (a *app) query(c *cli.Context) error {
	if c.Bool("audit") {
		return a.queryAudit(c)
	}
	if name := firstSet(c, auditOnly); name != "" {
		return shell.Usagef("--%s belongs to --audit", name)
	}
	if err := a.checkQuery(c); err != nil {
		return err
	}
	if c.Bool("roles") {
		client, err := a.aiClient(c)
		if err != nil {
			return err
		}
		return a.queryRoles(c, client)
	}
	if c.NArg() == 0 && !c.IsSet("file") {
		return a.sqlTerminal(c)
	}
	q, err := a.statement(c)
	if err != nil {
		return err
	}
	client, err := a.roleClient(c)
	if err != nil {
		return err
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
func (a *app) statement(c *cli.Context) (q aiclient.Query, err error) {
	q = aiclient.Query{SQL: c.Args().First(), MaxRows: c.Int("max-rows")}
	if path := cmp.Or(c.String("file"), strings.TrimPrefix(q.SQL, "@")); c.IsSet("file") || path != q.SQL || path == "-" {
		if q.SQL, err = a.readStatement(path); err != nil {
			return q, fmt.Errorf("reading the statement: %w", err)
		}
	}
	for i, arg := range shell.Given(c, "param") {
		raw, isJSON := strings.CutPrefix(arg, ":=")
		if !isJSON {
			q.Params = append(q.Params, arg)
			continue
		}
		if !json.Valid([]byte(raw)) {
			return q, shell.Usagef("the value for $%d, behind :=, is not JSON", i+1)
		}
		q.Params = append(q.Params, json.RawMessage(raw))
	}
	return q, nil
}

func (a *app) readStatement(path string) (string, error) {
	from := a.Streams.In
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		defer f.Close()
		from = f
	}
	text, err := io.ReadAll(io.LimitReader(from, maxStatement+1))
	if err == nil && len(text) > maxStatement {
		err = fmt.Errorf("it is longer than %d bytes", maxStatement)
	}
	return string(text), err
}

// aiClient connects to the AI API that the settings name.
func (a *app) aiClient(c *cli.Context) (*aiclient.Client, error) {
	s, err := a.Setup(c)
	if err != nil {
		return nil, err
	}
	address := cmp.Or(c.String("ai-api-url"), a.Getenv(aiclient.EnvURL), s.Resolver.Lookup("url"))
	if address == "" {
		return nil, shell.Usagef("which ERP? give its address with --url or ERP_URL, or that of its AI API with --ai-api-url or %s; `erphub sandbox` is one to try", aiclient.EnvURL)
	}
	opts := []aiclient.Option{aiclient.WithUserAgent("erphub/" + shell.Version()), aiclient.WithLogger(a.Log)}
	var source tokens.Source
	if given := a.Getenv(aiclient.EnvToken); given == "" || c.String("token-file") != "" {
		if source, err = a.Source(s); err != nil {
			return nil, err
		}
		if source != nil {
			opts = append(opts, aiclient.WithTokenSource(source))
		}
	} else if static, err := tokens.Static(tokens.NewSecret(given)); err == nil { // otherwise the client says so
		source = static
	}
	switch {
	case c.IsSet("role"):
		opts = append(opts, aiclient.WithRole(c.Int("role")))
	case a.Getenv(aiclient.EnvRole) == "" && !c.Bool("roles"):
		role, ok, err := shell.RoleOf(c.Context, s, source)
		if err != nil {
			return nil, err
		}
		if ok {
			opts = append(opts, aiclient.WithRole(role))
		}
	}
	client, err := aiclient.FromEnv(func(name string) string {
		if name == aiclient.EnvURL {
			return address
		}
		return a.Getenv(name)
	}, opts...)
	return client, aiInput(err)
}

// aiInput marks what was refused before anything was sent as wrong usage.
func aiInput(err error) error {
	if errors.Is(err, aiclient.ErrInvalid) {
		return shell.Usage(err)
	}
	return err
}

// pointed shows where in the statement something is wrong.
func pointed(err error, sql string) error {
	var e *api.Error
	if !errors.As(err, &e) || e.Position < 1 {
		return err
	}
	const most = 60 // characters on either side
	runes := []rune(sql)
	at := min(e.Position, len(runes)+1) - 1
	begin, end := at, at
	for begin > 0 && runes[begin-1] != '\n' && at-begin < most {
		begin--
	}
	for end < len(runes) && runes[end] != '\n' && end-at < most {
		end++
	}
	line := strings.ReplaceAll(string(runes[begin:end]), "\t", " ")
	return fmt.Errorf("%w\n  %s\n  %s^", err, line, strings.Repeat(" ", at-begin))
}
