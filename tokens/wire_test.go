package tokens_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/tokens"
)

// script is a server that gives chosen responses and records the requests. It
// serves the responses the embedded ERP never gives, and the golden requests.
type script struct {
	*httptest.Server
	mu     sync.Mutex
	got    []string // method, path and body
	header []http.Header
}

func newScript(t *testing.T, response http.HandlerFunc) *script {
	s := &script{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.got = append(s.got, r.Method+" "+r.URL.Path+" "+string(body))
		s.header = append(s.header, r.Header)
		s.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		response(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *script) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.got...)
}

func say(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// valid is a token that ends in the year 2100.
var valid = compact(head, strings.Replace(fullClaims, "1767225600", "4102444800", 1))

var (
	user     = tokens.Login{Username: "GardenAdmin", Password: tokens.NewSecret("CANARYpassword"), Client: "11", Role: "102", Organization: "11"}
	expired  = compact(head, fullClaims) // 2026-01-01
	testTime = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
)

func fixed() time.Time { return testTime }

func TestLoginRequest(t *testing.T) {
	t.Parallel()
	// The shape of reference section 3.2, one step.
	response := `{"userId":101,"language":"en_US","menuTreeId":10,"token":"` + valid + `","refresh_token":"r1"}`
	tests := []struct {
		name, want string
		login      tokens.Login
	}{
		{"ids are numbers", `{"userName":"GardenAdmin","password":"CANARYpassword","parameters":{"clientId":11,"organizationId":11,"roleId":102}}`, user},
		{"names are text", `{"userName":"u","password":"p","parameters":{"clientId":"GardenWorld","language":"de_DE","organizationId":0,"roleId":"Admin","warehouseId":103}}`,
			tokens.Login{Username: "u", Password: tokens.NewSecret("p"), Client: "GardenWorld", Role: "Admin", Organization: "0", Warehouse: "103", Language: "de_DE"}},
		{"nothing chosen", `{"userName":"u","password":"p"}`, tokens.Login{Username: "u", Password: tokens.NewSecret("p")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := newScript(t, say(200, response))
			m, err := tokens.NewManager(srv.URL+"/api/v1/", tokens.WithClock(fixed))
			require.NoError(t, err)
			require.NoError(t, m.Login(t.Context(), tt.login))
			assert.Equal(t, []string{"POST /api/v1/auth/tokens " + tt.want}, srv.requests())
			assert.Equal(t, "application/json", srv.header[0].Get("Content-Type"))
			assert.Empty(t, srv.header[0].Get("Authorization"))
		})
	}
}

func TestRefreshRequest(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		stored tokens.Stored
		want   string
	}{
		{"stored ids", tokens.Stored{Access: tokens.NewSecret(expired), Refresh: tokens.NewSecret("r1"), ClientID: 12, UserID: 1000101}, `{"refresh_token":"r1","clientId":12,"userId":1000101}`},
		{"ids of the claims", tokens.Stored{Access: tokens.NewSecret(expired), Refresh: tokens.NewSecret("r1")}, `{"refresh_token":"r1","clientId":11,"userId":101}`},
		{"no ids known", tokens.Stored{Refresh: tokens.NewSecret("r1")}, `{"refresh_token":"r1","clientId":0,"userId":0}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := newScript(t, say(200, `{"token":"`+valid+`","refresh_token":"r2"}`))
			m, err := tokens.NewManager(srv.URL, tokens.WithStore(tokens.NewMemoryStore(tt.stored)), tokens.WithClock(fixed))
			require.NoError(t, err)
			got, err := m.Token(t.Context())
			require.NoError(t, err)
			assert.Equal(t, valid, got)
			assert.Equal(t, []string{"POST /api/v1/auth/refresh " + tt.want}, srv.requests())
		})
	}
}

func TestResponseSpellings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, response string
		refresh        string
		client, user   int
	}{
		{"snake", `{"token":"opaque","refresh_token":"r2","userId":7}`, "r2", 11, 7},
		{"camel", `{"token":"opaque","refreshToken":"r2","userId":7}`, "r2", 11, 7},
		{"both: the real server's", `{"token":"opaque","refreshToken":"no","refresh_token":"r2","userId":7}`, "r2", 11, 7},
		{"resolved client", `{"clientId":13,"userId":7,"token":"opaque","refresh_token":"r2"}`, "r2", 13, 7},
		{"claims know best", `{"userId":7,"token":"` + valid + `","refresh_token":"r2"}`, "r2", 11, 101},
		{"odd members", `{"userId":{},"clients":5,"clientId":"x","token":"opaque","refresh_token":"r2","x":null}`, "r2", 11, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := newScript(t, say(200, tt.response))
			store := &tokens.MemoryStore{}
			m, err := tokens.NewManager(srv.URL, tokens.WithStore(store), tokens.WithClock(fixed))
			require.NoError(t, err)
			require.NoError(t, m.Login(t.Context(), user))
			st, err := store.Load(t.Context())
			require.NoError(t, err)
			assert.Equal(t, tt.refresh, st.Refresh.Reveal())
			assert.Equal(t, tt.client, st.ClientID)
			assert.Equal(t, tt.user, st.UserID)
			assert.Equal(t, srv.URL, st.Server)
			assert.Empty(t, st.Refreshing)
		})
	}
}

// TestRefreshOutcomes: after which failures may the refresh token be sent
// again, and after which not.
func TestRefreshOutcomes(t *testing.T) {
	t.Parallel()
	const spent, kept = true, false
	breakOff := func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }
	half := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"token":"CANARYtoken`)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	tests := []struct {
		name     string
		response http.HandlerFunc
		marker   bool
		want     string
		is       error
	}{
		{"400 unknown member", say(400, `Unrecognized field at [Source: {"refresh_token":"CANARYrefresh"`), kept, "responded with 400", tokens.ErrAuthentication},
		{"403", say(403, ``), kept, "responded with 403", tokens.ErrAuthentication},
		{"404 not an ERP", say(404, `<html>CANARYrefresh`), kept, "responded with 404", tokens.ErrUnreachable},
		{"429", say(429, ``), kept, "responded with 429", tokens.ErrUnreachable},
		{"503 maintenance", say(503, `{"status":"503","message":"x"}`), kept, "responded with 503", tokens.ErrUnreachable},
		{"redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, kept, "not followed", tokens.ErrUnreachable},
		{"401 refused", say(401, `{"title":"Authenticate error","status":401,"detail":"Invalid refresh token CANARYrefresh"}`), kept,
			"the server responded with 401: Authenticate error: Invalid refresh token [redacted]; log in with", tokens.ErrAuthentication},
		{"401 page", say(401, `<html>CANARYrefresh`), kept, "responded with 401", tokens.ErrAuthentication},
		{"500", say(500, `{"title":"CANARYrefresh","status":500}`), spent, "responded with 500", tokens.ErrInterrupted},
		{"502 of a proxy", say(502, ``), spent, "responded with 502", tokens.ErrInterrupted},
		{"504 of a proxy", say(504, ``), spent, "responded with 504", tokens.ErrInterrupted},
		{"connection broken", breakOff, spent, "not retried at once", tokens.ErrInterrupted},
		{"half a response", half, spent, "reading the response", tokens.ErrInterrupted},
		{"no JSON", say(200, `<html>CANARYrefresh`), spent, "not what the ERP", tokens.ErrInterrupted},
		{"no token", say(200, `{}`), spent, "contains no token", tokens.ErrInterrupted},
		{"endless", say(200, `{"x":"`+strings.Repeat("x", 1<<20)+`"}`), spent, "longer than", tokens.ErrInterrupted},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := newScript(t, tt.response)
			store := tokens.NewMemoryStore(tokens.Stored{Access: tokens.NewSecret(expired), Refresh: tokens.NewSecret("CANARYrefresh")})
			m, err := tokens.NewManager(srv.URL, tokens.WithStore(store), tokens.WithClock(fixed), tokens.WithHoldOff(0))
			require.NoError(t, err)
			_, err = m.Token(t.Context())
			require.ErrorContains(t, err, tt.want)
			require.ErrorIs(t, err, tt.is)
			assert.NotContains(t, err.Error(), "CANARY")

			st, lerr := store.Load(t.Context())
			require.NoError(t, lerr)
			assert.Equal(t, tt.marker, st.Refreshing != "", "marker")
			assert.Equal(t, "CANARYrefresh", st.Refresh.Reveal())

			// The next calls: sent again when that is safe, and one last time
			// when it is not, as the access token has ended and nothing is left
			// to lose. A refused token is not sent again, since nothing has
			// changed.
			want := []int{2, 3}
			switch {
			case strings.HasPrefix(tt.name, "401"):
				want = []int{1, 1}
			case tt.marker:
				want = []int{2, 2}
			}
			for _, sent := range want {
				_, err = m.Token(t.Context())
				require.Error(t, err)
				assert.Len(t, srv.requests(), sent)
			}
			if tt.marker {
				require.ErrorIs(t, err, tokens.ErrAuthentication)
				require.ErrorIs(t, err, tokens.ErrInterrupted)
				assert.ErrorContains(t, err, "erphub auth login")
				s, err := m.Status(t.Context())
				require.NoError(t, err)
				assert.Equal(t, tokens.StateExpired, s.State)
				assert.False(t, s.Refreshable)
			}
		})
	}
}

