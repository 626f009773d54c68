package seed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/erphub/erphub/internal/atomicfile"
)

// imageVersion is raised when the program makes another database of the same
// embedded files; a test tells.
const imageVersion = 2

// A database in the cache is called after what it was made of, and after its
// content, which is compared before it is used:
//
//	erphub/embedded-<16 hex digits>-<CRC-32C>.db
const (
	cacheFolder = "erphub"
	cachePrefix = "embedded-"
	cacheSuffix = ".db"
	// staleAfter is how long a database that other versions made is kept after its
	// last use. Those in use are touched every hour.
	staleAfter = 3 * 24 * time.Hour
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli) // read only

// imageKey names what the database is made of.
var imageKey = sync.OnceValues(func() (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, imageVersion, schemaVersion)
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := files.ReadFile(path)
		fmt.Fprintln(h, path, len(data))
		h.Write(data)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)[:8]), err
})

// cachedImage is the database in the user's cache. It is made when it is missing
// or damaged.
func cachedImage(ctx context.Context) (string, error) {
	root, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return imageIn(ctx, filepath.Join(root, cacheFolder))
}

// imageIn is the database in a folder. Of several processes that miss it each makes
// it, and one of the equal files stays.
func imageIn(ctx context.Context, folder string) (string, error) {
	key, err := imageKey()
	if err != nil {
		return "", err
	}
	prefix := cachePrefix + key + "-"
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		path := filepath.Join(folder, e.Name())
		sum, err := checksum(path)
		if err == nil && e.Name() == prefix+sum+cacheSuffix {
			touch(path)
			return path, nil
		}
		_ = os.Remove(path) // a damaged one; if it stays, it is not used
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	image, err := buildImage()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(folder, prefix+fmt.Sprintf("%08x", crc32.Checksum(image, castagnoli))+cacheSuffix)
	if err := atomicfile.Write(path, image, 0o600); err != nil {
		return "", err
	}
	dropStale(folder)
	return path, nil
}

// checksum reads a whole file.
func checksum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	h := crc32.New(castagnoli)
	_, err = io.CopyBuffer(h, f, make([]byte, 256<<10))
	return fmt.Sprintf("%08x", h.Sum32()), errors.Join(err, f.Close())
}

// touch notes that a file is in use.
func touch(path string) {
	now := time.Now()
	if info, err := os.Stat(path); err == nil && now.Sub(info.ModTime()) > time.Hour {
		_ = os.Chtimes(path, now, now) // at worst it is made again
	}
}

// dropStale removes what other versions made and nobody used for a while.
func dropStale(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return // nothing depends on it
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && strings.HasPrefix(e.Name(), cachePrefix) && time.Since(info.ModTime()) > staleAfter {
			_ = os.Remove(filepath.Join(folder, e.Name()))
		}
	}
}
