package backend

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/aiclient"
	"github.com/erphub/erphub/aiquery/answer"
	"github.com/erphub/erphub/mcp"
)

// aiError is an error of the AI API's client in the words of tools.
func aiError(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err // what ended the context is found there
	}
	var own *mcp.Error
	if errors.As(err, &own) {
		return own // a budget that is used up, or a token that is not there
	}
	var refusal *aiclient.Error
	switch {
	case errors.As(err, &refusal):
		code := queryCode(answer.Code(refusal.Code))
		if code == "" {
			code = statusCode(refusal.Status)
		}
		return queryError(code, refusal.Message, refusal.Hint, refusal.Position, refusal.RetryAfter, err)
	case errors.Is(err, aiclient.ErrTimeout):
		return queryError(mcp.CodeTimeout, err.Error(), "", 0, 0, err)
	case errors.Is(err, aiclient.ErrUnreachable), errors.Is(err, aiclient.ErrBadResponse):
		return queryError(mcp.CodeUnreachable, err.Error(), "try again later, and check the address of the AI API (AI_API_URL)", 0, 0, err)
	case errors.Is(err, aiclient.ErrInvalid):
		return queryError(mcp.CodeInvalidArguments, err.Error(), "", 0, 0, err)
	}
	return err
}

// engineError is an error of the engine in the words of tools.
func engineError(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	var refusal *aiquery.Error
	if !errors.As(err, &refusal) {
		return err
	}
	code := queryCode(refusal.Code)
	if code == "" {
		code = mcp.CodeInternal
	}
	return queryError(code, refusal.Message, refusal.Hint, refusal.Position, refusal.RetryAfter, err)
}

func queryError(code, message, hint string, position int, retry time.Duration, err error) error {
	if position > 0 {
		message = fmt.Sprintf("%s (at character %d of the statement)", message, position)
	}
	return &mcp.Error{Code: code, Message: message, Hint: hint, RetryAfter: retry, Err: err}
}

// queryCode is the code of a tool's error for one of the engine, "" for one
// that is not known.
func queryCode(code answer.Code) string {
	switch code {
	case answer.CodeInvalid, answer.CodeSyntax, answer.CodeNotSelect, answer.CodeUnsupported, answer.CodeData, answer.CodeTooLarge, answer.CodeTooComplex:
		return mcp.CodeInvalidArguments
	case answer.CodeUnauthenticated:
		return mcp.CodeUnauthorized
	case answer.CodeDenied:
		return mcp.CodePermissionDenied
	case answer.CodeNotFound:
		return mcp.CodeNotFound
	case answer.CodeCanceled:
		return mcp.CodeCancelled
	case answer.CodeTimeout:
		return mcp.CodeTimeout
	case answer.CodeBusy, answer.CodeRateLimited, answer.CodeResources:
		return mcp.CodeRateLimitExceeded // another backend would ask the same database
	case answer.CodeUnavailable:
		return mcp.CodeUnreachable
	case answer.CodeInternal:
		return mcp.CodeInternal
	}
	return ""
}

// statusCode is the code for an answer that only has a status, as of a proxy.
func statusCode(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return mcp.CodeUnauthorized
	case http.StatusForbidden:
		return mcp.CodePermissionDenied
	case http.StatusNotFound:
		return mcp.CodeNotFound
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return mcp.CodeTimeout
	case http.StatusTooManyRequests:
		return mcp.CodeRateLimitExceeded
	case http.StatusBadGateway, http.StatusServiceUnavailable:
		return mcp.CodeUnreachable
	}
	if status >= http.StatusInternalServerError {
		return mcp.CodeInternal
	}
	return mcp.CodeInvalidArguments
}
