package records

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
)

// recordDelete deletes records: all of them or none.
func (a *app) recordDelete(c *cli.Context) error {
	if c.NArg() < 2 {
		return shell.Usagef("record delete takes a table and the ids of records, such as record delete C_BPartner 1000004")
	}
	table, dry := c.Args().First(), c.Bool("dry-run")
	ask := !c.Bool("yes") && !dry
	if ask && !a.Asks() {
		return shell.Usagef("deleting %s %s: give --yes, because there is no terminal to ask on; nothing was deleted", table, strings.Join(c.Args().Slice()[1:], " "))
	}
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	ids, err := a.findAll(c, client, table, c.Args().Slice()[1:])
	if err != nil {
		return err
	}
	if ask {
		if err := a.confirmDelete(c, client, table, ids); err != nil {
			return err
		}
	}
	did := "deleted"
	if dry {
		did = "would be deleted:"
	}
	if err := a.deleteAll(c, client, table, ids, dry); err != nil {
		return err
	}
	var lines strings.Builder
	for _, id := range ids {
		fmt.Fprintf(&lines, "%s %s %s\n", did, shell.Printable(table), id)
	}
	return a.Print(c, map[string]any{"deleted": !dry, "table": table, "ids": ids}, output.Table{Below: lines.String()})
}

// deleteAll deletes records or, in a dry run, lets the ERP undo that.
func (a *app) deleteAll(c *cli.Context, client *erp.Client, table string, ids []erp.ID, dry bool) (err error) {
	if len(ids) == 1 && !dry {
		err = client.Delete(c.Context, table, ids[0])
	} else {
		requests := make([]erp.BatchRequest, len(ids))
		for i, id := range ids {
			requests[i] = erp.BatchDelete(table, id)
		}
		_, err = client.Batch(c.Context, requests, erp.BatchOptions{DryRun: dry})
	}
	var refused *erp.BatchError
	if len(ids) > 1 && !dry && errors.Is(err, erp.ErrNotFound) && !errors.As(err, &refused) {
		return fmt.Errorf("the server's REST plugin cannot delete several records at once, so none was deleted; delete them one by one: %w", err)
	}
	if err != nil {
		err = shell.Uncertain(err, "the command can be repeated: a record that is gone is not found")
		return a.hint(c, client, table, shell.Input(err))
	}
	return nil
}

// confirmDelete fails unless somebody agrees to the deletion of records by their names.
func (a *app) confirmDelete(c *cli.Context, client *erp.Client, table string, ids []erp.ID) error {
	names := make([]string, len(ids))
	for i, id := range ids {
		rec, err := client.Get(c.Context, table, id, nil)
		if err != nil {
			return a.hint(c, client, table, shell.Input(err))
		}
		names[i] = fmt.Sprintf("%s %q", id, nameOf(rec))
	}
	yes, err := a.Confirm(c.Context, fmt.Sprintf("Delete %s %s?", table, strings.Join(names, ", ")))
	if err == nil && !yes {
		err = errors.New("nothing was deleted")
	}
	return err
}
