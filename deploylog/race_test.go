package deploylog_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// Two build jobs move one run at the same time. The first is stopped at each of
// its requests in turn; meanwhile the second takes the run elsewhere. Then the
// first goes on: it must be told that its move was not made, and the run must stay
// where the second brought it. With -short every other request is held, those in
// between where the first job's change is lost.
func TestTwoJobsMoveOneRun(t *testing.T) {
	t.Parallel()
	srv, client := start(t, erptest.Options{})
	second := connect(t, srv, "GardenAdmin", 11, 102, 11)
	complete := func(c deploylog.Completion) func(*deploylog.Log, erp.ID) error {
		return func(log *deploylog.Log, id erp.ID) error {
			_, err := log.Complete(t.Context(), id, c)
			return err
		}
	}
	to := func(states ...deploylog.State) func(*deploylog.Log, erp.ID) error {
		return func(log *deploylog.Log, id erp.ID) error {
			for _, s := range states {
				if _, err := call(t.Context(), log, id, s); err != nil {
					return err
				}
			}
			return nil
		}
	}
	rollback := func(version string) func(*deploylog.Log, erp.ID) error {
		return func(log *deploylog.Log, id erp.ID) error {
			_, err := log.Rollback(t.Context(), id, deploylog.Rollback{Version: version})
			return err
		}
	}
	for _, c := range []struct {
		name          string
		from          deploylog.State
		first, second func(*deploylog.Log, erp.ID) error
		want          deploylog.State
	}{
		{"success or failed", deploylog.Deploying, to(deploylog.Success), to(deploylog.Failed), deploylog.Failed},
		{"failed or success", deploylog.Deploying, to(deploylog.Failed), to(deploylog.Success), deploylog.Success},
		{"deploying or failed", deploylog.Building, to(deploylog.Deploying), to(deploylog.Failed), deploylog.Failed},
		{"failed, or two moves", deploylog.Building, to(deploylog.Failed), to(deploylog.Deploying, deploylog.Success), deploylog.Success},
		{"failed for two reasons", deploylog.Building, complete(deploylog.Completion{Status: deploylog.Failed, ErrorMessage: "disk full"}),
			complete(deploylog.Completion{Status: deploylog.Failed, ErrorMessage: "disk on fire"}), deploylog.Failed},
		{"success, or failed and rolled back", deploylog.Deploying, to(deploylog.Success), to(deploylog.Failed, deploylog.RolledBack), deploylog.RolledBack},
		{"failed, or success and rolled back", deploylog.Deploying, to(deploylog.Failed), to(deploylog.Success, deploylog.RolledBack), deploylog.RolledBack},
		{"rolled back to two versions", deploylog.Success, rollback("0.1"), rollback("0.2"), deploylog.RolledBack},
	} {
		for _, lost := range []bool{false, true} { // the first job's change, on its first way
			cut := func() {
				if lost {
					srv.Faults().On(erptest.Match{Path: "/batch", N: 1}, erptest.CutBefore())
				}
			}
			run := inState(t, deploylog.New(client, nil), c.from, false)
			srv.Faults().Reset()
			cut()
			require.NoError(t, c.first(deploylog.New(client, &deploylog.Options{Clock: newClock()}), run.ID), c.name)
			requests := len(srv.Faults().Requests())
			require.GreaterOrEqual(t, requests, 4)
			for n := 1; n <= requests; n++ {
				if testing.Short() && lost == (n%2 == 0) {
					continue
				}
				srv.Faults().Reset()
				run := inState(t, deploylog.New(client, nil), c.from, false)
				gate := make(chan struct{})
				held := srv.Faults().On(erptest.Match{N: n}, erptest.Hold(gate))
				cut()
				outcome := make(chan error, 1)
				go func() { outcome <- c.first(deploylog.New(client, &deploylog.Options{Clock: newClock()}), run.ID) }()
				require.Eventually(t, func() bool { return held.Hits() > 0 }, time.Minute, time.Millisecond)
				err := c.second(deploylog.New(second, &deploylog.Options{Clock: newClock()}), run.ID)
				close(gate)
				first := <-outcome
				require.NoError(t, err, "%s, request %d held, lost %t", c.name, n, lost)
				stored, err := deploylog.New(client, nil).Get(t.Context(), run.ID)
				require.NoError(t, err)
				assert.Equal(t, c.want, stored.Status, "%s, request %d held, lost %t: the run went back", c.name, n, lost)
				assert.ErrorIs(t, first, deploylog.ErrTransition, "%s, request %d held, lost %t: both were told that it is done", c.name, n, lost)
				assert.NotEqual(t, "0.1", stored.VersionPrevious, c.name)
				assert.NotEqual(t, "disk full", stored.ErrorMessage, c.name)
			}
		}
	}
	for _, rec := range all(t, client) {
		active, _ := rec.Bool("IsActive")
		assert.True(t, active, "a claim was left: %v", rec)
	}
}
