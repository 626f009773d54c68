package deploylog_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
)

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
