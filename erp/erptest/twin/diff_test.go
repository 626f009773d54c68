package twin_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/erp/erptest/twin"
	"github.com/erphub/erphub/erp/erptest/twin/mask"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	srv, err := erptest.Open(t.Context(), erptest.Options{Path: filepath.Join(t.TempDir(), "erp.db")})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, srv.Close()) })
	dir := t.TempDir()
	open := func() *twin.Database { // what was written before is seen by new transactions
		return database(t, srv)
	}
	_, err = twin.Clone(t.Context(), newSmall(open()), dir, orders())
	require.NoError(t, err)
	before, err := os.ReadFile(twin.InFolder(dir))
	require.NoError(t, err)

	// The counts of a source that shows few tables are not those it shows.
	same, err := twin.Diff(t.Context(), newSmall(open()), dir, twin.Options{})
	require.NoError(t, err)
	assert.Empty(t, same.Changes)
	assert.Zero(t, same.Compared, "nothing has to be read")

	require.NoError(t, srv.Write(t.Context(), func(tx *sql.Tx) error {
		for _, statement := range []string{
			`UPDATE AD_Window SET Description='another', Updated='2030-01-01 00:00:00', UpdatedBy=101 WHERE AD_Window_ID=143`,
			`UPDATE AD_Tab SET UpdatedBy=101, Updated='2030-01-01 00:00:00' WHERE AD_Tab_ID=186`,
			`DELETE FROM AD_Window_Access WHERE AD_Role_ID=103 AND AD_Window_ID=143`,
			`INSERT INTO AD_Message(AD_Message_ID, AD_Message_UU, AD_Client_ID, AD_Org_ID, IsActive, Created, CreatedBy, Updated, UpdatedBy, Value, MsgText, MsgType, EntityType)
				VALUES(1999999, 'new', 0, 0, 'Y', '2030-01-01 00:00:00', 100, '2030-01-01 00:00:00', 100, 'XX_New', 'a new message', 'I', 'U')`,
			`UPDATE C_Order SET Description='business', Updated='2030-01-01 00:00:00'`,
		} {
			if _, err := tx.ExecContext(context.WithoutCancel(t.Context()), statement); err != nil {
				return err
			}
		}
		return nil
	}))
	d, err := twin.Diff(t.Context(), newSmall(open()), dir, twin.Options{})
	require.NoError(t, err)
	assert.Equal(t, []twin.Change{
		{Table: "AD_Message", Key: "1999999", Name: "XX_New", Action: "added"},
		{Table: "AD_Window", Key: "143", Name: "Sales Order", Action: "changed", Columns: []string{"Description"}},
		{Table: "AD_Window_Access", Key: "143,103", Action: "removed"},
	}, d.Changes)
	assert.Equal(t, 4, d.Compared)
	after, err := os.ReadFile(twin.InFolder(dir))
	require.NoError(t, err)
	assert.Equal(t, before, after)
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	srv, err := erptest.Open(t.Context(), erptest.Options{Path: filepath.Join(t.TempDir(), "erp.db")})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, srv.Close()) })
	dir, fresh := t.TempDir(), t.TempDir()
	opts := orders()
	opts.Rows = 20
	first, err := twin.Clone(t.Context(), newSmall(database(t, srv)), dir, opts)
	require.NoError(t, err)
	require.NoError(t, srv.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(context.WithoutCancel(t.Context()), `UPDATE C_Order SET Description='changed since', Updated='2030-01-01 00:00:00';
			UPDATE AD_Window SET Description='another', Updated='2030-01-01 00:00:00' WHERE AD_Window_ID=143`)
		return err
	}))
	mark(t, twin.InFolder(dir), `UPDATE C_DocType SET Name='changed in the twin' WHERE C_DocType_ID=132`)
	report, err := twin.Refresh(t.Context(), newSmall(database(t, srv)), dir, twin.Options{Masking: plain})
	require.NoError(t, err)
	assert.NotEqual(t, first.Password, report.Password)
	for name, reused := range map[string]bool{"AD_Message": true, "C_OrderLine": true, "C_UOM_Trl": true, "C_Order": false, "AD_Window": false, "C_DocType": false, "AD_Column": false} {
		assert.Equal(t, reused, table(t, report, name).Reused, name)
	}
	_, err = twin.Clone(t.Context(), newSmall(database(t, srv)), fresh, opts)
	require.NoError(t, err)
	assert.Equal(t, verified(t, fresh).Digest, verified(t, dir).Digest)

	opts.Masking = mask.Options{Key: mask.FixedKey("another")}
	_, err = twin.Refresh(t.Context(), newSmall(database(t, srv)), dir, opts)
	require.ErrorContains(t, err, "masked otherwise")
	other, err := twin.NewDatabase(srv.Database(), twin.SQLite, &twin.DatabaseOptions{Origin: "another"})
	require.NoError(t, err)
	_, err = twin.Refresh(t.Context(), other, dir, twin.Options{Masking: plain})
	require.ErrorContains(t, err, "it is a twin of the live ERP")
}
