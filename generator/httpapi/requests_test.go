package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/dict/registry"
	"github.com/erphub/erphub/erp"
	"github.com/erphub/erphub/generator"
	"github.com/erphub/erphub/generator/delivery"
	"github.com/erphub/erphub/generator/httpapi"
	"github.com/erphub/erphub/internal/httpserver/access"
	"github.com/erphub/erphub/internal/testkit/synthdict"
	"github.com/erphub/erphub/internal/testkit/testsmtp"
	"github.com/erphub/erphub/tokens"
)

func TestWhoMayAsk(t *testing.T) {
	t.Parallel()
	a := start(t, setup{})
	good := "Bearer " + token(t, 101, time.Hour)
	for what, change := range map[string]func(*http.Request){
		"nobody":       func(r *http.Request) { r.Header.Del("Authorization") },
		"twice":        func(r *http.Request) { r.Header["Authorization"] = []string{good, good} },
		"basic":        header("Authorization", "Basic dTpw"),
		"no token":     header("Authorization", "Bearer "),
		"other secret": header("Authorization", good[:len(good)-4]+"AAAA"),
		"no signature": header("Authorization", good[:strings.LastIndex(good, ".")+1]),
		"expired":      header("Authorization", "Bearer "+token(t, 101, -time.Hour)),
		"in the query": func(r *http.Request) { r.Header.Del("Authorization"); r.URL.RawQuery = "access_token=" + good[7:] },
	} {
		got := a.post(body+`}`, change)
		require.Equal(t, http.StatusUnauthorized, got.status, what)
		assert.Equal(t, "unauthenticated", got.refusal(t).Error.Code, what)
		assert.True(t, strings.HasPrefix(got.header.Get("WWW-Authenticate"), `Bearer realm="generator"`), what)
	}
	left, err := os.ReadDir(a.dir)
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestTokenCannotBeChecked(t *testing.T) {
	t.Parallel()
	h, err := httpapi.New(never{}, blind{}, nil)
	require.NoError(t, err)
	a := &api{t: t, log: &logged{}}
	a.server = httptest.NewServer(h)
	t.Cleanup(a.server.Close)
	resp, err := a.server.Client().Do(a.request(t.Context(), http.MethodPost, "/api/generate/plugin", body+`}`, header("Authorization", "Bearer x.y.z")))
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
	assert.NotEmpty(t, resp.Header.Get("Retry-After"))
}

type blind struct{}

func (blind) Verify(context.Context, string) (tokens.Claims, error) {
	return tokens.Claims{}, errors.New("the ERP does not respond")
}

// never is deliveries that nobody may get to.
type never struct{}

func (never) Choose(context.Context, string, string) (generator.Mode, generator.Delivery, error) {
	panic("nothing may be delivered here")
}

// TestRefusedRequests sends what makes no sense. Nothing may be written, stored
// or sent for it.
func TestRefusedRequests(t *testing.T) {
	t.Parallel()
	mailServer := testsmtp.StartFaulty(t, testsmtp.Faults{})
	a := start(t, setup{
		settings: map[string]string{delivery.KeySMTPHost: mailServer.Addr, delivery.KeySMTPSecurity: "none"},
		options:  httpapi.Options{PerMinute: 6000, Burst: 1000},
	})
	id := func(text string) string { return `{"artifactId":` + quote(text) + `,"output":"url"}` }
	to := func(text string) string { return body + `,"output":"email","email":` + quote(text) + `}` }
	tests := map[string]struct {
		body   string
		change func(*http.Request)
		status int
		text   string
	}{
		"no body":               {"", nil, 400, "empty or cut off"},
		"cut off":               {`{"artifactId":"com.exa`, nil, 400, "cut off"},
		"no JSON":               {`artifactId=com.example.demo`, nil, 400, "is not JSON"},
		"a list":                {`["com.example.demo"]`, nil, 400, "not a JSON object"},
		"two objects":           {body + `}{}`, nil, 400, "something behind"},
		"not UTF-8":             {"{\"artifactId\":\"\xff\"}", nil, 400, "not UTF-8"},
		"a form":                {body + `}`, header("Content-Type", "application/x-www-form-urlencoded"), 415, "must be JSON"},
		"compressed":            {body + `}`, header("Content-Encoding", "gzip"), 415, "compressed"},
		"too large":             {body + `,"email":"` + strings.Repeat("a", 300<<10) + `"}`, nil, 413, "larger than 262144 bytes"},
		"unknown member":        {body + `,"force":true}`, nil, 400, "no member \\\"force\\\""},
		"directory":             {body + `,"directory":"/etc"}`, nil, 400, "no member"},
		"number as id":          {`{"artifactId":7}`, nil, 400, "member artifactId has a value of the wrong kind"},
		"options as text":       {body + `,"options":"x"}`, nil, 400, "member options"},
		"unknown output":        {body + `,"output":"floppy"}`, nil, 400, "use one of filesystem, archive, url"},
		"unknown generator":     {body + `,"generator":"virus"}`, nil, 400, "no such generator"},
		"unknown option":        {body + `,"options":{"colour":"red"}}`, nil, 400, "not an option of this generator"},
		"option of wrong kind":  {body + `,"options":{"components":{"a":1}}}`, nil, 400, "is not a list but an object"},
		"option out of choices": {body + `,"options":{"release":"11"}}`, nil, 400, "is none of 12, 13"},
		"id twice":              {body + `,"options":{"artifactId":"com.example.other"}}`, nil, 400, "as an option as well"},
		"option is missing":     {body + `,"generator":"process"}`, nil, 400, "class is missing"},

		"no id":             {`{"output":"url"}`, nil, 400, "artifactId is missing"},
		"empty id":          {id(""), nil, 400, "artifactId is missing"},
		"blank":             {id("com.example demo"), nil, 400, "artifactId"},
		"quotes":            {id(`com.example."demo"`), nil, 400, "artifactId"},
		"line break":        {id("com.example\r\nSet-Cookie: a=b"), nil, 400, "artifactId"},
		"zero byte":         {id("com.example\x00"), nil, 400, "artifactId"},
		"up":                {id("../../etc/cron.d/x"), nil, 400, "artifactId"},
		"up, encoded":       {id("..%2f..%2fetc"), nil, 400, "artifactId"},
		"backslashes":       {id(`..\..\windows`), nil, 400, "artifactId"},
		"absolute":          {id("/etc/passwd"), nil, 400, "artifactId"},
		"dots":              {id(".."), nil, 400, "artifactId"},
		"ten thousand":      {id(strings.Repeat("a", 10_000)), nil, 400, "artifactId"},
		"Java keyword":      {body + `,"options":{"package":"com.example.class"}}`, nil, 400, "package"},
		"letters of others": {id("com.example.größe"), nil, 400, "artifactId"},
		"right to left":     {id("com.example.\u202eomed"), nil, 400, "artifactId"},
		"device":            {id("com.example.demo/../con"), nil, 400, "artifactId"},
		"template":          {id("${jndi:ldap://x}"), nil, 400, "artifactId"},

		"no address":      {body + `,"output":"email"}`, nil, 400, "no address to send it to"},
		"empty address":   {to(""), nil, 400, "no address to send it to"},
		"no mailbox":      {to("example.com"), nil, 400, "is not one plain address"},
		"another header":  {to("a@example.com\r\nBcc: b@example.com"), nil, 400, "line break"},
		"another line":    {to("a@example.com\nBcc: b@example.com"), nil, 400, "line break"},
		"another command": {to("a@example.com>\r\nRCPT TO:<b@example.com"), nil, 400, "line break"},
		"two addresses":   {to("a@example.com,b@example.com"), nil, 400, "plain address"},
		"display name":    {to("A <a@example.com>"), nil, 400, "plain address"},
		"address literal": {to("a@[127.0.0.1]"), nil, 400, "plain address"},

		"key is empty":    {body + `}`, header("Idempotency-Key", " "), 400, "Idempotency-Key is not a key"},
		"key is long":     {body + `}`, header("Idempotency-Key", strings.Repeat("k", 256)), 400, "1 to 255"},
		"key is no ASCII": {body + `}`, header("Idempotency-Key", "schlüssel"), 400, "printable ASCII"},
		"two keys":        {body + `}`, func(r *http.Request) { r.Header["Idempotency-Key"] = []string{"a", "b"} }, 400, "send it once"},
	}
	for what, tt := range tests {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			changes := []func(*http.Request){}
			if tt.change != nil {
				changes = append(changes, tt.change)
			}
			for _, accept := range []string{"application/json", "text/event-stream"} {
				got := a.in(t).post(tt.body, append(changes, header("Accept", accept))...)
				require.Equal(t, tt.status, got.status, string(got.body))
				assert.Contains(t, string(got.body), tt.text)
				assert.Less(t, len(got.body), 4096, "what is long is cut")
				assert.Empty(t, got.header.Get("Set-Cookie"))
			}
		})
	}
	t.Cleanup(func() {
		assert.Empty(t, mailServer.Mails())
		left, err := filepath.Glob(filepath.Join(a.dir, "*"))
		require.NoError(t, err)
		assert.Empty(t, left)
	})
}

