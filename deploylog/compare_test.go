package deploylog_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/erp/erptest"
)

// deployedRun is a run of the past, which ended in SUCCESS.
type deployedRun struct {
	env                          deploylog.Environment
	version, components, changes string
	backTo                       string // rolled back to that version afterwards
}

// deployAll records runs, one an hour.
func deployAll(t *testing.T, log *deploylog.Log, clock *testClock, runs []deployedRun) {
	t.Helper()
	for _, r := range runs {
		run, err := log.Start(t.Context(), deploylog.NewRun{Environment: r.env, Version: r.version, Components: r.components})
		require.NoError(t, err)
		_, err = log.Update(t.Context(), run.ID, deploylog.Update{Status: deploylog.Deploying})
		require.NoError(t, err)
		_, err = log.Complete(t.Context(), run.ID, deploylog.Completion{Status: deploylog.Success, Changes: r.changes})
		require.NoError(t, err)
		if r.backTo != "" {
			clock.advance(10 * time.Minute)
			_, err = log.Rollback(t.Context(), run.ID, deploylog.Rollback{Version: r.backTo})
			require.NoError(t, err)
		}
		clock.advance(time.Hour)
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	prod, staging := deploylog.Production, deploylog.Staging
	clock := newClock()
	_, client := start(t, erptest.Options{Clock: clock.Now})
	for name, tt := range map[string]struct {
		runs     []deployedRun
		to, from string // the versions that run
		relation deploylog.Relation
		brings   []string
		rows     map[string][2]string // versions by component, where they differ
	}{
		"nothing runs": {relation: deploylog.Same},
		"same": {
			runs: []deployedRun{{env: staging, version: "1"}, {env: prod, version: "1"}},
			to:   "1", from: "1", relation: deploylog.Same,
		},
		"ahead by two": {
			runs: []deployedRun{
				{env: staging, version: "1", components: "sales 1.0, stock 1.0"}, {env: prod, version: "1", components: "sales 1.0, stock 1.0"},
				{env: staging, version: "2", components: "sales 1.1"}, {env: staging, version: "3", components: "labels"},
			},
			to: "1", from: "3", relation: deploylog.Ahead, brings: []string{"3", "2"},
			rows: map[string][2]string{"sales": {"1.0", "1.1"}, "labels": {"", "3"}},
		},
		"nothing in production yet": {
			runs: []deployedRun{{env: staging, version: "1"}, {env: staging, version: "2"}},
			from: "2", relation: deploylog.Ahead, brings: []string{"2", "1"},
		},
		"nothing to promote": {
			runs: []deployedRun{{env: prod, version: "1"}},
			to:   "1", relation: deploylog.Unclear,
		},
		"behind": {
			runs: []deployedRun{{env: prod, version: "1"}, {env: prod, version: "2"}, {env: staging, version: "1"}},
			to:   "2", from: "1", relation: deploylog.Behind,
		},
		"rolled back is not promoted": {
			runs: []deployedRun{
				{env: staging, version: "1", components: "sales 1"}, {env: prod, version: "1", components: "sales 1"},
				{env: staging, version: "2", components: "sales 2"}, {env: staging, version: "3", components: "sales 3, bad 3", backTo: "2"},
			},
			to: "1", from: "2", relation: deploylog.Ahead, brings: []string{"2"},
			rows: map[string][2]string{"sales": {"1", "2"}},
		},
		"rolled back beyond a release": {
			runs: []deployedRun{
				{env: staging, version: "1", components: "sales 1"}, {env: prod, version: "1", components: "sales 1"},
				{env: staging, version: "2", components: "sales 2, new 2"}, {env: staging, version: "3", components: "sales 3", backTo: "1"},
			},
			to: "1", from: "1", relation: deploylog.Same,
		},
		"deployed again": {
			runs: []deployedRun{
				{env: staging, version: "1"}, {env: staging, version: "2"}, {env: prod, version: "2"}, {env: staging, version: "1"},
			},
			to: "2", from: "1", relation: deploylog.Behind,
		},
		"hotfix": {
			runs: []deployedRun{
				{env: staging, version: "1"}, {env: prod, version: "1"}, {env: staging, version: "2"}, {env: prod, version: "1-hotfix"}, {env: staging, version: "3"},
			},
			to: "1-hotfix", from: "3", relation: deploylog.Unclear, brings: []string{"3"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			wipe(t, client)
			log := deploylog.New(client, &deploylog.Options{Clock: clock})
			deployAll(t, log, clock, tt.runs)
			list, err := log.Compare(t.Context(), deploylog.CompareQuery{To: prod, From: staging})
			require.NoError(t, err)
			if len(tt.runs) == 0 {
				require.Empty(t, list)
				return
			}
			require.Len(t, list, 1)
			c := list[0]
			assert.Equal(t, tt.to, c.To.Version)
			assert.Equal(t, tt.from, c.From.Version)
			assert.Equal(t, tt.relation, c.Promotion.Relation)
			assert.True(t, c.Promotion.Complete)
			var brings []string
			for _, run := range c.Promotion.Runs {
				brings = append(brings, run.Version)
			}
			assert.Equal(t, tt.brings, brings)
			rows := map[string][2]string{}
			for _, d := range c.Rows {
				var versions [2]string
				if d.To != nil {
					versions[0] = d.To.Version
				}
				if d.From != nil {
					versions[1] = d.From.Version
				}
				assert.Equal(t, versions[0] != versions[1], d.Differs, d.Name)
				if d.Differs {
					rows[d.Name] = versions
				}
			}
			if tt.rows == nil {
				tt.rows = map[string][2]string{}
			}
			assert.Equal(t, tt.rows, rows)
		})
	}
}

// What lies beyond the runs that are looked at is said to be unknown, and
// tenants do not mix.
func TestInventoryBounds(t *testing.T) {
	t.Parallel()
	clock := newClock()
	srv, client := start(t, erptest.Options{Clock: clock.Now})
	log := deploylog.New(client, &deploylog.Options{Clock: clock})
	deployAll(t, log, clock, []deployedRun{
		{env: deploylog.Production, version: "1", components: "old 1"},
		{env: deploylog.Staging, version: "2"}, {env: deploylog.Staging, version: "3"}, {env: deploylog.Staging, version: "4"},
	})
	other := deploylog.New(connect(t, srv, "SuperUser", 0, 0, 0), &deploylog.Options{Clock: clock})
	deployAll(t, other, clock, []deployedRun{{env: deploylog.Production, version: "99"}})

	list, err := log.Compare(t.Context(), deploylog.CompareQuery{To: deploylog.Production, From: deploylog.Staging, Depth: 2})
	require.NoError(t, err)
	t.Log(list[0].Client, len(list))
	mixed, err := other.Compare(t.Context(), deploylog.CompareQuery{To: deploylog.Production, From: deploylog.Staging, Depth: 2})
	require.NoError(t, err)
	t.Log(mixed[0].Client, len(mixed))
	for _, c := range list {
		if c.Client.ID.String() != "11" {
			assert.Equal(t, "99", c.To.Version)
			assert.Empty(t, c.From.Version)
			continue
		}
		assert.Equal(t, "1", c.To.Version)
		assert.Equal(t, "4", c.From.Version)
		assert.Len(t, c.Promotion.Runs, 2)
		assert.False(t, c.Promotion.Complete)
	}
	list, err = log.Compare(t.Context(), deploylog.CompareQuery{To: deploylog.Production, From: deploylog.Staging, Client: list[0].Client.ID})
	require.NoError(t, err)
	require.Len(t, list, 1)
	_, err = log.Compare(t.Context(), deploylog.CompareQuery{To: deploylog.Production, From: deploylog.Production})
	require.ErrorIs(t, err, deploylog.ErrInvalid)
	_, err = log.Compare(t.Context(), deploylog.CompareQuery{To: deploylog.Production, From: "MARS"})
	require.ErrorIs(t, err, deploylog.ErrInvalid)
}
