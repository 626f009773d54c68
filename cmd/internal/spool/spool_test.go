//go:build unix

package spool

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// TestMain is also the process that tests start and kill: with SPOOL_CHILD set
// it makes the calls described there instead of running tests.
func TestMain(m *testing.M) {
	if text := os.Getenv("SPOOL_CHILD"); text != "" {
		var c child
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			panic(err)
		}
		os.Exit(c.run())
	}
	os.Exit(m.Run())
}

// child is what a process of its own does: calls, or a whole life of a run, or
// nothing but being killed at a stage.
type child struct {
	Dir, URL, Token string
	Call            *Call
	Life            string // build number of a run to bring to SUCCESS
	KillAt          string
	Trace           bool // writes a line to standard error before everything it does
}

func (c *child) run() int {
	client, err := erp.New(c.URL, erp.WithTokenSource(erp.StaticToken(c.Token)), erp.WithRetryPolicy(erp.RetryPolicy{}))
	if err != nil {
		return fail(err)
	}
	s := New(c.Dir, nil)
	s.hook = func(stage string) {
		if stage == c.KillAt {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // the signal is on its way
		}
	}
	if c.Trace {
		s.hook = func(stage string) { fmt.Fprintln(os.Stderr, stage) }
		s.queue.Fault = func(op, path string) error {
			_, err := fmt.Fprintln(os.Stderr, op, path)
			return err
		}
	}
	log := deploylog.New(client, &deploylog.Options{RetryWait: time.Millisecond, ClaimWait: 100 * time.Millisecond})
	if c.Call != nil {
		o, err := s.Do(context.Background(), log, *c.Call)
		if err != nil {
			return fail(err)
		}
		fmt.Println(o.ID)
		return 0
	}
	o, err := s.Do(context.Background(), log, Call{Start: &deploylog.NewRun{Environment: deploylog.Production, Version: c.Life, BuildNo: c.Life}})
	if err != nil {
		return fail(err)
	}
	for _, call := range lifeOf(o.ID) {
		if _, err := s.Do(context.Background(), log, call); err != nil {
			return fail(err)
		}
	}
	return 0
}

