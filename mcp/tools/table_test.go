package tools_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/mcp"
)

type madeTable struct {
	Table, Status, Note string
	ID, Columns         int
	Created, Found      int
	Synced              bool
	Missing             []string
	Differs             []struct{ Column, Has, Wanted string }
	Plan                *struct {
		Steps      []struct{ Action, Kind, Name string }
		DDL        []string
		Total      int
		Truncated  bool
		NextCursor string
	}
}

// client is a connection to the kit's ERP.
func (k *kit) client(t *testing.T, who login) (context.Context, *erp.Client) {
	t.Helper()
	ctx, client, err := k.rest.Connect(t.Context(), k.as(t, who))
	require.NoError(t, err)
	return ctx, client
}

type deletedTable struct {
	Table         string
	Deleted       bool
	Columns, Rows int
	Windows, Tabs []string
	Left          string
}

// TestTables makes tables, synchronises and deletes them. It is one story,
// because reading the dictionary after each change takes most of its time.
func TestTables(t *testing.T) {
	t.Parallel()
	k := workshop(t)
	remark := args{
		"table": "XX_ToolRemark", "description": "Remarks", "templates": "VALUE_NAME", "createWindow": true,
		"columns": []args{
			{"name": "C_BPartner_ID", "type": "table direct", "mandatory": true, "parent": true},
			{"name": "XX_Owner_ID", "type": "Table", "pointsTo": "ad_user"},
			{"name": "XX_Kind", "type": "List", "values": []args{{"value": "A", "name": "Praise"}, {"value": "B", "name": "Complaint"}}},
			{"name": "DocStatus", "type": "List", "reference": "_document status"},
			{"name": "XX_Text", "type": "Text", "length": 2000},
		},
	}
	plan := response[madeTable](t, k, root, "createTable", with(remark, args{"dryRun": true}))
	assert.Equal(t, "planned", plan.Status)
	assert.Equal(t, 16, plan.Columns)
	require.NotEmpty(t, plan.Plan.DDL)
	assert.Contains(t, plan.Plan.DDL[0], "CREATE TABLE XX_ToolRemark")
	assert.Contains(t, strings.Join(plan.Plan.DDL, "\n"), "REFERENCES c_bpartner(")
	assert.Equal(t, len(plan.Plan.Steps), plan.Plan.Total)
	refusal(t, k, root, "describeTable", args{"table": "XX_ToolRemark"}, mcp.CodeNotFound)

	var steps []string
	raw, err := k.invoke(t, &mcp.Call{Caller: k.as(t, root), Confirm: willing, Progress: func(done, total float64, message string) {
		assert.LessOrEqual(t, done, total)
		steps = append(steps, message)
	}}, "createTable", remark)
	require.NoError(t, err)
	assert.Len(t, steps, plan.Plan.Total)
	made := decoded[madeTable](t, raw)
	assert.Equal(t, "created", made.Status)
	assert.True(t, made.Synced)
	assert.Positive(t, made.ID)
	assert.Equal(t, 16, made.Columns)
	more := args{"table": "XX_ToolRemark", "templates": "VALUE_NAME", "columns": []args{{"name": "XX_Later", "type": "String", "length": 20}}}
	lacks := response[madeTable](t, k, root, "createTable", more)
	assert.Equal(t, "unchanged", lacks.Status)
	assert.Equal(t, []string{"XX_Later"}, lacks.Missing)
	added := response[madeTable](t, k, root, "createTable", with(more, args{"addMissing": true}))
	assert.Equal(t, "completed", added.Status)
	assert.Equal(t, made.ID, added.ID)
	same := response[madeTable](t, k, root, "createTable", with(more, args{"addMissing": true}))
	assert.Equal(t, "unchanged", same.Status)

	response[madeTable](t, k, root, "createTable", args{"table": "XX_Sync", "noSync": true})
	response[madeTable](t, k, root, "createTable", args{"table": "XX_Header"})
	response[madeTable](t, k, root, "createTable", args{"table": "XX_Detail", "columns": []args{
		{"name": "XX_Header_ID", "type": "Table Direct", "parent": true}, {"name": "XX_Kind", "type": "List", "values": []args{{"value": "A", "name": "A"}}},
	}})
	gone := response[madeTable](t, k, root, "createTable", args{"table": "XX_Gone", "templates": "VALUE_NAME", "createWindow": true, "accessLevel": "7"})

	t.Run("the dictionary has it", func(t *testing.T) {
		described := response[columnsResponse](t, k, root, "describeTable", args{"table": "xx_toolremark", "detail": "summary"})
		points := map[string]string{}
		for _, c := range described.Columns {
			points[c.Name] = c.References + c.List
		}
		assert.Len(t, points, 17)
		assert.Equal(t, "C_BPartner", points["C_BPartner_ID"])
		assert.Equal(t, "AD_User", points["XX_Owner_ID"])
		assert.Equal(t, "_Document Status", points["DocStatus"])
		assert.Equal(t, "XX_ToolRemark XX_Kind", points["XX_Kind"])
		assert.Contains(t, points, "XX_Later")
		again := response[madeTable](t, k, root, "createTable", remark)
		assert.Equal(t, "unchanged", again.Status)
		assert.Equal(t, made.ID, again.ID)
		assert.Equal(t, "already exists, unchanged", again.Note)
		assert.Empty(t, again.Missing)
		own := response[tablesResponse](t, k, root, "listTablesByEntity", args{"entityType": "U", "pattern": "XX_%"})
		assert.Subset(t, own.names(), []string{"XX_Detail", "XX_Gone", "XX_Header", "XX_Sync", "XX_ToolRemark"})
	})
	t.Run("synchronise", func(t *testing.T) { synchronise(t, k) })
	t.Run("delete", func(t *testing.T) { deleteTables(t, k, gone) })
}

