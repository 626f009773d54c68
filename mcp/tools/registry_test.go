package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp"
)

type tablesResponse struct {
	Tables []struct {
		Name    string
		Label   string
		Columns int
		View    bool
	}
	Total      int
	Truncated  bool
	NextCursor string
}

func (a tablesResponse) names() []string {
	names := make([]string, len(a.Tables))
	for i, t := range a.Tables {
		names[i] = t.Name
	}
	return names
}

type columnsResponse struct {
	Name, TableName, AccessLevel, Window, Help string
	Columns                                    []struct {
		Name, Table, Type, References, List, Description string
		Key, Mandatory                                   bool
	}
	Total      int
	Truncated  bool
	NextCursor string
}

func (a columnsResponse) names() []string {
	names := make([]string, len(a.Columns))
	for i, c := range a.Columns {
		names[i] = c.Name
	}
	return names
}

func TestListTables(t *testing.T) {
	t.Parallel()
	k := shared(t)
	for name, tc := range map[string]struct {
		arguments args
		want      []string
		total     int
	}{
		"by a pattern in any case": {args{"pattern": "c_orderli%"}, []string{"C_OrderLine"}, 1},
		"one character":            {args{"pattern": "AD_Rol_"}, []string{"AD_Role"}, 1},
		"a name with quotes":       {args{"pattern": `x' or '1'='1`}, []string{}, 0},
		"one table by its name":    {args{"pattern": "c_order"}, []string{"C_Order"}, 1},
		"within":                   {args{"pattern": "orderline"}, []string{"C_OrderLine", "DD_OrderLine"}, 2},
		"one character, within":    {args{"pattern": "rder_ax"}, []string{"C_OrderTax"}, 1},
		"nothing fits":             {args{"pattern": "ZZ%"}, []string{}, 0},
		"custom and core":          {args{"pattern": "C_Order%", "customOnly": true}, []string{}, 0},
		"limit as text":            {args{"pattern": "C_OrderLi%", "limit": "1"}, []string{"C_OrderLine"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := response[tablesResponse](t, k, root, "listTables", tc.arguments)
			assert.Equal(t, tc.want, got.names())
			assert.Equal(t, tc.total, got.Total)
			assert.False(t, got.Truncated)
		})
	}

	t.Run("pages have everything once", func(t *testing.T) {
		t.Parallel()
		whole := response[tablesResponse](t, k, root, "listTables", args{"pattern": "AD_%", "limit": 500})
		require.False(t, whole.Truncated)
		require.Len(t, whole.Tables, whole.Total)
		var names []string
		question := args{"pattern": "AD_%", "limit": 7}
		for range whole.Total {
			page := response[tablesResponse](t, k, root, "listTables", question)
			names = append(names, page.names()...)
			assert.Equal(t, whole.Total, page.Total)
			if !page.Truncated {
				assert.Empty(t, page.NextCursor)
				break
			}
			question["cursor"] = page.NextCursor
		}
		assert.Equal(t, whole.names(), names)
	})

	t.Run("wrong arguments", func(t *testing.T) {
		t.Parallel()
		e := refusal(t, k, root, "listTables", args{"patern": "C%"}, mcp.CodeInvalidArguments)
		assert.Contains(t, e.Hint, `did you mean "pattern"?`)
		refusal(t, k, root, "listTables", args{"limit": 0}, mcp.CodeInvalidArguments)
		refusal(t, k, root, "listTables", args{"limit": 501}, mcp.CodeInvalidArguments)
		refusal(t, k, root, "listTables", args{"pattern": strings.Repeat("%", 201)}, mcp.CodeInvalidArguments)
		for _, cursor := range []string{"!", "AAAA", "LTEgeHh4", strings.Repeat("A", 5000)} {
			e = refusal(t, k, root, "listTables", args{"cursor": cursor}, mcp.CodeInvalidArguments)
			assert.Contains(t, e.Message, "belongs to another call")
		}
		page := response[tablesResponse](t, k, root, "listTables", args{"limit": 1})
		refusal(t, k, root, "listTables", args{"limit": 1, "pattern": "C%", "cursor": page.NextCursor}, mcp.CodeInvalidArguments)
		refusal(t, k, root, "listWindows", args{"limit": 1, "cursor": page.NextCursor}, mcp.CodeInvalidArguments)
	})

	t.Run("without a token", func(t *testing.T) {
		t.Parallel()
		_, err := k.invoke(t, &mcp.Call{}, "listTables", args{})
		assert.Equal(t, mcp.CodeUnauthorized, mcp.ErrorOf(err).Code)
	})
}

