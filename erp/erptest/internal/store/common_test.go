package store_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest/internal/store"
)

// A store whose dictionary is another than that of the others shares nothing with them,
// from within the transaction on that changes it.
func TestCommonEndsWithTheDictionary(t *testing.T) {
	t.Parallel()
	common := store.NewCommon()
	open := func() *store.Store {
		s, err := store.Open(t.Context(), "", store.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, s.Close()) })
		s.Share(common)
		return s
	}
	shares := func(s *store.Store) (yes bool) {
		require.NoError(t, s.View(t.Context(), func(tx *store.Tx) error { yes = tx.Common() == common; return nil }))
		return yes
	}
	one, other := open(), open()
	assert.True(t, shares(one))
	require.NoError(t, one.Update(t.Context(), func(tx *store.Tx) error {
		tx.DictionaryChanged()
		assert.Nil(t, tx.Common())
		return nil
	}))
	assert.False(t, shares(one))
	assert.True(t, shares(other))
}
