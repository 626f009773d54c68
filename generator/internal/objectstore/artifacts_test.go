package objectstore_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/generator/internal/objectstore"
	"github.com/erphub/erphub/internal/failure"
	"github.com/erphub/erphub/internal/testkit/testclock"
	"github.com/erphub/erphub/internal/testkit/tests3"
)

func keep(t *testing.T, o objectstore.Options) *objectstore.Artifacts {
	t.Helper()
	s, err := objectstore.NewArtifacts(o)
	require.NoError(t, err)
	return s
}

// Two servers with one bucket serve each other's links until their time is over.
func TestArtifactsOfTwoServers(t *testing.T) {
	t.Parallel()
	server, c := tests3.Start(t), testclock.New(time.Now().UTC().Truncate(time.Second))
	server.CreateBucket(t, "plugins")
	for name, prefix := range map[string]string{"a prefix": "downloads/", "no prefix": "", "characters to escape": "a b+c/größe&x=1/"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := testclock.New(time.Now().UTC().Truncate(time.Second))
			o := options(server)
			o.Bucket, o.Prefix, o.Now = strings.ReplaceAll(name, " ", "-"), prefix, c.Now
			server.CreateBucket(t, o.Bucket)
			one, two := keep(t, o), keep(t, o)
			content := bytes.Repeat([]byte("content "), 100_000)
			const filename = "com.example.größe 1%.zip"
			id, a, err := one.Put(t.Context(), filename, content, time.Hour)
			require.NoError(t, err)
			want := generator.StoredArtifact{Filename: filename, Size: int64(len(content)), SHA256: fmt.Sprintf("%x", sha256.Sum256(content)), Created: c.Now(), Expires: c.Now().Add(time.Hour)}
			assert.Equal(t, want, a)
			assert.Regexp(t, `^[a-z2-7]{64}$`, id)
			objects := server.Objects(t, o.Bucket)
			require.Len(t, objects, 1)
			assert.NotContains(t, objects[0], id[13:]) // before it is the time
			later, _, err := one.Put(t.Context(), "later.zip", []byte("later"), 2*time.Hour)
			require.NoError(t, err)

			c.Advance(time.Hour - time.Second)
			n, err := one.Sweep(t.Context())
			require.NoError(t, err)
			assert.Zero(t, n)
			got, f, err := two.Open(t.Context(), id)
			require.NoError(t, err)
			assert.Equal(t, want, got)
			_, err = f.Seek(-8, io.SeekEnd)
			require.NoError(t, err)
			end, err := io.ReadAll(f)
			require.NoError(t, err)
			assert.Equal(t, "content ", string(end))
			require.NoError(t, f.Close())

			c.Advance(time.Second)
			_, _, err = two.Open(t.Context(), id)
			require.ErrorIs(t, err, failure.Expired, "before any sweep")
			for _, tt := range []struct {
				s    *objectstore.Artifacts
				want int
			}{{one, 1}, {two, 0}} {
				n, err = tt.s.Sweep(t.Context())
				require.NoError(t, err)
				assert.Equal(t, tt.want, n)
			}
			assert.Len(t, server.Objects(t, o.Bucket), 1)
			_, _, err = two.Open(t.Context(), id)
			require.ErrorIs(t, err, failure.Expired)
			require.ErrorContains(t, err, want.Expires.Format(time.RFC3339))
			_, f, err = two.Open(t.Context(), later)
			require.NoError(t, err)
			require.NoError(t, f.Close())
			c.Advance(30 * 24 * time.Hour)
			_, _, err = two.Open(t.Context(), id)
			require.ErrorIs(t, err, failure.Expired)
			c.Advance(time.Second)
			_, _, err = two.Open(t.Context(), id)
			require.ErrorIs(t, err, failure.NotFound)
		})
	}

	t.Run("what is not there, and what cannot be stored", func(t *testing.T) {
		t.Parallel()
		o := options(server)
		o.Now = c.Now
		s := keep(t, o)
		id, _, err := s.Put(t.Context(), "x.zip", []byte("x"), time.Hour)
		require.NoError(t, err)
		before := server.Objects(t, "plugins")
		other := "a"
		if id[63] == 'a' {
			other = "b"
		}
		for _, bad := range []string{"", ".", "../x", id + "a", id[:63], id[:63] + other, strings.ToUpper(id), strings.Repeat("a", 64), strings.Repeat("7", 64), strings.Repeat("a", 52), strings.Repeat("a", 1<<16), before[0]} {
			_, _, err := s.Open(t.Context(), bad)
			require.ErrorIs(t, err, failure.NotFound, "%.70q", bad)
		}
		_, _, err = s.Put(t.Context(), "x.zip", []byte("x"), 0)
		require.ErrorIs(t, err, failure.Invalid)
		_, _, err = s.Put(t.Context(), "x.zip", []byte("x"), generator.MaxArtifactTTL+1)
		require.ErrorIs(t, err, failure.Invalid)
		_, _, err = s.Put(t.Context(), "x.zip", make([]byte, objectstore.MaxArtifact+1), time.Hour)
		require.ErrorIs(t, err, failure.TooLarge)
		assert.Equal(t, before, server.Objects(t, "plugins"))

		o.Bucket = "missing"
		_, _, err = keep(t, o).Put(t.Context(), "x.zip", []byte("x"), time.Hour)
		require.ErrorIs(t, err, failure.NotFound)
		require.ErrorContains(t, err, "no such bucket")
		_, err = keep(t, o).Sweep(t.Context())
		require.ErrorContains(t, err, "no such bucket")
		o.Bucket, o.Credentials = "plugins", objectstore.Static(server.AccessKey, "secret-that-must-not-show")
		_, _, err = keep(t, o).Open(t.Context(), id)
		require.ErrorIs(t, err, failure.NotAuthorized)
		assert.NotContains(t, err.Error(), "must-not-show")
	})
}

