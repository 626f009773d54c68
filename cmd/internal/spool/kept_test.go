//go:build unix

package spool

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/cmd/internal/outbox"
	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// away makes the ERP unreachable for as long as work runs.
func (b *bench) away(work func()) {
	b.srv.Faults().On(erptest.Match{}, erptest.CutBefore())
	work()
	b.srv.Faults().Reset()
}

// keep makes a call that is kept.
func (b *bench) keep(t *testing.T, c Call) Outcome {
	t.Helper()
	o, err := b.spool.Do(t.Context(), b.log, c)
	require.NoError(t, err)
	require.True(t, o.Spooled)
	return o
}

func (b *bench) states(t *testing.T) string {
	t.Helper()
	var states []string
	for _, k := range b.list(t) {
		states = append(states, k.Name+" "+string(k.State))
	}
	return strings.Join(states, ", ")
}

func status(t *testing.T, b *bench, id erp.ID) deploylog.State {
	t.Helper()
	run, err := b.log.Get(t.Context(), id)
	require.NoError(t, err)
	return run.Status
}

// The tests of this file share an ERP, which takes longer to make than they do.
func TestKeptCalls(t *testing.T) {
	t.Parallel()
	b := newBench(t, erptest.Options{}, nil)
	for name, test := range map[string]func(*testing.T, *bench){
		"file that cannot be read": testFileThatCannotBeRead, "files of another form": testFilesOfAnotherForm,
		"folder that cannot be used": testFolderThatCannotBeUsed, "full disk": testFullDisk,
		"delivered by another process": testDeliveredByAnotherProcess, "retry": testRetry,
		"waiting while the ERP is away": testWaitingProcessesHearThatTheERPIsAway, "lock held for long": testLockHeldForLong,
		"moved to another spool": testMoveFrom,
	} {
		t.Run(name, func(t *testing.T) {
			b.use(filepath.Join(t.TempDir(), "spool"))
			test(t, b)
		})
	}
}

// use makes another folder the bench's.
func (b *bench) use(dir string) { b.dir, b.spool = dir, New(dir, nil) }

// A file that cannot be read, however it came about, is told and kept, and holds
// back its own run only. Once it is fixed or gone, the run goes on.
func testFileThatCannotBeRead(t *testing.T, b *bench) {
	for name, damage := range map[string]func(text string) string{
		"empty":             func(string) string { return "" },
		"half":              func(text string) string { return text[:len(text)/2] },
		"no JSON":           func(string) string { return "\x00\xff" },
		"null":              func(string) string { return "null" },
		"newer":             func(text string) string { return strings.Replace(text, `"version":3`, `"version":4`, 1) },
		"unknown operation": func(text string) string { return strings.Replace(text, `"update"`, `"cancel"`, 1) },
		"unknown member":    func(text string) string { return strings.Replace(text, `"version":3`, `"version":3,"if":1`, 1) },
		"two calls":         func(text string) string { return text + text },
		"another call":      func(text string) string { return strings.Replace(text, `"id":"`, `"id":"0`, 1) },
		"no such version":   func(text string) string { return strings.Replace(text, `"version":3`, `"version":0`, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			b.use(filepath.Join(t.TempDir(), "spool"))
			var held, free erp.ID
			b.away(func() {
				held = b.keep(t, Call{Start: &deploylog.NewRun{Environment: deploylog.Staging, Version: name}}).ID
				free = b.keep(t, Call{Start: &deploylog.NewRun{Environment: deploylog.Staging, Version: name}}).ID
				b.keep(t, Call{ID: held, Update: &deploylog.Update{Status: deploylog.Deploying}})
				b.keep(t, Call{ID: held, Complete: &deploylog.Completion{Status: deploylog.Success}})
				b.keep(t, Call{ID: free, Update: &deploylog.Update{Status: deploylog.Deploying}})
			})
			file := b.list(t)[2].File
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file, []byte(damage(string(text))), 0o600))

			n, err := b.spool.Flush(t.Context(), b.log)
			assert.Equal(t, 3, n)
			var why *FileError
			require.ErrorAs(t, err, &why)
			assert.Equal(t, file, why.File)
			assert.Equal(t, runKey(held), why.Run)
			assert.Contains(t, err.Error(), file)
			require.ErrorIs(t, err, ErrHeld)
			assert.Equal(t, name == "newer" || name == "no such version" || name == "null", errors.Is(err, outbox.ErrForm))
			assert.Equal(t, "3 unreadable, 4 held", b.states(t))
			assert.Equal(t, deploylog.Deploying, status(t, b, free))
			assert.Equal(t, deploylog.Building, status(t, b, held))

			// The run is held back under its number, too, and others are not.
			run, err := b.log.Get(t.Context(), held)
			require.NoError(t, err)
			o, err := b.spool.Do(t.Context(), b.log, Call{ID: run.ID, Rollback: &deploylog.Rollback{Version: "0"}})
			require.NoError(t, err)
			assert.True(t, o.Spooled)
			require.ErrorIs(t, o.Cause, ErrHeld)
			require.Len(t, o.Warnings, 1)
			require.ErrorAs(t, o.Warnings[0], &why)
			o, err = b.spool.Do(t.Context(), b.log, Call{ID: free, Complete: &deploylog.Completion{Status: deploylog.Success}})
			require.NoError(t, err)
			assert.False(t, o.Spooled)
			assert.Len(t, o.Warnings, 1, "everybody is told")

			_, err = b.spool.Retry(t.Context())
			require.ErrorContains(t, err, file)
			require.NoError(t, os.WriteFile(file, text, 0o600))
			assert.Equal(t, 3, b.flush(t), "fixed, the run goes on in order")
			assert.Equal(t, deploylog.RolledBack, status(t, b, held))
			assert.Empty(t, b.list(t))
		})
	}
}

