package backend_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/redisstore"
	"github.com/erphub/erphub/internal/testkit/testredis"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/tokens"
)

// However many sessions there are, each role's dictionary is read once, and is
// in memory once.
func TestSessionsShareTheDictionaryOfTheirRole(t *testing.T) {
	t.Parallel()
	sent := &addresses{seen: map[string]int{}}
	srv, b := over(t, backend.RESTOptions{Transport: sent, Registry: backend.RegistryOptions{Wait: patient.Wait, Fresh: time.Hour}})
	roles := []mcp.Caller{caller(t, srv, "GardenAdmin", 11, 102, 11), caller(t, srv, "GardenUser", 11, 103, 11)}
	assert.Zero(t, b.Checked(), "nothing was read yet")
	begun := time.Now()
	var mu sync.Mutex // guards seen
	seen := map[registry.Registry]int{}
	var wg sync.WaitGroup
	for n := range 100 {
		for _, c := range roles {
			c.Session = fmt.Sprintf("session %d", n)
			wg.Go(func() {
				reg, err := b.Registry(t.Context(), c)
				assert.NoError(t, err)
				mu.Lock()
				defer mu.Unlock()
				seen[reg]++
			})
		}
	}
	wg.Wait()
	assert.Len(t, seen, len(roles), "dictionaries in memory")
	assert.WithinRange(t, b.Checked(), begun, time.Now())
	for _, n := range seen {
		assert.Equal(t, 100, n)
	}
	sent.mu.Lock()
	defer sent.mu.Unlock()
	assert.NotEmpty(t, sent.seen)
	for address, n := range sent.seen {
		assert.Equal(t, len(roles), n, "requests of %s", address)
	}
}

// A server that starts begins with the dictionary that another has read for the role,
// sees what has changed since, and asks with its own caller's token: one the ERP
// refuses gets nothing of it. What is damaged is read anew.
func TestServersShareTheDictionaryOfARole(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the dictionary again and again")
	}
	t.Parallel()
	redis := testredis.Start(t)
	srv := erptest.New(t)
	require.NoError(t, srv.SetConfig(t.Context(), "REST_MAX_RECORDS_SIZE", "1000"))
	store, err := redisstore.Open(redis.URL(), "")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	shared := &told{FileStore: store, keys: make(chan string, 9)}
	type server struct {
		*backend.RESTBackend
		sent *addresses
	}
	start := func() server {
		sent := &addresses{seen: map[string]int{}}
		b, err := backend.NewREST(srv.URL(), &backend.RESTOptions{Transport: sent, Registry: backend.RegistryOptions{Wait: patient.Wait, Fresh: time.Hour, Shared: shared}})
		require.NoError(t, err)
		t.Cleanup(b.Close)
		return server{b, sent}
	}
	read := func(s server, c mcp.Caller) (requests int, names []string) {
		t.Helper()
		reg, err := s.Registry(t.Context(), c)
		require.NoError(t, err)
		list, err := reg.Tables(t.Context(), registry.ListQuery{Pattern: "C_Order%"})
		require.NoError(t, err)
		for _, table := range list.Items {
			names = append(names, table.Name)
		}
		s.sent.mu.Lock()
		defer s.sent.mu.Unlock()
		return len(s.sent.seen), names
	}
	admin, user := caller(t, srv, "GardenAdmin", 11, 102, 11), caller(t, srv, "GardenUser", 11, 103, 11)
	whole, names := read(start(), admin)
	require.NotEmpty(t, names)
	key := <-shared.keys

	few, same := read(start(), admin)
	assert.Less(t, 5*few, whole, "requests of the second server")
	assert.Equal(t, names, same)
	assert.Equal(t, key, <-shared.keys, "it lives on")
	other, _ := read(start(), user)
	assert.Less(t, whole, 2*other, "what another role sees is read for it")
	assert.NotEqual(t, key, <-shared.keys)

	stranger := admin
	stranger.Token = tokens.NewSecret(strings.TrimRight(admin.Token.Reveal(), "0123456789") + "x") // names the same role
	_, err = start().Registry(t.Context(), stranger)
	assert.ErrorIs(t, err, erp.ErrUnauthorized)

	require.NoError(t, store.KeepFile(t.Context(), key, shared.owner, mcp.File{Data: []byte("damaged")}, time.Hour))
	anew, same := read(start(), admin)
	assert.Equal(t, whole, anew)
	assert.Equal(t, names, same)
	assert.Equal(t, key, <-shared.keys, "the damaged one is replaced")
	redis.Stop()
	anew, _ = read(start(), admin)
	assert.Equal(t, whole, anew, "without Redis it is read from the ERP")
}

