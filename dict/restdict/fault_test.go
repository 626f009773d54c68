package restdict_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// modes are the ways a plan is sent.
var modes = map[string]restdict.Options{
	"one by one": {},
	"in batches": {BatchSize: 10},
}

type named struct {
	name   string
	action func() erptest.Action
}

// faults are the ways a request breaks.
var faults = []named{
	{"cut before", erptest.CutBefore},
	{"cut after", erptest.CutAfter},
	{"unavailable", func() erptest.Action { return erptest.Fail(http.StatusServiceUnavailable) }},
}

// undisturbed is the dictionary after a run without faults, and the number of
// requests it took.
func undisturbed(t *testing.T, o restdict.Options) (want string, requests int) {
	t.Helper()
	srv, client := start(t)
	_, err := restdict.Run(t.Context(), client, newPlan(t, twentyColumns()), quick(o))
	require.NoError(t, err)
	requests = len(srv.Faults().Requests())
	return dictionary(t.Context(), t, client, "XX_Trial"), requests
}

// Break every single request of a run, resume, and the dictionary is the one of a
// run without faults. The ways of breaking take turns; make proof breaks every
// request in each of them.
func TestResumeAfterEveryRequest(t *testing.T) {
	t.Parallel()
	for mode, o := range modes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			want, requests := undisturbed(t, o)
			step := 1
			if testing.Short() {
				step = 16
			}
			for k := 1; k <= requests; k += step {
				for i, fault := range faults {
					if os.Getenv("ERPHUB_PROOF") == "" && (k/step+i)%len(faults) != 0 {
						continue
					}
					t.Run(fmt.Sprintf("%s %d", fault.name, k), func(t *testing.T) {
						t.Parallel()
						srv, client := start(t)
						plan := newPlan(t, twentyColumns())
						rule := srv.Faults().On(erptest.Match{N: k}, fault.action())
						first := o
						first.Attempts = 1
						first.Checkpoint = filepath.Join(t.TempDir(), "run.json")
						_, err := restdict.Run(t.Context(), client, plan, quick(first))
						require.Equal(t, 1, rule.Hits(), "request %d was broken", k)
						broken := srv.Faults().Requests()[k-1]
						if broken.Method == http.MethodPost && fault.name != "cut after" {
							require.Error(t, err, "%s %s", broken.Method, broken.Path)
						}
						srv.Faults().Reset()
						again := first
						again.Resume = true
						result, err := restdict.Run(t.Context(), client, plan, quick(again))
						require.NoError(t, err)
						assert.Equal(t, plan.Len(), result.CountStatus(restdict.Done))
						assert.Equal(t, want, dictionary(t.Context(), t, client, "XX_Trial"))
						_, err = client.Create(t.Context(), "XX_Trial", map[string]any{"Value": "v", "Name": "n"})
						require.NoError(t, err, "the database has the table")
					})
				}
			}
		})
	}
}

// With more than one attempt a single fault is overcome without a resume, and
// nothing is made twice.
func TestRunOvercomesFaults(t *testing.T) {
	t.Parallel()
	for mode, o := range modes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			want, requests := undisturbed(t, o)
			for _, fault := range append(faults[:len(faults):len(faults)],
				named{"cut in the middle", erptest.CutMiddle},
				named{"sent twice by a proxy", erptest.Duplicate},
				named{"bad gateway", func() erptest.Action { return erptest.HTML(http.StatusBadGateway) }},
			) {
				srv, client := start(t)
				// Reading is the client's to retry; here only what changes is broken.
				rule := srv.Faults().On(erptest.Match{Method: http.MethodPost, N: 2, Times: 1}, fault.action())
				late := srv.Faults().On(erptest.Match{Method: http.MethodPost, N: 4, Times: 1}, fault.action())
				result, err := restdict.Run(t.Context(), client, newPlan(t, twentyColumns()), quick(o))
				require.NoError(t, err, fault.name)
				assert.Equal(t, 1, rule.Hits())
				assert.Equal(t, 1, late.Hits())
				assert.Zero(t, result.CountStatus(restdict.Failed))
				assert.Equal(t, want, dictionary(t.Context(), t, client, "XX_Trial"), fault.name)
				assert.Greater(t, len(srv.Faults().Requests()), requests)
			}
		})
	}
}

