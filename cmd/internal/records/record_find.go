package records

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/dict"
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

// find finds a record by its number or UUID, or else by what a reference to it may say:
// its search key, document number or name. COLUMN=VALUE says by which column.
func (a *app) find(c *cli.Context, client *erp.Client, table, known string) (erp.ID, error) {
	id, err := erp.ParseID(known)
	switch {
	case err == nil:
		return id, nil
	case known == "":
		return id, shell.Usage(err)
	}
	target := values.Target{Name: table, Type: dict.TypeSearch, Foreign: table}
	if column, value, ok := strings.Cut(known, "="); ok {
		if column == "" || value == "" {
			return id, shell.Usagef("%q does not name a record: write a column and its value, such as DocumentNo=80000", known)
		}
		target.By, known = column, value
	}
	reader, err := values.New(client, values.NewDictionary(restdict.NewSource(client, nil)), values.Options{Advice: values.Advice{By: "COLUMN=VALUE"}})
	if err != nil {
		return id, err
	}
	value, err := reader.Read(c.Context, target, values.Cell{Text: known})
	if err == nil {
		lookup := reader.Lookup(c.Context, []*values.Value{&value}, func(_ *values.Value, problem error) { err = problem })
		if lookup != nil {
			err = lookup
		}
	}
	if err != nil {
		return id, shell.Input(err)
	}
	if id, err = erp.ParseID(value.Plain); err == nil {
		return id, nil
	}
	if _, err := client.Query(c.Context, table, &erp.Query{Top: 1}); err != nil { // there may be no such table
		return id, a.hint(c, client, table, shell.Input(err))
	}
	return id, shell.Usagef("records of %s are known by no name: give the number or the UUID, which `erphub record list %s` shows", table, table)
}
