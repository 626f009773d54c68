package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/httpapi"
	"github.com/erphub/erphub/tokens"
)

// secret signs the tokens of these tests.
const secret = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// sign makes a token as the ERP does, with other claims where change says so;
// nil leaves one out.
func sign(t testing.TB, method jwt.SigningMethod, key any, change jwt.MapClaims) string {
	t.Helper()
	claims := jwt.MapClaims{"iss": "idempiere.org", "sub": "GardenAdmin", "exp": time.Now().Add(time.Hour).Unix(),
		"AD_Client_ID": 11, "AD_User_ID": 101, "AD_Role_ID": 102, "AD_Org_ID": 11, "AD_Session_ID": 5}
	for name, value := range change {
		if claims[name] = value; value == nil {
			delete(claims, name)
		}
	}
	token := jwt.NewWithClaims(method, claims)
	token.Header["kid"] = "idempiere"
	text, err := token.SignedString(key)
	require.NoError(t, err)
	return text
}

func good(t testing.TB) string { return sign(t, jwt.SigningMethodHS512, []byte(secret), nil) }

// userToken is a token of another user.
func userToken(t testing.TB, client, user int) string {
	return sign(t, jwt.SigningMethodHS512, []byte(secret), jwt.MapClaims{"AD_Client_ID": client, "AD_User_ID": user})
}

func verifier(t testing.TB) *tokens.Verifier {
	t.Helper()
	v, err := tokens.NewSecretVerifier([]byte(secret))
	require.NoError(t, err)
	return v
}

// served is the API with every response checked against its own document.
type served struct {
	t      testing.TB
	h      http.Handler
	doc    *openapi3.T
	router routers.Router
}

func newAPI(t testing.TB, engine httpapi.Engine, opts *httpapi.Options) *served {
	t.Helper()
	h, err := httpapi.New(engine, verifier(t), opts)
	require.NoError(t, err)
	return wrap(t, h)
}

func wrap(t testing.TB, h http.Handler) *served {
	t.Helper()
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(httpapi.OpenAPI())
	require.NoError(t, err)
	require.NoError(t, doc.Validate(loader.Context))
	router, err := legacy.NewRouter(doc)
	require.NoError(t, err)
	return &served{t, h, doc, router}
}

// in is the API within a test of its own.
func (a *served) in(t testing.TB) *served {
	copied := *a
	copied.t = t
	return &copied
}

// response is what came back.
type response struct {
	status int
	header http.Header
	body   []byte
}

// decode reads the body.
func (a response) decode(t testing.TB, into any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(a.body))
	dec.UseNumber()
	require.NoError(t, dec.Decode(into), string(a.body))
}

// refusal is the error of a response.
type refusal struct {
	Error     api.Error
	RequestID string
}

func (a response) refusal(t testing.TB) refusal {
	t.Helper()
	var r refusal
	a.decode(t, &r)
	assert.NotEmpty(t, r.Error.Message)
	assert.Equal(t, a.header.Get("X-Request-Id"), r.RequestID)
	return r
}

// call makes a request with a token, "" for none. body is JSON text, a reader,
// or nil.
func (a *served) call(method, path, token string, body any, change ...func(*http.Request)) response {
	a.t.Helper()
	return a.callContext(a.t.Context(), method, path, token, body, change...)
}

func (a *served) callContext(ctx context.Context, method, path, token string, body any, change ...func(*http.Request)) response {
	a.t.Helper()
	var r io.Reader
	switch b := body.(type) {
	case string:
		r = strings.NewReader(b)
	case io.Reader:
		r = b
	case nil:
	default:
		text, err := json.Marshal(b)
		require.NoError(a.t, err)
		r = bytes.NewReader(text)
	}
	req := httptest.NewRequestWithContext(ctx, method, httpapi.Prefix+path, r)
	if r != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for _, f := range change {
		f(req)
	}
	rec := httptest.NewRecorder()
	a.h.ServeHTTP(rec, req)
	got := response{rec.Code, rec.Header(), rec.Body.Bytes()}
	a.check(req, got)
	return got
}

// check checks a response against the document.
func (a *served) check(req *http.Request, got response) {
	a.t.Helper()
	assert.NotEmpty(a.t, got.header.Get("X-Request-Id"))
	assert.Equal(a.t, httpapi.Version, got.header.Get("X-Api-Version"))
	assert.Equal(a.t, "nosniff", got.header.Get("X-Content-Type-Options"))
	for name := range got.header {
		assert.False(a.t, strings.HasPrefix(name, "Access-Control-"), "CORS is off")
	}
	if req.Method == http.MethodHead {
		return
	}
	path := req.Clone(context.Background())
	if path.Method != http.MethodGet && path.Method != http.MethodPost || got.status == http.StatusMethodNotAllowed {
		path.Method = http.MethodGet // a refusal of the method is described with the one there is
	}
	route, params, err := a.router.FindRoute(path)
	if err != nil {
		path.Method = http.MethodPost
		route, params, err = a.router.FindRoute(path)
	}
	if err != nil { // no path of the document
		assert.Equal(a.t, http.StatusNotFound, got.status, string(got.body))
		schema := a.doc.Components.Schemas["Error"].Value
		var value any
		require.NoError(a.t, json.Unmarshal(got.body, &value))
		require.NoError(a.t, schema.VisitJSON(value))
		return
	}
	err = openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: path, PathParams: params, Route: route},
		Status:                 got.status, Header: got.header, Body: io.NopCloser(bytes.NewReader(got.body)),
		Options: &openapi3filter.Options{MultiError: true, IncludeResponseStatus: true},
	})
	require.NoError(a.t, err, "%s %s: %d %s", req.Method, req.URL.Path, got.status, got.body)
	if got.status == http.StatusOK && !strings.HasSuffix(path.URL.Path, ".yaml") {
		assert.Equal(a.t, "no-store", got.header.Get("Cache-Control"))
	}
}
