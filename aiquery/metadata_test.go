package aiquery_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/internal/testkit/aitest"
)

// rule is a row of an access table for [aitest.Reader].
func (w *world) rule(t testing.TB, table, columns, values string) {
	t.Helper()
	w.exec(t, `INSERT INTO `+table+` (ad_role_id, ad_client_id, ad_org_id, isactive, created, createdby, updated, updatedby, `+columns+`)
		VALUES (2000001, 11, 0, 'Y', '2026-01-01', 0, '2026-01-01', 0, `+values+`)`)
	w.Invalidate()
}

func column(m *api.TableMetadata, name string) *api.ColumnMetadata {
	for i := range m.Columns {
		if m.Columns[i].Name == name {
			return &m.Columns[i]
		}
	}
	return nil
}

func TestTableMetadata(t *testing.T) {
	if testing.Short() {
		t.Skip("one statement after another")
	}
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		of := func(role int, table string) *api.TableMetadata {
			t.Helper()
			m, err := w.TableMetadata(t.Context(), user, role, table)
			require.NoError(t, err, "%s\n%s", table, w.log)
			return m
		}
		m := of(aitest.Reader, "c_ORDER")
		assert.Equal(t, "C_Order", m.Name)
		assert.Equal(t, "1", m.AccessLevel)
		assert.NotEmpty(t, m.AccessLevelName)
		assert.NotEmpty(t, m.Label)
		assert.True(t, m.Queryable)
		assert.Empty(t, m.WhyNot)
		assert.Equal(t, 143, m.WindowID)
		for _, hidden := range []string{"POReference", "ZZ_Shadow"} {
			assert.Nil(t, column(m, hidden), hidden)
		}
		partner := column(m, "C_BPartner_ID")
		require.NotNil(t, partner)
		assert.Equal(t, "C_BPartner", partner.References)
		assert.Equal(t, "numeric", partner.SQLType)
		assert.True(t, partner.Mandatory)
		assert.Equal(t, "Who orders", partner.Help)
		assert.Equal(t, "@DocStatus@=CO", partner.ReadOnlyLogic)
		assert.Zero(t, partner.ProcessID, "nor of processes that it may not run")
		assert.Empty(t, partner.DisplayLogic, "of windows that the role may not open nothing is told")
		assert.True(t, column(m, "C_Order_ID").Key)
		status := column(m, "DocStatus")
		require.NotNil(t, status)
		assert.True(t, slices.ContainsFunc(status.Values, func(v api.ListValue) bool { return v.Value == "CO" && v.Name == "Completed" }), status.Values)
		assert.Contains(t, m.ForeignKeys, api.ForeignKey{Table: "C_Order", Column: "C_BPartner_ID", References: "C_BPartner", Key: "C_BPartner_ID"})
		assert.Contains(t, m.ReferencedBy, api.ForeignKey{Table: "C_OrderLine", Column: "C_Order_ID", References: "C_Order", Key: "C_Order_ID"})
		assert.NotContains(t, shown(t, m), "C_Payment\"", "nothing leads to an excluded table")

		m = of(aitest.Reader, "AD_User")
		assert.True(t, column(m, "Password").Redacted)
		assert.True(t, column(m, "EMailUserPW").Redacted)
		assert.False(t, column(m, "Name").Redacted)
		assert.True(t, column(of(aitest.Reader, "C_BPartner"), "DUNS").Redacted, "marked secure")

		m = of(aitest.Reader, "AD_Table")
		assert.False(t, m.Queryable)
		assert.Equal(t, "it belongs to the System level", m.WhyNot)
		m = of(aitest.Reader, "XX_Loose")
		assert.Equal(t, "it has no tenant or organization", m.WhyNot)
		assert.NotNil(t, column(m, "Description"))

		m = of(aitest.Narrow, "C_BPartner")
		assert.Len(t, m.Columns, 2, "the columns that are included")
		assert.Empty(t, m.ForeignKeys)

		messages := map[string]bool{}
		for _, name := range []string{"C_Payment", "C_Nothing", "AIG_QueryLog", "ZZ_Shadow", "x'; DROP TABLE y; --"} {
			_, err := w.TableMetadata(t.Context(), user, aitest.Reader, name)
			assert.Equal(t, api.CodeNotFound, code(t, err), name)
			messages[strings.Replace(err.Error(), name, "?", 1)] = true
		}
		assert.Len(t, messages, 1, "the same words for what is not there and what is hidden")

		w.rule(t, "ad_process_access", "ad_process_id, isreadwrite", "(SELECT MIN(ad_process_id) FROM ad_process), 'Y'")
		assert.NotZero(t, column(of(aitest.Reader, "C_Order"), "C_BPartner_ID").ProcessID)

		// A rule hides a column of a table that queries may not read, too.
		free, err := w.TableMetadata(t.Context(), user, aitest.Reader, "XX_Free")
		require.NoError(t, err)
		require.Len(t, free.Columns, 1)
		w.rule(t, "ad_column_access", "ad_table_id, ad_column_id, isreadonly, isexclude",
			`(SELECT ad_table_id FROM ad_table WHERE tablename='XX_Free'), (SELECT c.ad_column_id FROM ad_column c JOIN ad_table t ON t.ad_table_id=c.ad_table_id WHERE t.tablename='XX_Free'), 'N', 'Y'`)
		assert.Empty(t, of(aitest.Reader, "XX_Free").Columns)
		assert.Empty(t, w.audit(t), "metadata is no query")
	})
}

