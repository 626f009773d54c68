package tools_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/mcp/backend"
	"github.com/erphub/erphub/mcp/tools"
)

func catalog(t *testing.T) (*mcp.Catalog, *mcp.Call) {
	t.Helper()
	w := reachable(t)
	return tools.New(tools.Options{Pool: w.pools[backend.DB]}).Catalog(), &mcp.Call{Caller: w.db.as(t, admin)}
}

func TestResources(t *testing.T) {
	t.Parallel()
	cat, c := catalog(t)
	for _, r := range cat.Resources {
		got, err := r.Read(t.Context(), c)
		require.NoError(t, err, r.URI)
		assert.Equal(t, r.URI, got.URI)
		assert.NotEmpty(t, r.Description)
		assert.True(t, strings.HasPrefix(got.Text, "# "), r.URI)
		assert.LessOrEqual(t, mcp.EstimateTokens(len(got.Text)), mostTokens, r.URI)
	}
	read := func(template, uri string, v map[string]string) (string, error) {
		for _, tm := range cat.Templates {
			if tm.URITemplate == template {
				got, err := tm.Read(t.Context(), c, uri, v)
				if err == nil {
					assert.Equal(t, uri, got.URI)
				}
				return got.Text, err
			}
		}
		t.Fatalf("there is no template %s", template)
		return "", nil
	}
	text, err := read("erp://table/{table}", "erp://table/c_order", map[string]string{"table": "c_order"})
	require.NoError(t, err)
	assert.Contains(t, text, "# C_Order\n")
	assert.Regexp(t, `\| C_BPartner_ID \| [^|]+ \| mandatory; points to C_BPartner`, text)
	assert.Contains(t, text, "| C_Order_ID | ID | key; mandatory")
	text, err = read("erp://table/{table}/column/{column}", "erp://table/c_order/column/docstatus", map[string]string{"table": "c_order", "column": "docstatus"})
	require.NoError(t, err)
	assert.Contains(t, text, "# C_Order.DocStatus")
	text, err = read("erp://template/{name}", "erp://template/top-customers", map[string]string{"name": "top-customers"})
	require.NoError(t, err)
	assert.Contains(t, text, "```sql\nSELECT")
	for _, near := range []struct{ template, uri, table, column, name, hint string }{
		{"erp://table/{table}", "erp://table/c_ordr", "c_ordr", "", "", "did you mean erp://table/C_Order"},
		{"erp://table/{table}/column/{column}", "erp://table/c_order/column/docstats", "c_order", "docstats", "", "did you mean erp://table/C_Order/column/DocStatus?"},
		{"erp://template/{name}", "erp://template/top-customer", "", "", "top-customer", "did you mean erp://template/top-customers?"},
	} {
		_, err := read(near.template, near.uri, map[string]string{"table": near.table, "column": near.column, "name": near.name})
		assert.Contains(t, mcp.ErrorOf(err).Hint, near.hint)
	}
	for uri, template := range map[string]string{
		"erp://table/c_ordr": "erp://table/{table}", "erp://template/x": "erp://template/{name}", "erp://table/../../x": "erp://table/{table}",
	} {
		name := uri[strings.LastIndexByte(uri, '/')+1:]
		_, err := read(template, uri, map[string]string{"table": name, "name": name})
		assert.Equal(t, mcp.CodeNotFound, mcp.ErrorOf(err).Code, uri)
	}
	_, err = read("erp://table/{table}/column/{column}", "erp://table/c_order/column/x", map[string]string{"table": "c_order", "column": "x"})
	assert.Equal(t, mcp.CodeNotFound, mcp.ErrorOf(err).Code)
}