func synchronise(t *testing.T, k *kit) {
	type synced struct {
		Table, Column, Process, Summary string
		Done                            bool
	}
	would := response[synced](t, k, root, "syncTable", args{"table": "xx_sync", "dryRun": true})
	assert.False(t, would.Done)
	assert.NotEmpty(t, would.Process)
	ctx, client := k.client(t, root)
	_, err := client.Query(ctx, "XX_Sync", nil)
	require.Error(t, err, "there is nothing in the database yet")
	done := response[synced](t, k, root, "syncTable", args{"table": "xx_sync"})
	assert.Equal(t, "XX_Sync", done.Table)
	assert.True(t, done.Done)
	_, err = client.Query(ctx, "XX_Sync", nil)
	require.NoError(t, err)
	one := response[synced](t, k, root, "syncTable", args{"table": "XX_Sync", "column": "isactive"})
	assert.Equal(t, "IsActive", one.Column)

	e := refusal(t, k, root, "syncTable", args{"table": "XX_Sync", "column": "IsActiv"}, mcp.CodeNotFound)
	assert.Contains(t, e.Hint, "did you mean IsActive")
	refusal(t, k, root, "syncTable", args{"table": "XX_Synk"}, mcp.CodeNotFound)
	refusal(t, k, root, "syncTable", args{"table": `XX_' or 1 eq 1`}, mcp.CodeNotFound)
	refusal(t, k, root, "syncTable", args{}, mcp.CodeInvalidArguments)

	// A table and a column made by somebody else are found without waiting.
	table, err := client.Create(ctx, "AD_Table", map[string]any{"TableName": "XX_Other", "Name": "Other", "AccessLevel": "3", "EntityType": "U"})
	require.NoError(t, err)
	e = refusal(t, k, root, "syncTable", args{"table": "XX_Other"}, mcp.CodeConflict)
	assert.Contains(t, e.Message, "no column")
	_, err = client.Create(ctx, "AD_Column", map[string]any{
		"AD_Table_ID": table.ID(), "ColumnName": "IsActive", "Name": "Active", "AD_Reference_ID": 20, "FieldLength": 1, "AD_Element_ID": 348, "EntityType": "U", "Version": 0,
	})
	require.NoError(t, err)
	one = response[synced](t, k, root, "syncTable", args{"table": "XX_Other", "column": "IsActive", "dryRun": true})
	assert.Equal(t, "IsActive", one.Column)
}

