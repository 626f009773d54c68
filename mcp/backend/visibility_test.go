package backend

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/tokens"
)

// Callers share a dictionary when they see the same of it.
func TestVisibility(t *testing.T) {
	t.Parallel()
	of := func(role int, language string) mcp.Caller {
		part := base64.RawURLEncoding.EncodeToString
		token := part([]byte(`{"alg":"HS512","typ":"JWT"}`)) + "." + part([]byte(`{"sub":"x","AD_Language":"`+language+`"}`)) + "." + part([]byte("x"))
		return mcp.Caller{ID: "11/1", Token: tokens.NewSecret(token), ClientID: 11, RoleID: role, Known: true}
	}
	var v views
	english := v.of(of(102, "en_US"))
	other := of(102, "en_US")
	other.ID = "11/2"
	assert.Equal(t, english, v.of(other), "users of one role")
	assert.Equal(t, english, v.of(of(102, "en_US")), "again")
	assert.NotEqual(t, english, v.of(of(103, "en_US")), "another role")
	assert.NotEqual(t, english, v.of(of(102, "de_DE")), "another language")
	provided := of(102, "")
	provided.Identity = &mcp.Identity{Role: "Admin", Language: "en_US"}
	assert.Equal(t, english, v.of(provided), "a token of a provider, with the same role and language")
	provided.Identity = &mcp.Identity{Role: "Admin", Language: "de_DE"}
	assert.NotEqual(t, english, v.of(provided), "in another language")
	other.Known = false
	assert.NotEqual(t, english, v.of(other), "who is not verified")
	assert.Empty(t, v.of(mcp.Caller{}), "the server's own login")
}
