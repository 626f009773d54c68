package httpapi_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery/httpapi"
	"github.com/erphub/erphub/internal/testkit/testclock"
)

// A publication is taken as a whole or not at all, within bounds.
func TestPublications(t *testing.T) {
	t.Parallel()
	many := func(n int) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = fmt.Sprintf(`{"windowNo":%d}`, i)
		}
		return `{"windows":[` + strings.Join(parts, ",") + `]}`
	}
	for _, tt := range []struct {
		name, body string
		status     int
		says       string
	}{
		{"nothing", `{}`, 400, "0 windows"},
		{"the most", many(32), 200, ""},
		{"too many", many(33), 400, "33 windows"},
		{"without a number", `{"windows":[{"fields":{}}]}`, 400, "windowNo"},
		{"a chart without a number", `{"charts":[{"name":"x"}]}`, 400, "chartId"},
		{"a negative number", `{"windows":[{"windowNo":-1}]}`, 400, "windowNo"},
		{"one too high", `{"windows":[{"windowNo":4294967296}]}`, 400, "windowNo"},
		{"the same twice", `{"windows":[{"windowNo":1},{"windowNo":1}]}`, 400, "twice"},
		{"a window and a chart of one number", `{"windows":[{"windowNo":1}],"charts":[{"chartId":1}]}`, 200, ""},
		{"the second one is wrong", `{"windows":[{"windowNo":40},{"windowNo":-1}]}`, 400, "windowNo"},
		{"too long a life", `{"ttlSeconds":3601,"windows":[{"windowNo":1}]}`, 400, "ttlSeconds"},
		{"a negative life", `{"ttlSeconds":-1,"windows":[{"windowNo":1}]}`, 400, "ttlSeconds"},
		{"a member there is not", `{"windows":[{"windowNo":1,"sql":"x"}]}`, 400, `"sql"`},
		{"too large", `{"windows":[{"windowNo":1,"fields":{"a":"` + strings.Repeat("x", 256<<10) + `"}}]}`, 413, "larger"},
		{"names that repeat", `{"windows":[{"windowNo":1,"fields":{"a":1,"a":2}}]}`, 400, "member a twice"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newAPI(t, &outcome{}, nil)
			got := a.call("POST", "/context", good(t), tt.body)
			require.Equal(t, tt.status, got.status, string(got.body))
			if tt.status != 200 {
				assert.Contains(t, got.refusal(t).Error.Message, tt.says)
				assert.Equal(t, 404, a.call("GET", "/context/window/40", good(t), nil).status, "nothing of it is kept")
			}
		})
	}
}

// When nobody can tell what is masked, nothing is kept.
func TestPublicationsWithoutTheRule(t *testing.T) {
	t.Parallel()
	a := newAPI(t, &outcome{err: errors.New("CANARY")}, nil)
	got := a.call("POST", "/context", good(t), `{"windows":[{"windowNo":1,"fields":{"Name":"x"}}]}`)
	assert.Equal(t, 500, got.status)
	assert.NotContains(t, string(got.body), "CANARY")
	assert.Equal(t, 404, a.call("GET", "/context/window/1", good(t), nil).status)
}

// A store has room for everybody, and makes it by dropping what is oldest.
func TestMemoryStore(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	time0 := testclock.New(time.Now())
	s := httpapi.NewMemoryStoreAt(time0.Now)
	put := func(user, no int, content string) error {
		return s.Put(ctx, httpapi.ContextKey{ClientID: 11, UserID: user, Kind: httpapi.WindowContext, Number: no},
			httpapi.StoredContext{Content: []byte(content), Published: time0.Now(), Expires: time0.Now().Add(time.Minute)})
	}
	have := func(user, no int) bool {
		_, ok, err := s.Get(ctx, httpapi.ContextKey{ClientID: 11, UserID: user, Kind: httpapi.WindowContext, Number: no})
		require.NoError(t, err)
		return ok
	}
	for no := range 64 {
		require.NoError(t, put(1, no, "{}"))
	}
	require.ErrorIs(t, put(1, 64, "{}"), httpapi.ErrStoreFull)
	require.NoError(t, put(1, 63, "[]"), "one that is there is replaced")
	require.NoError(t, put(2, 64, "{}"), "others have room")
	time0.Advance(time.Hour)
	require.NoError(t, put(1, 64, "{}"), "what is over makes room")
	assert.False(t, have(1, 0))
	assert.True(t, have(1, 64))

	large := strings.Repeat("x", 1<<20)
	for user := range 200 {
		require.NoError(t, put(100+user, 1, large))
	}
	assert.False(t, have(100, 1), "the oldest is dropped")
	assert.True(t, have(299, 1))
	require.NoError(t, s.Delete(ctx, httpapi.ContextKey{ClientID: 11, UserID: 299, Kind: httpapi.WindowContext, Number: 1}))
	assert.False(t, have(299, 1))
	require.NoError(t, s.Delete(ctx, httpapi.ContextKey{}), "that there is none is no error")
}

// Pages of other origins may call where that is set, and nowhere else; the id of
// a request is never the caller's.
func TestOrigins(t *testing.T) {
	t.Parallel()
	call := func(opts *httpapi.Options, method, origin string, preflight bool) *httptest.ResponseRecorder {
		h, err := httpapi.New(&outcome{result: empty()}, verifier(t), opts)
		require.NoError(t, err)
		r := httptest.NewRequestWithContext(t.Context(), method, httpapi.Prefix+"/roles", nil)
		r.Header.Set("Origin", origin)
		r.Header.Set("X-Request-Id", "mine")
		if preflight {
			r.Header.Set("Access-Control-Request-Method", "POST")
		} else {
			r.Header.Set("Authorization", "Bearer "+good(t))
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		assert.NotEqual(t, "mine", w.Header().Get("X-Request-Id"))
		return w
	}
	const ours = "https://app.example.com"
	on := &httpapi.Options{Origins: []string{ours}}
	for _, tt := range []struct {
		name, method, origin string
		opts                 *httpapi.Options
		preflight            bool
		status               int
		allowed              string
	}{
		{"off", http.MethodGet, ours, nil, false, 200, ""},
		{"off, asked before", http.MethodOptions, ours, nil, true, 405, ""},
		{"on", http.MethodGet, ours, on, false, 200, ours},
		{"on, asked before", http.MethodOptions, ours, on, true, 204, ours},
		{"another origin", http.MethodGet, "https://evil.example.com", on, false, 200, ""},
		{"another origin, asked before", http.MethodOptions, "https://evil.example.com", on, true, 405, ""},
		{"one that ends alike", http.MethodOptions, "https://evilapp.example.com", on, true, 405, ""},
		{"null", http.MethodOptions, "null", on, true, 405, ""},
	} {
		w := call(tt.opts, tt.method, tt.origin, tt.preflight)
		assert.Equal(t, tt.status, w.Code, tt.name)
		assert.Equal(t, tt.allowed, w.Header().Get("Access-Control-Allow-Origin"), tt.name)
		assert.Empty(t, w.Header().Get("Access-Control-Allow-Credentials"), tt.name)
		if tt.opts != nil {
			assert.Contains(t, w.Header().Values("Vary"), "Origin", tt.name)
		}
	}
	for _, origin := range []string{"*", "app.example.com", "https://app.example.com/", "ftp://x", ""} {
		_, err := httpapi.New(&outcome{}, verifier(t), &httpapi.Options{Origins: []string{origin}})
		assert.Error(t, err, origin)
	}
}