func deleteTables(t *testing.T, k *kit, made madeTable) {
	agree := func(who login) *mcp.Call {
		return &mcp.Call{Caller: k.as(t, who), Confirm: willing}
	}
	for _, name := range []string{"C_Order", "AD_Table", "ad_user"} {
		_, err := k.invoke(t, agree(root), "deleteTable", args{"table": name})
		assert.Equal(t, mcp.CodePermissionDenied, mcp.ErrorOf(err).Code, name)
	}
	_, err := k.invoke(t, agree(root), "deleteTable", args{"table": `XX_'; DELETE`})
	assert.Equal(t, mcp.CodeNotFound, mcp.ErrorOf(err).Code)
	_, err = k.invoke(t, agree(root), "deleteTable", args{"table": "XX_Header"})
	e := mcp.ErrorOf(err)
	assert.Equal(t, mcp.CodeConflict, e.Code)
	assert.Contains(t, e.Message, "XX_Detail.XX_Header_ID")
	_, err = k.invoke(t, agree(admin), "deleteTable", args{"table": "XX_Detail"})
	assert.Equal(t, mcp.CodePermissionDenied, mcp.ErrorOf(err).Code)

	// Rows, and a tab in a window of the ERP's own, which stays.
	ctx, client := k.client(t, root)
	for i := range 3 {
		_, err := client.Create(ctx, "XX_Gone", map[string]any{"Value": fmt.Sprint(i), "Name": "n"})
		require.NoError(t, err)
	}
	page, err := client.Query(ctx, "AD_Window", &erp.Query{Filter: erp.Eq("Name", "Business Partner"), Top: 1})
	require.NoError(t, err)
	require.Len(t, page.Records, 1)
	window := page.Records[0].ID()
	_, err = client.Create(ctx, "AD_Tab", map[string]any{"AD_Window_ID": window, "AD_Table_ID": made.ID, "Name": "Extra", "SeqNo": 900, "TabLevel": 1, "EntityType": "U"})
	require.NoError(t, err)

	would := response[deletedTable](t, k, root, "deleteTable", args{"table": "XX_Gone", "dryRun": true})
	assert.Equal(t, 3, would.Rows)
	assert.Equal(t, 11, would.Columns)
	assert.Equal(t, []string{"Gone"}, would.Windows)
	assert.Equal(t, []string{"Business Partner / Extra"}, would.Tabs)
	assert.False(t, would.Deleted)

	// Nobody asked: the question comes back as it is.
	_, err = k.invoke(t, &mcp.Call{Caller: k.as(t, root)}, "deleteTable", args{"table": "XX_Gone"})
	var question *mcp.ConfirmationRequired
	require.ErrorAs(t, err, &question)
	assert.Equal(t, `Delete table XX_Gone from the dictionary, with its 11 columns?
columns: AD_Client_ID, AD_Org_ID, Created, CreatedBy, IsActive, Name, Updated, UpdatedBy, Value, XX_Gone_ID, XX_Gone_UU
windows, with their menu entries: "Gone"
tabs: "Business Partner / Extra"
AD_Field: 11
AD_Menu: 1
AD_Tab: 2
AD_Table: 1
AD_Window: 1
AD_Window_Access: 1
It has 3 rows that this role sees; nobody can reach them afterwards.`, question.Message)
	reply := func(agreed bool) *mcp.Call {
		return &mcp.Call{Caller: k.as(t, root), Confirm: func(_ context.Context, message string) (bool, error) {
			assert.Equal(t, question.Message, message)
			return agreed, nil
		}}
	}
	_, err = k.invoke(t, reply(false), "deleteTable", args{"table": "XX_Gone"})
	assert.Equal(t, mcp.CodeDeclined, mcp.ErrorOf(err).Code)
	_, err = client.Get(ctx, "AD_Table", erp.IntID(int64(made.ID)), nil)
	require.NoError(t, err, "it is still there")

	raw, err := k.invoke(t, reply(true), "deleteTable", args{"table": "XX_Gone"})
	require.NoError(t, err)
	gone := decoded[deletedTable](t, raw)
	assert.True(t, gone.Deleted)
	assert.Contains(t, gone.Left, "DROP TABLE XX_Gone")
	_, err = client.Get(ctx, "AD_Table", erp.IntID(int64(made.ID)), nil)
	require.ErrorIs(t, err, erp.ErrNotFound)
	for _, table := range []string{"AD_Column", "AD_Tab"} {
		page, err := client.Query(ctx, table, &erp.Query{Filter: erp.Eq("AD_Table_ID", made.ID)})
		require.NoError(t, err)
		assert.Empty(t, page.Records, table)
	}
	page, err = client.Query(ctx, "AD_Window", &erp.Query{Filter: erp.Eq("Name", "Gone")})
	require.NoError(t, err)
	assert.Empty(t, page.Records)
	_, err = client.Get(ctx, "AD_Window", window, nil)
	require.NoError(t, err)
	refusal(t, k, root, "deleteTable", args{"table": "XX_Gone"}, mcp.CodeNotFound)

	// What points to a table goes first.
	response[madeTable](t, k, root, "createTable", args{"table": "XX_Detail", "addMissing": true, "columns": args{"name": "XX_Other_Header_ID", "type": "Table", "pointsTo": "xx_header"}})
	for _, name := range []string{"XX_Detail", "XX_Header"} {
		_, err = k.invoke(t, agree(root), "deleteTable", args{"table": name})
		require.NoError(t, err, name)
	}
	page, err = client.Query(ctx, "AD_Reference", &erp.Query{Filter: erp.StartsWith("Name", erp.Pattern("XX_Detail "))})
	require.NoError(t, err)
	assert.Empty(t, page.Records, "what was made for its columns goes, too")
}

