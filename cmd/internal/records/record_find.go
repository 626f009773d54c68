package records

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
)

// record is a client, and the record of the first two arguments.
func (a *app) record(c *cli.Context) (client *erp.Client, table string, id erp.ID, err error) {
	if client, err = a.Client(c); err != nil {
		return nil, "", id, err
	}
	table = c.Args().First()
	id, err = a.find(c, client, table, c.Args().Get(1))
	return client, table, id, err
}

func (a *app) findAll(c *cli.Context, client *erp.Client, table string, known []string) ([]erp.ID, error) {
	ids := make([]erp.ID, len(known))
	for i, k := range known {
		var err error
		if ids[i], err = a.find(c, client, table, k); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// find is [shell.FindRecord], with a hint where there is no such table.
func (a *app) find(c *cli.Context, client *erp.Client, table, known string) (erp.ID, error) {
	id, err := shell.FindRecord(c.Context, client, table, known)
	if errors.Is(err, registry.ErrNotFound) {
		if _, readErr := client.Query(c.Context, table, &erp.Query{Top: 1}); readErr != nil {
			return id, a.hint(c, client, table, shell.Input(readErr))
		}
	}
	return id, err
}
