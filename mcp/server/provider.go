package server

import (
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/tokens"
)

// The headers by which a client says for whom a token of an OpenID provider works: those
// of the ERP, and no others.
const (
	roleHeader         = "X-ID-Role"
	organizationHeader = "X-ID-Organization"
	warehouseHeader    = "X-ID-Warehouse"
	languageHeader     = "X-ID-Language"
	idTokenHeader      = "X-ID-IdToken"
)

// maxIdentity bounds a header of an identity in bytes; an ID token has the length of a token.
const maxIdentity = 255

// verifyProvided is whom a token of an OpenID provider stands for.
func (s *Server) verifyProvided(r *http.Request, token string) (*auth.TokenInfo, error) {
	identity, err := identityIn(r.Header)
	if err != nil {
		return nil, err
	}
	claims, err := s.opts.Provider.Verify(r.Context(), token, identity)
	if err != nil {
		return nil, err
	}
	caller := newCaller(claims, token)
	caller.Identity, caller.Session = &identity, "openid:"+claims.Subject
	return tokenInfo(caller, claims.ExpiresAt), nil
}

// identityIn reads the headers. Errors show no value.
func identityIn(h http.Header) (mcp.Identity, error) {
	var out mcp.Identity
	var idToken string
	for _, read := range []struct {
		header string
		into   *string
		most   int
	}{
		{roleHeader, &out.Role, maxIdentity}, {organizationHeader, &out.Organization, maxIdentity},
		{warehouseHeader, &out.Warehouse, maxIdentity}, {languageHeader, &out.Language, maxIdentity}, {idTokenHeader, &idToken, maxToken},
	} {
		values, wrong := h.Values(read.header), ""
		switch {
		case len(values) == 0:
			continue
		case len(values) > 1:
			wrong = "is there more than once"
		case len(values[0]) > read.most:
			wrong = fmt.Sprintf("is longer than %d bytes", read.most)
		case !utf8.ValidString(values[0]) || strings.ContainsFunc(values[0], unicode.IsControl):
			wrong = "holds characters that may not stand in it"
		}
		if wrong != "" {
			return out, &mcp.Error{Code: mcp.CodeInvalidArguments, Message: "the header " + read.header + " " + wrong, Hint: "send the name as the ERP shows it, once"}
		}
		*read.into = values[0]
	}
	out.IDToken = tokens.NewSecret(idToken)
	return out, nil
}