// A file of another form, in name or content, stays and holds back what comes behind it,
// until somebody discards it.
func testFilesOfAnotherForm(t *testing.T, b *bench) {
	for name, text := range map[string]string{
		"0000000001.json":           `{"op":"01a","call":{"start":{"Environment":"PROD"}}}`,
		"0000000001.tried.json":     `{"version":1,"op":"01a","call":{"start":{"Environment":"PROD"}}}`,
		"0000000001.x.y.z.json.zst": "?",
	} {
		b.use(filepath.Join(t.TempDir(), "spool"))
		require.NoError(t, os.MkdirAll(b.dir, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600))
		o := b.keep(t, Call{Start: &deploylog.NewRun{Environment: deploylog.Production, Version: name}})
		require.ErrorIs(t, o.Cause, ErrHeld, name)
		_, err := b.spool.Flush(t.Context(), b.log)
		require.ErrorContains(t, err, "all later calls", name)
		_, err = b.spool.Discard(t.Context(), "1")
		require.NoError(t, err)
		assert.Equal(t, 1, b.flush(t))
	}
}

// A folder that cannot be used is no reason to fail while the ERP responds. The
// calls that wait for the same run are made before; others keep waiting.
func testFolderThatCannotBeUsed(t *testing.T, b *bench) {
	for name, c := range map[string]struct {
		ops     []string
		errno   syscall.Errno
		waiting bool // what waits can be read
	}{
		"full":            {[]string{"write"}, syscall.ENOSPC, true},
		"read-only":       {[]string{"write", "move", "remove"}, syscall.EROFS, true},
		"somebody else's": {[]string{"write", "move", "remove", "lock", "list", "read"}, syscall.EACCES, false},
		"no locks":        {[]string{"lock"}, syscall.ENOLCK, true},
		"nothing moves":   {[]string{"move", "remove"}, syscall.EIO, true},
		"no file read":    {[]string{"read", "write"}, syscall.EIO, false},
	} {
		t.Run(name, func(t *testing.T) {
			b.use(filepath.Join(t.TempDir(), "spool"))
			var id, other erp.ID
			b.away(func() {
				id = b.keep(t, Call{Start: &deploylog.NewRun{Environment: deploylog.Staging, Version: name}}).ID
				other = b.keep(t, Call{Start: &deploylog.NewRun{Environment: deploylog.Staging, Version: "other"}}).ID
			})
			good := b.spool
			b.spool = New(b.dir, nil)
			b.spool.queue.Fault = func(op, path string) error {
				for _, o := range c.ops {
					if o == op {
						return &fs.PathError{Op: op, Path: path, Err: c.errno}
					}
				}
				return nil
			}
			o, err := b.spool.Do(t.Context(), b.log, Call{Start: &deploylog.NewRun{Environment: deploylog.Staging, Version: "new"}})
			require.NoError(t, err)
			require.NotNil(t, o.Run)
			require.NotEmpty(t, o.Warnings)
			require.ErrorIs(t, o.Warnings[0], c.errno)
			o, err = b.spool.Do(t.Context(), b.log, Call{ID: id, Update: &deploylog.Update{Status: deploylog.Deploying}})
			if c.waiting {
				require.NoError(t, err)
				require.NotNil(t, o.Run, o)
				require.NotEmpty(t, o.Warnings)
			} else {
				require.ErrorIs(t, err, erp.ErrNotFound)
				assert.Contains(t, err.Error(), "may be in the spool, which cannot be used")
			}
			b.away(func() {
				_, err = b.spool.Do(t.Context(), b.log, Call{ID: other, Update: &deploylog.Update{Progress: ptr(1)}})
				if name != "nothing moves" {
					require.ErrorIs(t, err, erp.ErrUnreachable)
					require.ErrorIs(t, err, c.errno)
				} else {
					require.NoError(t, err)
				}
			})
			b.spool = good
			n := b.flush(t)
			assert.Positive(t, n)
			assert.Empty(t, b.list(t), "what was delivered is recognised")
			if c.waiting {
				assert.Equal(t, deploylog.Deploying, status(t, b, id))
			}
			assert.Equal(t, deploylog.Building, status(t, b, other))
		})
	}
	// What is not a folder at all.
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	s := New(filepath.Join(file, "spool"), nil)
	o, err := s.Do(t.Context(), b.log, Call{Start: &deploylog.NewRun{Environment: deploylog.Staging}})
	require.NoError(t, err)
	assert.NotNil(t, o.Run)
	assert.NotEmpty(t, o.Warnings)
}

