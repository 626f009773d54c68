package tools_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/mcp"
)

type addedColumn struct {
	Table, Column, Status, Note string
	ID                          int
	Synced                      bool
	Steps                       []struct{ Table, Name, Action string }
}

func TestAddColumn(t *testing.T) {
	t.Parallel()
	k := recordKit(t)
	column := args{"name": "XX_Grade", "type": "List", "label": "Grade", "values": []args{{"value": "A", "name": "Best"}, {"value": "B", "name": "Good"}}}
	plan := response[addedColumn](t, k, root, "addColumn", args{"table": "m_product", "column": column, "dryRun": true})
	assert.Equal(t, "planned", plan.Status)
	assert.NotEmpty(t, plan.Steps)
	for _, s := range plan.Steps {
		assert.NotEqual(t, "AD_Table", s.Table, "the table stays as it is: %+v", s)
	}
	ctx, client := k.client(t, admin)
	_, err := client.Update(ctx, "M_Product", mustID(t, "123"), map[string]any{"XX_Grade": "A"})
	require.Error(t, err, "a dry run does nothing")

	var asked []string
	_, err = k.invoke(t, agreeing(k, t, root, false, &asked), "addColumn", args{"table": "M_Product", "column": column})
	assert.Equal(t, mcp.CodeDeclined, mcp.ErrorOf(err).Code, "%v", err)
	assert.Equal(t, []string{`Add the column XX_Grade (List) to the table M_Product in the dictionary and the database?
column XX_Grade: "List(1)"
AD_Element: one for each column whose name is new
AD_Ref_List: "M_Product XX_Grade.A (Best)", "M_Product XX_Grade.B (Good)"
AD_Reference: "M_Product XX_Grade"
sync-table: "M_Product"`}, asked)

	done := response[addedColumn](t, k, root, "addColumn", args{"table": "M_Product", "column": column})
	assert.Equal(t, "added", done.Status)
	assert.True(t, done.Synced)
	assert.Positive(t, done.ID)
	again := response[addedColumn](t, k, root, "addColumn", args{"table": "M_Product", "column": column})
	assert.Equal(t, "exists", again.Status)
	assert.Equal(t, done.ID, again.ID)

	r, err := client.Update(ctx, "M_Product", mustID(t, "123"), map[string]any{"XX_Grade": "A"})
	require.NoError(t, err, "it holds values at once")
	grade, _ := r.Ref("XX_Grade")
	assert.Equal(t, "Best", grade.Identifier)
	own := response[addedColumn](t, k, root, "addColumn", args{"table": "C_BPartner", "column": args{"name": "ABC_Note", "type": "String", "length": 60}, "entityType": "ABC", "dryRun": true})
	assert.Equal(t, "planned", own.Status)
}

