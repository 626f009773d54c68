//go:build unix

package spool

import (
	"context"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// Options.Delivered is called for each call that was carried out and for no
// other, also when the process that carried it out was killed before it told.
func TestDelivered(t *testing.T) {
	t.Parallel()
	b := newBench(t, erptest.Options{}, nil)
	var told []string
	s := New(b.dir, &Options{Delivered: func(_ context.Context, c Call, run deploylog.Run) {
		told = append(told, c.String()[:7]+" "+string(run.Status))
	}})
	next := func() []string {
		list := told
		told = nil
		return list
	}
	o, err := s.Do(t.Context(), b.log, Call{Start: &deploylog.NewRun{Environment: deploylog.Staging, Version: "1"}})
	require.NoError(t, err)
	assert.Equal(t, []string{"start o BUILDING"}, next())
	b.away(func() {
		o, err := s.Do(t.Context(), b.log, Call{ID: o.ID, Update: &deploylog.Update{Status: deploylog.Deploying}})
		require.NoError(t, err)
		require.True(t, o.Spooled)
	})
	assert.Empty(t, next(), "it is kept")

	for _, stage := range []string{"sent", "delivered"} {
		call := Call{ID: o.ID, Complete: &deploylog.Completion{Status: deploylog.Success}}
		if stage == "delivered" {
			call = Call{ID: o.ID, Rollback: &deploylog.Rollback{Version: "0"}}
		}
		_, err := b.process(t, child{Call: &call, KillAt: stage})
		var killed *exec.ExitError
		require.ErrorAs(t, err, &killed)
		_, err = s.Flush(t.Context(), b.log)
		require.NoError(t, err)
		list := next()
		require.NotEmpty(t, list, stage)
		assert.Equal(t, map[string]string{"sent": "complet SUCCESS", "delivered": "rollbac ROLLED_BACK"}[stage], list[len(list)-1], stage)
	}
	_, err = s.Do(t.Context(), b.log, Call{ID: erp.IntID(4711), Update: &deploylog.Update{Progress: ptr(5)}})
	require.Error(t, err)
	assert.Empty(t, next(), "it was refused")
}
