package erp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// BatchRequest is one request of a batch. Make it with BatchCreate,
// BatchUpdate and BatchDelete, or fill it in for other paths.
type BatchRequest struct {
	Method string // POST, PUT or DELETE
	Path   string // relative to /api/, escaped, such as v1/models/C_BPartner
	Body   any    // an object; nil is {} for POST and PUT
	// As names the response for later requests of the batch: with
	// [BatchOptions.References] a text "@<As>$.id@" in their bodies is its member id.
	As  string
	err error
}

// BatchCreate is the creation of a record. To refer to it later in the batch on
// every server, give it its UUID here ("C_BPartner_UU") and use {"uid": …} there.
func BatchCreate(table string, body any) BatchRequest {
	return batchRequest(http.MethodPost, body, table)
}

// BatchUpdate is the change of a record. In a transaction the record must have
// existed before the batch.
func BatchUpdate(table string, id ID, body any) BatchRequest {
	key, err := id.segment()
	if err != nil {
		return BatchRequest{err: err}
	}
	return batchRequest(http.MethodPut, body, table, key)
}

// BatchDelete is the removal of a record. In a transaction the record must
// have existed before the batch.
func BatchDelete(table string, id ID) BatchRequest {
	key, err := id.segment()
	if err != nil {
		return BatchRequest{err: err}
	}
	return batchRequest(http.MethodDelete, nil, table, key)
}

func batchRequest(method string, body any, segments ...string) BatchRequest {
	path, escaped, err := joinPath("v1/models", segments)
	escaped = cmp.Or(escaped, path)
	return BatchRequest{Method: method, Path: escaped, Body: body, err: err}
}

// BatchOptions says how a batch is carried out.
type BatchOptions struct {
	// PerRequest commits or rolls back each request on its own. Otherwise the
	// batch is one transaction: the first failure stops it and undoes all.
	PerRequest bool
	// DryRun carries the batch out and has the server undo it, so that the results
	// say what would be stored, or why not. What the server takes from a sequence is
	// used up, and what its extensions send elsewhere is sent. Nothing is sent, and the
	// error says so, if the server keeps what is before a failure.
	DryRun bool
	// References lets texts of the bodies refer to what the server knows, which takes a
	// plugin of July 2026 or later: "@name$.id@" is a JSONPath in the response to the
	// request that is called so ([BatchRequest.As]), "@#AD_Client_ID@" a context variable
	// of the session. Without it a batch with such a text is refused with [ErrInvalid] and
	// not sent, because some servers would store the text and others what it refers to;
	// send that record alone.
	References bool
}

// IsBatchReference reports whether servers read the text, inside a batch, as a reference
// and not as itself. See [BatchOptions.References].
func IsBatchReference(text string) bool {
	if len(text) < 3 || text[0] != '@' || text[len(text)-1] != '@' {
		return false
	}
	inner := text[1 : len(text)-1]
	at := strings.IndexByte(inner, '$')
	return strings.ContainsRune("#$+", rune(inner[0])) || at > 0 && at+1 < len(inner)
}

// batchReference is a text of a JSON value that is a reference, "" for none.
func batchReference(data []byte) string {
	if !bytes.ContainsRune(data, '@') && !bytes.Contains(data, []byte(`\u0040`)) {
		return ""
	}
	var v any
	if json.Unmarshal(data, &v) != nil {
		return ""
	}
	return referenceIn(v)
}

func referenceIn(v any) string {
	switch v := v.(type) {
	case string:
		if IsBatchReference(v) {
			return v
		}
	case []any:
		for _, element := range v {
			if text := referenceIn(element); text != "" {
				return text
			}
		}
	case map[string]any:
		for _, member := range v {
			if text := referenceIn(member); text != "" {
				return text
			}
		}
	}
	return ""
}

// BatchResult is the response to one request of a batch.
type BatchResult struct {
	Status     string // reason phrase
	StatusCode int
	// Body is the response's JSON, null if it was empty. The server writes all
	// numbers in batch results as floating point; whole ones are restored here.
	Body json.RawMessage

	method, path string // of the request
}

// OK reports whether the request succeeded. The server counts 200, 201 and 202.
func (r BatchResult) OK() bool {
	return r.StatusCode == http.StatusOK || r.StatusCode == http.StatusCreated || r.StatusCode == http.StatusAccepted
}

// Record returns the record that was created or updated.
func (r BatchResult) Record() (Record, error) { return ParseRecord(r.Body) }

// Err returns the failure of the request as *Error, nil if it succeeded.
func (r BatchResult) Err() error {
	if r.OK() {
		return nil
	}
	e := &Error{Status: r.StatusCode, Title: r.Status, Method: r.method, Path: r.path}
	if record, err := ParseRecord(r.Body); err == nil {
		e.readJSON(record)
	} else {
		var text string
		if json.Unmarshal(r.Body, &text) == nil {
			e.Detail = cleanText(text, maxErrorDetail)
		}
	}
	e.Page = false
	e.Title = cmp.Or(e.Title, r.Status)
	return e
}

