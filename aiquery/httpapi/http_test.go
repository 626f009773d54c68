package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/api"
	"github.com/erphub/erphub/aiquery/httpapi"
	"github.com/erphub/erphub/tokens"
)

// outcome is an engine that returns one error for everything, or with what
// JSON can get wrong. It stands for outcomes that a real engine has only when
// something breaks.
type outcome struct {
	err    error
	panics any
	result api.Result

	mu      sync.Mutex
	asked   []aiquery.Request
	refused []aiquery.Request
	who     []aiquery.Caller
	roles   []int
}

func (o *outcome) note(who aiquery.Caller, q aiquery.Request) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked, o.who = append(o.asked, q), append(o.who, who)
	if o.panics != nil {
		panic(o.panics)
	}
	return o.err
}

func (o *outcome) Query(_ context.Context, who aiquery.Caller, q aiquery.Request) (*api.Result, error) {
	if err := o.note(who, q); err != nil {
		return nil, err
	}
	r := o.result
	r.RequestID = who.RequestID
	return &r, nil
}

func (o *outcome) Explain(_ context.Context, who aiquery.Caller, q aiquery.Request) (*api.Explanation, error) {
	return &api.Explanation{RequestID: who.RequestID, Reads: []api.Read{}, Tables: []string{}, Columns: []api.Column{}}, o.note(who, q)
}

func (o *outcome) Refused(_ context.Context, who aiquery.Caller, q aiquery.Request, why *api.Error) *api.Error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.refused = append(o.refused, q)
	refusal := *why
	refusal.RequestID = who.RequestID
	return &refusal
}

func (o *outcome) Roles(_ context.Context, who aiquery.Caller) ([]api.RoleInfo, error) {
	return nil, o.note(who, aiquery.Request{})
}

func (o *outcome) TableMetadata(_ context.Context, who aiquery.Caller, roleID int, name string) (*api.TableMetadata, error) {
	return &api.TableMetadata{Name: name, Columns: []api.ColumnMetadata{}, ForeignKeys: []api.ForeignKey{}, ReferencedBy: []api.ForeignKey{}},
		o.note(who, aiquery.Request{RoleID: roleID, SQL: name})
}

func (o *outcome) WindowMetadata(_ context.Context, who aiquery.Caller, roleID, windowID int) (*api.WindowMetadata, error) {
	return &api.WindowMetadata{ID: windowID, Tabs: []api.TabMetadata{}}, o.note(who, aiquery.Request{RoleID: roleID})
}

func (o *outcome) Redacts(_ context.Context, _, column string) (bool, error) {
	return strings.HasSuffix(strings.ToUpper(column), "PASSWORD"), o.err
}

func (o *outcome) Health(context.Context) aiquery.Health {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.roles = append(o.roles, 0)
	up := o.err == nil
	h := aiquery.Health{OK: up, Database: "up", Audit: "up", Checked: time.Now()}
	if !up {
		h.Database = "cannot be reached at 10.0.0.7"
		h.Warnings = []string{"the login may write"}
	}
	return h
}

func empty() api.Result {
	return api.Result{Columns: []api.Column{}, Rows: [][]any{}, Tables: []string{}}
}

