package httpapi_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/generator/delivery"
	"github.com/erphub/erphub/generator/httpapi"
	"github.com/erphub/erphub/internal/failure"
	"github.com/erphub/erphub/internal/testkit/testclock"
)

// link delivers a plugin and returns the path of its link.
func link(t *testing.T, a *api) string {
	t.Helper()
	got := a.post(body + `,"output":"url"}`)
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	path, ok := strings.CutPrefix(got.fields(t)["download_url"], a.server.URL)
	require.True(t, ok)
	return path
}

func TestDownload(t *testing.T) {
	t.Parallel()
	a := start(t, setup{})
	want, path := wanted(t), link(t, a)
	assert.Regexp(t, `^/api/artifacts/[a-z2-7]{52}/download$`, path)
	full := a.get(path)
	require.Equal(t, want, full.body)
	assert.Equal(t, fmt.Sprint(len(want)), full.header.Get("Content-Length"))
	assert.Equal(t, "bytes", full.header.Get("Accept-Ranges"))
	assert.Equal(t, "private, no-store", full.header.Get("Cache-Control"))
	assert.Equal(t, "no-referrer", full.header.Get("Referrer-Policy"))
	tag := full.header.Get("ETag")

	head := a.call(http.MethodHead, path, "")
	assert.Equal(t, http.StatusOK, head.status)
	assert.Empty(t, head.body)
	for _, name := range []string{"Content-Type", "Content-Disposition", "Content-Length", "ETag"} {
		assert.Equal(t, full.header.Get(name), head.header.Get(name), name)
	}

	n := len(want)
	for what, tt := range map[string]struct {
		header map[string]string
		status int
		body   []byte
	}{
		"the first":               {map[string]string{"Range": "bytes=0-9"}, 206, want[:10]},
		"the rest":                {map[string]string{"Range": "bytes=10-"}, 206, want[10:]},
		"the last":                {map[string]string{"Range": "bytes=-5"}, 206, want[n-5:]},
		"resumed":                 {map[string]string{"Range": "bytes=10-", "If-Range": tag}, 206, want[10:]},
		"resumed, another file":   {map[string]string{"Range": "bytes=10-", "If-Range": `"other"`}, 200, want},
		"another unit":            {map[string]string{"Range": "lines=1-2"}, 200, want},
		"not a range":             {map[string]string{"Range": "bytes=x"}, 416, nil},
		"behind the end":          {map[string]string{"Range": fmt.Sprintf("bytes=%d-", n)}, 416, nil},
		"there already":           {map[string]string{"If-None-Match": tag}, 304, nil},
		"expected another":        {map[string]string{"If-Match": `"other"`}, 412, nil},
		"with a token that is no": {map[string]string{"Authorization": "Bearer nonsense"}, 200, want},
		"with a query":            {map[string]string{}, 200, want},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			got := a.in(t).get(path+"?utm_source=mail", func(r *http.Request) {
				for k, v := range tt.header {
					r.Header.Set(k, v)
				}
			})
			require.Equal(t, tt.status, got.status, string(got.body))
			if tt.status == 416 {
				assert.Equal(t, "range", got.refusal(t).Error.Code)
				assert.Empty(t, got.header.Get("Content-Disposition"))
				return
			}
			assert.True(t, bytes.Equal(tt.body, got.body))
		})
	}
	t.Run("several ranges", func(t *testing.T) {
		t.Parallel()
		got := a.in(t).get(path, header("Range", "bytes=0-3,-4"))
		require.Equal(t, http.StatusPartialContent, got.status)
		media, _, err := mime.ParseMediaType(got.header.Get("Content-Type"))
		require.NoError(t, err)
		assert.Equal(t, "multipart/byteranges", media)
		assert.Contains(t, string(got.body), string(want[:4]))
	})
	t.Run("wrong ids", func(t *testing.T) {
		t.Parallel()
		id := strings.Split(path, "/")[3]
		for _, wrong := range []string{"x", strings.ToUpper(id), id + "a", id[:51], strings.Repeat("a", 52), "..", "%2e%2e", "..%2f..%2fetc%2fpasswd", "%00", strings.Repeat("a", 10_000), "*"} {
			got := a.in(t).get("/api/artifacts/" + wrong + "/download")
			assert.Equal(t, http.StatusNotFound, got.status, wrong)
			assert.Equal(t, "not_found", got.refusal(t).Error.Code)
			assert.NotContains(t, string(got.body), id)
		}
		assert.Empty(t, a.log.String(), "anybody can send these")
	})
}

func TestNoDownloads(t *testing.T) {
	t.Parallel()
	a := with(t, never{}, httpapi.Options{})
	assert.Equal(t, http.StatusNotFound, a.get("/api/artifacts/"+strings.Repeat("a", 52)+"/download").status)
}

// lacking is a store whose bucket is gone.
type lacking struct{ generator.ArtifactStore }

func (lacking) Open(context.Context, string) (generator.StoredArtifact, io.ReadSeekCloser, error) {
	return generator.StoredArtifact{}, nil, &failure.Error{Kind: failure.NotFound, Doing: "looking for the artifact", Why: "there is no such bucket", Err: errors.New("NoSuchBucket")}
}

