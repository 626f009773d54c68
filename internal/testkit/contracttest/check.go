package contracttest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// exchange is one request with its response. A body is only there when it is JSON and
// was captured completely.
type exchange struct {
	method   string
	path     string // escaped, below basePath
	rawQuery string
	header   http.Header
	body     capture

	status     int
	respHeader http.Header
	respBody   capture
}

// check returns what breaks the contract, and the operation as "METHOD path" when
// the server knows it and accepted the request.
func (r *routes) check(x *exchange) (operation string, violations []error) {
	route, params := r.find(x.method, x.path)
	accepted := x.status < 400
	if route == nil || route.Operation == nil {
		if accepted {
			return "", []error{errors.New("the contract has no such operation, but the server accepted it")}
		}
		return "", nil
	}
	input := &openapi3filter.RequestValidationInput{
		Request:     x.request(),
		PathParams:  params,
		QueryParams: query(x.rawQuery),
		Route:       route,
		Options: &openapi3filter.Options{
			MultiError: true, SkipSettingDefaults: true,
			AuthenticationFunc: authenticate,
			ExcludeRequestBody: !x.body.usable(x.header),
		},
	}
	if accepted {
		operation = x.method + " " + route.Path
		if err := openapi3filter.ValidateRequest(context.Background(), input); err != nil {
			violations = append(violations, fmt.Errorf("request: %w", err))
		}
		if route.Operation.RequestBody != nil && route.Operation.RequestBody.Value.Required && x.body.complete && x.body.size == 0 {
			violations = append(violations, errors.New("request: the body is missing"))
		}
		violations = append(violations, unknownQuery(route, input.QueryParams)...)
	}
	if err := x.checkResponse(route, input); err != nil {
		violations = append(violations, fmt.Errorf("response %d: %w", x.status, err))
	}
	return operation, violations
}

func (x *exchange) checkResponse(route *routers.Route, input *openapi3filter.RequestValidationInput) error {
	ref := route.Operation.Responses.Status(x.status)
	if ref == nil && x.status < 400 {
		return errors.New("the contract does not know this status for the operation")
	}
	if ref == nil {
		ref = route.Operation.Responses.Default()
	}
	content := ref.Value.Content
	switch {
	case x.respBody.size == 0 && (x.status >= 400 || len(content) == 0):
		return nil // pages of the container may be empty
	case x.respBody.size == 0 && x.respHeader.Get("Content-Type") != "" && !isJSON(x.respHeader):
		return nil // an empty file
	case x.respBody.size == 0:
		return errors.New("the body is missing")
	case len(content) == 0:
		return errors.New("the contract has no body for this status")
	}
	kind := x.respHeader.Get("Content-Type")
	if content.Get(kind) == nil {
		return fmt.Errorf("the contract does not know the media type %q here", kind)
	}
	err := openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input,
		Status:                 x.status,
		Header:                 x.respHeader,
		Body:                   io.NopCloser(bytes.NewReader(x.respBody.data)),
		Options:                &openapi3filter.Options{MultiError: true, ExcludeResponseBody: !x.respBody.usable(x.respHeader)},
	})
	return err
}

// request rebuilds the request with what was captured of its body.
func (x *exchange) request() *http.Request {
	req := &http.Request{
		Method: x.method,
		URL:    &url.URL{Path: basePath + x.path, RawQuery: x.rawQuery},
		Header: x.header,
	}
	if x.body.usable(x.header) {
		req.Body = io.NopCloser(bytes.NewReader(x.body.data))
		req.ContentLength = int64(len(x.body.data))
	}
	return req
}

// query splits at & only, as the server does. Parameters without a value are left
// out of the values: the server takes an empty one as absent or as a flag.
func query(raw string) url.Values {
	v := url.Values{}
	for pair := range strings.SplitSeq(raw, "&") {
		key, value, _ := strings.Cut(pair, "=")
		k, err := url.QueryUnescape(key)
		if err != nil || k == "" {
			continue
		}
		if s, err := url.QueryUnescape(value); err == nil && s != "" {
			v.Add(k, s)
		}
	}
	return v
}

func unknownQuery(route *routers.Route, values url.Values) []error {
	var out []error
	for name := range values {
		known := func(p *openapi3.ParameterRef) bool { return p.Value.In == "query" && p.Value.Name == name }
		if !slices.ContainsFunc(route.Operation.Parameters, known) && !slices.ContainsFunc(route.PathItem.Parameters, known) {
			out = append(out, fmt.Errorf("request: the contract has no query parameter %q here", name))
		}
	}
	slices.SortFunc(out, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return out
}

// authenticate only looks for the credential; whether it is good is the server's
// business.
func authenticate(_ context.Context, in *openapi3filter.AuthenticationInput) error {
	r := in.RequestValidationInput
	switch in.SecurityScheme.Type {
	case "http":
		if strings.HasPrefix(r.Request.Header.Get("Authorization"), "Bearer ") {
			return nil
		}
	case "apiKey":
		if r.QueryParams.Get(in.SecurityScheme.Name) != "" {
			return nil
		}
	}
	return fmt.Errorf("accepted without %s", in.SecuritySchemeName)
}

func isJSON(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && kind == "application/json"
}
