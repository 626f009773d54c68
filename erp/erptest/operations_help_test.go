package erptest_test

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/contracttest"
)

// asGardenSuper is the administrator working in the tenant GardenWorld.
const asGardenSuper = `{"userName":"SuperUser","password":"System","parameters":{"clientId":11,"roleId":102,"organizationId":11}}`

// operator sends requests whose responses are checked against the contract.
type operator struct {
	t     testing.TB
	srv   *erptest.Server
	v     *contracttest.Validator
	token string
}

// operate starts a server and logs in.
func operate(t testing.TB, login string, options ...erptest.Options) *operator {
	t.Helper()
	v := contracttest.NewValidator(t)
	srv := erptest.New(t, options...)
	token, _ := logIn(t, srv, login)
	return &operator{t, srv, v, token}
}

// as is another log-in at the same server.
func (o *operator) as(login string) *operator {
	o.t.Helper()
	token, _ := logIn(o.t, o.srv, login)
	return &operator{o.t, o.srv, o.v, token}
}

// send makes one request; path is below /api/v1, or begins with v1/ and is then
// relative to /api/, as presigned URLs are. headers are names and values.
func (o *operator) send(method, path, body string, headers ...string) response {
	o.t.Helper()
	if rest, ok := strings.CutPrefix(path, "v1/"); ok {
		path = "/" + rest
	}
	r, err := http.NewRequestWithContext(o.t.Context(), method, o.srv.URL()+"/api/v1"+path, strings.NewReader(body))
	require.NoError(o.t, err)
	if o.token != "" {
		r.Header.Set("Authorization", "Bearer "+o.token)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	client := &http.Client{Transport: o.v.Transport(&http.Transport{DisableKeepAlives: true})}
	resp, err := client.Do(r)
	require.NoError(o.t, err)
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	require.NoError(o.t, err)
	return response{status: resp.StatusCode, header: resp.Header, body: string(got)}
}

func (o *operator) get(path string) response { o.t.Helper(); return o.send(http.MethodGet, path, "") }
func (o *operator) post(path, body string) response {
	o.t.Helper()
	return o.send(http.MethodPost, path, body)
}
func (o *operator) put(path, body string) response {
	o.t.Helper()
	return o.send(http.MethodPut, path, body)
}
func (o *operator) del(path string) response {
	o.t.Helper()
	return o.send(http.MethodDelete, path, "")
}

// want checks status and body of a response.
func want(t testing.TB, a response, status int, body string) {
	t.Helper()
	assert.Equal(t, status, a.status, a.body)
	assert.Equal(t, body, a.body)
}

// object makes a request that must succeed and returns its body.
func (o *operator) object(method, path, body string) map[string]any {
	o.t.Helper()
	a := o.send(method, path, body)
	require.Equal(o.t, http.StatusOK, a.status, a.body)
	return a.object(o.t)
}

// numberText is a JSON number as text.
func numberText(v any) string {
	n, _ := v.(float64)
	return strconv.FormatInt(int64(n), 10)
}
