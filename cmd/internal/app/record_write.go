package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/internal/recordinput"
)

// values reads what is to be written, from --data and the arguments behind the
// first skip.
func (a *app) values(c *cli.Context, skip int) (map[string]any, error) {
	values, err := recordinput.Values(c.String("data"), c.Args().Slice()[skip:], a.streams.In)
	if err != nil {
		return nil, usageErr{err}
	}
	return values, nil
}

func (a *app) recordCreate(c *cli.Context) error {
	if c.NArg() < 1 {
		return usagef("record create takes a table and values, such as record create C_BPartner Name=Joe")
	}
	values, err := a.values(c, 1)
	if err != nil {
		return err
	}
	client, err := a.client(c)
	if err != nil {
		return err
	}
	table := c.Args().First()
	rec, err := client.Create(c.Context, table, values)
	if err != nil {
		return a.hint(c, client, table, input(err))
	}
	return a.printWritten(c, "created", table, rec)
}

func (a *app) recordUpdate(c *cli.Context) error {
	if c.NArg() < 2 {
		return usagef("record update takes a table, an id and values, such as record update C_BPartner 118 Name=Joe")
	}
	table, id, err := tableAndID(c)
	if err != nil {
		return err
	}
	values, err := a.values(c, 2)
	if err != nil {
		return err
	}
	client, err := a.client(c)
	if err != nil {
		return err
	}
	rec, err := client.Update(c.Context, table, id, values)
	if err != nil {
		return a.hint(c, client, table, input(err))
	}
	return a.printWritten(c, "updated", table, rec)
}

// printWritten tells what was stored.
func (a *app) printWritten(c *cli.Context, did, table string, rec erp.Record) error {
	if c.Bool("json") {
		return a.printJSON(rec)
	}
	line := fmt.Sprintf("%s %s %s", did, table, rec.ID())
	if name := nameOf(rec); name != "" {
		line += fmt.Sprintf(" %q", name)
	}
	if text, ok := rec.Text("doc-processmsg"); ok && text != "" {
		line += ": " + text
	}
	_, err := fmt.Fprintln(a.streams.Out, printable(short(line, 300)))
	return err
}

// nameOf is what people know a record by, "" when it has nothing of the kind.
func nameOf(rec erp.Record) string {
	for _, column := range []string{"DocumentNo", "Name", "Value"} {
		if text, ok := rec.Text(column); ok && text != "" {
			return short(text, 60)
		}
	}
	return ""
}

func (a *app) recordDelete(c *cli.Context) error {
	if err := arguments(c, "a table", "an id"); err != nil {
		return err
	}
	table, id, err := tableAndID(c)
	if err != nil {
		return err
	}
	ask := !c.Bool("yes")
	if ask && !terminal(a.streams.In) {
		return usagef("deleting %s %s: give --yes, because there is no terminal to ask on; nothing was deleted", table, id)
	}
	client, err := a.client(c)
	if err != nil {
		return err
	}
	if ask {
		rec, err := client.Get(c.Context, table, id, nil)
		if err != nil {
			return a.hint(c, client, table, input(err))
		}
		yes, err := a.confirm(c.Context, fmt.Sprintf("Delete %s %s %q?", table, id, nameOf(rec)))
		if err != nil {
			return err
		}
		if !yes {
			return errors.New("nothing was deleted")
		}
	}
	if err := client.Delete(c.Context, table, id); err != nil {
		return a.hint(c, client, table, input(err))
	}
	if c.Bool("json") {
		return a.printJSON(map[string]any{"deleted": true, "table": table, "id": id})
	}
	_, err = fmt.Fprintf(a.streams.Out, "deleted %s %s\n", printable(table), id)
	return err
}

// confirm asks a question on the terminal; anything but yes is no.
func (a *app) confirm(ctx context.Context, question string) (bool, error) {
	fmt.Fprintf(a.streams.Err, "%s [y/N] ", printable(question))
	line, err := readLine(ctx, bufio.NewReader(io.LimitReader(a.streams.In, 1<<10)))
	if err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("reading the answer: %w", err)
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true, nil
	}
	return false, nil
}
