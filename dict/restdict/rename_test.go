package restdict_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/diff"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp/erptest"
)

func difference(t testing.TB, srv *erptest.Server, table dict.Table) *diff.Result {
	t.Helper()
	db := srv.Database()
	defer db.Close()
	beside, err := dbdict.New(db, dbdict.SQLite, nil)
	require.NoError(t, err)
	reg, err := registry.LoadScope(t.Context(), beside, diff.Scope(table))
	require.NoError(t, err)
	result, err := diff.Compare(t.Context(), reg, nil, table)
	require.NoError(t, err)
	return result
}

// Renaming is done once and keeps every value, whatever becomes of the request: with
// another attempt, and by a run that goes on with the checkpoint.
func TestRenameOverFaults(t *testing.T) {
	t.Parallel()
	before := dict.NewTable("XX_Before").WithAccessLevel(dict.AccessAll).With(dict.Standard).Column(dict.Column{Name: "XX_Text", Type: dict.TypeString, Length: 40})
	after := dict.NewTable("XX_After").WithAccessLevel(dict.AccessAll).With(dict.Standard).Column(dict.Column{Name: "XX_Words", Was: "XX_Text", Type: dict.TypeString, Length: 60})
	after.Was = "XX_Before"
	for _, process := range []string{"databasetablerename", "databasetablecolumnrename"} {
		for i, fault := range faults {
			for _, attempts := range []int{1, 3} {
				if os.Getenv("ERPHUB_PROOF") == "" && fault.name != "cut after" && (i+attempts)%3 != 0 {
					continue // the lost response in both ways, the others in one
				}
				t.Run(fmt.Sprintf("%s, %s, %d attempts", process, fault.name, attempts), func(t *testing.T) {
					t.Parallel()
					srv, client := startWith(t, erptest.Options{Strict: true})
					_, err := restdict.Run(t.Context(), client, newPlan(t, before), quick(restdict.Options{BatchSize: 10}))
					require.NoError(t, err)
					rec, err := client.Create(context.Background(), "XX_Before", map[string]any{"XX_Text": "kept"})
					require.NoError(t, err)
					plan, err := diff.NewPlan(difference(t, srv, after), nil)
					require.NoError(t, err)

					rule := srv.Faults().On(erptest.Match{Path: "/processes/" + process, N: 1}, fault.action())
					opts := quick(restdict.Options{BatchSize: 10, Attempts: attempts, Checkpoint: filepath.Join(t.TempDir(), "run.json")})
					_, err = restdict.Run(t.Context(), client, plan, opts)
					require.Equal(t, 1, rule.Hits())
					if attempts == 1 {
						require.Error(t, err)
						opts.Resume = true
						_, err = restdict.Run(t.Context(), client, plan, opts)
					}
					require.NoError(t, err)
					got, err := client.Get(t.Context(), "XX_After", rec.ID(), nil)
					require.NoError(t, err)
					text, _ := got.Text("XX_Words")
					assert.Equal(t, "kept", text)
					assert.Empty(t, difference(t, srv, after).Changes)
				})
			}
		}
	}
}

// Something that was renamed to another name in the meantime is not renamed again.
func TestRenamedOtherwise(t *testing.T) {
	t.Parallel()
	srv, client := start(t)
	before := dict.NewTable("XX_Before").With(dict.Standard).Column(dict.Column{Name: "XX_Text", Type: dict.TypeString, Length: 40})
	_, err := restdict.Run(t.Context(), client, newPlan(t, before), quick(restdict.Options{BatchSize: 10}))
	require.NoError(t, err)
	to := func(name string) *dict.Plan {
		plan, err := diff.NewPlan(difference(t, srv, dict.NewTable("XX_Before").With(dict.Standard).
			Column(dict.Column{Name: name, Was: "XX_Text", Type: dict.TypeString, Length: 40})), nil)
		require.NoError(t, err)
		return plan
	}
	one, other := to("XX_One"), to("XX_Other")
	_, err = restdict.Run(t.Context(), client, one, quick(restdict.Options{}))
	require.NoError(t, err)
	_, err = restdict.Run(t.Context(), client, other, quick(restdict.Options{}))
	require.ErrorContains(t, err, `XX_Text was to be renamed to XX_Other, but is called "XX_One" by now`)
}
