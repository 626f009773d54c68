package erp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/erphub/erphub/internal/apiclient"
)

const (
	acceptJSON = "application/json"
	acceptYAML = "application/yaml"
	acceptAny  = "*/*" // binary endpoints refuse anything narrower
)

// request is one call of the REST API before it becomes an HTTP request.
type request struct {
	method string
	path   []string // segments below /api/v1
	query  query
	accept string // acceptJSON if empty

	body        []byte                        // sent as it is
	stream      func() (io.ReadCloser, error) // or opened for each attempt
	streamSize  int64
	contentType string // application/json if empty and there is a body
	header      map[string]string

	retry   *apiclient.Retry // replaces the judgement by method
	public  bool             // no token
	silence time.Duration    // replaces the response time-out, see apiclient.Call
}

// query is an encoded query string in the making. Every value is fully
// percent-encoded: the server takes + for a blank and ; for nothing good.
type query struct{ buf []byte }

func (q *query) add(name, value string) {
	if len(q.buf) > 0 {
		q.buf = append(q.buf, '&')
	}
	q.buf = append(q.buf, name...)
	q.buf = append(q.buf, '=')
	const hex = "0123456789ABCDEF"
	for i := range len(value) {
		c := value[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' || c == '~' {
			q.buf = append(q.buf, c)
		} else {
			q.buf = append(q.buf, '%', hex[c>>4], hex[c&15])
		}
	}
}

// addText adds a parameter unless it is empty.
func (q *query) addText(name, value string) {
	if value != "" {
		q.add(name, value)
	}
}

// newCall makes the HTTP request, address, headers and body, and says how it is
// to be sent.
func (c *Client) newCall(ctx context.Context, r *request) (*apiclient.Call, error) {
	conn := c.conn
	path, escaped, err := joinPath(conn.base.Path, r.path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.method, err)
	}
	rawQuery := string(r.query.buf)
	if conn.locale != "" {
		if rawQuery != "" {
			rawQuery += "&"
		}
		rawQuery += conn.locale
	}
	accept := cmp.Or(r.accept, acceptJSON)
	header := make(http.Header, 4)
	header["Accept"] = conn.accept[accept]
	for name, value := range r.header {
		header.Set(name, value)
	}
	plain := http.Request{
		Method: r.method,
		URL: &url.URL{
			Scheme: conn.base.Scheme, Host: conn.base.Host,
			Path: path, RawPath: escaped, RawQuery: rawQuery,
		},
		Host:  conn.base.Host,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header,
	}
	switch {
	case r.stream != nil:
		plain.GetBody, plain.ContentLength = r.stream, r.streamSize
	case r.body != nil:
		plain.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(r.body)), nil }
		plain.ContentLength = int64(len(r.body))
	}
	if plain.GetBody != nil {
		contentType := cmp.Or(r.contentType, acceptJSON)
		header.Set("Content-Type", contentType)
	}
	call := &apiclient.Call{Request: plain.WithContext(ctx), NoToken: r.public, Silence: r.silence}
	switch {
	case r.retry != nil:
		call.Retry = *r.retry
	case safe(r.method) || r.method == http.MethodDelete || r.method == http.MethodPut:
		call.Retry = apiclient.RetryAlways
	}
	return call, nil
}

// jsonObject encodes the body of a request, which must be an object. nil
// becomes {}, because the server responds to an empty body with a bare 500.
func jsonObject(body any) ([]byte, error) {
	var data []byte
	switch b := body.(type) {
	case nil:
		return []byte("{}"), nil
	case json.RawMessage:
		data = b
	case []byte:
		data = b
	default:
		var err error
		if data, err = json.Marshal(body); err != nil {
			return nil, &apiclient.InputError{Text: fmt.Sprintf("encode the request body: %v", err), Err: err}
		}
	}
	data = bytes.TrimSpace(data)
	switch {
	case len(data) == 0, string(data) == "null":
		return []byte("{}"), nil
	case data[0] == '[':
		return nil, invalid("the body is a list; send one record at a time, or several with Batch")
	case data[0] != '{':
		return nil, invalid("the body must be a JSON object, this is %s", kindOf(data))
	case !json.Valid(data):
		return nil, invalid("the body is not valid JSON")
	}
	return data, nil
}

// retryUpdate judges whether an update means the same when it is done twice:
// child rows without id would be created twice, and a document action fails
// the second time.
func retryUpdate(data []byte) apiclient.Retry {
	record, err := ParseRecord(data)
	if err != nil {
		return apiclient.RetryUnsent
	}
	for _, f := range record.fields {
		value := f.Value(record.raw)
		if value[0] == '[' || strings.EqualFold(record.name(f), "doc-action") {
			return apiclient.RetryUnsent
		}
	}
	return apiclient.RetryAlways
}
