package deploylog_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// Two writers make random moves of the same runs at once. What the server
// stored, change by change, is read from its change log: every step must be in
// the transition table, the moves that were reported as done must be the moves
// that were made, and none may be made twice.
func TestRandomWalksOfTwoWriters(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	table := deploylog.Table()
	table.ChangeLog = true
	p, err := dict.NewPlan(nil, table)
	require.NoError(t, err)
	install(t, srv, p)
	writers := [2]*deploylog.Log{}
	for i := range writers {
		writers[i] = deploylog.New(connect(t, srv, "GardenAdmin", 11, 102, 11), nil)
	}
	allowed := map[string]string{"B": "DF", "D": "SF", "S": "R", "F": "R", "R": ""}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	ended := map[deploylog.State]int{}
	for walk := range 12 {
		run := inState(t, writers[0], deploylog.Building, false)
		var mu sync.Mutex
		made := map[deploylog.State]int{}
		var wg sync.WaitGroup
		for i, log := range writers {
			random := rand.New(rand.NewPCG(seed, uint64(walk*2+i)))
			wg.Go(func() {
				for range 8 {
					to := []deploylog.State{deploylog.Deploying, deploylog.Deploying, deploylog.Success, deploylog.Failed, deploylog.RolledBack, ""}[random.IntN(6)]
					_, err := call(t.Context(), log, run.ID, to)
					if err == nil && to != "" {
						mu.Lock()
						made[to]++
						mu.Unlock()
					} else if err != nil && !errors.Is(err, deploylog.ErrTransition) {
						t.Errorf("walk %d: %s: %v", walk, to, err)
					}
				}
			})
		}
		wg.Wait()
		steps := changesOf(t, srv, run.ID)
		stored := map[deploylog.State]int{}
		at := "B"
		for _, to := range steps {
			assert.Contains(t, allowed[at], to, "walk %d went %v", walk, steps)
			at = to
			state, err := deploylog.ParseState(to)
			require.NoError(t, err)
			stored[state]++
		}
		for _, state := range deploylog.States() {
			assert.Equal(t, made[state] > 0, stored[state] > 0, "walk %d: %s was reported %d times and stored %d times", walk, state, made[state], stored[state])
			assert.LessOrEqual(t, stored[state], 1, "walk %d: %s", walk, state)
		}
		run, err := writers[1].Get(t.Context(), run.ID)
		require.NoError(t, err)
		assert.Equal(t, at, run.Status.Code())
		if at == "R" && slices.Contains(steps, "F") {
			assert.Contains(t, steps, "D", "walk %d: a failed build was rolled back: %v", walk, steps)
		}
		ended[run.Status]++
	}
	t.Logf("ended in %v", ended)
	assert.Greater(t, len(ended), 1, "the walks went different ways")
	assert.Len(t, all(t, connect(t, srv, "GardenAdmin", 11, 102, 11)), 12, "no claim is left")
}

// changesOf are the values the column Status took, in order.
func changesOf(t *testing.T, srv *erptest.Server, id erp.ID) []string {
	t.Helper()
	client := connect(t, srv, "SuperUser", 0, 0, 0)
	columns, err := client.Query(t.Context(), "AD_Column", &erp.Query{Filter: erp.Eq("ColumnName", "Status").And(erp.Eq("AD_Table_ID", tableID(t, client)))})
	require.NoError(t, err)
	require.Len(t, columns.Records, 1)
	number, _ := columns.Records[0].ID().Int()
	record, _ := id.Int()
	garden := connect(t, srv, "GardenAdmin", 11, 102, 11)
	var steps []string
	for rec, err := range garden.Records(t.Context(), "AD_ChangeLog", &erp.Query{
		Filter:  erp.Eq("AD_Column_ID", number).And(erp.Eq("Record_ID", record)).And(erp.Eq("EventChangeLog", "U")),
		OrderBy: []string{"AD_ChangeLog_ID"},
	}) {
		require.NoError(t, err)
		value, ok := rec.Text("NewValue")
		require.True(t, ok, fmt.Sprint(rec))
		steps = append(steps, value)
	}
	return steps
}

func tableID(t *testing.T, client *erp.Client) int64 {
	t.Helper()
	page, err := client.Query(t.Context(), "AD_Table", &erp.Query{Filter: erp.Eq("TableName", deploylog.TableName)})
	require.NoError(t, err)
	require.Len(t, page.Records, 1)
	id, _ := page.Records[0].ID().Int()
	return id
}
