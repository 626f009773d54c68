package toolserver

import (
	"log/slog"

	"github.com/urfave/cli/v2"

	"github.com/erphub/erphub/cmd/internal/openid"
	"github.com/erphub/erphub/cmd/internal/shell"
	"github.com/erphub/erphub/tokens"
)

// openIDProvider checks tokens of the authorization servers that are OpenID providers of
// the ERP; nil where none is named, or there is no ERP to decide about them.
func (a *app) openIDProvider(c *cli.Context, s *shell.Setup, verifier *tokens.Verifier, log *slog.Logger) (*openid.Verifier, error) {
	issuers, address := c.StringSlice("authorization-server"), s.Resolver.Lookup("url")
	if len(issuers) == 0 || address == "" || verifier == nil {
		return nil, nil
	}
	v, err := openid.New(openid.Options{
		ERP: address, Issuers: issuers, Transport: shell.AskingClient().Transport, UserAgent: "erphub-mcp/" + shell.Version(), Logger: log,
	})
	return v, shell.Usage(err)
}
