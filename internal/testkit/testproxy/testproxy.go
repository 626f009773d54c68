// Package testproxy has what the proxies of tests have in common.
package testproxy

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httputil"
)

// New is a handler that gives requests to the proxy when they are whole, as the
// usual proxies do. httputil.ReverseProxy may break off a response that begins
// before it has sent on the end of the request.
func New(proxy *httputil.ReverseProxy) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	})
}