// Each code of the engine is one status, with the words of the engine, and with
// what the status asks for.
func TestStatusOfEachCode(t *testing.T) {
	t.Parallel()
	for code, status := range map[api.Code]int{
		api.CodeInvalid: 400, api.CodeSyntax: 400, api.CodeNotSelect: 400, api.CodeUnsupported: 400,
		api.CodeData: 400, api.CodeTooComplex: 400, api.CodeUnauthenticated: 401, api.CodeDenied: 403,
		api.CodeCanceled: 408, api.CodeTooLarge: 413, api.CodeBusy: 429, api.CodeInternal: 500,
		api.CodeResources: 503, api.CodeUnavailable: 503, api.CodeTimeout: 504,
	} {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			e := &outcome{err: fmt.Errorf("wrapped for the log: %w", &api.Error{Code: code, Message: "what is wrong", Hint: "what to do", Position: 7, RetryAfter: 1500 * time.Millisecond,
				Object: api.Object{Kind: api.TableObject, Name: "c_ordr", Similar: []string{"C_Order"}}})}
			a := newAPI(t, e, nil)
			for _, path := range []string{"/query", "/explain"} {
				got := a.call("POST", path, good(t), `{"sql":"SELECT 1","roleId":102}`)
				assert.Equal(t, status, got.status)
				r := got.refusal(t)
				assert.Equal(t, api.Error{Code: code, Message: "what is wrong", Hint: "what to do", Position: 7,
					Object: api.Object{Kind: api.TableObject, Name: "c_ordr", Similar: []string{"C_Order"}}}, r.Error)
				assert.NotContains(t, string(got.body), "wrapped for the log")
				if status == 429 || status == 503 {
					assert.Equal(t, "2", got.header.Get("Retry-After"))
				}
			}
		})
	}
	for name, tt := range map[string]struct {
		err    error
		status int
		code   string
	}{
		"not there":            {&api.Error{Code: api.CodeNotFound, Message: "no such table"}, 404, "not_found"},
		"a code of the future": {&api.Error{Code: "new", Message: "a private word"}, 500, "internal"},
		"any other error":      {errors.New("pq: a private word"), 500, "internal"},
		"given up":             {context.Canceled, 503, "canceled"},
		"too late":             {context.DeadlineExceeded, 504, "timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := newAPI(t, &outcome{err: tt.err}, nil).call("GET", "/metadata/table/C_Order", good(t), nil)
			assert.Equal(t, tt.status, got.status)
			assert.EqualValues(t, tt.code, got.refusal(t).Error.Code)
			assert.NotContains(t, string(got.body), "private word")
		})
	}
}

