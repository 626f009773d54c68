package watch_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/watch"
)

const soon = 5 * time.Millisecond

func connect(t *testing.T, srv *erptest.Server) *erp.Client {
	t.Helper()
	token, err := srv.APIToken(t.Context(), "GardenAdmin", 11, 102, 11, 0)
	require.NoError(t, err)
	c, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)),
		erp.WithRetryPolicy(erp.RetryPolicy{Max: 1, MinWait: time.Microsecond, MaxWait: time.Millisecond}))
	require.NoError(t, err)
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// looked waits until records of a table were requested so many times.
func looked(t *testing.T, srv *erptest.Server, path string, times int) {
	t.Helper()
	require.Eventually(t, func() bool {
		return srv.Faults().Count(erptest.Match{Method: http.MethodGet, Path: path}) >= times
	}, 10*time.Second, time.Millisecond)
}

// TestTable changes records at random while they are watched: the last change
// told of each record is how it is, no change is told twice, and what was there
// before is not told.
func TestTable(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	client := connect(t, srv)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	old, err := client.Create(ctx, "C_BPartner", map[string]any{"Value": "w-old", "Name": "Old", "C_BP_Group_ID": 103})
	require.NoError(t, err)

	changes := make(chan watch.Change, 10_000)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for change, err := range watch.Table(ctx, client, "C_BPartner", &watch.Options{Filter: erp.StartsWith("Value", "w-"), Every: soon}) {
			if err != nil {
				return
			}
			changes <- change
		}
	}()
	told := map[string]erp.Record{}
	kinds := map[watch.Kind]int{}
	take := func(change watch.Change) {
		id := change.Record.ID().String()
		if before, known := told[id]; known {
			require.Equal(t, watch.Updated, change.Kind)
			require.NotEqual(t, before.String(), change.Record.String(), "told twice")
			require.NotEmpty(t, change.Columns)
		}
		told[id] = change.Record
		kinds[change.Kind]++
	}
	// What is made until the first change is told may be there at the begin.
	for n := 0; len(told) == 0; n++ {
		_, err := client.Create(ctx, "C_BPartner", map[string]any{"Value": fmt.Sprintf("w-begin%d", n), "Name": "Begin", "C_BP_Group_ID": 103})
		require.NoError(t, err)
		select {
		case change := <-changes:
			take(change)
		case <-time.After(soon):
		}
	}

	rng := rand.New(rand.NewPCG(1, 2))
	var ids []erp.ID
	for n := range 60 {
		if len(ids) == 0 || rng.IntN(3) == 0 {
			rec, err := client.Create(ctx, "C_BPartner", map[string]any{"Value": fmt.Sprintf("w-%d", n), "Name": "New", "C_BP_Group_ID": 103})
			require.NoError(t, err)
			ids = append(ids, rec.ID())
			continue
		}
		_, err := client.Update(ctx, "C_BPartner", ids[rng.IntN(len(ids))], map[string]any{"Name": fmt.Sprintf("Name %d", n)})
		require.NoError(t, err)
	}
	for _, id := range ids {
		now, err := client.Get(ctx, "C_BPartner", id, nil)
		require.NoError(t, err)
		name, _ := now.Text("Name")
		for {
			if got, ok := told[id.String()]; ok {
				if text, _ := got.Text("Name"); text == name {
					break
				}
			}
			select {
			case change := <-changes:
				take(change)
			case <-ctx.Done():
				t.Fatalf("the last change of %s was not told", id)
			}
		}
	}
	require.NotContains(t, told, old.ID().String())
	require.GreaterOrEqual(t, kinds[watch.Created], len(ids))
	cancel()
	<-done
}

func TestRecord(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	client := connect(t, srv)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	rec, err := client.Create(ctx, "C_BPartner", map[string]any{"Value": "w", "Name": "One", "C_BP_Group_ID": 103})
	require.NoError(t, err)

	go func() {
		path := "/models/C_BPartner/" + rec.ID().String()
		looked(t, srv, path, 1)
		away := srv.Faults().On(erptest.Match{Method: http.MethodGet, Path: path}, erptest.Fail(http.StatusServiceUnavailable))
		looked(t, srv, path, 4) // the watch survives a server that is away
		_, err := client.Update(ctx, "C_BPartner", rec.ID(), map[string]any{"Name": "Two"})
		away.Remove()
		if err != nil {
			t.Error(err)
		}
	}()
	step := 0
	for change, err := range watch.Record(ctx, client, "C_BPartner", rec.ID(), &watch.Options{Every: soon, Select: []string{"Name"}}) {
		require.NoError(t, err)
		switch step++; step {
		case 1:
			require.Equal(t, watch.Updated, change.Kind)
			require.Equal(t, []string{"Name"}, change.Columns)
			require.NoError(t, client.Delete(ctx, "C_BPartner", rec.ID()))
		case 2:
			require.Equal(t, watch.Deleted, change.Kind)
			name, _ := change.Previous.Text("Name")
			require.Equal(t, "Two", name)
		}
	}
	require.Equal(t, 2, step)
}

func TestEnds(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	client := connect(t, srv)
	for name, c := range map[string]struct {
		table string
		opts  watch.Options
		fault int
		want  error
	}{
		"no such table":              {table: "C_Nothing", want: erp.ErrNotFound},
		"a server that stays away":   {table: "C_Order", opts: watch.Options{Every: soon, Patience: time.Nanosecond}, fault: http.StatusServiceUnavailable, want: erp.ErrUnavailable},
		"a filter that is no filter": {table: "C_Order", opts: watch.Options{Filter: erp.Raw("Nothing eq 1")}, want: erp.ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			if c.fault != 0 {
				defer srv.Faults().On(erptest.Match{Path: "/models/C_Order"}, erptest.Fail(c.fault)).Remove()
			}
			ends := 0
			for _, err := range watch.Table(t.Context(), client, c.table, &c.opts) {
				require.Error(t, err)
				ends++
			}
			require.Equal(t, 1, ends)
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range watch.Table(ctx, client, "C_Order", nil) {
		require.ErrorIs(t, err, context.Canceled)
	}
}
