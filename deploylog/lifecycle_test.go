package deploylog_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// The table of the specification, walked row by row over HTTP; what is stored
// is read back with the plain client.
func TestLifecycle(t *testing.T) {
	t.Parallel()
	srv, log, clock := newLog(t)
	client := connect(t, srv, "GardenAdmin", 11, 102, 11)
	ctx := t.Context()
	stored := func(id erp.ID) erp.Record {
		rec, err := client.Get(ctx, "xx_deploy_log", id, nil)
		require.NoError(t, err)
		return rec
	}
	code := func(rec erp.Record, column string) string { c, _ := rec.Code(column); return c }
	text := func(rec erp.Record, column string) string { s, _ := rec.Text(column); return s }
	number := func(rec erp.Record, column string) int64 { n, _ := rec.Int(column); return n }

	// (none) -> BUILDING
	run, err := log.Start(ctx, deploylog.NewRun{
		Environment: deploylog.Production, Version: "12.0.3", Components: "org.acme.sales, org.acme.stock", BuildNo: "42",
		BuildURL: "https://ci.example.com/42", AutomationJobID: "job-7", AutomationURL: "https://run.example.com/7", DeployedBy: "anna",
	})
	require.NoError(t, err)
	assert.Equal(t, deploylog.Building, run.Status)
	rec := stored(run.ID)
	assert.Equal(t, "B", code(rec, "Status"))
	assert.Equal(t, "PROD", code(rec, "Environment"))
	assert.Equal(t, "2026-03-09T14:00:00Z", text(rec, "DateStarted"))
	assert.False(t, rec.Has("DateCompleted"))
	for column, want := range map[string]string{
		"Version": "12.0.3", "Components": "org.acme.sales, org.acme.stock", "Ci_BuildNo": "42", "Ci_URL": "https://ci.example.com/42",
		"Automation_JobID": "job-7", "Automation_URL": "https://run.example.com/7", "DeployedBy": "anna",
	} {
		assert.Equal(t, want, text(rec, column), column)
	}

	// BUILDING -> BUILDING, a progress report
	run, err = log.Update(ctx, run.ID, deploylog.Update{Progress: ptr(50), CurrentStep: ptr("compiling")})
	require.NoError(t, err)
	assert.Equal(t, deploylog.Building, run.Status)
	assert.Equal(t, 50, run.Progress)
	assert.Equal(t, "compiling", run.CurrentStep)

	// BUILDING -> DEPLOYING, progress starts again
	clock.advance(time.Minute)
	run, err = log.Update(ctx, run.ID, deploylog.Update{Status: deploylog.Deploying})
	require.NoError(t, err)
	assert.Equal(t, deploylog.Deploying, run.Status)
	assert.Zero(t, run.Progress)
	assert.Empty(t, run.VersionPrevious, "nothing ran before")
	assert.Equal(t, "compiling", run.CurrentStep)

	// DEPLOYING -> DEPLOYING
	run, err = log.Update(ctx, run.ID, deploylog.Update{Progress: ptr(40), CurrentStep: ptr("copying plugins")})
	require.NoError(t, err)
	assert.Equal(t, 40, run.Progress)

	// DEPLOYING -> SUCCESS
	clock.advance(90 * time.Second)
	run, err = log.Complete(ctx, run.ID, deploylog.Completion{Status: deploylog.Success, Changes: "faster stock report"})
	require.NoError(t, err)
	rec = stored(run.ID)
	assert.Equal(t, "S", code(rec, "Status"))
	assert.Equal(t, "2026-03-09T14:02:30Z", text(rec, "DateCompleted"))
	assert.EqualValues(t, 150, number(rec, "Duration"))
	assert.EqualValues(t, 100, number(rec, "Progress"))
	assert.Equal(t, "faster stock report", text(rec, "Changes"))
	assert.Equal(t, 150*time.Second, run.Duration)

	// BUILDING -> FAILED: nothing was deployed, so it cannot be rolled back.
	clock.advance(time.Hour)
	broken, err := log.Start(ctx, deploylog.NewRun{Environment: deploylog.Production, Version: "12.0.4"})
	require.NoError(t, err)
	broken, err = log.Complete(ctx, broken.ID, deploylog.Completion{Status: deploylog.Failed, ErrorMessage: "it does not compile"})
	require.NoError(t, err)
	assert.Equal(t, "it does not compile", text(stored(broken.ID), "ErrorMessage"))
	assert.False(t, broken.ReachedDeployment())
	_, err = log.Rollback(ctx, broken.ID, deploylog.Rollback{Version: "12.0.3"})
	require.ErrorIs(t, err, deploylog.ErrTransition)
	assert.Contains(t, err.Error(), "its build failed")

	// DEPLOYING -> FAILED -> ROLLED_BACK
	failed := deploying(t, log, deploylog.Production, "12.0.5")
	assert.Equal(t, "12.0.3", failed.VersionPrevious)
	clock.advance(time.Minute)
	failed, err = log.Complete(ctx, failed.ID, deploylog.Completion{Status: deploylog.Failed})
	require.NoError(t, err)
	assert.Contains(t, failed.ErrorMessage, "no reason was given")
	clock.advance(time.Minute)
	failed, err = log.Rollback(ctx, failed.ID, deploylog.Rollback{Reason: "lost"})
	require.NoError(t, err)
	rec = stored(failed.ID)
	assert.Equal(t, "R", code(rec, "Status"))
	assert.Equal(t, "12.0.3", text(rec, "VersionPrevious"))
	assert.Contains(t, text(rec, "ErrorMessage"), "no reason was given", "the reason that was there stays")
	assert.Equal(t, failed.DateCompleted.Add(time.Minute), failed.RolledBackAt())
	assert.Equal(t, 60*time.Second, failed.Duration)

	// SUCCESS -> ROLLED_BACK, to a version somebody names.
	run, err = log.Rollback(ctx, run.ID, deploylog.Rollback{Version: "11.9"})
	require.NoError(t, err)
	assert.Equal(t, deploylog.RolledBack, run.Status)
	assert.Equal(t, "11.9", run.RunningAfter())

	// Nothing but the three runs is in the table.
	page, err := client.Query(ctx, "xx_deploy_log", &erp.Query{Filter: erp.In("IsActive", true, false)})
	require.NoError(t, err)
	assert.Len(t, page.Records, 3)
}

