package openid

import (
	"crypto/sha256"
	"encoding/binary"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/testkit/testclock"
	"github.com/erphub/erphub/internal/testkit/testopenid"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/tokens"
)

// A token that has not ended is not forgotten for another: its role could be changed then.
func TestFullOfTokens(t *testing.T) {
	t.Parallel()
	provider, clock := testopenid.New(t), testclock.New(time.Now())
	v, err := New(Options{ERP: "http://127.0.0.1:1", Issuers: []string{provider.URL}, Clock: clock.Now})
	require.NoError(t, err)
	for i := range maxTokens {
		var id [sha256.Size]byte
		binary.BigEndian.PutUint64(id[:], uint64(i))
		v.known[id] = &seen{ends: clock.Now().Add(time.Minute)}
	}
	token := provider.Token(t, "GardenUser", clock.Now(), jwt.MapClaims{"exp": clock.Now().Add(time.Hour).Unix()})
	require.True(t, v.Issued(token))
	_, err = v.Verify(t.Context(), token, mcp.Identity{})
	require.ErrorContains(t, err, "too many tokens")
	assert.NotErrorIs(t, err, tokens.ErrInvalidToken)
	clock.Advance(time.Minute)
	_, err = v.Verify(t.Context(), token, mcp.Identity{})
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "too many tokens")
	assert.Empty(t, v.known, "the ERP was not reached, and knows nothing of it")
}
