package contracttest_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/internal/testkit/contracttest"
)

const (
	page    = `{"page-count":3,"records-size":100,"skip-records":0,"row-count":240,"records":[{"id":1000001,"uid":"5b0c","Name":"Bolt","Price":12.50,"model-name":"m_product"}],"array-count":1}`
	unknown = `{"title":"Record not found","status":404,"detail":"No record found matching id: 990099"}`
	jetty   = `{"url":"/api/v1/x","status":"404","message":"Not Found","servlet":"rest"}`
)

var pageHeaders = []string{"X-Page-Count", "X-Records-Size", "X-Skip-Records", "X-Row-Count", "X-Array-Count"}

// response is what the server of a test sends, whatever is requested.
type response struct {
	status  int
	kind    string
	body    string
	headers []string // set to 1
}

func (a response) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	for _, h := range a.headers {
		w.Header().Set(h, "1")
	}
	if a.kind != "" {
		w.Header().Set("Content-Type", a.kind)
	}
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, a.body)
}

func json(status int, body string, headers ...string) response {
	return response{status, "application/json", body, headers}
}

type call struct {
	method, path, body string
	anonymous          bool
	kind               string
}

func (c call) request(t *testing.T, base string) *http.Request {
	t.Helper()
	var body io.Reader
	if c.body != "" {
		body = strings.NewReader(c.body)
	}
	req, err := http.NewRequestWithContext(t.Context(), c.method, base+"/api/v1"+c.path, body)
	require.NoError(t, err)
	if c.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.kind != "" {
		req.Header.Set("Content-Type", c.kind)
	}
	if !c.anonymous {
		req.Header.Set("Authorization", "Bearer x")
	}
	return req
}

func get(path string) call             { return call{method: "GET", path: path} }
func send(method, path, b string) call { return call{method: method, path: path, body: b} }
func anon(method, path, b string) call {
	return call{method: method, path: path, body: b, anonymous: true}
}
func bytesTo(path string) call {
	return call{method: "PUT", path: path, body: "abc", kind: "application/octet-stream"}
}

