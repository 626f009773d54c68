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

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/cmd/internal/sqlshell"
	"github.com/erphub/erphub/erp"
)

// sqlShell is what the shell is made of.
func (a *app) sqlShell(c *cli.Context) (*sqlshell.Options, error) {
	choice, err := a.Choice(c, "")
	if err != nil {
		return nil, err
	}
	client, err := a.roleClient(c)
	if err != nil {
		return nil, err
	}
	s := &sqlshell.Options{
		Client: client, Out: a.Streams.Out, Err: a.Streams.Err, MaxRows: c.Int("max-rows"),
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
	return s, nil
}

// sqlTerminal runs the shell for the person at the terminal.
func (a *app) sqlTerminal(c *cli.Context) error {
	s, err := a.sqlShell(c)
	if err != nil {
		return err
	}
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