func TestPrompts(t *testing.T) {
	t.Parallel()
	cat, c := catalog(t)
	for _, p := range cat.Prompts {
		assert.True(t, mcp.ValidName(p.Name))
		assert.NotEmpty(t, p.Description)
		for _, a := range p.Arguments {
			assert.NotEmpty(t, a.Description, "%s of %s", a.Name, p.Name)
		}
	}
	get := func(name string, arguments map[string]string) ([]mcp.Message, error) {
		for _, p := range cat.Prompts {
			if p.Name == name {
				return p.Get(t.Context(), c, arguments)
			}
		}
		t.Fatalf("there is no prompt %s", name)
		return nil, nil
	}
	for name, tc := range map[string]struct {
		prompt    string
		arguments map[string]string
		says      []string
		embedded  []string
	}{
		"explore":           {"explore-table", map[string]string{"table": "c_order"}, []string{"the table C_Order"}, []string{"erp://table/C_Order"}},
		"explore a column":  {"explore-table", map[string]string{"table": "C_Order", "column": "docstatus"}, []string{"Look at DocStatus"}, []string{"erp://table/C_Order"}},
		"report":            {"write-report-query", map[string]string{"question": "who owes\nus money?"}, []string{"who owes us money?", "explainQuery"}, []string{"erp://guide/dictionary"}},
		"report of tables":  {"write-report-query", map[string]string{"question": "x", "tables": "c_invoice, C_BPartner,"}, nil, []string{"erp://guide/dictionary", "erp://table/C_Invoice", "erp://table/C_BPartner"}},
		"design":            {"design-table", map[string]string{"purpose": "bottles"}, []string{"bottles", "XX_", "dry run"}, nil},
		"design of details": {"design-table", map[string]string{"purpose": "bottles", "parent": "c_order"}, []string{"C_Order_ID"}, []string{"erp://table/C_Order"}},
	} {
		messages, err := get(tc.prompt, tc.arguments)
		require.NoError(t, err, name)
		size := 0
		var embedded []string
		for i, m := range messages {
			assert.Equal(t, "user", m.Role)
			size += len(m.Content.Text)
			if m.Content.Embedded != nil {
				size += len(m.Content.Embedded.Text)
				embedded = append(embedded, m.Content.Embedded.URI)
			}
			if i == 0 {
				for _, s := range tc.says {
					assert.Contains(t, m.Content.Text, s, name)
				}
			}
		}
		assert.Equal(t, tc.embedded, embedded, name)
		assert.LessOrEqual(t, mcp.EstimateTokens(size), mostTokens, name)
	}
	for name, arguments := range map[string]map[string]string{
		"explore-table":      {"table": "c_ordr"},
		"design-table":       {"purpose": "x", "parent": "c_ordr"},
		"write-report-query": {"question": "x", "tables": "c_order,c_order,c_order,c_order,c_order"},
	} {
		_, err := get(name, arguments)
		assert.Equal(t, mcp.CodeInvalidArguments, mcp.ErrorOf(err).Code, name)
	}
	_, err := get("explore-table", map[string]string{"table": "C_Order", "column": "docstatuss"})
	assert.Contains(t, mcp.ErrorOf(err).Hint, "DocStatus")
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	cat, c := catalog(t)
	completers := map[string]mcp.Completer{}
	for _, p := range cat.Prompts {
		for _, a := range p.Arguments {
			completers[p.Name+" "+a.Name] = a.Complete
		}
	}
	for _, tm := range cat.Templates {
		for name, complete := range tm.Complete {
			completers[tm.Name+" "+name] = complete
		}
	}
	complete := func(what, typed string, others map[string]string) []string {
		require.NotNil(t, completers[what], what)
		got, err := completers[what](t.Context(), c, typed, others)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, got.Total, len(got.Values))
		assert.LessOrEqual(t, len(got.Values), 100)
		return got.Values
	}
	for _, what := range []string{"explore-table table", "design-table parent", "table table", "column table"} {
		assert.Equal(t, "C_Order", complete(what, "c_ord", nil)[0], what)
		assert.Contains(t, complete(what, "orderline", nil), "C_OrderLine", "a part of the name")
		assert.Contains(t, complete(what, "C_Ordre", nil), "C_Order", "a name that resembles it")
		assert.Len(t, complete(what, "", nil), 100)
		assert.Empty(t, complete(what, "zzzzzzzzzzzzzzz", nil))
	}
	for _, what := range []string{"explore-table column", "column column"} {
		assert.Equal(t, []string{"DocStatus"}, complete(what, "docs", map[string]string{"table": "c_order"}))
		assert.Contains(t, complete(what, "docs", nil), "DocStatus", "of any table")
		assert.Empty(t, complete(what, "docs", map[string]string{"table": "c_or"}))
	}
	assert.Equal(t, "C_Order, C_OrderLine", complete("write-report-query tables", "C_Order,c_orderli", nil)[0])
	assert.Equal(t, []string{"top-customers"}, complete("query-template name", "top", nil))
}