func TestAddColumnRefuses(t *testing.T) {
	t.Parallel()
	k := recordKit(t)
	one := args{"name": "XX_Never", "type": "String"}
	for name, tc := range map[string]struct {
		who       login
		arguments args
		code      string
		says      string
	}{
		"a tenant's role":         {admin, args{"table": "M_Product", "column": one, "dryRun": true}, mcp.CodePermissionDenied, "System"},
		"no prefix":               {root, args{"table": "M_Product", "column": args{"name": "Grade", "type": "String"}}, mcp.CodeInvalidArguments, "begins with XX_"},
		"a prefix alone":          {root, args{"table": "M_Product", "column": args{"name": "XX_", "type": "String"}}, mcp.CodeInvalidArguments, "XX_"},
		"another's prefix":        {root, args{"table": "M_Product", "column": args{"name": "ABC_Grade", "type": "String"}}, mcp.CodeInvalidArguments, "begins with XX_"},
		"the ERP's entity type":   {root, args{"table": "M_Product", "column": one, "entityType": "D"}, mcp.CodeInvalidArguments, "ERP's own"},
		"mandatory, no default":   {root, args{"table": "M_Product", "column": args{"name": "XX_Must", "type": "String", "mandatory": true}}, mcp.CodeInvalidArguments, "default"},
		"no such type":            {root, args{"table": "M_Product", "column": args{"name": "XX_Never", "type": "Strin"}}, mcp.CodeInvalidArguments, "String"},
		"no such property":        {root, args{"table": "M_Product", "column": args{"name": "XX_Never", "type": "String", "len": 5}}, mcp.CodeInvalidArguments, "length"},
		"a wrong property":        {root, args{"table": "M_Product", "column": args{"name": "XX_Never", "type": 5}}, mcp.CodeInvalidArguments, "cannot be read"},
		"no name":                 {root, args{"table": "M_Product", "column": args{"type": "String"}}, mcp.CodeInvalidArguments, "name and a type"},
		"no column":               {root, args{"table": "M_Product", "column": "XX_Never String"}, mcp.CodeInvalidArguments, "column"},
		"no such table":           {root, args{"table": "M_Prodct", "column": one}, mcp.CodeNotFound, "M_Product"},
		"a view":                  {root, args{"table": "RV_BPartner", "column": one}, mcp.CodeInvalidArguments, "view"},
		"a statement for a name":  {root, args{"table": "M_Product", "column": args{"name": "XX_a; drop table x", "type": "String"}}, mcp.CodeInvalidArguments, ""},
		"a reference to nowhere":  {root, args{"table": "M_Product", "column": args{"name": "XX_P_ID", "type": "Search", "pointsTo": "C_BPartnr"}}, mcp.CodeNotFound, "C_BPartner"},
		"a table in the name":     {root, args{"table": "M_Product", "column": args{"name": "XX_Product_ID", "type": "Table Direct"}}, mcp.CodeNotFound, "XX_Product"},
		"a name longer than they": {root, args{"table": "M_Product", "column": args{"name": "XX_abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnop", "type": "String"}}, mcp.CodeInvalidArguments, ""},
	} {
		_, err := k.invoke(t, &mcp.Call{Caller: k.as(t, tc.who)}, "addColumn", tc.arguments)
		require.Error(t, err, name)
		assert.Equal(t, tc.code, mcp.ErrorOf(err).Code, "%s: %v", name, err)
		assert.Contains(t, mcp.ErrorOf(err).Error(), tc.says, name)
	}
}

// One column, whatever is lost on the way; and after a failure of the database a call
// says how to go on.
func TestAddColumnAfterAFailure(t *testing.T) {
	k := recordKit(t) // not parallel: the requests of others go to the same paths
	column := args{"name": "XX_Lost", "type": "String", "length": 20}
	lost := k.srv.Faults().On(erptest.Match{Method: "POST", Path: "/batch", N: 1}, erptest.CutAfter())
	assert.Equal(t, "added", response[addedColumn](t, k, root, "addColumn", args{"table": "M_Product", "column": column}).Status)
	assert.Equal(t, 1, lost.Hits())
	ctx, client := k.client(t, root)
	page, err := client.Query(ctx, "AD_Column", &erp.Query{Filter: erp.Eq("ColumnName", "XX_Lost")})
	require.NoError(t, err)
	assert.Len(t, page.Records, 1)

	column["name"] = "XX_Unsynced"
	off := k.srv.Faults().On(erptest.Match{Method: "POST", Path: "/processes/ad_column-sync", N: 1}, erptest.Fail(500))
	_, err = k.invoke(t, &mcp.Call{Caller: k.as(t, root), Confirm: willing}, "addColumn", args{"table": "M_Product", "column": column})
	require.Error(t, err)
	assert.Equal(t, 1, off.Hits())
	assert.Contains(t, mcp.ErrorOf(err).Hint, "syncTable")
	again := response[addedColumn](t, k, root, "addColumn", args{"table": "M_Product", "column": column})
	assert.Equal(t, "exists", again.Status)
	assert.Contains(t, again.Note, "syncTable")
	response[struct{ Done bool }](t, k, root, "syncTable", args{"table": "M_Product", "column": "XX_Unsynced"})
}
