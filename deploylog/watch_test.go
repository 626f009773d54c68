package deploylog_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// What happens between two looks is done by the sleeping clock, so nothing here
// waits for real time.
func TestWatch(t *testing.T) {
	t.Parallel()
	srv, log, clock := newLog(t)
	ctx := t.Context()
	old := inState(t, log, deploylog.Success, false)
	clock.advance(time.Hour)
	current := deploying(t, log, deploylog.Production, "2")

	// Another log of another connection is what changes things.
	other := deploylog.New(connect(t, srv, "GardenAdmin", 11, 102, 11), &deploylog.Options{Clock: still{clock}})
	script := []func(){
		func() {
			_, err := other.Update(ctx, current.ID, deploylog.Update{Progress: ptr(30)})
			require.NoError(t, err)
		},
		func() {}, // quiet
		func() {},
		func() {
			_, err := other.Complete(ctx, current.ID, deploylog.Completion{Status: deploylog.Failed, ErrorMessage: "no"})
			require.NoError(t, err)
			_, err = other.Start(ctx, deploylog.NewRun{Environment: deploylog.Development, Version: "3"})
			require.NoError(t, err)
		},
		func() {
			_, err := other.Rollback(ctx, old.ID, deploylog.Rollback{Version: "0"})
			require.NoError(t, err)
		},
		func() {},
	}
	step := 0
	clock.each = func(time.Duration) {
		if step < len(script) {
			script[step]()
		}
		step++
	}
	var changes []deploylog.Change
	for change, err := range log.Watch(ctx, deploylog.WatchQuery{Every: time.Second, Quiet: 5 * time.Second}) {
		require.NoError(t, err)
		changes = append(changes, change)
		assert.Equal(t, change.First && len(changes) == 1 || change.Run.Status == deploylog.Failed, change.More)
		if len(changes) == 6 {
			break
		}
	}
	type seen struct {
		id     erp.ID
		status deploylog.State
		first  bool
		before bool
	}
	var got []seen
	for _, c := range changes {
		got = append(got, seen{c.Run.ID, c.Run.Status, c.First, c.Previous != nil})
	}
	assert.Equal(t, []seen{
		{current.ID, deploylog.Deploying, true, false}, // what there is, the most important environment first
		{old.ID, deploylog.Success, true, false},
		{current.ID, deploylog.Deploying, false, true},
		{current.ID, deploylog.Failed, false, true},
		{changes[4].Run.ID, deploylog.Building, false, false},
		{old.ID, deploylog.RolledBack, false, true},
	}, got)
	assert.Equal(t, 30, changes[2].Run.Progress)
	assert.Zero(t, changes[2].Previous.Progress)
	assert.Equal(t, []time.Duration{1, 1, 2, 4, 1}, seconds(clock.waits), "quiet watching slows down and wakes up")
}

// still is a clock whose sleeping moves time without running the script.
type still struct{ *testClock }

func (s still) Sleep(ctx context.Context, d time.Duration) error {
	s.advance(d)
	return ctx.Err()
}

func seconds(waits []time.Duration) []time.Duration {
	list := make([]time.Duration, len(waits))
	for i, w := range waits {
		list[i] = w / time.Second
	}
	return list
}

// A log without runs is watched until the first begins.
func TestWatchAnEmptyLog(t *testing.T) {
	t.Parallel()
	srv, log, clock := newLog(t)
	other := deploylog.New(connect(t, srv, "GardenAdmin", 11, 102, 11), &deploylog.Options{Clock: still{clock}})
	looks := 0
	clock.each = func(time.Duration) {
		if looks++; looks == 2 {
			_, err := other.Start(t.Context(), deploylog.NewRun{Environment: deploylog.Development, Version: "1"})
			require.NoError(t, err)
		}
	}
	for change, err := range log.Watch(t.Context(), deploylog.WatchQuery{Every: time.Second}) {
		require.NoError(t, err)
		assert.Equal(t, "1", change.Run.Version)
		assert.False(t, change.First, "it began while it was watched")
		break
	}
}

func TestWatchOutlivesTheServersAbsence(t *testing.T) {
	t.Parallel()
	srv, log, clock := newLog(t)
	run := deploying(t, log, deploylog.Production, "2")
	srv.Faults().Reset()
	srv.Faults().On(erptest.Match{N: 6, Times: 5}, erptest.CutBefore())
	looks := 0
	clock.each = func(time.Duration) {
		if looks++; looks == 8 {
			rec := connect(t, srv, "GardenAdmin", 11, 102, 11)
			_, err := rec.Update(t.Context(), deploylog.TableName, run.ID, map[string]any{"Progress": 60})
			require.NoError(t, err)
		}
	}
	n := 0
	for change, err := range log.Watch(t.Context(), deploylog.WatchQuery{}) {
		require.NoError(t, err)
		if n++; n == 2 {
			assert.Equal(t, 60, change.Run.Progress)
			break
		}
	}

	// Away for too long is an error.
	srv.Faults().Reset()
	srv.Faults().On(erptest.Match{}, erptest.HTML(http.StatusBadGateway))
	var last error
	for _, err := range log.Watch(t.Context(), deploylog.WatchQuery{Patience: 20 * time.Second}) {
		last = err
	}
	require.ErrorIs(t, last, erp.ErrUnavailable)

	// What will not get better is one at once.
	srv.Faults().Reset()
	srv.Faults().On(erptest.Match{}, erptest.Fail(http.StatusForbidden))
	n = 0
	for _, err := range log.Watch(t.Context(), deploylog.WatchQuery{}) {
		require.ErrorIs(t, err, erp.ErrForbidden)
		n++
	}
	assert.Equal(t, 1, n)

	// The end of the context is its error.
	srv.Faults().Reset()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, err := range log.Watch(ctx, deploylog.WatchQuery{}) {
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
		}
		cancel()
	}
}
