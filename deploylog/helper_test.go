package deploylog_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// testClock is a clock that only moves when somebody sleeps or a test says so.
type testClock struct {
	mu    sync.Mutex
	now   time.Time
	slept time.Duration
	waits []time.Duration
	// each is called for every sleep, before it ends; nil for nothing.
	each func(time.Duration)
}

func newClock() *testClock { return &testClock{now: time.Date(2026, 3, 9, 14, 0, 0, 0, time.UTC)} }

func (c *testClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *testClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *testClock) Sleep(ctx context.Context, d time.Duration) error {
	c.advance(d)
	c.mu.Lock()
	c.slept += d
	c.waits = append(c.waits, d)
	each := c.each
	c.mu.Unlock()
	if each != nil {
		each(d)
	}
	return ctx.Err()
}

// plan is the log's plan; the window has a test of its own.
func plan(t testing.TB) *dict.Plan {
	t.Helper()
	p, err := deploylog.Plan(&deploylog.InstallOptions{NoWindow: true})
	require.NoError(t, err)
	return p
}

// start runs an embedded ERP that has the log, and a client logged in to it as
// GardenAdmin whose own retries are off, so that every fault is seen.
func start(t testing.TB, o erptest.Options) (*erptest.Server, *erp.Client) {
	t.Helper()
	srv := erptest.New(t, o)
	install(t, srv, plan(t))
	return srv, connect(t, srv, "GardenAdmin", 11, 102, 11)
}

func install(t testing.TB, srv *erptest.Server, p *dict.Plan) {
	t.Helper()
	_, err := restdict.Run(t.Context(), connect(t, srv, "SuperUser", 0, 0, 0), p, &restdict.Options{BatchSize: 200})
	require.NoError(t, err)
	srv.Faults().Reset()
}

func connect(t testing.TB, srv *erptest.Server, user string, client, role, org int64) *erp.Client {
	t.Helper()
	token, err := srv.APIToken(t.Context(), user, client, role, org, 0)
	require.NoError(t, err)
	c, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)), erp.WithRetryPolicy(erp.RetryPolicy{}))
	require.NoError(t, err)
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// newLog is an embedded ERP and a log that share a clock.
func newLog(t testing.TB) (*erptest.Server, *deploylog.Log, *testClock) {
	t.Helper()
	clock := newClock()
	srv, client := start(t, erptest.Options{Clock: clock.Now})
	return srv, deploylog.New(client, &deploylog.Options{Clock: clock}), clock
}

func ptr[T any](v T) *T { return &v }