// TestServerDown: a request that found no server has spent nothing.
func TestServerDown(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := "http://" + ln.Addr().String()
	require.NoError(t, ln.Close())

	store := tokens.NewMemoryStore(tokens.Stored{Access: tokens.NewSecret(expired), Refresh: tokens.NewSecret("CANARYrefresh")})
	m, err := tokens.NewManager(address, tokens.WithStore(store), tokens.WithClock(fixed))
	require.NoError(t, err)
	err = m.Ready(t.Context())
	require.ErrorIs(t, err, tokens.ErrUnreachable)
	assert.NotErrorIs(t, err, tokens.ErrAuthentication)
	assert.ErrorContains(t, err, "check the address (ERP_URL)")
	assert.NotContains(t, err.Error(), "CANARY")
	st, err := store.Load(t.Context())
	require.NoError(t, err)
	assert.Empty(t, st.Refreshing)

	// The same with credentials.
	m, err = tokens.NewManager(address, tokens.WithCredentials(user))
	require.NoError(t, err)
	err = m.Ready(t.Context())
	require.ErrorIs(t, err, tokens.ErrUnreachable)
	assert.NotContains(t, err.Error(), "CANARY")
}

// TestTransportThatTellsNothing: a transport that reports no connections and
// fails may have sent the token.
func TestTransportThatTellsNothing(t *testing.T) {
	t.Parallel()
	store := tokens.NewMemoryStore(tokens.Stored{Refresh: tokens.NewSecret("r")})
	m, err := tokens.NewManager("http://erp.invalid", tokens.WithStore(store),
		tokens.WithHTTPClient(&http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) { return nil, errors.New("lost") })}))
	require.NoError(t, err)
	_, err = m.Token(t.Context())
	require.ErrorIs(t, err, tokens.ErrInterrupted)
	st, err := store.Load(t.Context())
	require.NoError(t, err)
	assert.NotEmpty(t, st.Refreshing)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestLoginResponses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		response http.HandlerFunc
		want     string
		is       error
	}{
		{"refused", say(401, `{"title":"Authenticate error","status":401,"detail":"Invalid User ID or Password"}`), "Invalid User ID or Password; check user name, password", tokens.ErrAuthentication},
		{"echoed", say(401, `{"title":"CANARYpassword","detail":"\u001b[31mCANARYpassword\nx"}`), "[redacted]: [31m[redacted] x;", tokens.ErrAuthentication},
		{"first step only", say(200, `{"clients":[{"id":11,"name":"Acme"},{"id":12,"name":"Beta"}],"token":"t1"}`), "clients of this user: 11 (Acme), 12 (Beta)", tokens.ErrAuthentication},
		{"parser's text", say(400, `Unexpected character at {"password":"CANARYpassword"`), "responded with 400; check user name", tokens.ErrAuthentication},
		{"forbidden", say(403, ``), "responded with 403; check user name", tokens.ErrAuthentication},
		{"nothing", say(200, `{}`), "wants to know client", tokens.ErrAuthentication},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := newScript(t, tt.response)
			store := tokens.NewMemoryStore(tokens.Stored{Access: tokens.NewSecret("old")})
			m, err := tokens.NewManager(srv.URL, tokens.WithStore(store))
			require.NoError(t, err)
			err = m.Login(t.Context(), user)
			require.ErrorContains(t, err, tt.want)
			require.ErrorIs(t, err, tt.is)
			assert.NotContains(t, err.Error(), "CANARY")
			st, err := store.Load(t.Context())
			require.NoError(t, err)
			assert.Equal(t, "old", st.Access.Reveal(), "a login that fails leaves what was there")
		})
	}
}
