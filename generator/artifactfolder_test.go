package generator_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/internal/failure"
	"github.com/erphub/erphub/internal/testkit/testartifact"
	"github.com/erphub/erphub/internal/testkit/testclock"
)

func open(t *testing.T, dir string, opts generator.ArtifactFolderOptions) *generator.ArtifactFolder {
	t.Helper()
	d, err := generator.OpenArtifactFolder(dir, opts)
	require.NoError(t, err)
	return d
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func read(t *testing.T, d *generator.ArtifactFolder, id string) ([]byte, generator.StoredArtifact) {
	t.Helper()
	a, f, err := d.Open(t.Context(), id)
	require.NoError(t, err)
	data, err := io.ReadAll(f)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	return data, a
}

func TestLifeOfAnArtifact(t *testing.T) {
	t.Parallel()
	dir, c := filepath.Join(t.TempDir(), "a", "b"), testclock.New(time.Now().UTC().Truncate(time.Second))
	d := open(t, dir, generator.ArtifactFolderOptions{Now: c.Now})
	id, a, err := d.Put(t.Context(), "com.example.demo.zip", []byte("content"), time.Hour)
	require.NoError(t, err)
	assert.Regexp(t, `^[a-z2-7]{52}$`, id)
	want := generator.StoredArtifact{Filename: "com.example.demo.zip", Size: 7, SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte("content"))), Created: c.Now(), Expires: c.Now().Add(time.Hour)}
	assert.Equal(t, want, a)
	for _, name := range files(t, dir) {
		assert.NotContains(t, name, id[:10])
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.NotContains(t, string(data), id)
		if runtime.GOOS != "windows" {
			st, err := os.Stat(filepath.Join(dir, name))
			require.NoError(t, err)
			assert.Equal(t, os.FileMode(0o600), st.Mode().Perm())
		}
	}

	c.Advance(time.Hour - time.Second)
	restarted := open(t, dir, generator.ArtifactFolderOptions{Now: c.Now})
	data, a := read(t, restarted, id)
	assert.Equal(t, "content", string(data))
	assert.Equal(t, want, a)
	n, err := restarted.Sweep(t.Context())
	require.NoError(t, err)
	assert.Zero(t, n)

	c.Advance(time.Second)
	_, _, err = restarted.Open(t.Context(), id)
	require.ErrorIs(t, err, failure.Expired, "before any sweep")
	require.ErrorContains(t, err, a.Expires.Format(time.RFC3339))
	n, err = restarted.Sweep(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	assert.Len(t, files(t, dir), 1, "the content is gone")
	n, err = restarted.Sweep(t.Context())
	require.NoError(t, err)
	assert.Zero(t, n)

	c.Advance(30 * 24 * time.Hour)
	_, _, err = open(t, dir, generator.ArtifactFolderOptions{Now: c.Now}).Open(t.Context(), id)
	require.ErrorIs(t, err, failure.Expired, "still known after a restart")
	_, err = d.Sweep(t.Context())
	require.NoError(t, err)
	c.Advance(time.Second)
	_, err = d.Sweep(t.Context())
	require.NoError(t, err)
	_, _, err = d.Open(t.Context(), id)
	require.ErrorIs(t, err, failure.NotFound)
	assert.Empty(t, files(t, dir))
}

func TestUnknownIDs(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(parent, "secret.json"), []byte(`{"filename":"x","expires":"2999-01-01T00:00:00Z"}`), 0o600))
	d := open(t, filepath.Join(parent, "store"), generator.ArtifactFolderOptions{})
	id, _, err := d.Put(t.Context(), "x.zip", []byte("x"), time.Hour)
	require.NoError(t, err)
	for _, bad := range []string{"", ".", "..", "../secret", "..%2fsecret", id + "a", id[:51], strings.ToUpper(id), id + "\x00", strings.Repeat("a", 52), strings.Repeat("a", 1<<16), filepath.Base(files(t, filepath.Join(parent, "store"))[0])} {
		_, _, err := d.Open(t.Context(), bad)
		require.ErrorIs(t, err, failure.NotFound, "%.60q", bad)
		assert.Less(t, len(err.Error()), 200)
	}
}