// deploying is a new run that has come to DEPLOYING.
func deploying(t testing.TB, log *deploylog.Log, env deploylog.Environment, version string) deploylog.Run {
	t.Helper()
	run, err := log.Start(t.Context(), deploylog.NewRun{Environment: env, Version: version})
	require.NoError(t, err)
	run, err = log.Update(t.Context(), run.ID, deploylog.Update{Status: deploylog.Deploying})
	require.NoError(t, err)
	return run
}

// inState is a new run in a state; failedBuild makes FAILED one of the build.
func inState(t testing.TB, log *deploylog.Log, state deploylog.State, failedBuild bool) deploylog.Run {
	t.Helper()
	ctx := t.Context()
	if state == deploylog.Building || failedBuild {
		run, err := log.Start(ctx, deploylog.NewRun{Environment: deploylog.Staging, Version: "1"})
		require.NoError(t, err)
		if failedBuild {
			run, err = log.Complete(ctx, run.ID, deploylog.Completion{Status: deploylog.Failed})
			require.NoError(t, err)
		}
		return run
	}
	run := deploying(t, log, deploylog.Staging, "1")
	var err error
	switch state {
	case deploylog.Success, deploylog.Failed:
		run, err = log.Complete(ctx, run.ID, deploylog.Completion{Status: state})
	case deploylog.RolledBack:
		_, err = log.Complete(ctx, run.ID, deploylog.Completion{Status: deploylog.Success})
		require.NoError(t, err)
		run, err = log.Rollback(ctx, run.ID, deploylog.Rollback{Version: "0"})
	}
	require.NoError(t, err)
	require.Equal(t, state, run.Status)
	return run
}

// call moves a run to a state by the call that is for it.
func call(ctx context.Context, log *deploylog.Log, id erp.ID, to deploylog.State) (deploylog.Run, error) {
	switch to {
	case "":
		return log.Update(ctx, id, deploylog.Update{Progress: ptr(7)})
	case deploylog.Building, deploylog.Deploying:
		return log.Update(ctx, id, deploylog.Update{Status: to})
	case deploylog.RolledBack:
		return log.Rollback(ctx, id, deploylog.Rollback{Version: "0"})
	}
	return log.Complete(ctx, id, deploylog.Completion{Status: to})
}

