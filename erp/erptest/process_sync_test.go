package erptest_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// syncing makes dictionary records and runs the process that follows them.
type syncing struct {
	*writes
	t *testing.T
}

func (s syncing) column(table int, members string) int {
	s.t.Helper()
	return idOf(s.t, s.create("AD_Column", fmt.Sprintf(`{"AD_Table_ID":%d,"Name":"n",%s}`, table, members)))
}

// run reports whether the process succeeded, and its summary.
func (s syncing) run(body string) (ok bool, summary string) {
	s.t.Helper()
	a := s.post("/processes/ad_column-sync", body)
	require.Equal(s.t, http.StatusOK, a.status, a.body)
	o := a.object(s.t)
	summary, _ = o["summary"].(string)
	return o["isError"] == false, summary
}

func newSyncing(t *testing.T) (s syncing, table, key int) {
	t.Helper()
	s = syncing{writeAs(t, erptest.New(t), asSystem), t}
	table = idOf(t, s.create("AD_Table", `{"TableName":"XX_Sync","Name":"Sync","AccessLevel":"4"}`))
	key = s.column(table, `"ColumnName":"XX_Sync_ID","AD_Reference_ID":13,"FieldLength":22,"IsKey":true,"IsMandatory":true`)
	for _, c := range []string{
		`"ColumnName":"AD_Client_ID","AD_Reference_ID":19,"IsMandatory":true,"IsUpdateable":false,"DefaultValue":"@#AD_Client_ID@"`,
		`"ColumnName":"AD_Org_ID","AD_Reference_ID":19,"IsMandatory":true,"IsUpdateable":false,"DefaultValue":"@#AD_Org_ID@"`,
		`"ColumnName":"IsActive","AD_Reference_ID":20,"FieldLength":1,"DefaultValue":"Y"`,
		`"ColumnName":"Created","AD_Reference_ID":16,"IsMandatory":true`,
		`"ColumnName":"CreatedBy","AD_Reference_ID":30,"AD_Reference_Value_ID":110,"IsMandatory":true`,
		`"ColumnName":"Updated","AD_Reference_ID":16,"IsMandatory":true`,
		`"ColumnName":"UpdatedBy","AD_Reference_ID":30,"AD_Reference_Value_ID":110,"IsMandatory":true`,
	} {
		s.column(table, c)
	}
	return s, table, key
}

// Dictionary section 7: any column of a missing table creates it with all its
// columns; on an existing table the process adds and alters the one column.
func TestSynchronizeColumn(t *testing.T) {
	t.Parallel()
	s, table, key := newSyncing(t)
	ok, summary := s.run(fmt.Sprintf(`{"record-id":%d}`, key))
	require.True(t, ok, summary)
	assert.Contains(t, summary, "CREATE TABLE")
	require.Equal(t, http.StatusCreated, s.post("/models/xx_sync", `{}`).status)

	name := s.column(table, `"ColumnName":"Name","AD_Reference_ID":10,"FieldLength":20`)
	note := s.column(table, `"ColumnName":"Note","AD_Reference_ID":10,"FieldLength":20`)
	ok, summary = s.run(fmt.Sprintf(`{"record-id":%d}`, name))
	require.True(t, ok, summary)
	assert.Contains(t, summary, `"Name"`)
	assert.NotContains(t, summary, `"Note"`, "only the column that was asked for")
	ok, summary = s.run(fmt.Sprintf(`{"record-id":%d,"DateFrom":"2020-01-01T00:00:00Z"}`, key))
	require.True(t, ok, summary)
	assert.Contains(t, summary, `"Note"`, "DateFrom takes the changed columns along")
	created := s.post("/models/xx_sync", `{"Name":"one","Note":"12"}`)
	require.Equal(t, http.StatusCreated, created.status, created.body)

	change := s.put(fmt.Sprintf("/models/AD_Column/%d", note), `{"AD_Reference_ID":11}`)
	require.Equal(t, http.StatusOK, change.status, change.body)
	ok, summary = s.run(fmt.Sprintf(`{"record-id":%d}`, note))
	require.True(t, ok, summary)
	row := s.get(fmt.Sprintf("/models/xx_sync/%d", idOf(t, created.object(t)))).object(t)
	assert.EqualValues(t, 12, row["Note"], "the text has become a number")
	ok, summary = s.run(fmt.Sprintf(`{"record-id":%d}`, note))
	assert.True(t, ok, summary)
}

func TestSynchronizeColumnRefuses(t *testing.T) {
	t.Parallel()
	s, table, key := newSyncing(t)
	ok, summary := s.run(fmt.Sprintf(`{"record-id":%d}`, key))
	require.True(t, ok, summary)
	name := s.column(table, `"ColumnName":"Name","AD_Reference_ID":10,"FieldLength":20`)
	ok, summary = s.run(fmt.Sprintf(`{"record-id":%d}`, name))
	require.True(t, ok, summary)
	require.Equal(t, http.StatusCreated, s.post("/models/xx_sync", `{"Name":"words"}`).status)

	virtual := s.column(table, `"ColumnName":"Text","AD_Reference_ID":10,"FieldLength":20,"ColumnSQL":"XX_Sync.Name"`)
	hostile := s.column(table, `"ColumnName":"Line","AD_Reference_ID":11,"DefaultValue":"0); DROP TABLE AD_User; --"`)
	must := s.column(table, `"ColumnName":"Value","AD_Reference_ID":10,"FieldLength":20,"IsMandatory":true`)
	change := s.put(fmt.Sprintf("/models/AD_Column/%d", name), `{"AD_Reference_ID":11}`)
	require.Equal(t, http.StatusOK, change.status, change.body)
	for what, tc := range map[string]struct {
		body, want string
	}{
		"a column that does not exist":      {`{"record-id":99999999}`, "NotFound Column 99999999"},
		"a virtual column":                  {fmt.Sprintf(`{"record-id":%d}`, virtual), "virtual"},
		"SQL in a default":                  {fmt.Sprintf(`{"record-id":%d}`, hostile), "no whole number"},
		"mandatory without default, rows":   {fmt.Sprintf(`{"record-id":%d}`, must), "mandatory"},
		"words that are to become a number": {fmt.Sprintf(`{"record-id":%d}`, name), "does not fit"},
	} {
		ok, summary := s.run(tc.body)
		assert.False(t, ok, what)
		assert.Contains(t, summary, tc.want, what)
		assert.NotContains(t, summary, "SQLITE", what)
	}
	assert.Equal(t, http.StatusOK, s.get("/models/AD_User/100").status)
}