// BatchError is the failure of a batch in one transaction: nothing of it was
// kept.
type BatchError struct {
	Index   int // of the request that failed, from 0
	Request BatchRequest
	Err     error // its *Error
}

// Error says which request failed and why.
func (e *BatchError) Error() string {
	return fmt.Sprintf("batch: request %d failed and all was rolled back: %v", e.Index+1, e.Err)
}

// Unwrap returns the failure of the request.
func (e *BatchError) Unwrap() error { return e.Err }

// Batch carries out several requests in one. The results are in the order of
// the requests. When a transaction fails they end with the failure, and the
// error is a *BatchError. With PerRequest a failed request is not an error of
// Batch: look at each result's Err. An empty batch is not sent.
func (c *Client) Batch(ctx context.Context, requests []BatchRequest, opts BatchOptions) ([]BatchResult, error) {
	switch {
	case len(requests) == 0:
		return nil, nil
	case opts.DryRun:
		return c.dryRun(ctx, requests, opts)
	}
	results, _, err := c.sendBatch(ctx, requests, opts)
	return results, err
}

// sendBatch also reports whether the server says that it undid the batch.
func (c *Client) sendBatch(ctx context.Context, requests []BatchRequest, opts BatchOptions) (results []BatchResult, undone bool, err error) {
	data, err := encodeBatch(requests, opts.References)
	if err != nil {
		return nil, false, err
	}
	r := &request{method: http.MethodPost, path: []string{"batch"}, body: data}
	r.query.add("transaction", strconv.FormatBool(!opts.PerRequest))
	a, err := c.json(ctx, r)
	var failed *Error
	if errors.As(err, &failed) && failed.Status == http.StatusBadRequest && !opts.PerRequest && startsWithBracket(a.body) {
		undone = true
	} else if err != nil {
		return nil, false, err
	}
	if results, err = decodeBatch(a.body); err != nil {
		return nil, undone, c.badResponse(r, err)
	}
	for i := range min(len(results), len(requests)) {
		results[i].method = strings.ToUpper(requests[i].Method)
		path, _, _ := strings.Cut(requests[i].Path, "?")
		results[i].path = c.conn.base.JoinPath("..", path).Path
	}
	for i, result := range results {
		if !opts.PerRequest && !result.OK() && i < len(requests) {
			return results, undone, &BatchError{Index: i, Request: requests[i], Err: result.Err()}
		}
	}
	if undone {
		return results, undone, failed
	}
	if len(results) != len(requests) {
		return results, undone, c.badResponse(r, fmt.Errorf("%d requests were sent and %d results came back", len(requests), len(results)))
	}
	return results, undone, nil
}

func startsWithBracket(body []byte) bool {
	return strings.HasPrefix(strings.TrimSpace(string(body[:min(len(body), 64)])), "[")
}

// encodeBatch checks and writes the requests. Member names are strict on the
// server, so a request without a body has none.
func encodeBatch(requests []BatchRequest, references bool) ([]byte, error) {
	type item struct {
		Method string          `json:"method"`
		Path   string          `json:"path"`
		Body   json.RawMessage `json:"body,omitempty"`
		As     string          `json:"responseAlias,omitempty"`
	}
	items := make([]item, len(requests))
	for i, r := range requests {
		err := r.err
		if err == nil {
			err = checkBatchPath(r.Path)
		}
		items[i] = item{Method: strings.ToUpper(r.Method), Path: r.Path, As: r.As}
		switch items[i].Method {
		case http.MethodPost, http.MethodPut:
			if err == nil {
				items[i].Body, err = jsonObject(r.Body)
			}
		case http.MethodDelete:
		default:
			if err == nil {
				err = invalid("method %s is not one of POST, PUT, DELETE", quote(r.Method))
			}
		}
		if text := batchReference(items[i].Body); err == nil && text != "" && !references {
			err = invalid("the text %s would be stored by some servers and replaced by others, as a reference of the batch; send this record alone", quote(text))
		}
		if err != nil {
			return nil, fmt.Errorf("batch: request %d: %w", i+1, err)
		}
	}
	return json.Marshal(items)
}

func checkBatchPath(path string) error {
	u, err := url.Parse(path)
	if err != nil || u.Scheme != "" || u.Host != "" || strings.HasPrefix(path, "/") || u.Fragment != "" {
		return invalid("path %s is not an escaped path relative to /api/, such as v1/models/C_BPartner", quote(path))
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		if err := checkPathSegment(segment); err != nil {
			return err
		}
	}
	return nil
}

func decodeBatch(body []byte) ([]BatchResult, error) {
	records, err := parseRecords(body)
	if err != nil {
		return nil, err
	}
	results := make([]BatchResult, len(records))
	for i, r := range records {
		status, ok := r.Int("statusCode")
		if !ok {
			return nil, fmt.Errorf("result %d has no statusCode: %w", i+1, ErrBadResponse)
		}
		results[i].StatusCode = int(status)
		results[i].Status, _ = r.Text("status")
		raw, ok := r.Raw("body")
		if !ok {
			raw = json.RawMessage("null")
		}
		results[i].Body = wholeNumbers(raw)
	}
	return results, nil
}