func fail(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// lifeOf are the calls that bring a run to SUCCESS.
func lifeOf(id erp.ID) []Call {
	return []Call{
		{ID: id, Update: &deploylog.Update{Progress: ptr(50), CurrentStep: ptr("compiling")}},
		{ID: id, Update: &deploylog.Update{Status: deploylog.Deploying}},
		{ID: id, Update: &deploylog.Update{Progress: ptr(80)}},
		{ID: id, Complete: &deploylog.Completion{Status: deploylog.Success, Changes: "all"}},
	}
}

func ptr[T any](v T) *T { return &v }

// bench is an embedded ERP with the log, and a spool.
type bench struct {
	srv    *erptest.Server
	client *erp.Client
	token  string
	log    *deploylog.Log
	dir    string
	spool  *Spool
	// columns are the numbers of the log's columns, by which the ERP's log of
	// changes knows them.
	columns map[string]int64
}

// changes are the values that a column of a run took after it was recorded, in
// order.
func (b *bench) changes(t *testing.T, column string, run erp.ID) []string {
	t.Helper()
	record, _ := run.Int()
	var values []string
	for rec, err := range b.client.Records(t.Context(), "AD_ChangeLog", &erp.Query{
		Filter:  erp.Eq("AD_Column_ID", b.columns[column]).And(erp.Eq("Record_ID", record)).And(erp.Eq("EventChangeLog", "U")),
		OrderBy: []string{"AD_ChangeLog_ID"},
	}) {
		require.NoError(t, err)
		value, _ := rec.Text("NewValue")
		values = append(values, value)
	}
	return values
}

func newBench(t *testing.T, o erptest.Options, clock deploylog.Clock) *bench {
	t.Helper()
	b := &bench{srv: erptest.New(t, o), dir: filepath.Join(t.TempDir(), "spool")}
	connect := func(user string, client, role, org int64) (*erp.Client, string) {
		token, err := b.srv.APIToken(t.Context(), user, client, role, org, 0)
		require.NoError(t, err)
		c, err := erp.New(b.srv.URL(), erp.WithTokenSource(erp.StaticToken(token)), erp.WithRetryPolicy(erp.RetryPolicy{}))
		require.NoError(t, err)
		t.Cleanup(c.CloseIdleConnections)
		return c, token
	}
	admin, _ := connect("SuperUser", 0, 0, 0)
	table := deploylog.Table()
	table.ChangeLog = true
	plan, err := dict.NewPlan(nil, table)
	require.NoError(t, err)
	_, err = restdict.Run(t.Context(), admin, plan, &restdict.Options{BatchSize: 200})
	require.NoError(t, err)
	tables, err := admin.Query(t.Context(), "AD_Table", &erp.Query{Filter: erp.Eq("TableName", deploylog.TableName)})
	require.NoError(t, err)
	require.Len(t, tables.Records, 1)
	number, _ := tables.Records[0].ID().Int()
	b.columns = map[string]int64{}
	for rec, err := range admin.Records(t.Context(), "AD_Column", &erp.Query{Filter: erp.Eq("AD_Table_ID", number)}) {
		require.NoError(t, err)
		name, _ := rec.Text("ColumnName")
		b.columns[name], _ = rec.ID().Int()
	}
	b.client, b.token = connect("GardenAdmin", 11, 102, 11)
	b.log = deploylog.New(b.client, &deploylog.Options{Clock: clock, RetryWait: time.Microsecond})
	opts := &Options{}
	if clock != nil {
		opts.Clock = clock.Now
	}
	b.spool = New(b.dir, opts)
	b.srv.Faults().Reset()
	return b
}

func (b *bench) start(t *testing.T, build string) erp.ID {
	t.Helper()
	o, err := b.spool.Do(t.Context(), b.log, Call{Start: &deploylog.NewRun{Environment: deploylog.Production, Version: build, BuildNo: build}})
	require.NoError(t, err)
	return o.ID
}

// records are all records of the log, inactive ones included.
func (b *bench) records(t *testing.T) []deploylog.Run {
	t.Helper()
	var runs []deploylog.Run
	for rec, err := range b.client.Records(t.Context(), deploylog.TableName, &erp.Query{Filter: erp.In("IsActive", true, false)}) {
		require.NoError(t, err)
		run, err := deploylog.ParseRun(rec)
		require.NoError(t, err)
		runs = append(runs, run)
	}
	return runs
}

func (b *bench) waiting(t *testing.T) int {
	t.Helper()
	n, err := b.spool.Waiting()
	require.NoError(t, err)
	return n
}

func (b *bench) list(t *testing.T) []Kept {
	t.Helper()
	list, err := b.spool.List()
	require.NoError(t, err)
	return list
}

func (b *bench) flush(t *testing.T) int {
	t.Helper()
	n, err := b.spool.Flush(t.Context(), b.log)
	require.NoError(t, err)
	require.Zero(t, b.waiting(t))
	return n
}

// stepClock is a clock that moves when it is told to, or slept on.
type stepClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *stepClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *stepClock) Sleep(ctx context.Context, d time.Duration) error {
	c.advance(d)
	return ctx.Err()
}

