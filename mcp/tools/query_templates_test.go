package tools_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/internal/testkit/testpg"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
)

type templatesResponse struct {
	Templates []struct {
		Name, Topic, Title, About, SQL string
		Params                         []struct {
			Name, About string
			Example     any
		}
	}
	Total int
}

// Every template runs as it is printed, and finds what the demo data has. -short runs
// one of three.
func TestQueryTemplates(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every one of them")
	}
	t.Parallel()
	w := reachable(t)
	all := response[templatesResponse](t, w.db, admin, "getQueryTemplates", nil)
	assert.GreaterOrEqual(t, all.Total, 15)
	var topics []string
	for _, line := range all.Templates {
		assert.Empty(t, line.SQL, "the list is short")
		if !slices.Contains(topics, line.Topic) {
			topics = append(topics, line.Topic)
		}
	}
	ran := 0
	for _, topic := range topics {
		for _, tm := range response[templatesResponse](t, w.db, admin, "getQueryTemplates", args{"topic": topic}).Templates {
			examples := []any{}
			for _, p := range tm.Params {
				require.NotEmpty(t, p.About, tm.Name)
				examples = append(examples, p.Example)
			}
			if ran++; testing.Short() && ran%3 != 1 {
				continue
			}
			call := args{"sql": tm.SQL, "params": examples, "maxRows": 1000}
			got := response[queryResponse](t, w.db, admin, "executeQuery", call)
			assert.Equal(t, slices.Contains([]string{"unbalanced-documents", "purchases-to-receive"}, tm.Name), len(got.Rows) == 0, "%s: %d rows", tm.Name, len(got.Rows))
			assert.Equal(t, got, response[queryResponse](t, w.ai, admin, "executeQuery", call), tm.Name)
			assert.NotEmpty(t, tm.About)
		}
	}
	assert.Equal(t, all.Total, ran)

	one := response[templatesResponse](t, w.db, admin, "getQueryTemplates", args{"name": "Top-Customers"})
	require.Len(t, one.Templates, 1)
	assert.Contains(t, one.Templates[0].SQL, "SELECT")
	e := refusal(t, w.db, admin, "getQueryTemplates", args{"name": "top-custmers"}, mcp.CodeNotFound)
	assert.Contains(t, e.Hint, "top-customers")
	e = refusal(t, w.db, admin, "getQueryTemplates", args{"topic": "sale"}, mcp.CodeInvalidArguments)
	assert.Contains(t, e.Hint, "sales")
}

// The templates mean the same to PostgreSQL: its types fit together there, too.
func TestQueryTemplatesOnPostgreSQL(t *testing.T) {
	if testing.Short() {
		t.Skip("starts PostgreSQL")
	}
	t.Parallel()
	w := reachable(t)
	reg := registryOf(t, w)
	db := testpg.Open(t)
	var create strings.Builder
	for _, name := range templateTables {
		createTable(t, &create, reg, name)
	}
	_, err := db.ExecContext(t.Context(), create.String())
	require.NoError(t, err)
	ran := 0
	for _, line := range response[templatesResponse](t, w.db, admin, "getQueryTemplates", nil).Templates {
		tm := response[templatesResponse](t, w.db, admin, "getQueryTemplates", args{"name": line.Name}).Templates[0]
		examples := make([]any, len(tm.Params))
		for i, p := range tm.Params {
			examples[i] = p.Example
		}
		rows, err := db.QueryContext(t.Context(), tm.SQL, examples...)
		if assert.NoError(t, err, tm.Name) {
			assert.False(t, rows.Next(), tm.Name)
			assert.NoError(t, rows.Err(), tm.Name)
			assert.NoError(t, rows.Close())
			ran++
		}
	}
	assert.Positive(t, ran)
}

// createTable writes the statement that makes a table in PostgreSQL, and returns
// its columns.
func createTable(t *testing.T, script *strings.Builder, reg registry.Registry, name string) (names []string) {
	t.Helper()
	table, err := reg.Table(t.Context(), name)
	require.NoError(t, err)
	var columns []string
	for _, c := range table.Columns {
		if !c.Virtual() {
			names = append(names, c.Name)
			columns = append(columns, c.Name+" "+c.Type.SQLType(dict.PostgreSQL, c.Name, c.Length))
		}
	}
	fmt.Fprintf(script, "CREATE TABLE %s (%s);\n", table.Name, strings.Join(columns, ", "))
	return names
}

// templateTables are what the templates read.
var templateTables = strings.Fields(`C_Order C_OrderLine C_BPartner C_BP_Group C_BPartner_Location C_Location C_Country C_Currency C_Invoice C_InvoiceTax C_Tax
	C_AllocationHdr C_AllocationLine C_PaymentTerm C_DocType C_InvoicePaySchedule C_Conversion_Rate C_ConversionType C_Payment C_BankAccount C_ElementValue C_AcctSchema Fact_Acct C_Project C_UOM
	M_Product M_Product_Category M_StorageOnHand M_Locator M_Warehouse M_PriceList M_PriceList_Version M_ProductPrice M_InOut
	R_Request R_RequestType R_Status`)

func registryOf(t *testing.T, w *everyWay) registry.Registry {
	t.Helper()
	registrar, ok := backend.Find[backend.Registrar](w.pools[backend.DB])
	require.True(t, ok)
	reg, err := registrar.Registry(t.Context(), w.db.as(t, admin))
	require.NoError(t, err)
	return reg
}