// What cannot be a request is refused before it reaches the engine, in words
// that help.
func TestBodies(t *testing.T) {
	t.Parallel()
	e := &outcome{result: empty()}
	a := newAPI(t, e, &httpapi.Options{MaxBody: 2000})
	for _, tt := range []struct {
		name, path, body string
		status           int
		says             string
	}{
		{"nothing", "/query", "", 400, "empty"},
		{"cut off", "/query", `{"sql":"SELECT 1"`, 400, "cut off"},
		{"no JSON", "/query", `SELECT 1`, 400, "not JSON"},
		{"an array", "/query", `[]`, 400, "not a JSON object"},
		{"two objects", "/query", `{"sql":"SELECT 1","roleId":102}{}`, 400, "behind"},
		{"two statements", "/query", `{"sql":"SELECT 1","SQL":"SELECT password FROM ad_user","roleId":102}`, 400, "member SQL twice"},
		{"another spelling", "/query", `{"SQL":"SELECT 1","roleId":102}`, 400, `no member "SQL"`},
		{"no statement", "/query", `{"roleId":102}`, 400, "sql is missing"},
		{"null statement", "/query", `{"sql":null,"roleId":102}`, 400, "sql is missing"},
		{"a number for a statement", "/query", `{"sql":1,"roleId":102}`, 400, "member sql"},
		{"no role", "/query", `{"sql":"SELECT 1"}`, 400, "roleId is missing"},
		{"null role", "/query", `{"sql":"SELECT 1","roleId":null}`, 400, "roleId is missing"},
		{"role as text", "/query", `{"sql":"SELECT 1","roleId":"102"}`, 400, "roleId is a number"},
		{"negative role", "/query", `{"sql":"SELECT 1","roleId":-1}`, 400, "roleId is a number"},
		{"role with a fraction", "/query", `{"sql":"SELECT 1","roleId":102.0}`, 400, "roleId is a number"},
		{"huge role", "/query", `{"sql":"SELECT 1","roleId":4294967398}`, 400, "roleId is a number"},
		{"unknown member", "/query", `{"sql":"SELECT 1","roleId":102,"role":1}`, 400, `no member "role"`},
		{"params as an object", "/query", `{"sql":"SELECT 1","roleId":102,"params":{}}`, 400, "member params"},
		{"not UTF-8", "/query", "{\"sql\":\"SELECT '\xff'\",\"roleId\":102}", 400, "UTF-8"},
		{"too large", "/query", `{"sql":"` + strings.Repeat("x", 2000) + `","roleId":102}`, 413, "larger than 2000"},
		{"deep", "/query", `{"sql":"","roleId":102,"params":[` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `]}`, 200, ""},
		{"nothing asked for", "/metadata", `{}`, 400, "0 tables"},
		{"too much asked for", "/metadata", `{"tables":[` + strings.TrimSuffix(strings.Repeat(`"a",`, 51), ",") + `]}`, 400, "51 tables"},
		{"negative window", "/metadata", `{"windows":[-1]}`, 400, "window"},
		{"negative role of metadata", "/metadata", `{"windows":[1],"roleId":-2}`, 400, "roleId"},
		{"window as text", "/metadata", `{"windows":["x"]}`, 400, "member windows"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := a.call("POST", tt.path, good(t), tt.body)
			require.Equal(t, tt.status, got.status, string(got.body))
			if tt.status != 200 {
				assert.Contains(t, got.refusal(t).Error.Message, tt.says)
			}
		})
	}
	require.Len(t, e.asked, 1, "the deep one alone")

	got := a.call("POST", "/query", good(t), `{}`, func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") })
	assert.Equal(t, 415, got.status)
	got = a.call("POST", "/query", good(t), `{}`, func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") })
	assert.Equal(t, 415, got.status)
	got = a.call("POST", "/query", good(t), `{"sql":"SELECT 1","roleId":102}`, func(r *http.Request) { r.Header.Del("Content-Type") })
	assert.Equal(t, 200, got.status)
}

// maxRows is an integer. What is not positive means the default, and what is
// above the limit means the limit.
func TestMaxRows(t *testing.T) {
	t.Parallel()
	e := &outcome{result: empty()}
	a := newAPI(t, e, nil)
	for text, want := range map[string]int{"7": 7, "1000": 1000, "5000": 5000, "0": 0, "-3": 0, "null": 0, "99999999999999999999": 1<<31 - 1, "-99999999999999999999": 0} {
		got := a.call("POST", "/query", good(t), `{"sql":"SELECT 1","roleId":102,"maxRows":`+text+`}`)
		require.Equal(t, 200, got.status, string(got.body))
		assert.Equal(t, want, e.asked[len(e.asked)-1].MaxRows, text)
	}
	asked := len(e.asked)
	others := []string{`"5"`, `"ten"`, `""`, "5.0", "1.5", "1e2", "true", "false", "[5]", `{"n":5}`}
	for i, text := range others {
		got := a.call("POST", []string{"/query", "/explain"}[i%2], good(t), `{"sql":"SELECT 1","roleId":102,"maxRows":`+text+`}`)
		require.Equal(t, 400, got.status, text)
		r := got.refusal(t)
		assert.EqualValues(t, "invalid", r.Error.Code)
		assert.Contains(t, r.Error.Message, "maxRows must be an integer", text)
		assert.Contains(t, r.Error.Hint, `"maxRows":100`, text)
	}
	assert.Len(t, e.asked, asked)
	assert.Len(t, e.refused, len(others), "they are on record")
}

// Every path responds below the version, too, in the same way, and every response
// names the version.
func TestVersion(t *testing.T) {
	t.Parallel()
	a := newAPI(t, &outcome{result: empty()}, nil)
	for _, tt := range []struct {
		method, path string
		body         any
	}{
		{"POST", "/query", `{"sql":"SELECT 1","roleId":102}`}, {"POST", "/explain", `{"sql":"SELECT 1","roleId":102}`}, {"POST", "/query", `{}`},
		{"GET", "/roles", nil}, {"POST", "/metadata", `{"tables":["C_Order"]}`}, {"GET", "/metadata/table/C_Order", nil}, {"GET", "/metadata/window/143", nil},
		{"GET", "/context/window/1", nil}, {"GET", "/context/chart/1", nil}, {"POST", "/context", `{}`}, {"GET", "/health", nil}, {"GET", "/openapi.yaml", nil},
		{"GET", "/query", nil}, {"GET", "/nothing", nil},
	} {
		plain, versioned := a.call(tt.method, tt.path, good(t), tt.body), a.call(tt.method, "/v1"+tt.path, good(t), tt.body)
		assert.Equal(t, plain.status, versioned.status, tt.path)
		without := func(got response) string {
			return strings.ReplaceAll(string(got.body), got.header.Get("X-Request-Id"), "")
		}
		if tt.path != "/health" { // which has the time
			assert.Equal(t, without(plain), without(versioned), tt.path)
		}
	}
	assert.Equal(t, 404, a.call("GET", "/v2/roles", good(t), nil).status)
	assert.Equal(t, 404, a.call("GET", "/v1", good(t), nil).status)
	assert.Equal(t, 401, a.call("GET", "/v1/roles", "", nil).status)
	assert.Equal(t, httpapi.Version, a.call("GET", "/roles", "", nil).header.Get("X-Api-Version"))
}

// The engine gets the user in the token, the role in the request, and
// values as they were sent; the response keeps every digit.
func TestWhatTheEngineHears(t *testing.T) {
	t.Parallel()
	e := &outcome{result: api.Result{
		Columns: []api.Column{{Name: "a", Type: "numeric"}, {Name: "b", Type: "varchar", Redacted: true}},
		Rows:    [][]any{{json.Number("12345678901234567890.123456789"), "<&>"}, {nil, json.RawMessage(`{"x":[1]}`)}},
		Tables:  []string{"C_Order"}, RowCount: 2, Truncated: true, ExecutionTimeMs: 10,
	}}
	a := newAPI(t, e, &httpapi.Options{ProviderID: 7, AIUserID: 8})
	got := a.call("POST", "/query", good(t), `{"sql":"SELECT ü","roleId":0,"params":["x",1.10,null,[1]]}`, func(r *http.Request) { r.Header.Set("X-Request-Id", "mine") })
	require.Equal(t, 200, got.status)
	id := got.header.Get("X-Request-Id")
	assert.NotEqual(t, "mine", id)
	assert.Equal(t, aiquery.Request{SQL: "SELECT ü", RoleID: 0, Params: []json.RawMessage{[]byte(`"x"`), []byte("1.10"), []byte("null"), []byte("[1]")}}, e.asked[0])
	assert.Equal(t, aiquery.Caller{UserID: 101, ClientID: 11, Name: "GardenAdmin", RequestID: id, ProviderID: 7, AIUserID: 8}, e.who[0])
	assert.JSONEq(t, `{"requestId":"`+id+`","columns":[{"name":"a","type":"numeric"},{"name":"b","type":"varchar","redacted":true}],
		"rows":[[12345678901234567890.123456789,"<&>"],[null,{"x":[1]}]],"rowCount":2,"truncated":true,"tables":["C_Order"],"executionTimeMs":10}`, string(got.body))
	assert.Contains(t, string(got.body), `[[12345678901234567890.123456789,"<&>"]`, "as it is, to the digit")

	// Metadata goes by the role asked for, else the token's.
	a.call("GET", "/metadata/table/C_Order?roleId=0", good(t), nil)
	a.call("GET", "/metadata/window/143", good(t), nil)
	a.call("GET", "/metadata/table/%2e%2e%2fquery%00", good(t), nil)
	var roles []int
	for _, q := range e.asked[1:] {
		roles = append(roles, q.RoleID)
	}
	assert.Equal(t, []int{0, 102, 102}, roles)
	assert.Equal(t, "../query\x00", e.asked[3].SQL)
	for _, path := range []string{"/metadata/table/C_Order?roleId=x", "/metadata/table/C_Order?roleId=1&roleId=2", "/metadata/table/C_Order?role=1",
		"/metadata/window/x", "/metadata/window/-1", "/metadata/window/4294967296", "/metadata/table/C_Order?%zz", "/roles?x=1", "/context/window/x", "/context/chart/1?roleId=1"} {
		got := a.call("GET", path, good(t), nil)
		assert.Equal(t, 400, got.status, path)
	}
}

func TestSeveralAtOnce(t *testing.T) {
	t.Parallel()
	a := newAPI(t, &outcome{}, nil)
	got := a.call("POST", "/metadata", good(t), `{"tables":["C_Order","C_BPartner"],"windows":[143]}`)
	require.Equal(t, 200, got.status)
	var body struct {
		Tables  []struct{ Name string }
		Windows []struct{ ID int }
	}
	got.decode(t, &body)
	assert.Equal(t, "C_BPartner", body.Tables[1].Name)
	assert.Equal(t, 143, body.Windows[0].ID)

	// What concerns one is told of that one; what concerns all ends the request.
	denied := newAPI(t, &outcome{err: &api.Error{Code: api.CodeDenied, Message: "not available"}}, nil)
	got = denied.call("POST", "/metadata", good(t), `{"tables":["C_Order"],"windows":[143]}`)
	require.Equal(t, 200, got.status)
	assert.Contains(t, string(got.body), `"error":{"code":"permission_denied","message":"not available"}`)
	down := newAPI(t, &outcome{err: &api.Error{Code: api.CodeUnavailable, Message: "down"}}, nil)
	assert.Equal(t, 503, down.call("POST", "/metadata", good(t), `{"tables":["C_Order"],"windows":[143]}`).status)
}

func TestPathsAndMethods(t *testing.T) {
	t.Parallel()
	e := &outcome{result: empty()}
	a := newAPI(t, e, nil)
	for _, tt := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"GET", "/query", 405, "POST"}, {"PUT", "/query", 405, "POST"}, {"DELETE", "/context", 405, "POST"}, {"OPTIONS", "/query", 405, "POST"},
		{"POST", "/health", 405, "GET, HEAD"}, {"POST", "/metadata/table/C_Order", 405, "GET, HEAD"}, {"PATCH", "/openapi.yaml", 405, "GET, HEAD"},
		{"GET", "/nothing", 404, ""}, {"GET", "/", 404, ""}, {"GET", "/metadata/table/", 404, ""}, {"GET", "/metadata/table/a/b", 404, ""}, {"POST", "/query/x", 404, ""},
		{"HEAD", "/health", 200, ""}, {"GET", "/openapi.yaml", 200, ""}, {"GET", "/health", 200, ""},
	} {
		got := a.call(tt.method, tt.path, "", nil)
		assert.Equal(t, tt.status, got.status, tt.method+tt.path)
		assert.Equal(t, tt.allow, got.header.Get("Allow"))
	}
	assert.Empty(t, e.asked)
	got := a.call("GET", "/openapi.yaml", "", nil)
	assert.Contains(t, string(got.body), "openapi: 3.0.0")
	assert.Contains(t, string(got.body), "version: 1.0.0")
}

