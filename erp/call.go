package erp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"

	"github.com/erphub/erphub/internal/apiclient"
)

// Call performs a request for which there is no method here: path is the list
// of segments below /api/v1, unescaped. A body of nil sends none. It returns
// the JSON of the response, nil if the response was empty. Only reading requests
// are retried after a broken connection.
func (c *Client) Call(ctx context.Context, method string, path []string, params url.Values, body any) (json.RawMessage, error) {
	r := &request{method: method, path: path}
	if !safe(method) {
		unsent := apiclient.RetryUnsent
		r.retry = &unsent
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		for _, value := range params[name] {
			r.query.add(url.QueryEscape(name), value)
		}
	}
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return nil, &apiclient.InputError{Text: fmt.Sprintf("%s: encode the request body: %v", method, err), Err: err}
		}
		r.body = data
	}
	a, err := c.do(ctx, r)
	if err != nil || len(a.body) == 0 {
		return nil, err
	}
	if err := a.checkJSON(); err != nil {
		return nil, c.badResponse(r, err)
	}
	if !json.Valid(a.body) {
		return nil, c.badResponse(r, fmt.Errorf("the response is not valid JSON: %w", ErrBadResponse))
	}
	return a.body, nil
}
