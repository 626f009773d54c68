package query

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/aiquery/aiclient"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/cmd/internal/sqlshell"
	"github.com/erphub/erphub/erp"
)

func (a *app) sqlCommand() *cli.Command {
	return &cli.Command{
		Name: "sql", Usage: "a shell for SQL with the permissions of one of your roles",
		Description: "On a terminal it reads statements as you type them, with a history and completion of tables and columns; \\? lists its commands, which are those of psql where they make sense here. " +
			"Statements are SELECTs, and end with a semicolon. Without a terminal it runs the statements of standard input, and ends at the first that fails. " +
			"What the role may not see does not exist, and each statement is audited, as with `erphub query`.\n\n" +
			"The history is kept in the file sql_history of the state folder ($XDG_STATE_HOME/erphub, or ~/.local/state/erphub), which only you may read; --no-history keeps none.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "command", Aliases: []string{"c"}, Usage: "run these statements, and end"},
			&cli.StringFlag{Name: "file", Aliases: []string{"f"}, Usage: "run the statements of this file, and end; - for standard input", TakesFile: true},
			&cli.BoolFlag{Name: "keep-going", Usage: "go on after a statement of a script that fails"},
			&cli.BoolFlag{Name: "no-history", Usage: "read and write no history"},
			&cli.IntFlag{Name: "role", Aliases: []string{"ai-role-id"}, DefaultText: "that of the login", Usage: "number of the role to query with (" + aiclient.EnvRole + ")"},
			&cli.IntFlag{Name: "max-rows", Usage: "how many rows to return at most; the service returns 100 by default, and 1000 at most"},
			&cli.StringFlag{Name: "ai-api-url", Usage: "address of the AI API, with or without /api/ai (" + aiclient.EnvURL + ")"},
		}, shell.OutputFlags()...),
		Action: a.sql,
	}
}

func (a *app) sql(c *cli.Context) error {
	switch {
	case c.NArg() > 0:
		return shell.Usagef("sql takes no arguments; give statements behind --command, or run one with `erphub query`")
	case c.IsSet("command") && c.IsSet("file"):
		return shell.Usagef("--command and --file are two sources of statements; choose one")
	case c.IsSet("max-rows") && (c.Int("max-rows") < 1 || c.Int("max-rows") > 1000):
		return shell.Usagef("--max-rows must be 1 to 1000")
	}
	choice, err := a.Choice(c, "")
	if err != nil {
		return err
	}
	client, err := a.roleClient(c)
	if err != nil {
		return err
	}
	s, err := a.sqlShell(c, client, choice)
	if err != nil {
		return err
	}
	if !s.Script {
		return a.sqlTerminal(c, s)
	}
	if err := sqlshell.New(*s).Run(c.Context); !errors.Is(err, sqlshell.ErrFailed) {
		return err
	} else {
		return fmt.Errorf("%w: %w", err, shell.ErrReported)
	}
}

// sqlShell is what the shell is made of.
func (a *app) sqlShell(c *cli.Context, client *aiclient.Client, choice *output.Choice) (*sqlshell.Options, error) {
	s := &sqlshell.Options{
		Client: client, Out: a.Streams.Out, Err: a.Streams.Err, MaxRows: c.Int("max-rows"), KeepGoing: c.Bool("keep-going"),
		Point: pointed, Part: shell.Interruptible,
		List: a.PrintTable,
		Plan: func(e *api.Explanation) error { return a.printExplanation(c, e) },
		Tables: func(ctx context.Context) ([]sqlshell.Table, error) {
			erpClient, err := a.Client(c)
			if err != nil {
				return nil, err
			}
			return tablesOf(ctx, erpClient)
		},
	}
	for _, f := range output.Formats {
		s.Formats = append(s.Formats, string(f))
	}
	i := slices.Index(s.Formats, string(choice.Format)) // the first is usual
	s.Formats = slices.Insert(slices.Delete(s.Formats, i, i+1), 0, string(choice.Format))
	s.Print = func(r *api.Result, v sqlshell.View) error { return a.printView(c, choice, r, v) }
	switch {
	case c.IsSet("command"):
		s.Lines, s.Script = sqlshell.FromText(c.String("command")), true
	case c.IsSet("file") && c.String("file") != "-":
		content, err := a.readStatement(c.String("file"))
		if err != nil {
			return nil, shell.Usage(fmt.Errorf("reading the statements: %w", err))
		}
		s.Lines, s.Script = sqlshell.FromText(content), true
	case c.IsSet("file") || !shell.Terminal(a.Streams.In) || !shell.Terminal(a.Streams.Out):
		s.Lines, s.Script = sqlshell.From(a.Streams.In), true
	}
	return s, nil
}

