package tokens_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/tokens"
)

func TestReplace(t *testing.T) {
	t.Parallel()
	store := tokens.NewMemoryStore(tokens.Stored{Access: tokens.NewSecret("a"), Refresh: tokens.NewSecret("r"), ClientID: 1, UserID: 2, Refreshing: "x"})
	require.NoError(t, tokens.Replace(t.Context(), store, tokens.NewSecret("api"), "HTTPS://ERP.example.com/api/v1/"))
	st, err := store.Load(t.Context())
	require.NoError(t, err)
	assert.Equal(t, tokens.Stored{Access: tokens.NewSecret("api"), Server: "https://erp.example.com"}, st)
	m, err := tokens.NewManager("https://erp.example.com", tokens.WithStore(store))
	require.NoError(t, err)
	assert.Equal(t, "api", token(t, m))

	for _, bad := range []string{"", "CANARY\n"} {
		err := tokens.Replace(t.Context(), store, tokens.NewSecret(bad), "")
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "CANARY")
	}
	require.ErrorContains(t, tokens.Replace(t.Context(), store, tokens.NewSecret("x"), "erp"), "must look like")
	release, err := store.Lock(t.Context())
	require.NoError(t, err)
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, tokens.Replace(ctx, store, tokens.NewSecret("x"), ""), context.Canceled)
}
