package guard

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every macro is one SELECT in which each argument stands once, so that a
// statement grows with its calls and not with their nesting.
func TestMacroBodies(t *testing.T) {
	t.Parallel()
	g := New(nil)
	for name, m := range macros {
		assert.Equal(t, name, strings.ToLower(m.name))
		for i := range m.args {
			p := fmt.Sprintf("$%d AS", i+1)
			assert.Equal(t, 1, strings.Count(m.sql, p), "%s: %s", m.name, p)
		}
		assert.Equal(t, len(m.args), strings.Count(m.sql, "$"), m.name)
		tree, err := g.parse(t.Context(), m.sql, postgres.maxWeight)
		require.NoError(t, err, m.name)
		assert.NotNil(t, selectOf(tree), m.name)
		assert.False(t, builtins[name], "%s is a function of PostgreSQL", name)
	}
}

// An operator who permits the function in the database gets that one.
func TestPermittedFunctionIsNoMacro(t *testing.T) {
	t.Parallel()
	policy := testPolicy()
	policy.Version = ""
	statement := "SELECT currencyrate(c_bpartner_id, 100, NULL, NULL, 11, 0) FROM c_order"
	_, err := New(nil).Secure(t.Context(), policy, statement, 0, 10)
	require.ErrorContains(t, err, "c_conversion_rate", "the role has no such table")
	policy.Functions["currencyrate"] = true
	plan, err := New(nil).Secure(t.Context(), policy, statement, 0, 10)
	require.NoError(t, err)
	assert.Contains(t, plan.SQL, "adempiere.currencyrate(")
}

// Calls in calls stay within the limits of statements.
func TestNestedMacros(t *testing.T) {
	t.Parallel()
	policy := testPolicy()
	policy.Version = ""
	columns := []Column{{Name: "c_conversiontype_id", Type: "numeric"}, {Name: "ad_client_id", Type: "numeric"}, {Name: "isactive", Type: "bpchar"}}
	policy.Tables["c_conversiontype"] = &Table{Name: "C_ConversionType", Columns: append(columns, Column{Name: "isdefault", Type: "bpchar"}), Key: []string{"c_conversiontype_id"}}
	rate := &Table{Name: "C_Conversion_Rate", Columns: columns, Key: []string{"c_conversion_rate_id"}}
	for _, c := range strings.Fields("c_conversion_rate_id ad_org_id c_currency_id c_currency_id_to multiplyrate") {
		rate.Columns = append(rate.Columns, Column{Name: c, Type: "numeric"})
	}
	rate.Columns = append(rate.Columns, Column{Name: "validfrom", Type: "timestamp"}, Column{Name: "validto", Type: "timestamp"})
	policy.Tables["c_conversion_rate"] = rate
	for n, ok := range map[int]bool{1: true, 5: true, 60: false, 5000: false} {
		call := "1"
		for range n {
			call = "currencyRate(" + call + ", 100, NULL, NULL, 11, 0)"
		}
		_, err := New(nil).Secure(t.Context(), policy, "SELECT "+call, 0, 10)
		if ok {
			assert.NoError(t, err, n)
			continue
		}
		var r *Refusal
		if assert.ErrorAs(t, err, &r, n) {
			assert.Equal(t, TooLarge, r.Kind, "%d: %v", n, err)
		}
	}
}
