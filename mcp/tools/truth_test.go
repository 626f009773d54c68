package tools_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/testkit/traps"
	"github.com/erphub/erphub/mcp"
)

var trapped struct {
	once sync.Once
	ways *everyWay
}

// withTraps is an ERP with the traps in it.
func withTraps(t *testing.T) *everyWay {
	t.Helper()
	if testing.Short() {
		t.Skip("starts another ERP, whose dictionary is read in three ways")
	}
	shared(t) // its clean-up is for all tests
	trapped.once.Do(func() { trapped.ways = openWays(&common.tb, traps.Statements()...) })
	require.NotNil(t, trapped.ways, "the ERP with the traps did not start")
	return trapped.ways
}

// truth is a call, what its result says, and what it must not say.
type truth struct {
	who       login
	tool      string
	arguments args
	says      []string // patterns
	never     string   // a pattern; empty: none
}

func (w truth) play(t *testing.T, k *kit) {
	t.Helper()
	raw, err := k.invoke(t, &mcp.Call{Caller: k.as(t, w.who)}, w.tool, w.arguments)
	text := string(raw)
	if err != nil {
		e := mcp.ErrorOf(err)
		text = e.Code + ": " + e.Message + "; " + e.Hint
	}
	for _, pattern := range w.says {
		assert.Regexp(t, regexp.MustCompile(pattern), text)
	}
	if w.never != "" {
		assert.NotRegexp(t, regexp.MustCompile(w.never), text)
	}
}