func TestPathsAndMethods(t *testing.T) {
	t.Parallel()
	a := start(t, setup{})
	for _, tt := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{http.MethodGet, "/api/generate/plugin", 405, "POST"},
		{http.MethodPut, "/api/generate/plugin", 405, "POST"},
		{"OST", "/api/generate/plugin", 405, "POST"},
		{http.MethodPost, "/api/generate/openapi.yaml", 405, "GET, HEAD"},
		{http.MethodDelete, "/api/artifacts/x/download", 405, "GET, HEAD"},
		{http.MethodPost, "/api/artifacts/x/download", 405, "GET, HEAD"},
		{http.MethodPost, "/api/generate", 404, ""},
		{http.MethodPost, "/api/generate/callout", 404, ""},
		{http.MethodGet, "/api/artifacts/", 404, ""},
		{http.MethodGet, "/api/artifacts/x", 404, ""},
		{http.MethodGet, "/api/artifacts/x/y/download", 404, ""},
	} {
		got := a.call(tt.method, tt.path, "")
		assert.Equal(t, tt.status, got.status, "%s %s", tt.method, tt.path)
		assert.Equal(t, tt.allow, got.header.Get("Allow"))
	}
	got := a.get("/api/generate/openapi.yaml")
	assert.Equal(t, http.StatusOK, got.status)
	assert.Equal(t, httpapi.OpenAPI(), got.body)
	assert.True(t, strings.HasPrefix(string(got.body), "openapi: 3.0.0\n"))
	assert.Contains(t, string(got.body), "version: "+httpapi.Version)
}

