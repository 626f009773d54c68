package tools_test

import (
	"database/sql"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/dict/restdict"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/mcp"
)

// installAudit makes the table of the audit through the dictionary, as an ERP has it.
func installAudit(tb testing.TB, srv *erptest.Server) {
	tb.Helper()
	token, err := srv.APIToken(tb.Context(), root.user, root.client, root.role, root.org, 0)
	require.NoError(tb, err)
	client, err := erp.New(srv.URL(), erp.WithTokenSource(erp.StaticToken(token)))
	require.NoError(tb, err)
	plan, err := aiquery.AuditPlan()
	require.NoError(tb, err)
	_, err = restdict.Run(tb.Context(), client, plan, nil)
	require.NoError(tb, err)
}

// The tools for records hand the audit of queries to administrators alone:
// statements of others may hold what a role must not know.
func TestAuditIsForAdministrators(t *testing.T) {
	t.Parallel()
	k := start(t)
	installAudit(t, k.srv)
	require.NoError(t, k.srv.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(t.Context(), `INSERT INTO AIG_QueryLog (AIG_QueryLog_ID, AIG_QueryLog_UU, AD_Client_ID, AD_Org_ID, IsActive, Created, CreatedBy, Updated, UpdatedBy,
			AIG_QuerySQL, AIG_QueryStatus) VALUES (1000000, '00000000-0000-4000-8000-000000000001', 11, 0, 'Y', '2026-03-09 14:00:00', 101, '2026-03-09 14:00:00', 101,
			'SELECT 1 WHERE ''4711-X'' = ''''', 'Success')`)
		return err
	}, aiquery.AuditTableName))

	search := args{"tableName": "AIG_QueryLog"}
	seen := response[recordsResponse](t, k, admin, "searchRecords", search)
	require.Len(t, seen.Records, 1)
	assert.Contains(t, seen.Records[0]["AIG_QuerySQL"], "4711-X")

	for _, filter := range []string{"", "AIG_QueryLog_ID eq 1000000", "contains(AIG_QuerySQL,'4711')"} {
		hidden := response[recordsResponse](t, k, user, "searchRecords", args{"tableName": "AIG_QueryLog", "filter": filter})
		assert.Empty(t, hidden.Records, filter)
		if assert.NotNil(t, hidden.Total, filter) {
			assert.Zero(t, *hidden.Total, filter)
		}
	}
	for _, id := range []any{1000000, "00000000-0000-4000-8000-000000000001"} {
		_, err := k.invoke(t, &mcp.Call{Caller: k.as(t, user), Confirm: willing}, "getRecord", args{"tableName": "AIG_QueryLog", "id": id})
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "4711-X")
	}
}
