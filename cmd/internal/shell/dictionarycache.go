package shell

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/erphub/erphub/tokens"
)

// mostSnapshots is how many dictionaries the cache folder keeps.
const mostSnapshots = 10

// DictionarySnapshot is the file in the user's cache folder that the dictionary of
// the ERP at an address is kept in, as a login sees it; empty: there is no place for
// one. A role sees a part of the dictionary, in its language, so each has a file of
// its own.
func (sh *Shell) DictionarySnapshot(address string, login tokens.Claims) string {
	root := sh.Getenv("XDG_CACHE_HOME")
	if root == "" {
		root, _ = os.UserCacheDir()
	}
	if !login.Complete || root == "" {
		return ""
	}
	folder := filepath.Join(root, "erphub", "dictionary")
	if os.MkdirAll(folder, 0o700) != nil {
		return ""
	}
	who := fmt.Sprint(address, "\x00", login.ClientID, "\x00", login.RoleID, "\x00", login.UserID, "\x00", login.Language)
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
