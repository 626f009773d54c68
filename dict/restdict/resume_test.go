package restdict_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// address is one base URL behind which ERPs come and go.
type address struct {
	url    string
	behind atomic.Pointer[erptest.Server]
	opened int
}

func newAddress(t *testing.T) *address {
	t.Helper()
	a := &address{}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.behind.Load().ServeHTTP(w, r) }))
	a.url = front.URL
	t.Cleanup(front.Close)
	return a
}

// serve puts a new ERP behind the address and logs in to it. Each lives a minute
// later than the one before.
func (a *address) serve(t *testing.T) (*erptest.Server, *erp.Client) {
	t.Helper()
	a.opened++
	late := time.Duration(a.opened) * time.Minute
	srv, err := erptest.Open(t.Context(), erptest.Options{Clock: func() time.Time { return time.Now().Add(late) }})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, srv.Close()) })
	a.behind.Store(srv)
	client, err := erp.New(a.url, erp.WithTokenSource(erp.StaticToken(login(t, a.url))))
	require.NoError(t, err)
	srv.Faults().Reset()
	return srv, client
}

// runKeeping runs the plan and returns the checkpoint as it was after the last
// step, before the run removed it.
func runKeeping(t *testing.T, client *erp.Client, plan *dict.Plan, path string) []byte {
	t.Helper()
	var last []byte
	_, err := restdict.Run(t.Context(), client, plan, quick(restdict.Options{BatchSize: 25, Checkpoint: path, Observe: func(restdict.Event) {
		text, err := os.ReadFile(path)
		assert.NoError(t, err)
		last = text
	}}))
	require.NoError(t, err)
	require.NotEmpty(t, last)
	return last
}

// allThere fails unless the ERP has every record of the plan under the id of the
// result, and the database the table.
func allThere(t *testing.T, client *erp.Client, plan *dict.Plan, result *restdict.Result, table string) {
	t.Helper()
	for _, step := range plan.Steps() {
		rec, ok := step.(*dict.RecordStep)
		if !ok {
			continue
		}
		got, ok := result.Step(rec.Key)
		require.True(t, ok)
		require.Equal(t, restdict.Done, got.Status, rec.Title())
		_, err := client.Get(t.Context(), rec.Table, got.ID, nil)
		require.NoError(t, err, "the result names a record that is not there: %s", rec.Title())
	}
	_, err := client.Query(t.Context(), table, &erp.Query{Top: 1})
	require.NoError(t, err, "the database has the table")
}

// A run that ended well leaves no checkpoint, nor one that found everything.
func TestCheckpointIsGoneAfterwards(t *testing.T) {
	t.Parallel()
	_, client := start(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "run.json")
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".run.json.tmp-1"), nil, 0o600), "what a killed run left")
	for range 2 {
		_, err := restdict.Run(t.Context(), client, newPlan(t, twentyColumns()), quick(restdict.Options{Checkpoint: path, Resume: true}))
		require.NoError(t, err)
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Empty(t, left)
	}
}

// What a checkpoint says was made is believed only where it is still so: after
// Run returned nil the ERP has every record of the plan.
func TestResumeElsewhere(t *testing.T) {
	t.Parallel()
	remove := func(t *testing.T, client *erp.Client, table string, filter erp.Filter) {
		t.Helper()
		records := all(t.Context(), t, client, table, filter)
		require.NotEmpty(t, records)
		for _, rec := range records {
			require.NoError(t, client.Delete(t.Context(), table, rec.ID()))
		}
	}
	tests := map[string]struct {
		// change makes the ERP another one and returns a client of it.
		change func(t *testing.T, a *address, client *erp.Client) *erp.Client
		other  bool // nothing of the earlier run is there
		syncs  int  // runs of the synchronisation when the run goes on
	}{
		"nothing happened": {func(_ *testing.T, _ *address, c *erp.Client) *erp.Client { return c }, false, 0},
		"another ERP": {func(t *testing.T, a *address, _ *erp.Client) *erp.Client {
			_, c := a.serve(t)
			return c
		}, true, 1},
		"another ERP that has the same records, not in the database": {func(t *testing.T, a *address, _ *erp.Client) *erp.Client {
			_, c := a.serve(t)
			plan, err := dict.NewPlan(&dict.Options{NoSync: true}, twentyColumns())
			require.NoError(t, err)
			_, err = restdict.Run(t.Context(), c, plan, quick(restdict.Options{BatchSize: 25}))
			require.NoError(t, err)
			return c
		}, true, 1},
		"columns were deleted": {func(t *testing.T, _ *address, c *erp.Client) *erp.Client {
			remove(t, c, "AD_Column", erp.In("ColumnName", "XX_Amount", "XX_Due"))
			return c
		}, false, 1},
		"the table was deleted": {func(t *testing.T, _ *address, c *erp.Client) *erp.Client {
			table := all(t.Context(), t, c, "AD_Table", erp.Eq("TableName", "XX_Trial"))
			remove(t, c, "AD_Column", erp.Eq("AD_Table_ID", table[0].ID()))
			remove(t, c, "AD_Table", erp.Eq("TableName", "XX_Trial"))
			return c
		}, false, 1},
		"a record was renamed": {func(t *testing.T, _ *address, c *erp.Client) *erp.Client {
			rec := all(t.Context(), t, c, "AD_Ref_List", erp.And(erp.Eq("Value", "A"), erp.Eq("Name", "First")))
			_, err := c.Update(t.Context(), "AD_Ref_List", rec[0].ID(), map[string]any{"Name": "Premier"})
			require.NoError(t, err)
			return c
		}, false, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAddress(t)
			_, client := a.serve(t)
			plan := newPlan(t, twentyColumns())
			path := filepath.Join(t.TempDir(), "run.json")
			finished := runKeeping(t, client, plan, path)
			client = test.change(t, a, client)
			a.behind.Load().Faults().Reset()
			require.NoError(t, os.WriteFile(path, finished, 0o600))

			result, err := restdict.Run(t.Context(), client, plan, quick(restdict.Options{BatchSize: 25, Checkpoint: path, Resume: true}))
			require.NoError(t, err)
			allThere(t, client, plan, result, "XX_Trial")
			requests := a.behind.Load().Faults()
			assert.Equal(t, test.syncs, requests.Count(erptest.Match{Method: http.MethodPost, Path: "/processes/*"}), "synchronisations")
			if test.other {
				for _, s := range result.Steps {
					assert.False(t, s.Earlier && s.Outcome != restdict.Found, "%s was %s by an earlier run, which was elsewhere", s.Title, s.Outcome)
				}
			}
			assert.NoFileExists(t, path)
		})
	}
}

