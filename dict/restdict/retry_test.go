package restdict_test

import (
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// A request that fails is made again, and only that one: every other is made
// once. Progress counts them and never goes back.
func TestReadGoesOn(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(login(t, srv.URL()))), erp.WithRetryPolicy(erp.RetryPolicy{}))
	require.NoError(t, err)
	require.NoError(t, srv.SetConfig(t.Context(), "REST_MAX_RECORDS_SIZE", "500")) // the dictionary is read often
	reads := erptest.Match{Method: http.MethodGet, Path: "/models/*"}
	want, err := registry.LoadCatalog(t.Context(), restdict.NewSource(client, nil))
	require.NoError(t, err)
	whole := srv.Faults().Count(reads)

	srv.Faults().Reset()
	srv.Faults().On(erptest.Match{Method: http.MethodGet, Path: "/models/*", N: 1}, erptest.Fail(http.StatusBadGateway))
	srv.Faults().On(erptest.Match{Method: http.MethodGet, Path: "/models/*", N: whole / 2, Times: 7}, erptest.CutMiddle())
	srv.Faults().On(erptest.Match{Method: http.MethodGet, Path: "/models/*", N: whole - 5, Times: 2}, erptest.Fail(http.StatusServiceUnavailable))
	var mu sync.Mutex // guards what follows
	failed, done, total := 0, 0, 0
	source := restdict.NewSource(client, &restdict.SourceOptions{
		Retry: func(_ context.Context, attempt int, err error) bool {
			mu.Lock()
			defer mu.Unlock()
			failed++
			assert.Positive(t, attempt)
			assert.Error(t, err)
			return true
		},
		Progress: func(d, n int) {
			mu.Lock()
			defer mu.Unlock()
			assert.Equal(t, done+1, d)
			assert.GreaterOrEqual(t, n, d)
			done, total = d, n
		},
	})
	got, err := registry.LoadCatalog(t.Context(), source)
	require.NoError(t, err)
	assert.Equal(t, 10, failed)
	assert.Equal(t, whole+10, srv.Faults().Count(reads))
	assert.Equal(t, whole, done)
	assert.InDelta(t, whole, total, float64(whole)/10, "the estimate")
	w, err := want.Statistics(t.Context())
	require.NoError(t, err)
	g, err := got.Statistics(t.Context())
	require.NoError(t, err)
	w.Loaded = g.Loaded
	assert.Equal(t, w, g)

	// Without patience the first failure is the end, as it is for a look at stamps.
	srv.Faults().Reset()
	srv.Faults().On(erptest.Match{Method: http.MethodGet, Path: "/models/*", N: 5}, erptest.Fail(http.StatusBadGateway))
	_, err = registry.LoadCatalog(t.Context(), restdict.NewSource(client, &restdict.SourceOptions{Retry: func(context.Context, int, error) bool { return false }}))
	require.ErrorIs(t, err, erp.ErrUnavailable)
	srv.Faults().Reset()
	srv.Faults().On(erptest.Match{}, erptest.CutBefore())
	_, err = source.Stamps(t.Context(), registry.SourceTables())
	require.ErrorIs(t, err, erp.ErrUnreachable)
}
