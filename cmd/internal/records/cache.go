package records

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/output"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/erp"
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
				Action: shell.Takes(a.cacheList),
			},
			{
				Name: "reset", Usage: "empty the caches of a table", ArgsUsage: "NAME",
				Description: "NAME is a table, or the name of a cache, whose table is then reset: the server resets by table.",
				Flags:       append(shell.ValueFlags(), &cli.IntFlag{Name: "record-id", Usage: "only the entries of this record"}),
				Action:      shell.Takes(a.cacheReset, "the name of a table or cache"),
			},
			{Name: "reset-all", Usage: "empty all caches", Flags: shell.ValueFlags(), Action: shell.Takes(a.cacheResetAll)},
		},
	}
}

// cache is a cache of the ERP.
type cache struct {
	Name          string `json:"name"`
	TableName     string `json:"tableName"`
	Size          int    `json:"size"`
	ExpireMinutes int    `json:"expireMinutes"`
	MaxSize       int    `json:"maxSize"`
	Distributed   bool   `json:"distributed"`
	NodeID        string `json:"nodeId"`
}

// call reads the response to a request for which the client has no method.
func call(c *cli.Context, client *erp.Client, method string, path []string, params url.Values, dst any) error {
	response, err := client.Call(c.Context, method, path, params, nil)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(response, dst); err != nil {
		return fmt.Errorf("reading the response to %s %s: %w: %w", method, strings.Join(path, "/"), erp.ErrBadResponse, err)
	}
	return nil
}

func (a *app) cacheList(c *cli.Context) error {
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	caches, err := listCaches(c, client, c.String("table"), c.String("name"))
	if err != nil {
		return err
	}
	rows := make([][]string, len(caches))
	for i, k := range caches {
		expires, most := "never", "no limit"
		if k.ExpireMinutes > 0 {
			expires = strconv.Itoa(k.ExpireMinutes) + " min"
		}
		if k.MaxSize > 0 {
			most = strconv.Itoa(k.MaxSize)
		}
		rows[i] = []string{k.Name, k.TableName, strconv.Itoa(k.Size), expires, most, shell.YesNo(k.Distributed), k.NodeID}
	}
	return a.Print(c, caches, output.Table{
		Columns: output.Columns("cache=name", "table=tableName", ">entries=size", ">expires=expireMinutes", ">most=maxSize", "distributed", "node=nodeId"), Rows: rows,
	})
}

// listCaches are the caches of a table and of a name; empty stands for any.
func listCaches(c *cli.Context, client *erp.Client, table, name string) ([]cache, error) {
	params := url.Values{}
	for key, value := range map[string]string{"table_name": table, "name": name} {
		if value != "" {
			params.Set(key, value)
		}
	}
	list := struct {
		Caches []cache `json:"caches"`
	}{Caches: []cache{}}
	err := call(c, client, http.MethodGet, []string{"caches"}, params, &list)
	return list.Caches, err
}

func (a *app) cacheReset(c *cli.Context) error {
	table := c.Args().First()
	if strings.TrimSpace(table) == "" {
		return shell.Usagef("the name is empty; cache reset-all empties all caches")
	}
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	caches, err := listCaches(c, client, "", "")
	switch {
	case errors.Is(err, erp.ErrForbidden): // resetting takes less than listing; the name then is a table
	case err != nil:
		return err
	default:
		if table, err = cacheTable(caches, table); err != nil {
			return err
		}
	}
	params := url.Values{"table_name": {table}}
	if c.IsSet("record-id") {
		params.Set("record_id", strconv.Itoa(c.Int("record-id")))
	}
	return a.resetCaches(c, client, params, "the caches of "+table)
}

// cacheTable is the table whose caches a name means.
func cacheTable(caches []cache, name string) (string, error) {
	var names []string
	var named *cache
	for i, k := range caches {
		if strings.EqualFold(k.TableName, name) {
			return k.TableName, nil
		}
		if named == nil && strings.EqualFold(k.Name, name) {
			named = &caches[i]
		}
		names = append(names, k.TableName, k.Name)
	}
	switch {
	case named == nil:
		if meant := nearest.Name(name, names); meant != "" {
			return "", fmt.Errorf("there is no cache of %q; did you mean %q?", name, meant)
		}
		return "", fmt.Errorf("there is no cache of %q; `erphub cache list` shows those there are", name)
	case named.TableName == "":
		return "", fmt.Errorf("the cache %s belongs to no table, and the server resets by table; use `erphub cache reset-all`", named.Name)
	}
	return named.TableName, nil
}

func (a *app) cacheResetAll(c *cli.Context) error {
	client, err := a.Client(c)
	if err != nil {
		return err
	}
	return a.resetCaches(c, client, nil, "all caches")
}

func (a *app) resetCaches(c *cli.Context, client *erp.Client, params url.Values, what string) error {
	var reset struct {
		EntriesReset int `json:"entriesReset"`
	}
	if err := call(c, client, http.MethodDelete, []string{"caches"}, params, &reset); err != nil {
		return err
	}
	return a.Print(c, reset, output.Table{
		Below: fmt.Sprintf("%s are empty; %s dropped\n", shell.Printable(what), shell.Count(reset.EntriesReset, "entry", "entries")),
	})
}