func TestGenerators(t *testing.T) {
	t.Parallel()
	a := start(t, setup{})
	got := a.post(body + `,"generator":"process","output":"archive","options":{"class":"ImportOrders","version":"2.1.0"}}`)
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	want, err := generator.Generate(t.Context(), nil, "process", map[string]any{"artifactId": name, "class": "ImportOrders", "version": "2.1.0"})
	require.NoError(t, err)
	zip, err := want.Zip()
	require.NoError(t, err)
	assert.Equal(t, zip, got.body)

	got = a.post(body + `,"generator":"model","output":"archive","options":{"tables":["C_Order"]}}`)
	require.Equal(t, http.StatusNotImplemented, got.status, string(got.body))
	assert.Contains(t, got.refusal(t).Error.Message, "no dictionary")
}

// broken is a dictionary that cannot be read.
type broken struct {
	registry.Registry
	err error
}

func (b broken) Table(context.Context, string, ...registry.Detail) (registry.Table, error) {
	return registry.Table{}, b.err
}

func TestDictionary(t *testing.T) {
	t.Parallel()
	catalog, err := registry.LoadCatalog(t.Context(), synthdict.New(synthdict.Options{Tables: 30}).Source())
	require.NoError(t, err)
	tables, err := catalog.Tables(t.Context(), registry.ListQuery{Limit: 1})
	require.NoError(t, err)
	table := tables.Items[0].Name
	model := func(table string) string {
		return body + `,"generator":"model","output":"archive","options":{"tables":["` + table + `"]}}`
	}
	for what, tt := range map[string]struct {
		registry registry.Registry
		table    string
		status   int
		code     string
	}{
		"there":         {catalog, table, http.StatusOK, ""},
		"no such table": {catalog, "XX_Missing", http.StatusBadRequest, "invalid"},
		"ERP away":      {broken{err: fmt.Errorf("reading: %w", erp.ErrUnreachable)}, table, http.StatusServiceUnavailable, "dictionary_unavailable"},
		"ERP fails":     {broken{err: &erp.Error{Status: 500, Detail: "at org.compiere.model"}}, table, http.StatusServiceUnavailable, "dictionary_unavailable"},
		"broken":        {broken{err: errors.New("a bug of ours")}, table, http.StatusInternalServerError, "internal"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			got := with(t, httpapi.Only(generator.ModeArchive, generator.Archive{}), httpapi.Options{Registry: tt.registry}).post(model(tt.table))
			require.Equal(t, tt.status, got.status, string(got.body))
			if tt.code != "" {
				assert.Equal(t, tt.code, got.refusal(t).Error.Code)
				assert.NotContains(t, string(got.body), "bug of ours")
				assert.NotContains(t, string(got.body), "org.compiere")
				return
			}
			want, err := generator.Generate(t.Context(), catalog, "model", map[string]any{"artifactId": name, "tables": []string{table}})
			require.NoError(t, err)
			zip, err := want.Zip()
			require.NoError(t, err)
			assert.Equal(t, zip, got.body)
		})
	}
}

