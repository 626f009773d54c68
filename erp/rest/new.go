package rest

import (
	"errors"
	"fmt"

	"github.com/erphub/erphub/internal/baseurl"
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
	server, err := baseurl.Parse(baseURL, apiPath)
	if err != nil {
		return nil, fmt.Errorf("rest client: the base URL %w", err)
	}
	return NewClientWithResponses(server.String()+apiPath+"/", append([]ClientOption{WithHTTPClient(doer)}, opts...)...)
}
