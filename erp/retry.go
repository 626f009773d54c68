package erp

import (
	"net/http"
	"time"

	"github.com/erphub/erphub/internal/apiclient"
)

// RetryPolicy says how often and when a failed request is sent again.
//
// A retry must not do harm. A request that demonstrably never reached the
// server (the connection was not established) is sent again whatever its
// method. After a broken connection, and on 429, 502, 503 and 504, only
// idempotent requests are: GET, HEAD and OPTIONS, and PUT and DELETE as far as
// they mean the same when done twice. An update that carries child rows or a
// document action does not; neither do the actions of workflows, windows and
// log-in. POST never does. A 500 is a business failure in this ERP and is not
// retried. A server that is silent until the time-out is not called again. The
// caller's context ends any wait at once.
type RetryPolicy struct {
	Max     int           // retries after the first attempt; 0 turns retrying off
	MinWait time.Duration // wait before the first retry; it doubles for each further one, less a random part of up to a half
	MaxWait time.Duration // bound of that wait
	// MaxRetryAfter is the longest wait that a server may demand through the header
	// Retry-After, on 429 and 503. If it demands more, the request fails with
	// that time in Error.RetryAfter.
	MaxRetryAfter time.Duration
}

// DefaultRetryPolicy retries three times, after about 0.2, 0.4 and 0.8
// seconds, and obeys Retry-After up to a minute.
func DefaultRetryPolicy() RetryPolicy {
	return RetryPolicy{Max: 3, MinWait: 200 * time.Millisecond, MaxWait: 5 * time.Second, MaxRetryAfter: time.Minute}
}

func (p RetryPolicy) core() apiclient.Policy {
	return apiclient.Policy{Max: p.Max, MinWait: p.MinWait, MaxWait: p.MaxWait, MaxRetryAfter: p.MaxRetryAfter}
}

// safe reports whether a method reads only.
func safe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}
