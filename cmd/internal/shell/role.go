package shell

import (
	"context"
	"strconv"

	"github.com/erphub/erphub/internal/config"
	"github.com/erphub/erphub/tokens"
)

// RoleOf is the role (AD_Role_ID) that work is done with, where a request has to
// name one: that of the settings, else that of the token. false: nobody named
// one. Flags and variables about one command come before it.
//
// It may log in or refresh to find out, as the request would.
func RoleOf(ctx context.Context, s *Setup, source tokens.Source) (int, bool, error) {
	if role, ok := LoginRole(s); ok || source == nil {
		return role, ok, nil
	}
	token, err := source.Token(ctx)
	if err != nil {
		return 0, false, err
	}
	claims, err := tokens.UnverifiedClaims(token) // it is our own
	if err != nil || !claims.Complete {
		return 0, false, nil // an ERP that makes other tokens
	}
	return claims.RoleID, true, nil
}

// LoginRole is the role that logins are made with, when somebody named it by
// its number: ERP_ROLE_ID, else the profile.
func LoginRole(s *Setup) (int, bool) {
	v := s.Resolver.Value("auth.default-role-id")
	if v.Origin == config.FromDefault || v.Origin == config.Unset {
		return 0, false
	}
	role, err := strconv.Atoi(v.Text())
	return role, err == nil
}