// Tokens that must not be trusted are refused before anything of the request is
// looked at, and nothing of them is shown.
func TestTokens(t *testing.T) {
	t.Parallel()
	e := &outcome{result: empty()}
	a := newAPI(t, e, nil)
	key := []byte(secret)
	token := good(t)
	parts := strings.Split(token, ".")
	for _, tt := range []struct{ name, token, says string }{
		{"none", "", "no bearer token"},
		{"alg none", sign(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, nil), "not valid"},
		{"HS256 with the secret", sign(t, jwt.SigningMethodHS256, key, nil), "not valid"},
		{"HS384 with the secret", sign(t, jwt.SigningMethodHS384, key, nil), "not valid"},
		{"another secret", sign(t, jwt.SigningMethodHS512, []byte(strings.Repeat("x", 64)), nil), "not valid"},
		{"no signature", parts[0] + "." + parts[1] + ".", "not valid"},
		{"expired", sign(t, jwt.SigningMethodHS512, key, jwt.MapClaims{"exp": time.Now().Add(-time.Minute).Unix()}), "expired"},
		{"no end", sign(t, jwt.SigningMethodHS512, key, jwt.MapClaims{"exp": nil}), "not valid"},
		{"another issuer", sign(t, jwt.SigningMethodHS512, key, jwt.MapClaims{"iss": "evil"}), "not valid"},
		{"unfinished login", sign(t, jwt.SigningMethodHS512, key, jwt.MapClaims{"AD_Role_ID": nil, "Clients": "11"}), "not valid"},
		{"user as text", sign(t, jwt.SigningMethodHS512, key, jwt.MapClaims{"AD_User_ID": "100"}), "not valid"},
		{"garbage", "a.b.c", "not valid"},
		{"huge", strings.Repeat("a", 100_000), "not valid"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, path := range []string{"/query", "/metadata", "/context", "/explain"} {
				got := a.call("POST", path, tt.token, `{"sql":"SELECT 1","roleId":102}`)
				require.Equal(t, 401, got.status)
				r := got.refusal(t)
				assert.EqualValues(t, "unauthenticated", r.Error.Code)
				assert.Contains(t, r.Error.Message, tt.says)
				assert.Contains(t, got.header.Get("WWW-Authenticate"), "Bearer")
				assert.Equal(t, "close", got.header.Get("Connection"), "the body is not waited for")
				if len(tt.token) > 10 {
					assert.NotContains(t, string(got.body), tt.token[:10])
				}
			}
			assert.Equal(t, 401, a.call("GET", "/context/window/1", tt.token, nil).status)
		})
	}
	for name, header := range map[string][]string{
		"two headers": {"Bearer " + token, "Bearer " + token}, "another scheme": {"Basic " + token}, "no scheme": {token}, "two words": {"Bearer " + token + " x"}, "a comma": {"Bearer " + token + ", Bearer x"},
	} {
		got := a.call("GET", "/roles", "", nil, func(r *http.Request) { r.Header["Authorization"] = header })
		assert.Equal(t, 401, got.status, name)
	}
	assert.Empty(t, e.asked)
	got := a.call("GET", "/roles", "", nil, func(r *http.Request) { r.Header.Set("Authorization", "bearer "+token) })
	assert.Equal(t, 200, got.status, "the scheme's case does not matter")
}

