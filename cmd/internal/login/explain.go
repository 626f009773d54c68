package login

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp/access"
)

func (a *app) explainCommand() *cli.Command {
	return &cli.Command{
		Name: "explain", Usage: "explain why a user or a role may see or change something",
		Description: "Reads the ERP's permission tables as you; what you may not read yourself is named. Such as: " +
			"erphub auth explain --user GardenUser --window \"Sales Order\"",
		Flags: append(shell.OutputFlags(),
			&cli.StringFlag{Name: "user", Usage: "name, search key, mail address or number of the user"},
			&cli.StringFlag{Name: "role", Usage: "name or number of a role; with --user only this one"},
			&cli.StringFlag{Name: "window", Usage: "name of a window"},
			&cli.StringFlag{Name: "process", Usage: "search key or name of a process"},
			&cli.StringFlag{Name: "form", Usage: "name of a form"},
			&cli.StringFlag{Name: "table", Usage: "name of a table"},
			&cli.StringFlag{Name: "column", Usage: "column of the table"},
			&cli.StringFlag{Name: "record", Usage: "record of the table: number, UUID, search key, document number or name"},
		),
		Action: shell.Takes(a.authExplain),
	}
}

func (a *app) authExplain(c *cli.Context) error {
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	record := c.String("record")
	if record != "" {
		id, err := shell.FindRecord(c.Context, client, c.String("table"), record)
		if err != nil {
			return err
		}
		record = id.String()
	}
	why, err := access.Explain(c.Context, client, access.Question{
		User: c.String("user"), Role: c.String("role"), Window: c.String("window"), Process: c.String("process"), Form: c.String("form"),
		Table: c.String("table"), Column: c.String("column"), Record: record,
	})
	if errors.Is(err, access.ErrQuestion) {
		return shell.Usagef("%v", err)
	}
	if err != nil {
		return err
	}
	rows := reasonRows(nil, why.User, why.UserReasons)
	for _, r := range why.Roles {
		rows = append(rows, []string{r.Name, fmt.Sprintf("see: %s, change: %s", r.Read, r.Write), ""})
		rows = reasonRows(rows, "", r.Reasons)
	}
	t := output.Table{Columns: []output.Column{{Name: "who"}, {Name: why.Object, Wrap: true}, {Name: "what to change", Wrap: true}}, Rows: rows}
	if err := a.Print(c, why, t); err != nil {
		return err
	}
	for _, table := range why.Unread {
		a.Note("not known, because you may not read it: %s", table)
	}
	return nil
}

func reasonRows(rows [][]string, who string, reasons []access.Reason) [][]string {
	for _, r := range reasons {
		text := fmt.Sprintf("%s: %s", r.Effect, r.Text)
		if r.Record != "" {
			text += " (" + r.Record + ")"
		}
		rows = append(rows, []string{who, text, r.Fix})
	}
	return rows
}