// Numbers say what they count, in which currency by which day's rate, and what they
// leave out.
func TestNumbersSayWhatTheyCount(t *testing.T) {
	t.Parallel()
	k := withTraps(t).db
	const partner, invoices = "open-receivables", "SELECT %s FROM c_invoice WHERE issotrx = 'Y' AND grandtotal <> 0 %s"
	euro := args{"name": partner, "by": []string{"partner"}, "currency": "EUR", "asOf": "2026-11-22", "filters": args{"partner": "%C&W%"}}
	later := args{"rateDate": "asOf"}
	named := args{"rateDate": "2026-10-31"}
	for _, a := range []args{later, named} {
		for name, value := range euro {
			a[name] = value
		}
	}
	for name, w := range map[string]truth{
		"rates of the documents": {admin, "queryMetric", euro, []string{`2251\.39`, `"rateDate":"document"`, `"rates":\[{"from":"USD","to":"EUR","rate":0\.925925925926,"day":"2025-02-08"}\]`}, ""},
		"rates of the day":       {admin, "queryMetric", later, []string{`2081\.20?[^0-9]`, `"rateDate":"2026-11-22"`, `"rate":0\.8,"day":"2026-11-22"`}, ""},
		"rates of another day":   {admin, "queryMetric", named, []string{`2251\.39`, `"rateDate":"2026-10-31"`}, ""},
		"no day for rates":       {admin, "queryMetric", args{"name": partner, "rateDate": "yesterday"}, []string{"invalid_arguments", "is not a date for rates"}, ""},
		"divided by currency":    {admin, "queryMetric", args{"name": partner, "by": []string{"partner", "currency"}}, []string{`\["C&W C&W Construction","EUR",1000[.,]`, `"currency":"that of each row"`}, `"EUR",1[0-9]+\.[0-9]*[1-9]`},
		"divided and converted":  {admin, "queryMetric", args{"name": partner, "by": []string{"currency"}, "currency": "USD"}, []string{"invalid_arguments", "leave USD out"}, ""},
		"nothing invoiced":       {admin, "queryMetric", args{"name": "days-sales-outstanding"}, []string{`"rows":\[\[null,`, "days is empty where customers were invoiced nothing"}, `"rows":\[\[-`},
		"slow payers":            {admin, "queryMetric", args{"name": "payment-time", "by": []string{"partner"}, "from": "2024-01-01", "to": "2024-12-31", "filters": args{"partner": "%Agri%"}}, []string{`"leftOut":\[{"records":[1-9],"why":"not paid yet"}\]`, `"from":"2024-01-01","to":"2024-12-31"`}, ""},
		"whose numbers":          {user, "queryMetric", args{"name": "revenue"}, []string{`"tenant":"GardenWorld","scope":"organization HQ[^"]*","statuses":\["CO","CL","RE"\]`}, ""},

		"mixed sums": {admin, "aggregateRecords", args{"table": "C_Invoice", "measures": "sum(GrandTotal)", "filter": "IsSOTrx eq true"},
			[]string{`"mixedCurrencies":\["EUR","USD"\]`, `"statuses":\["CO","RE"\]`, "adds up EUR and USD as if they were one currency", "in the status RE"}, ""},
		"sums of one currency": {admin, "aggregateRecords", args{"table": "C_Invoice", "measures": "sum(GrandTotal)", "filter": "IsSOTrx eq true and DocStatus eq 'CO' and DateInvoiced ge '2024-01-01' and DateInvoiced lt '2025-01-01'"},
			[]string{`"statuses":\["CO"\],"from":"2024-01-01","to":"2024-12-31","currency":"USD"`}, "as if they were one|mixed"},
		"sums of lines":       {admin, "aggregateRecords", args{"table": "C_InvoiceLine", "measures": "sum(LineNetAmt)"}, []string{`"currency":"USD"`}, "mixed"},
		"inactive records":    {admin, "aggregateRecords", args{"table": "M_Product"}, []string{`"leftOut":\[{"records":1,"why":"inactive`}, ""},
		"inactive in it":      {admin, "aggregateRecords", args{"table": "M_Product", "filter": "IsActive neq null"}, []string{"inactive records are in it: 1 of [0-9]+; IsActive eq true"}, "leftOut"},
		"inactive in SQL":     {admin, "executeQuery", args{"sql": "SELECT count(*) FROM m_product WHERE value <> $1", "params": []any{"Nothing"}}, []string{"inactive records of M_Product are in it: 1 of its rows; isactive = 'Y'"}, ""},
		"active in SQL":       {admin, "executeQuery", args{"sql": "SELECT count(*) FROM m_product p WHERE p.isactive = 'Y'"}, nil, "inactive records"},
		"none is inactive":    {admin, "executeQuery", args{"sql": "SELECT sum(p.weight) FROM m_product p WHERE p.value <> 'Mower'"}, nil, "inactive records"},
		"divided by status":   {admin, "aggregateRecords", args{"table": "C_Invoice", "measures": "sum(GrandTotal)", "groupBy": []string{"DocStatus", "C_Currency_ID"}}, nil, `mixed|as if they were one|"statuses"`},
		"an organization":     {user, "aggregateRecords", args{"table": "C_Invoice"}, []string{`"scope":"organization HQ`}, ""},
		"organization in SQL": {user, "executeQuery", args{"sql": "SELECT sum(grandtotal) FROM c_invoice WHERE docstatus = 'CO' AND c_currency_id = 100"}, []string{`"scope":"organization HQ`}, ""},
		"a role of System":    {root, "aggregateRecords", args{"table": "C_Order"}, []string{`"scope":"tenant System"`, "those of C_Order belong to other tenants"}, ""},
		"mixed in SQL":        {admin, "executeQuery", args{"sql": fmt.Sprintf(invoices, "sum(grandtotal)", "")}, []string{`"mixedCurrencies":\["EUR","USD"\]`, "adds up EUR and USD", `"statuses":\["CO","RE"\]`}, ""},
		"open in SQL":         {admin, "executeQuery", args{"sql": fmt.Sprintf(invoices, "sum(invoiceopen(c_invoice_id, 0)) AS open", "AND docstatus IN ('CO', 'CL')")}, []string{"adds up EUR and USD", `"statuses":\["CO"\]`}, "took effect"},
		"one currency":        {admin, "executeQuery", args{"sql": fmt.Sprintf(invoices, "sum(grandtotal)", "AND docstatus = 'CO' AND dateinvoiced < $1"), "params": []any{"2025-01-01"}}, []string{`"counted":{"tenant":"GardenWorld"`, `"currency":"USD"`}, "as if they were one|amounts in"},
		"joined in SQL":       {admin, "executeQuery", args{"sql": "SELECT sum(i.grandtotal) FROM c_invoice i JOIN c_currency cur ON cur.c_currency_id = i.c_currency_id WHERE i.issotrx = 'Y'"}, []string{"adds up EUR and USD", "in the status RE"}, ""},
		"filtered in SQL":     {admin, "executeQuery", args{"sql": fmt.Sprintf(invoices, "sum(grandtotal)", "AND c_currency_id = 100")}, []string{`"currency":"USD"`}, "as if they were one"},
		"inactive ones":       {admin, "aggregateRecords", args{"table": "C_Invoice", "measures": "sum(GrandTotal)", "filter": "IsActive eq false"}, []string{`"counted":{"tenant":"GardenWorld","scope":"9 organizations"}`}, "leftOut"},
		"by currency in SQL":  {admin, "executeQuery", args{"sql": fmt.Sprintf(invoices, "c_currency_id, sum(grandtotal)", "AND docstatus = 'CO' GROUP BY c_currency_id")}, nil, "as if they were one|amounts in"},
		"within a query":      {admin, "executeQuery", args{"sql": "SELECT sum(x.grandtotal) FROM (SELECT * FROM c_invoice) x"}, []string{"C_Invoice has amounts in EUR and USD", "statement does not look at docstatus"}, ""},
		"no sum in SQL":       {admin, "executeQuery", args{"sql": "SELECT documentno FROM c_invoice"}, nil, `"counted"|as if they were one`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w.play(t, k)
		})
	}
}