// verdict is a verifier that always says the same.
type verdict struct {
	claims tokens.Claims
	err    error
	asked  *int
}

func (v verdict) Verify(context.Context, string) (tokens.Claims, error) {
	*v.asked++
	return v.claims, v.err
}

// Without a decision of the verifier nobody gets in.
func TestVerifierDecides(t *testing.T) {
	t.Parallel()
	var asked int
	yes := verdict{claims: tokens.Claims{UserID: 101, Complete: true}, asked: &asked}
	no := verdict{err: fmt.Errorf("%w: no", tokens.ErrInvalidToken), asked: &asked}
	away := verdict{err: fmt.Errorf("%w: 10.0.0.7", tokens.ErrUnreachable), asked: &asked}
	for _, tt := range []struct {
		name     string
		verifier httpapi.Verifier
		status   int
	}{
		{"it says yes", yes, 200},
		{"it says no", no, 401},
		{"it is away", away, 503},
	} {
		asked = 0
		h, err := httpapi.New(&outcome{}, tt.verifier, nil)
		require.NoError(t, err)
		got := wrap(t, h).call("GET", "/roles", "x.y.z", nil)
		assert.Equal(t, tt.status, got.status, tt.name)
		assert.Equal(t, 1, asked, tt.name)
		assert.NotContains(t, string(got.body), "10.0.0.7")
		if tt.status == 503 {
			assert.Equal(t, "5", got.header.Get("Retry-After"))
		}
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	now := time.Now()
	e := &outcome{}
	a := newAPI(t, e, &httpapi.Options{Clock: func() time.Time { return now }})
	for range 5 {
		assert.Equal(t, 200, a.call("GET", "/health", "", nil).status)
	}
	assert.Len(t, e.roles, 1, "asked once in two seconds")
	e.err = errors.New("down")
	now = now.Add(3 * time.Second)
	got := a.call("GET", "/health", "", nil)
	assert.Equal(t, 503, got.status)
	assert.Contains(t, string(got.body), `"status":"down","database":"down"`)
	assert.NotContains(t, string(got.body), "10.0.0.7")
	assert.NotContains(t, string(got.body), "may write")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.Contains(t, []int{503}, a.callContext(ctx, "GET", "/health", "", nil).status)
}

// A user who sends too many requests is told when to come back, and others are not
// affected.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	now := time.Now()
	a := newAPI(t, &outcome{}, &httpapi.Options{PerMinute: 60, Burst: 3, Clock: func() time.Time { return now }})
	for range 3 {
		require.Equal(t, 200, a.call("GET", "/roles", good(t), nil).status)
	}
	got := a.call("GET", "/roles", good(t), nil)
	require.Equal(t, 429, got.status)
	assert.Equal(t, "1", got.header.Get("Retry-After"))
	assert.EqualValues(t, "rate_limited", got.refusal(t).Error.Code)
	assert.Equal(t, 200, a.call("GET", "/roles", userToken(t, 11, 102), nil).status, "another user")
	assert.Equal(t, 200, a.call("GET", "/roles", userToken(t, 12, 101), nil).status, "the same number in another tenant")
	assert.Equal(t, 200, a.call("GET", "/health", "", nil).status)
	now = now.Add(time.Second)
	assert.Equal(t, 200, a.call("GET", "/roles", good(t), nil).status)
	assert.Equal(t, 429, a.call("GET", "/roles", good(t), nil).status)
	now = now.Add(-time.Hour) // a clock set back gives nothing and takes nothing
	assert.Equal(t, 429, a.call("GET", "/roles", good(t), nil).status)
}