func TestDescribeTable(t *testing.T) {
	t.Parallel()
	k := shared(t)
	order := response[columnsResponse](t, k, root, "describeTable", args{"table": "c_order", "detail": "summary"})
	assert.Equal(t, "C_Order", order.Name)
	assert.Len(t, order.Columns, order.Total)
	for _, c := range order.Columns {
		switch c.Name {
		case "C_Order_ID":
			assert.True(t, c.Key)
		case "C_BPartner_ID":
			assert.Equal(t, "C_BPartner", c.References)
			assert.True(t, c.Mandatory)
		case "DocStatus":
			assert.Equal(t, "_Document Status", c.List)
		}
	}
	assert.Subset(t, order.names(), []string{"C_Order_ID", "C_BPartner_ID", "DocStatus"})

	brief := response[columnsResponse](t, k, root, "describeTable", args{"table": "C_Order", "detail": "names"})
	assert.Equal(t, order.names(), brief.names())
	assert.Empty(t, brief.Columns[0].Type)
	full := response[columnsResponse](t, k, root, "describeTable", args{"table": "C_Order", "detail": "FULL"})
	assert.Equal(t, order.names(), full.names()[:min(len(full.Columns), len(order.Columns))])

	type lines struct {
		Lines   []string
		Columns []any
	}
	raw, err := k.invoke(t, &mcp.Call{Caller: k.as(t, admin)}, "describeTable", args{"tableName": "C_Order"})
	require.NoError(t, err)
	assert.LessOrEqual(t, len(raw), 2800, "a description is read in every conversation")
	short := decoded[lines](t, raw)
	assert.Empty(t, short.Columns)
	for _, want := range []string{
		"keys: C_Order_ID C_Order_UU", "identified by: DocumentNo", "Date: DateOrdered! DatePromised! DateAcct! DatePrinted",
		"DeliveryViaRule!: D=Delivery|P=Pickup|S=Shipper", "details, by C_Order_ID: C_OrderLine C_OrderTax C_OrderPaySchedule C_POSPayment C_OrderLandedCost",
	} {
		assert.Contains(t, short.Lines, want)
	}
	whole := strings.Join(short.Lines, "\n")
	for _, name := range order.names() {
		assert.Regexp(t, `\b`+name+`\b`, whole, "every column is in the lines")
	}
	assert.Contains(t, whole, ">AD_User: SalesRep_ID! Bill_User_ID")
	assert.Contains(t, whole, "pointed to by: C_Invoice M_InOut")
	boundary, err := mcp.NewBoundary(nil)
	require.NoError(t, err)
	tool, _ := k.set.Tool("describeTable")
	reply, err := boundary.Call(t.Context(), tool, &mcp.Call{Caller: k.as(t, admin), Arguments: []byte(`{"table":"C_Order"}`)})
	require.NoError(t, err)
	require.Len(t, reply.Content, 1)
	assert.LessOrEqual(t, len(reply.Content[0].Text), 2700)
	assert.Contains(t, reply.Content[0].Text, "C_Order (Order): Sales orders")
	assert.Contains(t, reply.Content[0].Text, whole, "the text has the lines as they are")

	line := response[lines](t, k, admin, "describeTable", args{"table": "C_OrderLine"})
	assert.Contains(t, line.Lines, "part of: C_Order_ID!>C_Order")

	e := refusal(t, k, root, "describeTable", args{"table": "C_Ordr"}, mcp.CodeNotFound)
	assert.Equal(t, `there is no table "C_Ordr" in the dictionary`, e.Message)
	assert.Contains(t, e.Hint, "did you mean C_Order")
	e = refusal(t, k, root, "describeTable", args{"table": `C_Order"; DROP TABLE C_Order; --`}, mcp.CodeNotFound)
	assert.NotEmpty(t, e.Hint)
	refusal(t, k, root, "describeTable", args{"table": "C_Order", "detail": "all"}, mcp.CodeInvalidArguments)
	e = refusal(t, k, root, "describeTable", args{}, mcp.CodeInvalidArguments)
	assert.Contains(t, e.Message, `"table" is missing`)

	chat := response[columnsResponse](t, k, root, "getTableColumns", args{"tableName": "C_ORDER"})
	assert.Equal(t, "C_Order", chat.TableName)
	assert.Equal(t, order.names(), chat.names())
	refusal(t, k, root, "getTableColumns", args{"tableName": "nowhere_at_all"}, mcp.CodeNotFound)
}