func (c *stepClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Calls made while the ERP is away are delivered later, in order and with the
// times they were made at.
func TestDeliversLaterWithOriginalTimes(t *testing.T) {
	t.Parallel()
	clock := &stepClock{now: time.Date(2026, 3, 9, 14, 0, 0, 0, time.UTC)}
	b := newBench(t, erptest.Options{Clock: clock.Now}, clock)
	b.srv.Faults().On(erptest.Match{}, erptest.CutBefore())

	o, err := b.spool.Do(t.Context(), b.log, Call{Start: &deploylog.NewRun{Environment: deploylog.Production, Version: "2"}})
	require.NoError(t, err)
	assert.True(t, o.Spooled)
	require.ErrorIs(t, o.Cause, erp.ErrUnreachable)
	assert.Nil(t, o.Run)
	_, ok := o.ID.UUID()
	require.True(t, ok, "a run that the ERP does not have is named by its UUID")
	began := clock.Now()
	for i, call := range lifeOf(o.ID) {
		clock.advance(time.Minute)
		again, err := b.spool.Do(t.Context(), b.log, call)
		require.NoError(t, err)
		assert.True(t, again.Spooled)
		assert.Equal(t, i+2, again.Waiting)
		assert.Equal(t, o.ID, again.ID)
	}
	ended := clock.Now()
	clock.advance(time.Hour)
	n, err := b.spool.Flush(t.Context(), b.log)
	require.ErrorIs(t, err, erp.ErrUnreachable)
	assert.Zero(t, n)
	assert.Equal(t, 5, b.waiting(t))

	b.srv.Faults().Reset()
	clock.advance(time.Hour)
	assert.Equal(t, 5, b.flush(t))
	runs := b.records(t)
	require.Len(t, runs, 1)
	assert.Equal(t, deploylog.Success, runs[0].Status)
	assert.WithinDuration(t, began, runs[0].DateStarted, time.Second)
	assert.WithinDuration(t, ended, runs[0].DateCompleted, time.Second)
	assert.InDelta(t, ended.Sub(began).Seconds(), runs[0].Duration.Seconds(), 1)
	assert.Equal(t, "all", runs[0].Changes)
	assert.Equal(t, "compiling", runs[0].CurrentStep)

	// The UUID names the run from now on, too.
	o, err = b.spool.Do(t.Context(), b.log, Call{ID: o.ID, Rollback: &deploylog.Rollback{Version: "1"}})
	require.NoError(t, err)
	assert.Equal(t, deploylog.RolledBack, o.Run.Status)
	assert.Equal(t, runs[0].ID, o.ID)
	assert.Zero(t, b.flush(t), "delivered calls are not delivered again")
}

// Whatever request the network fails at, and however, the next call or a flush
// brings everything there once.
func TestNetworkCutAtEveryRequest(t *testing.T) {
	if testing.Short() {
		t.Skip("one request after another")
	}
	t.Parallel()
	b := newBench(t, erptest.Options{}, nil)
	life := func() {
		id := b.start(t, "7")
		for _, call := range lifeOf(id) {
			_, err := b.spool.Do(t.Context(), b.log, call)
			require.NoError(t, err)
		}
	}
	life()
	requests := len(b.srv.Faults().Requests())
	require.NoError(t, b.client.Delete(t.Context(), deploylog.TableName, b.records(t)[0].ID))
	// Cut for one request, and for so many that all attempts fail.
	for _, times := range []int{1, 6} {
		for i, fault := range []erptest.Action{erptest.CutBefore(), erptest.CutAfter(), erptest.CutMiddle()} {
			name := []string{"before", "after", "middle"}[i]
			for n := 1; n <= requests; n++ {
				if times > 1 && n%3 != i { // one way each is enough
					continue
				}
				b.srv.Faults().Reset()
				b.srv.Faults().On(erptest.Match{N: n, Times: times}, fault)
				life()
				b.srv.Faults().Reset()
				b.flush(t)
				runs := b.records(t)
				require.Len(t, runs, 1, "request %d %s", n, name)
				require.Equal(t, deploylog.Success, runs[0].Status, "request %d %s", n, name)
				require.Equal(t, 100, runs[0].Progress)
				require.Equal(t, "all", runs[0].Changes)
				require.NoError(t, b.client.Delete(t.Context(), deploylog.TableName, runs[0].ID))
			}
		}
	}
	assert.Empty(t, b.list(t), "nothing is set aside")
}

// process runs a child and returns its exit state and output.
func (b *bench) process(t *testing.T, c child) (string, error) {
	t.Helper()
	c.Dir, c.URL, c.Token = b.dir, b.srv.URL(), b.token
	text, err := json.Marshal(c)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "SPOOL_CHILD="+string(text))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// A process that is killed at any stage of any call loses nothing and makes
// nothing happen twice.
func TestKill(t *testing.T) {
	t.Parallel()
	b := newBench(t, erptest.Options{}, nil)
	for _, stage := range []string{"written", "tried", "sent", "delivered"} {
		run := deploylog.NewRun{Environment: deploylog.Staging, Version: stage}
		run.UUID = deploylog.RunUUID(&run)
		id := erp.UUID(run.UUID)
		for i, call := range append([]Call{{Start: &run}}, lifeOf(id)...) {
			out, err := b.process(t, child{Call: &call, KillAt: stage})
			var killed *exec.ExitError
			require.ErrorAs(t, err, &killed, out)
			require.Equal(t, syscall.SIGKILL, killed.Sys().(syscall.WaitStatus).Signal(), out)
			want := 1 // each process delivers what the one before it left
			if stage == "written" {
				want = i + 1 // or has no time to
			}
			require.Equal(t, want, b.waiting(t), "killed when %s: the call is on disk", stage)
		}
		b.flush(t)
		stored, err := b.log.Get(t.Context(), id)
		require.NoError(t, err)
		assert.Equal(t, deploylog.Success, stored.Status, stage)
		assert.Equal(t, "all", stored.Changes, stage)
	}
	assert.Len(t, b.records(t), 4)
	assert.Empty(t, b.list(t), "nothing is set aside")
}

// Eight processes write at once, while the network fails now and then: every
// run arrives once, and its calls in order.
func TestEightWriters(t *testing.T) {
	t.Parallel()
	b := newBench(t, erptest.Options{}, nil)
	for n := 5; n < 400; n += 9 {
		b.srv.Faults().On(erptest.Match{N: n, Times: 2}, []erptest.Action{erptest.CutBefore(), erptest.CutAfter(), erptest.CutMiddle()}[n%3])
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			out, err := b.process(t, child{Life: fmt.Sprint(100 + i)})
			assert.NoError(t, err, out)
		})
	}
	wg.Wait()
	b.srv.Faults().Reset()
	b.flush(t)
	seen := map[string]int{}
	for _, run := range b.records(t) {
		seen[run.BuildNo]++
		assert.Equal(t, deploylog.Success, run.Status)
		assert.Equal(t, "all", run.Changes)
		assert.Equal(t, 100, run.Progress)
	}
	assert.Len(t, seen, 8)
	for build, n := range seen {
		assert.Equal(t, 1, n, build)
	}
	assert.Empty(t, b.list(t), "nothing is set aside")
	results, err := filepath.Glob(filepath.Join(b.dir, resultNote+"*"))
	require.NoError(t, err)
	assert.Empty(t, results)
}

