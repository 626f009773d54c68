package erptest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
)

// reads is a signed-in reader of the REST API.
type reads struct {
	t     testing.TB
	base  string
	token string
}

// response is what came back.
type readResponse struct {
	status int
	header http.Header
	body   string
}

// readAs signs in with the body of a one-step log-in.
func readAs(t testing.TB, srv *erptest.Server, login string) *reads {
	t.Helper()
	token, _ := logIn(t, srv, login)
	return &reads{t: t, base: srv.URL() + "/api/v1/", token: token}
}

func (r *reads) send(method, path string, body any) readResponse {
	r.t.Helper()
	var in io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		require.NoError(r.t, err)
		in = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.base+path, in)
	require.NoError(r.t, err)
	req.Header.Set("Content-Type", "application/json")
	if r.token != "" {
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(r.t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(r.t, err)
	return readResponse{status: res.StatusCode, header: res.Header, body: string(text)}
}

// get reads a path with query parameters given as names and values.
func (r *reads) get(path string, query ...string) readResponse {
	r.t.Helper()
	for i := 0; i+1 < len(query); i += 2 {
		separator := "&"
		if i == 0 {
			separator = "?"
		}
		path += separator + query[i] + "=" + url.QueryEscape(query[i+1])
	}
	return r.send(http.MethodGet, path, nil)
}

// ok reads what must succeed.
func (r *reads) ok(path string, query ...string) map[string]any {
	r.t.Helper()
	a := r.get(path, query...)
	require.Equal(r.t, http.StatusOK, a.status, a.body)
	return a.decode(r.t)
}

// records reads a list that must succeed.
func (r *reads) records(path string, query ...string) []map[string]any {
	r.t.Helper()
	list, ok := r.ok(path, query...)["records"].([]any)
	require.True(r.t, ok, "no records")
	out := make([]map[string]any, len(list))
	for i, v := range list {
		out[i] = v.(map[string]any)
	}
	return out
}

// propertyOf are the values of one property of records.
func propertyOf(list []map[string]any, name string) []string {
	out := make([]string, len(list))
	for i, rec := range list {
		out[i] = fmt.Sprint(rec[name])
	}
	return out
}

func (a readResponse) decode(t testing.TB) map[string]any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(a.body))
	d.UseNumber()
	var out map[string]any
	require.NoError(t, d.Decode(&out), a.body)
	return out
}
