package deploylog_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// An environment without a run is measured like any other, again and again, and
// counts what comes.
func TestMeasureWithoutRuns(t *testing.T) {
	t.Parallel()
	_, log, clock := newLog(t)
	from := clock.Now()
	for n := range 3 {
		if n == 2 {
			run := deploying(t, log, deploylog.Staging, "1")
			_, err := log.Complete(t.Context(), run.ID, deploylog.Completion{Status: deploylog.Success})
			require.NoError(t, err)
		}
		clock.advance(time.Hour)
		all, err := log.Measure(t.Context(), deploylog.MeasureQuery{From: from})
		require.NoError(t, err)
		require.Len(t, all, 3)
		assert.Equal(t, n/2, all[1].Deployments)
		assert.Zero(t, all[0].Deployments)
	}
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	_, log, clock := newLog(t)
	ctx := t.Context()
	from := clock.Now()
	complete := func(state deploylog.State, took time.Duration, components string) deploylog.Run {
		run := deploying(t, log, deploylog.Production, "1")
		_, err := log.Update(ctx, run.ID, deploylog.Update{Components: &components})
		require.NoError(t, err)
		clock.advance(took)
		run, err = log.Complete(ctx, run.ID, deploylog.Completion{Status: state})
		require.NoError(t, err)
		return run
	}
	clock.advance(10 * time.Hour)
	complete(deploylog.Success, time.Hour, "sales@1 2026-03-09T21:00:00Z, stock@2 2026-03-09T23:00:00.5+00:00 no-time 2026-13-01T00:00:00Z") // 4 h and 2 h before
	complete(deploylog.Failed, time.Hour, "sales@1 2026-03-01T00:00:00Z")                                                                    // did not arrive
	complete(deploylog.Success, 3*time.Hour, "")                                                                                             // restores after 3 h
	rolled := complete(deploylog.Success, time.Hour, "")
	clock.advance(30 * time.Minute)
	_, err := log.Rollback(ctx, rolled.ID, deploylog.Rollback{Version: "1", Reason: "slow"}) // restores after 30 min
	require.NoError(t, err)
	inState(t, log, deploylog.Failed, true) // a failed build, of STAGING
	clock.advance(from.Add(48 * time.Hour).Sub(clock.Now()))

	all, err := log.Measure(ctx, deploylog.MeasureQuery{From: from})
	require.NoError(t, err)
	require.Len(t, all, 3)
	m := all[0]
	assert.Equal(t, deploylog.Production, m.Environment)
	assert.Equal(t, 3, m.Deployments)
	assert.Equal(t, 2, m.Failures)
	assert.InDelta(t, 1.5, m.PerDay, 1e-9)
	assert.InDelta(t, 0.5, m.FailureRate, 1e-9)
	assert.Equal(t, 2, m.LeadTimes)
	assert.InDelta(t, 3*time.Hour, m.LeadTime, float64(time.Second))
	assert.Equal(t, 2, m.Restores)
	assert.Equal(t, (3*time.Hour+30*time.Minute)/2, m.Restore)
	assert.Equal(t, deploylog.Measures{Environment: deploylog.Staging}, all[1], "a failed build counts nowhere")
	text, err := json.Marshal(m)
	require.NoError(t, err)
	assert.JSONEq(t, `{"environment":"PROD","deployments":3,"failures":2,"perDay":1.5,"failureRate":0.5,"leadTimes":2,"leadTime":10799,"restore":6300,"restores":2}`, string(text))

	before, err := log.Measure(ctx, deploylog.MeasureQuery{From: from.AddDate(0, 0, -7), To: from, Environment: deploylog.Production})
	require.NoError(t, err)
	assert.Equal(t, []deploylog.Measures{{Environment: deploylog.Production}}, before)
	for _, bad := range []deploylog.MeasureQuery{{}, {From: from, To: from}, {From: from, Environment: "X"}} {
		_, err := log.Measure(ctx, bad)
		require.ErrorIs(t, err, deploylog.ErrInvalid)
	}
}

// BenchmarkMeasure measures a period of 90 days, all environments: for the first time,
// and again.
func BenchmarkMeasure(b *testing.B) {
	clock := newClock()
	q := deploylog.MeasureQuery{From: clock.Now().AddDate(0, 0, -90)}
	for _, size := range []int{10_000, 100_000} {
		srv := longLog(b, clock, size)
		client := connect(b, srv, "GardenAdmin", 11, 102, 11)
		log := deploylog.New(client, &deploylog.Options{Clock: clock})
		for _, again := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d/again=%t", size, again), func(b *testing.B) {
				_, err := log.Measure(b.Context(), q)
				require.NoError(b, err)
				srv.Faults().Reset()
				for b.Loop() {
					if !again {
						log = deploylog.New(client, &deploylog.Options{Clock: clock})
					}
					_, err := log.Measure(b.Context(), q)
					require.NoError(b, err)
				}
				b.ReportMetric(float64(len(srv.Faults().Requests()))/float64(b.N), "requests/op")
			})
		}
	}
}

