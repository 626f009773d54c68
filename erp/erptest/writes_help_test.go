package erptest_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// writes sends requests of one log-in.
type writes struct {
	t     testing.TB
	srv   *erptest.Server
	token string
}

func writeAs(t testing.TB, srv *erptest.Server, login string) *writes {
	t.Helper()
	token, _ := logIn(t, srv, login)
	return &writes{t, srv, token}
}

func (w *writes) send(method, path, body string) response {
	w.t.Helper()
	return request{method: method, path: path, token: w.token, body: body}.do(w.t, w.srv)
}

func (w *writes) get(path string) response { w.t.Helper(); return w.send(http.MethodGet, path, "") }
func (w *writes) post(path, body string) response {
	w.t.Helper()
	return w.send(http.MethodPost, path, body)
}
func (w *writes) put(path, body string) response {
	w.t.Helper()
	return w.send(http.MethodPut, path, body)
}
func (w *writes) del(path string) response { w.t.Helper(); return w.send(http.MethodDelete, path, "") }

// create posts a record, which must succeed, and returns it.
func (w *writes) create(table, body string) map[string]any {
	w.t.Helper()
	a := w.post("/models/"+table, body)
	require.Equal(w.t, http.StatusCreated, a.status, a.body)
	return a.object(w.t)
}

// change puts a record, which must succeed, and returns it.
func (w *writes) change(table string, id int, body string) map[string]any {
	w.t.Helper()
	a := w.put(fmt.Sprintf("/models/%s/%d", table, id), body)
	require.Equal(w.t, http.StatusOK, a.status, a.body)
	return a.object(w.t)
}

// idOf is the id of a record, or of a reference in it.
func idOf(t testing.TB, v any) int {
	t.Helper()
	m, ok := v.(map[string]any)
	require.True(t, ok, "no object: %v", v)
	id, ok := m["id"].(float64)
	require.True(t, ok, "no number in id: %v", m)
	return int(id)
}