// told tells what was kept.
type told struct {
	mcp.FileStore
	owner string
	keys  chan string
}

func (s *told) KeepFile(ctx context.Context, key, owner string, f mcp.File, life time.Duration) error {
	err := s.FileStore.KeepFile(ctx, key, owner, f, life)
	if err == nil {
		s.owner = owner
		s.keys <- key
	}
	return err
}

// addresses counts requests for records by address.
type addresses struct {
	mu   sync.Mutex // guards seen
	seen map[string]int
}

func (a *addresses) RoundTrip(r *http.Request) (*http.Response, error) {
	look := strings.Contains(r.URL.RawQuery, "$select=Updated&") // at the last change, before and after
	if strings.Contains(r.URL.Path, "/models/") && !look {
		a.mu.Lock()
		a.seen[r.URL.String()]++
		a.mu.Unlock()
	}
	return http.DefaultTransport.RoundTrip(r)
}

// The whole dictionary behind something that takes long with every request is
// read over several calls: each that cannot wait is told how far the reading is,
// and a later one gets it.
func TestWholeDictionaryOverASlowProxy(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the dictionary again and again")
	}
	t.Parallel()
	srv := erptest.New(t)
	require.NoError(t, srv.SetConfig(t.Context(), "REST_MAX_RECORDS_SIZE", "1000"))
	target, err := url.Parse(srv.URL())
	require.NoError(t, err)
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	turns := make(chan struct{}) // each lets one request go
	var passed atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/models/") {
			select {
			case <-turns:
				passed.Add(1)
			case <-r.Context().Done():
				return
			}
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	b, err := backend.NewREST(proxy.URL, &backend.RESTOptions{Registry: backend.RegistryOptions{Wait: time.Millisecond}})
	require.NoError(t, err)
	t.Cleanup(b.Close)
	system := caller(t, srv, "SuperUser", 0, 0, 0)

	far := regexp.MustCompile(`the first time: (\d+) of (\d+) requests done`)
	done, total, told := 0, 0, 0
	var reg registry.Registry
	for deadline := time.Now().Add(2 * time.Minute); reg == nil; {
		require.True(t, time.Now().Before(deadline), "%d of %d, %v", done, total, err)
		reg, err = b.Registry(t.Context(), system)
		if err == nil {
			break
		}
		e := mcp.ErrorOf(err)
		require.Equal(t, mcp.CodeLoading, e.Code, "%v", err)
		if m := far.FindStringSubmatch(e.Message); m != nil {
			now, err := strconv.Atoi(m[1])
			require.NoError(t, err)
			total, err = strconv.Atoi(m[2])
			require.NoError(t, err)
			require.GreaterOrEqual(t, now, done, "it goes on from where it was")
			require.LessOrEqual(t, now, total)
			if now > done {
				done, told = now, told+1
			}
		}
		for range 5 {
			select {
			case turns <- struct{}{}:
			case <-time.After(10 * time.Millisecond): // nothing waits just now
			}
		}
	}
	t.Logf("%d requests, %d calls were told how far it is, the last %d of %d", passed.Load(), told, done, total)
	assert.Greater(t, told, 10)
	s, err := reg.Statistics(t.Context())
	require.NoError(t, err)
	assert.GreaterOrEqual(t, s.Tables+s.Inactive, 1010, "%d tables", s.Tables)
	assert.Greater(t, s.Tables, 900)
}
