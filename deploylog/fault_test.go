package deploylog_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// life is a whole life of a run, from its start to its rollback.
func life(t testing.TB, log *deploylog.Log) (deploylog.Run, error) {
	ctx := t.Context()
	run, err := log.Start(ctx, deploylog.NewRun{Environment: deploylog.Production, Version: "2", BuildNo: "1"})
	if err != nil {
		return run, err
	}
	if _, err = log.Update(ctx, run.ID, deploylog.Update{Progress: ptr(50)}); err != nil {
		return run, err
	}
	if _, err = log.Update(ctx, run.ID, deploylog.Update{Status: deploylog.Deploying}); err != nil {
		return run, err
	}
	if _, err = log.Complete(ctx, run.ID, deploylog.Completion{Status: deploylog.Success}); err != nil {
		return run, err
	}
	return log.Rollback(ctx, run.ID, deploylog.Rollback{Version: "1"})
}

// Whatever request of a life is lost, refused by a proxy or cut in the middle,
// the life goes on, and nothing is done twice or left behind. With -short, two of the
// faults take turns at each request.
func TestOneFaultAtEveryRequest(t *testing.T) {
	t.Parallel()
	srv, client := start(t, erptest.Options{})
	log := deploylog.New(client, &deploylog.Options{Clock: newClock()})
	_, err := life(t, log)
	require.NoError(t, err)
	requests := len(srv.Faults().Requests())
	require.Greater(t, requests, 15)
	wipe(t, client)
	names := []string{"before", "after", "middle", "proxy"}
	for i, fault := range []erptest.Action{erptest.CutBefore(), erptest.CutAfter(), erptest.CutMiddle(), erptest.HTML(http.StatusBadGateway)} {
		name := names[i]
		for n := 1; n <= requests; n++ {
			if testing.Short() && (n+i/2)%2 != 0 {
				continue
			}
			srv.Faults().Reset()
			rule := srv.Faults().On(erptest.Match{N: n}, fault)
			run, err := life(t, log)
			if err != nil {
				// Reading is not retried by a client without retries.
				require.True(t, lostReading(srv, n), "request %d %s: %v\n%v", n, name, err, srv.Faults().Requests()[n-1])
			} else {
				require.Equal(t, deploylog.RolledBack, run.Status)
				require.Equal(t, "1", run.VersionPrevious)
			}
			require.Equal(t, 1, rule.Hits())
			srv.Faults().Reset()
			runs := all(t, client)
			require.LessOrEqual(t, len(runs), 1, "request %d %s left %v", n, name, runs)
			wipe(t, client)
		}
	}
}

func lostReading(srv *erptest.Server, n int) bool {
	return srv.Faults().Requests()[n-1].Method == http.MethodGet
}

// all are all records of the log, claims included.
func all(t testing.TB, client *erp.Client) []erp.Record {
	t.Helper()
	var list []erp.Record
	for rec, err := range client.Records(t.Context(), deploylog.TableName, &erp.Query{Filter: erp.In("IsActive", true, false)}) {
		require.NoError(t, err)
		list = append(list, rec)
	}
	return list
}

func wipe(t testing.TB, client *erp.Client) {
	t.Helper()
	for _, rec := range all(t, client) {
		require.NoError(t, client.Delete(t.Context(), deploylog.TableName, rec.ID()))
	}
}

// A writer that was killed in the middle of a move leaves its claim behind; the
// next one takes over.
func TestTakesOverFromADeadWriter(t *testing.T) {
	t.Parallel()
	srv, client := start(t, erptest.Options{})
	clock := newClock()
	log := deploylog.New(client, &deploylog.Options{Clock: clock})
	run := inState(t, log, deploylog.Building, false)

	// The first writer dies between its claim and its change: both the change
	// and giving the claim up are refused.
	srv.Faults().On(erptest.Match{Method: http.MethodPost, Path: "/batch"}, erptest.Fail(http.StatusForbidden))
	srv.Faults().On(erptest.Match{Method: http.MethodDelete}, erptest.Fail(http.StatusForbidden))
	_, err := log.Update(t.Context(), run.ID, deploylog.Update{Status: deploylog.Deploying})
	require.ErrorIs(t, err, erp.ErrForbidden)
	srv.Faults().Reset()
	require.Len(t, all(t, client), 2)

	moved, err := log.Complete(t.Context(), run.ID, deploylog.Completion{Status: deploylog.Failed})
	require.NoError(t, err)
	assert.Equal(t, deploylog.Failed, moved.Status)
	assert.GreaterOrEqual(t, clock.slept.Seconds(), 4.9, "a living writer gets its time")
	require.Len(t, all(t, client), 1)

	status, err := log.Status(t.Context(), deploylog.StatusQuery{})
	require.NoError(t, err)
	assert.Zero(t, status[1].InProgress, "claims are no runs")
}

// A server without batches takes the same moves one by one.
func TestServerWithoutBatches(t *testing.T) {
	t.Parallel()
	srv, client := start(t, erptest.Options{})
	srv.Faults().On(erptest.Match{Path: "/batch"}, erptest.HTML(http.StatusNotFound))
	run, err := life(t, deploylog.New(client, nil))
	require.NoError(t, err)
	assert.Equal(t, deploylog.RolledBack, run.Status)
	assert.Len(t, all(t, client), 1)
}

// A role that may not delete records can still record its runs.
func TestRoleThatMayNotDelete(t *testing.T) {
	t.Parallel()
	srv, client := start(t, erptest.Options{})
	log := deploylog.New(client, &deploylog.Options{Clock: newClock()})
	srv.Faults().On(erptest.Match{Method: http.MethodDelete}, erptest.Fail(http.StatusForbidden))
	srv.Faults().On(erptest.Match{Path: "/batch"}, erptest.Fail(http.StatusBadRequest, erptest.Body("application/json",
		`[{"status":"Forbidden","statusCode":403.0,"body":{"title":"Delete error","status":403.0,"detail":"AccessCannotDelete"}}]`)))
	run, err := life(t, log)
	require.NoError(t, err)
	assert.Equal(t, deploylog.RolledBack, run.Status)
}