// fullDisk is a folder on a small disk of its own, where the system lets us have
// one.
func fullDisk(t *testing.T) string {
	t.Helper()
	disk := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=256k", "none", disk).CombinedOutput(); err != nil {
		t.Skipf("no disk of its own: %v %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", disk).CombinedOutput(); err != nil {
			t.Errorf("%v %s", err, out)
		}
	})
	return filepath.Join(disk, "spool")
}

// A disk that is really full.
func testFullDisk(t *testing.T, b *bench) {
	b.use(fullDisk(t))
	id := b.start(t, "FullDisk")
	var kept erp.ID
	b.away(func() {
		kept = b.keep(t, Call{Start: &deploylog.NewRun{Environment: deploylog.Staging, Version: "2"}}).ID
	})
	filler := filepath.Join(filepath.Dir(b.dir), "filler")
	text := make([]byte, 1<<20)
	for len(text) > 0 {
		f, err := os.OpenFile(filler, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		require.NoError(t, err)
		if _, err = f.Write(text); err != nil {
			require.ErrorIs(t, err, syscall.ENOSPC)
			text = text[:len(text)/2]
		}
		require.NoError(t, f.Close())
	}
	o, err := b.spool.Do(t.Context(), b.log, Call{ID: id, Update: &deploylog.Update{Status: deploylog.Deploying}})
	require.NoError(t, err)
	assert.Equal(t, deploylog.Deploying, o.Run.Status)
	require.NotEmpty(t, o.Warnings)
	require.ErrorIs(t, o.Warnings[0], syscall.ENOSPC)
	assert.Equal(t, 1, b.waiting(t))
	assert.Equal(t, 1, b.flush(t), "delivering takes no room")
	require.NoError(t, os.Remove(filler))
	assert.Equal(t, deploylog.Building, status(t, b, kept))
	left, err := filepath.Glob(filepath.Join(b.dir, ".*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

// Clocks jump: a note that the ERP is away counts for those only who were
// waiting when it was made, whatever it says about the time.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	clock := &stepClock{now: time.Date(2026, 3, 9, 14, 0, 0, 0, time.UTC)}
	b := newBench(t, erptest.Options{Clock: clock.Now}, clock)
	b.away(func() { b.keep(t, Call{Start: &deploylog.NewRun{Environment: deploylog.Staging, Version: "1"}}) })
	require.FileExists(t, filepath.Join(b.dir, awayNote+".json"))
	clock.advance(-100 * time.Hour) // the note is from the future now
	id := b.start(t, "2")
	_, isNumber := id.Int()
	assert.True(t, isNumber, "it was made at once")
	assert.Zero(t, b.waiting(t))
	assert.NoFileExists(t, filepath.Join(b.dir, awayNote+".json"), "the ERP responded")
	clock.advance(1000 * time.Hour)
	_, err := b.spool.Do(t.Context(), b.log, Call{ID: id, Update: &deploylog.Update{Progress: ptr(3)}})
	require.NoError(t, err)
	assert.Zero(t, b.waiting(t))
}

// A process that waits while others find the ERP away does not try once more.
func testWaitingProcessesHearThatTheERPIsAway(t *testing.T, b *bench) {
	b.srv.Faults().On(erptest.Match{}, erptest.CutBefore())
	first := New(b.dir, nil)
	var wg sync.WaitGroup
	first.hook = func(stage string) {
		if stage != "tried" { // it has its turn
			return
		}
		written := make(chan struct{})
		wg.Go(func() {
			second := New(b.dir, nil)
			second.hook = func(stage string) {
				if stage == "written" {
					close(written)
				} else {
					t.Error("the second one asked, too")
				}
			}
			o, err := second.Do(t.Context(), b.log, Call{Start: &deploylog.NewRun{Environment: deploylog.Staging, Version: "2"}})
			assert.NoError(t, err)
			assert.True(t, o.Spooled)
			assert.ErrorContains(t, o.Cause, "cannot reach")
		})
		<-written
	}
	_, err := first.Do(t.Context(), b.log, Call{Start: &deploylog.NewRun{Environment: deploylog.Staging, Version: "1"}})
	require.NoError(t, err)
	wg.Wait()
	b.srv.Faults().Reset()
	assert.Equal(t, 2, b.flush(t))
}

// A call that is refused, discarded or delivered while another process has its
// turn: whoever made it is told.
func testDeliveredByAnotherProcess(t *testing.T, b *bench) {
	id := b.start(t, "DeliveredByAnotherPr")
	for name, c := range map[string]struct {
		call   Call
		others func(t *testing.T, s *Spool)
		want   string // in the error; empty: none
	}{
		"refused": {Call{ID: id, Complete: &deploylog.Completion{Status: deploylog.Success}}, func(t *testing.T, s *Spool) {
			o, err := s.Do(t.Context(), b.log, Call{ID: id, Update: &deploylog.Update{Progress: ptr(1)}})
			assert.NoError(t, err)
			var refused *RefusedError
			if assert.Len(t, o.Warnings, 1) && assert.ErrorAs(t, o.Warnings[0], &refused) {
				assert.FileExists(t, refused.File)
				assert.ErrorIs(t, refused, deploylog.ErrTransition)
			}
		}, "cannot become SUCCESS"},
		"discarded": {Call{ID: id, Update: &deploylog.Update{Progress: ptr(2)}}, func(t *testing.T, s *Spool) {
			list, err := s.List()
			assert.NoError(t, err)
			for _, k := range list {
				_, err := s.Discard(t.Context(), k.File)
				assert.NoError(t, err)
			}
		}, "discarded by hand"},
		"delivered": {Call{ID: id, Update: &deploylog.Update{Progress: ptr(3)}}, func(t *testing.T, s *Spool) {
			_, err := s.Flush(t.Context(), b.log)
			assert.NoError(t, err)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b.spool = New(b.dir, nil)
			b.spool.hook = func(stage string) {
				if stage == "written" {
					c.others(t, New(b.dir, nil))
				}
			}
			o, err := b.spool.Do(t.Context(), b.log, c.call)
			if c.want != "" {
				require.ErrorContains(t, err, c.want)
			} else {
				require.NoError(t, err)
				assert.Equal(t, id, o.ID)
				assert.False(t, o.Spooled)
			}
			assert.Zero(t, b.waiting(t))
			_, err = b.spool.Discard(t.Context())
			require.NoError(t, err)
			results, err := filepath.Glob(filepath.Join(b.dir, resultNote+"*"))
			require.NoError(t, err)
			assert.Empty(t, results)
		})
	}
}

// What was set aside can be tried again, at the place it had.
func testRetry(t *testing.T, b *bench) {
	id := b.start(t, "Retry")
	b.away(func() {
		b.keep(t, Call{ID: id, Complete: &deploylog.Completion{Status: deploylog.Success, Changes: "all"}})
		b.keep(t, Call{ID: id, Rollback: &deploylog.Rollback{Version: "0"}})
	})
	_, err := b.spool.Flush(t.Context(), b.log)
	require.ErrorIs(t, err, deploylog.ErrTransition)
	assert.Equal(t, "1 refused, 2 refused", b.states(t))
	assert.Contains(t, b.list(t)[0].Reason, "cannot become SUCCESS")
	_, err = b.spool.Flush(t.Context(), b.log)
	require.ErrorIs(t, err, ErrSetAside, "a flush does not forget them")

	put, err := b.spool.Retry(t.Context())
	require.NoError(t, err)
	require.Len(t, put, 2)
	_, err = b.spool.Flush(t.Context(), b.log)
	require.ErrorIs(t, err, deploylog.ErrTransition, "it is refused again")
	assert.Equal(t, "1 refused, 2 refused", b.states(t))

	o, err := b.spool.Do(t.Context(), b.log, Call{ID: id, Update: &deploylog.Update{Status: deploylog.Deploying}})
	require.NoError(t, err)
	assert.Empty(t, o.Warnings)
	b.away(func() { b.keep(t, Call{ID: id, Update: &deploylog.Update{Progress: ptr(8)}}) })
	assert.Equal(t, "3 waiting, 1 refused, 2 refused", b.states(t), "no number is given twice")
	_, err = b.spool.Discard(t.Context(), "3")
	require.NoError(t, err)
	_, err = b.spool.Retry(t.Context(), "2", "1")
	require.NoError(t, err)
	assert.Equal(t, 2, b.flush(t))
	run, err := b.log.Get(t.Context(), id)
	require.NoError(t, err)
	assert.Equal(t, deploylog.RolledBack, run.Status)
	assert.Equal(t, "all", run.Changes)
	_, err = b.spool.Retry(t.Context(), "5")
	require.ErrorContains(t, err, `no "5"`)
	put, err = New(filepath.Join(t.TempDir(), "none"), nil).Retry(t.Context())
	require.NoError(t, err)
	assert.Empty(t, put)
}

// A process that holds a lock for ever keeps nobody from deploying.
func testLockHeldForLong(t *testing.T, b *bench) {
	b.start(t, "LockHeldForLong")
	b.spool = New(b.dir, &Options{LockWait: 20 * time.Millisecond})
	for _, name := range []string{"append", "deliver"} {
		locked := flock.New(filepath.Join(b.dir, name+".lock"))
		require.NoError(t, locked.Lock())
		o, err := b.spool.Do(t.Context(), b.log, Call{Start: &deploylog.NewRun{Environment: deploylog.Staging, Version: name}})
		require.NoError(t, err)
		assert.Equal(t, name == "deliver", o.Spooled, name)
		assert.Equal(t, name == "append", len(o.Warnings) > 0, name)
		require.NoError(t, locked.Close())
	}
	assert.Equal(t, 1, b.flush(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.spool.Do(ctx, b.log, Call{Start: &deploylog.NewRun{Environment: deploylog.Staging}})
	require.ErrorIs(t, err, context.Canceled)
}

func FuzzDecode(f *testing.F) {
	run := deploylog.NewRun{Environment: deploylog.Staging, UUID: "132938da-376b-596f-8988-82a7b2461340"}
	for _, c := range append(lifeOf(erp.IntID(7)), Call{Start: &run}) {
		e, err := newEntry(c, time.Date(2026, 3, 9, 14, 0, 0, 0, time.UTC))
		require.NoError(f, err)
		f.Add(e.Key, []byte(e.Content))
	}
	f.Add("7", []byte(`{"id":7}`))
	f.Fuzz(func(t *testing.T, key string, content []byte) {
		c, err := callOf(&outbox.Entry{Key: key, Content: content})
		if err != nil {
			return
		}
		again, err := newEntry(c, time.Time{})
		require.NoError(t, err)
		require.Equal(t, key, again.Key)
		back, err := callOf(&again.Entry)
		require.NoError(t, err, "%s", again.Content)
		want, err := json.Marshal(c)
		require.NoError(t, err)
		got, err := json.Marshal(back)
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(got))
	})
}
