package aiengine

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/embedded"
	"github.com/erphub/erphub/dict/dbdict"
	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp/erptest"
)

// Users and roles of the demo data.
const (
	Tenant   = 11
	User     = 101 // GardenAdmin, who has Role and UserRole
	Stranger = 102 // GardenUser, who has UserRole alone
	Role     = 102 // GardenWorld Admin
	UserRole = 103 // GardenWorld User
	System   = 0   // a role that neither has
	Unknown  = 2_999_999

	// SecureColumn is marked as secure in every table, so that it is masked.
	SecureColumn = "DUNS"
	// HiddenTable is kept from Role.
	HiddenTable = "C_Campaign"
)

// Embedded makes an engine with its audit on an embedded ERP of its own. Both
// end with the test.
func Embedded(t testing.TB, opts *aiquery.Options) (*aiquery.Engine, *erptest.Server) {
	t.Helper()
	srv := erptest.New(t)
	require.NoError(t, srv.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(t.Context(), "UPDATE AD_Column SET IsSecure='Y' WHERE ColumnName=?", SecureColumn)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(t.Context(), `INSERT INTO AD_Table_Access (AD_Client_ID, AD_Org_ID, AD_Role_ID, AD_Table_ID, IsActive, IsExclude,
			AccessTypeRule, IsReadOnly, Created, CreatedBy, Updated, UpdatedBy)
			SELECT ?, 0, ?, AD_Table_ID, 'Y', 'Y', 'A', 'N', Created, 0, Updated, 0 FROM AD_Table WHERE TableName=?`, Tenant, Role, HiddenTable)
		return err
	}, "AD_Column", "AD_Table_Access"))
	read := srv.Database()
	source, err := dbdict.New(read, dbdict.SQLite, nil)
	require.NoError(t, err)
	catalog, err := registry.LoadCatalog(t.Context(), source)
	require.NoError(t, err)
	require.NoError(t, read.Close())
	db, err := embedded.Open(srv)
	require.NoError(t, err)
	require.NoError(t, aiquery.Install(t.Context(), db))
	engine, err := aiquery.New(db, catalog, opts)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := errors.Join(engine.Close(ctx), db.Close()); err != nil {
			t.Errorf("closing the engine: %v", err)
		}
	})
	return engine, srv
}

// Records are the audit's records as AIG_RequestID, AIG_QueryStatus and
// AD_User_ID, oldest first.
func Records(t testing.TB, srv *erptest.Server) [][3]string {
	t.Helper()
	db := srv.Database()
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), "SELECT AIG_RequestID, AIG_QueryStatus, AD_User_ID FROM "+aiquery.AuditTableName+" ORDER BY "+aiquery.AuditTableName+"_ID")
	require.NoError(t, err)
	defer rows.Close()
	var all [][3]string
	for rows.Next() {
		var r [3]string
		require.NoError(t, rows.Scan(&r[0], &r[1], &r[2]))
		all = append(all, r)
	}
	require.NoError(t, rows.Err())
	return all
}
