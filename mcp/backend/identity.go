package backend

import (
	"errors"
	"net/http"

	"github.com/erphub/erphub/mcp"
)

// identifying sends the identity of a caller along with the caller's token, and with no
// other.
type identifying struct{ next http.RoundTripper }

func (i identifying) RoundTrip(r *http.Request) (*http.Response, error) {
	var caller mcp.Caller
	switch c := r.Context().Value(callerKey{}).(type) {
	case mcp.Caller:
		caller = c
	case *kept:
		c.mu.Lock()
		caller = c.caller
		c.mu.Unlock()
	}
	if caller.Identity == nil || r.Header.Get("Authorization") != "Bearer "+caller.Token.Reveal() {
		return i.next.RoundTrip(r)
	}
	headers, err := caller.Identity.ERP().Header()
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // a RoundTripper closes it on every path
		}
		return nil, err
	}
	r = r.Clone(r.Context())
	for name, values := range headers {
		r.Header[name] = values
	}
	return i.next.RoundTrip(r)
}

// errProvided is how a backend that knows the ERP's own tokens alone refuses a caller.
var errProvided = &mcp.Error{
	Code: mcp.CodeUnsupported, Message: "this way to the ERP takes the ERP's own tokens alone, and the call has one of an OpenID provider",
	Hint: "connect with a token of the ERP for this, or ask the operator to give the server the ERP's database (--database), which needs no token", Err: errors.ErrUnsupported,
}