// sqlTerminal runs the shell for the person at the terminal.
func (a *app) sqlTerminal(c *cli.Context, s *sqlshell.Options) error {
	history := ""
	if !c.Bool("no-history") {
		history = a.StateFile("sql_history")
	}
	terminal, err := sqlshell.OpenTerminal(history)
	if err != nil {
		return fmt.Errorf("taking over the terminal: %w", err)
	}
	s.Lines, s.Edit = terminal, a.editor
	sh := sqlshell.New(*s)
	terminal.Complete(sh.Complete)
	role, _ := s.Client.Role()
	a.Note(`querying %s with role %d; \? for help, \q to leave`, s.Client.Address(), role)
	return errors.Join(sh.Run(c.Context), terminal.Close())
}

// printView shows a result as the shell's settings say.
func (a *app) printView(c *cli.Context, choice *output.Choice, r *api.Result, v sqlshell.View) error {
	view := *choice
	switch {
	case v.Path != "":
		parsed, err := output.Parse(output.Flags{Output: asFile(v.Path), Rows: true})
		if err != nil {
			return err
		}
		view.Format, view.File = parsed.Format, parsed.File
	case v.Expanded:
		view.Format, view.File = output.FormatVertical, ""
	default:
		view.Format = output.Format(v.Format)
	}
	return a.printChosen(c, &view, r)
}

// asFile makes sure that a name is taken for a file, not for a format.
func asFile(path string) string {
	if strings.ContainsAny(path, `./\`) {
		return path
	}
	return "." + string(filepath.Separator) + path
}

// tablesOf lists the tables of the dictionary; a role that may not read it gets
// those it may use.
func tablesOf(ctx context.Context, client *erp.Client) ([]sqlshell.Table, error) {
	var tables []sqlshell.Table
	for rec, err := range client.Records(ctx, "AD_Table", &erp.Query{Select: []string{"TableName", "Name"}, OrderBy: []string{"TableName"}}) {
		if err != nil {
			if !errors.Is(err, erp.ErrForbidden) {
				return nil, err
			}
			return modelsOf(ctx, client)
		}
		var t sqlshell.Table
		t.Name, _ = rec.Text("TableName")
		t.Label, _ = rec.Text("Name")
		tables = append(tables, t)
	}
	return tables, nil
}

func modelsOf(ctx context.Context, client *erp.Client) ([]sqlshell.Table, error) {
	models, err := client.Models(ctx, erp.Filter{})
	if err != nil {
		return nil, err
	}
	tables := make([]sqlshell.Table, len(models))
	for i, m := range models {
		tables[i].Name = m.Table
	}
	return tables, nil
}

// editor lets the person edit a text in the editor of their choice.
func (a *app) editor(ctx context.Context, text string) (string, error) {
	words := strings.Fields(a.Getenv("VISUAL"))
	if len(words) == 0 {
		words = strings.Fields(a.Getenv("EDITOR"))
	}
	if len(words) == 0 {
		words = []string{"vi"}
	}
	f, err := os.CreateTemp("", "erphub-*.sql") // only its owner reads it
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], f.Name())...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("the editor %s: %w; set EDITOR to another", words[0], err)
	}
	edited, err := os.ReadFile(f.Name())
	return string(edited), err
}
