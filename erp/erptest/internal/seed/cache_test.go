package seed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

var update = flag.Bool("update", false, "rewrite files of testdata")

// A database in the cache is called after the embedded files and imageVersion: the
// same name means the same content, whichever program made it.
func TestImageVersion(t *testing.T) {
	t.Parallel()
	key, err := imageKey()
	require.NoError(t, err)
	image, err := buildImage()
	require.NoError(t, err)
	sum := sha256.Sum256(image)
	line := key + " " + hex.EncodeToString(sum[:]) + "\n"
	path := filepath.Join("testdata", "image.txt")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(line), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	if string(want) == line {
		return
	}
	if strings.HasPrefix(string(want), key) {
		t.Fatal("the program makes another database of the same files: raise imageVersion, then run this test with -update")
	}
	t.Fatal("the embedded files changed: run this test with -update")
}

func filesIn(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Whatever is in the folder, what is used has the right content.
func TestImageInTheCache(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "ca[c]he", "erphub")
	path, err := imageIn(t.Context(), folder)
	require.NoError(t, err)
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	for name, spoil := range map[string]func(t *testing.T){
		"as it was": func(*testing.T) {},
		"cut off":   func(t *testing.T) { require.NoError(t, os.Truncate(path, 1<<20)) },
		"one bit": func(t *testing.T) {
			changed := append([]byte(nil), want...)
			changed[len(changed)/2] ^= 4
			require.NoError(t, os.WriteFile(path, changed, 0o600))
		},
		"empty": func(t *testing.T) { require.NoError(t, os.Truncate(path, 0)) },
		"gone":  func(t *testing.T) { require.NoError(t, os.RemoveAll(folder)) },
		"another name": func(t *testing.T) {
			require.NoError(t, os.Rename(path, strings.TrimSuffix(path, cacheSuffix)[:len(path)-len(cacheSuffix)-8]+"00000000"+cacheSuffix))
		},
		"old and new ones of others": func(t *testing.T) {
			require.NoError(t, os.Remove(path))
			for name, age := range map[string]time.Duration{"embedded-a-b.db": 100 * time.Hour, "embedded-c-d.db": time.Hour, "other.db": 1000 * time.Hour} {
				file := filepath.Join(folder, name)
				require.NoError(t, os.WriteFile(file, nil, 0o600))
				require.NoError(t, os.Chtimes(file, time.Now().Add(-age), time.Now().Add(-age)))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			spoil(t)
			again, err := imageIn(t.Context(), folder)
			require.NoError(t, err)
			assert.Equal(t, path, again)
			got, err := os.ReadFile(again)
			require.NoError(t, err)
			assert.Equal(t, sha256.Sum256(want), sha256.Sum256(got))
			if name == "old and new ones of others" {
				assert.ElementsMatch(t, []string{filepath.Base(path), "embedded-c-d.db", "other.db"}, filesIn(t, folder))
				require.NoError(t, os.Remove(filepath.Join(folder, "embedded-c-d.db")))
				require.NoError(t, os.Remove(filepath.Join(folder, "other.db")))
			}
			assert.Len(t, filesIn(t, folder), 1)
		})
	}
}

// Several that begin at once all have the right content, and one file stays.
func TestSeveralFillTheCacheAtOnce(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var work sync.WaitGroup
	for range 3 {
		work.Go(func() {
			path, err := imageIn(context.Background(), folder)
			if assert.NoError(t, err) {
				sum, err := checksum(path)
				assert.NoError(t, err)
				assert.True(t, strings.HasSuffix(path, sum+cacheSuffix))
			}
		})
	}
	work.Wait()
	assert.Len(t, filesIn(t, folder), 1)
}

// Where nothing can be kept, and when what was kept is gone, a server starts all the
// same, in memory and in a file.
func TestWithoutACache(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, filepath.Join(file, "sub"))
	}
	var c templateCache
	for range 2 {
		tmpl, err := c.get(t.Context())
		require.NoError(t, err)
		assert.Empty(t, tmpl.file)
		s, err := tmpl.open(t.Context())
		require.NoError(t, err)
		require.NoError(t, s.View(t.Context(), func(tx *store.Tx) error { return checkFilled(t.Context(), tx) }))
		require.NoError(t, s.Close())
		require.NoError(t, tmpl.image.CopyTo(io.Discard))
	}
	folder := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, folder)
	}
	c = templateCache{}
	tmpl, err := c.get(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, tmpl.file)
	require.NoError(t, os.Remove(tmpl.file))
	again, err := tmpl.open(t.Context()) // it is open
	require.NoError(t, err)
	require.NoError(t, again.Close())
}