func TestWindowMetadata(t *testing.T) {
	if testing.Short() {
		t.Skip("one statement after another")
	}
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		const orders, unknown = 143, 999999
		get := func(window int) (*api.WindowMetadata, error) {
			return w.WindowMetadata(t.Context(), user, aitest.Reader, window)
		}
		_, hidden := get(orders)
		assert.Equal(t, api.CodeNotFound, code(t, hidden), "a role kept by hand opens what its rows say")
		_, missing := get(unknown)
		assert.Equal(t, strings.Replace(missing.Error(), "999999", "143", 1), hidden.Error())

		w.rule(t, "ad_window_access", "ad_window_id, isreadwrite", "143, 'N'")
		m, err := get(orders)
		require.NoError(t, err, w.log)
		assert.Equal(t, orders, m.ID)
		assert.True(t, m.ReadOnly)
		require.NotEmpty(t, m.Tabs)
		assert.Equal(t, "C_Order", m.Tabs[0].Table)
		assert.True(t, m.Tabs[0].Queryable)
		fields := map[string]api.FieldMetadata{}
		for _, f := range m.Tabs[0].Fields {
			fields[f.Column] = f
		}
		assert.Contains(t, fields, "DocumentNo")
		assert.NotContains(t, fields, "POReference", "an excluded column")
		assert.Equal(t, "C_BPartner", fields["C_BPartner_ID"].References)
		assert.Equal(t, "Who orders", fields["C_BPartner_ID"].Help)
		assert.Equal(t, "@IsSOTrx@=Y", fields["C_BPartner_ID"].DisplayLogic)
		table, err := w.TableMetadata(t.Context(), user, aitest.Reader, "C_Order")
		require.NoError(t, err)
		assert.Equal(t, []string{"@IsSOTrx@=Y"}, column(table, "C_BPartner_ID").DisplayLogic)

		for name, change := range map[string]string{
			"its table is excluded": `INSERT INTO ad_table_access (ad_role_id, ad_table_id, ad_client_id, ad_org_id, isactive, created, createdby, updated, updatedby, isreadonly, isexclude, accesstyperule)
				VALUES (2000001, 259, 11, 0, 'Y', '2026-01-01', 0, '2026-01-01', 0, 'N', 'Y', 'A')`,
		} {
			w.exec(t, change)
			w.Invalidate()
			m, err := get(orders)
			require.NoError(t, err, name)
			for _, tab := range m.Tabs {
				assert.NotEqual(t, "C_Order", tab.Table, name)
			}
		}
		w.exec(t, "UPDATE ad_window_access SET isactive='N' WHERE ad_role_id=2000001")
		w.Invalidate()
		_, err = get(orders)
		assert.Equal(t, hidden.Error(), err.Error())
	})
}

