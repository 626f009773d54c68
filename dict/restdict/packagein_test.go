package restdict_test

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/pack"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

func packed(t testing.TB, plan *dict.Plan) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, pack.Write(&b, plan, nil))
	return b.Bytes()
}

// A package is imported, and again, which changes nothing; what was imported is
// found by a run of the same plan.
func TestImportPackage(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]erptest.Options{"lenient": {}, "as in the ERP": {Strict: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, client := startWith(t, o)
			plan := newPlan(t, deploylog.Table())
			archive := packed(t, plan)
			result, err := restdict.ImportPackage(t.Context(), client, "deployment log", archive, nil)
			require.NoError(t, err)
			assert.Contains(t, result.Summary, "Package deployment log 1.0.0 imported")
			assert.Equal(t, "packin", result.Process.Slug)
			assert.NotZero(t, result.ID)
			assert.NotZero(t, result.InstanceID)
			assert.GreaterOrEqual(t, len(result.Logs), plan.Summary().Columns)
			again, err := restdict.ImportPackage(t.Context(), client, "deployment log", archive, nil)
			require.NoError(t, err)
			assert.Contains(t, again.Summary, ": 0 new, 0 updated,")
			run, err := restdict.Run(t.Context(), client, plan, nil)
			require.NoError(t, err)
			assert.Zero(t, run.Count(restdict.Created))
			_, err = client.Create(t.Context(), deploylog.TableName, map[string]any{"Environment": "DEV", "Status": "B"})
			require.NoError(t, err, "the table is in the database")
		})
	}
}

func TestImportPackageFails(t *testing.T) {
	t.Parallel()
	srv, client := startReal(t)
	archive := packed(t, newPlan(t, deploylog.Table()))
	ctx := t.Context()

	_, err := restdict.ImportPackage(ctx, client, "x", archive, &restdict.ImportOptions{Process: "194"})
	var wrong *restdict.WrongProcessError
	require.ErrorAs(t, err, &wrong)
	_, err = restdict.ImportPackage(ctx, client, " ", archive, nil)
	require.Error(t, err)
	_, err = restdict.ImportPackage(ctx, client, "x", nil, nil)
	require.Error(t, err)
	_, err = restdict.ImportPackage(ctx, client, "x", archive, &restdict.ImportOptions{FileName: "x.xml"})
	require.ErrorContains(t, err, ".zip")
	assert.Zero(t, srv.Faults().Count(erptest.Match{Method: http.MethodPost}), "nothing was sent")

	result, err := restdict.ImportPackage(ctx, client, "broken", archive[:len(archive)/2], nil)
	require.ErrorIs(t, err, erp.ErrProcessFailed)
	assert.ErrorContains(t, err, "cut off")
	assert.Contains(t, result.Summary, "Nothing of package broken was imported")
	page, err := client.Query(ctx, "AD_Table", &erp.Query{Filter: erp.Eq("TableName", deploylog.TableName)})
	require.NoError(t, err)
	assert.Empty(t, page.Records)
}

// The response is lost, but not the import: its result is read from the record.
func TestImportPackageResponseLost(t *testing.T) {
	t.Parallel()
	good := packed(t, newPlan(t, deploylog.Table()))
	run := erptest.Match{Method: http.MethodPost, Path: "/processes/packin"}
	t.Run("imported", func(t *testing.T) {
		t.Parallel()
		srv, client := start(t)
		srv.Faults().On(run, erptest.CutAfter())
		result, err := restdict.ImportPackage(t.Context(), client, "x", good, nil)
		require.NoError(t, err)
		assert.Contains(t, result.Summary, "Package x 1.0.0 imported")
		assert.Equal(t, 1, srv.Faults().Count(run), "never run twice")
	})
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		srv, client := start(t)
		srv.Faults().On(run, erptest.CutAfter())
		_, err := restdict.ImportPackage(t.Context(), client, "x", good[:100], nil)
		require.ErrorContains(t, err, "Nothing of package x")
		require.NotErrorIs(t, err, restdict.ErrOutcomeUnknown)
	})
	t.Run("not known", func(t *testing.T) {
		t.Parallel()
		srv, client := start(t)
		srv.Faults().On(run, erptest.CutBefore())
		result, err := restdict.ImportPackage(t.Context(), client, "x", good, nil)
		require.ErrorIs(t, err, restdict.ErrOutcomeUnknown)
		assert.NotZero(t, result.ID)
	})
}
