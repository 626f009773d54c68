package backend

import (
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
		e := &mcp.Error{Code: queryCode(refusal.Code), Message: message, Hint: refusal.Hint, RetryAfter: refusal.RetryAfter, Err: err}
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

// queryCode is the code of a tool's error for one of the engine.
func queryCode(code api.Code) string {
	switch code {
	case api.CodeInvalid, api.CodeSyntax, api.CodeNotSelect, api.CodeUnsupported, api.CodeData, api.CodeTooLarge, api.CodeTooComplex:
		return mcp.CodeInvalidArguments
	case api.CodeUnauthenticated:
		return mcp.CodeUnauthorized
	case api.CodeDenied:
		return mcp.CodePermissionDenied
	case api.CodeNotFound:
		return mcp.CodeNotFound
	case api.CodeCanceled:
		return mcp.CodeCancelled
	case api.CodeTimeout:
		return mcp.CodeTimeout
	case api.CodeBusy, api.CodeRateLimited, api.CodeResources:
		return mcp.CodeRateLimitExceeded // another backend would query the same database
	case api.CodeUnavailable:
		return mcp.CodeUnreachable
	case api.CodeInternal:
	}
	return mcp.CodeInternal
}