// What broke off is completed, and nothing is made twice.
func TestCreateTableAfterAFailure(t *testing.T) {
	t.Parallel()
	k := start(t)
	question := args{"table": "XX_Broken", "noSync": true}
	off := k.srv.Faults().On(erptest.Match{Method: "POST", Path: "/batch"}, erptest.Fail(404))
	fault := k.srv.Faults().On(erptest.Match{Method: "POST", Path: "/models/AD_Column", N: 3, Times: 1000}, erptest.Fail(400))
	e := refusal(t, k, root, "createTable", question, mcp.CodeRefused)
	assert.Contains(t, e.Hint, "addMissing")
	fault.Remove()
	off.Remove()
	half := response[madeTable](t, k, root, "createTable", question)
	assert.Equal(t, "unchanged", half.Status)
	assert.NotEmpty(t, half.Missing)
	whole := response[madeTable](t, k, root, "createTable", with(question, args{"addMissing": true}))
	assert.Equal(t, "completed", whole.Status)
	assert.False(t, whole.Synced)
	ctx, client := k.client(t, root)
	page, err := client.Query(ctx, "AD_Column", &erp.Query{Filter: erp.Eq("AD_Table_ID", whole.ID)})
	require.NoError(t, err)
	assert.Len(t, page.Records, 9)
	page, err = client.Query(ctx, "AD_Table", &erp.Query{Filter: erp.Eq("TableName", "XX_Broken")})
	require.NoError(t, err)
	assert.Len(t, page.Records, 1)
}

// with is arguments with others in their place.
func with(a, changed args) args {
	out := args{}
	for name, value := range a {
		out[name] = value
	}
	for name, value := range changed {
		out[name] = value
	}
	return out
}

