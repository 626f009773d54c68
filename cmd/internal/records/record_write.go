package records

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
)

func (a *app) recordUpdate(c *cli.Context) error {
	if c.NArg() < 2 {
		return shell.Usagef("record update takes a table, an id and values, such as record update C_BPartner 118 Name=Joe")
	}
	given, err := a.given(c, 2)
	if err != nil {
		return err
	}
	client, table, id, err := a.record(c)
	if err != nil {
		return err
	}
	r, err := a.read(c, client, table, given)
	if err != nil {
		return err
	}
	action, err := r.action()
	if err != nil {
		return err
	}
	if c.Bool("dry-run") {
		return a.tryUpdate(c, client, r, id)
	}
	rec, err := client.Update(c.Context, r.table, id, r.values)
	if err != nil {
		err = shell.Uncertain(err, "the command can be repeated: it writes the same values")
		return a.hint(c, client, table, shell.Input(err))
	}
	if after := (&erp.Document{Table: table, Record: rec}); action != "" && !action.LeadsTo(after.Status()) {
		return fmt.Errorf("%s %s %s: %w: its status is %s", action, table, id, erp.ErrNotProcessed, after.StatusName())
	}
	return a.printWritten(c, "updated", table, rec)
}

// action writes the action on a document, if there is one, as the ERP's code, and returns
// it.
func (r *record) action() (erp.DocAction, error) {
	for name, value := range r.values {
		if !strings.EqualFold(name, "doc-action") {
			continue
		}
		action, known := erp.ParseDocAction(fmt.Sprint(value))
		if !known {
			return "", shell.Usagef("there is no action %q on documents; there are complete (CO), prepare (PR), void (VO), close (CL), reverse-correct (RC), reactivate (RE) and others", value)
		}
		r.values[name] = string(action)
		return action, nil
	}
	return "", nil
}

// printWritten tells what was stored.
func (a *app) printWritten(c *cli.Context, did, table string, rec erp.Record) error {
	line := fmt.Sprintf("%s %s %s", did, table, rec.ID())
	if name := nameOf(rec); name != "" {
		line += fmt.Sprintf(" %q", name)
	}
	if text, ok := rec.Text("doc-processmsg"); ok && text != "" && text != "null" { // "null" means no message
		line += ": " + text
	}
	return a.Print(c, rec, output.Table{Below: shell.Short(line, 300) + "\n"})
}

// nameOf is what people know a record by, "" when it has nothing of the kind.
func nameOf(rec erp.Record) string {
	for _, column := range []string{"DocumentNo", "Name", "Value"} {
		if text, ok := rec.Text(column); ok && text != "" {
			return shell.Short(text, 60)
		}
	}
	return ""
}