// What was counted costs few tokens where nothing is unusual.
func TestCountedIsShort(t *testing.T) {
	t.Parallel()
	k := withTraps(t).db
	for tool, arguments := range map[string]args{
		"queryMetric":      {"name": "sales-orders", "from": "2024-01-01", "to": "2024-12-31"},
		"aggregateRecords": {"table": "C_Order", "measures": "sum(GrandTotal)", "filter": "DocStatus eq 'CO' and DateOrdered ge '2024-01-01' and DateOrdered le '2024-12-31'"},
		"executeQuery":     {"sql": "SELECT sum(grandtotal) FROM c_order WHERE docstatus = 'CO'"},
	} {
		raw, err := k.invoke(t, &mcp.Call{Caller: k.as(t, admin)}, tool, arguments)
		require.NoError(t, err)
		got := decoded[struct{ Counted json.RawMessage }](t, raw)
		require.NotEmpty(t, got.Counted, tool)
		assert.LessOrEqual(t, mcp.EstimateTokens(len(got.Counted)), 40, "%s: %s", tool, got.Counted)
	}
}

// An empty result says why, in the same way in every tool.
func TestNothingSaysWhy(t *testing.T) {
	t.Parallel()
	ways := withTraps(t)
	k := ways.db
	response[queryResponse](t, ways.ai, admin, "executeQuery", args{"sql": "SELECT name FROM c_bpartner"}) // leaves a record of the audit
	response[queryResponse](t, ways.ai, user, "executeQuery", args{"sql": "SELECT name FROM c_bpartner"})
	change := k.table(t, "M_Product")
	for name, w := range map[string]truth{
		"a label":                  {admin, "searchRecords", args{"tableName": "C_Order", "filter": "DocStatus eq 'Completed'", "columns": []string{"DocumentNo"}}, []string{`"DocumentNo":"80000"`, "DocStatus Completed is taken as CO"}, ""},
		"a label of many":          {admin, "searchRecords", args{"tableName": "C_BPartner", "filter": "(SOCreditStatus in ('Credit Watch','Credit Hold') and IsActive eq true) or SOCreditStatus eq 'credit watch'", "columns": []string{"Name"}}, []string{"Wood, Inc", "SOCreditStatus Credit Watch is taken as W"}, ""},
		"a label that is not":      {admin, "searchRecords", args{"tableName": "C_Order", "filter": "DocStatus neq 'Finished'"}, []string{"invalid_arguments", `has no value \\?"Finished`, `CO \(Completed\)`}, ""},
		"a label in small letters": {admin, "searchRecords", args{"tableName": "C_Order", "filter": "tolower(DocStatus) eq 'completed'"}, []string{"invalid_arguments", `write DocStatus eq 'CO'`}, ""},
		"a code in small letters":  {admin, "searchRecords", args{"tableName": "C_Order", "filter": "tolower(DocStatus) eq 'co'", "columns": []string{"DocumentNo"}}, []string{`"DocumentNo":"80000"`}, "taken as"},
		"a name":                   {admin, "searchRecords", args{"tableName": "C_Order", "filter": "C_BPartner_ID eq 'JoeBlock'", "columns": []string{"DocumentNo"}}, []string{`"DocumentNo":"80000"`, "C_BPartner_ID JoeBlock is taken as 118"}, ""},
		"a name of nobody":         {admin, "searchRecords", args{"tableName": "C_Order", "filter": "C_BPartner_ID neq 'Joe Blokc'"}, []string{"invalid_arguments", "did you mean 118"}, ""},
		"a name to count":          {admin, "aggregateRecords", args{"table": "C_Order", "filter": "C_BPartner_ID eq 'Joe Block'"}, []string{`"rows":\[\[[1-9]`, "is taken as 118"}, ""},
		"a condition twice":        {admin, "searchRecords", args{"tableName": "C_Order", "filter": "(C_BPartner_ID eq 'Joe Block' and DocStatus eq 'Drafted') or (C_BPartner_ID eq 'Joe Block' and DocStatus eq 'Completed')", "columns": []string{"DocumentNo"}}, []string{`"DocumentNo":"80000"`}, ""},
		"a number of a document":   {admin, "searchRecords", args{"tableName": "C_OrderLine", "filter": "C_Order_ID eq '80000'"}, []string{"C_Order_ID 80000 is taken as 100"}, ""},
		"a name of a text key":     {admin, "searchRecords", args{"tableName": "C_BPartner", "filter": "AD_Language neq 'Deutsch'"}, []string{"invalid_arguments", "no record of AD_Language"}, ""},
		"a text key":               {admin, "searchRecords", args{"tableName": "C_BPartner", "filter": "AD_Language eq 'en_US'", "columns": []string{"Value"}}, []string{"JoeBlock"}, ""},
		"a label to count":         {admin, "aggregateRecords", args{"table": "C_Order", "filter": "DocStatus eq 'Completed'"}, []string{`"rows":\[\[[1-9]`, "is taken as CO"}, ""},
		"a label in SQL":           {admin, "executeQuery", args{"sql": "SELECT sum(o.grandtotal) FROM c_order o WHERE o.docstatus = 'Completed'"}, []string{`C_Order\.DocStatus holds codes: write CO for Completed`}, ""},
		"a label as a parameter":   {admin, "executeQuery", args{"sql": "SELECT count(*) FROM c_order WHERE docstatus <> $1", "params": []any{"Completed"}}, []string{"write CO for Completed"}, ""},
		"no such code in SQL":      {admin, "executeQuery", args{"sql": "SELECT 1 FROM c_order WHERE docstatus IN ('CO', 'Done')"}, []string{`has no value \\"Done\\"`}, ""},
		"small letters":            {admin, "searchRecords", args{"tableName": "C_BPartner", "filter": "Name eq 'joe block'"}, []string{`C_BPartner|Name has Joe Block, not joe block; write tolower\(Name\) eq 'joe block'`}, ""},
		"a part of a name":         {admin, "searchRecords", args{"tableName": "C_BPartner", "filter": "contains(Name,'joe b')"}, []string{`Name has Joe Block, not joe b; write contains\(tolower\(Name\),'joe b'\)`}, ""},
		"letters to count":         {admin, "aggregateRecords", args{"table": "C_BPartner", "filter": "Name eq 'joe block'"}, []string{`Name has Joe Block, not joe block`}, ""},
		"letters in SQL":           {admin, "executeQuery", args{"sql": "SELECT c_bpartner_id FROM c_bpartner WHERE name = 'joe block'"}, []string{`Name has Joe Block, not joe block; write lower\(name\) = lower\('joe block'\)`}, ""},
		"letters of a pattern":     {admin, "executeQuery", args{"sql": "SELECT count(*) FROM c_bpartner WHERE name LIKE 'joe b%'"}, []string{`Name has Joe Block, not joe b%`}, ""},
		"letters that are right":   {admin, "searchRecords", args{"tableName": "C_BPartner", "filter": "Name eq 'Joe Block' and IsVendor eq true"}, []string{`"records":\[\]`}, "upper and lower case"},
		"an inactive record":       {admin, "searchRecords", args{"tableName": "M_Product", "filter": "Value eq 'Mower' or Value eq 'Nothing'"}, []string{"inactive records that match are left out: 1; IsActive eq false"}, ""},
		"no inactive record":       {admin, "searchRecords", args{"tableName": "M_Product", "filter": "Value eq 'Mower' and IsActive eq true"}, []string{`"total":0`}, "left out"},
		"no change log":            {admin, "searchRecords", args{"tableName": "AD_ChangeLog", "filter": fmt.Sprintf("AD_Table_ID eq %d", change)}, []string{"no change log is kept for M_Product", "Updated and UpdatedBy"}, ""},
		"no change log in SQL":     {admin, "executeQuery", args{"sql": fmt.Sprintf("SELECT count(*) FROM ad_changelog WHERE ad_table_id = %d", change)}, []string{"no change log is kept for M_Product"}, ""},
		"a table without a log":    {admin, "describeTable", args{"table": "M_Product"}, []string{`"changeLog":false`}, ""},
		"a table with a log":       {admin, "describeTable", args{"table": "AD_Role_OrgAccess"}, []string{`"changeLog":true`}, ""},
		"hidden by a rule":         {user, "searchRecords", args{"tableName": "AIG_QueryLog"}, []string{`"total":0`, "a rule of the table decides which records of AIG_QueryLog role GardenWorld User sees"}, ""},
		"hidden by the tenant":     {root, "searchRecords", args{"tableName": "C_Order"}, []string{"role System Administrator sees records of the tenant System only"}, ""},
		"hidden in SQL":            {root, "executeQuery", args{"sql": "SELECT count(*) FROM c_order"}, []string{"role System Administrator sees records of the tenant System only"}, ""},
		"hidden in a metric":       {root, "queryMetric", args{"name": "stock"}, []string{"role System Administrator sees records of the tenant System only"}, ""},
		"another organization":     {user, "searchRecords", args{"tableName": "C_Invoice", "filter": "DocumentNo eq '200107'"}, []string{`"total":0`, "sees records of these organizations only, and of .: HQ"}, ""},
		"a status of a metric":     {admin, "queryMetric", args{"name": "documents", "filters": args{"status": "Completed", "kind": "sales order"}}, []string{`"rows":\[\[[1-9]`, "status Completed is taken as CO"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w.play(t, k)
		})
	}
}

