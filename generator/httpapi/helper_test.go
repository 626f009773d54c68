package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"mime"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/generator/delivery"
	"github.com/erphub/erphub/generator/httpapi"
	"github.com/erphub/erphub/tokens"
)

const (
	// secret signs the tokens of these tests.
	secret = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	name   = "com.example.demo"
	body   = `{"artifactId":"com.example.demo"`
)

// token is one of a user, as the ERP signs it.
func token(t testing.TB, user int, left time.Duration) string {
	t.Helper()
	text, err := jwt.NewWithClaims(jwt.SigningMethodHS512, jwt.MapClaims{"iss": "idempiere.org", "sub": "GardenAdmin", "exp": time.Now().Add(left).Unix(),
		"AD_Client_ID": 11, "AD_User_ID": user, "AD_Role_ID": 102, "AD_Org_ID": 11, "AD_Session_ID": 5}).SignedString([]byte(secret))
	require.NoError(t, err)
	return text
}

// logged collects what is logged.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// setup is what an API is made of.
type setup struct {
	settings map[string]string
	delivery delivery.Options
	options  httpapi.Options
}

// api is a running API with every response checked against its own document.
type api struct {
	t      testing.TB
	server *httptest.Server
	dir    string // of the mode filesystem
	log    *logged
	doc    *openapi3.T
	router routers.Router
}