var cases = []struct {
	name     string
	call     call
	response response
	want     string // part of the violation; empty: none
}{
	{"page of records", get("/models/M_Product?$top=1&showsql&$filter=Name%20eq%20'a'"), json(200, page, pageHeaders...), ""},
	{"raw semicolon in a query", get("/models/C_Order?$expand=C_OrderLine($orderby=Line;$top=2)"), json(200, page, pageHeaders...), ""},
	{"empty query parameter", get("/models/M_Product?$filter="), json(200, page, pageHeaders...), ""},
	{"trailing slash", get("/models/M_Product/"), json(200, page, pageHeaders...), ""},
	{"error of the plugin", get("/models/M_Product/990099"), json(404, unknown), ""},
	{"null title", get("/models/M_Product?$select=x"), json(400, `{"title":null,"status":400,"detail":"x is not a valid column of table M_Product"}`), ""},
	{"error of the container as JSON", get("/models/M_Product/1"), json(404, jetty), ""},
	{"error of the container as HTML", get("/models/M_Product/1"), response{500, "text/html;charset=utf-8", "<html></html>", nil}, ""},
	{"error without a body", get("/models/M_Product/1"), response{401, "", "", nil}, ""},
	{"undeclared error status", get("/models/M_Product/1"), json(429, jetty), ""},
	{"binary download", get("/models/M_Product/1/attachments/a.pdf"), response{200, "application/pdf", "%PDF", nil}, ""},
	{"JSON file as attachment", get("/models/M_Product/1/attachments/a.json"), json(200, `[1,2]`), ""},
	{"mislabelled error of a download", get("/files?fileName=/x"), response{404, "application/octet-stream", unknown, nil}, ""},
	{"no content", get("/models/M_Product/1/attachments/a.pdf"), response{204, "", "", nil}, ""},
	{"yaml", get("/models/M_Product/yaml"), response{200, "application/yaml", "openapi: 3.0.0\n", nil}, ""},
	{"empty success", send("DELETE", "/windows/product/tabs/product/5", ""), response{200, "", "", nil}, ""},
	{"refused forward", send("PUT", "/workflow/forward/5", `{"userTo":"102"}`), response{304, "", "", nil}, ""},
	{"optional body", send("PUT", "/workflow/approve/5", ""), json(200, `{"msg":"Updated"}`), ""},
	{"chunk", func() call { c := bytesTo("/uploads/u/chunks/1?X-ID-SIGNATURE=s"); c.anonymous = true; return c }(), json(200, `{}`), "X-Total-Chunks"},
	{"public route", anon("POST", "/auth/tokens", `{"userName":"a","password":"b","parameters":{"clientId":11}}`), json(200, `{"clients":[{"id":11,"name":"Acme"}],"token":"x"}`), ""},
	{"floats in a batch", send("POST", "/batch", `[{"method":"post","path":"v1/models/C_X","body":{"Name":"a"}}]`), json(200, `[{"status":"Created","statusCode":201,"body":{"id":1.0000004E7}}]`), ""},
	{"null in a batch", send("POST", "/batch", `[{"method":"DELETE","path":"v1/models/C_X/1"}]`), json(200, `[{"status":"OK","statusCode":200,"body":null}]`), ""},
	{"fixed segment wins", get("/charts/data"), json(200, `{"charts":[]}`), ""},
	{"wrong request refused", send("POST", "/auth/tokens", `{"user":"a"}`), response{400, "text/plain", "Unrecognized field", nil}, ""},
	{"unknown path refused", get("/nothing"), response{404, "", "", nil}, ""},
	{"unknown method refused", send("POST", "/models", `{}`), response{405, "", "", nil}, ""},
	{"slug where a number belongs, refused", get("/windows/product/abc"), response{404, "", "", nil}, ""},

	{"header missing", get("/models/M_Product"), json(200, page, pageHeaders[1:]...), "X-Page-Count"},
	{"header is not a number", get("/models/M_Product"), func() response { a := json(200, page, pageHeaders...); a.headers = nil; return a }(), "X-"},
	{"member missing", get("/models/M_Product"), json(200, `{"records":[]}`, pageHeaders...), "page-count"},
	{"member misspelled", get("/processes/x"), json(200, `{"id":5,"slag":"x"}`), "slug"},
	{"member of the wrong type", get("/models/M_Product/5"), json(200, `{"id":"5"}`), "integer"},
	{"unknown member in a closed response", send("DELETE", "/models/M_Product/5", ""), json(200, `{"msg":"Deleted","extra":1}`), "extra"},
	{"error of another shape", get("/models/M_Product/5"), json(404, `{"errors":["x"]}`), "response 404"},
	{"error text with a number as container page", get("/models/M_Product/5"), json(404, `{"status":404}`), "response 404"},
	{"undeclared success", get("/models/M_Product/5"), json(202, `{}`), "does not know this status"},
	{"undeclared redirect", get("/models/M_Product/5"), response{302, "", "", nil}, "does not know this status"},
	{"wrong media type", get("/models/M_Product/5"), response{200, "text/csv", "a;b", nil}, "media type"},
	{"body missing", get("/models/M_Product/5"), response{200, "", "", nil}, "body is missing"},
	{"not JSON", get("/models/M_Product/5"), json(200, `{"id":`), "response 200"},
	{"body where none belongs", send("DELETE", "/windows/product/tabs/product/5", ""), json(200, `{}`), "has no body"},
	{"unknown path accepted", get("/model/M_Product"), json(200, `{}`), "no such operation"},
	{"unknown method accepted", send("PATCH", "/models/M_Product/5", `{}`), json(200, `{}`), "no such operation"},
	{"unknown query parameter accepted", get("/models/M_Product?$limit=5"), json(200, page, pageHeaders...), `"$limit"`},
	{"number expected in the query", get("/models/M_Product?$top=abc"), json(200, page, pageHeaders...), "$top"},
	{"no token but accepted", anon("GET", "/models/M_Product", ""), json(200, page, pageHeaders...), "bearerAuth"},
	{"strict body with an unknown member", send("POST", "/auth/refresh", `{"refreshToken":"x"}`), json(200, `{"token":"a","refresh_token":"b"}`), "request"},
	{"body missing in the request", send("POST", "/models/M_Product", ""), json(201, `{"id":5}`), "request"},
	{"array where an object belongs", send("POST", "/models/M_Product", `[]`), json(201, `{"id":5}`), "request"},
}

