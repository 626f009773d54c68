package restdict_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// A run that says that nothing was changed changed nothing, and neither did those that
// it goes on from. It leaves no checkpoint; any other run that fails does.
func TestNothingWasChanged(t *testing.T) {
	t.Parallel()
	text := func(name string) *dict.RecordStep {
		return &dict.RecordStep{
			Key: dict.Key("text." + name), Action: dict.Update, Table: "AD_Table", Name: name,
			Match: []dict.Match{{Column: "TableName", Value: dict.Text(name)}}, Values: []dict.ColumnValue{{Column: "Description", Value: dict.Text("changed")}},
		}
	}
	plan, err := dict.Assemble("texts", text("C_BPartner"), text("C_Order"))
	require.NoError(t, err)
	refuse := func() erptest.Action { return erptest.Fail(http.StatusForbidden) }
	endings := map[string]func() erptest.Action{"refused": refuse, "away": erptest.CutBefore}
	for name, first := range map[string]func() erptest.Action{"refused": refuse, "away": erptest.CutBefore, "lost": erptest.CutAfter} {
		for ending, then := range endings {
			for k := 1; k <= 2; k++ {
				t.Run(fmt.Sprintf("%s %d then %s", name, k, ending), func(t *testing.T) {
					t.Parallel()
					srv, client := start(t)
					read := func() string {
						page, err := client.Query(t.Context(), "AD_Table", &erp.Query{Filter: erp.In("TableName", "C_BPartner", "C_Order"), Select: []string{"Description"}, OrderBy: []string{"TableName"}})
						require.NoError(t, err)
						return fmt.Sprint(page.Records)
					}
					before := read()
					o := quick(restdict.Options{Checkpoint: filepath.Join(t.TempDir(), "run.json")})
					for range 2 {
						srv.Faults().On(erptest.Match{Method: http.MethodPut, N: k}, first())
						srv.Faults().On(erptest.Match{Method: http.MethodPut, N: k + 1, Times: 100}, then())
						_, err := restdict.Run(t.Context(), client, plan, o)
						srv.Faults().Reset()
						var stopped *restdict.RunError
						if !errors.As(err, &stopped) {
							require.NoError(t, err) // the second goes on where the first write is through
							return
						}
						_, missing := os.Stat(o.Checkpoint)
						assert.Equal(t, stopped.Changed, missing == nil, "%v", err)
						if !stopped.Changed {
							assert.Equal(t, before, read(), "%v", err)
							assert.ErrorContains(t, err, "nothing was changed")
							return
						}
						o.Resume, k = true, 1
					}
				})
			}
		}
	}
}