// A process that ran although its response was lost may run again.
func TestSynchronisationIsRetried(t *testing.T) {
	t.Parallel()
	srv, client := start(t)
	rule := srv.Faults().On(erptest.Match{Method: http.MethodPost, Path: "/processes/*", N: 1}, erptest.CutAfter())
	result, err := restdict.Run(t.Context(), client, newPlan(t, twentyColumns()), quick(restdict.Options{}))
	require.NoError(t, err)
	assert.Equal(t, 1, rule.Hits())
	sync, _ := result.Step("sync.XX_Trial")
	assert.Equal(t, 2, sync.Attempts)
}

// A refused column stops the run by default; with ContinueOnError the others
// are made, and what needs it waits.
func TestContinueOnError(t *testing.T) {
	t.Parallel()
	refuse := func(srv *erptest.Server) *erptest.Fault {
		return srv.Faults().On(erptest.Match{Method: http.MethodPost, Path: "/models/AD_Column", N: 3}, erptest.Fail(http.StatusInternalServerError))
	}
	t.Run("stop", func(t *testing.T) {
		t.Parallel()
		srv, client := start(t)
		refuse(srv)
		result, err := restdict.Run(t.Context(), client, newPlan(t, twentyColumns()), nil)
		var run *restdict.RunError
		require.ErrorAs(t, err, &run)
		assert.Len(t, run.Failed, 1)
		assert.ErrorIs(t, err, erp.ErrServer)
		assert.Equal(t, 3, srv.Faults().Count(erptest.Match{Method: http.MethodPost, Path: "/models/AD_Column"}))
		assert.Positive(t, result.CountStatus(restdict.Pending))
	})
	t.Run("continue", func(t *testing.T) {
		t.Parallel()
		srv, client := start(t)
		rule := refuse(srv)
		path := filepath.Join(t.TempDir(), "run.json")
		waiting := 0
		result, err := restdict.Run(t.Context(), client, newPlan(t, twentyColumns()), &restdict.Options{
			ContinueOnError: true, Checkpoint: path, Observe: func(e restdict.Event) {
				if e.Kind == restdict.StepWaiting {
					waiting++
				}
			}})
		var run *restdict.RunError
		require.ErrorAs(t, err, &run)
		assert.Len(t, run.Failed, 1)
		assert.Equal(t, 1, run.Waiting, "the synchronisation")
		assert.Equal(t, 1, waiting)
		assert.Equal(t, 20, srv.Faults().Count(erptest.Match{Method: http.MethodPost, Path: "/models/AD_Column"}))
		assert.Equal(t, path, run.Checkpoint)
		assert.Equal(t, 1, result.CountStatus(restdict.Failed))

		rule.Remove()
		srv.Faults().Reset()
		_, err = restdict.Run(t.Context(), client, newPlan(t, twentyColumns()), &restdict.Options{Checkpoint: path, Resume: true})
		require.NoError(t, err)
		assert.Equal(t, 1, srv.Faults().Count(erptest.Match{Method: http.MethodPost, Path: "/models/AD_Column"}), "only the refused one")
	})
}

// cancelAfter ends a context when the n-th creation of a column has been
// carried out and before its response is seen.
type cancelAfter struct {
	next   http.RoundTripper
	cancel context.CancelFunc
	n      int
}

func (c *cancelAfter) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := c.next.RoundTrip(req)
	if req.Method == http.MethodPost && strings.HasSuffix(req.URL.Path, "/models/AD_Column") && err == nil {
		if c.n--; c.n == 0 {
			c.cancel()
			resp.Body.Close()
			return nil, req.Context().Err()
		}
	}
	return resp, err
}

