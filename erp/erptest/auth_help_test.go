package erptest_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/testclock"
)

func newClock() *testclock.Clock {
	return testclock.New(time.Date(2026, 3, 9, 8, 0, 0, 0, time.UTC))
}

// response is what came back from the server.
type response struct {
	status int
	header http.Header
	body   string
}

// object is the body as a JSON object.
func (a response) object(t testing.TB) map[string]any {
	t.Helper()
	var m map[string]any
	require.NoError(t, json.Unmarshal([]byte(a.body), &m), "body: %s", a.body)
	return m
}

// text is a member of the body that must be a string.
func (a response) text(t testing.TB, member string) string {
	t.Helper()
	s, ok := a.object(t)[member].(string)
	require.True(t, ok, "member %s of %s", member, a.body)
	return s
}

// isContainerPage reports whether the body is no JSON of the plugin.
func (a response) isContainerPage() bool {
	return strings.HasPrefix(a.header.Get("Content-Type"), "text/html")
}

// request is one call of the API; path is below /api/v1.
type request struct {
	method, path, token, body string
	header                    http.Header
}

func (q request) do(t testing.TB, srv *erptest.Server) response {
	t.Helper()
	a, err := q.try(t, srv)
	require.NoError(t, err)
	return a
}

func (q request) try(t testing.TB, srv *erptest.Server) (response, error) {
	t.Helper()
	var body io.Reader
	if q.body != "" {
		body = bytes.NewReader([]byte(q.body))
	}
	r, err := http.NewRequestWithContext(t.Context(), q.method, srv.URL()+"/api/v1"+q.path, body)
	require.NoError(t, err)
	for name, values := range q.header {
		r.Header[name] = values
	}
	if q.token != "" {
		r.Header.Set("Authorization", "Bearer "+q.token)
	}
	if q.body != "" && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(r)
	if err != nil {
		return response{}, err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	return response{status: resp.StatusCode, header: resp.Header, body: string(got)}, err
}

// Log-ins of the demo users, in one step.
const (
	asSystem      = `{"userName":"SuperUser","password":"System","parameters":{"clientId":0,"roleId":0,"organizationId":0}}`
	asGardenAdmin = `{"userName":"GardenAdmin","password":"GardenAdmin","parameters":{"clientId":11,"roleId":102,"organizationId":11,"warehouseId":103,"language":"en_US"}}`
	asGardenUser  = `{"userName":"GardenUser","password":"GardenUser","parameters":{"clientId":11,"roleId":103,"organizationId":11}}`
	asFernAdmin   = `{"userName":"FernAdmin","password":"FernAdmin","parameters":{"clientId":1000000,"roleId":1000000,"organizationId":1000000}}`
)

func logIn(t testing.TB, srv *erptest.Server, body string) (token, refresh string) {
	t.Helper()
	a := request{method: "POST", path: "/auth/tokens", body: body}.do(t, srv)
	require.Equal(t, http.StatusOK, a.status, a.body)
	return a.text(t, "token"), a.text(t, "refresh_token")
}

func refreshBody(refresh string, clientID, userID int) string {
	return fmt.Sprintf(`{"refresh_token":%q,"clientId":%d,"userId":%d}`, refresh, clientID, userID)
}

// setConfig changes an AD_SysConfig value as SuperUser.
func setConfig(t testing.TB, srv *erptest.Server, key, value string) {
	t.Helper()
	require.NoError(t, srv.SetConfig(t.Context(), key, value))
}

func base64Std(text string) ([]byte, error) { return base64.StdEncoding.DecodeString(text) }
