package backend

import (
	"context"
	"errors"

	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/mcp"
	"github.com/erphub/erphub/tokens"
)

// Admit refuses callers for whom the program's own login stands when the ERP accepts
// that no longer: it was revoked, or has ended. The ERP's word counts for 30 seconds,
// whichever backend does the work. Where the ERP cannot say, the call finds out. Tokens
// that callers bring are checked by whoever lets the callers in.
func (b *RESTBackend) Admit(ctx context.Context, caller mcp.Caller) error {
	if b.own == nil || caller.Token.Reveal() != "" {
		return nil
	}
	for again := false; ; again = true {
		token, err := b.life.token(ctx, b.own)
		if err == nil {
			_, err = b.accepted.Verify(ctx, token)
		}
		switch {
		case errors.Is(err, tokens.ErrAuthentication):
			return loginEnded(err)
		case !errors.Is(err, tokens.ErrInvalidToken):
			return nil
		}
		source, ok := b.own.(erp.TokenInvalidator)
		if !ok || again {
			return loginEnded(err)
		}
		if err := source.Invalidate(ctx, token); err != nil { // the next token is another
			return loginEnded(err)
		}
	}
}

func loginEnded(err error) error {
	return &mcp.Error{Code: mcp.CodeUnauthorized, Message: "the login of this tool server is no longer accepted by the ERP: " + err.Error(), Hint: mcp.LogInAgain, Err: err}
}
