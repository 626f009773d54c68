package aiquery_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/guard"
	"github.com/erphub/erphub/internal/testkit/aitest"
)

func policy(t *testing.T, w *world, user, role int) *aiquery.Policy {
	t.Helper()
	p, err := w.Policy(t.Context(), aiquery.Caller{UserID: user}, role)
	require.NoError(t, err, w.log)
	return p
}

// condition finds a condition of a table on a column.
func condition(t *testing.T, p *aiquery.Policy, table, column string, not bool) *guard.Condition {
	t.Helper()
	require.Contains(t, p.Guard.Tables, table)
	for i, c := range p.Guard.Tables[table].Conditions {
		if c.Column == column && c.Not == not {
			return &p.Guard.Tables[table].Conditions[i]
		}
	}
	return nil
}

func names(columns []guard.Column) []string {
	var out []string
	for _, c := range columns {
		out = append(out, c.Name)
	}
	return out
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	w := onPostgres(t, nil)

	t.Run("rules of every kind", func(t *testing.T) {
		t.Parallel()
		p := policy(t, w, aitest.User, aitest.Reader)
		orders := p.Guard.Tables["c_order"]
		require.NotNil(t, orders)
		assert.Equal(t, "C_Order", orders.Name)
		assert.Equal(t, "adempiere", p.Guard.Schema)
		assert.Equal(t, []int64{0, 11}, condition(t, p, "c_order", "ad_client_id", false).IDs)
		assert.Equal(t, aitest.VisibleOrgs(), condition(t, p, "c_order", "ad_org_id", false).IDs)
		assert.Contains(t, names(orders.Denied), "poreference")
		assert.NotContains(t, names(orders.Columns), "poreference")
		assert.Contains(t, names(orders.Denied), "zz_shadow", "what the dictionary does not know")
		assert.Equal(t, &guard.Condition{Column: "c_bpartner_id", Not: true, IDs: []int64{105, 117}, NullOK: true}, condition(t, p, "c_order", "c_bpartner_id", true), "the ERP keeps the user's rule")
		assert.Equal(t, []int64{105}, condition(t, p, "c_order", "salesrep_id", true).IDs, "the synonym of AD_User_ID")
		assert.Equal(t, []int64{105}, condition(t, p, "c_order", "ad_user_id", true).IDs)
		assert.Equal(t, []int64{117, 120, 121}, condition(t, p, "c_bpartner", "c_bpartner_id", true).IDs, "excluded, and locked by another")
		assert.Equal(t, []int64{123, 124}, condition(t, p, "m_product", "m_product_id", true).IDs, "read-only exclusions, too")
		assert.Nil(t, condition(t, p, "c_orderline", "m_product_id", true), "not marked for dependents")
		assert.Equal(t, []int64{123, 124}, condition(t, p, "m_product_trl", "m_product_id", true).IDs, "a translation shows what the record shows")
		assert.NotContains(t, names(p.Guard.Tables["c_bpartner"].Columns), "taxid")
		assert.Contains(t, names(p.Guard.Tables["c_bpartner"].Columns), "description", "excluded from changes only")
		assert.Equal(t, []string{"C_Invoice.DocStatus <> 'DR'"}, p.Guard.Tables["c_invoice"].Where)
		assert.Equal(t, []string{"C_Project.SalesRep_ID = 2000100 OR C_Project.SalesRep_ID IS NULL"}, p.Guard.Tables["c_project"].Where)
		assert.Equal(t, "C_Payment", p.Guard.Denied["c_payment"])
		assert.Contains(t, p.Guard.Tables, "c_bankaccount", "excluded from changes only")
		for _, closed := range []string{"ad_table", "xx_loose", "xx_free", "aig_querylog", "zz_shadow"} {
			assert.NotContains(t, p.Guard.Tables, closed)
		}
		view := p.Guard.Tables["rv_order_detail"]
		require.NotNil(t, view)
		assert.Contains(t, view.Definition, "adempiere.c_order")
		assert.Equal(t, aitest.VisibleOrgs(), condition(t, p, "rv_order_detail", "ad_org_id", false).IDs)
		assert.NotNil(t, p.Guard.Tables["rv_bpartner_total"], "without tenant and organization, but secured below")
		assert.Equal(t, map[string]bool{"nvl": true, "charat": true, "daysbetween": true, "getdate": true}, p.Guard.Functions)
	})

	t.Run("masks", func(t *testing.T) {
		t.Parallel()
		p := policy(t, w, aitest.User, aitest.Whole)
		for _, table := range p.Guard.Tables {
			for _, c := range table.Columns {
				want := slices.ContainsFunc(aitest.MaskedColumns(), func(m string) bool { return strings.EqualFold(m, c.Name) })
				for _, suffix := range []string{"password", "apikey", "secret", "creditcard", "token"} {
					want = want || strings.HasSuffix(c.Name, suffix)
				}
				assert.Equal(t, want, c.Redacted, "%s.%s", table.Name, c.Name)
			}
		}
		assert.Equal(t, 7, p.MaxRows)
		assert.Nil(t, condition(t, p, "c_order", "ad_org_id", false), "all organizations")
		assert.Nil(t, condition(t, p, "c_bpartner", "c_bpartner_id", true), "personal access sees what is locked")
	})

	t.Run("include rules", func(t *testing.T) {
		t.Parallel()
		p := policy(t, w, aitest.User, aitest.Narrow)
		var tables []string
		for name, table := range p.Guard.Tables {
			if table.Definition == "" {
				tables = append(tables, name)
			}
		}
		assert.ElementsMatch(t, []string{"c_order", "c_bpartner"}, tables)
		assert.Equal(t, []string{"c_bpartner_id", "name"}, names(p.Guard.Tables["c_bpartner"].Columns))
		assert.Equal(t, []int64{118, 119}, condition(t, p, "c_bpartner", "c_bpartner_id", false).IDs)
		assert.Equal(t, &guard.Condition{Column: "c_bpartner_id", IDs: []int64{118, 119}}, condition(t, p, "c_order", "c_bpartner_id", false))
	})

	for name, c := range map[string]struct {
		user, role int
		orgs       []int64
		closed     string
	}{
		"included roles":             {aitest.User, aitest.Including, []int64{0, 12}, "m_product"},
		"organizations of the user":  {aitest.User, aitest.ByUser, []int64{0, 50002}, ""},
		"organization tree":          {aitest.User, aitest.Tree, []int64{0, 12, 50002, 50004, 50005, 50006, 50007}, ""},
		"no organization":            {aitest.User, aitest.NoOrg, []int64{0}, ""},
		"standing in for somebody":   {aitest.Standin, aitest.NoOrg, []int64{0, 50006}, ""},
		"the System level sees more": {100, aitest.System, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := policy(t, w, c.user, c.role)
			if c.orgs != nil {
				assert.Equal(t, c.orgs, condition(t, p, "c_order", "ad_org_id", false).IDs)
			}
			if c.closed != "" {
				assert.NotContains(t, p.Guard.Tables, c.closed)
			}
			switch c.role {
			case aitest.System:
				assert.Contains(t, p.Guard.Tables, "ad_table")
				assert.Equal(t, []int64{0}, condition(t, p, "c_order", "ad_client_id", false).IDs)
			case aitest.NoOrg:
				if c.user == aitest.User {
					assert.Equal(t, []int64{0}, condition(t, p, "c_order", "ad_client_id", false).IDs)
				}
			}
		})
	}
}

func TestRolesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	w := onPostgres(t, nil)
	var errs []string
	for name, c := range map[string]struct{ user, role int }{
		"unknown":             {aitest.User, aitest.Unknown},
		"not held":            {aitest.Stranger, aitest.Reader},
		"master":              {aitest.User, aitest.Base},
		"deactivated":         {aitest.User, aitest.Inactive},
		"of another tenant":   {aitest.User, aitest.Foreign},
		"user deactivated":    {aitest.Gone, aitest.Reader},
		"no such user":        {4711, aitest.Reader},
		"negative":            {aitest.User, -1},
		"System, not held":    {aitest.User, aitest.System},
		"beyond every number": {aitest.User, 1 << 60},
	} {
		_, err := w.Query(t.Context(), aiquery.Caller{UserID: c.user, RequestID: "r"}, aiquery.Request{SQL: "SELECT 1", RoleID: c.role})
		require.ErrorIs(t, err, &api.Error{Code: api.CodeDenied}, name)
		errs = append(errs, shown(t, err))
	}
	slices.Sort(errs)
	assert.Len(t, slices.Compact(errs), 1, "all the same")
	records := w.audit(t)
	assert.Len(t, records, 10)
	for _, r := range records {
		assert.Equal(t, aiquery.StatusDenied, r["aig_querystatus"])
	}
}