func TestExchanges(t *testing.T) {
	t.Parallel()
	for _, side := range []string{"handler", "transport"} {
		for _, tc := range cases {
			t.Run(side+"/"+tc.name, func(t *testing.T) {
				t.Parallel()
				v := contracttest.NewRecorder(t)
				var h http.Handler = tc.response
				client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
				if side == "handler" {
					h = v.Wrap(h)
				} else {
					client.Transport = v.Transport(nil)
				}
				server := httptest.NewServer(h)
				defer server.Close()

				resp, err := client.Do(tc.call.request(t, server.URL))
				require.NoError(t, err)
				body, err := io.ReadAll(resp.Body)
				require.NoError(t, err)
				require.NoError(t, resp.Body.Close())
				assert.Equal(t, tc.response.status, resp.StatusCode)
				if tc.response.status != http.StatusNotModified && tc.response.status != http.StatusNoContent {
					assert.Equal(t, tc.response.body, string(body), "the response is passed on unchanged")
				}
				server.Close() // the handler has returned

				got := fmt.Sprint(v.Violations())
				if tc.want == "" {
					assert.Equal(t, "[]", got)
				} else {
					assert.Contains(t, got, tc.want)
				}
			})
		}
	}
}

func TestCovered(t *testing.T) {
	t.Parallel()
	v := contracttest.NewValidator(t)
	h := v.Wrap(json(200, `{"status":"UP"}`))
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/api/v1/health", nil))
	v.Wrap(json(404, unknown)).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/api/v1/models/x/1", nil))
	assert.Equal(t, []string{"GET /health"}, v.Covered(), "refused requests do not count")

	all, err := contracttest.Operations()
	require.NoError(t, err)
	assert.Len(t, all, 119)
	assert.Contains(t, all, "GET /health")
}

func TestWhatPassesUnchecked(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ method, path string }{
		{"HEAD", "/api/v1/models"}, {"OPTIONS", "/api/v1/models"}, {"GET", "/healthz"},
	} {
		t.Run(tc.method+tc.path, func(t *testing.T) {
			t.Parallel()
			v := contracttest.NewRecorder(t)
			v.Wrap(json(200, `{}`)).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(tc.method, tc.path, nil))
			assert.Empty(t, v.Violations())
		})
	}
}

// The message must not contain the signature of a presigned address.
func TestViolationsHideTheQuery(t *testing.T) {
	t.Parallel()
	v := contracttest.NewRecorder(t)
	r := httptest.NewRequest("GET", "/api/v1/uploads/u/file?X-ID-SIGNATURE=s3cret", nil)
	v.Wrap(response{418, "text/csv", "x", nil}).ServeHTTP(httptest.NewRecorder(), r)
	require.Len(t, v.Violations(), 1)
	assert.NotContains(t, fmt.Sprint(v.Violations()), "s3cret")
}

func TestStreamingStaysPossible(t *testing.T) {
	t.Parallel()
	v := contracttest.NewValidator(t)
	flushed := make(chan struct{})
	server := httptest.NewServer(v.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(bytes.Repeat([]byte("x"), 10))
		assert.NoError(t, http.NewResponseController(w).Flush())
		<-flushed
	})))
	defer server.Close()
	resp, err := http.DefaultClient.Do(get("/files?fileName=/a").request(t, server.URL))
	require.NoError(t, err)
	buf := make([]byte, 10)
	_, err = io.ReadFull(resp.Body, buf) // arrives while the handler still runs
	close(flushed)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	v := contracttest.NewValidator(t)
	h := v.Wrap(json(200, page, pageHeaders...))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				r := get("/models/M_Product?$top=1").request(t, "http://erp.test")
				h.ServeHTTP(httptest.NewRecorder(), r)
			}
		})
	}
	wg.Wait()
	assert.Empty(t, v.Violations())
}

func BenchmarkWrap(b *testing.B) {
	v := contracttest.NewRecorder(b)
	h := v.Wrap(json(200, page, pageHeaders...))
	for b.Loop() {
		r := httptest.NewRequest("GET", "/api/v1/models/M_Product?$top=1", nil)
		r.Header.Set("Authorization", "Bearer x")
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
	require.Empty(b, v.Violations())
}