// Every pair of states that the table does not have is refused, without a
// request that would change anything; "" is a progress report.
func TestForbiddenMoves(t *testing.T) {
	t.Parallel()
	srv, log, _ := newLog(t)
	allowed := map[deploylog.State][]deploylog.State{
		deploylog.Building:   {deploylog.Deploying, deploylog.Failed, ""},
		deploylog.Deploying:  {deploylog.Success, deploylog.Failed, ""},
		deploylog.Success:    {deploylog.RolledBack},
		deploylog.Failed:     {deploylog.RolledBack},
		deploylog.RolledBack: {},
	}
	tried := 0
	for from, may := range allowed {
		for _, failedBuild := range []bool{false, true} {
			if failedBuild && from != deploylog.Failed {
				continue
			}
			if failedBuild {
				may = nil
			}
			run := inState(t, log, from, failedBuild)
			for _, to := range append(deploylog.States(), "") {
				if contains(may, to) || to == from && from != deploylog.Building { // the same again is done
					continue
				}
				tried++
				srv.Faults().Reset()
				_, err := call(t.Context(), log, run.ID, to)
				require.Error(t, err, "%s to %s", from, to)
				for _, r := range srv.Faults().Requests() {
					assert.Equal(t, http.MethodGet, r.Method, "%s to %s sent %s %s", from, to, r.Method, r.Path)
				}
				if to == deploylog.Building {
					assert.ErrorIs(t, err, deploylog.ErrInvalid)
				} else {
					var forbidden *deploylog.TransitionError
					require.ErrorAs(t, err, &forbidden, "%s to %s: %v", from, to, err)
					assert.Equal(t, from, forbidden.From)
					assert.Equal(t, to, forbidden.To)
					for _, name := range forbidden.Allowed {
						assert.Contains(t, err.Error(), string(name), "the error names the allowed moves")
					}
					assert.Len(t, forbidden.Allowed, len(run.MayBecome()))
				}
				again, err := log.Get(t.Context(), run.ID)
				require.NoError(t, err)
				assert.Equal(t, run, again, "%s to %s changed the run", from, to)
			}
		}
	}
	assert.Equal(t, 36-8-5, tried)
}

func contains(list []deploylog.State, s deploylog.State) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func TestInputIsRefusedBeforeAnythingIsSent(t *testing.T) {
	t.Parallel()
	srv, log, _ := newLog(t)
	run := inState(t, log, deploylog.Building, false)
	srv.Faults().Reset()
	long := func(n int) string { return string(make([]byte, 0, n)) + strings.Repeat("ä", n) }
	for name, do := range map[string]func(ctx context.Context) (deploylog.Run, error){
		"no environment": func(ctx context.Context) (deploylog.Run, error) { return log.Start(ctx, deploylog.NewRun{}) },
		"odd environment": func(ctx context.Context) (deploylog.Run, error) {
			return log.Start(ctx, deploylog.NewRun{Environment: "MO\nON"})
		},
		"long version": func(ctx context.Context) (deploylog.Run, error) {
			return log.Start(ctx, deploylog.NewRun{Environment: "DEV", Version: long(41)})
		},
		"long build": func(ctx context.Context) (deploylog.Run, error) {
			return log.Start(ctx, deploylog.NewRun{Environment: "DEV", BuildNo: long(51)})
		},
		"long job": func(ctx context.Context) (deploylog.Run, error) {
			return log.Start(ctx, deploylog.NewRun{Environment: "DEV", AutomationJobID: long(51)})
		},
		"long user": func(ctx context.Context) (deploylog.Run, error) {
			return log.Start(ctx, deploylog.NewRun{Environment: "DEV", DeployedBy: long(101)})
		},
		"version of lines": func(ctx context.Context) (deploylog.Run, error) {
			return log.Start(ctx, deploylog.NewRun{Environment: "DEV", Version: "1\n2"})
		},
		"not text": func(ctx context.Context) (deploylog.Run, error) {
			return log.Start(ctx, deploylog.NewRun{Environment: "DEV", Version: "\xff"})
		},
		"no UUID": func(ctx context.Context) (deploylog.Run, error) {
			return log.Start(ctx, deploylog.NewRun{Environment: "DEV", UUID: "7"})
		},
		"progress 101": func(ctx context.Context) (deploylog.Run, error) {
			return log.Update(ctx, run.ID, deploylog.Update{Progress: ptr(101)})
		},
		"progress -1": func(ctx context.Context) (deploylog.Run, error) {
			return log.Update(ctx, run.ID, deploylog.Update{Progress: ptr(-1)})
		},
		"update to S": func(ctx context.Context) (deploylog.Run, error) {
			return log.Update(ctx, run.ID, deploylog.Update{Status: deploylog.Success})
		},
		"complete with D": func(ctx context.Context) (deploylog.Run, error) {
			return log.Complete(ctx, run.ID, deploylog.Completion{Status: deploylog.Deploying})
		},
		"success with error": func(ctx context.Context) (deploylog.Run, error) {
			return log.Complete(ctx, run.ID, deploylog.Completion{Status: deploylog.Success, ErrorMessage: "x"})
		},
		"no run": func(ctx context.Context) (deploylog.Run, error) { return log.Get(ctx, erp.ID{}) },
		"long rollback": func(ctx context.Context) (deploylog.Run, error) {
			return log.Rollback(ctx, run.ID, deploylog.Rollback{Version: long(41)})
		},
	} {
		_, err := do(t.Context())
		assert.ErrorIs(t, err, deploylog.ErrInvalid, name)
	}
	assert.Empty(t, srv.Faults().Requests())
}

