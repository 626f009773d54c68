package restdict_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp/erptest"
)

// Processes are found by what they are; numbers and slugs from a configuration
// are checked. The ids are those of the ERP's own dictionary, where 291 prints
// an inventory and 194 imports business partners.
func TestFindProcess(t *testing.T) {
	t.Parallel()
	// The embedded ERP has a synchronisation at 291 otherwise, as some
	// installations do.
	_, client := startReal(t)
	_, lenient := start(t)
	tests := []struct {
		name    string
		purpose dict.Purpose
		given   string
		id      int64
		slug    string
		wrong   string // Value of the process that was refused
	}{
		{"synchronisation", dict.SyncTable, "", 181, "ad_column-sync", ""},
		{"index", dict.ValidateIndex, "", 200055, "ad_tableindex-validate", ""},
		{"package import", dict.ImportPackage, "", 50008, "packin", ""},
		{"by number", dict.SyncTable, "181", 181, "ad_column-sync", ""},
		{"by slug", dict.SyncTable, "ad_column-sync", 181, "ad_column-sync", ""},
		{"inventory print", dict.SyncTable, "291", 0, "", "Rpt M_Inventory"},
		{"business partner import", dict.ImportPackage, "194", 0, "", "Import_BPartner"},
		{"import for a synchronisation", dict.SyncTable, "packin", 0, "", "PackIn"},
		{"import from a folder", dict.ImportPackage, "200099", 0, "", "ApplyPackInFolder"},
		{"no such number", dict.SyncTable, "987654", 0, "", "-"},
		{"no such slug", dict.SyncTable, "no-such-process", 0, "", "-"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := restdict.FindProcess(t.Context(), client, tt.purpose, tt.given)
			if tt.wrong == "" {
				require.NoError(t, err)
				assert.Equal(t, tt.id, p.ID)
				assert.Equal(t, tt.slug, p.Slug)
				return
			}
			var wrong *restdict.WrongProcessError
			require.ErrorAs(t, err, &wrong)
			assert.Contains(t, err.Error(), tt.given)
			if tt.wrong == "-" {
				assert.Nil(t, wrong.Found)
				return
			}
			require.NotNil(t, wrong.Found)
			assert.Equal(t, tt.wrong, wrong.Found.Value)
			assert.Contains(t, err.Error(), "it was not run")
		})
	}
	_, err := restdict.FindProcess(t.Context(), client, "cook", "")
	require.Error(t, err)
	p, err := restdict.FindProcess(t.Context(), lenient, dict.SyncTable, "291")
	require.NoError(t, err, "there 291 is what it is said to be")
	assert.EqualValues(t, 291, p.ID)
	p, err = restdict.FindProcess(t.Context(), lenient, dict.SyncTable, "")
	require.NoError(t, err)
	assert.EqualValues(t, 181, p.ID, "the ERP's own comes first")
}

// A plan whose process is the wrong one does not begin.
func TestRunRefusesTheWrongProcess(t *testing.T) {
	t.Parallel()
	srv, client := startReal(t)
	_, err := restdict.Run(t.Context(), client, newPlan(t, twentyColumns()),
		&restdict.Options{Processes: map[dict.Purpose]string{dict.SyncTable: "291"}})
	var wrong *restdict.WrongProcessError
	require.ErrorAs(t, err, &wrong)
	assert.Zero(t, srv.Faults().Count(erptest.Match{Method: http.MethodPost}))
}

// Without a process for the purpose the plan does not begin either.
func TestRunWithoutProcess(t *testing.T) {
	t.Parallel()
	_, client := startReal(t)
	found, err := restdict.FindProcess(t.Context(), client, dict.SyncTable, "")
	require.NoError(t, err)
	_, err = client.Update(t.Context(), "AD_Process", idOf(found), map[string]any{"IsActive": false})
	require.NoError(t, err)
	_, err = restdict.Run(t.Context(), client, newPlan(t, twentyColumns()), nil)
	var none *restdict.NoProcessError
	require.ErrorAs(t, err, &none)
	assert.Equal(t, dict.SyncTable, none.Purpose)
	assert.Contains(t, err.Error(), `neither one whose Value is "AD_Column Sync" nor one with class ColumnSync`)
	_, err = restdict.FindProcess(t.Context(), client, dict.SyncTable, "181")
	var wrong *restdict.WrongProcessError
	require.ErrorAs(t, err, &wrong)
	assert.Contains(t, err.Error(), "inactive")
}
