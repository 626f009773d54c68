package records

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/dict/values"
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

// find finds the record that an argument means, as [values.FindRecord] does.
func (a *app) find(c *cli.Context, client *erp.Client, table, known string) (erp.ID, error) {
	if known == "" {
		_, err := erp.ParseID(known)
		return erp.ID{}, shell.Usage(err)
	}
	value, err := values.FindRecord(c.Context, client, values.NewDictionary(restdict.NewSource(client, nil)), table, known)
	if err == nil {
		return erp.ParseID(value.Plain)
	}
	if !errors.Is(err, values.ErrNameless) {
		return erp.ID{}, shell.Input(err)
	}
	if _, err := client.Query(c.Context, table, &erp.Query{Top: 1}); err != nil { // there may be no such table
		return erp.ID{}, a.hint(c, client, table, shell.Input(err))
	}
	return erp.ID{}, shell.Usagef("records of %s are known by no name: give the number or the UUID, which `erphub record list %s` shows", table, table)
}