// The run stops when its context does, and can be resumed.
func TestRunInterrupted(t *testing.T) {
	t.Parallel()
	srv, client := start(t)
	plan := newPlan(t, twentyColumns())
	path := filepath.Join(t.TempDir(), "run.json")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cut, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(login(t, srv.URL()))),
		erp.WithTransport(&cancelAfter{next: http.DefaultTransport, cancel: cancel, n: 5}))
	require.NoError(t, err)
	result, err := restdict.Run(ctx, cut, plan, quick(restdict.Options{Checkpoint: path}))
	require.ErrorIs(t, err, context.Canceled)
	assert.Zero(t, result.CountStatus(restdict.Failed), "whether the step was done is not known")
	_, err = restdict.Run(t.Context(), client, plan, quick(restdict.Options{Checkpoint: path, Resume: true}))
	require.NoError(t, err)
	assert.Equal(t, 20, srv.Faults().Count(erptest.Match{Method: http.MethodPost, Path: "/models/AD_Column"}), "none twice")
}

// A server without batches is used record by record.
func TestServerWithoutBatches(t *testing.T) {
	t.Parallel()
	srv, client := start(t)
	srv.Faults().On(erptest.Match{Path: "/batch"}, erptest.HTML(http.StatusNotFound))
	notes := 0
	_, err := restdict.Run(t.Context(), client, newPlan(t, twentyColumns()), quick(restdict.Options{BatchSize: 20, Observe: func(e restdict.Event) {
		if e.Kind == restdict.Note {
			notes++
		}
	}}))
	require.NoError(t, err)
	assert.Equal(t, 1, notes)
	assert.Equal(t, 1, srv.Faults().Count(erptest.Match{Path: "/batch"}))
}

// wide is a table with n columns of its own.
func wide(n int) dict.Table {
	table := dict.NewTable("XX_Wide").With(dict.Standard)
	for i := range n - 9 {
		table.Columns = append(table.Columns, dict.Column{Name: "XX_Wide" + strconv.Itoa(i), Type: dict.TypeString, Length: 20})
	}
	return table
}

// The columns of a table keep the plan's order in a batch, because the ERP's
// own tools go by the order of ids.
func TestBatchesKeepTheOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("one request after another")
	}
	t.Parallel()
	_, client := start(t)
	plan := newPlan(t, wide(60))
	result, err := restdict.Run(t.Context(), client, plan, quick(restdict.Options{BatchSize: 25}))
	require.NoError(t, err)
	last := int64(0)
	for _, step := range plan.Steps() {
		rec, ok := step.(*dict.RecordStep)
		if !ok || rec.Table != "AD_Column" {
			continue
		}
		s, _ := result.Step(rec.Key)
		id, ok := s.ID.Int()
		require.True(t, ok)
		require.Greater(t, id, last, rec.Key)
		last = id
	}
}

// BenchmarkRun compares a 200-column plan one by one and in batches on a server
// that takes 20 ms longer for every response.
func BenchmarkRun(b *testing.B) {
	single := time.Duration(0) // per run, one by one
	for _, way := range []struct {
		name string
		size int
	}{{"single", 1}, {"batch", 50}} {
		b.Run(way.name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				srv, client := start(b)
				srv.Faults().On(erptest.Match{}, erptest.Delay(20*time.Millisecond))
				plan := newPlan(b, wide(200))
				b.StartTimer()
				if _, err := restdict.Run(b.Context(), client, plan, &restdict.Options{BatchSize: way.size}); err != nil {
					b.Fatal(err)
				}
			}
			each := b.Elapsed() / time.Duration(b.N)
			switch {
			case way.size == 1:
				single = each
			case single > 0:
				b.ReportMetric(float64(single)/float64(each), "times-faster")
			}
		})
	}
}
