//go:build unix

package spool

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
)

// Calls that were kept for an address that is gone are delivered by way of another
// spool: all that can be read, in order, once, whenever the move was cut off.
func testMoveFrom(t *testing.T, b *bench) {
	old := b.spool
	life := func(version string) {
		o := b.keep(t, Call{Start: &deploylog.NewRun{Environment: deploylog.Staging, Version: version}})
		b.keep(t, Call{ID: o.ID, Update: &deploylog.Update{Status: deploylog.Deploying}})
		b.keep(t, Call{ID: o.ID, Complete: &deploylog.Completion{Status: deploylog.Success}})
	}
	b.away(func() { life("moved 1"); life("moved 2") })
	damaged := b.list(t)[5]
	require.NoError(t, os.WriteFile(damaged.File, []byte("{"), 0o600))
	aside := b.list(t)[2]
	require.NoError(t, os.Rename(aside.File, filepath.Join(b.dir, rejectedDir, filepath.Base(aside.File))))

	b.use(filepath.Join(t.TempDir(), "new"))
	b.away(func() { b.keep(t, Call{Start: &deploylog.NewRun{Environment: deploylog.Staging, Version: "here"}}) })
	stop := errors.New("killed")
	removed := 0
	old.queue.Fault = func(op, _ string) error {
		if op == "remove" {
			if removed++; removed == 2 {
				return stop
			}
		}
		return nil
	}
	_, err := b.spool.MoveFrom(t.Context(), old)
	require.ErrorIs(t, err, stop)
	old.queue.Fault = func(string, string) error { return nil }
	moved, err := b.spool.MoveFrom(t.Context(), old)
	require.ErrorContains(t, err, damaged.File+" stays: ")
	assert.Equal(t, 4, moved)
	left, err := old.List()
	require.NoError(t, err)
	require.Len(t, left, 1, "%+v", left)
	assert.Equal(t, Unreadable, left[0].State)
	assert.Equal(t, "1 waiting, 2 waiting, 3 waiting, 4 waiting, 5 waiting, 6 refused", b.states(t))

	_, err = b.spool.Retry(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 6, b.flush(t))
	versions := map[string]deploylog.State{}
	for _, run := range b.records(t) {
		versions[run.Version] = run.Status
	}
	assert.Equal(t, deploylog.Success, versions["moved 1"])
	assert.Equal(t, deploylog.Deploying, versions["moved 2"])
	assert.Contains(t, versions, "here")

	_, err = b.spool.MoveFrom(t.Context(), New(b.dir+"/.", nil))
	require.Error(t, err, "onto itself")
	moved, err = b.spool.MoveFrom(t.Context(), New(filepath.Join(t.TempDir(), "nothing"), nil))
	require.NoError(t, err)
	assert.Zero(t, moved)
}
