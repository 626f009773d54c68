package mcp

import (
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/tokens"
)

// Identity is for whom a caller works whose token is one of an OpenID provider, as the
// client says it. It goes to the ERP with the token, see [erp.Identity].
type Identity struct {
	Role, Organization, Warehouse, Language string
	IDToken                                 tokens.Secret
}

// ERP is the identity as the ERP's client takes it.
func (i Identity) ERP() erp.Identity {
	return erp.Identity{Role: i.Role, Organization: i.Organization, Warehouse: i.Warehouse, Language: i.Language, IDToken: i.IDToken.Reveal()}
}
