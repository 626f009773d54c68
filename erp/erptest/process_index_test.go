package erptest_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The process "AD_TableIndex Validate" makes a declared index in the database
// and says what keeps it from being made.
func TestValidateIndex(t *testing.T) {
	t.Parallel()
	s, table, key := newSyncing(t)
	column := s.column(table, `"ColumnName":"XX_Code","AD_Reference_ID":10,"FieldLength":20`)
	validate := func(id int) (bool, string) {
		a := s.post("/processes/ad_tableindex-validate", fmt.Sprintf(`{"record-id":%d}`, id))
		require.Equal(t, http.StatusOK, a.status, a.body)
		o := a.object(t)
		summary, _ := o["summary"].(string)
		return o["isError"] == false, summary
	}
	index := idOf(t, s.create("AD_TableIndex", fmt.Sprintf(`{"AD_Table_ID":%d,"Name":"xx_sync_code","IsUnique":true,"EntityType":"U"}`, table)))
	refuses := func(id int, what string) {
		t.Helper()
		ok, summary := validate(id)
		assert.False(t, ok)
		assert.Contains(t, summary, what)
	}
	refuses(4711, "there is no index")
	refuses(index, "not in the database yet")
	ok, summary := s.run(fmt.Sprintf(`{"record-id":%d}`, key))
	require.True(t, ok, summary)
	refuses(index, "No index columns specified")
	s.create("AD_IndexColumn", fmt.Sprintf(`{"AD_TableIndex_ID":%d,"AD_Column_ID":%d,"SeqNo":10,"EntityType":"U"}`, index, column))
	for _, want := range []string{"Created index successfully", "No changes to the index"} {
		ok, summary = validate(index)
		require.True(t, ok, summary)
		assert.Equal(t, want, summary)
	}
	s.change("AD_TableIndex", index, `{"IsUnique":false}`)
	ok, summary = validate(index)
	require.True(t, ok, summary)
	assert.Equal(t, "Modified index successfully", summary)

	// Two columns: as they stand no change, in the other order one.
	second := s.column(table, `"ColumnName":"XX_Kind","AD_Reference_ID":10,"FieldLength":20`)
	ok, summary = s.run(fmt.Sprintf(`{"record-id":%d}`, second))
	require.True(t, ok, summary)
	part := idOf(t, s.create("AD_IndexColumn", fmt.Sprintf(`{"AD_TableIndex_ID":%d,"AD_Column_ID":%d,"SeqNo":20,"EntityType":"U"}`, index, second)))
	for _, want := range []string{"Modified index successfully", "No changes to the index"} {
		ok, summary = validate(index)
		require.True(t, ok, summary)
		assert.Equal(t, want, summary)
	}
	s.change("AD_IndexColumn", part, `{"SeqNo":5}`)
	ok, summary = validate(index)
	require.True(t, ok, summary)
	assert.Equal(t, "Modified index successfully", summary)

	taken := idOf(t, s.create("AD_TableIndex", fmt.Sprintf(`{"AD_Table_ID":%d,"Name":"c_bpartner","EntityType":"U"}`, table)))
	s.create("AD_IndexColumn", fmt.Sprintf(`{"AD_TableIndex_ID":%d,"AD_Column_ID":%d,"SeqNo":10,"EntityType":"U"}`, taken, column))
	refuses(taken, "is taken")
}