func TestListColumns(t *testing.T) {
	t.Parallel()
	k := shared(t)
	all := response[columnsResponse](t, k, root, "listColumns", args{"pattern": "c_bpartner_id", "limit": 500})
	require.NotEmpty(t, all.Columns)
	for _, c := range all.Columns {
		assert.Equal(t, "C_BPartner_ID", c.Name)
		assert.NotEmpty(t, c.Table)
	}
	one := response[columnsResponse](t, k, root, "listColumns", args{"table": "c_orderline", "pattern": "%qty%"})
	assert.Contains(t, one.names(), "QtyOrdered")
	for _, c := range one.Columns {
		assert.Empty(t, c.Table)
	}
	first := response[columnsResponse](t, k, root, "listColumns", args{"pattern": "discount", "limit": 1})
	require.Len(t, first.Columns, 1)
	require.NotEmpty(t, first.NextCursor, "what was searched within is paged, too")
	next := response[columnsResponse](t, k, root, "listColumns", args{"pattern": "discount", "limit": 1, "cursor": first.NextCursor})
	require.Len(t, next.Columns, 1)
	assert.NotEqual(t, first.Columns, next.Columns)
	first = response[columnsResponse](t, k, root, "listColumns", args{"pattern": "%", "limit": 3})
	assert.True(t, first.Truncated)
	second := response[columnsResponse](t, k, root, "listColumns", args{"pattern": "%", "limit": 3, "cursor": first.NextCursor})
	assert.Len(t, second.Columns, 3)
	assert.NotEqual(t, first.Columns, second.Columns)

	refusal(t, k, root, "listColumns", args{}, mcp.CodeInvalidArguments)
	refusal(t, k, root, "listColumns", args{"table": "C_Ordr"}, mcp.CodeNotFound)
}

func TestListWindows(t *testing.T) {
	t.Parallel()
	k := shared(t)
	type windows struct {
		Windows []struct {
			ID   int
			Name string
			Type string
			Tabs []struct {
				Name, Table string
				Fields      []string
			}
		}
		Total int
	}
	assert.Equal(t, response[windows](t, k, root, "listWindows", args{"pattern": "%partner%"}), response[windows](t, k, root, "listWindows", args{"pattern": "partner"}))
	list := response[windows](t, k, root, "listWindows", args{"pattern": "business partner%"})
	require.NotEmpty(t, list.Windows)
	assert.Empty(t, list.Windows[0].Tabs)
	one := response[windows](t, k, root, "listWindows", args{"window": list.Windows[0].Name})
	require.Len(t, one.Windows, 1)
	assert.Equal(t, list.Windows[0].ID, one.Windows[0].ID)
	require.NotEmpty(t, one.Windows[0].Tabs)
	assert.Len(t, one.Windows[0].Tabs, one.Total)
	assert.Equal(t, "C_BPartner", one.Windows[0].Tabs[0].Table)
	assert.NotEmpty(t, one.Windows[0].Tabs[0].Fields)
	e := refusal(t, k, root, "listWindows", args{"window": "Busines Partner"}, mcp.CodeNotFound)
	assert.Contains(t, e.Hint, "Business Partner")
}

