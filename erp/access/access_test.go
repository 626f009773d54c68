package access_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/access"
	"github.com/erphub/erphub/erp/erptest"
)

func connect(t *testing.T, srv *erptest.Server, user string, client, role, org int64) *erp.Client {
	t.Helper()
	token, err := srv.APIToken(t.Context(), user, client, role, org, 0)
	require.NoError(t, err)
	c, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)))
	require.NoError(t, err)
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// first is the first record of a table that meets a condition.
func first(t *testing.T, c *erp.Client, table string, filter erp.Filter) erp.Record {
	t.Helper()
	page, err := c.Query(t.Context(), table, &erp.Query{Filter: filter, Top: 1})
	require.NoError(t, err)
	require.NotEmpty(t, page.Records, "%s with %s", table, filter)
	return page.Records[0]
}

func TestExplain(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	admin := connect(t, srv, "GardenAdmin", 11, 102, 11)
	user := connect(t, srv, "GardenUser", 11, 103, 11)
	window := first(t, admin, "AD_Window", erp.Eq("Name", "Sales Order"))
	order := first(t, admin, "C_Order", erp.Gt("C_BPartner_ID", 0))
	table := first(t, admin, "AD_Table", erp.Eq("TableName", "C_Order"))
	partners := first(t, admin, "AD_Table", erp.Eq("TableName", "C_BPartner"))
	column := first(t, admin, "AD_Column", erp.Eq("ColumnName", "Description").And(erp.Eq("AD_Table_ID", table.ID())))
	partner, _ := order.Ref("C_BPartner_ID")
	orderID := order.ID().String()
	for _, name := range []string{"AD_Table_Access", "AD_Column_Access", "AD_Record_Access", "AD_Role_OrgAccess", "AD_Window_Access", "AD_Process_Access", "AD_Private_Access", "AD_Role_Included", "AD_User_Roles"} {
		_, err := admin.Query(t.Context(), name, &erp.Query{Top: 1})
		require.NoError(t, err, name)
	}

	// make makes a record, and removes it after the case.
	make := func(t *testing.T, table string, values map[string]any) {
		t.Helper()
		rec, err := admin.Create(t.Context(), table, values)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, admin.Delete(context.Background(), table, rec.ID())) })
	}
	change := func(t *testing.T, table string, id erp.ID, column string, now, before any) {
		t.Helper()
		_, err := admin.Update(t.Context(), table, id, map[string]any{column: now})
		require.NoError(t, err)
		t.Cleanup(func() {
			_, err := admin.Update(context.Background(), table, id, map[string]any{column: before})
			assert.NoError(t, err)
		})
	}
	role := map[string]any{"id": 103}
	db := srv.Database()
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	meets := func(ctx context.Context, table string, rec erp.Record, condition string) (bool, error) {
		var n int
		err := db.QueryRowContext(ctx, fmt.Sprintf("SELECT count(*) FROM %[1]s WHERE %[1]s_ID = ? AND (%[2]s)", table, condition), rec.ID().String()).Scan(&n)
		return n == 1, err
	}
	rowRule := func(code string) func(t *testing.T) {
		return func(t *testing.T) {
			make(t, "AD_TableValRule", map[string]any{"AD_Table_ID": map[string]any{"id": table.ID()}, "AD_Role_ID": role, "AD_User_ID": erp.NoRef, "Description": "Orders of the role", "Code": code})
		}
	}

	for _, tc := range []struct {
		name        string
		with        func(t *testing.T)
		q           access.Question
		read, write access.Verdict
		reason, fix string
	}{
		{"a window", nil, access.Question{User: "GardenUser", Window: "Sales Order"}, access.Yes, access.Yes, "role GardenWorld User has the window Sales Order", ""},
		{"a window of System", nil, access.Question{Role: "GardenWorld User", Window: "Table and Column"}, access.No, access.No, "neither role GardenWorld User nor a role it includes has the window Table and Column", "add the window to the role in window Role, tab Window Access"},
		{"the level of a window", nil, access.Question{Role: "103", Window: "Table and Column"}, access.No, access.No, "its first table AD_Table has the data access level System only", "use a role with a fitting user level"},
		{"a process", nil, access.Question{Role: "GardenWorld User", Process: "RV_OrderDetail"}, access.Yes, access.Yes, "role GardenWorld User has the process RV_OrderDetail", ""},
		{"a table", nil, access.Question{User: "GardenUser", Table: "C_Order"}, access.Yes, access.Yes, "nothing in the permission tables keeps role GardenWorld User from the table", ""},
		{"a table of System", nil, access.Question{Role: "GardenWorld User", Table: "AD_Table"}, access.Yes, access.No, "which a role of user level", ""},
		{"a table that a rule excludes", func(t *testing.T) {
			make(t, "AD_Table_Access", map[string]any{"AD_Role_ID": role, "AD_Table_ID": map[string]any{"id": table.ID()}, "AccessTypeRule": "A", "IsExclude": true, "IsReadOnly": false})
		}, access.Question{Role: "GardenWorld User", Table: "C_Order"}, access.No, access.No, "a rule of role GardenWorld User excludes the table C_Order", "change the rule in window Role Data Access, tab Table Access"},
		{"a table that is not in the list", func(t *testing.T) {
			make(t, "AD_Table_Access", map[string]any{"AD_Role_ID": role, "AD_Table_ID": map[string]any{"id": partners.ID()}, "AccessTypeRule": "A", "IsExclude": false, "IsReadOnly": false})
		}, access.Question{Role: "GardenWorld User", Table: "C_Order"}, access.No, access.No, "role GardenWorld User has a list of tables it may use, and C_Order is not in it", "add the table"},
		{"a column that is read only", func(t *testing.T) {
			make(t, "AD_Column_Access", map[string]any{"AD_Role_ID": role, "AD_Table_ID": map[string]any{"id": table.ID()}, "AD_Column_ID": map[string]any{"id": column.ID()}, "IsExclude": true, "IsReadOnly": true})
		}, access.Question{Role: "GardenWorld User", Table: "C_Order", Column: "description"}, access.Yes, access.No, "lets the column Description be read only", "change the rule in window Role Data Access, tab Column Access"},
		{"a secret column", nil, access.Question{Role: "GardenWorld User", Table: "AD_User", Column: "Password"}, access.No, access.No, "holds secrets", ""},
		{"a record", nil, access.Question{User: "GardenUser", Table: "C_Order", Record: orderID}, access.Yes, access.No, "the record is processed", ""},
		{"a record that a rule excludes", func(t *testing.T) {
			make(t, "AD_Record_Access", map[string]any{"AD_Role_ID": role, "AD_Table_ID": map[string]any{"id": table.ID()}, "Record_ID": order.ID(), "IsExclude": true, "IsReadOnly": false})
		}, access.Question{Role: "GardenWorld User", Table: "C_Order", Record: orderID}, access.No, access.No, "excludes the record", "tab Record Access"},
		{"a record that a rule of the table hides", rowRule("C_Order.GrandTotal < 0 OR @#AD_Role_ID@ <> 103"),
			access.Question{Role: "GardenWorld User", Table: "C_Order", Record: orderID, Meets: meets}, access.No, access.No, "a rule of the table hides the record from role GardenWorld User: Orders of the role", "window Table Validation Rule"},
		{"a record that a rule of the table shows", rowRule("C_Order.GrandTotal >= 0 AND @#AD_Client_ID@ = 11"),
			access.Question{Role: "GardenWorld User", Table: "C_Order", Record: orderID, Meets: meets}, access.Yes, access.No, "the record is processed", ""},
		{"a table with a rule about its records", rowRule("C_Order.GrandTotal >= 0"),
			access.Question{Role: "GardenWorld User", Table: "C_Order"}, access.Yes, access.Yes, "a rule of the table decides which records of C_Order role GardenWorld User sees: Orders of the role", ""},
		{"a record that points to one that a rule excludes", func(t *testing.T) {
			make(t, "AD_Record_Access", map[string]any{"AD_Role_ID": role, "AD_Table_ID": map[string]any{"id": partners.ID()}, "Record_ID": partner.ID, "IsExclude": true, "IsReadOnly": false, "IsDependentEntities": true})
		}, access.Question{Role: "GardenWorld User", Table: "C_Order", Record: orderID}, access.No, access.No, fmt.Sprintf("a rule about record %s of C_BPartner counts for records that point to it", partner.ID), "clear Dependent Entities"},
		{"a window whose access was taken away", func(t *testing.T) {
			grant := first(t, admin, "AD_Window_Access", erp.Eq("AD_Role_ID", 103).And(erp.Eq("AD_Window_ID", window.ID())))
			change(t, "AD_Window_Access", erp.UUID(grant.UUID()), "IsActive", false, true)
		}, access.Question{User: "GardenUser", Role: "GardenWorld User", Window: "sales order"}, access.No, access.No, "the access of role GardenWorld User to the window Sales Order is deactivated", "activate it in window Role, tab Window Access"},
		{"a window for reading", func(t *testing.T) {
			grant := first(t, admin, "AD_Window_Access", erp.Eq("AD_Role_ID", 103).And(erp.Eq("AD_Window_ID", window.ID())))
			change(t, "AD_Window_Access", erp.UUID(grant.UUID()), "IsReadWrite", false, true)
		}, access.Question{Role: "GardenWorld User", Window: "Sales Order"}, access.Yes, access.No, "has the window Sales Order for reading only", "set Read Write"},
		{"a role that is deactivated", func(t *testing.T) { change(t, "AD_Role", erp.IntID(103), "IsActive", false, true) },
			access.Question{Role: "GardenWorld User", Window: "Sales Order"}, access.No, access.No, "the role GardenWorld User is deactivated", "activate the role"},
	} {
		t.Run(tc.name, func(t *testing.T) { // one at a time: they change the ERP
			if tc.with != nil {
				tc.with(t)
			}
			got, err := access.Explain(t.Context(), admin, tc.q)
			require.NoError(t, err)
			require.NotEmpty(t, got.Roles, "%+v", got)
			r := got.Roles[0]
			assert.Equal(t, "GardenWorld User", r.Name)
			assert.Equal(t, [2]access.Verdict{tc.read, tc.write}, [2]access.Verdict{r.Read, r.Write}, "%+v", r.Reasons)
			var texts, fixes string
			for _, reason := range r.Reasons {
				texts += reason.Text + "\n"
				fixes += reason.Fix + "\n"
			}
			assert.Contains(t, texts, tc.reason)
			assert.Contains(t, fixes, tc.fix)
			if tc.q.Table != "" && tc.q.Column == "" { // the ERP itself says the same
				filter := erp.Filter{}
				if tc.q.Record != "" {
					filter = erp.Eq(tc.q.Table+"_ID", order.ID())
				}
				page, err := user.Query(t.Context(), tc.q.Table, &erp.Query{Filter: filter, Top: 1})
				assert.Equal(t, tc.read == access.Yes, err == nil && len(page.Records) == 1, "what the role sees: %v", err)
			}
		})
	}

	for name, q := range map[string]access.Question{
		"nobody":           {Window: "Sales Order"},
		"nothing":          {User: "GardenUser"},
		"two things":       {User: "GardenUser", Window: "Sales Order", Table: "C_Order"},
		"a record of what": {User: "GardenUser", Window: "Sales Order", Record: "1"},
		"an unknown user":  {User: "Nobody'; --", Window: "Sales Order"},
		"an unknown one":   {Role: "GardenWorld User", Window: "Sales Ordr"},
		"no such column":   {Role: "GardenWorld User", Table: "C_Order", Column: "Nope"},
		"no such record":   {Role: "GardenWorld User", Table: "C_Order", Record: "999999999"},
		"a quoted column":  {Role: "GardenWorld User", Table: "C_Order", Column: "a'b"},
		"no record":        {Role: "GardenWorld User", Table: "C_Order", Record: "../x"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := access.Explain(t.Context(), admin, q)
			assert.ErrorIs(t, err, access.ErrQuestion)
		})
	}

	t.Run("a rule of the table that nobody can try", func(t *testing.T) {
		rowRule("C_Order.GrandTotal < 0")(t)
		for _, tc := range []access.Question{
			{Role: "103", Table: "C_Order", Record: orderID},
			{Role: "103", Table: "C_Order", Record: orderID, Meets: func(context.Context, string, erp.Record, string) (bool, error) { return true, errors.New("no SQL") }},
		} {
			got, err := access.Explain(t.Context(), admin, tc)
			require.NoError(t, err)
			assert.Equal(t, access.Unknown, got.Roles[0].Read, "%+v", got)
		}
	})

	t.Run("a caller who may not read permissions", func(t *testing.T) {
		grants := first(t, admin, "AD_Table", erp.Eq("TableName", "AD_Window_Access"))
		make(t, "AD_Table_Access", map[string]any{"AD_Role_ID": role, "AD_Table_ID": map[string]any{"id": grants.ID()}, "AccessTypeRule": "A", "IsExclude": true, "IsReadOnly": false})
		got, err := access.Explain(t.Context(), user, access.Question{Role: "103", Window: "Sales Order"})
		require.NoError(t, err)
		assert.Equal(t, access.Unknown, got.Roles[0].Read, "%+v", got)
		assert.Equal(t, []string{"AD_Window_Access"}, got.Unread)
	})
}