func TestIDsAreAllDifferent(t *testing.T) {
	t.Parallel()
	d := open(t, t.TempDir(), generator.ArtifactFolderOptions{})
	seen := map[string]bool{}
	var letters [26 + 6]int
	for range 100 {
		id, _, err := d.Put(t.Context(), "x.zip", []byte("x"), time.Hour)
		require.NoError(t, err)
		require.False(t, seen[id])
		seen[id] = true
		for _, c := range id {
			letters[strings.IndexRune("abcdefghijklmnopqrstuvwxyz234567", c)]++
		}
	}
	for i, n := range letters { // 5,200 letters, 162 of each on average
		assert.Greater(t, n, 90, "letter %d", i)
	}
}

func TestWhatIsLeftOver(t *testing.T) {
	t.Parallel()
	dir, c := t.TempDir(), testclock.New(time.Now().UTC().Truncate(time.Second))
	d := open(t, dir, generator.ArtifactFolderOptions{Now: c.Now})
	hash := strings.Repeat("0a", 32)
	for _, name := range []string{hash + ".zip", "." + hash + ".json.tmp-123", "." + hash + ".zip.tmp-9", "notes.txt", "other.zip", hash + ".txt"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, strings.Repeat("1b", 32)+".zip"), 0o700))
	_, err := d.Sweep(t.Context())
	require.NoError(t, err)
	assert.Len(t, files(t, dir), 7, "somebody may be writing")
	c.Advance(2 * time.Hour)
	_, err = d.Sweep(t.Context())
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"notes.txt", "other.zip", hash + ".txt", strings.Repeat("1b", 32) + ".zip"}, files(t, dir), "others' files stay")
}

func TestDamage(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		suffix string
		data   []byte // nil removes
		kind   failure.Kind
	}{
		"record cut":     {".json", []byte(`{"filename":"x`), failure.Unexpected},
		"record empty":   {".json", []byte{}, failure.Unexpected},
		"record gone":    {".json", nil, failure.NotFound},
		"content cut":    {".zip", []byte("con"), failure.Unexpected},
		"content gone":   {".zip", nil, failure.NotFound},
		"record endless": {".json", bytes.Repeat([]byte(" "), 1<<20), failure.Unexpected},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			d := open(t, dir, generator.ArtifactFolderOptions{})
			id, _, err := d.Put(t.Context(), "x.zip", []byte("content"), time.Hour)
			require.NoError(t, err)
			found, err := filepath.Glob(filepath.Join(dir, "*"+tt.suffix))
			require.NoError(t, err)
			require.Len(t, found, 1)
			if tt.data == nil {
				require.NoError(t, os.Remove(found[0]))
			} else {
				require.NoError(t, os.WriteFile(found[0], tt.data, 0o600))
			}
			_, _, err = d.Open(t.Context(), id)
			require.ErrorIs(t, err, tt.kind)
			_, err = d.Sweep(t.Context())
			require.NoError(t, err)
		})
	}
}

func TestRoom(t *testing.T) {
	t.Parallel()
	dir, c := t.TempDir(), testclock.New(time.Now().UTC().Truncate(time.Second))
	d := open(t, dir, generator.ArtifactFolderOptions{MaxBytes: 10, Now: c.Now})
	_, _, err := d.Put(t.Context(), "x.zip", make([]byte, 11), time.Hour)
	require.ErrorIs(t, err, failure.TooLarge)
	_, _, err = d.Put(t.Context(), "x.zip", make([]byte, 6), time.Minute)
	require.NoError(t, err)
	_, _, err = d.Put(t.Context(), "x.zip", make([]byte, 6), time.Minute)
	require.ErrorIs(t, err, failure.Full)
	require.ErrorContains(t, err, "wait for older ones to expire")
	assert.Len(t, files(t, dir), 2)
	c.Advance(time.Hour)
	_, _, err = d.Put(t.Context(), "x.zip", make([]byte, 6), time.Minute)
	require.NoError(t, err, "what is over makes room")
}

func TestPutErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := open(t, dir, generator.ArtifactFolderOptions{})
	for _, ttl := range []time.Duration{0, -time.Second, 367 * 24 * time.Hour} {
		_, _, err := d.Put(t.Context(), "x.zip", nil, ttl)
		require.ErrorIs(t, err, failure.Invalid)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := d.Put(ctx, "x.zip", nil, time.Hour)
	require.ErrorIs(t, err, context.Canceled)
	_, _, err = d.Open(ctx, "x")
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, files(t, dir))

	require.NoError(t, os.Remove(dir))
	_, _, err = d.Put(t.Context(), "x.zip", nil, time.Hour)
	require.ErrorIs(t, err, failure.Unexpected)

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = generator.OpenArtifactFolder(filepath.Join(file, "x"), generator.ArtifactFolderOptions{})
	require.ErrorIs(t, err, failure.NotConfigured)
	_, err = generator.OpenArtifactFolder("", generator.ArtifactFolderOptions{})
	require.ErrorIs(t, err, failure.NotConfigured)
}

// Servers that share a folder and sweep it all the time lose nothing.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 4 {
		d := open(t, dir, generator.ArtifactFolderOptions{})
		all.Go(func() {
			for n := range 10 {
				content := fmt.Sprintf("%d-%d", i, n)
				id, _, err := d.Put(t.Context(), "x.zip", []byte(content), time.Hour)
				if assert.NoError(t, err) {
					_, f, err := d.Open(t.Context(), id)
					if assert.NoError(t, err) {
						data, err := io.ReadAll(f)
						assert.NoError(t, err)
						assert.Equal(t, content, string(data))
						assert.NoError(t, f.Close())
					}
				}
				_, err = d.Sweep(t.Context())
				assert.NoError(t, err)
			}
		})
	}
	all.Wait()
	assert.Len(t, files(t, dir), 80)
}

func TestClean(t *testing.T) {
	t.Parallel()
	dir, c := t.TempDir(), testclock.New(time.Now().UTC().Truncate(time.Second))
	d := open(t, dir, generator.ArtifactFolderOptions{Now: c.Now})
	_, _, err := d.Put(t.Context(), "x.zip", []byte("x"), time.Minute)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); generator.CleanArtifacts(ctx, d, time.Millisecond, nil) }()
	c.Advance(time.Hour)
	require.Eventually(t, func() bool { return len(files(t, dir)) == 1 }, 10*time.Second, time.Millisecond)
	cancel()
	<-done
}

func TestDelivery(t *testing.T) {
	t.Parallel()
	dir, c := t.TempDir(), testclock.New(time.Now().UTC().Truncate(time.Second))
	d := open(t, dir, generator.ArtifactFolderOptions{Now: c.Now})
	a := testartifact.New(t, "com.example.demo")
	want, err := a.Zip()
	require.NoError(t, err)
	for base, prefix := range map[string]string{
		"https://hub.example.com":      "https://hub.example.com/api/artifacts/",
		"https://hub.example.com/":     "https://hub.example.com/api/artifacts/",
		"http://127.0.0.1:8080/erp/x/": "http://127.0.0.1:8080/erp/x/api/artifacts/",
	} {
		delivery, err := generator.NewLinkDelivery(d, base, 0)
		require.NoError(t, err)
		r, err := delivery.Deliver(t.Context(), a, nil)
		require.NoError(t, err)
		assert.Equal(t, "com.example.demo.zip", r.Filename)
		assert.Equal(t, c.Now().Add(time.Hour), r.ExpiresAt)
		id, ok := strings.CutPrefix(r.DownloadURL, prefix)
		require.True(t, ok, r.DownloadURL)
		data, _ := read(t, d, strings.TrimSuffix(id, "/download"))
		assert.Equal(t, want, data)
	}
	for _, bad := range []string{"", "hub.example.com", "ftp://hub.example.com", "https://", "https://user:topsecret@hub.example.com", "https://hub.example.com?x=1", "https://hub.example.com#x", "javascript:alert(1)", "https://a b"} {
		_, err := generator.NewLinkDelivery(d, bad, time.Hour)
		require.ErrorIs(t, err, failure.NotConfigured, bad)
		assert.NotContains(t, err.Error(), "topsecret")
	}
	_, err = generator.NewLinkDelivery(d, "https://hub.example.com", -1)
	require.ErrorIs(t, err, failure.NotConfigured)
	_, err = generator.NewLinkDelivery(nil, "https://hub.example.com", 0)
	require.ErrorIs(t, err, failure.NotConfigured)
}