// Lengths are counted in characters; only free text is cut, and shows it.
func TestLengths(t *testing.T) {
	t.Parallel()
	_, log, _ := newLog(t)
	run, err := log.Start(t.Context(), deploylog.NewRun{
		Environment: deploylog.Development, Version: strings.Repeat("ä", 40), BuildNo: strings.Repeat("№", 50), DeployedBy: strings.Repeat("é", 100),
		CurrentStep: strings.Repeat("界", 300), Changes: strings.Repeat("x", 30_000), Components: "a\x00b\xffc",
	})
	require.NoError(t, err)
	assert.Equal(t, strings.Repeat("ä", 40), run.Version)
	assert.Equal(t, strings.Repeat("№", 50), run.BuildNo)
	assert.Equal(t, strings.Repeat("é", 100), run.DeployedBy)
	assert.Equal(t, strings.Repeat("界", 254)+"…", run.CurrentStep)
	assert.Len(t, []rune(run.Changes), 20_000)
	assert.Equal(t, '…', []rune(run.Changes)[19_999])
	assert.Equal(t, "a\uFFFDb\uFFFDc", run.Components)

	run, err = log.Update(t.Context(), run.ID, deploylog.Update{CurrentStep: ptr(strings.Repeat("b", 256)), Components: ptr("")})
	require.NoError(t, err)
	assert.Equal(t, strings.Repeat("b", 254)+"…", run.CurrentStep)
	assert.Empty(t, run.Components, "an empty text clears")
}

// A role of the System tenant has no place in the walk above, but may write.
func TestSystemMayWrite(t *testing.T) {
	t.Parallel()
	srv, _ := start(t, erptest.Options{})
	log := deploylog.New(connect(t, srv, "SuperUser", 0, 0, 0), nil)
	run := deploying(t, log, deploylog.Production, "1")
	_, err := log.Complete(t.Context(), run.ID, deploylog.Completion{Status: deploylog.Success})
	require.NoError(t, err)
	assert.Equal(t, erp.IntID(0), run.Client.ID)
}

// Two tenants may count their builds alike; neither sees the other's run.
func TestBuildsOfTwoTenants(t *testing.T) {
	t.Parallel()
	srv, client := start(t, erptest.Options{})
	garden := deploylog.New(client, nil)
	system := deploylog.New(connect(t, srv, "SuperUser", 0, 0, 0), nil)
	n := deploylog.NewRun{Environment: deploylog.Production, Version: "1", BuildNo: "7"}
	a, err := garden.Start(t.Context(), n)
	require.NoError(t, err)
	b, err := system.Start(t.Context(), n)
	require.NoError(t, err)
	assert.NotEqual(t, a.ID, b.ID)
	again, err := system.Start(t.Context(), n)
	require.NoError(t, err)
	assert.Equal(t, b.ID, again.ID)
}