func TestListProcesses(t *testing.T) {
	t.Parallel()
	k := shared(t)
	type processes struct {
		Processes []struct {
			ID          int
			Value, Name string
			Report      bool
			Parameters  []struct{ Name, Type string }
		}
		Total int
	}
	list := response[processes](t, k, root, "listProcesses", args{"limit": 500})
	require.NotEmpty(t, list.Processes)
	assert.Len(t, list.Processes, list.Total)
	some := list.Processes[0]
	for given, question := range map[string]args{
		"search key": {"process": some.Value},
		"name":       {"process": strings.ToUpper(some.Name)},
		"number":     {"process": fmt.Sprint(some.ID)},
	} {
		one := response[processes](t, k, root, "listProcesses", question)
		require.Len(t, one.Processes, 1, given)
		assert.Equal(t, some.ID, one.Processes[0].ID, given)
	}
	within := response[processes](t, k, root, "listProcesses", args{"filter": some.Value[1 : len(some.Value)-1]})
	assert.GreaterOrEqual(t, within.Total, 1)
	assert.Less(t, within.Total, list.Total)
	refusal(t, k, root, "listProcesses", args{"process": "no such thing at all"}, mcp.CodeNotFound)
	refusal(t, k, root, "listProcesses", args{"process": "99999999"}, mcp.CodeNotFound)
}

func TestListReferences(t *testing.T) {
	t.Parallel()
	k := shared(t)
	type references struct {
		References []struct {
			Name, Kind, Table, Key string
			Values                 []struct{ Value, Name string }
		}
		Total int
	}
	status := response[references](t, k, root, "listReferences", args{"reference": "_document status"})
	require.Len(t, status.References, 1)
	assert.Equal(t, "list", status.References[0].Kind)
	codes := map[string]string{}
	for _, v := range status.References[0].Values {
		codes[v.Value] = v.Name
	}
	assert.Equal(t, "Completed", codes["CO"])
	assert.Equal(t, len(codes), status.Total)
	assert.Equal(t, response[references](t, k, root, "listReferences", args{"pattern": "%status%"}), response[references](t, k, root, "listReferences", args{"pattern": "status"}))
	list := response[references](t, k, root, "listReferences", args{"pattern": "%status%"})
	require.NotEmpty(t, list.References)
	assert.Empty(t, list.References[0].Values)
	refusal(t, k, root, "listReferences", args{"reference": "_Documnt Status x"}, mcp.CodeNotFound)
}

func TestSearchRegistry(t *testing.T) {
	t.Parallel()
	k := shared(t)
	type hits struct {
		Hits []struct {
			Kind, Name string
			Tables     []string
		}
		Total       int
		Truncated   bool
		Suggestions []string
	}
	found := response[hits](t, k, root, "searchRegistry", args{"query": "order line", "kinds": "table"})
	require.NotEmpty(t, found.Hits)
	assert.Equal(t, "C_OrderLine", found.Hits[0].Name)
	for _, h := range found.Hits {
		assert.Equal(t, "table", h.Kind)
	}
	short := response[hits](t, k, root, "searchRegistry", args{"query": "order", "limit": 1})
	assert.Len(t, short.Hits, 1)
	assert.True(t, short.Truncated)
	with := response[hits](t, k, root, "searchRegistry", args{"column": "C_BPartner_ID", "kinds": []string{"table"}, "limit": 100})
	names := make([]string, len(with.Hits))
	for i, h := range with.Hits {
		names[i] = h.Name
	}
	assert.Contains(t, names, "C_Order")
	none := response[hits](t, k, root, "searchRegistry", args{"query": `xyzzy'"`})
	assert.Empty(t, none.Hits)
	refusal(t, k, root, "searchRegistry", args{"query": "  "}, mcp.CodeInvalidArguments)
	e := refusal(t, k, root, "searchRegistry", args{"query": "a", "kinds": []string{"tables"}}, mcp.CodeInvalidArguments)
	assert.NotEmpty(t, e.Hint)
}

func TestGetStatistics(t *testing.T) {
	t.Parallel()
	k := shared(t)
	type statistics struct {
		Tables, Views, CustomTables, Columns, Windows int
		TablesByEntityType, TablesByAccessLevel       map[string]int
		Source, Loaded                                string
	}
	s := response[statistics](t, k, root, "getStatistics", args{})
	list := response[tablesResponse](t, k, root, "listTables", args{"limit": 1})
	assert.Equal(t, list.Total, s.Tables)
	sum := 0
	for _, n := range s.TablesByAccessLevel {
		sum += n
	}
	assert.Equal(t, s.Tables, sum)
	assert.NotEmpty(t, s.Loaded)
	refusal(t, k, root, "getStatistics", args{"table": "x"}, mcp.CodeInvalidArguments)
}