func TestCreateTableRefuses(t *testing.T) {
	t.Parallel()
	k := shared(t)
	column := func(c args) args { return args{"table": "XX_Refused", "columns": []args{c}} }
	for name, tc := range map[string]struct {
		arguments args
		code      string
		says      string
	}{
		"without the prefix":           {args{"table": "Remark"}, mcp.CodeInvalidArguments, "XX_"},
		"a table of the ERP":           {args{"table": "C_Order"}, mcp.CodeInvalidArguments, "XX_"},
		"a name with quotes":           {args{"table": `XX_A"; DROP TABLE C_Order; --`}, mcp.CodeInvalidArguments, "name"},
		"a name with a path":           {args{"table": "XX_../../etc"}, mcp.CodeInvalidArguments, "name"},
		"a very long name":             {args{"table": "XX_" + strings.Repeat("a", 70)}, mcp.CodeInvalidArguments, "table"},
		"no name":                      {args{}, mcp.CodeInvalidArguments, `"table" is missing`},
		"an unknown template":          {args{"table": "XX_Refused", "templates": []string{"DOCUMNT"}}, mcp.CodeInvalidArguments, "templates"},
		"an unknown access level":      {args{"table": "XX_Refused", "accessLevel": "5"}, mcp.CodeInvalidArguments, "accessLevel"},
		"an unknown type":              {column(args{"name": "XX_A", "type": "Strng"}), mcp.CodeInvalidArguments, "did you mean String"},
		"a column name with a quote":   {column(args{"name": "XX_A'", "type": "String"}), mcp.CodeInvalidArguments, "XX_A'"},
		"a column twice":               {column(args{"name": "IsActive", "type": "Yes-No"}), mcp.CodeInvalidArguments, "IsActive"},
		"points to nothing":            {column(args{"name": "XX_A", "type": "Table", "pointsTo": "AD_Usr"}), mcp.CodeInvalidArguments, "AD_User"},
		"a text that points":           {column(args{"name": "XX_A", "type": "String", "pointsTo": "AD_User"}), mcp.CodeInvalidArguments, "points to no table"},
		"Table Direct by another name": {column(args{"name": "XX_A", "type": "Table Direct", "pointsTo": "AD_User"}), mcp.CodeInvalidArguments, "AD_User_ID"},
		"values of no list":            {column(args{"name": "XX_A", "type": "String", "values": []args{{"value": "A", "name": "B"}}}), mcp.CodeInvalidArguments, "List"},
		"two ways to choose":           {column(args{"name": "XX_A", "type": "List", "reference": "_Document Status", "values": []args{{"value": "A", "name": "B"}}}), mcp.CodeInvalidArguments, "one of"},
		"an unknown reference":         {column(args{"name": "XX_A", "type": "List", "reference": "_Documnt Status"}), mcp.CodeInvalidArguments, "_Document Status"},
		"import without its template":  {args{"table": "XX_Refused", "importInto": "C_BPartner"}, mcp.CodeInvalidArguments, "IMPORT"},
		"import into nothing":          {args{"table": "XX_Refused", "importInto": "C_BPartnr", "templates": "IMPORT"}, mcp.CodeNotFound, "C_BPartner"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := refusal(t, k, root, "createTable", tc.arguments, tc.code)
			assert.Contains(t, e.Error(), tc.says)
			refusal(t, k, root, "createTable", with(tc.arguments, args{"dryRun": true}), tc.code)
		})
	}
	t.Run("no permissions", func(t *testing.T) {
		t.Parallel()
		e := refusal(t, k, user, "createTable", args{"table": "XX_NoRights"}, mcp.CodePermissionDenied)
		assert.Contains(t, e.Hint, "System tenant")
		refusal(t, k, admin, "createTable", args{"table": "XX_NoRights"}, mcp.CodePermissionDenied)
	})
}