// table is the number of a table.
func (k *kit) table(t *testing.T, name string) int {
	t.Helper()
	got := response[recordsResponse](t, k, admin, "searchRecords", args{"tableName": "AD_Table", "filter": "TableName eq '" + name + "'", "columns": []string{"TableName"}})
	require.Len(t, got.Records, 1)
	return int(got.Records[0]["id"].(float64))
}

// What an empty result says of the role does not depend on what the role cannot see.
func TestNothingBetraysNothing(t *testing.T) {
	t.Parallel()
	k := withTraps(t).db
	said := func(number string) []string {
		return response[recordsResponse](t, k, user, "searchRecords", args{"tableName": "C_Invoice", "filter": "DocumentNo eq '" + number + "'", "columns": []string{"DocumentNo"}}).Notes
	}
	assert.Equal(t, said("no such number"), said("200107"), "which exists in another organization")
	assert.Equal(t, said("no such number"), said("200123"), "which exists in another tenant")
	counted := func(sql string) []string {
		return response[queryResponse](t, k, user, "executeQuery", args{"sql": sql}).Notes
	}
	assert.Equal(t, counted("SELECT 1 FROM c_bpartner WHERE name = 'no such name'"), counted("SELECT 1 FROM c_bpartner WHERE name = 'fern hollow'"))
}

