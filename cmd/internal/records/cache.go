package records

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/rest"
	"github.com/erphub/erphub/internal/nearest"
)

func (a *app) cacheCommand() *cli.Command {
	return &cli.Command{
		Name: "cache", Usage: "list and reset the caches of the ERP",
		Subcommands: []*cli.Command{
			{
				Name: "list", Usage: "list the caches and their contents (administrators)",
				Flags: append(shell.OutputFlags(),
					&cli.StringFlag{Name: "table", Usage: "only caches of this table"},
					&cli.StringFlag{Name: "name", Usage: "only the cache of this name"},
				),
				Action: a.cacheList,
			},
			{
				Name: "reset", Usage: "empty the caches of a table", ArgsUsage: "NAME",
				Description: "NAME is a table, or the name of a cache, whose table is then reset: the server resets by table.",
				Flags:       append(shell.ValueFlags(), &cli.IntFlag{Name: "record-id", Usage: "only the entries of this record"}),
				Action:      a.cacheReset,
			},
			{Name: "reset-all", Usage: "empty all caches", Flags: shell.ValueFlags(), Action: a.cacheResetAll},
		},
	}
}

// rest connects the generated client to the ERP the settings name.
func (a *app) rest(c *cli.Context) (*rest.ClientWithResponses, error) {
	client, err := a.Client(c)
	if err != nil {
		return nil, err
	}
	return rest.New(client.BaseURL(), client.Doer())
}

// orEmpty is what a pointer of the generated client points to, "" for nil.
func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// optional is a pointer to s, nil when it is empty.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func (a *app) cacheList(c *cli.Context) error {
	if err := shell.Arguments(c); err != nil {
		return err
	}
	client, err := a.rest(c)
	if err != nil {
		return err
	}
	caches, err := listCaches(c, client, &rest.ListCachesParams{TableName: optional(c.String("table")), Name: optional(c.String("name"))})
	if err != nil {
		return err
	}
	rows := make([][]string, len(caches))
	for i, k := range caches {
		expires, most := "never", "no limit"
		if k.ExpireMinutes != nil && *k.ExpireMinutes > 0 {
			expires = strconv.Itoa(*k.ExpireMinutes) + " min"
		}
		if k.MaxSize != nil && *k.MaxSize > 0 {
			most = strconv.Itoa(*k.MaxSize)
		}
		rows[i] = []string{orEmpty(k.Name), orEmpty(k.TableName), strconv.Itoa(k.Size), expires, most, shell.YesNo(k.Distributed != nil && *k.Distributed), orEmpty(k.NodeId)}
	}
	return a.Print(c, caches, output.Table{
		Columns: output.Columns("cache=name", "table=tableName", ">entries=size", ">expires=expireMinutes", ">most=maxSize", "distributed", "node=nodeId"), Rows: rows,
	})
}

func listCaches(c *cli.Context, client *rest.ClientWithResponses, params *rest.ListCachesParams) ([]rest.Cache, error) {
	resp, err := client.ListCachesWithResponse(c.Context, params)
	if err != nil {
		return nil, err
	}
	list, err := rest.Decoded("list caches", resp.JSON200)
	if err != nil {
		return nil, err
	}
	return append([]rest.Cache{}, list.Caches...), nil
}

func (a *app) cacheReset(c *cli.Context) error {
	if err := shell.Arguments(c, "the name of a table or cache"); err != nil {
		return err
	}
	name := c.Args().First()
	if strings.TrimSpace(name) == "" {
		return shell.Usagef("the name is empty; cache reset-all empties all caches")
	}
	params := &rest.ResetCachesParams{TableName: &name}
	if c.IsSet("record-id") {
		id := c.Int("record-id")
		params.RecordId = &id
	}
	client, err := a.rest(c)
	if err != nil {
		return err
	}
	caches, err := listCaches(c, client, nil)
	switch {
	case errors.Is(err, erp.ErrForbidden): // resetting takes less than listing; the name then is a table
	case err != nil:
		return err
	default:
		if params.TableName, err = cacheTable(caches, name); err != nil {
			return err
		}
	}
	return a.resetCaches(c, client, params, fmt.Sprintf("the caches of %s", *params.TableName))
}

// cacheTable is the table whose caches a name means.
func cacheTable(caches []rest.Cache, name string) (*string, error) {
	var names []string
	var named *rest.Cache
	for i, k := range caches {
		if strings.EqualFold(orEmpty(k.TableName), name) {
			return k.TableName, nil
		}
		if named == nil && strings.EqualFold(orEmpty(k.Name), name) {
			named = &caches[i]
		}
		names = append(names, orEmpty(k.TableName), orEmpty(k.Name))
	}
	switch {
	case named == nil:
		if meant := nearest.Name(name, names); meant != "" {
			return nil, fmt.Errorf("there is no cache of %q; did you mean %q?", name, meant)
		}
		return nil, fmt.Errorf("there is no cache of %q; `erphub cache list` shows those there are", name)
	case orEmpty(named.TableName) == "":
		return nil, fmt.Errorf("the cache %s belongs to no table, and the server resets by table; use `erphub cache reset-all`", orEmpty(named.Name))
	}
	return named.TableName, nil
}

func (a *app) cacheResetAll(c *cli.Context) error {
	if err := shell.Arguments(c); err != nil {
		return err
	}
	client, err := a.rest(c)
	if err != nil {
		return err
	}
	return a.resetCaches(c, client, nil, "all caches")
}

func (a *app) resetCaches(c *cli.Context, client *rest.ClientWithResponses, params *rest.ResetCachesParams, what string) error {
	resp, err := client.ResetCachesWithResponse(c.Context, params)
	if err != nil {
		return err
	}
	reset, err := rest.Decoded("reset caches", resp.JSON200)
	if err != nil {
		return err
	}
	return a.Print(c, reset, output.Table{
		Below: fmt.Sprintf("%s are empty; %s dropped\n", shell.Printable(what), shell.Count(reset.EntriesReset, "entry", "entries")),
	})
}