// start runs the API with the real deliveries, configured by settings.
func start(t testing.TB, s setup) *api {
	t.Helper()
	a := &api{t: t, dir: t.TempDir(), log: &logged{}}
	logger := slog.New(slog.NewTextHandler(a.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	a.server = httptest.NewUnstartedServer(nil)
	settings := map[string]string{
		delivery.KeyDirectory: a.dir, delivery.KeyArtifacts: t.TempDir(), delivery.KeyBaseURL: "http://" + a.server.Listener.Addr().String(),
	}
	maps.Copy(settings, s.settings)
	s.delivery.Setting, s.delivery.Logger = func(key string) string { return settings[key] }, logger
	deliveries, err := delivery.New(s.delivery)
	require.NoError(t, err)
	if store, err := deliveries.Artifacts(); err == nil && s.options.Artifacts == nil {
		s.options.Artifacts = store
	}
	s.options.Logger = logger
	a.serve(deliveries, s.options)
	return a
}

// serve starts the server in front of deliveries.
func (a *api) serve(deliveries httpapi.Deliveries, opts httpapi.Options) {
	a.t.Helper()
	verifier, err := tokens.NewSecretVerifier([]byte(secret))
	require.NoError(a.t, err)
	h, err := httpapi.New(deliveries, verifier, &opts)
	require.NoError(a.t, err)
	a.server.Config.Handler = h
	a.server.Start()
	a.t.Cleanup(a.server.Close)

	a.document()
	a.t.Cleanup(func() {
		for _, word := range []string{"must-not-show", secret} {
			assert.NotContains(a.t, a.log.String(), word, "the log")
		}
	})
}

// document reads the API's description.
func (a *api) document() {
	a.t.Helper()
	var err error
	loader := openapi3.NewLoader()
	a.doc, err = loader.LoadFromData(httpapi.OpenAPI())
	require.NoError(a.t, err)
	require.NoError(a.t, a.doc.Validate(loader.Context))
	a.router, err = legacy.NewRouter(a.doc)
	require.NoError(a.t, err)
}

// with runs the API in front of other deliveries.
func with(t testing.TB, deliveries httpapi.Deliveries, opts httpapi.Options) *api {
	t.Helper()
	a := &api{t: t, log: &logged{}, server: httptest.NewUnstartedServer(nil)}
	opts.Logger = slog.New(slog.NewTextHandler(a.log, nil))
	a.serve(deliveries, opts)
	return a
}

// in is the API for a subtest.
func (a *api) in(t testing.TB) *api {
	b := *a
	b.t = t
	return &b
}

// response is what came back.
type response struct {
	status int
	header http.Header
	body   []byte
}

// refusal is the error of a response.
type refusal struct {
	Error     struct{ Code, Message, Hint string }
	RequestID string
}

func (a response) refusal(t testing.TB) refusal {
	t.Helper()
	var r refusal
	require.NoError(t, json.Unmarshal(a.body, &r), string(a.body))
	assert.Equal(t, a.header.Get("X-Request-Id"), r.RequestID)
	return r
}

// fields are the members of a response that are texts.
func (a response) fields(t testing.TB) map[string]string {
	t.Helper()
	var f map[string]string
	require.NoError(t, json.Unmarshal(a.body, &f), string(a.body))
	return f
}

// header sets one.
func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// post requests a plugin with a good token.
func (a *api) post(body string, change ...func(*http.Request)) response {
	a.t.Helper()
	return a.call(http.MethodPost, "/api/generate/plugin", body, append([]func(*http.Request){header("Authorization", "Bearer "+token(a.t, 101, time.Hour))}, change...)...)
}

// get gets something without a token.
func (a *api) get(path string, change ...func(*http.Request)) response {
	a.t.Helper()
	return a.call(http.MethodGet, path, "", change...)
}

func (a *api) request(ctx context.Context, method, path, body string, change ...func(*http.Request)) *http.Request {
	a.t.Helper()
	if !strings.HasPrefix(path, "http") {
		path = a.server.URL + path
	}
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, path, r)
	require.NoError(a.t, err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept-Encoding", "identity")
	for _, f := range change {
		f(req)
	}
	return req
}

func (a *api) call(method, path, body string, change ...func(*http.Request)) response {
	a.t.Helper()
	req := a.request(a.t.Context(), method, path, body, change...)
	resp, err := a.server.Client().Do(req)
	require.NoError(a.t, err)
	text, err := io.ReadAll(resp.Body)
	require.NoError(a.t, err)
	require.NoError(a.t, resp.Body.Close())
	got := response{resp.StatusCode, resp.Header, text}
	a.check(req, got)
	return got
}

// check checks a response against the document.
func (a *api) check(req *http.Request, got response) {
	a.t.Helper()
	assert.NotEmpty(a.t, got.header.Get("X-Request-Id"))
	assert.Equal(a.t, "nosniff", got.header.Get("X-Content-Type-Options"))
	for _, word := range []string{"must-not-show", secret} {
		assert.NotContains(a.t, string(got.body), word)
	}
	route, params, err := a.route(req, got.status == http.StatusMethodNotAllowed)
	if err != nil { // no path of the document
		assert.Equal(a.t, http.StatusNotFound, got.status, string(got.body))
		var value any
		require.NoError(a.t, json.Unmarshal(got.body, &value))
		require.NoError(a.t, a.doc.Components.Schemas["Error"].Value.VisitJSON(value))
		return
	}
	media, _, _ := mime.ParseMediaType(got.header.Get("Content-Type"))
	err = openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: req, PathParams: params, Route: route},
		Status:                 got.status, Header: got.header, Body: io.NopCloser(bytes.NewReader(got.body)),
		Options: &openapi3filter.Options{MultiError: true, IncludeResponseStatus: true, ExcludeResponseBody: media != "application/json"},
	})
	require.NoError(a.t, err, "%s %s: %d %s", req.Method, req.URL.Path, got.status, got.body)
	if len(got.body) > 0 {
		require.Contains(a.t, route.Operation.Responses.Status(got.status).Value.Content, media)
	}
}

// route finds the description of a request. The refusal of a method is described
// with one there is.
func (a *api) route(req *http.Request, wrongMethod bool) (*routers.Route, map[string]string, error) {
	methods := []string{req.Method}
	if wrongMethod {
		methods = []string{http.MethodGet, http.MethodPost}
	}
	var err error
	for _, m := range methods {
		as := req.Clone(context.Background())
		as.Method, as.URL.Host, as.URL.Scheme = m, "", ""
		var route *routers.Route
		var params map[string]string
		if route, params, err = a.router.FindRoute(as); err == nil {
			return route, params, nil
		}
	}
	return nil, nil, err
}