func TestSettingsOpenWhatIsClosed(t *testing.T) {
	t.Parallel()
	w := onPostgres(t, func(o *aiquery.Options) {
		o.SystemTables = []string{"AD_Table"}
		o.OpenTables = []string{"XX_Loose", "XX_Free", "ZZ_Shadow"}
		o.DeniedTables = []string{"c_invoice"}
		o.Redact = []string{"C_BPartner.Name", "documentno"}
		o.NoDefaultRedact = true
		o.Functions = []string{"bomPriceStd", "lower", "run_sql", "peek"}
	})
	p := policy(t, w, aitest.User, aitest.Reader)
	assert.Contains(t, p.Guard.Tables, "ad_table")
	assert.NotContains(t, p.Guard.Tables, "ad_column")
	assert.Equal(t, []guard.Condition{{Column: "ad_client_id", IDs: []int64{0, 11}}}, p.Guard.Tables["xx_loose"].Conditions)
	assert.Contains(t, p.Guard.Tables, "xx_free")
	assert.NotContains(t, p.Guard.Tables, "zz_shadow", "not in the dictionary")
	assert.NotContains(t, p.Guard.Tables, "c_invoice")
	for _, c := range p.Guard.Tables["c_bpartner"].Columns {
		assert.Equal(t, c.Name == "name" || c.Name == "duns", c.Redacted, c.Name)
	}
	assert.True(t, p.Guard.Functions["bompricestd"], "reviewed")
	for _, f := range []string{"lower", "run_sql", "peek"} {
		assert.False(t, p.Guard.Functions[f], "%s runs with its owner's privileges", f)
	}
}

// Both databases give the same policy, but for what only one of them has.
func TestPolicyIsTheSameOnBothDatabases(t *testing.T) {
	t.Parallel()
	pg, lite := onPostgres(t, nil), onEmbedded(t, nil)
	for _, role := range []int{aitest.Reader, aitest.Whole, aitest.Narrow, aitest.Including, aitest.Tree} {
		a, b := policy(t, pg, aitest.User, role), policy(t, lite, aitest.User, role)
		for name, want := range a.Guard.Tables {
			got := b.Guard.Tables[name]
			if !assert.NotNil(t, got, name) {
				continue
			}
			assert.Equal(t, want.Conditions, got.Conditions, name)
			assert.Equal(t, want.Where, got.Where, name)
			assert.ElementsMatch(t, names(want.Columns), names(got.Columns), name)
		}
		for name, got := range b.Guard.Tables { // PostgreSQL has other views here
			if a.Guard.Tables[name] == nil {
				assert.NotEmpty(t, got.Definition, name)
			}
		}
	}
}

func TestPolicyVersion(t *testing.T) {
	t.Parallel()
	w := onPostgres(t, nil)
	first := policy(t, w, aitest.User, aitest.Reader).Guard.Version
	assert.Same(t, policy(t, w, aitest.User, aitest.Reader), policy(t, w, aitest.User, aitest.Reader), "kept")
	w.Invalidate()
	assert.Equal(t, first, policy(t, w, aitest.User, aitest.Reader).Guard.Version, "the same content")
	w.exec(t, "UPDATE ad_record_access SET record_id=118 WHERE record_id=117")
	w.Invalidate()
	assert.NotEqual(t, first, policy(t, w, aitest.User, aitest.Reader).Guard.Version)
}
