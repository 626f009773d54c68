package httpapi

import (
	"errors"
	"net/http"
	"time"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/internal/jsonapi"
)

// statusOf is the HTTP status of a code of the engine.
func statusOf(code aiquery.Code) int {
	switch code {
	case aiquery.CodeInvalid, aiquery.CodeSyntax, aiquery.CodeNotSelect, aiquery.CodeUnsupported, aiquery.CodeData, aiquery.CodeTooComplex:
		return http.StatusBadRequest
	case aiquery.CodeTooLarge:
		return http.StatusRequestEntityTooLarge
	case aiquery.CodeUnauthenticated:
		return http.StatusUnauthorized
	case aiquery.CodeDenied:
		return http.StatusForbidden
	case aiquery.CodeNotFound:
		return http.StatusNotFound
	case aiquery.CodeCanceled:
		return http.StatusRequestTimeout
	case aiquery.CodeTimeout:
		return http.StatusGatewayTimeout
	case aiquery.CodeBusy, aiquery.CodeRateLimited:
		return http.StatusTooManyRequests
	case aiquery.CodeResources, aiquery.CodeUnavailable:
		return http.StatusServiceUnavailable
	case aiquery.CodeInternal:
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
		if e.Code != aiquery.CodeInternal { // one this package does not know: its words are not for everybody
			return jsonapi.Internal()
		}
	}
	return p
}