func TestPanics(t *testing.T) {
	t.Parallel()
	var seen []string
	a := newAPI(t, &outcome{panics: "a private word"}, &httpapi.Options{Observe: func(op, code string, _ time.Duration) { seen = append(seen, op+" "+code) }})
	got := a.call("POST", "/query", good(t), `{"sql":"SELECT 1","roleId":102}`)
	assert.Equal(t, 500, got.status)
	assert.NotContains(t, string(got.body), "private")
	assert.Equal(t, 404, a.call("GET", "/context/window/1", good(t), nil).status)
	assert.Equal(t, []string{"query internal", "context_window not_found"}, seen)
	require.PanicsWithError(t, http.ErrAbortHandler.Error(), func() {
		newAPI(t, &outcome{panics: http.ErrAbortHandler}, nil).call("POST", "/query", good(t), `{"sql":"SELECT 1","roleId":102}`)
	})
}

func TestSetup(t *testing.T) {
	t.Parallel()
	_, err := httpapi.New(nil, verifier(t), nil)
	require.Error(t, err)
	_, err = httpapi.New(&outcome{}, nil, nil)
	require.Error(t, err)
	for _, o := range []httpapi.Options{{PerMinute: -1}, {ContextTTL: 2 * time.Hour}, {Origins: []string{"*"}}, {Origins: []string{"https://x/"}}, {Origins: []string{"ftp://x"}}} {
		_, err := httpapi.New(&outcome{}, verifier(t), &o)
		require.Error(t, err)
	}
}