// A plan longer than a response comes in pages.
func TestCreateTablePlanHasPages(t *testing.T) {
	t.Parallel()
	k := shared(t)
	var columns []args
	for i := range 200 {
		columns = append(columns, args{"name": fmt.Sprintf("XX_%s_%03d", strings.Repeat("Long", 12), i), "type": "String", "length": 60, "default": strings.Repeat("x", 50)})
	}
	question := args{"table": "XX_Wide", "columns": columns, "dryRun": true}
	first := response[madeTable](t, k, root, "createTable", question)
	assert.True(t, first.Plan.Truncated)
	seen, page := len(first.Plan.Steps), first
	for page.Plan.Truncated {
		page = response[madeTable](t, k, root, "createTable", with(question, args{"cursor": page.Plan.NextCursor}))
		assert.Empty(t, page.Plan.DDL)
		require.NotEmpty(t, page.Plan.Steps)
		seen += len(page.Plan.Steps)
	}
	assert.Equal(t, first.Plan.Total, seen)
	refusal(t, k, root, "createTable", args{"table": "XX_Wide", "columns": append(columns, columns[0])}, mcp.CodeInvalidArguments)
}

func TestListTablesByEntity(t *testing.T) {
	t.Parallel()
	k := shared(t)
	core := response[tablesResponse](t, k, root, "listTablesByEntity", args{"entityType": "D", "pattern": "C_OrderLi%"})
	assert.Equal(t, []string{"C_OrderLine"}, core.names())
	first := response[tablesResponse](t, k, root, "listTablesByEntity", args{"entityType": "D", "limit": 2})
	assert.True(t, first.Truncated)
	next := response[tablesResponse](t, k, root, "listTablesByEntity", args{"entityType": "D", "limit": 2, "cursor": first.NextCursor})
	assert.NotEqual(t, first.names(), next.names())
	e := refusal(t, k, root, "listTablesByEntity", args{"entityType": "Nobody"}, mcp.CodeNotFound)
	assert.Contains(t, e.Hint, "D")
	refusal(t, k, root, "listTablesByEntity", args{"entityType": " "}, mcp.CodeInvalidArguments)
	refusal(t, k, root, "listTablesByEntity", args{}, mcp.CodeInvalidArguments)
}

func TestGetColumnPrefixHelp(t *testing.T) {
	t.Parallel()
	k := shared(t)
	type help struct {
		Rules    []struct{ Name, Type, Meaning string }
		Prefixes []struct {
			Prefix, About string
			Tables        int
		}
		Advice *struct {
			Column, Type, Table, Element, Advice string
			Used                                 int
		}
	}
	all := response[help](t, k, root, "getColumnPrefixHelp", args{})
	assert.NotEmpty(t, all.Rules)
	assert.Nil(t, all.Advice)
	prefixes := map[string]int{}
	for _, p := range all.Prefixes {
		prefixes[p.Prefix] = p.Tables
	}
	assert.Positive(t, prefixes["C_"])
	assert.Contains(t, prefixes, "XX_")
	for name, want := range map[string]struct{ typ, table string }{
		"c_bpartner_id":    {"Search", "C_BPartner"},
		"C_ElementNew_ID":  {"Table", ""},
		"C_BPartner_Nope":  {"String", ""},
		"IsZebra":          {"Yes-No", ""},
		"XX_IsZebra":       {"Yes-No", ""},
		"XX_QtyZebra":      {"Quantity", ""},
		"XX_ZebraStatus":   {"List", ""},
		"DateZebra":        {"Date", ""},
		`x' OR '1'='1' --`: {"String", ""},
	} {
		got := response[help](t, k, root, "getColumnPrefixHelp", args{"column": name})
		require.NotNil(t, got.Advice, name)
		assert.Equal(t, want.table, got.Advice.Table, name)
		if name != "c_bpartner_id" {
			assert.Equal(t, want.typ, got.Advice.Type, name)
			assert.Zero(t, got.Advice.Used, name)
		} else {
			assert.Positive(t, got.Advice.Used)
		}
	}
}
