package httpapi

import (
	"errors"
	"net/http"
	"time"

	"github.com/erphub/erphub/aiquery/answer"
	"github.com/erphub/erphub/internal/httpserver"
)

// engineProblem is an error of the engine, which is written as it is, with what
// its status asks for; nil for other errors.
func engineProblem(err error) *httpserver.APIError {
	var e *answer.Error
	if !errors.As(err, &e) {
		return nil
	}
	p := &httpserver.APIError{Status: e.Code.Status(), Code: string(e.Code), Message: e.Message, Hint: e.Hint, Body: e, RetryAfter: e.RetryAfter}
	switch p.Status {
	case 0: // a code this package does not know: its words are not for everybody
		return httpserver.InternalError()
	case http.StatusUnauthorized:
		p.Challenge = `Bearer realm="ai"`
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		p.RetryAfter = max(p.RetryAfter, time.Second)
	}
	return p
}