// What the transition table forbids is told to whoever asked, or put aside when
// nobody waits; the calls behind it go on.
func TestRefusedCalls(t *testing.T) {
	t.Parallel()
	b := newBench(t, erptest.Options{}, nil)
	id := b.start(t, "1")
	_, err := b.spool.Do(t.Context(), b.log, Call{ID: id, Complete: &deploylog.Completion{Status: deploylog.Success}})
	require.ErrorIs(t, err, deploylog.ErrTransition)
	assert.Zero(t, b.waiting(t))

	b.srv.Faults().On(erptest.Match{}, erptest.CutBefore())
	for _, call := range []Call{
		{ID: id, Complete: &deploylog.Completion{Status: deploylog.Success}},
		{ID: id, Update: &deploylog.Update{Status: deploylog.Deploying}},
	} {
		o, err := b.spool.Do(t.Context(), b.log, call)
		require.NoError(t, err)
		require.True(t, o.Spooled)
	}
	b.srv.Faults().Reset()
	n, err := b.spool.Flush(t.Context(), b.log)
	require.ErrorIs(t, err, deploylog.ErrTransition)
	assert.Contains(t, err.Error(), rejectedDir)
	assert.Equal(t, 1, n)
	run, err := b.log.Get(t.Context(), id)
	require.NoError(t, err)
	assert.Equal(t, deploylog.Deploying, run.Status)
	left, err := os.ReadDir(filepath.Join(b.dir, rejectedDir))
	require.NoError(t, err)
	require.Len(t, left, 1)
	text, err := os.ReadFile(filepath.Join(b.dir, rejectedDir, left[0].Name()))
	require.NoError(t, err)
	assert.Contains(t, string(text), "cannot become SUCCESS")

	// Wrong input never gets into the folder.
	for _, bad := range []Call{
		{}, {Update: &deploylog.Update{}}, {ID: id, Update: &deploylog.Update{Progress: ptr(101)}},
		{ID: id, Complete: &deploylog.Completion{Status: "X"}}, {Start: &deploylog.NewRun{}},
		{ID: id, Update: &deploylog.Update{Status: deploylog.Success}}, {ID: id, Start: &deploylog.NewRun{}, Rollback: &deploylog.Rollback{}},
	} {
		_, err := b.spool.Do(t.Context(), b.log, bad)
		require.ErrorIs(t, err, deploylog.ErrInvalid)
	}
	assert.Zero(t, b.waiting(t))
}