// explainAccess says no where the ERP refuses a record.
func TestExplainedAsTheERPDoes(t *testing.T) {
	t.Parallel()
	ways := withTraps(t)
	k := ways.db
	response[queryResponse](t, ways.ai, admin, "executeQuery", args{"sql": "SELECT documentno FROM c_order"})
	logs := response[recordsResponse](t, k, admin, "searchRecords", args{"tableName": "AIG_QueryLog", "columns": []string{"AIG_QueryStatus"}, "limit": 1})
	require.NotEmpty(t, logs.Records)
	id := logs.Records[0]["id"]
	explained := func(role string) []byte {
		raw, err := k.invoke(t, &mcp.Call{Caller: k.as(t, admin)}, "explainAccess", args{"role": role, "table": "AIG_QueryLog", "id": id})
		require.NoError(t, err)
		return raw
	}
	assert.Contains(t, string(explained("GardenWorld User")), `"read":"no"`)
	assert.Contains(t, string(explained("GardenWorld User")), "a rule of the table hides the record")
	refusal(t, k, user, "getRecord", args{"tableName": "AIG_QueryLog", "id": id}, mcp.CodePermissionDenied)
	assert.Contains(t, string(explained("GardenWorld Admin")), `"read":"yes"`)
	response[json.RawMessage](t, k, admin, "getRecord", args{"tableName": "AIG_QueryLog", "id": id})
}

