package engine

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// What a reader of an older state looks up is not remembered for those who come
// after a change.
func TestOldReadersRememberNothing(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	e := open(t, filepath.Join(t.TempDir(), "erp.db"))

	const roleID, userID = 102, 101
	look := func(ctx context.Context, tx *store.Tx) (level string, hasColumn bool) {
		r, err := e.Roles.Get(ctx, tx, roleID, userID, e.Now())
		require.NoError(t, err)
		table, err := tx.Table(ctx, "C_Region")
		require.NoError(t, err)
		_, hasColumn = table.Column("XX_New")
		return r.UserLevel, hasColumn
	}
	require.NoError(t, e.DB.View(ctx, func(old *store.Tx) error {
		require.NoError(t, e.DB.Update(ctx, func(tx *store.Tx) error {
			roles, err := tx.Table(ctx, "AD_Role")
			require.NoError(t, err)
			_, err = tx.Set(ctx, roles, store.Row{"UserLevel": "  O"}, "AD_Role_ID=?", roleID)
			require.NoError(t, err)
			regions, err := tx.Table(ctx, "C_Region")
			require.NoError(t, err)
			columns, err := tx.Table(ctx, "AD_Column")
			require.NoError(t, err)
			row, err := tx.One(ctx, columns, "AD_Table_ID=? AND ColumnName='Name'", regions.ID)
			require.NoError(t, err)
			row["AD_Column_ID"], row["AD_Column_UU"], row["ColumnName"] = int64(1_999_999), store.NewUUID(), "XX_New"
			return tx.Insert(ctx, columns, row)
		}))
		level, has := look(ctx, old)
		assert.NotEqual(t, "O", level, "a reader sees its own state")
		assert.False(t, has, "a reader sees its own state")
		return nil
	}))
	require.NoError(t, e.DB.View(ctx, func(tx *store.Tx) error {
		level, has := look(ctx, tx)
		assert.Equal(t, "O", level)
		assert.True(t, has)
		return nil
	}))
}

// A transaction that has changed a role sees it changed; when it is rolled back, the
// role is what it was. One that has written other tables shares the kept role.
func TestWritersRememberNothingOfTheirChanges(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	e := open(t, filepath.Join(t.TempDir(), "erp.db"))

	const roleID, userID = 102, 101
	role := func(tx *store.Tx) *Role {
		r, err := e.Roles.Get(ctx, tx, roleID, userID, e.Now())
		require.NoError(t, err)
		return r
	}
	write := func(tx *store.Tx, tableName string, row store.Row, id int64) {
		table, err := tx.Table(ctx, tableName)
		require.NoError(t, err)
		_, err = tx.Set(ctx, table, row, tableName+"_ID=?", id)
		require.NoError(t, err)
	}
	var before *Role
	undone := errors.New("undone")
	require.ErrorIs(t, e.DB.Update(ctx, func(tx *store.Tx) error {
		before = role(tx)
		write(tx, "C_BPartner", store.Row{"Name2": "another"}, 118)
		assert.Same(t, before, role(tx), "partners are no part of a role")
		write(tx, "AD_Role", store.Row{"UserLevel": "  O"}, roleID)
		assert.Equal(t, "O", role(tx).UserLevel, "a writer sees its own change")
		return undone
	}), undone)
	require.NoError(t, e.DB.View(ctx, func(tx *store.Tx) error {
		assert.Equal(t, before.UserLevel, role(tx).UserLevel, "the change was rolled back")
		assert.NotEqual(t, "O", role(tx).UserLevel)
		return nil
	}))

	require.NoError(t, e.DB.Update(ctx, func(tx *store.Tx) error {
		role(tx)
		_, err := tx.Exec(ctx, "WITH wanted AS (SELECT 102 AS id) UPDATE AD_Role SET UserLevel='  O' WHERE AD_Role_ID IN (SELECT id FROM wanted)")
		require.NoError(t, err)
		assert.Equal(t, "O", role(tx).UserLevel, "SQL of the caller's own may have changed roles")
		return nil
	}))
	require.NoError(t, e.DB.View(ctx, func(tx *store.Tx) error {
		assert.Equal(t, "O", role(tx).UserLevel)
		return nil
	}))
}
