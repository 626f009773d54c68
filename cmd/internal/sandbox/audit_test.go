package sandbox

import (
	"context"
	"database/sql"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/embedded"
	"github.com/erphub/erphub/cmd/internal/services"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/tokens"
)

// The audit's table comes into the dictionary whatever an earlier sandbox has
// left of it, and what it recorded stays.
func TestSandboxAudit(t *testing.T) {
	t.Parallel()
	exec := func(t *testing.T, srv *erptest.Server, statement string) {
		t.Helper()
		require.NoError(t, srv.Write(t.Context(), func(tx *sql.Tx) error {
			_, err := tx.ExecContext(t.Context(), statement)
			return err
		}, "*"))
	}
	ask := func(t *testing.T, s *services.AI) {
		t.Helper()
		_, err := s.Engine.Query(t.Context(), aiquery.Caller{UserID: 101}, aiquery.Request{SQL: "SELECT 1", RoleID: 102})
		require.NoError(t, err)
	}
	for name, tt := range map[string]struct {
		before func(*testing.T, *erptest.Server)
		kept   int
	}{
		"nothing": {func(*testing.T, *erptest.Server) {}, 0},
		"the table alone, with a record": {func(t *testing.T, srv *erptest.Server) {
			db, err := embedded.Open(srv)
			require.NoError(t, err)
			require.NoError(t, aiquery.Install(t.Context(), db))
			require.NoError(t, db.Close())
			exec(t, srv, "INSERT INTO AIG_QueryLog (AIG_QueryLog_ID, AIG_QueryLog_UU, AD_Client_ID, AD_Org_ID, IsActive, AIG_QuerySQL, AIG_QueryStatus) VALUES (1000000, 'x', 11, 0, 'Y', 'SELECT 0', 'Success')")
		}, 1},
		"all of it": {func(t *testing.T, srv *erptest.Server) {
			s := sandboxAI(t, srv)
			ask(t, s)
			require.NoError(t, s.Close(t.Context()))
		}, 1},
		"a table without its rule": {func(t *testing.T, srv *erptest.Server) {
			require.NoError(t, sandboxAI(t, srv).Close(t.Context()))
			exec(t, srv, "DELETE FROM AD_TableValRule")
		}, 0},
		"a first time that was cut off": {func(t *testing.T, srv *erptest.Server) {
			require.NoError(t, sandboxAI(t, srv).Close(t.Context()))
			exec(t, srv, "DROP TABLE AIG_QueryLog")
			exec(t, srv, "DELETE FROM AD_Column WHERE ColumnName='AIG_SecuredSQL'")
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := erptest.New(t)
			tt.before(t, srv)
			s := sandboxAI(t, srv)
			ask(t, s)
			table, err := s.Cache.Table(t.Context(), aiquery.AuditTableName)
			require.NoError(t, err)
			assert.Equal(t, "AI Query Log", table.Label)
			read := srv.Database()
			defer read.Close()
			var records, columns int
			require.NoError(t, read.QueryRowContext(t.Context(), "SELECT count(*) FROM AIG_QueryLog").Scan(&records))
			require.NoError(t, read.QueryRowContext(t.Context(), "SELECT count(*) FROM AD_Column WHERE AD_Table_ID = ?", table.ID).Scan(&columns))
			assert.Equal(t, tt.kept+1, records)
			described := aiquery.AuditTable()
			assert.Len(t, described.AllColumns(), columns)
			var rules int
			require.NoError(t, read.QueryRowContext(t.Context(), "SELECT count(*) FROM AD_TableValRule WHERE AD_Table_ID = ? AND IsActive = 'Y'", table.ID).Scan(&rules))
			assert.Equal(t, 1, rules, "others than administrators do not see what was asked")
			assert.NoError(t, s.Close(t.Context()))
		})
	}
}

func sandboxAI(t *testing.T, srv *erptest.Server) *services.AI {
	t.Helper()
	verifier, err := tokens.NewSecretVerifier([]byte(srv.TokenSecret()))
	require.NoError(t, err)
	s, err := openSandboxAI(context.WithoutCancel(t.Context()), srv, srv.URL(), nil, verifier, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return s
}
