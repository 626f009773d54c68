package dictionary

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
)

// mostSnapshots is how many dictionaries the cache folder keeps.
const mostSnapshots = 10

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

// snapshot is the file that the dictionary of this login is kept in; empty: none. A
// role sees a part of the dictionary, in its language, so each has a file of its own.
func (a *app) snapshot(ctx context.Context, client *erp.Client) string {
	// The client logs in with its first request, and nothing is known before.
	if _, err := client.Query(ctx, "AD_Table", &erp.Query{Top: 1, Select: []string{"TableName"}}); err != nil {
		return ""
	}
	claims, ok := a.Claims(ctx)
	root := a.Getenv("XDG_CACHE_HOME")
	if root == "" {
		root, _ = os.UserCacheDir()
	}
	if !ok || root == "" {
		return ""
	}
	folder := filepath.Join(root, "erphub", "dictionary")
	if os.MkdirAll(folder, 0o700) != nil {
		return ""
	}
	who := fmt.Sprint(client.BaseURL(), "\x00", claims.ClientID, "\x00", claims.RoleID, "\x00", claims.UserID, "\x00", claims.Language)
	sum := sha256.Sum256([]byte(who))
	path := filepath.Join(folder, hex.EncodeToString(sum[:12]))
	prune(folder, path)
	return path
}

// prune removes the dictionaries that were not used for longest.
func prune(folder, keep string) {
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) < mostSnapshots {
		return
	}
	type file struct {
		path string
		used int64
	}
	var files []file
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && filepath.Join(folder, e.Name()) != keep {
			files = append(files, file{filepath.Join(folder, e.Name()), info.ModTime().UnixNano()})
		}
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(b.used, a.used) })
	for _, f := range files[min(len(files), mostSnapshots-1):] {
		_ = os.Remove(f.path) // another process may use it, or have removed it
	}
}