// A period that was measured costs a request for each environment to measure again,
// whatever has happened to its runs, and is measured as by somebody who never did.
func TestMeasureAgain(t *testing.T) {
	t.Parallel()
	clock := newClock()
	srv := longLog(t, clock, 3_000)
	client := connect(t, srv, "GardenAdmin", 11, 102, 11)
	log := deploylog.New(client, &deploylog.Options{Clock: clock})
	measure := func(log *deploylog.Log, days int) ([]deploylog.Measures, int) {
		srv.Faults().Reset()
		m, err := log.Measure(t.Context(), deploylog.MeasureQuery{From: clock.Now().AddDate(0, 0, -days), To: clock.Now().Add(time.Second)})
		require.NoError(t, err)
		return m, len(srv.Faults().Requests())
	}
	ended := func(env deploylog.Environment, n int) deploylog.Run {
		for run, err := range log.History(t.Context(), deploylog.HistoryQuery{Environment: env, Status: deploylog.Success}) {
			require.NoError(t, err)
			if n--; n < 0 {
				return run
			}
		}
		return deploylog.Run{}
	}
	change := func(id erp.ID, values map[string]any) {
		_, err := client.Update(t.Context(), deploylog.TableName, id, values)
		require.NoError(t, err)
	}
	_, requests := measure(log, 1)
	assert.Less(t, requests, 40)
	// Of each environment two requests, and one for their list.
	for _, c := range []struct {
		name     string
		days     int
		change   func()
		requests int
	}{
		{"nothing", 1, func() {}, 7},
		{"a longer period", 90, func() {}, 70},
		{"a shorter one", 1, func() {}, 7},
		{"a thousand years", 366_000, func() {}, 120},
		{"a success", 90, func() { inState(t, log, deploylog.Success, false) }, 7},
		{"a failure", 90, func() { inState(t, log, deploylog.Failed, false) }, 7},
		{"a rollback of an old one", 90, func() {
			_, err := log.Rollback(t.Context(), ended(deploylog.Production, 200).ID, deploylog.Rollback{Version: "1"})
			require.NoError(t, err)
		}, 7},
		{"components that come late", 90, func() {
			change(ended(deploylog.Production, 150).ID, map[string]any{"Components": clock.Now().AddDate(0, 0, -10).Format(time.RFC3339)})
		}, 7},
		{"another environment", 90, func() { change(ended(deploylog.Staging, 120).ID, map[string]any{"Environment": "DEV"}) }, 70},
		{"not ended", 90, func() { change(ended(deploylog.Staging, 90).ID, map[string]any{"DateCompleted": nil}) }, 70},
		{"deleted", 90, func() {
			require.NoError(t, client.Delete(t.Context(), deploylog.TableName, ended(deploylog.Development, 100).ID))
		}, 70},
		{"later", 1, func() { clock.advance(12 * time.Hour) }, 7},
	} {
		c.change()
		clock.advance(time.Minute)
		got, requests := measure(log, c.days)
		want, all := measure(deploylog.New(client, &deploylog.Options{Clock: clock}), c.days)
		assert.Equal(t, want, got, c.name)
		assert.LessOrEqual(t, requests, c.requests, "%s: a new log needs %d", c.name, all)
	}
}

// A period that is not read in time says how far it was read, and the next call goes
// on from there.
func TestMeasureGoesOn(t *testing.T) {
	t.Parallel()
	clock := newClock()
	srv := longLog(t, clock, 6_000)
	client := connect(t, srv, "GardenAdmin", 11, 102, 11)
	q := deploylog.MeasureQuery{From: clock.Now().AddDate(0, 0, -90), Environment: deploylog.Production}
	fresh := func() *deploylog.Log { return deploylog.New(client, &deploylog.Options{Clock: clock}) }
	srv.Faults().Reset()
	want, err := fresh().Measure(t.Context(), q)
	require.NoError(t, err)
	whole := len(srv.Faults().Requests())

	log, requests := fresh(), 0
	for tries := 1; ; tries++ {
		require.Less(t, tries, 20)
		srv.Faults().Reset()
		srv.Faults().On(erptest.Match{N: 9}, erptest.HTML(http.StatusBadGateway))
		got, err := log.Measure(t.Context(), q)
		requests += len(srv.Faults().Requests())
		if err == nil {
			assert.Equal(t, want, got)
			assert.Greater(t, tries, 1)
			break
		}
		require.ErrorContains(t, err, "a shorter period")
	}
	assert.Less(t, requests, 2*whole)
}
