package erptest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/erphub/erphub/erp/erptest/internal/store"
	"github.com/erphub/erphub/erp/erptest/internal/wire"
)

// maxBatchItems bounds a batch.
const maxBatchItems = 10_000

func batchRoutes() []route {
	return []route{{method: http.MethodPost, pattern: "v1/batch", handle: batch}}
}

// update runs fn in a writing transaction: the batch's when the call is part
// of a transactional one, else its own. When fn fails, what it changed is
// undone in both cases. The response must be written after update returned.
func (c *call) update(ctx context.Context, fn func(*store.Tx) error) error {
	return c.srv.erp.Update(ctx, c.tx, fn)
}

// view runs fn in a reading transaction, or in the batch's.
func (c *call) view(ctx context.Context, fn func(*store.Tx) error) error {
	return c.srv.erp.View(ctx, c.tx, fn)
}

// batchItem is one request of a batch.
type batchItem struct {
	method, path, alias string
	body                json.RawMessage
}

// errBatchFailed ends the transaction of a batch one of whose requests failed.
var errBatchFailed = errors.New("a request of the batch failed")

// batch handles POST /batch. In a transactional batch every request runs in
// one transaction and sees what the earlier ones did. (The real server looks
// up the record to change, and foreign keys given by other values than the
// UUID, outside of it; that is not reproduced: a client that works there works
// here.)
func batch(c *call) error {
	items, err := c.readBatch()
	if err != nil {
		return err
	}
	results := make([]*wire.Object, 0, len(items))
	refs := batchRefs{}
	if v := c.query.get("transaction"); v == "" || strings.EqualFold(v, "true") {
		err = c.srv.erp.DB.Update(c.ctx(), func(tx *store.Tx) error {
			for _, item := range items {
				result, ok := c.runItem(item, refs, tx)
				results = append(results, result)
				if !ok {
					return errBatchFailed
				}
			}
			return nil
		})
		if errors.Is(err, errBatchFailed) {
			c.json(http.StatusBadRequest, results)
			return nil
		}
		if err != nil {
			return err
		}
	} else {
		for _, item := range items {
			result, _ := c.runItem(item, refs, nil)
			results = append(results, result)
		}
	}
	c.json(http.StatusOK, results)
	return nil
}

func (c *call) readBatch() ([]batchItem, error) {
	body, err := c.body()
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, page(http.StatusInternalServerError)
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	if t, err := dec.Token(); err != nil {
		return nil, badJSON(err)
	} else if t != json.Delim('[') {
		return nil, badRequestText("Cannot deserialize value: expected a JSON array")
	}
	var items []batchItem
	for dec.More() {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, badJSON(err)
		}
		if len(items) == maxBatchItems {
			return nil, badRequestText(fmt.Sprintf("a batch has at most %d requests", maxBatchItems))
		}
		m := members{}
		if string(raw) != "null" {
			if m, err = parseMembers(raw, "method", "path", "body", "responseAlias"); err != nil {
				return nil, err
			}
		}
		item := batchItem{body: m["body"]}
		var errMethod, errPath, errAlias error
		item.method, _, errMethod = m.text("method")
		item.path, _, errPath = m.text("path")
		item.alias, _, errAlias = m.text("responseAlias")
		if err := errors.Join(errMethod, errPath, errAlias); err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	if _, err := dec.Token(); err != nil {
		return nil, badJSON(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, badRequestText("Unexpected content after the JSON array")
	}
	return items, nil
}

func itemResult(status int, body any) *wire.Object {
	return wire.NewObject("status", http.StatusText(status), "statusCode", status, "body", body)
}

// runItem runs one request of a batch through the same handlers as any other,
// in tx when it is set, and reports whether it counts as a success.
func (c *call) runItem(item batchItem, refs batchRefs, tx *store.Tx) (*wire.Object, bool) {
	method := strings.ToUpper(item.method)
	switch method {
	case "":
		return itemResult(http.StatusInternalServerError, "The request has no method: give POST, PUT or DELETE"), false
	case http.MethodPost, http.MethodPut, http.MethodDelete:
	default:
		return itemResult(http.StatusBadRequest, "Unsupported Method: "+method), false
	}
	u, err := url.Parse("/api/" + item.path)
	if err != nil || strings.ContainsAny(item.path, " \t\r\n") {
		return itemResult(http.StatusInternalServerError, "Illegal character in path: "+item.path), false
	}
	if strings.EqualFold(strings.Trim(u.Path, "/"), "api/v1/batch") {
		return itemResult(http.StatusBadRequest, "A batch cannot contain a batch"), false
	}
	body, err := c.itemBody(item, refs, tx)
	if err != nil {
		var refused *apiError
		if !asAPI(err, &refused) {
			c.srv.log.Error("resolving the references of a batch", "error", err)
			return itemResult(http.StatusInternalServerError, "The references could not be resolved"), false
		}
		return itemResult(refused.status, refused.detail), false
	}
	r := (&http.Request{
		Method: method, URL: u, Proto: c.r.Proto, ProtoMajor: c.r.ProtoMajor, ProtoMinor: c.r.ProtoMinor,
		Header: c.r.Header.Clone(), Host: c.r.Host, RemoteAddr: c.r.RemoteAddr,
		ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)),
	}).WithContext(c.ctx())
	r.Header.Del("Content-Length")
	r.Header.Set("Content-Type", "application/json")
	w := &itemWriter{memoryWriter: newMemoryWriter()}
	c.srv.dispatch(w, r, c, tx)
	ok := w.status == http.StatusOK || w.status == http.StatusCreated || w.status == http.StatusAccepted
	if ok {
		refs.add(item.alias, w.body.Bytes())
	}
	return itemResult(w.status, batchBody(w.body.Bytes())), ok
}

// itemBody is the body of a request with its references resolved, nil for none.
func (c *call) itemBody(item batchItem, refs batchRefs, tx *store.Tx) ([]byte, error) {
	if _, taken := refs[item.alias]; taken {
		return nil, fail(http.StatusBadRequest, "Invalid batch alias", "An earlier request of the batch has the responseAlias '"+item.alias+"'")
	}
	if len(item.body) == 0 || string(item.body) == "null" {
		return nil, nil
	}
	if !bytes.Contains(item.body, []byte{'@'}) && !bytes.Contains(item.body, []byte(`\u0040`)) {
		return item.body, nil
	}
	v, err := wire.Parse(item.body)
	if err != nil {
		return item.body, nil // the request itself says what is wrong with it
	}
	if v, err = refs.resolve(c.ctx(), c, v, tx); err != nil {
		return nil, err
	}
	return wire.Encode(v)
}

// itemWriter keeps the response to a request of a batch. There the container writes
// no pages: what it finds has no body, and of what failed only the batch tells.
type itemWriter struct{ *memoryWriter }

func (w *itemWriter) containerPage(status int) {
	w.WriteHeader(status)
	if status == http.StatusInternalServerError {
		_, _ = w.WriteString("The request failed: its body or a value in it is not of the form that is expected") // into memory
	}
}

// batchBody is a sub-response as the batch shows it: an object with floating
// point numbers, other text as text, nothing as null.
func batchBody(body []byte) any {
	trimmed := bytes.TrimSpace(body)
	switch {
	case len(trimmed) == 0:
		return nil
	case trimmed[0] == '{' && json.Valid(trimmed):
		return json.RawMessage(floatNumbers(trimmed))
	default:
		return string(body)
	}
}