func TestOnly(t *testing.T) {
	t.Parallel()
	a := with(t, httpapi.Only(generator.ModeArchive, generator.Archive{}), httpapi.Options{})
	assert.Equal(t, http.StatusOK, a.post(body+`}`).status, "no output")
	assert.Equal(t, http.StatusOK, a.post(body+`,"output":"archive"}`).status)
	for _, other := range []string{"url", "filesystem"} {
		got := a.post(body + `,"output":"` + other + `"}`)
		require.Equal(t, http.StatusBadRequest, got.status)
		assert.Equal(t, `choosing the output: this service does not deliver by "`+other+`", only by "archive"`, got.refusal(t).Error.Message)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	a := start(t, setup{options: httpapi.Options{PerMinute: 1, Burst: 2}})
	statuses := []int{}
	for range 3 {
		got := a.post(body + `,"output":"archive"}`)
		statuses = append(statuses, got.status)
	}
	assert.Equal(t, []int{200, 200, 429}, statuses)
	other := a.post(body+`,"output":"archive"}`, header("Authorization", "Bearer "+token(t, 102, time.Hour)))
	assert.Equal(t, http.StatusOK, other.status, "another user has his own")
	assert.Equal(t, http.StatusUnauthorized, a.post(body, header("Authorization", "Bearer no")).status)
}

// Nothing of a body is read before it is known who sends it.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	a := start(t, setup{options: httpapi.Options{BodyTimeout: 100 * time.Millisecond}})
	req := a.request(t.Context(), http.MethodPost, "/api/generate/plugin", body, header("Authorization", "Bearer "+token(t, 101, time.Hour)))
	pr, pw := io.Pipe()
	t.Cleanup(func() { _ = pw.Close() })
	req.Body, req.ContentLength = pr, 1000
	resp, err := a.server.Client().Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, http.StatusRequestTimeout, resp.StatusCode)
}

func TestNewChecks(t *testing.T) {
	t.Parallel()
	_, err := httpapi.New(nil, blind{}, nil)
	require.ErrorContains(t, err, "needs deliveries")
	_, err = httpapi.New(never{}, nil, nil)
	require.ErrorContains(t, err, "a verifier")
	_, err = httpapi.New(never{}, blind{}, &httpapi.Options{Burst: -1})
	require.ErrorContains(t, err, "negative")
	var _ access.Verifier = httpapi.Verifier(blind{})
}

// quote writes text as JSON.
func quote(text string) string {
	out, _ := json.Marshal(text) // a text can be written
	return string(out)
}
