package twin_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/twin"
)

// faulty fails at every k-th reading, after some rows, and stops the clone when its
// rows are used up.
type faulty struct {
	twin.Source
	every, calls int
	left         int // rows until stop is called; -1: never
	stop         context.CancelFunc
}

var errBroken = errors.New("the connection broke off")

func (f *faulty) Rows(ctx context.Context, q *twin.Query, row func([]any) error) error {
	f.calls++
	fail, n := f.every > 0 && f.calls%f.every == 0, 0
	err := f.Source.Rows(ctx, q, func(values []any) error {
		if f.left == 0 {
			f.stop()
			return context.Canceled
		}
		if f.left > 0 {
			f.left--
		}
		if n++; fail && n > 700 {
			return errBroken
		}
		return row(values)
	})
	if err == nil && fail {
		err = errBroken
	}
	return err
}

func TestSourceThatFails(t *testing.T) {
	if testing.Short() {
		t.Skip("makes one twin after another")
	}
	t.Parallel()
	other := t.TempDir()
	plain, _ := whole()
	for _, every := range []int{2, 3} {
		f := &faulty{Source: newSmall(database(t, live())), every: every, left: -1}
		report, err := twin.Clone(t.Context(), f, other, orders())
		require.NoError(t, err, "every %d", every)
		assert.Empty(t, table(t, report, "C_Order").Unreadable)
		assert.Equal(t, verified(t, plain).Digest, verified(t, other).Digest, "every %d", every)
	}
	f := &faulty{Source: newSmall(database(t, live())), every: 1, left: -1}
	_, err := twin.Clone(t.Context(), f, t.TempDir(), orders())
	require.ErrorIs(t, err, errBroken)
	assert.Contains(t, err.Error(), "given up after 2 attempts", "nothing was ever read")
}

func TestResume(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain, whole := whole()
	assert.False(t, whole.Resumed)
	random := rand.New(rand.NewPCG(18, uint64(os.Getpid())))
	opts := orders()
	opts.Resume = true
	for run := 1; ; run++ {
		ctx, cancel := context.WithCancel(t.Context())
		// Later runs get further.
		f := &faulty{Source: newSmall(database(t, live())), left: random.IntN(1500 * run), stop: cancel}
		report, err := twin.Clone(ctx, f, dir, opts)
		cancel()
		if err == nil {
			assert.Equal(t, run > 1, report.Resumed)
			assert.Equal(t, whole.Rows, report.Rows)
			assert.NoFileExists(t, twin.InFolder(dir)+".clone")
			break
		}
		require.ErrorIs(t, err, context.Canceled)
		assert.NoFileExists(t, twin.InFolder(dir), "the target is there when it is complete")
		require.Less(t, run, 50)
	}
	assert.Equal(t, verified(t, plain).Digest, verified(t, dir).Digest)

	t.Run("other options", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		f := &faulty{Source: newSmall(database(t, live())), left: 3000, stop: cancel}
		_, err := twin.Clone(ctx, f, dir, opts)
		require.ErrorIs(t, err, context.Canceled)
		_, err = twin.Verify(t.Context(), twin.InFolder(dir))
		require.NoError(t, err, "the former twin is still there")
		changed := opts
		changed.Rows = 3
		_, err = twin.Clone(t.Context(), f, dir, changed)
		require.ErrorContains(t, err, "with other options")
		var log bytes.Buffer
		changed.Resume, changed.Logger = false, slog.New(slog.NewTextHandler(&log, nil))
		_, err = twin.Clone(t.Context(), newSmall(database(t, live())), dir, changed)
		require.NoError(t, err)
		assert.Contains(t, log.String(), "an interrupted clone is given up")
	})
}

func TestTargetIsNoTwin(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"text": "something of mine", "empty": ""} {
		dir := t.TempDir()
		path := twin.InFolder(dir)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		_, err := twin.Clone(t.Context(), newSmall(database(t, live())), dir, orders())
		require.ErrorContains(t, err, "is no twin, so it stays as it is", name)
		kept, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, content, string(kept))
	}
}

func TestUnknownTable(t *testing.T) {
	t.Parallel()
	opts := orders()
	opts.Tables = []string{"C_Ordre"}
	_, err := twin.Clone(t.Context(), newSmall(database(t, live())), t.TempDir(), opts)
	require.ErrorContains(t, err, "is it C_Order?")
	opts.Tables, opts.EntityTypes = nil, []string{"NOPE"}
	_, err = twin.Clone(t.Context(), newSmall(database(t, live())), t.TempDir(), opts)
	require.ErrorContains(t, err, "AD_EntityType")
}

func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := &faulty{Source: newSmall(database(t, live())), left: 100}
	f.stop = func() {
		_, err := twin.Clone(t.Context(), newSmall(database(t, live())), dir, orders())
		assert.ErrorContains(t, err, "is in use by")
		f.left = -1
	}
	_, err := twin.Clone(t.Context(), f, dir, orders())
	require.NoError(t, err)
}