// A list comes in pages; only what is ours and over is removed.
func TestSweepOfManyPages(t *testing.T) {
	t.Parallel()
	server := tests3.Start(t)
	server.CreateBucket(t, "plugins")
	o, c := options(server), testclock.New(time.Now().UTC().Truncate(time.Second))
	o.Now = c.Now
	s := keep(t, o)
	over, _, err := s.Put(t.Context(), "x.zip", []byte("x"), time.Hour)
	require.NoError(t, err)
	live, _, err := s.Put(t.Context(), "y.zip", []byte("y"), 3*time.Hour)
	require.NoError(t, err)
	key := server.Objects(t, "plugins")[0]
	ours := key[strings.LastIndex(key, "-"):]
	c.Advance(2 * time.Hour)

	names := [][]string{ // pages: others' objects, and those of ours that are over
		{"generated/com.example.demo/0123/com.example.demo.zip", "generated/19990101T000000Z" + ours},
		{"elsewhere/19990101T000000Z" + ours, "generated/19990199T000000Z" + ours, "generated/sub/19990101T000000Z" + ours},
		{"generated/20000101T000000Z" + ours, "generated/99990101T000000Z" + ours},
	}
	var deleted []string
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			deleted = append(deleted, strings.TrimPrefix(r.URL.Path, "/plugins/"))
			w.WriteHeader(http.StatusNoContent)
			return
		}
		type object struct{ Key string }
		page := struct {
			XMLName               xml.Name `xml:"ListBucketResult"`
			Contents              []object
			IsTruncated           bool
			NextContinuationToken string
		}{}
		n := len(r.URL.Query().Get("continuation-token"))
		for _, name := range names[n] {
			page.Contents = append(page.Contents, object{name})
		}
		if n+1 < len(names) {
			page.IsTruncated, page.NextContinuationToken = true, strings.Repeat("+", n+1)
		}
		assert.Equal(t, "generated/", r.URL.Query().Get("prefix"))
		assert.NoError(t, xml.NewEncoder(w).Encode(page))
	}))
	t.Cleanup(pages.Close)
	scripted := o
	scripted.Endpoint = pages.URL
	n, err := keep(t, scripted).Sweep(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 2, n)
	assert.Equal(t, []string{"generated/19990101T000000Z" + ours, "generated/20000101T000000Z" + ours}, deleted)

	n, err = s.Sweep(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	_, _, err = s.Open(t.Context(), over)
	require.ErrorIs(t, err, failure.Expired)
	_, f, err := s.Open(t.Context(), live)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// What was put in the place of an object is not served.
func TestReplacedObject(t *testing.T) {
	t.Parallel()
	header := map[string]string{"X-Amz-Meta-Filename": "x.zip", "X-Amz-Meta-Created": "2026-01-02T03:04:05Z", "X-Amz-Meta-Sha256": fmt.Sprintf("%x", sha256.Sum256([]byte("x")))}
	for name, tt := range map[string]struct {
		header map[string]string
		body   string
		ok     bool
	}{
		"the object":      {header, "x", true},
		"another content": {header, "y", false},
		"no metadata":     {nil, "x", false},
		"a bad name":      {map[string]string{"X-Amz-Meta-Filename": "%zz", "X-Amz-Meta-Created": header["X-Amz-Meta-Created"], "X-Amz-Meta-Sha256": header["X-Amz-Meta-Sha256"]}, "x", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := respond(t, http.StatusOK, tt.header, tt.body)
			store := keep(t, objectstore.Options{Endpoint: s.URL, Bucket: "plugins", Credentials: objectstore.Static("KEY", "SECRET")})
			id, _, err := store.Put(t.Context(), "x.zip", []byte("x"), time.Hour)
			require.NoError(t, err)
			a, _, err := store.Open(t.Context(), id)
			if !tt.ok {
				require.ErrorIs(t, err, failure.Unexpected)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, "x.zip", a.Filename)
		})
	}
}
