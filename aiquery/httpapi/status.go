package httpapi

import (
	"errors"
	"net/http"
	"time"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/answer"
	"github.com/erphub/erphub/internal/jsonapi"
)

// statusOf is the HTTP status of a code of the engine.
func statusOf(code answer.Code) int {
	switch code {
	case answer.CodeInvalid, answer.CodeSyntax, answer.CodeNotSelect, answer.CodeUnsupported, answer.CodeData, answer.CodeTooComplex:
		return http.StatusBadRequest
	case answer.CodeTooLarge:
		return http.StatusRequestEntityTooLarge
	case answer.CodeUnauthenticated:
		return http.StatusUnauthorized
	case answer.CodeDenied:
		return http.StatusForbidden
	case answer.CodeNotFound:
		return http.StatusNotFound
	case answer.CodeCanceled:
		return http.StatusRequestTimeout
	case answer.CodeTimeout:
		return http.StatusGatewayTimeout
	case answer.CodeBusy, answer.CodeRateLimited:
		return http.StatusTooManyRequests
	case answer.CodeResources, answer.CodeUnavailable:
		return http.StatusServiceUnavailable
	case answer.CodeInternal:
	}
	return http.StatusInternalServerError
}

// engineProblem is an error of the engine in the form of the API; nil for other
// errors.
func engineProblem(err error) *jsonapi.Problem {
	var e *aiquery.Error
	if !errors.As(err, &e) {
		return nil
	}
	p := &jsonapi.Problem{Status: statusOf(e.Code), Code: string(e.Code), Message: e.Message, Hint: e.Hint, Position: e.Position, RetryAfter: e.RetryAfter}
	switch p.Status {
	case http.StatusUnauthorized:
		p.Challenge = `Bearer realm="ai"`
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		p.RetryAfter = max(p.RetryAfter, time.Second)
	case http.StatusInternalServerError:
		if e.Code != answer.CodeInternal { // one this package does not know: its words are not for everybody
			return jsonapi.Internal()
		}
	}
	return p
}