// A store that does not work is logged, unlike a wrong link.
func TestStoreLacksItsBucket(t *testing.T) {
	t.Parallel()
	a := with(t, never{}, httpapi.Options{Artifacts: lacking{}})
	assert.Equal(t, http.StatusNotFound, a.get("/api/artifacts/"+strings.Repeat("a", 52)+"/download").status)
	assert.Contains(t, a.log.String(), "there is no such bucket")
}

// A link ends, is refused with 410 then, also by a server started afterwards,
// and what it led to is removed.
func TestExpiredRestartedAndCleaned(t *testing.T) {
	t.Parallel()
	c, dir := testclock.New(time.Now()), t.TempDir()
	run := func() *api {
		return start(t, setup{
			settings: map[string]string{delivery.KeyArtifacts: dir, delivery.KeyTTL: "10"},
			delivery: delivery.Options{Now: c.Now},
		})
	}
	first := run()
	path := link(t, first)
	first.server.Close()

	second := run()
	got := second.get(path)
	require.Equal(t, http.StatusOK, got.status, "the next server serves the link")
	require.Equal(t, wanted(t), got.body)

	c.Advance(9 * time.Minute)
	require.Equal(t, http.StatusOK, second.get(path).status)
	c.Advance(time.Minute)
	got = second.get(path)
	require.Equal(t, http.StatusGone, got.status)
	assert.Equal(t, "expired", got.refusal(t).Error.Code)
	assert.Equal(t, http.StatusGone, second.call(http.MethodHead, path, "").status)

	zips := func() int {
		found, err := filepath.Glob(filepath.Join(dir, "*.zip"))
		require.NoError(t, err)
		return len(found)
	}
	require.Equal(t, 1, zips())
	deliveries, err := delivery.New(delivery.Options{Now: c.Now, ArtifactsDirectory: dir})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var cleaning sync.WaitGroup
	cleaning.Go(func() { deliveries.Clean(ctx) })
	require.Eventually(t, func() bool { return zips() == 0 }, 5*time.Second, time.Millisecond)
	cancel()
	cleaning.Wait()
	assert.Equal(t, http.StatusGone, run().get(path).status, "it is still known to have been there")
	c.Advance(31 * 24 * time.Hour)
	store, err := deliveries.Artifacts()
	require.NoError(t, err)
	_, err = store.Sweep(t.Context())
	require.NoError(t, err)
	assert.Equal(t, http.StatusNotFound, second.get(path).status)
}

// A thousand clients download at once: all get the whole file.
func TestThousandDownloads(t *testing.T) {
	t.Parallel()
	a := start(t, setup{})
	want, path := wanted(t), link(t, a)
	transport := &http.Transport{MaxIdleConnsPerHost: 1000}
	t.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: transport}
	var wg sync.WaitGroup
	var right, other atomic.Int64
	for range 1000 {
		wg.Go(func() {
			resp, err := client.Do(a.request(t.Context(), http.MethodGet, path, ""))
			if err != nil {
				other.Add(1)
				return
			}
			got, err := io.ReadAll(resp.Body)
			if resp.Body.Close() != nil || err != nil || resp.StatusCode != http.StatusOK || !bytes.Equal(got, want) {
				other.Add(1)
				return
			}
			right.Add(1)
		})
	}
	wg.Wait()
	assert.EqualValues(t, 1000, right.Load())
	assert.Zero(t, other.Load())
}

// slowStore responds when it is told to.
type slowStore struct {
	generator.ArtifactStore
	opened, go1 chan struct{}
}

func (s *slowStore) Open(ctx context.Context, id string) (generator.StoredArtifact, io.ReadSeekCloser, error) {
	s.opened <- struct{}{}
	select {
	case <-s.go1:
	case <-ctx.Done():
	}
	return s.ArtifactStore.Open(ctx, id)
}

func TestTooManyDownloads(t *testing.T) {
	t.Parallel()
	disk, err := generator.OpenArtifactFolder(t.TempDir(), generator.ArtifactFolderOptions{})
	require.NoError(t, err)
	id, _, err := disk.Put(t.Context(), "größe \"x\".zip", []byte("zip"), time.Hour)
	require.NoError(t, err)
	store := &slowStore{disk, make(chan struct{}), make(chan struct{})}
	a := with(t, never{}, httpapi.Options{Artifacts: store, MaxDownloads: 1})
	path := "/api/artifacts/" + id + "/download"
	first := make(chan response, 1)
	go func() { first <- a.get(path) }()
	<-store.opened
	got := a.get(path)
	assert.Equal(t, http.StatusServiceUnavailable, got.status)
	assert.Equal(t, "1", got.header.Get("Retry-After"))
	close(store.go1)
	whole := <-first
	assert.Equal(t, "zip", string(whole.body))
	assert.Equal(t, `attachment; filename=gr__e__x_.zip; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%22x%22.zip`, whole.header.Get("Content-Disposition"))
	_, params, err := mime.ParseMediaType(whole.header.Get("Content-Disposition"))
	require.NoError(t, err)
	assert.Equal(t, "größe \"x\".zip", params["filename"])
}