// Every step of the earlier run is looked up, in few requests.
func TestResumeAsksInBatches(t *testing.T) {
	if testing.Short() {
		t.Skip("one request after another")
	}
	t.Parallel()
	a := newAddress(t)
	srv, client := a.serve(t)
	plan := newPlan(t, wide(200))
	path := filepath.Join(t.TempDir(), "run.json")
	finished := runKeeping(t, client, plan, path)
	srv.Faults().Reset()
	require.NoError(t, os.WriteFile(path, finished, 0o600))
	_, err := restdict.Run(t.Context(), client, plan, quick(restdict.Options{Checkpoint: path, Resume: true}))
	require.NoError(t, err)
	assert.LessOrEqual(t, len(srv.Faults().Requests()), 20, "%d steps", plan.Len())
}

// A record that was deactivated meanwhile is not taken for done.
func TestResumeFindsInactiveRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("one request after another")
	}
	t.Parallel()
	a := newAddress(t)
	_, client := a.serve(t)
	plan := newPlan(t, twentyColumns())
	path := filepath.Join(t.TempDir(), "run.json")
	finished := runKeeping(t, client, plan, path)
	column := all(t.Context(), t, client, "AD_Column", erp.Eq("ColumnName", "XX_Amount"))
	_, err := client.Update(t.Context(), "AD_Column", column[0].ID(), map[string]any{"IsActive": false})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, finished, 0o600))
	_, err = restdict.Run(t.Context(), client, plan, quick(restdict.Options{Checkpoint: path, Resume: true}))
	require.ErrorIs(t, err, restdict.ErrInactive)
}

// A checkpoint holds the plan, so that a run can go on from the file alone.
func TestReadCheckpoint(t *testing.T) {
	t.Parallel()
	a := newAddress(t)
	srv, client := a.serve(t)
	plan := newPlan(t, twentyColumns())
	path := filepath.Join(t.TempDir(), "run.json")
	rule := srv.Faults().On(erptest.Match{Method: http.MethodPost, Path: "/models/AD_Column", N: 3}, erptest.Fail(http.StatusInternalServerError))
	_, err := restdict.Run(t.Context(), client, plan, quick(restdict.Options{Checkpoint: path}))
	require.Error(t, err)
	rule.Remove()

	cp, err := restdict.ReadCheckpoint(path)
	require.NoError(t, err)
	assert.Equal(t, plan.Fingerprint(), cp.Plan.Fingerprint())
	assert.Equal(t, client.BaseURL(), cp.Server)
	assert.Equal(t, 1, cp.Failed)
	assert.Positive(t, cp.Done)
	assert.Less(t, cp.Done, plan.Len())
	assert.False(t, cp.Updated.IsZero())
	result, err := restdict.Run(t.Context(), client, cp.Plan, quick(restdict.Options{Checkpoint: path, Resume: true}))
	require.NoError(t, err)
	allThere(t, client, plan, result, "XX_Trial")

	_, err = restdict.ReadCheckpoint(path)
	require.ErrorIs(t, err, os.ErrNotExist)
}
