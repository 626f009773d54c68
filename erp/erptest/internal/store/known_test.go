package store_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// What is known of a statement holds until a table that it reads changes.
func TestKnown(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	number, other := numbers("X_Number"), numbers("X_Other")
	s := openStores(t, number, 10)["file"]
	require.NoError(t, s.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.CreateTable(ctx, other)
		return err
	}))
	newest := func() (id any) {
		require.NoError(t, s.View(ctx, func(tx *store.Tx) error {
			found, err := tx.Known(ctx, `SELECT MAX(X_Number_ID) FROM X_Number WHERE X_Number_ID<?`, int64(100))
			if err == nil {
				id = found[0][0]
			}
			return err
		}))
		return id
	}
	require.Equal(t, int64(10), newest())
	_, err := store.WriterOf(s).ExecContext(ctx, `DELETE FROM X_Number WHERE X_Number_ID=10`)
	require.NoError(t, err)
	assert.Equal(t, int64(10), newest(), "asked again")
	require.NoError(t, s.Update(ctx, func(tx *store.Tx) error { return insertNumber(ctx, tx, other, 50) }))
	assert.Equal(t, int64(10), newest(), "another table changed")
	require.NoError(t, s.Update(ctx, func(tx *store.Tx) error { return insertNumber(ctx, tx, number, 20) }))
	assert.Equal(t, int64(20), newest(), "the table changed")
}