func TestStartIsIdempotent(t *testing.T) {
	t.Parallel()
	srv, client := start(t, erptest.Options{})
	log := deploylog.New(client, nil)
	n := deploylog.NewRun{Environment: deploylog.Production, Version: "1", BuildNo: "it's (7", BuildURL: "https://ci.example.com/7"}
	first, err := log.Start(t.Context(), n)
	require.NoError(t, err)
	for name, again := range map[string]deploylog.NewRun{
		"the same":       n,
		"other version":  {Environment: n.Environment, BuildNo: n.BuildNo, BuildURL: n.BuildURL, Version: "2"},
		"name in words":  {Environment: "production", BuildNo: n.BuildNo, BuildURL: n.BuildURL},
		"blanks around":  {Environment: n.Environment, BuildNo: " " + n.BuildNo + " ", BuildURL: n.BuildURL},
		"UUID of itself": {Environment: n.Environment, BuildNo: n.BuildNo, BuildURL: n.BuildURL, UUID: first.UUID},
	} {
		run, err := log.Start(t.Context(), again)
		require.NoError(t, err, name)
		assert.Equal(t, first, run, name)
	}
	for name, other := range map[string]deploylog.NewRun{
		"other environment": {Environment: deploylog.Staging, BuildNo: n.BuildNo, BuildURL: n.BuildURL},
		"other build":       {Environment: n.Environment, BuildNo: "8", BuildURL: n.BuildURL},
		"other pipeline":    {Environment: n.Environment, BuildNo: n.BuildNo, BuildURL: "https://other.example.com/7"},
		"no build":          {Environment: n.Environment},
	} {
		run, err := log.Start(t.Context(), other)
		require.NoError(t, err, name)
		assert.NotEqual(t, first.ID, run.ID, name)
	}

	// A build whose URL only one of the calls knows is one build.
	plain, err := log.Start(t.Context(), deploylog.NewRun{Environment: deploylog.Development, BuildNo: "9"})
	require.NoError(t, err)
	withURL, err := log.Start(t.Context(), deploylog.NewRun{Environment: deploylog.Development, BuildNo: "9", BuildURL: "https://ci.example.com/9"})
	require.NoError(t, err)
	assert.Equal(t, plain.ID, withURL.ID)

	// Many at once make one run.
	ids := make(chan erp.ID, 8)
	errs := make(chan error, 8)
	for range 8 {
		go func() {
			other := deploylog.New(connect(t, srv, "GardenAdmin", 11, 102, 11), nil)
			run, err := other.Start(context.WithoutCancel(t.Context()), deploylog.NewRun{Environment: deploylog.Staging, BuildNo: "77"})
			ids <- run.ID
			errs <- err
		}()
	}
	seen := map[erp.ID]bool{}
	for range 8 {
		require.NoError(t, <-errs)
		seen[<-ids] = true
	}
	assert.Len(t, seen, 1)
}

// Only what the caller gave is sent, so two reports at once do not undo each
// other.
func TestUpdatesKeepEachOthersFields(t *testing.T) {
	t.Parallel()
	_, log, _ := newLog(t)
	run := inState(t, log, deploylog.Building, false)
	errs := make(chan error, 40)
	for i := range 20 {
		go func() {
			_, err := log.Update(context.WithoutCancel(t.Context()), run.ID, deploylog.Update{Progress: ptr(i)})
			errs <- err
		}()
		go func() {
			_, err := log.Update(context.WithoutCancel(t.Context()), run.ID, deploylog.Update{Components: ptr("parts")})
			errs <- err
		}()
	}
	_, err := log.Update(t.Context(), run.ID, deploylog.Update{CurrentStep: ptr("step")})
	require.NoError(t, err)
	for range 40 {
		require.NoError(t, <-errs)
	}
	run, err = log.Get(t.Context(), run.ID)
	require.NoError(t, err)
	assert.Equal(t, "parts", run.Components)
	assert.Equal(t, "step", run.CurrentStep)
}

