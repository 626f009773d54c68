package deploylog_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/deploylog"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
)

// The log installs itself with its lists, window and indexes, and installing it
// again makes nothing.
func TestInstall(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t, erptest.Options{Strict: true})
	admin := connect(t, srv, "SuperUser", 0, 0, 0)
	p, err := deploylog.Plan(nil)
	require.NoError(t, err)
	result, err := restdict.Run(t.Context(), admin, p, &restdict.Options{BatchSize: 200})
	require.NoError(t, err)
	assert.Equal(t, 8, result.Count(restdict.Ran))
	count := func(table string, f erp.Filter) int {
		page, err := admin.Query(t.Context(), table, &erp.Query{Filter: f})
		require.NoError(t, err)
		return page.Rows
	}
	id := tableID(t, admin)
	assert.Equal(t, 26, count("AD_Column", erp.Eq("AD_Table_ID", id)))
	assert.Equal(t, 7, count("AD_TableIndex", erp.Eq("AD_Table_ID", id)))
	assert.Equal(t, 1, count("AD_Window", erp.Eq("Name", "Deployment Log")))
	assert.Equal(t, 1, count("AD_Tab", erp.Eq("AD_Table_ID", id)))
	for name, values := range map[string]int{"XX_Deploy_Log Environment": 3, "XX_Deploy_Log Status": 5} {
		page, err := admin.Query(t.Context(), "AD_Reference", &erp.Query{Filter: erp.Eq("Name", name)})
		require.NoError(t, err)
		require.Len(t, page.Records, 1, name)
		ref, _ := page.Records[0].ID().Int()
		assert.Equal(t, values, count("AD_Ref_List", erp.Eq("AD_Reference_ID", ref)), name)
	}
	again, err := restdict.Run(t.Context(), admin, p, nil)
	require.NoError(t, err)
	assert.Zero(t, again.Count(restdict.Created))

	// A server that offers nothing beyond the real one takes a whole life.
	log := deploylog.New(connect(t, srv, "GardenAdmin", 11, 102, 11), nil)
	run, err := life(t, log)
	require.NoError(t, err)
	assert.Equal(t, deploylog.RolledBack, run.Status)
}