// A login that does not work is an error of whoever calls, and keeps what was
// in the folder before.
func TestRefusedLogin(t *testing.T) {
	t.Parallel()
	b := newBench(t, erptest.Options{}, nil)
	b.srv.Faults().On(erptest.Match{}, erptest.CutBefore())
	b.start(t, "1")
	b.srv.Faults().Reset()
	b.srv.Faults().On(erptest.Match{}, erptest.Fail(http.StatusUnauthorized))
	_, err := b.spool.Flush(t.Context(), b.log)
	require.ErrorIs(t, err, erp.ErrUnauthorized)
	require.Equal(t, 1, b.waiting(t))
	b.srv.Faults().Reset()
	assert.Equal(t, 1, b.flush(t))

	b.srv.Faults().On(erptest.Match{}, erptest.Fail(http.StatusUnauthorized))
	_, err = b.spool.Do(t.Context(), b.log, Call{Start: &deploylog.NewRun{Environment: deploylog.Production}})
	require.ErrorIs(t, err, erp.ErrUnauthorized)
	assert.Zero(t, b.waiting(t))
}

// A build that was recorded under another UUID keeps its run, and calls that
// name the UUID reach it.
func TestRunUnderAnotherUUID(t *testing.T) {
	t.Parallel()
	b := newBench(t, erptest.Options{}, nil)
	there, err := b.client.Create(t.Context(), deploylog.TableName, map[string]any{
		"Environment": "PROD", "Status": "B", "Ci_BuildNo": "7", "DateStarted": "2026-03-09T14:00:00Z",
	})
	require.NoError(t, err)
	b.srv.Faults().On(erptest.Match{}, erptest.CutBefore())
	id := b.start(t, "7")
	_, err = b.spool.Do(t.Context(), b.log, Call{ID: id, Update: &deploylog.Update{Progress: ptr(9)}})
	require.NoError(t, err)
	b.srv.Faults().Reset()
	full := New(b.dir, nil)
	full.queue.Fault = func(op, path string) error {
		if op != "write" {
			return nil
		}
		return &fs.PathError{Op: op, Path: path, Err: syscall.ENOSPC}
	}
	o, err := full.Do(t.Context(), b.log, Call{ID: id, Update: &deploylog.Update{CurrentStep: ptr("full")}})
	require.NoError(t, err)
	assert.Equal(t, there.ID(), o.ID, "also when nothing can be noted")
	assert.Equal(t, 1, b.flush(t), "the start, whose other name was not noted")
	require.Len(t, b.records(t), 1)
	o, err = b.spool.Do(t.Context(), b.log, Call{ID: id, Update: &deploylog.Update{CurrentStep: ptr("x")}})
	require.NoError(t, err)
	assert.Equal(t, there.ID(), o.ID)
	assert.Equal(t, 9, o.Run.Progress)
}