// Who does not see which columns a table has is not told that a record points to nothing.
func TestExplainWithoutColumns(t *testing.T) {
	t.Parallel()
	srv := erptest.New(t)
	admin := connect(t, srv, "GardenAdmin", 11, 102, 11)
	root := connect(t, srv, "SuperUser", 0, 0, 0)
	about := func(table string) map[string]any {
		return map[string]any{"id": first(t, root, "AD_Table", erp.Eq("TableName", table)).ID()}
	}
	order := first(t, admin, "C_Order", erp.Gt("C_BPartner_ID", 0))
	for table, values := range map[string]map[string]any{
		"AD_Record_Access": {"AD_Role_ID": map[string]any{"id": 103}, "AD_Table_ID": about("C_BPartner"), "Record_ID": 114, "IsExclude": true, "IsReadOnly": false, "IsDependentEntities": true},
		"AD_Table_Access":  {"AD_Role_ID": map[string]any{"id": 102}, "AD_Table_ID": about("AD_Column"), "AccessTypeRule": "A", "IsExclude": true, "IsReadOnly": false},
	} {
		_, err := admin.Create(t.Context(), table, values)
		require.NoError(t, err)
	}
	got, err := access.Explain(t.Context(), admin, access.Question{Role: "103", Table: "C_Order", Record: order.ID().String()})
	require.NoError(t, err)
	require.Len(t, got.Roles, 1)
	assert.Contains(t, got.Unread, "AD_Column")
	assert.Equal(t, access.Unknown, got.Roles[0].Read, "%+v", got.Roles[0].Reasons)
}