// slow is an engine that responds when it is released.
type slow struct {
	*outcome
	begun, on chan struct{}
}

func (s *slow) Query(ctx context.Context, who aiquery.Caller, q aiquery.Request) (*api.Result, error) {
	s.begun <- struct{}{}
	<-s.on
	return s.outcome.Query(ctx, who, q)
}

// A query for which there is no slot is on record.
func TestNoPlaceIsOnRecord(t *testing.T) {
	t.Parallel()
	e := &slow{&outcome{result: empty()}, make(chan struct{}), make(chan struct{})}
	a := newAPI(t, e, &httpapi.Options{MaxConcurrent: 1})
	first := make(chan response)
	go func() { first <- a.call("POST", "/query", good(t), `{"sql":"SELECT 1","roleId":102}`) }()
	<-e.begun
	for _, path := range []string{"/query", "/explain"} {
		got := a.call("POST", path, good(t), `{"sql":"SELECT 2","roleId":102}`)
		assert.Equal(t, http.StatusServiceUnavailable, got.status)
		assert.NotEmpty(t, got.header.Get("Retry-After"))
		assert.Contains(t, string(got.body), "too many requests")
	}
	close(e.on)
	assert.Equal(t, http.StatusOK, (<-first).status)
	require.Len(t, e.refused, 2)
	assert.Equal(t, "SELECT 2", e.refused[0].SQL)
}