// The server's clock counts, however wrong this machine's is.
func TestServerClock(t *testing.T) {
	t.Parallel()
	serverClock, ours := newClock(), newClock()
	ours.advance(-3 * time.Hour)
	_, client := start(t, erptest.Options{Clock: serverClock.Now})
	log := deploylog.New(client, &deploylog.Options{Clock: ours})
	run := deploying(t, log, deploylog.Production, "1")
	assert.Equal(t, serverClock.Now(), run.DateStarted)
	serverClock.advance(5 * time.Minute)
	ours.advance(5 * time.Minute)
	run, err := log.Complete(t.Context(), run.ID, deploylog.Completion{Status: deploylog.Success})
	require.NoError(t, err)
	assert.Equal(t, serverClock.Now(), run.DateCompleted)
	assert.Equal(t, 5*time.Minute, run.Duration)

	// A call that is delivered late keeps its time, as the server's clock would
	// have shown it.
	at := ours.Now().Add(-10 * time.Minute)
	late, err := log.Start(t.Context(), deploylog.NewRun{Environment: deploylog.Staging, At: at})
	require.NoError(t, err)
	assert.Equal(t, serverClock.Now().Add(-10*time.Minute), late.DateStarted)
	late, err = log.Complete(t.Context(), late.ID, deploylog.Completion{Status: deploylog.Failed, At: at.Add(time.Minute)})
	require.NoError(t, err)
	assert.Equal(t, time.Minute, late.Duration)
}

// PATCH is used only where the server says that it knows it.
func TestMethods(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		strict, prefer bool
		want           string
	}{
		"put by default":          {false, false, http.MethodPut},
		"patch where it is known": {false, true, http.MethodPatch},
		"put on a strict server":  {true, true, http.MethodPut},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, client := start(t, erptest.Options{Strict: c.strict})
			log := deploylog.New(client, &deploylog.Options{PreferPatch: c.prefer})
			run := inState(t, log, deploylog.Building, false)
			srv.Faults().Reset()
			_, err := log.Update(t.Context(), run.ID, deploylog.Update{Progress: ptr(3)})
			require.NoError(t, err)
			assert.Equal(t, 1, srv.Faults().Count(erptest.Match{Method: c.want, Path: "/models/xx_deploy_log/*"}))
			assert.Equal(t, map[bool]int{true: 1}[c.prefer], srv.Faults().Count(erptest.Match{Method: http.MethodOptions}))
		})
	}
	t.Run("put is refused", func(t *testing.T) {
		t.Parallel()
		srv, client := start(t, erptest.Options{})
		log := deploylog.New(client, nil)
		run := inState(t, log, deploylog.Building, false)
		srv.Faults().On(erptest.Match{Method: http.MethodPut}, erptest.HTML(http.StatusMethodNotAllowed))
		run, err := log.Update(t.Context(), run.ID, deploylog.Update{Progress: ptr(3)})
		require.NoError(t, err)
		assert.Equal(t, 3, run.Progress)
	})
}

func TestErrorsAreThoseOfTheServer(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	log := deploylog.New(connect(t, srv, "GardenAdmin", 11, 102, 11), nil)
	_, err := log.Start(t.Context(), deploylog.NewRun{Environment: deploylog.Production, Version: "1"})
	require.ErrorIs(t, err, erp.ErrNotFound, "the table is not installed")
	_, err = log.Status(t.Context(), deploylog.StatusQuery{})
	require.ErrorIs(t, err, erp.ErrNotFound)
	install(t, srv, plan(t))
	_, err = log.Get(t.Context(), erp.IntID(4711))
	require.ErrorIs(t, err, erp.ErrNotFound)
	_, err = log.Update(t.Context(), erp.UUID("0192f8a0-0000-7000-8000-000000000000"), deploylog.Update{Progress: ptr(1)})
	require.ErrorIs(t, err, erp.ErrNotFound)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = log.Start(ctx, deploylog.NewRun{Environment: deploylog.Production})
	require.Error(t, err)
	assert.True(t, errors.Is(err, context.Canceled))
}
