package dictionary

import (
	"context"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
)

// dictionary is the whole dictionary of the ERP as the login sees it. It is kept in
// the user's cache folder, and compared with the ERP before it is used, which takes a
// few requests.
func (a *app) dictionary(c *cli.Context) (*registry.Catalog, error) {
	client, err := a.Client(c)
	if err != nil {
		return nil, err
	}
	opts := &registry.CacheOptions{FailOnMissing: true, Logger: a.Log, Snapshot: a.snapshot(c.Context, client)}
	if _, err := os.Stat(opts.Snapshot); opts.Snapshot != "" && err != nil {
		a.Note("reading the dictionary of %s, which is kept for the next time", client.BaseURL())
	}
	cache := registry.NewCache(a.source(client), opts)
	if err := cache.Load(c.Context); err != nil {
		return nil, err
	}
	return cache.Catalog(), nil
}

// snapshot is the file that the dictionary of this login is kept in; empty: none.
func (a *app) snapshot(ctx context.Context, client *erp.Client) string {
	// The client logs in with its first request, and nothing is known before.
	if _, err := client.Query(ctx, "AD_Table", &erp.Query{Top: 1, Select: []string{"TableName"}}); err != nil {
		return ""
	}
	claims, ok := a.Claims(ctx)
	if !ok {
		return ""
	}
	return a.DictionarySnapshot(client.BaseURL(), claims)
}
