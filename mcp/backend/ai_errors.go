package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/erphub/erphub/aiquery/aiclient"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/mcp"
)

// queryError is an error of the engine, here or behind the AI API, in the words
// of tools. What the engine said stays in its chain as an [api.Error].
func queryError(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err // what ended the context is found there
	}
	var own *mcp.Error
	if errors.As(err, &own) {
		return own // a budget that is used up, or a token that is not there
	}
	return toolError(err)
}

// toolError is an error about a statement in the words of tools.
func toolError(err error) error {
	var refusal *api.Error
	switch {
	case errors.As(err, &refusal):
		message := refusal.Message
		if refusal.Position > 0 {
			message = fmt.Sprintf("%s (at character %d of the statement)", message, refusal.Position)
		}
		e := &mcp.Error{Code: cmp.Or(queryCodes[refusal.Code], mcp.CodeInternal), Message: message, Hint: refusal.Hint, RetryAfter: refusal.RetryAfter, Err: err}
		if e.Code == mcp.CodeUnauthorized {
			e.Hint = mcp.LogInAgain
		}
		return e
	case errors.Is(err, aiclient.ErrTimeout):
		return &mcp.Error{Code: mcp.CodeTimeout, Message: err.Error(), Err: err}
	case errors.Is(err, aiclient.ErrUnreachable), errors.Is(err, aiclient.ErrBadResponse):
		return &mcp.Error{Code: mcp.CodeUnreachable, Message: err.Error(), Hint: "try again later, and check the address of the AI API (AI_API_URL)", Err: err}
	case errors.Is(err, aiclient.ErrInvalid):
		return &mcp.Error{Code: mcp.CodeInvalidArguments, Message: err.Error(), Err: err}
	}
	return err
}

// queryCodes are the codes of tools' errors for those of the engine; others are internal.
var queryCodes = map[api.Code]string{
	api.CodeInvalid: mcp.CodeInvalidArguments, api.CodeSyntax: mcp.CodeInvalidArguments, api.CodeNotSelect: mcp.CodeInvalidArguments,
	api.CodeUnsupported: mcp.CodeInvalidArguments, api.CodeData: mcp.CodeInvalidArguments, api.CodeTooLarge: mcp.CodeInvalidArguments, api.CodeTooComplex: mcp.CodeInvalidArguments,
	api.CodeUnauthenticated: mcp.CodeUnauthorized, api.CodeDenied: mcp.CodePermissionDenied, api.CodeNotFound: mcp.CodeNotFound,
	api.CodeCanceled: mcp.CodeCancelled, api.CodeTimeout: mcp.CodeTimeout, api.CodeUnavailable: mcp.CodeUnreachable,
	// Another backend would query the same database.
	api.CodeBusy: mcp.CodeRateLimitExceeded, api.CodeRateLimited: mcp.CodeRateLimitExceeded, api.CodeResources: mcp.CodeRateLimitExceeded,
}