func TestRoles(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, w *world) {
		list := func(userID int) []int {
			t.Helper()
			roles, err := w.Roles(t.Context(), aiquery.Caller{UserID: userID})
			require.NoError(t, err, w.log)
			require.NotNil(t, roles)
			var ids []int
			for _, r := range roles {
				ids = append(ids, r.ID)
				assert.NotEmpty(t, r.Name)
				assert.Equal(t, aitest.Tenant, r.ClientID)
				assert.Equal(t, "GardenWorld", r.ClientName)
				assert.Equal(t, "CO", r.UserLevel)
			}
			return ids
		}
		assert.ElementsMatch(t, []int{aitest.Reader, aitest.Whole, aitest.Narrow, aitest.Including, aitest.ByUser, aitest.Tree, aitest.NoOrg}, list(aitest.User),
			"not those that are deactivated, master roles, or of another tenant")
		assert.Contains(t, list(aitest.Stranger), aitest.Whole)
		assert.NotContains(t, list(aitest.Stranger), aitest.Reader)
		assert.Empty(t, list(aitest.Gone))
		assert.Empty(t, list(123456789))
		assert.Empty(t, list(-1))

		// A role that is not the user's is refused in the same words, whether or
		// not it exists, everywhere.
		messages := map[string]bool{}
		for _, role := range []int{aitest.Unknown, aitest.Base, aitest.Inactive, aitest.Foreign, aitest.System, -1, 1 << 40} {
			_, err := w.TableMetadata(t.Context(), user, role, "C_Order")
			assert.Equal(t, api.CodeDenied, code(t, err), role)
			messages[err.Error()] = true
			_, err = w.WindowMetadata(t.Context(), user, role, 143)
			messages[err.Error()] = true
			q := query("SELECT 1")
			q.RoleID = role
			_, err = w.Query(t.Context(), user, q)
			messages[err.Error()] = true
			_, err = w.Explain(t.Context(), user, q)
			messages[err.Error()] = true
		}
		assert.Len(t, messages, 1, messages)
		for _, r := range w.audit(t) {
			assert.Equal(t, aiquery.StatusDenied, r["aig_querystatus"])
			assert.Contains(t, []string{"11", "0"}, r["ad_client_id"])
			if r["ad_role_id"] == "2999999" {
				assert.Equal(t, "11", r["ad_client_id"], "what the user asked is for the user's tenant to see")
			}
		}
		assert.Len(t, w.audit(t), 14)
	})
}

func TestRedacts(t *testing.T) {
	t.Parallel()
	w := onEmbedded(t, func(o *aiquery.Options) { o.Redact = []string{"IBAN", "C_Order.Note"} })
	for _, c := range []struct {
		table, column string
		want          bool
	}{
		{"AD_User", "Password", true}, {"ad_user", "PASSWORD", true}, {"", "password", true}, {"Nowhere", "X_ApiKey", true},
		{"AD_User", "EMailUserPW", true}, {"AD_User", "UserPIN", true}, {"AD_User", "Name", false}, {"", "Name", false},
		{"C_BPartner", "DUNS", true}, {"", "duns", true}, {"Nowhere", "DUNS", true}, {"C_Order", "DUNS", false},
		{"C_BP_BankAccount", "IBAN", true}, {"C_Order", "Note", true}, {"C_Invoice", "Note", false}, {"", "note", true},
		{"C_BP_BankAccount", "CreditCardNumber", false}, {"", "TokenType", false}, {"", "", false},
	} {
		got, err := w.Redacts(t.Context(), c.table, c.column)
		require.NoError(t, err)
		assert.Equal(t, c.want, got, "%s.%s", c.table, c.column)
	}
}
