package rest

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// apiPath is where the REST API lives below the address of the ERP.
const apiPath = "/api/v1"

// New returns a client of the ERP at baseURL, such as "https://erp.acme.test". A
// path is kept, for servers behind a proxy; "/api/v1" is added unless it is there.
//
// The doer sends the requests and is responsible for the token, timeouts and
// retries; it must not be nil. New makes no request. The client is safe for
// concurrent use if the doer is.
func New(baseURL string, doer HttpRequestDoer, opts ...ClientOption) (*ClientWithResponses, error) {
	if doer == nil {
		return nil, errors.New("rest client: no HTTP client given; pass the one of an erp connection")
	}
	server, err := serverURL(baseURL)
	if err != nil {
		return nil, err
	}
	return NewClientWithResponses(server, append([]ClientOption{WithHTTPClient(doer)}, opts...)...)
}

// serverURL checks the address and adds the path of the API. Errors do not repeat
// the address, because it could carry a password.
func serverURL(baseURL string) (string, error) {
	u, err := url.Parse(baseURL)
	switch {
	case err != nil:
		return "", errors.New("rest client: the base URL cannot be parsed; give it as https://host:port")
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("rest client: the base URL has scheme %q; give it as https://host:port", u.Scheme)
	case u.Host == "":
		return "", errors.New("rest client: the base URL names no host; give it as https://host:port")
	case u.User != nil:
		return "", errors.New("rest client: the base URL carries credentials; remove them, the doer adds the token")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "", errors.New("rest client: the base URL has a query or fragment; remove it")
	}
	if p := strings.TrimRight(u.Path, "/"); strings.HasSuffix(p, apiPath) {
		return u.JoinPath("/").String(), nil
	}
	return u.JoinPath(apiPath, "/").String(), nil
}
