package aiclient_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/erphub/erphub/aiquery"
	"github.com/erphub/erphub/aiquery/aiclient"
	"github.com/erphub/erphub/aiquery/httpapi"
	"github.com/erphub/erphub/erp/erptest"
	"github.com/erphub/erphub/internal/testkit/aitest/aiengine"
	"github.com/erphub/erphub/tokens"
)

// secret signs the tokens of these tests.
const secret = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// tokenOf is a token of a user as the ERP signs it.
func tokenOf(t testing.TB, user int, left time.Duration) string {
	t.Helper()
	text, err := jwt.NewWithClaims(jwt.SigningMethodHS512, jwt.MapClaims{"iss": "idempiere.org", "sub": "AiUser", "exp": time.Now().Add(left).Unix(),
		"AD_Client_ID": aiengine.Tenant, "AD_User_ID": user, "AD_Role_ID": aiengine.Role, "AD_Org_ID": 0}).SignedString([]byte(secret))
	require.NoError(t, err)
	return text
}

// service is the real service with a switch for faults before it.
type service struct {
	url string
	srv *erptest.Server

	mu     sync.Mutex
	fault  func(w http.ResponseWriter, r *http.Request, next http.Handler) // nil: none
	tokens []string                                                        // of the requests that came
	paths  []string
}

// newService starts the service on an embedded ERP of its own.
func newService(t testing.TB, engineOpts *aiquery.Options, apiOpts *httpapi.Options) *service {
	t.Helper()
	engine, srv := aiengine.Embedded(t, engineOpts)
	verifier, err := tokens.NewSecretVerifier([]byte(secret))
	require.NoError(t, err)
	api, err := httpapi.New(engine, verifier, apiOpts)
	require.NoError(t, err)
	s := &service{srv: srv}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		fault := s.fault
		s.tokens, s.paths = append(s.tokens, r.Header.Get("Authorization")), append(s.paths, r.URL.Path)
		s.mu.Unlock()
		if fault == nil {
			api.ServeHTTP(w, r)
			return
		}
		fault(w, r, api)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// faulty sets the fault and forgets what came before.
func (s *service) faulty(fault func(w http.ResponseWriter, r *http.Request, next http.Handler)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault, s.tokens, s.paths = fault, nil, nil
}

// came is how many requests came since the fault was set.
func (s *service) came() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.paths)
}

func (s *service) client(t testing.TB, opts ...aiclient.Option) *aiclient.Client {
	t.Helper()
	c, err := aiclient.New(s.url, append([]aiclient.Option{aiclient.WithToken(tokenOf(t, aiengine.User, time.Hour)), aiclient.WithRole(aiengine.Role)}, opts...)...)
	require.NoError(t, err)
	return c
}

// cut ends the connection without a response.
func cut(http.ResponseWriter) { panic(http.ErrAbortHandler) }

// first lets a fault happen to so many requests.
func first(n int, fault func(http.ResponseWriter)) func(http.ResponseWriter, *http.Request, http.Handler) {
	var mu sync.Mutex
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		mu.Lock()
		n--
		now := n >= 0
		mu.Unlock()
		if now {
			fault(w)
			return
		}
		next.ServeHTTP(w, r)
	}
}

// refusing responds as the service refuses.
func refusing(status int, code, retryAfter string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"code":%q,"message":"refused"},"requestId":"R1"}`, code)
	}
}

// rotating is a source of tokens that can be refreshed.
type rotating struct {
	mu        sync.Mutex
	list      []string // the first is the current one
	refreshed int
	err       error // of refreshing
}

func (r *rotating) Token(context.Context) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.list[0], nil
}

func (r *rotating) Invalidate(_ context.Context, token string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refreshed++
	if len(r.list) > 1 && r.list[0] == token {
		r.list = r.list[1:]
	}
	return r.err
}