// The period of templates and of metrics ends with its last day.
func TestTemplatesTakeTheLastDay(t *testing.T) {
	t.Parallel()
	k := withTraps(t).db
	type template struct {
		Name, SQL string
		Params    []struct{ Name, About, Example string }
	}
	var sales template
	for _, listed := range response[struct{ Templates []template }](t, k, admin, "getQueryTemplates", nil).Templates {
		for _, found := range response[struct{ Templates []template }](t, k, admin, "getQueryTemplates", args{"name": listed.Name}).Templates {
			for i, p := range found.Params {
				if p.Name == "to" {
					assert.Equal(t, "last day", p.About, found.Name)
					assert.Contains(t, found.SQL, fmt.Sprintf("< CAST($%d AS timestamp) + interval '1 day'", i+1), found.Name)
				}
			}
			if found.Name == "sales-by-month" {
				sales = found
			}
		}
	}
	for _, to := range []string{"2024-02-10", "2024-03-31"} {
		rows := response[queryResponse](t, k, admin, "executeQuery", args{"sql": sales.SQL, "params": []any{"2024-01-01", to}}).Rows
		orders := 0.0
		for _, row := range rows {
			orders += row[2].(float64)
		}
		metric := response[metricResponse](t, k, admin, "queryMetric", args{"name": "sales-orders", "from": "2024-01-01", "to": to})
		c := slices.IndexFunc(metric.Columns, func(c struct{ Name, Unit string }) bool { return c.Name == "orders" })
		assert.Equal(t, metric.Rows[0][c], orders, to)
	}
}

// What SQL over documents has to know stands where every assistant reads it.
func TestExecuteQuerySaysWhatAmountsAre(t *testing.T) {
	t.Parallel()
	tool, ok := shared(t).set.Tool("executeQuery")
	require.True(t, ok)
	for _, word := range []string{"c_currency_id", "CO and CL", "issotrx", "with tax", "invoiceOpen(c_invoice_id, 0)", "currencyConvert(amount, from, to, date, type, client, org)", "currencyRate", "paymentTermDueDate"} {
		assert.Contains(t, tool.Description, word)
	}
	assert.LessOrEqual(t, mcp.EstimateTokens(len(tool.Description)), 125)
}
