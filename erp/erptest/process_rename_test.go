package erptest_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// process runs a process and reports whether it succeeded, and its summary.
func (s syncing) process(slug, body string) (ok bool, summary string) {
	s.t.Helper()
	a := s.post("/processes/"+slug, body)
	require.Equal(s.t, http.StatusOK, a.status, a.body)
	o := a.object(s.t)
	summary, _ = o["summary"].(string)
	return o["isError"] == false, summary
}

// Columns and tables keep what they hold when the ERP's processes rename them.
func TestRenameProcesses(t *testing.T) {
	t.Parallel()
	s, table, key := newSyncing(t)
	note := s.column(table, `"ColumnName":"XX_Note","AD_Reference_ID":10,"FieldLength":20`)
	s.column(table, `"ColumnName":"XX_Sync_UU","AD_Reference_ID":200231,"FieldLength":36`)
	ok, summary := s.run(fmt.Sprintf(`{"record-id":%d}`, key))
	require.True(t, ok, summary)
	created := s.post("/models/xx_sync", `{"XX_Note":"kept"}`)
	require.Equal(t, http.StatusCreated, created.status, created.body)
	row := idOf(t, created.object(t))

	element := idOf(t, s.create("AD_Element", `{"ColumnName":"XX_Remark","Name":"Remark","PrintName":"Remark"}`))
	rename := fmt.Sprintf(`{"record-id":%d,"AD_Element_ID":%d}`, note, element)
	ok, summary = s.process("databasetablecolumnrename", rename)
	require.True(t, ok, summary)
	o := s.get(fmt.Sprintf("/models/xx_sync/%d", row)).object(t)
	assert.Equal(t, "kept", o["XX_Remark"])
	assert.NotContains(t, o, "XX_Note")
	column := s.get(fmt.Sprintf("/models/AD_Column/%d", note)).object(t)
	assert.Equal(t, "XX_Remark", column["ColumnName"])
	assert.Equal(t, "Remark", column["Name"])
	ok, summary = s.process("databasetablecolumnrename", rename)
	assert.False(t, ok, "the column has the element already")
	assert.Contains(t, summary, "Invalid")
	other := s.column(table, `"ColumnName":"XX_Other","AD_Reference_ID":10,"FieldLength":20`)
	ok, summary = s.run(fmt.Sprintf(`{"record-id":%d}`, other))
	require.True(t, ok, summary)
	ok, summary = s.process("databasetablecolumnrename", fmt.Sprintf(`{"record-id":%d,"AD_Element_ID":%d}`, other, element))
	assert.False(t, ok)
	assert.Contains(t, summary, "Already Exists")

	ok, summary = s.process("databaseelementcolumnrename", fmt.Sprintf(`{"record-id":%d,"NewColumnName":"XX_Words"}`, element))
	require.True(t, ok, summary)
	assert.Equal(t, "kept", s.get(fmt.Sprintf("/models/xx_sync/%d", row)).object(t)["XX_Words"])

	for _, tt := range []struct{ name, what string }{{"C_Order", "Already Exists"}, {"XX_SYNC", "Invalid"}} {
		ok, summary = s.process("databasetablerename", fmt.Sprintf(`{"record-id":%d,"NewTableName":%q}`, table, tt.name))
		assert.False(t, ok)
		assert.Contains(t, summary, tt.what)
	}
	ok, summary = s.process("databasetablerename", fmt.Sprintf(`{"record-id":%d,"NewTableName":"XX_Diary"}`, table))
	require.True(t, ok, summary)
	assert.Equal(t, http.StatusNotFound, s.get("/models/xx_sync").status)
	o = s.get(fmt.Sprintf("/models/xx_diary/%d", row)).object(t)
	assert.Equal(t, "kept", o["XX_Words"])
	assert.Equal(t, "XX_Diary_ID", s.get(fmt.Sprintf("/models/AD_Column/%d", key)).object(t)["ColumnName"])
	again := s.post("/models/xx_diary", `{"XX_Words":"next"}`)
	require.Equal(t, http.StatusCreated, again.status, again.body)
	assert.Equal(t, row+1, idOf(t, again.object(t)), "the sequence of ids goes on")
	ok, summary = s.run(fmt.Sprintf(`{"record-id":%d,"DateFrom":"1970-01-01T00:00:00Z"}`, key))
	require.True(t, ok, summary)
}
