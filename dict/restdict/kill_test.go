//go:build unix

package restdict_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// childVariable makes the test program run a plan, to be killed at it:
// address, token, checkpoint and records per request.
const childVariable = "RESTDICT_TEST_CHILD"

// killEveryVariable makes TestKilled kill at every nth request instead of a few:
// 1 is every single one, which takes most of an hour.
const killEveryVariable = "ERPHUB_KILL_EVERY"

// killColumns is the number of columns of the table that TestKilled makes: several
// batches, and many of them when it kills at every request.
func killColumns() int {
	switch {
	case os.Getenv(killEveryVariable) != "":
		return 200
	case testing.Short():
		return 30
	}
	return 60
}

// killPoints are the numbers of the requests to kill at: the first, the last and
// some between, or what the variable says.
func killPoints(t *testing.T, requests int64) []int64 {
	t.Helper()
	var points []int64
	if every := os.Getenv(killEveryVariable); every != "" {
		step, err := strconv.ParseInt(every, 10, 64)
		require.NoError(t, err)
		require.Positive(t, step)
		for k := int64(1); k <= requests; k += step {
			points = append(points, k)
		}
		return points
	}
	const some = 4
	for i := range int64(some) {
		points = append(points, 1+i*(requests-1)/(some-1))
	}
	return points
}

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		if err := child(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child runs the plan of TestKilled, or goes on with it.
func child(ctx context.Context) error {
	client, err := erp.New(os.Getenv(childVariable), erp.WithTokenSource(erp.StaticToken(os.Getenv("CHILD_TOKEN"))))
	if err != nil {
		return err
	}
	columns, err := strconv.Atoi(os.Getenv("CHILD_COLUMNS"))
	if err != nil {
		return err
	}
	plan, err := dict.NewPlan(nil, wide(columns))
	if err != nil {
		return err
	}
	size, err := strconv.Atoi(os.Getenv("CHILD_BATCH"))
	if err != nil {
		return err
	}
	result, err := restdict.Run(ctx, client, plan, &restdict.Options{Checkpoint: os.Getenv("CHILD_CHECKPOINT"), Resume: true, BatchSize: size})
	if err == nil && result.CountStatus(restdict.Done) != plan.Len() {
		err = fmt.Errorf("%d of %d steps are done", result.CountStatus(restdict.Done), plan.Len())
	}
	return err
}

// killer is an embedded ERP that kills the process that calls it, at a chosen
// request: before it is carried out, or after it and before the response.
type killer struct {
	*erptest.Server
	url, token string
	requests   atomic.Int64

	mu    sync.Mutex // guards the rest
	at    int64      // 0: never
	after bool
	child *exec.Cmd
}

func newKiller(t *testing.T) *killer {
	t.Helper()
	srv, err := erptest.Open(t.Context(), erptest.Options{})
	require.NoError(t, err)
	s := &killer{Server: srv}
	front := httptest.NewServer(s)
	t.Cleanup(func() {
		front.Close()
		assert.NoError(t, srv.Close())
	})
	s.url = front.URL
	s.token = login(t, s.url)
	s.requests.Store(0)
	return s
}

func (s *killer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := s.requests.Add(1)
	s.mu.Lock()
	due, after := n == s.at, s.after
	s.mu.Unlock()
	if !due {
		s.Server.ServeHTTP(w, r)
		return
	}
	if after {
		s.Server.ServeHTTP(httptest.NewRecorder(), r)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.child.Process.Kill() // that it died of it is looked at
	panic(http.ErrAbortHandler)
}

// run runs the plan in a process of its own, and reports whether it was killed.
func (s *killer) run(t *testing.T, checkpoint string, batch int) (killed bool) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), childVariable+"="+s.url, "CHILD_TOKEN="+s.token, "CHILD_CHECKPOINT="+checkpoint, "CHILD_BATCH="+strconv.Itoa(batch),
		"CHILD_COLUMNS="+strconv.Itoa(killColumns()))
	cmd.Stderr = &testWriter{t}
	s.mu.Lock()
	s.child = cmd
	err = cmd.Start()
	s.mu.Unlock()
	require.NoError(t, err)
	err = cmd.Wait()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	require.True(t, ok)
	if status.Signaled() {
		require.Equal(t, syscall.SIGKILL, status.Signal())
		return true
	}
	require.NoError(t, err)
	return false
}

type testWriter struct{ t *testing.T }

func (w *testWriter) Write(p []byte) (int, error) {
	w.t.Logf("%s", p)
	return len(p), nil
}

// The process that makes a table of many columns is killed at a request, and
// another goes on from its checkpoint: the dictionary is the one of a run
// without a kill, nothing is there twice, and the database has the table. With -short
// each of the requests is either carried out or not.
func TestKilled(t *testing.T) {
	t.Parallel()
	for _, batch := range []int{1, 25} {
		t.Run(fmt.Sprintf("%d at a time", batch), func(t *testing.T) {
			t.Parallel()
			calm := newKiller(t)
			require.False(t, calm.run(t, filepath.Join(t.TempDir(), "run.json"), batch))
			requests := calm.requests.Load()
			want := calm.dictionary(t)
			points := killPoints(t, requests)
			t.Logf("%d requests, killed at %d", requests, points)
			for i, k := range points {
				for _, after := range []bool{false, true} {
					if testing.Short() && after != (i%2 == 0) {
						continue
					}
					t.Run(fmt.Sprintf("request %d, after it %t", k, after), func(t *testing.T) {
						s := newKiller(t)
						checkpoint := filepath.Join(t.TempDir(), "run.json")
						s.mu.Lock()
						s.at, s.after = k, after
						s.mu.Unlock()
						require.True(t, s.run(t, checkpoint, batch), "it was killed")
						require.False(t, s.run(t, checkpoint, batch), "it came to its end")
						assert.Equal(t, want, s.dictionary(t))
						client, err := erp.New(s.url, erp.WithTokenSource(erp.StaticToken(s.token)))
						require.NoError(t, err)
						page, err := client.Query(t.Context(), "XX_Wide", &erp.Query{Top: 1})
						require.NoError(t, err, "the database has the table")
						assert.Empty(t, page.Records)
					})
				}
			}
		})
	}
}

func (s *killer) dictionary(t *testing.T) string {
	t.Helper()
	client, err := erp.New(s.url, erp.WithTokenSource(erp.StaticToken(s.token)))
	require.NoError(t, err)
	return dictionary(t.Context(), t, client, "XX_Wide")
}
